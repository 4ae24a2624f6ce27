// Equilibria: balanced to rounding, found from afar, on the branch of the drawing, at rest and in
// steady rotation; and what is said where there is none.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "run_support.h"
#include "test_linear_support.h"

static const double PI = 3.14159265358979323846;

static FbOperatingInfo info_of(const FbOperatingPoint* point) {
    FbOperatingInfo info;
    fb_operating_point_get_info(point, &info);
    return info;
}

static FbOperatingPoint* equilibrium_of(const FbModel* model) {
    return test_point_at(model, fb_operating_options_default());
}

// The message of a search that must fail with `status`.
static FbError failure(const FbModel* model, FbOperatingOptions options, FbStatus status) {
    FbError err = {0};
    FbOperatingPoint* point = NULL;
    FbStatus got = fb_operating_point_create(model, &options, &point, &err);
    if (got != status) {
        fail_msg("status %d instead of %d: %s", (int)got, (int)status, err.text);
    }
    assert_null(point);
    return err;
}

static void expect_text(const FbError* err, const char* part) {
    if (!strstr(err->text, part)) {
        fail_msg("the message does not say '%s': %s", part, err->text);
    }
}

static void test_residuals(void** state) {
    (void)state;
    const char* const files[] = {"models/pendulum.yaml",     "models/double_pendulum.yaml",
                                 "models/fourbar.yaml",      "models/engine_mount.yaml",
                                 "models/chain.yaml",        "models/bricard.yaml",
                                 "models/slider_crank.yaml", "models/squeezer.yaml",
                                 "models/windows.yaml",      "models/engine.yaml"};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        FbModel* model = test_model_from_file(files[i]);
        FbOperatingPoint* point = equilibrium_of(model);
        FbOperatingInfo info = info_of(point);
        if (!(info.residual < 1e-12) || !info.is_equilibrium) {
            fail_msg("%s: residual %.3g", files[i], info.residual);
        }
        fb_operating_point_destroy(point);
        fb_model_destroy(model);
    }
}

// What the closed form says: a mass hanging on a spring, and on a nonlinear one.
static void test_hanging_mass(void** state) {
    (void)state;
    FbModel* model = test_model_from_file("test/verify/equilibrium/hanging_mass.yaml");
    FbOperatingPoint* point = equilibrium_of(model);
    double z = -0.1;
    for (int i = 0; i < 50; i++) {
        z -= (100 * z + 4000 * z * z * z + 2 * 9.81) / (100 + 12000 * z * z);
    }
    double values[2];
    FbError err;
    test_close("sag", test_coordinate(point, "j"), z, 1e-15);
    assert_int_equal(fb_operating_point_calc_outputs(point, values, &err), FB_OK);
    test_close("output", values[0], z, 1e-15);
    test_close("force", values[1], -2 * 9.81, 1e-12);
    const char *name, *unit;
    double value;
    assert_true(fb_operating_point_get_coordinate(point, 0, &name, &unit, &value));
    assert_string_equal(name, "j");
    assert_string_equal(unit, "m");
    assert_false(fb_operating_point_get_coordinate(point, 1, &name, &unit, &value));
    fb_operating_point_destroy(point);
    fb_model_destroy(model);
}

// Drawn horizontal, 90 degrees away: relaxation carries it down.
static void test_from_afar(void** state) {
    (void)state;
    FbModel* model = test_model_from_file("models/double_pendulum.yaml");
    FbOperatingPoint* point = equilibrium_of(model);
    test_close("shoulder", test_coordinate(point, "shoulder"), -0.5 * PI, 1e-12);
    test_close("elbow", test_coordinate(point, "elbow"), 0.0, 1e-12);
    assert_true(info_of(point).relaxations > 0);
    fb_operating_point_destroy(point);
    fb_model_destroy(model);
}

