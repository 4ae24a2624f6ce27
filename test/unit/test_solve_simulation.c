// The public simulation interface on a pendulum: rows, partial results, stops, settings that make
// no sense.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "flyball/flyball.h"
#include "model_file.h"
#include "solve_models.h"

static FbModel* read_model(const char* action) {
    return test_model_with("test/unit/solve_simulation/pendulum.yaml",
                           "falling, action: record} => falling, action: %s}", action);
}

static const char* const names[] = {"auto", "radau", "dop853", "bdf", "adams"};

static void test_rows(void** state) {
    (void)state;
    FbModel* model = read_model("record");
    for (int k = 0; k < 5; k++) {
        FbRunOptions options = fb_run_options_default(model);
        FbResult* result = NULL;
        FbError err = {0};
        options.settings.integrator = names[k];
        FbStatus status = fb_simulate(model, &options, &result, &err);
        if (status == FB_ERR_UNAVAILABLE) {
            continue;
        }
        assert_int_equal(status, FB_OK);
        assert_int_equal(fb_result_get_row_count(result), 51);
        for (int i = 0; i < 51; i++) {
            double t = fb_result_get_time(result, i);
            assert_true(fabs(t - 0.1 * i) < 1e-12);
            assert_true(fabs(fb_result_get_value(result, i, 0) - test_pendulum_angle(1.5, t)) <
                        1e-6);
        }
        assert_true(fb_result_get_time(result, 50) == 5.0);
        const FbRunStats* stats = fb_result_get_stats(result);
        assert_true(stats->steps > 5 && stats->rhs_evals > stats->steps);
        assert_true(fabs(stats->energy_balance) < 1e-4);
        assert_true(strlen(stats->integrator_reason) > 3);
        // `bottom` twice because of max_count, `back` at each return.
        int bottom = 0;
        double last = 0.0;
        for (int i = 0; i < fb_result_get_event_count(result); i++) {
            FbEventRecord record;
            fb_result_get_event(result, i, &record);
            bottom += strcmp(record.name, "bottom") == 0;
            assert_true(record.t >= last);
            last = record.t;
            if (strcmp(record.name, "bottom") == 0) {
                assert_true(fabs(record.outputs[0]) < 1e-7);
            }
        }
        assert_int_equal(bottom, 2);
        fb_result_destroy(result);
    }
    fb_model_destroy(model);
}

// The run ends at the event, with a last row there.
static void test_stop(void** state) {
    (void)state;
    FbModel* model = read_model("stop");
    FbRunOptions options = fb_run_options_default(model);
    FbResult* result = NULL;
    FbError err = {0};
    assert_int_equal(fb_simulate(model, &options, &result, &err), FB_STOPPED);
    int last = fb_result_get_row_count(result) - 1;
    double t = fb_result_get_time(result, last);
    assert_true(t > 1.0 && t < 3.0);
    assert_true(fabs(fb_result_get_value(result, last, 0) - 1.5) < 1e-8);
    assert_true(fb_result_get_stats(result)->t_end == t);
    fb_result_destroy(result);
    fb_model_destroy(model);
}

// A run that fails keeps its rows and says when and what to try.
static void test_partial_result(void** state) {
    (void)state;
    FbModel* model = read_model("record");
    FbRunOptions options = fb_run_options_default(model);
    FbResult* result = NULL;
    FbError err = {0};
    options.settings.max_steps = 20;
    options.settings.integrator = "dop853";
    assert_int_equal(fb_simulate(model, &options, &result, &err), FB_ERR_CONVERGENCE);
    assert_non_null(strstr(err.text, "max_steps"));
    assert_non_null(strstr(err.text, "t = "));
    int n = fb_result_get_row_count(result);
    assert_true(n > 2 && n < 51);
    assert_true(fabs(fb_result_get_value(result, n - 1, 0) -
                     test_pendulum_angle(1.5, 0.1 * (n - 1))) < 1e-7);
    fb_result_destroy(result);
    fb_model_destroy(model);
}

static bool stop_at_once(void* self, const FbProgress* progress) {
    *(double*)self = progress->t;
    return false;
}

