// Feedback drives: tracking, limits that bind and are reported, the estimator of phase and
// frequency.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "run_support.h"

static const double PI = 3.14159265358979323846;
static const TestMethod METHOD = {"radau", 4.0, 0.01, 1e-10, 1e-12};

// An oscillator x = 0.1 cos(w t) next to the drive, w = 6 rad/s.
static FbModelDef* oscillator(void) {
    return test_def_from_file("test/verify/drives/oscillator.yaml");
}

static void add_output(FbModelDef* def, const char* name, const char* expression) {
    FbExpressionSensorDef sensor = fb_expression_sensor_def_default();
    FbError err;
    sensor.head.name = name;
    sensor.value = expression;
    assert_int_equal(fb_model_def_add_sensor(def, &sensor.head, &err), FB_OK);
}

static TestRun run_drive(const FbFeedbackDef* feedback, bool is_locked, TestMethod method) {
    FbModelDef* def = oscillator();
    FbDiagnostics* list = fb_diagnostics_create();
    FbModel* model = NULL;
    FbError err;
    if (fb_model_def_add_feedback(def, feedback, &err) != FB_OK) {
        fail_msg("%s", err.text);
    }
    add_output(def, "s", "m.s");
    add_output(def, "v", "m.v");
    add_output(def, "x", "rail.q");
    if (is_locked) {
        add_output(def, "phase", "m.phase");
        add_output(def, "frequency", "m.frequency");
    }
    if (fb_model_create(def, &model, list) != FB_OK) {
        fail_msg("%s", fb_diagnostics_get(list, 0)->text);
    }
    fb_model_def_destroy(def);
    fb_diagnostics_destroy(list);
    return test_run_model(model, method);
}

static FbFeedbackDef follow(const char* reference) {
    FbFeedbackDef f = fb_feedback_def_default();
    f.name = "m";
    f.reference = reference;
    f.bandwidth = 20.0;
    f.position = 0.0;
    return f;
}

// Without limits a step of the reference is answered by 1 - (1 + w t) exp(-w t).
static void step_response(void** state) {
    (void)state;
    FbFeedbackDef f = follow("0.3");
    TestRun run = run_drive(&f, false, METHOD);
    for (int i = 0; i < run.n_rows; i++) {
        double wt = 20.0 * test_run_time(&run, i);
        test_close("s", test_run_value(&run, i, "s"), 0.3 * (1.0 - (1.0 + wt) * exp(-wt)), 1e-9);
        test_close("v", test_run_value(&run, i, "v"), 0.3 * 20.0 * wt * exp(-wt), 1e-8);
        test_close("limit", test_run_value(&run, i, "m.limit"), 0.0, 0.0);
    }
    assert_int_equal(fb_result_get_warning_count(run.result), 0);
    test_run_free(&run);
}

// With its rate and acceleration known, a reference is followed exactly.
static void exact_tracking(void** state) {
    (void)state;
    FbFeedbackDef f = follow("0.2*sin(5*t)");
    f.rate = "cos(5*t)";
    f.acceleration = "-5*sin(5*t)";
    f.velocity = 1.0;
    TestRun run = run_drive(&f, false, METHOD);
    for (int i = 0; i < run.n_rows; i++) {
        test_close("s", test_run_value(&run, i, "s"), 0.2 * sin(5.0 * test_run_time(&run, i)),
                   1e-9);
    }
    test_run_free(&run);
}

// From sensors: it follows the body, and a law with its rate.
static void follows_sensors(void** state) {
    (void)state;
    FbFeedbackDef f = follow("2*rail.q");
    f.rate = "2*rail.v";
    f.acceleration = "-72*rail.q";
    f.position = 0.2;
    TestRun run = run_drive(&f, false, METHOD);
    for (int i = 0; i < run.n_rows; i++) {
        test_close("s", test_run_value(&run, i, "s"), 2.0 * test_run_value(&run, i, "x"), 1e-8);
    }
    test_run_free(&run);
}

static double largest(const TestRun* run, const char* output) {
    double size = 0.0;
    for (int i = 0; i < run->n_rows; i++) {
        size = fmax(size, fabs(test_run_value(run, i, output)));
    }
    return size;
}

// Speed and acceleration stay within their limits, the goal is reached without overshoot, and the
// run says how long the limits bound.
static void limits_bind(void** state) {
    (void)state;
    FbFeedbackDef f = follow("1");
    f.max_speed = 0.5;
    f.max_force = 4.0;
    f.mass = 2.0;  // 2 m/s2
    TestRun run = run_drive(&f, false, METHOD);
    double last_v = 0.0;
    assert_true(largest(&run, "v") <= 0.5 + 1e-9);
    assert_true(largest(&run, "v") > 0.499);
    assert_true(largest(&run, "s") <= 1.0 + 1e-9);
    test_close("s", test_run_last(&run, "s"), 1.0, 1e-6);
    for (int i = 1; i < run.n_rows; i++) {
        double v = test_run_value(&run, i, "v");
        assert_true(fabs(v - last_v) <= 2.0 * 0.01 * (1.0 + 1e-6));
        last_v = v;
    }
    // Full acceleration for nearly 0.5/2 s, then the speed limit over most of the way.
    assert_int_equal(fb_result_get_warning_count(run.result), 1);
    const char* warning = fb_result_get_warning(run.result, 0);
    assert_non_null(strstr(warning, "speed"));
    assert_non_null(strstr(warning, "acceleration"));
    assert_non_null(strstr(warning, "m.limit"));
    assert_null(strstr(warning, "stroke"));
    test_run_free(&run);
}

