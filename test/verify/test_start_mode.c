// Runs that start displaced in a vibration mode: one frequency alone, as far as asked.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "run_support.h"

// Two equal masses between three equal springs: modes sqrt(k/m) and sqrt(3 k/m), in and against
// phase.
static void each_mode_swings_alone(void** state) {
    (void)state;
    for (int mode = 1; mode <= 2; mode++) {
        TestRun run =
            test_run_with("test/verify/start_mode/chain.yaml", (TestMethod){0}, "mode=%d", mode);
        double w = sqrt(mode == 1 ? 50.0 : 150.0), sign = mode == 1 ? 1.0 : -1.0;
        for (int i = 0; i < run.n_rows; i++) {
            double x = 0.01 * cos(w * test_run_time(&run, i));
            test_close("xb", test_run_value(&run, i, "xb"), x, 1e-12);
            test_close("xa", test_run_value(&run, i, "xa"), sign * x, 1e-12);
        }
        test_run_free(&run);
    }
}

// The sway of benchmark S3's frame: the corner moves as a cosine, and nothing else is in it.
static void a_frame_sways(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/start_mode/swaying_frame.yaml", (TestMethod){0});
    test_close("start", test_run_value(&run, 0, "corner.x"), 0.01, 1e-15);
    for (int i = 0; i < run.n_rows; i++) {
        double x = 0.01 * cos(41.85761855305 * test_run_time(&run, i));
        test_close("corner", test_run_value(&run, i, "corner.x"), x, 1e-9);
    }
    test_run_free(&run);
}

// Constraints take part: two masses that a gear keeps together have one mode.
static void constrained_models_have_their_modes(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/start_mode/four_bar.yaml", (TestMethod){0});
    double w = sqrt(100.0 / (2.0 + 3.0 / 4.0));
    for (int i = 0; i < run.n_rows; i++) {
        double x = 0.1 * cos(w * test_run_time(&run, i));
        test_close("xb", test_run_value(&run, i, "xb"), x, 1e-10);
        test_close("xa", test_run_value(&run, i, "xa"), 2.0 * x, 1e-10);
    }
    test_run_free(&run);
}

// From an equilibrium under gravity, with curved ways: the output has moved exactly as far as
// asked.
static void pendulums_start_as_far_as_asked(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/start_mode/pendulums.yaml", (TestMethod){0});
    test_close("tip", test_run_value(&run, 0, "tip.x"), 0.1, 1e-12);
    // The second mode of two equal pendulums: absolute angles in the ratio 1 : -sqrt(2).
    double upper = test_run_value(&run, 0, "a") + 1.5707963267948966;
    double lower = upper + test_run_value(&run, 0, "b");
    test_close("ratio", lower / upper, -sqrt(2.0), 1e-9);
    test_run_free(&run);
}

static void mistakes_are_told(void** state) {
    (void)state;
    static const struct {
        const char* settings;
        const char* message;
        FbStatus status;
    } cases[] = {
        {"start_mode: 1", "needs 'start_output' and 'start_value'", FB_ERR_MODEL},
        {"start_mode: 1, start_output: xb", "needs 'start_output' and 'start_value'", FB_ERR_MODEL},
        {"start_mode: 1, start_output: xc, start_value: 1", "did you mean 'xa'", FB_ERR_NAME},
        {"start_mode: 3, start_output: xb, start_value: 1", "only 2 modes", FB_ERR_RANGE},
        {"start_mode: 2, start_output: sum, start_value: 1", "does not move the output 'sum'",
         FB_ERR_MODEL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        FbModel* model = test_model_with(
            "test/verify/start_mode/chain.yaml",
            "start_mode: mode, start_output: xb, start_value: 0.01 => %s", cases[i].settings);
        FbRunOptions o = fb_run_options_default(model);
        FbResult* result = NULL;
        FbError err = {0};
        FbStatus status = fb_simulate(model, &o, &result, &err);
        if (status != cases[i].status || !strstr(err.text, cases[i].message)) {
            fail_msg("case %zu: %d: %s", i, (int)status, err.text);
        }
        fb_result_destroy(result);
        fb_model_destroy(model);
    }
}

static void an_unstable_start_is_told(void** state) {
    (void)state;
    FbModel* model = test_model_from_file("test/verify/start_mode/unstable_start.yaml");
    FbRunOptions o = fb_run_options_default(model);
    FbResult* result = NULL;
    FbError err = {0};
    assert_true(fb_simulate(model, &o, &result, &err) < 0);
    assert_non_null(strstr(err.text, "must be stable where it starts"));
    fb_result_destroy(result);
    fb_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_mode_swings_alone),
        cmocka_unit_test(a_frame_sways),
        cmocka_unit_test(constrained_models_have_their_modes),
        cmocka_unit_test(pendulums_start_as_far_as_asked),
        cmocka_unit_test(mistakes_are_told),
        cmocka_unit_test(an_unstable_start_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
