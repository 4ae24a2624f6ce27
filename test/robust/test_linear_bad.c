// Models that have no linearization or an awkward one: each is refused with a message that says
// why, or answered correctly.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"
#include "test_linear_support.h"

static void expect_text(const FbError* err, const char* part) {
    if (!strstr(err->text, part)) {
        fail_msg("the message does not say '%s': %s", part, err->text);
    }
}

static FbError bad_point(const char* path, FbOperatingOptions at, FbStatus expected) {
    FbError err = {0};
    FbModel* model = test_model_from_file(path);
    FbOperatingPoint* point = NULL;
    FbStatus status = fb_operating_point_create(model, &at, &point, &err);
    fb_operating_point_destroy(point);
    fb_model_destroy(model);
    if (status != expected) {
        fail_msg("status %d instead of %d: %s", (int)status, (int)expected, err.text);
    }
    return err;
}

static FbError bad_linearization(const char* path, FbOperatingKind kind, FbLinearMethod method,
                                 FbStatus expected) {
    FbError err = {0};
    FbModel* model = test_model_from_file(path);
    FbOperatingPoint* point = test_point_at(model, (FbOperatingOptions){.kind = kind});
    FbLinearOptions how = {.method = method, .penalty = 1e6};
    FbLinearization* l = NULL;
    assert_int_equal(fb_linearization_create(point, &how, &l, &err), FB_OK);
    FbStatus status = fb_linearization_run(l, &err);
    if (status != expected) {
        fail_msg("status %d instead of %d: %s", (int)status, (int)expected, err.text);
    }
    assert_int_equal(fb_linearization_get_mode_count(l), 0);
    fb_linearization_destroy(l);
    fb_operating_point_destroy(point);
    fb_model_destroy(model);
    return err;
}

// A body without mass that can move: there is no acceleration to speak of.
static void test_massless_body(void** state) {
    (void)state;
    const char* path = "test/robust/linear_bad/massless_body.yaml";
    for (int kind = FB_AT_INITIAL; kind <= FB_AT_EQUILIBRIUM; kind++) {
        FbError err =
            bad_point(path, (FbOperatingOptions){.kind = (FbOperatingKind)kind}, FB_ERR_SINGULAR);
        expect_text(&err, "j");
        expect_text(&err, "mass");
    }
}

static void test_nan_stiffness(void** state) {
    (void)state;
    const char* path = "test/robust/linear_bad/nan_stiffness.yaml";
    for (int kind = FB_AT_INITIAL; kind <= FB_AT_EQUILIBRIUM; kind++) {
        FbError err =
            bad_point(path, (FbOperatingOptions){.kind = (FbOperatingKind)kind}, FB_ERR_SINGULAR);
        expect_text(&err, "not finite");
    }
}

// A stiffness that overflows against a tiny mass.
static void test_infinite_stiffness(void** state) {
    (void)state;
    const char* path = "test/robust/linear_bad/infinite_stiffness.yaml";
    for (int method = FB_METHOD_INDEPENDENT; method <= FB_METHOD_PENALTY; method++) {
        FbError err =
            bad_linearization(path, FB_AT_INITIAL, (FbLinearMethod)method, FB_ERR_SINGULAR);
        expect_text(&err, "'j'");
        expect_text(&err, "not finite");
    }
}

// A root at zero: expressions keep an infinite slope finite, and so is the answer.
static void test_infinite_slope(void** state) {
    (void)state;
    TestLinear t = test_linear_file("test/robust/linear_bad/infinite_slope.yaml", TEST_AT_INITIAL);
    for (int i = 0; i < 2; i++) {
        const FbMode* m = fb_linearization_get_mode(t.l, i);
        assert_true(isfinite(m->re) && isfinite(m->im));
    }
    test_linear_free(&t);
}

// A constant expression that is negative is a valid stiffness with an unstable answer; no search
// for a stable position ends.
static void test_negative_stiffness(void** state) {
    (void)state;
    const char* path = "test/robust/linear_bad/negative_stiffness.yaml";
    FbError err =
        bad_point(path, (FbOperatingOptions){.kind = FB_AT_EQUILIBRIUM}, FB_ERR_CONVERGENCE);
    expect_text(&err, "'j'");
    TestLinear t = test_linear_file(path, TEST_AT_INITIAL);
    const double complex expected[2] = {2.0, -2.0};
    test_spectrum("unstable", &t, expected, 2, 1e-14);
    test_linear_free(&t);
}

static void test_overconstrained(void** state) {
    (void)state;
    FbError err = bad_point("test/robust/linear_bad/overconstrained.yaml",
                            (FbOperatingOptions){.kind = FB_AT_EQUILIBRIUM}, FB_ERR_ASSEMBLY);
    assert_true(strstr(err.text, "here") || strstr(err.text, "there"));
}

// Constraints that agree are no harm, and neither is a model that they hold completely.
static void test_no_freedom(void** state) {
    (void)state;
    for (int method = FB_METHOD_INDEPENDENT; method <= FB_METHOD_PENALTY; method++) {
        FbError err = bad_linearization("test/robust/linear_bad/no_freedom.yaml", FB_AT_EQUILIBRIUM,
                                        (FbLinearMethod)method, FB_ERR_MODEL);
        expect_text(&err, "no degree of freedom");
    }
}