static void stroke_binds(void** state) {
    (void)state;
    FbFeedbackDef f = follow("0.5*sin(3*t)");
    f.rate = "1.5*cos(3*t)";
    f.stroke[0] = -0.2;
    f.stroke[1] = 0.3;
    TestRun run = run_drive(&f, false, METHOD);
    int n = 0;
    for (int i = 0; i < run.n_rows; i++) {
        double r = 0.5 * sin(3.0 * test_run_time(&run, i));
        bool is_outside = r > 0.3 || r < -0.2;
        n += is_outside;
        test_close("limit", test_run_value(&run, i, "m.limit"), is_outside ? 1.0 : 0.0, 0.0);
        assert_true(test_run_value(&run, i, "s") < 0.33);
        assert_true(test_run_value(&run, i, "s") > -0.23);
    }
    char expected[60];
    snprintf(expected, sizeof expected, "stroke %.3g %%", 100.0 * n / run.n_rows);
    assert_non_null(strstr(fb_result_get_warning(run.result, 0), expected));
    test_run_free(&run);
}

// The estimator finds w = 6 from a first guess of 5, and the drive moves at twice the frequency
// with the phase that was asked for.
static void phase_lock(void** state) {
    (void)state;
    FbFeedbackDef f = fb_feedback_def_default();
    f.name = "m";
    f.type = "phase_locked";
    f.sensor = "rail.q";
    f.rate = "rail.v";
    f.frequency = 5.0;
    f.lock_bandwidth = 2.0;
    f.centre = 2.1;
    f.amplitude = 0.4;
    f.phase = 0.7;
    f.bandwidth = 30.0;
    TestRun run = run_drive(&f, true, (TestMethod){"radau", 20.0, 0.05, 1e-10, 1e-12});
    test_close("start", test_run_value(&run, 0, "s"), 2.1 + 0.4 * sin(0.7), 1e-12);
    test_close("frequency", test_run_last(&run, "frequency"), 6.0, 1e-6);
    for (int i = 0; i < run.n_rows; i++) {
        double t = test_run_time(&run, i);
        if (t > 15.0) {
            test_close("phase", remainder(test_run_value(&run, i, "phase") - 6.0 * t, 2.0 * PI),
                       0.0, 1e-6);
            test_close("s", test_run_value(&run, i, "s"), 2.1 + 0.4 * sin(12.0 * t + 0.7), 1e-5);
        }
    }
    test_run_free(&run);
}

static void assert_refused(FbFeedbackDef f, const char* part) {
    FbModelDef* def = oscillator();
    FbError err;
    assert_true(fb_model_def_add_feedback(def, &f, &err) < 0);
    if (!strstr(err.text, part)) {
        fail_msg("'%s' does not contain '%s'", err.text, part);
    }
    fb_model_def_destroy(def);
}

static void refusals(void** state) {
    (void)state;
    FbFeedbackDef f = follow("1");
    f.bandwidth = 0.0;
    assert_refused(f, "bandwidth of the feedback of 'm' is 0");
    f = follow("1");
    f.stroke[0] = 2.0;
    f.stroke[1] = 1.0;
    assert_refused(f, "[2, 1]; the smaller value must come first");
    f = follow("1");
    f.max_speed = -1.0;
    assert_refused(f, "max_speed");
    f = follow(NULL);
    assert_refused(f, "needs a `reference`");
    f = follow("1");
    f.position = NAN;
    assert_refused(f, "position");
    f = follow("1");
    f.max_force = 3.0;
    assert_refused(f, "mass");
    f = follow("1");
    f.type = "guess";
    assert_refused(f, "unknown type 'guess'");
    f.type = "phase_locked";
    assert_refused(f, "needs `sensor`");
    f.sensor = f.rate = "t";
    assert_refused(f, "frequency");
    f.frequency = 3.0;
    assert_refused(f, "centre");
}

static void unknown_sensor(void** state) {
    (void)state;
    FbModelDef* def = oscillator();
    FbDiagnostics* list = fb_diagnostics_create();
    FbModel* model = NULL;
    FbError err;
    FbFeedbackDef f = follow("2*rial.q");
    assert_int_equal(fb_model_def_add_feedback(def, &f, &err), FB_OK);
    assert_true(fb_model_create(def, &model, list) < 0);
    assert_non_null(strstr(fb_diagnostics_get(list, 0)->text, "'rial.q'; did you mean 'rail.q'?"));
    fb_model_def_destroy(def);
    fb_diagnostics_destroy(list);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_response),   cmocka_unit_test(exact_tracking),
        cmocka_unit_test(follows_sensors), cmocka_unit_test(limits_bind),
        cmocka_unit_test(stroke_binds),    cmocka_unit_test(phase_lock),
        cmocka_unit_test(refusals),        cmocka_unit_test(unknown_sensor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
