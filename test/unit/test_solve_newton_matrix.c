// The shifted systems: what the solver returns satisfies the equations that newton_matrix.h states.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/complex.h"
#include "solve/newton_matrix.h"

enum { NV = 5, NX = 2, NC = 2, N = NV + NX + NC, BALL = 1 };

typedef double complex Z;

typedef struct Case {
    FbDynamics d;
    FbArena* arena;
    FbPattern vv, cv;
    double values[9][NV * NV];
    double v[NV];
    FbBlocks blocks;
    FbNewtonMatrix* m;
} Case;

static double draw(void) {
    return (double)rand() / RAND_MAX - 0.5;
}

static const int ball[] = {BALL};

static void set_up(Case* c, int n_ball) {
    FbError err = {0};
    memset(c, 0, sizeof *c);
    c->d.size = (FbSizes){.n_q = NV + n_ball, .n_v = NV, .n_x = NX, .n_c = NC};
    c->d.n_ball = n_ball;
    c->d.ball = ball;
    c->arena = fb_arena_create();
    assert_int_equal(fb_pattern_full(NV, NV, c->arena, &c->vv, &err), FB_OK);
    assert_int_equal(fb_pattern_full(NC, NV, c->arena, &c->cv, &err), FB_OK);
    srand(7);
    for (int k = 0; k < 9; k++) {
        for (int i = 0; i < NV * NV; i++) {
            c->values[k][i] = draw();
        }
    }
    for (int i = 0; i < NV; i++) {
        c->values[0][i * (NV + 1)] += 3.0;
        c->v[i] = draw();
    }
    c->blocks = (FbBlocks){&c->vv,       &c->cv,       c->values[0], c->values[1],
                           c->values[2], c->values[3], c->values[4], c->values[5],
                           c->values[6], c->values[7], c->values[8], NULL};
    assert_int_equal(fb_newton_matrix_create(&c->d, &c->blocks, 1, &c->m, &err), FB_OK);
    assert_true(fb_newton_matrix_fits(c->m, &c->d, &c->blocks));
    fb_newton_matrix_set_blocks(c->m, &c->blocks, c->v);
}

static void tear_down(Case* c) {
    fb_newton_matrix_destroy(c->m);
    fb_arena_destroy(c->arena);
}

// sum_j A[i, j] x[j] of a column-major matrix with `rows` rows.
static Z row_product(const double* A, int rows, int cols, int i, const Z* x) {
    Z sum = 0.0;
    for (int j = 0; j < cols; j++) {
        sum += A[j * rows + i] * x[j];
    }
    return sum;
}

// W xi for one ball joint: -1/2 omega x xi.
static void chart_product(const Case* c, const Z* xi, Z* out) {
    const double* w = c->v + BALL;
    memset(out, 0, NV * sizeof *out);
    if (c->d.n_ball > 0) {
        const Z* x = xi + BALL;
        out[BALL] = -0.5 * (w[1] * x[2] - w[2] * x[1]);
        out[BALL + 1] = -0.5 * (w[2] * x[0] - w[0] * x[2]);
        out[BALL + 2] = -0.5 * (w[0] * x[1] - w[1] * x[0]);
    }
}

static void check(const Case* c, Z s, const Z* b, const Z* bxi, const Z* x, const Z* xi) {
    const FbBlocks* k = &c->blocks;
    Z turned[NV];
    chart_product(c, xi, turned);
    for (int i = 0; i < NV; i++) {
        Z r = s * row_product(k->M, NV, NV, i, x) + row_product(k->C, NV, NV, i, x) +
              row_product(k->K, NV, NV, i, xi) + row_product(k->Rx, NV, NX, i, x + NV);
        for (int m = 0; m < NC; m++) {
            r += k->G[i * NC + m] * x[NV + NX + m];
        }
        assert_true(cabs(r - b[i]) < 1e-9);
        assert_true(cabs(s * xi[i] - turned[i] - x[i] - bxi[i]) < 1e-10);
    }
    for (int i = 0; i < NX; i++) {
        Z r = s * x[NV + i] - row_product(k->Xx, NX, NX, i, x + NV) -
              row_product(k->Xq, NX, NV, i, xi) - row_product(k->Xv, NX, NV, i, x);
        assert_true(cabs(r - b[NV + i]) < 1e-10);
    }
    for (int i = 0; i < NC; i++) {
        Z r = row_product(k->G, NC, NV, i, x) + row_product(k->Gq, NC, NV, i, xi);
        assert_true(cabs(r - b[NV + NX + i]) < 1e-9);
    }
}

