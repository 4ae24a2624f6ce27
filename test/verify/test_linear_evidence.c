// The evidence against modes: an eigenvector that leaves the constraints is found out, whether it
// leaves a closed loop or slips where it should roll (eq. 7.12).
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "linear/linearization.h"
#include "test_linear_support.h"

static double norm(const double complex* x, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += creal(x[i] * conj(x[i]));
    }
    return sqrt(sum);
}

static double frobenius(const double* a, size_t n) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += a[i] * a[i];
    }
    return sqrt(sum);
}

// Adds to x as much as it has itself, but along row r of G, which is across the constraint.
static void push_across(const FbDenseBlocks* b, int r, double complex* x) {
    double size = norm(x, b->n), row = 0.0;
    for (int j = 0; j < b->n; j++) {
        double g = b->G[(size_t)j * (size_t)b->m + (size_t)r];
        row += g * g;
    }
    assert_true(row > 0.0);
    for (int j = 0; j < b->n; j++) {
        x[j] += size * b->G[(size_t)j * (size_t)b->m + (size_t)r] / sqrt(row);
    }
}

static double complex times_row(const double* a, const FbDenseBlocks* b, int r,
                                const double complex* x) {
    double complex sum = 0.0;
    for (int j = 0; j < b->n; j++) {
        sum += a[(size_t)j * (size_t)b->m + (size_t)r] * x[j];
    }
    return sum;
}

// Equation (7.12) of mode k, for one of its two kinds of rows.
static double calc_violation(const FbLinearization* l, int k, bool is_rolling) {
    const FbDenseBlocks* b = &l->b;
    const double complex* q = l->xq + (size_t)k * (size_t)b->n;
    const double complex* v = l->xv + (size_t)k * (size_t)b->n;
    size_t size = (size_t)b->m * (size_t)b->n;
    double sum = 0.0, whole = frobenius(b->G, size) * norm(is_rolling ? v : q, b->n);
    for (int r = is_rolling ? b->m_h : 0; r < (is_rolling ? b->m : b->m_h); r++) {
        double complex g = is_rolling ? times_row(b->G, b, r, v) + times_row(b->Gq, b, r, q)
                                      : times_row(b->G, b, r, q);
        sum += creal(g * conj(g));
    }
    whole += is_rolling ? frobenius(b->Gq, size) * norm(q, b->n) : 0.0;
    return sqrt(sum) / whole;
}

// Each true mode is pushed across a row in turn: by its velocities where the row rolls, by its
// displacements where it closes a loop.
static void check(const char* path, bool is_rolling) {
    TestLinear t = test_linear_file(path, TEST_AT_INITIAL);
    FbLinearization* l = t.l;
    const FbDenseBlocks* b = &l->b;
    int row = is_rolling ? b->m_h : 0, n_tried = 0;
    assert_true(row < (is_rolling ? b->m : b->m_h));
    for (int k = 0; k < l->n_modes; k++) {
        if (l->modes[k].class_ != FB_MODE_PHYSICAL) {
            continue;
        }
        assert_true(l->modes[k].constraint_residual < 1e-9);
        double complex* x = (is_rolling ? l->xv : l->xq) + (size_t)k * (size_t)b->n;
        double complex kept[64];
        assert_true(b->n <= 64);
        memcpy(kept, x, sizeof *kept * (size_t)b->n);
        push_across(b, row, x);
        fb_linear_classify(l);
        double expected = calc_violation(l, k, is_rolling);
        assert_true(expected > 0.01);
        if (!(fabs(l->modes[k].constraint_residual / expected - 1.0) < 1e-6)) {
            fail_msg("%s: mode %d leaves the constraints by %g, reported %g", path, k, expected,
                     l->modes[k].constraint_residual);
        }
        memcpy(x, kept, sizeof *kept * (size_t)b->n);
        n_tried++;
    }
    assert_true(n_tried >= 2);
    test_linear_free(&t);
}

static void test_slipping(void** state) {
    (void)state;
    check("models/rolling_disc.yaml", true);
    check("models/bicycle.yaml", true);
}

static void test_open_loops(void** state) {
    (void)state;
    check("models/bicycle.yaml", false);
    check("test/verify/scales/linkage.yaml", false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slipping),
        cmocka_unit_test(test_open_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
