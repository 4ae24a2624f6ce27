// Certified runs: the promise holds against an independent reference, and is not given where it
// cannot be kept.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../every.h"
#include "model_support.h"

// The largest error of all outputs relative to their size, against a run at the tightest tolerance
// by another method.
static double true_error(const FbModel* model, const FbResult* result, const char* integrator) {
    FbRunOptions o = fb_run_options_default(model);
    FbResult* exact = NULL;
    FbError err;
    o.settings.rtol = 1e-13;
    o.settings.atol = 1e-15;
    o.settings.integrator = integrator;
    assert_int_equal(fb_simulate(model, &o, &exact, &err), FB_OK);
    assert_int_equal(fb_result_get_row_count(exact), fb_result_get_row_count(result));
    double largest = 0.0;
    for (int c = 0; c < fb_result_get_column_count(result); c++) {
        double size = 0.0, error = 0.0;
        for (int r = 0; r < fb_result_get_row_count(result); r++) {
            double x = fb_result_get_value(exact, r, c);
            size = fmax(size, fabs(x));
            error = fmax(error, fabs(x - fb_result_get_value(result, r, c)));
        }
        largest = fmax(largest, size > 0.0 ? error / size : 0.0);
    }
    fb_result_destroy(exact);
    return largest;
}

static void check_kept(const char* path, double accuracy, const char* other) {
    FbModel* model = test_model_from_file(path);
    FbRunOptions o = fb_run_options_default(model);
    FbResult* result = NULL;
    FbCertificate c;
    FbError err;
    assert_int_equal(fb_simulate_accurately(model, &o, accuracy, &result, &c, &err), FB_OK);
    double error = true_error(model, result, other);
    if (!c.is_reached || !(error <= accuracy) || !(error <= c.estimate + 1e-12)) {
        fail_msg("%s: asked %g, estimated %g, true %g, cross check %g", path, accuracy, c.estimate,
                 error, c.cross_difference);
    }
    assert_true(c.n_runs >= 2 && c.has_cross_check);
    assert_true(c.estimate <= accuracy && c.cross_difference <= accuracy);
    fb_result_destroy(result);
    fb_model_destroy(model);
}

static void promises_are_kept(void** state) {
    (void)state;
    const double accuracies[] = {1e-4, 1e-7};
    for (int i = 0; i < 2; i += TEST_EVERY(2)) {
        check_kept("models/governor.yaml", accuracies[i], "radau");
        check_kept("models/slider_crank.yaml", accuracies[i], "dop853");
        check_kept("models/robot.yaml", accuracies[i], "radau");
    }
}

// A chaotic motion over many Lyapunov times: no tolerance reaches the target, and that is said.
static void chaos_is_not_certified(void** state) {
    (void)state;
    FbModel* model = test_model_from_file("models/double_pendulum.yaml");
    FbRunOptions o = fb_run_options_default(model);
    o.settings.duration = 60.0;
    o.settings.sample = 0.5;
    FbResult* result = NULL;
    FbCertificate c;
    FbError err;
    assert_int_equal(fb_simulate_accurately(model, &o, 1e-8, &result, &c, &err), FB_OK);
    assert_non_null(result);
    assert_false(c.is_reached);
    assert_true(c.estimate > 1e-8);
    fb_result_destroy(result);
    fb_model_destroy(model);
}

// Below the tightest tolerance: the runs that are possible are made, and judged.
static void targets_out_of_reach_are_not_certified(void** state) {
    (void)state;
    const double targets[] = {1e-13, 1e-14, 1e-30, 5e-324};
    FbModel* model = test_model_from_file("models/pendulum.yaml");
    FbRunOptions o = fb_run_options_default(model);
    o.settings.duration = 1.0;
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        FbResult* result = NULL;
        FbCertificate c;
        FbError err;
        assert_int_equal(fb_simulate_accurately(model, &o, targets[i], &result, &c, &err), FB_OK);
        assert_non_null(result);
        assert_false(c.is_reached);
        assert_true(c.n_runs == 3 && c.message[0] != '\0');
        fb_result_destroy(result);
    }
    fb_model_destroy(model);
}

static void nonsense_is_refused(void** state) {
    (void)state;
    FbModel* model = test_model_from_file("models/pendulum.yaml");
    FbRunOptions o = fb_run_options_default(model);
    FbResult* result = NULL;
    FbCertificate c;
    FbError err;
    assert_int_equal(fb_simulate_accurately(model, &o, 0.0, &result, &c, &err), FB_ERR_ARGUMENT);
    assert_int_equal(fb_simulate_accurately(model, &o, NAN, &result, &c, &err), FB_ERR_ARGUMENT);
    assert_null(result);
    fb_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(promises_are_kept),
                                       cmocka_unit_test(chaos_is_not_certified),
                                       cmocka_unit_test(targets_out_of_reach_are_not_certified),
                                       cmocka_unit_test(nonsense_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
