// Small models evaluated by tapes against the passes over their links, an independent algorithm:
// residuals, powers and Jacobian blocks at random points.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model_support.h"
#include "system/work.h"

enum { POINTS = 7, MOST = 16 };  // points: more than one group of lanes

static const double ROUNDING = 2e-12;  // of the largest entry

static double largest(const double* x, int n) {
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

static void check_same(const double* x, const double* expected, int n, const char* what,
                       const char* name) {
    double unit = largest(expected, n);
    for (int i = 0; i < n; i++) {
        if (!(fabs(x[i] - expected[i]) <= ROUNDING * unit)) {
            print_error("%s of %s, entry %d: %.17g by the tape, %.17g by the links\n", what, name,
                        i, x[i], expected[i]);
            fail();
        }
    }
}

static void check_blocks(TestSystem* t, const char* name) {
    enum { ALL = MOST * MOST };
    FbBlocks tape, links;
    FbError err;
    double M[ALL], C[ALL], K[ALL];
    int n = fb_pattern_count(&t->model->vv);
    if (!t->model->tapes.blocks) {
        return;
    }
    assert_int_equal(t->d->ops->plain_jacobian(t->d, &t->p, &tape, &err), FB_OK);
    memcpy(M, tape.M, sizeof(double) * (size_t)n);
    memcpy(C, tape.C, sizeof(double) * (size_t)n);
    memcpy(K, tape.K, sizeof(double) * (size_t)n);
    assert_int_equal(t->d->ops->jacobian(t->d, &t->p, &links, &err), FB_OK);
    check_same(M, links.M, n, "M", name);
    check_same(C, links.C, n, "C", name);
    check_same(K, links.K, n, "K", name);
}

// Takes the model over. Its tapes must be there.
static void check_tapes(FbModel* model, const char* name) {
    TestSystem t;
    unsigned seed = 5;
    test_system_init(&t, model);
    assert_true(t.d->has_tapes);
    int n_v = t.d->size.n_v, n_w = t.d->size.n_w;
    double q[POINTS * MOST], v[POINTS * MOST], a[POINTS * MOST];
    double r[POINTS * MOST], power[POINTS * 2], expected[MOST] = {0}, rates[2] = {0};
    for (int k = 0; k < POINTS; k++) {
        test_system_scatter(&t, &seed, 0.6);
        memcpy(q + k * n_v, t.p.q, sizeof(double) * (size_t)n_v);
        memcpy(v + k * n_v, t.p.v, sizeof(double) * (size_t)n_v);
        memcpy(a + k * n_v, t.p.a, sizeof(double) * (size_t)n_v);
        check_blocks(&t, name);
    }
    assert_int_equal(t.d->ops->residuals(t.d, POINTS, q, v, a, r), FB_OK);
    t.d->ops->all_powers(t.d, POINTS, q, v, power);
    for (int k = 0; k < POINTS; k++) {
        FbPoint p = {.q = q + k * n_v, .v = v + k * n_v, .a = a + k * n_v};
        assert_int_equal(t.d->ops->residual(t.d, &p, expected, NULL, NULL), FB_OK);
        check_same(r + k * n_v, expected, n_v, "r", name);
        t.d->ops->powers(t.d, &p, rates);
        check_same(power + 2 * k, rates, n_w, "power", name);
    }
    test_system_free(&t);
}

static void every_joint_with_tapes(void** state) {
    (void)state;
    const char* types[] = {"revolute", "prismatic", "cylindrical", "universal",        "planar",
                           "fixed",    "pin_slot",  "translation", "screw, pitch: 0.3"};
    for (int reversed = 0; reversed < 2; reversed++) {
        for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
            check_tapes(test_model_with("test/verify/tapes/tree.yaml",
                                        "j1: {type: revolute => j1: {type: %s; A, B => %s",
                                        types[i], reversed ? "B, A" : "A, B"),
                        types[i]);
        }
    }
}

static void shipped_models(void** state) {
    (void)state;
    check_tapes(test_model_from_file("models/governor.yaml"), "the governor");
    check_tapes(test_model_from_file("models/double_pendulum.yaml"), "the double pendulum");
}

// Joints whose coordinates or rows change, and forces that are not linear, keep the passes.
static void models_without_tapes(void** state) {
    (void)state;
    const char* changes[] = {
        "j1: {type: revolute => j1: {type: spherical",
        "stiffness: 20, rest: 0.2} => stiffness: 20, rest: 0.2, force: length^2}",
    };
    for (size_t i = 0; i < 2; i++) {
        FbModel* model = test_model_with("test/verify/tapes/tree.yaml", "%s", changes[i]);
        assert_null(model->tapes.residual);
        assert_null(model->tapes.blocks);
        fb_model_destroy(model);
    }
}

// A spring of no length has no direction: the passes over the links take it as no force.
static void spring_of_no_length(void** state) {
    (void)state;
    TestSystem t;
    test_system_init(&t, test_model_from_file("test/verify/tapes/no_length.yaml"));
    double tape[2] = {0}, links[2] = {0};
    assert_true(t.d->has_tapes);
    assert_int_equal(t.d->ops->residuals(t.d, 1, t.p.q, t.p.v, t.p.a, tape), FB_OK);
    assert_int_equal(t.d->ops->residual(t.d, &t.p, links, NULL, NULL), FB_OK);
    assert_true(isfinite(tape[0]));
    check_same(tape, links, t.d->size.n_v, "r", "a spring of no length");
    test_system_free(&t);
}

// Released forces are in the tapes, so they are not used any more.
static void released_forces(void** state) {
    (void)state;
    TestSystem t;
    FbError err;
    const char* names[] = {"twist"};
    test_system_init(&t, test_model_from_file("test/verify/tapes/tree.yaml"));
    assert_true(t.d->has_tapes);
    assert_int_equal(fb_system_release(t.system, names, 1, &err), FB_OK);
    assert_false(t.d->has_tapes);
    test_system_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_joint_with_tapes), cmocka_unit_test(shipped_models),
        cmocka_unit_test(models_without_tapes),   cmocka_unit_test(spring_of_no_length),
        cmocka_unit_test(released_forces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