// A formulation that compares positions of rest says so when asked about motion, rolling or states.
static void test_methods_at_rest(void** state) {
    (void)state;
    const char* path = "test/robust/linear_bad/state_at_rest.yaml";
    for (int method = FB_METHOD_ODE; method <= FB_METHOD_PENALTY; method++) {
        FbError err =
            bad_linearization(path, FB_AT_INITIAL, (FbLinearMethod)method, FB_ERR_UNAVAILABLE);
        expect_text(&err, "independent or descriptor");
    }
}

// An event ends the run before the time that was asked for.
static void test_time_not_reached(void** state) {
    (void)state;
    FbError err = bad_point("test/robust/linear_bad/stop_before_the_time.yaml",
                            (FbOperatingOptions){.kind = FB_AT_TIME, .time = 5.0}, FB_ERR_MODEL);
    expect_text(&err, "event");
}

// Far from equilibrium: the drift is said, and the answer is that of the instant.
static void test_far_from_equilibrium(void** state) {
    (void)state;
    TestLinear t = test_linear_file("models/pendulum.yaml", TEST_AT_INITIAL);
    FbOperatingInfo info;
    fb_operating_point_get_info(t.point, &info);
    assert_false(info.is_equilibrium);
    assert_true(info.largest_acceleration > 9.8);
    // horizontal: gravity's moment is stationary, nothing resists
    assert_int_equal(test_count(&t, FB_MODE_PHYSICAL) + test_count(&t, FB_MODE_RIGID_BODY), 2);
    test_linear_free(&t);
}

// No bodies that move, but a state: it has its rate.
static void test_states_alone(void** state) {
    (void)state;
    TestLinear t = test_linear_file("test/robust/linear_bad/states_alone.yaml", TEST_AT_INITIAL);
    const double complex expected[1] = {-4.0};
    test_spectrum("state", &t, expected, 1, 1e-14);
    test_linear_free(&t);
}

// Runs repeated on one linearization give the same answer, also after a failure elsewhere.
static void test_repeated_runs(void** state) {
    (void)state;
    for (int method = FB_METHOD_INDEPENDENT; method <= FB_METHOD_PENALTY; method++) {
        TestLinearAsk ask = TEST_AT_EQUILIBRIUM;
        ask.how.method = (FbLinearMethod)method;
        ask.how.penalty = 1e6;
        TestLinear t = test_linear_file("models/fourbar.yaml", ask);
        FbMode first = *fb_linearization_get_mode(t.l, 0);
        FbError err;
        for (int i = 0; i < 3; i++) {
            assert_int_equal(fb_linearization_run(t.l, &err), FB_OK);
            const FbMode* again = fb_linearization_get_mode(t.l, 0);
            assert_true(again->re == first.re && again->im == first.im);
            assert_int_equal(again->class_, first.class_);
        }
        test_linear_free(&t);
    }
}

static FbStatus linearize_once(const FbModel* model, FbLinearMethod method) {
    FbOperatingOptions at = fb_operating_options_default();
    FbLinearOptions how = {.method = method, .penalty = 1e6};
    FbOperatingPoint* point = NULL;
    FbLinearization* l = NULL;
    FbError err = {0};
    double shares[8];
    FbStatus status = fb_operating_point_create(model, &at, &point, &err);
    if (status == FB_OK) {
        status = fb_linearization_create(point, &how, &l, &err);
    }
    if (status == FB_OK) {
        status = fb_linearization_run(l, &err);
    }
    if (status == FB_OK) {
        status = fb_linearization_calc_participation(l, 0, shares);
    }
    fb_linearization_destroy(l);
    fb_operating_point_destroy(point);
    return status;
}

// Whichever allocation fails, it is said, and nothing is lost.
static void test_failing_memory(void** state) {
    (void)state;
    FbModel* model = test_model_from_file("models/fourbar.yaml");
    for (int method = FB_METHOD_INDEPENDENT; method <= FB_METHOD_PENALTY; method++) {
        FbStatus status = FB_ERR_MEMORY;
        for (long at = 1; status != FB_OK; at++) {
            long live = counting.n_live;
            counting.n_calls = 0;
            counting.fail_at = at;
            status = linearize_once(model, (FbLinearMethod)method);
            counting.fail_at = 0;
            assert_int_equal(counting.n_live, live);
            assert_true(status == FB_OK || status == FB_ERR_MEMORY);
            assert_true(at < 10000);
        }
    }
    fb_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_massless_body),      cmocka_unit_test(test_nan_stiffness),
        cmocka_unit_test(test_infinite_stiffness), cmocka_unit_test(test_infinite_slope),
        cmocka_unit_test(test_negative_stiffness), cmocka_unit_test(test_overconstrained),
        cmocka_unit_test(test_no_freedom),         cmocka_unit_test(test_methods_at_rest),
        cmocka_unit_test(test_time_not_reached),   cmocka_unit_test(test_far_from_equilibrium),
        cmocka_unit_test(test_states_alone),       cmocka_unit_test(test_repeated_runs),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