// Displacements of the tip along y and z of the drawing, in lengths of the bar as published; the
// exact ones are those of the continuous rod (bench/reference/princeton.py).
static void expect_bent(double size, double a, double b, double away) {
    FbModel* model = test_model_with("test/verify/equilibrium/bent_far.yaml",
                                     "size=%.17g; a=%.17g; b=%.17g; away=%.17g", size, a, b, away);
    FbOperatingPoint* point = equilibrium_of(model);
    FbOperatingInfo info = info_of(point);
    double tip[3];
    FbError err;
    assert_int_equal(fb_operating_point_calc_outputs(point, tip, &err), FB_OK);
    double x = tip[0] - away, y = tip[1] + away, z = tip[2] - away;
    test_close("u.y", (-x * sin(a) + y * cos(a)) / size, 0.00632848449238, 3e-6);
    test_close("u.z", (-(x * cos(a) + y * sin(a)) * sin(b) + z * cos(b)) / size, 0.196127059497,
               3e-6);
    // Load steps, not relaxation: 118 such steps and 68 of Newton's method before.
    assert_int_equal(info.relaxations, 0);
    assert_in_range(info.iterations, 1, 75);
    assert_true(info.residual < 1e-12);
    fb_operating_point_destroy(point);
    fb_model_destroy(model);
}

static void test_bent_far(void** state) {
    (void)state;
    expect_bent(1.0, 0.0, 0.0, 0.0);
    expect_bent(1.0, 0.7, -0.4, 0.0);
    expect_bent(1e-4, 2.1, 0.3, 3.0);
    expect_bent(1e4, -1.2, 1.1, 1e4);
}

static FbModel* leaning_pendulum(double angle) {
    return test_model_with("test/verify/equilibrium/leaning_pendulum.yaml", "angle=%.17g", angle);
}

// Exactly upright it stays there, and the eigenvalue says that it is unstable; next to it, it falls
// to the side on which it leans.
static void test_upright(void** state) {
    (void)state;
    FbModel* model = leaning_pendulum(0.0);
    FbOperatingPoint* point = equilibrium_of(model);
    test_close("upright", test_coordinate(point, "j"), 0.0, 1e-15);
    assert_true(info_of(point).is_equilibrium);
    fb_operating_point_destroy(point);
    fb_model_destroy(model);
    const double starts[] = {1e-3, -1e-3, 1.0, -2.5, 0.5 * 3.14159265358979};
    for (int i = 0; i < 5; i++) {
        model = leaning_pendulum(starts[i]);
        point = equilibrium_of(model);
        test_close("hanging", test_coordinate(point, "j"), copysign(PI, starts[i]), 1e-12);
        fb_operating_point_destroy(point);
        fb_model_destroy(model);
    }
}

// Two links of length 1 between ground points 1.2 apart, with a weight at the knee and a spring
// that lifts it: the knee may be above or below, and stays on the side where it was drawn.
static void test_branch(void** state) {
    (void)state;
    for (int side = -1; side <= 1; side += 2) {
        FbModel* model =
            test_model_with("test/verify/equilibrium/knee_over_a_cart.yaml", "side=%d", side);
        FbOperatingPoint* point = equilibrium_of(model);
        double knee[3];
        FbError err;
        assert_int_equal(fb_operating_point_calc_outputs(point, knee, &err), FB_OK);
        // By hand: x = half the distance of the feet, y = side sqrt(1 - x^2) of the knee; both rods
        // weigh 9.81 N each at y/2: 9.81 dy/dx + 300 (2 x - 1.2) 2 = 0.
        double x = 0.6;
        for (int i = 0; i < 100; i++) {
            double y = side * sqrt(1 - x * x), r = -9.81 * x / y + 600 * (2 * x - 1.2);
            double slope = -9.81 * (1 / y + x * x / (y * y * y)) + 1200;
            x -= r / slope;
        }
        test_close("knee x", knee[0], x, 1e-12);
        test_close("knee y", knee[1], side * sqrt(1 - x * x), 1e-12);
        assert_true(info_of(point).residual < 1e-12);
        fb_operating_point_destroy(point);
        fb_model_destroy(model);
    }
}

static const char ROTATING[] = "test/verify/equilibrium/rotating.yaml";

// Below sqrt(g/l) it hangs, above it is held out.
static void test_rotating_pendulum(void** state) {
    (void)state;
    FbModel* model = test_model_from_file(ROTATING);
    for (double rate = 1.0; rate < 12.0; rate += 0.5) {
        FbSteadyRate steady = {"shaft", rate};
        FbOperatingPoint* point = test_point_at(
            model,
            (FbOperatingOptions){.kind = FB_AT_EQUILIBRIUM, .steady = &steady, .n_steady = 1});
        double cosine = 9.81 / (0.5 * rate * rate);
        double expected = cosine < 1.0 ? acos(cosine) : 0.0;
        test_close("swing", fabs(test_coordinate(point, "swing")), expected, 1e-11);
        assert_true(info_of(point).residual < 1e-12);
        fb_operating_point_destroy(point);
    }
    fb_model_destroy(model);
}