static void test_progress(void** state) {
    (void)state;
    FbModel* model = read_model("record");
    FbRunOptions options = fb_run_options_default(model);
    FbResult* result = NULL;
    FbError err = {0};
    double t = -1.0;
    options.progress = stop_at_once;
    options.progress_self = &t;
    assert_int_equal(fb_simulate(model, &options, &result, &err), FB_STOPPED);
    assert_true(t > 0.0 && t < 5.0);
    assert_true(fb_result_get_stats(result)->t_end == t);
    fb_result_destroy(result);
    fb_model_destroy(model);
}

static void test_advance(void** state) {
    (void)state;
    FbModel* model = read_model("record");
    FbRunOptions options = fb_run_options_default(model);
    FbSimulation* sim = NULL;
    FbError err = {0};
    double angle;
    assert_int_equal(fb_simulation_create(model, &options, &sim, &err), FB_OK);
    for (double t = 0.7; t < 3.0; t += 0.7) {
        assert_int_equal(fb_simulation_advance(sim, t, &err), FB_OK);
        assert_true(fb_simulation_get_time(sim) == t);
        assert_int_equal(fb_simulation_calc_outputs(sim, &angle, &err), FB_OK);
        assert_true(fabs(angle - test_pendulum_angle(1.5, t)) < 1e-8);
    }
    assert_int_equal(fb_simulation_advance(sim, 1.0, &err), FB_ERR_ARGUMENT);
    fb_simulation_destroy(sim);
    fb_model_destroy(model);
}

static FbStatus try_settings(const FbModel* model, const FbSettings* settings, FbError* err) {
    FbRunOptions options = fb_run_options_default(model);
    FbSimulation* sim = NULL;
    options.settings = *settings;
    FbStatus status = fb_simulation_create(model, &options, &sim, err);
    fb_simulation_destroy(sim);
    return status;
}

// A law's corner at a sample: steps end at both, and neither waits for the other.
static void test_corner_at_sample(void** state) {
    (void)state;
    for (int k = 1; k < 5; k++) {
        FbModel* model = test_model_with("test/unit/solve_simulation/driven_cart.yaml",
                                         "integrator: radau => integrator: %s", names[k]);
        FbRunOptions options = fb_run_options_default(model);
        options.settings.max_step = 0.1;  // so that samples are not denser than steps
        FbResult* result = NULL;
        FbError err = {0};
        FbStatus status = fb_simulate(model, &options, &result, &err);
        if (status == FB_ERR_UNAVAILABLE) {
            fb_model_destroy(model);
            continue;
        }
        assert_int_equal(status, FB_OK);
        assert_int_equal(fb_result_get_row_count(result), 5);
        // x = t^3/6 up to the corner, then 1/6 + (t - 1)/2 + (t - 1)^2/2
        assert_float_equal(fb_result_get_value(result, 2, 0), 1.0 / 6.0, 1e-7);
        assert_float_equal(fb_result_get_value(result, 4, 0), 1.0 / 6.0 + 1.0, 1e-7);
        fb_result_destroy(result);
        fb_model_destroy(model);
    }
}

static void test_bad_settings(void** state) {
    (void)state;
    FbModel* model = read_model("record");
    FbSettings good = *fb_model_get_settings(model), bad;
    FbError err = {0};
    assert_int_equal(try_settings(model, &good, &err), FB_OK);
    bad = good;
    bad.integrator = "radua";
    assert_int_equal(try_settings(model, &bad, &err), FB_ERR_NAME);
    assert_non_null(strstr(err.text, "did you mean 'radau'"));
    bad = good;
    bad.rtol = NAN;
    assert_int_equal(try_settings(model, &bad, &err), FB_ERR_RANGE);
    bad = good;
    bad.atol = -1e-9;
    assert_int_equal(try_settings(model, &bad, &err), FB_ERR_RANGE);
    bad = good;
    bad.duration = -1.0;
    assert_int_equal(try_settings(model, &bad, &err), FB_ERR_RANGE);
    bad = good;
    bad.sample = 1e-12;
    assert_int_equal(try_settings(model, &bad, &err), FB_ERR_RANGE);
    fb_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),           cmocka_unit_test(test_stop),
        cmocka_unit_test(test_partial_result), cmocka_unit_test(test_progress),
        cmocka_unit_test(test_advance),        cmocka_unit_test(test_corner_at_sample),
        cmocka_unit_test(test_bad_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
