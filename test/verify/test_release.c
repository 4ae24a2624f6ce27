// Runs that start at an equilibrium: what holds the model there is let go, closed forms follow.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "run_support.h"

static const char BLOCK[] = "test/verify/release/block.yaml";
static const double OMEGA2 = 50.0, RESTING = -2.0 * 9.81 / 100.0;

// Force, actuator and spring hold the block at 150 z = 5 + 5 - 1.5 - m g; then only gravity and its
// own spring act.
static void everything_can_be_released(void** state) {
    (void)state;
    TestRun run = test_run_file(BLOCK, (TestMethod){0});
    double held = (5.0 + 50.0 * 0.1 - 1.5 - 2.0 * 9.81) / 150.0;
    for (int i = 0; i < run.n_rows; i++) {
        double t = test_run_time(&run, i) - 0.5;
        double z = RESTING + (held - RESTING) * cos(sqrt(OMEGA2) * t);
        test_close("z", test_run_value(&run, i, "z"), z, 1e-11);
        assert_true(test_run_value(&run, i, "hook_force") == 0.0);
        assert_true(test_run_value(&run, i, "hook_power") == 0.0);
        assert_true(test_run_value(&run, i, "pull_power") == 0.0);
        assert_true(test_run_value(&run, i, "push_power") == 0.0);
    }
    test_run_free(&run);
}

// The others stay: the block swings about the equilibrium with the hook, 75/s2 each rad/s squared.
static void what_is_not_released_stays(void** state) {
    (void)state;
    TestRun run =
        test_run_with(BLOCK, (TestMethod){0}, "release: [pull, push, hook] => release: pull");
    double w2 = 75.0, start = (5.0 + 5.0 - 1.5 - 2.0 * 9.81) / 150.0;
    for (int i = 0; i < run.n_rows; i++) {
        double t = test_run_time(&run, i), s = t - 0.5, w = sqrt(w2);
        double rest = (5.0 - 1.0 - t - 2.0 * 9.81) / 150.0;  // moves evenly, by -1/150 m/s
        double rest0 = (5.0 - 1.5 - 2.0 * 9.81) / 150.0;
        double z = rest + (start - rest0) * cos(w * s) + 1.0 / 150.0 / w * sin(w * s);
        test_close("z", test_run_value(&run, i, "z"), z, 1e-11);
    }
    test_run_free(&run);
}

static void nothing_moves_without_release(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/release/nothing_released.yaml", (TestMethod){0});
    test_close("angle", test_run_value(&run, 0, "angle"), atan2(-9.81, 4.0), 1e-13);
    assert_true(test_run_drift(&run, "angle") < 1e-11);
    test_run_free(&run);
}

static void initial_velocities_hold(void** state) {
    (void)state;
    TestRun run =
        test_run_with(BLOCK, (TestMethod){0}, "axis: [0, 0, 1] => axis: [0, 0, 1], velocity: 0.3");
    double held = (5.0 + 50.0 * 0.1 - 1.5 - 2.0 * 9.81) / 150.0, w = sqrt(OMEGA2);
    for (int i = 0; i < run.n_rows; i++) {
        double t = test_run_time(&run, i) - 0.5;
        double z = RESTING + (held - RESTING) * cos(w * t) + 0.3 / w * sin(w * t);
        test_close("z", test_run_value(&run, i, "z"), z, 1e-11);
    }
    test_run_free(&run);
}

// A pendulum held by a force: then it swings as one that was drawn there.
static void a_held_pendulum_swings(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/release/held_pendulum.yaml", (TestMethod){0});
    TestRun drawn = test_run_file("test/verify/release/drawn_pendulum.yaml", (TestMethod){0});
    for (int i = 0; i < run.n_rows; i++) {
        test_close("angle", test_run_value(&run, i, "angle"), test_run_value(&drawn, i, "angle"),
                   1e-10);
    }
    test_run_free(&drawn);
    test_run_free(&run);
}

// A base that moves evenly stands still in the equilibrium and moves from the start on; the mass on
// its spring starts at rest: y = v t - v/w sin w t.
static void driven_parts_stand_still_in_the_equilibrium(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/release/driven_parts.yaml", (TestMethod){0});
    double w = sqrt(50.0);
    for (int i = 0; i < run.n_rows; i++) {
        double t = test_run_time(&run, i);
        test_close("y", test_run_value(&run, i, "y"), 0.2 + 0.7 * t - 0.7 / w * sin(w * t), 1e-10);
    }
    test_run_free(&run);
}