static void test_unknown_rates(void** state) {
    (void)state;
    FbModel* model = test_model_from_file(ROTATING);
    FbSteadyRate steady = {"shift", 1.0};
    FbOperatingOptions options = {.kind = FB_AT_EQUILIBRIUM, .steady = &steady, .n_steady = 1};
    FbError err = failure(model, options, FB_ERR_NAME);
    expect_text(&err, "'shift'");
    fb_model_destroy(model);
    // A loop that cannot turn steadily with everything else at rest.
    model = test_model_from_file("models/fourbar.yaml");
    steady.coordinate = "pin_A";
    err = failure(model, options, FB_ERR_MODEL);
    expect_text(&err, "do not allow this steady motion");
    steady.coordinate = fb_model_get_loop_joint(model, 0);
    err = failure(model, options, FB_ERR_MODEL);
    expect_text(&err, "closes a loop");
    fb_model_destroy(model);
}

// Nothing holds it: the message names the joint along which it falls.
static void test_no_equilibrium(void** state) {
    (void)state;
    FbModel* model = test_model_from_file("test/verify/equilibrium/no_equilibrium.yaml");
    FbError err = failure(model, fb_operating_options_default(), FB_ERR_CONVERGENCE);
    expect_text(&err, "no equilibrium");
    expect_text(&err, "'fall'");
    fb_model_destroy(model);
}

// A drive at a constant rate is a steady motion; one that accelerates is parked where it starts,
// and the force of its acceleration is gone.
static void test_driven(void** state) {
    (void)state;
    const char* laws[] = {"0.3*t", "0.1 + 0.3*t^2"};
    for (int i = 0; i < 2; i++) {
        FbModel* model = test_model_with("test/verify/equilibrium/driven_slides.yaml",
                                         "value: 0.3*t => value: %s", laws[i]);
        FbOperatingPoint* point = equilibrium_of(model);
        FbOperatingInfo info = info_of(point);
        assert_int_equal(info.is_steady, i == 0);
        assert_int_equal(info.is_parked, i == 1);
        test_close("drive", test_coordinate(point, "j"), i == 0 ? 0.0 : 0.1, 1e-14);
        test_close("spring", test_coordinate(point, "k"), -0.1, 1e-13);
        fb_operating_point_destroy(point);
        fb_model_destroy(model);
    }
}

// At the initial state, off equilibrium, the drift is said: a pendulum let go at the horizontal.
static void test_initial_state(void** state) {
    (void)state;
    FbModel* model = test_model_from_file("models/pendulum.yaml");
    FbOperatingPoint* point = test_point_at(model, (FbOperatingOptions){.kind = FB_AT_INITIAL});
    FbOperatingInfo info = info_of(point);
    assert_false(info.is_equilibrium);
    test_close("residual", info.residual, 1.0, 1e-12);
    test_close("drift", info.largest_acceleration, 9.81, 1e-12);
    test_close("scale", info.force_scale, 9.81, 1e-12);
    fb_operating_point_destroy(point);
    fb_model_destroy(model);
}

// At a time of a run: the state that the run reaches.
static void test_at_time(void** state) {
    (void)state;
    FbModel* model = test_model_from_file("models/pendulum.yaml");
    FbOperatingPoint* point =
        test_point_at(model, (FbOperatingOptions){.kind = FB_AT_TIME, .time = 1.3});
    TestRun run = test_run_file("models/pendulum.yaml", (TestMethod){NULL, 1.3, 1.3, 0, 0});
    double values[16];
    FbError err;
    assert_int_equal(fb_operating_point_calc_outputs(point, values, &err), FB_OK);
    test_close("x", values[0], test_run_last(&run, "P.x"), 1e-10);
    test_close("y", values[1], test_run_last(&run, "P.y"), 1e-10);
    test_run_free(&run);
    fb_operating_point_destroy(point);
    fb_model_destroy(model);
}

