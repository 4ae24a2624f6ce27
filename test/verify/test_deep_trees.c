// Elimination along the tree against the full matrix: the same solutions, to rounding, for random
// trees with every joint type and forces of every kind; and its growth with the size of a chain.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/model.h"
#include "model_support.h"
#include "random_model.h"
#include "solve/newton_matrix.h"
#include "tree/fronts.h"

enum { MAX_TEXT = 40000, MAX_N = 200, SEEDS = 40 };

typedef struct Pair {
    TestSystem t;
    FbNewtonMatrix *full, *deep;
} Pair;

// Both matrices of one model at one point; that of the tree is forced, however small the model is.
static void start(Pair* p, const char* text, unsigned seed, double size) {
    FbModel* model = test_model_from_text(text);
    assert_int_equal(model->n_rows, 0);
    model->is_deep = true;
    test_system_init(&p->t, model);
    test_system_scatter(&p->t, &seed, size);
    FbDynamics* d = p->t.d;
    FbBlocks b;
    FbError err = {0};
    assert_int_equal(d->ops->jacobian(d, &p->t.p, &b, &err), FB_OK);
    assert_int_equal(fb_newton_matrix_create(d, &b, 1, &p->full, &err), FB_OK);
    fb_newton_matrix_set_blocks(p->full, &b, p->t.p.v);
    assert_int_equal(d->ops->split_jacobian(d, &p->t.p, &b, &err), FB_OK);
    assert_int_equal(fb_newton_matrix_create(d, &b, 1, &p->deep, &err), FB_OK);
    fb_newton_matrix_set_blocks(p->deep, &b, p->t.p.v);
}

static void finish(Pair* p) {
    fb_newton_matrix_destroy(p->full);
    fb_newton_matrix_destroy(p->deep);
    test_system_free(&p->t);
}

static double largest(const double* x, int n) {
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

static double difference(const double* a, const double* b, int n) {
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
    }
    return most / largest(b, n);
}

// The largest deviation of the solutions for one shift, relative to the largest entry.
static double compare(Pair* p, int k, double complex s, unsigned seed) {
    double b[2][2 * MAX_N], xi[2][2 * MAX_N];
    int stride = k > 0 ? 2 : 1, n = stride * fb_newton_matrix_size(p->full);
    int n_v = stride * p->t.d->size.n_v;
    assert_true(n <= 2 * MAX_N);
    for (int i = 0; i < n; i++) {
        b[0][i] = b[1][i] = test_random(&seed);
        xi[0][i] = xi[1][i] = 0.1 * test_random(&seed);
    }
    assert_int_equal(fb_newton_matrix_factor(p->full, k, s), FB_OK);
    assert_int_equal(fb_newton_matrix_factor(p->deep, k, s), FB_OK);
    fb_newton_matrix_solve(p->full, k, b[0], xi[0]);
    fb_newton_matrix_solve(p->deep, k, b[1], xi[1]);
    return fmax(difference(b[1], b[0], n), difference(xi[1], xi[0], n_v));
}

static double compare_masses(Pair* p, unsigned seed) {
    double x[MAX_N], y[2][MAX_N] = {{0}};
    int n = p->t.d->size.n_v;
    for (int i = 0; i < n; i++) {
        x[i] = test_random(&seed);
    }
    fb_newton_matrix_add_mass_product(p->full, -2.0, x, y[0]);
    fb_newton_matrix_add_mass_product(p->deep, -2.0, x, y[1]);
    return n > 0 ? difference(y[1], y[0], n) : 0.0;
}

// Shifts of short and long steps.
static double worst_of(Pair* p, unsigned seed) {
    static const double SHIFTS[] = {1e4, 300.0, 20.0};
    double worst = compare_masses(p, seed);
    for (int i = 0; i < 3; i++) {
        double s = SHIFTS[i];
        worst = fmax(worst, compare(p, 0, s, seed));
        worst = fmax(worst, compare(p, 1, s * (1.0 + 0.8 * I), seed));
    }
    return worst;
}

static void add(char* text, const char* format, ...) __attribute__((format(printf, 2, 3)));
static void add(char* text, const char* format, ...) {
    size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, MAX_TEXT - used, format, args);
    va_end(args);
}

static int pick(unsigned* seed, int n) {
    int i = (int)(0.5 * (test_random(seed) + 1.0) * n);
    return i < n ? i : n - 1;
}

static void add_body(char* text, const char* key, int body) {
    if (body < 0) {
        add(text, "%s: {body: ground, at: [0.3, -2, 1]}, ", key);
    } else {
        add(text, "%s: {body: B%d, at: [0.2, 0.1, -0.3]}, ", key, body);
    }
}

// Springs and bushings between any two bodies, forces that follow states and other bodies.
static void add_forces(char* text, int n_bodies, unsigned seed) {
    int other = pick(&seed, n_bodies);
    add(text,
        "sensors:\n  where: {type: position, point: B%d}\n"
        "  fast: {type: velocity, point: {body: B%d, at: [0.1, 0, 0.2]}}\n"
        "states:\n  one: {initial: 0.2, rate: where.z + fast.x - 0.5*one*two}\n"
        "  two: {initial: -0.3, rate: one - sin(two) + where.x*fast.y}\nforces:\n",
        other, other);
    add(text,
        "  thrust: {type: force, point: B%d, value: [-3*one, where.x - two, 2*one - fast.z]}\n"
        "  turn: {type: torque, body: B%d, axes: body, value: [2, -1, 3*two]}\n",
        pick(&seed, n_bodies), pick(&seed, n_bodies));
    for (int i = 0; i < 4; i++) {
        int a = pick(&seed, n_bodies), b = pick(&seed, n_bodies + 1) - 1;
        b = b == a ? -1 : b;
        add(text, i % 2 ? "  bushing%d: {type: bushing, " : "  spring%d: {type: spring, ", i);
        add_body(text, "a", a);
        add_body(text, "b", b);
        add(text, i % 2 ? "translation_stiffness: [500, 300, 200], rotation_stiffness: [20, 30, 4],"
                          " translation_damping: [1, 2, 3], rotation_damping: [0.2, 0, 0.4]}\n"
                        : "stiffness: 700, damping: 3, rest: 0.4}\n");
    }
}

static void test_random_trees(void** state) {
    (void)state;
    static char text[MAX_TEXT];
    double worst = 0.0;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        RandomModel r = {.n_bodies = 1 + (int)(seed % 9), .seed = 131u * seed};
        Pair p;
        random_model_write(&r, text, sizeof(text));
        if (seed % 4 != 0) {
            add_forces(text, r.n_bodies, seed);
        }
        start(&p, text, seed, 0.4);
        double error = worst_of(&p, seed);
        if (error > 1e-10) {
            print_message("seed %u, %d bodies: %.3g\n", seed, r.n_bodies, error);
        }
        worst = fmax(worst, error);
        finish(&p);
    }
    print_message("largest deviation %.3g\n", worst);
    assert_true(worst < 1e-10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_trees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
