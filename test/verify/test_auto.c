// `auto`: it takes the method that needs less work, changes it where that pays, and the motion
// stays what it is.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "run_support.h"

static const FbRunStats* stats_of(const TestRun* run) {
    return fb_result_get_stats(run->result);
}

// A pendulum that comes to rest by friction, `scale` times as slow.
static TestRun run_friction(double scale, TestMethod method) {
    return test_run_with("test/verify/auto/friction.yaml", method, "scale=%.17g", scale);
}

// Smooth at first and stiff where the friction holds: dop853 alone takes thousands of steps.
static void friction_that_starts_later(void** state) {
    (void)state;
    const double scales[] = {1.0, 1e-3, 1e3};
    for (int i = 0; i < 3; i++) {
        TestRun best = run_friction(scales[i], (TestMethod){"radau", 0, 0, 0, 0});
        TestRun run = run_friction(scales[i], (TestMethod){"auto", 0, 0, 0, 0});
        TestRun exact = run_friction(scales[i], (TestMethod){"radau", 0, 0, 1e-12, 1e-14});
        assert_true(stats_of(&run)->steps < 2 * stats_of(&best)->steps);
        assert_true(stats_of(&run)->rhs_evals < 2 * stats_of(&best)->rhs_evals);
        assert_string_equal(stats_of(&run)->integrator, "radau");
        for (int r = 0; r < run.n_rows; r++) {
            test_close("q", test_run_value(&run, r, "q"), test_run_value(&exact, r, "q"), 1e-7);
        }
        test_run_free(&best);
        test_run_free(&run);
        test_run_free(&exact);
    }
}

// Ten links more do not change the method, and cost in proportion.
static void chains_of_any_length(void** state) {
    (void)state;
    const int sizes[] = {90, 100, 110};
    long evaluations[3];
    for (int i = 0; i < 3; i++) {
        TestRun run = test_run_with("models/chain.yaml", (TestMethod){"auto", 0.1, 0.01, 0, 0},
                                    "N=%d", sizes[i]);
        assert_string_equal(stats_of(&run)->integrator, "dop853");
        evaluations[i] = stats_of(&run)->rhs_evals;
        test_run_free(&run);
    }
    assert_true(evaluations[1] < 1.5 * evaluations[0] && evaluations[2] < 1.5 * evaluations[1]);
}

static void methods_fit_the_models(void** state) {
    (void)state;
    const char* const fits[][2] = {{"models/governor.yaml", "radau"},
                                   {"models/robot.yaml", "radau"},
                                   {"models/slider_crank.yaml", "dop853"},
                                   {"models/rolling_disc.yaml", "dop853"},
                                   {"models/double_pendulum.yaml", "dop853"}};
    for (size_t i = 0; i < sizeof fits / sizeof fits[0]; i++) {
        TestRun run = test_run_file(fits[i][0], (TestMethod){"auto", 0, 0, 1e-7, 1e-9});
        assert_string_equal(stats_of(&run)->integrator, fits[i][1]);
        assert_true(strlen(stats_of(&run)->integrator_reason) > 3);
        test_run_free(&run);
    }
}

// Work is counted, not timed: two runs decide alike and give the same bits.
static void runs_repeat_exactly(void** state) {
    (void)state;
    TestRun a = run_friction(1.0, (TestMethod){"auto", 0, 0, 0, 0});
    TestRun b = run_friction(1.0, (TestMethod){"auto", 0, 0, 0, 0});
    assert_int_equal(stats_of(&a)->steps, stats_of(&b)->steps);
    assert_string_equal(stats_of(&a)->integrator_reason, stats_of(&b)->integrator_reason);
    for (int r = 0; r < a.n_rows; r++) {
        assert_true(test_run_value(&a, r, "q") == test_run_value(&b, r, "q"));
    }
    test_run_free(&a);
    test_run_free(&b);
}

// Positions where constraints become dependent are crossed on the same branch.
static void singular_positions_are_crossed(void** state) {
    (void)state;
    const double tolerances[] = {1e-6, 1e-8, 1e-10, 1e-11, 3e-12, 1e-12};
    TestRun exact =
        test_run_file("models/windows.yaml", (TestMethod){"radau", 10, 0.1, 1e-12, 1e-14});
    for (int i = 0; i < 6; i++) {
        TestMethod method = {"auto", 10, 0.1, tolerances[i], 1e-2 * tolerances[i]};
        TestRun run = test_run_file("models/windows.yaml", method);
        for (int r = 0; r < run.n_rows; r++) {
            test_close("B0.x", test_run_value(&run, r, "B0.x"), test_run_value(&exact, r, "B0.x"),
                       fmax(500.0 * tolerances[i], 1e-8));
        }
        test_run_free(&run);
    }
    test_run_free(&exact);
}

// Formulas make residuals cheap: without stiffness, too, radau takes over.
static void cheap_residuals_count(void** state) {
    (void)state;
    const double tolerances[] = {1e-6, 1e-8, 1e-10};
    for (int i = 0; i < 3; i++) {
        TestMethod method = {"auto", 0, 0, tolerances[i], 1e-2 * tolerances[i]};
        TestRun run = test_run_file("test/verify/auto/springy_chain.yaml", method);
        assert_string_equal(stats_of(&run)->integrator, "radau");
        test_run_free(&run);
    }
}

// On the way across a singular position no trial begins: it would have to find the way anew, with
// hundreds of Jacobians.
static void no_trials_beside_singular_positions(void** state) {
    (void)state;
    const char* const file = "test/verify/auto/light_links.yaml";
    TestRun alone = test_run_file(file, (TestMethod){"dop853", 0, 0, 0, 0});
    TestRun run = test_run_file(file, (TestMethod){"auto", 0, 0, 0, 0});
    assert_true(stats_of(&run)->jacobian_evals < 2 * stats_of(&alone)->jacobian_evals);
    assert_true(stats_of(&run)->steps < 1.3 * (double)stats_of(&alone)->steps);
    test_close("q", test_run_value(&run, run.n_rows - 1, "q"),
               test_run_value(&alone, alone.n_rows - 1, "q"), 1e-5);
    test_run_free(&alone);
    test_run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(friction_that_starts_later),
        cmocka_unit_test(chains_of_any_length),
        cmocka_unit_test(methods_fit_the_models),
        cmocka_unit_test(runs_repeat_exactly),
        cmocka_unit_test(singular_positions_are_crossed),
        cmocka_unit_test(cheap_residuals_count),
        cmocka_unit_test(no_trials_beside_singular_positions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