// Bodies in absolute coordinates are where they are in joint coordinates, balanced as well.
static void test_absolute(void** state) {
    (void)state;
    FbModelDef* def = test_def_from_file("models/fourbar.yaml");
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    FbModel *model = test_model_from_def(def), *absolute = NULL;
    assert_int_equal(fb_model_create_absolute(def, &absolute, diagnostics), FB_OK);
    fb_diagnostics_destroy(diagnostics);
    fb_model_def_destroy(def);
    FbOperatingPoint *point = equilibrium_of(model), *like = NULL;
    FbError err = {0};
    assert_int_equal(fb_operating_point_create_like(absolute, point, &like, &err), FB_OK);
    double a[8], b[8];
    assert_int_equal(fb_operating_point_calc_outputs(point, a, &err), FB_OK);
    assert_int_equal(fb_operating_point_calc_outputs(like, b, &err), FB_OK);
    for (int i = 0; i < fb_model_get_output_count(model); i++) {
        test_close(fb_model_get_output_name(model, i), b[i], a[i], 1e-13);
    }
    assert_true(info_of(like).is_equilibrium);
    assert_int_equal(info_of(like).degrees_of_freedom, 1);
    fb_operating_point_destroy(like);
    fb_operating_point_destroy(point);
    fb_model_destroy(absolute);
    fb_model_destroy(model);
}

// Soft and stiff together: a 1e9 N/m coupling between masses that hang on 10 N/m. Rounding of its
// length is worth 2e-7 N, which moves the soft spring by 2e-8 m.
static void test_stiff_and_soft(void** state) {
    (void)state;
    FbModel* model = test_model_from_file("test/verify/equilibrium/stiff_and_soft.yaml");
    FbOperatingPoint* point = equilibrium_of(model);
    test_close("upper", test_coordinate(point, "ja"), -3 * 9.81 / 10, 5e-8);
    test_close("lower", test_coordinate(point, "jb"), -3 * 9.81 / 10 - 2 * 9.81 / 1e9, 5e-8);
    fb_operating_point_destroy(point);
    fb_model_destroy(model);
}

// A controller with memory rests only where its memory does: the cart stands at its goal, and the
// pole leans against the wind.
static void test_states_rest_too(void** state) {
    (void)state;
    FbModel* model = test_model_from_file("models/cart_pole.yaml");
    FbOperatingPoint* point = equilibrium_of(model);
    test_close("cart", test_coordinate(point, "rail"), 0.0, 1e-13);
    test_close("lean", test_coordinate(point, "hinge"), -atan2(0.1, 0.2 * 9.81 * 0.5), 1e-13);
    assert_true(info_of(point).residual < 1e-12);
    fb_operating_point_destroy(point);
    // As drawn the cart stands at its goal, but the pole falls.
    point = test_point_at(model, (FbOperatingOptions){.kind = FB_AT_INITIAL});
    assert_false(info_of(point).is_equilibrium);
    fb_operating_point_destroy(point);
    fb_model_destroy(model);
}

static FbModel* mass_with_state(const char* rate, const char* force) {
    return test_model_with("test/verify/equilibrium/mass_with_state.yaml",
                           "rate: \"1\" => rate: \"%s\"; value: \"clock\" => value: \"%s\"", rate,
                           force);
}

// A force that follows a state that never rests has no equilibrium; a state that nothing depends on
// may run.
static void test_restless_states(void** state) {
    (void)state;
    FbModel* model = mass_with_state("1", "clock");
    FbError err = failure(model, fb_operating_options_default(), FB_ERR_CONVERGENCE);
    expect_text(&err, "'clock'");
    FbOperatingPoint* point = test_point_at(model, (FbOperatingOptions){.kind = FB_AT_INITIAL});
    assert_false(info_of(point).is_equilibrium);  // no acceleration yet, but soon
    fb_operating_point_destroy(point);
    fb_model_destroy(model);
    model = mass_with_state("1", "3");
    point = equilibrium_of(model);
    test_close("displacement", test_coordinate(point, "j"), 0.06, 1e-15);
    assert_true(info_of(point).is_equilibrium);
    fb_operating_point_destroy(point);
    fb_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_residuals),      cmocka_unit_test(test_hanging_mass),
        cmocka_unit_test(test_from_afar),      cmocka_unit_test(test_upright),
        cmocka_unit_test(test_branch),         cmocka_unit_test(test_rotating_pendulum),
        cmocka_unit_test(test_unknown_rates),  cmocka_unit_test(test_no_equilibrium),
        cmocka_unit_test(test_driven),         cmocka_unit_test(test_initial_state),
        cmocka_unit_test(test_at_time),        cmocka_unit_test(test_absolute),
        cmocka_unit_test(test_stiff_and_soft), cmocka_unit_test(test_states_rest_too),
        cmocka_unit_test(test_bent_far),       cmocka_unit_test(test_restless_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
