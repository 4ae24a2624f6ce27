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
#include "run_support.h"
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
    double x[MAX_N] = {0}, y[2][MAX_N] = {{0}};
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
        worst = fmax(worst, error);
        finish(&p);
    }
    assert_true(worst < 1e-11);
}

// A rope of thin rods: spin and bending of each differ by decades.
static void write_rope(char* text, const char* joint, int n, double ratio) {
    text[0] = 0;
    add(text, "flyball: 1\ngravity: [0, 0, -9.81]\nbodies:\n");
    for (int i = 0; i < n; i++) {
        double mass = i % 3 == 1 ? ratio : 1.0;
        add(text,
            "  B%d: {mass: %g, center: [0.05, 0, 0], inertia: [%g, %g, %g], position: [%g, 0, "
            "0]}\n",
            i, mass, 1e-7 * mass, 1e-3 * mass, 1e-3 * mass, 0.1 * i);
    }
    add(text, "joints:\n");
    for (int i = 0; i < n; i++) {
        add(text, "  J%d: {type: %s, between: [", i, joint);
        add(text, i > 0 ? "B%d" : "ground", i - 1);
        add(text, ", B%d], point: [%g, 0, 0], axis: [%d, %d, 1]}\n", i, 0.1 * i, i % 2, i % 3);
    }
    add(text, "forces:\n");
    for (int i = 1; i < n; i++) {
        add(text,
            "  F%d: {type: bushing, a: {body: B%d, at: [0.1, 0, 0]}, b: {body: B%d}, "
            "rotation_stiffness: [50, 50, 50], rotation_damping: [0.01, 0.02, 0.01]}\n",
            i, i - 1, i);
    }
}

// W xi of xi' = v + W xi: -1/2 omega x xi for each ball joint.
static void apply_chart(const TestSystem* t, const double complex* xi, double complex* out) {
    for (int b = 0; b < t->d->n_ball; b++) {
        int j = t->d->ball[b];
        const double* w = t->p.v + j;
        out[j] = -0.5 * (w[1] * xi[j + 2] - w[2] * xi[j + 1]);
        out[j + 1] = -0.5 * (w[2] * xi[j] - w[0] * xi[j + 2]);
        out[j + 2] = -0.5 * (w[0] * xi[j + 1] - w[1] * xi[j]);
    }
}

// The largest residual of (s M + C) dv + K dxi = bv, (s - W) dxi - dv = bxi of the solution along
// the tree, each relative to the sum of the sizes of its terms.
static double backward_error(Pair* p, int k, double complex s, unsigned seed) {
    TestSystem* t = &p->t;
    int n = t->d->size.n_v, stride = k > 0 ? 2 : 1;
    double b[2 * MAX_N], bxi[2 * MAX_N], before[2][2 * MAX_N], worst = 0.0;
    double complex dv[MAX_N] = {0}, dxi[MAX_N] = {0}, W[MAX_N] = {0};
    FbBlocks m;
    FbError err;
    for (int i = 0; i < stride * n; i++) {
        before[0][i] = b[i] = test_random(&seed);
        before[1][i] = bxi[i] = 0.01 * test_random(&seed);
    }
    assert_int_equal(fb_newton_matrix_factor(p->deep, k, s), FB_OK);
    fb_newton_matrix_solve(p->deep, k, b, bxi);
    assert_int_equal(t->d->ops->jacobian(t->d, &t->p, &m, &err), FB_OK);
    for (int i = 0; i < n; i++) {
        dv[i] = k > 0 ? b[2 * i] + I * b[2 * i + 1] : b[i];
        dxi[i] = k > 0 ? bxi[2 * i] + I * bxi[2 * i + 1] : bxi[i];
    }
    apply_chart(t, dxi, W);
    for (int i = 0; i < n; i++) {
        double complex r = before[0][stride * i] + (k > 0 ? I * before[0][2 * i + 1] : 0.0);
        double complex c = before[1][stride * i] + (k > 0 ? I * before[1][2 * i + 1] : 0.0);
        double size = cabs(r);
        for (int j = 0; j < n; j++) {
            int at = fb_pattern_index(m.vv, i, j);
            double complex x = at < 0 ? 0.0 : (s * m.M[at] + m.C[at]) * dv[j];
            double complex y = at < 0 ? 0.0 : m.K[at] * dxi[j];
            r -= x + y;
            size += cabs(x) + cabs(y);
        }
        worst = fmax(worst, cabs(r) / size);
        double terms = cabs(c) + cabs(s * dxi[i]) + cabs(W[i]) + cabs(dv[i]);
        worst = fmax(worst, cabs(c + dv[i] + W[i] - s * dxi[i]) / terms);
    }
    return worst;
}

// Long ropes do not amplify rounding, whatever their joints and the ratio of their masses.
static void test_ropes(void** state) {
    (void)state;
    static char text[MAX_TEXT];
    static const char* const JOINTS[] = {"spherical", "revolute", "universal", "screw, pitch: 0.1"};
    for (int j = 0; j < 4; j++) {
        for (int r = 0; r < 2; r++) {
            Pair p;
            write_rope(text, JOINTS[j], 60, r == 0 ? 1.0 : 1e-9);
            start(&p, text, 5u, 0.2);
            for (int i = 0; i < 2; i++) {
                double s = i == 0 ? 1e4 : 20.0;
                double error = fmax(backward_error(&p, 0, s, 7u),
                                    backward_error(&p, 1, s * (1.0 + 0.8 * I), 9u));
                assert_true(error < 1e-12);  // growth from link to link would be decades more
            }
            finish(&p);
        }
    }
}