// A state on which a force depends keeps its initial value until the run starts.
static void states_wait(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/release/waiting_states.yaml", (TestMethod){0});
    double w = sqrt(50.0);
    for (int i = 0; i < run.n_rows; i++) {
        double t = test_run_time(&run, i);
        test_close("x", test_run_value(&run, i, "x"), 0.03 + 0.02 * t - 0.02 / w * sin(w * t),
                   1e-11);
        test_close("ramp", test_run_value(&run, i, "level"), 3.0 + 2.0 * t, 1e-11);
    }
    test_run_free(&run);
}

static void runs_can_be_certified(void** state) {
    (void)state;
    FbModel* model = test_model_from_file(BLOCK);
    FbRunOptions o = fb_run_options_default(model);
    FbResult* result = NULL;
    FbCertificate c;
    FbError err;
    assert_int_equal(fb_simulate_accurately(model, &o, 1e-8, &result, &c, &err), FB_OK);
    assert_true(c.is_reached && c.has_cross_check);
    fb_result_destroy(result);
    fb_model_destroy(model);
}

// Other analyses see the model as it is after the release, but its initial state is the held one.
static void other_analyses_are_without_what_is_released(void** state) {
    (void)state;
    FbModel* model = test_model_from_file(BLOCK);
    double expected[2] = {(5.0 + 50.0 * 0.1 - 1.5 - 2.0 * 9.81) / 150.0, RESTING};
    const FbOperatingKind kinds[2] = {FB_AT_INITIAL, FB_AT_EQUILIBRIUM};
    for (int i = 0; i < 2; i++) {
        FbOperatingOptions o = {.kind = kinds[i]};
        FbOperatingPoint* op = NULL;
        FbError err;
        const char *name, *unit;
        double value;
        assert_int_equal(fb_operating_point_create(model, &o, &op, &err), FB_OK);
        assert_true(fb_operating_point_get_coordinate(op, 0, &name, &unit, &value));
        test_close("z", value, expected[i], 1e-14);
        fb_operating_point_destroy(op);
    }
    fb_model_destroy(model);
}

static FbStatus try_run(FbModel* model, const FbSettings* settings, FbError* err) {
    FbRunOptions o = fb_run_options_default(model);
    FbResult* result = NULL;
    o.settings = settings ? *settings : o.settings;
    FbStatus status = fb_simulate(model, &o, &result, err);
    fb_result_destroy(result);
    return status;
}

static void no_equilibrium_is_an_error(void** state) {
    (void)state;
    FbModel* model = test_model_from_file("test/verify/release/no_equilibrium.yaml");
    FbError err;
    assert_int_equal(try_run(model, NULL, &err), FB_ERR_CONVERGENCE);
    assert_non_null(strstr(err.text, "the run cannot start at an equilibrium"));
    assert_non_null(strstr(err.text, "'fall'"));
    fb_model_destroy(model);
}

static void names_of_the_caller_are_checked(void** state) {
    (void)state;
    FbModel* model = test_model_with(BLOCK, ", release: [pull, push, hook] =>");
    FbSettings settings = *fb_model_get_settings(model);
    const char* names[] = {"pul"};
    FbError err;
    settings.release = names;
    settings.n_release = 1;
    assert_int_equal(try_run(model, &settings, &err), FB_ERR_NAME);
    assert_non_null(strstr(err.text, "did you mean 'pull'?"));
    names[0] = "pull";
    assert_int_equal(try_run(model, &settings, &err), FB_OK);
    settings.starts_at_equilibrium = false;
    assert_int_equal(try_run(model, &settings, &err), FB_ERR_ARGUMENT);
    fb_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_can_be_released),
        cmocka_unit_test(what_is_not_released_stays),
        cmocka_unit_test(nothing_moves_without_release),
        cmocka_unit_test(initial_velocities_hold),
        cmocka_unit_test(a_held_pendulum_swings),
        cmocka_unit_test(driven_parts_stand_still_in_the_equilibrium),
        cmocka_unit_test(states_wait),
        cmocka_unit_test(runs_can_be_certified),
        cmocka_unit_test(other_analyses_are_without_what_is_released),
        cmocka_unit_test(no_equilibrium_is_an_error),
        cmocka_unit_test(names_of_the_caller_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