static void solve_and_check(int n_ball, bool is_complex) {
    Case c;
    set_up(&c, n_ball);
    Z s = is_complex ? 20.0 + 31.0 * I : 17.0;
    int k = is_complex, stride = is_complex ? 2 : 1;
    Z b[N], bxi[NV], x[N], xi[NV];
    double packed[2 * N], packed_xi[2 * NV];
    for (int i = 0; i < N + NV; i++) {
        double re = draw(), im = is_complex ? draw() : 0.0;
        double* target = i < N ? packed + stride * i : packed_xi + stride * (i - N);
        target[0] = re;
        target[stride - 1] = is_complex ? im : re;
        *(i < N ? &b[i] : &bxi[i - N]) = re + I * im;
    }
    assert_int_equal(fb_newton_matrix_factor(c.m, k, s), FB_OK);
    fb_newton_matrix_solve(c.m, k, packed, packed_xi);
    for (int i = 0; i < N + NV; i++) {
        const double* from = i < N ? packed + stride * i : packed_xi + stride * (i - N);
        *(i < N ? &x[i] : &xi[i - N]) = from[0] + (is_complex ? I * from[1] : 0.0);
    }
    check(&c, s, b, bxi, x, xi);
    tear_down(&c);
}

static void test_real(void** state) {
    (void)state;
    solve_and_check(0, false);
}

static void test_complex(void** state) {
    (void)state;
    solve_and_check(0, true);
}

static void test_real_with_ball(void** state) {
    (void)state;
    solve_and_check(1, false);
}

static void test_complex_with_ball(void** state) {
    (void)state;
    solve_and_check(1, true);
}

// Two equal constraint rows: the regularisation keeps the system solvable and dv right.
static void test_redundant_rows(void** state) {
    (void)state;
    Case c;
    set_up(&c, 0);
    for (int j = 0; j < NV; j++) {
        c.blocks.G[j * NC + 1] = c.blocks.G[j * NC];
        c.blocks.Gq[j * NC + 1] = c.blocks.Gq[j * NC] = 0.0;
    }
    fb_newton_matrix_set_blocks(c.m, &c.blocks, c.v);
    assert_int_equal(fb_newton_matrix_factor(c.m, 0, 17.0), FB_OK);
    double b[N] = {1.0, -1.0, 0.5, 0.2, 0.1};
    fb_newton_matrix_solve(c.m, 0, b, NULL);
    double violation = 0.0;
    for (int j = 0; j < NV; j++) {
        assert_true(isfinite(b[j]));
        violation += c.blocks.G[j * NC] * b[j];
    }
    assert_true(fabs(violation) < 1e-9);
    tear_down(&c);
}

static void test_changed_pattern(void** state) {
    (void)state;
    Case c;
    FbError err;
    set_up(&c, 0);
    FbPatternBuilder* builder = fb_pattern_builder_create(NV, NV);
    for (int i = 0; i < NV; i++) {
        fb_pattern_builder_add(builder, i, i);
    }
    FbPattern diagonal;
    assert_int_equal(fb_pattern_builder_finish(builder, c.arena, &diagonal, &err), FB_OK);
    fb_pattern_builder_destroy(builder);
    c.blocks.vv = &diagonal;
    assert_false(fb_newton_matrix_fits(c.m, &c.d, &c.blocks));
    tear_down(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_real),           cmocka_unit_test(test_complex),
        cmocka_unit_test(test_real_with_ball), cmocka_unit_test(test_complex_with_ball),
        cmocka_unit_test(test_redundant_rows), cmocka_unit_test(test_changed_pattern),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