static double work_of(FbModel* model, int* n_coupled) {
    FbTreePlan* plan;
    FbError err;
    assert_true(model->is_deep);
    assert_int_equal(fb_tree_plan_create(&model->tree, &model->own, 0, &plan, &err), FB_OK);
    double work = fb_tree_plan_count_work(plan);
    *n_coupled = fb_pattern_count(&model->own);
    fb_tree_plan_destroy(plan);
    fb_model_destroy(model);
    return work;
}

// Multiplications of a factorization and entries of the blocks: twice as many for twice the length.
static void test_growth(void** state) {
    (void)state;
    static const char* const MODELS[] = {"bench/growth/stiff_chain.yaml",
                                         "test/verify/deep_trees/branches.yaml",
                                         "test/verify/deep_trees/bushings.yaml"};
    for (int i = 0; i < 3; i++) {
        double before = 0.0;
        int coupled_before = 0;
        for (int n = 64; n <= 256; n *= 2) {
            int coupled;
            double work = work_of(test_model_with(MODELS[i], "N=%d", n), &coupled);
            assert_true(before == 0.0 || work < 2.05 * before);
            assert_true(coupled_before == 0 || coupled < 2.05 * coupled_before);
            before = work;
            coupled_before = coupled;
        }
    }
}

// Which trees are deep follows from counts: neither short chains nor many of them, nor what has
// loops.
static void test_choice(void** state) {
    (void)state;
    FbModel* chain = test_model_with("models/chain.yaml", "N=20");
    assert_false(chain->is_deep);
    fb_model_destroy(chain);
    FbModel* comb = test_model_with("test/verify/deep_trees/comb.yaml", "N=200");
    assert_false(comb->is_deep);
    fb_model_destroy(comb);
    FbModel* loops = test_model_with("models/windows.yaml", "N=20");
    assert_false(loops->is_deep);
    fb_model_destroy(loops);
}

// Where positions and one velocity are set, the others follow by least kinetic energy.
static void test_start(void** state) {
    (void)state;
    TestSystem t[2];
    for (int i = 0; i < 2; i++) {
        FbModel* model = test_model_with(
            "models/chain.yaml",
            "N=60; velocity: 0} => velocity: 2}; velocity: 0.1 rad/s => position: 0.05");
        assert_true(model->is_deep);
        model->is_deep = i == 1;
        test_system_init(&t[i], model);
    }
    int n = t[0].d->size.n_v;
    double fastest = largest(t[0].p.v, n);
    assert_true(fastest > 2.5);  // the next ones turn back
    for (int j = 0; j < n; j++) {
        test_close("q", t[1].p.q[j], t[0].p.q[j], 1e-14);
        test_close("v", t[1].p.v[j], t[0].p.v[j], 1e-9 * fastest);  // M is not well conditioned
    }
    FbEnergies e[2];
    for (int i = 0; i < 2; i++) {
        test_close("what is set", t[i].p.v[0], 2.0, 1e-14);
        fb_system_calc_energies(t[i].system, &t[i].p, &e[i]);
    }
    test_close("least energy", e[1].kinetic, e[0].kinetic, 1e-13 * e[0].kinetic);
    char reason[2][128];
    bool is_stiff[2];
    for (int i = 0; i < 2; i++) {
        is_stiff[i] = fb_system_is_stiff(t[i].system, &t[i].p, 1e3, reason[i], sizeof reason[i]);
        test_system_free(&t[i]);
    }
    assert_int_equal(is_stiff[0], is_stiff[1]);
    assert_string_equal(reason[0], reason[1]);
}

static TestRun run_chain(const char* integrator, bool is_deep) {
    FbModel* model = test_model_with("bench/growth/stiff_chain.yaml", "N=64");
    model->is_deep = is_deep;
    return test_run_model(model, (TestMethod){.integrator = integrator, .duration = 0.05});
}

// Runs are the same, up to the rounding of Newton's corrections.
static void test_runs(void** state) {
    (void)state;
    static const char* const NAMES[] = {"radau", "bdf"};
    for (int i = 0; test_integrators()[i]; i++) {
        for (int k = 0; k < 2; k++) {
            if (strcmp(test_integrators()[i], NAMES[k]) != 0) {
                continue;
            }
            TestRun full = run_chain(NAMES[k], false), deep = run_chain(NAMES[k], true);
            long steps = fb_result_get_stats(full.result)->steps;
            assert_true(labs(fb_result_get_stats(deep.result)->steps - steps) <= 1 + steps / 50);
            test_close("end.z", test_run_last(&deep, "end.z"), test_run_last(&full, "end.z"), 1e-9);
            test_close("end.y", test_run_last(&deep, "end.y"), test_run_last(&full, "end.y"), 1e-9);
            test_run_free(&full);
            test_run_free(&deep);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_trees), cmocka_unit_test(test_ropes),
        cmocka_unit_test(test_growth),       cmocka_unit_test(test_choice),
        cmocka_unit_test(test_start),        cmocka_unit_test(test_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
