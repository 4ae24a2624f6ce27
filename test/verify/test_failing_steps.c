// A trial that leaves the domain of an expression, overflows or meets a singular matrix is a step
// that was too long. Only steps that cannot shrink end a run, and they name the cause.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "run_support.h"

// A bead is thrown at a wall whose force c/q has no value behind it; it turns round at
// q = exp(-v^2/(2 c)), far closer to the wall than a free step is long. Lengths L, times T.
static void trials_behind_a_wall(void** state) {
    (void)state;
    static const double scales[][2] = {{1, 1}, {1, 1e-6}, {1e-3, 1e6}, {1e3, 1}};
    for (int k = 0; k < 4; k++) {
        for (const char* const* name = test_all_integrators(); *name; name++) {
            double L = scales[k][0], T = scales[k][1], e0 = 0.5 * L * L / (T * T);
            TestRun run = test_run_with("test/verify/failing_steps/wall.yaml",
                                        (TestMethod){.integrator = *name, .rtol = 1e-9},
                                        "L=%.17g; T=%.17g", L, T);
            test_close(*name, test_run_drift(&run, "energy") / e0, 0.0, 1e-4);
            assert_true(test_run_last(&run, "q") > 0.5 * L);
            test_run_free(&run);
        }
    }
}

// sqrt(1 - q) ends at q = 1, which the body passes: the message names the expression and its value.
static void cause_is_named(void** state) {
    (void)state;
    static const char* const path = "test/verify/failing_steps/sqrt_of_a_negative.yaml";
    for (const char* const* name = test_all_integrators(); *name; name++) {
        FbModel* model = test_model_from_file(path);
        FbRunOptions o = fb_run_options_default(model);
        FbResult* result = NULL;
        FbError err = {0};
        o.settings.integrator = *name;
        assert_int_equal(fb_simulate(model, &o, &result, &err), FB_ERR_CONVERGENCE);
        assert_non_null(strstr(err.text, "force 'f'"));
        assert_non_null(strstr(err.text, "sqrt of -"));
        assert_non_null(strstr(err.text, *name));
        assert_int_equal(err.place.line, 5);
        assert_int_equal(err.place.col, 53);
        // What was computed up to there is kept.
        test_close("end", fb_result_get_stats(result)->t_end, 1.0433032, 1e-6);
        fb_result_destroy(result);
        fb_model_destroy(model);
    }
}

// Hunt-Crossley contact that is hit again and again: samples, events and steps fall together.
static void ball_comes_to_rest(void** state) {
    (void)state;
    static const char* const path = "test/verify/failing_steps/ball_comes_to_rest.yaml";
    for (const char* const* name = test_all_integrators(); *name; name++) {
        TestRun run = test_run_file(path, (TestMethod){.integrator = *name});
        test_close("x", test_run_last(&run, "x"), 5.0, 1e-8);
        test_close("z", test_run_last(&run, "z"), 0.0497457, 2e-6);
        test_run_free(&run);
    }
}

// A sampled controller whose times miss those of the rows by rounding: each sample is taken once.
static void times_closer_than_rounding_are_one(void** state) {
    (void)state;
    static const char* const periods[] = {"0.1", "0.1*(1 + 1e-15)", "0.1*(1 - 1e-15)"};
    for (int k = 0; k < 3; k++) {
        for (const char* const* name = test_all_integrators(); *name; name++) {
            TestRun run = test_run_with("test/verify/failing_steps/sampled_integral.yaml",
                                        (TestMethod){.integrator = *name}, "period=%s", periods[k]);
            // v(3) = sum of 0.1 * 0.1 k, k = 0 ... 29
            test_close("v", test_run_last(&run, "v"), 4.35, 1e-9);
            test_run_free(&run);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trials_behind_a_wall),
        cmocka_unit_test(cause_is_named),
        cmocka_unit_test(ball_comes_to_rest),
        cmocka_unit_test(times_closer_than_rounding_are_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
