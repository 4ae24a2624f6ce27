// Structures and sliders in the equations: every Jacobian block against finite differences, and the
// balance of energy.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../every.h"
#include "model_support.h"
#include "run_support.h"

static void plane_frames(void** state) {
    (void)state;
    test_check_blocks(test_model_from_file("test/verify/structures/linear_plane_frame.yaml"),
                      "linear plane frame", 0.4);
    test_check_blocks(
        test_model_from_file("test/verify/structures/linear_plane_frame_with_shear.yaml"),
        "linear plane frame with shear", 0.4);
    test_check_blocks(test_model_from_file("test/verify/structures/nonlinear_plane_frame.yaml"),
                      "nonlinear plane frame", 0.4);
    test_check_blocks(
        test_model_from_file("test/verify/structures/nonlinear_plane_frame_with_shear.yaml"),
        "nonlinear plane frame with shear", 0.4);
}

static void space_frames(void** state) {
    (void)state;
    test_check_blocks(test_model_from_file("test/verify/structures/linear_space_frame.yaml"),
                      "linear space frame", 0.4);
    test_check_blocks(test_model_from_file("test/verify/structures/nonlinear_space_frame.yaml"),
                      "nonlinear space frame", 0.4);
    test_check_blocks(
        test_model_with("test/verify/structures/nonlinear_space_frame.yaml",
                        "theory: nonlinear => theory: nonlinear\n    element: fourth_order"),
        "space frame of fourth order", 0.4);
}

// A beam between two rigid bodies that turn, and a body hanging on a node.
static void beams_on_bodies(void** state) {
    (void)state;
    test_check_blocks(test_model_from_file("test/verify/structures/beams_on_bodies.yaml"),
                      "beams on bodies", 0.4);
}

static void sliders_by_law(void** state) {
    (void)state;
    const char* linear[] = {"linear_consistent", "convective", "form_1a"};
    const char* nonlinear[] = {"consistent", "convective", "form_1a"};
    for (int i = 0; i < 6; i++) {
        const char* theory = i < 3 ? linear[i] : nonlinear[i - 3];
        FbModel* model = test_model_with(
            "test/verify/structures/sliders_by_law.yaml",
            "theory: linear\n => theory: %s\n; theory: linear_consistent => theory: %s",
            i < 3 ? "linear" : "nonlinear", theory);
        test_check_blocks(model, theory, 0.3);
    }
    test_check_blocks(test_model_from_file("test/verify/structures/transverse.yaml"), "transverse",
                      0.3);
    test_check_blocks(test_model_from_file("test/verify/structures/consistent_in_space.yaml"),
                      "consistent in space", 0.3);
}

static void free_sliders(void** state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        const char* theory = i ? "nonlinear" : "linear";
        FbModel* model = test_model_with("test/verify/structures/free_slider.yaml",
                                         "theory: linear\n => theory: %s\n", theory);
        test_check_blocks(model, i ? "free on a nonlinear frame" : "free on a linear frame", 0.3);
    }
}

static void sliders_by_feedback(void** state) {
    (void)state;
    const char* theory[] = {"linear_consistent", "convective", "form_1a", "consistent", "form_1a"};
    for (int i = 0; i < 5; i++) {
        FbModel* model = test_model_with(
            "test/verify/structures/slider_by_feedback.yaml",
            "theory: linear\n => theory: %s\n; theory: linear_consistent => theory: %s",
            i < 3 ? "linear" : "nonlinear", theory[i]);
        test_check_blocks(model, theory[i], 0.15);
    }
}

static void sliders_on_curves(void** state) {
    (void)state;
    const char* drive[] = {"value: \"0.6 + 0.3*sin(2*t)\"", "free: true, position: 0.5"};
    for (int i = 0; i < 2; i++) {
        test_check_blocks(test_model_with("test/verify/structures/slider_on_a_curve.yaml",
                                          "value: \"0.6 + 0.3*sin(2*t)\" => %s", drive[i]),
                          "on a curve", 0.3);
    }
}

// Change of energy = work of actuators - losses, for every theory that is a mechanical system.
static void energy_is_balanced(void** state) {
    (void)state;
    const char* linear[] = {"linear_consistent", "convective", "form_1a", "form_1b"};
    const char* nonlinear[] = {"consistent", "form_1a"};
    for (int i = 0; i < 6; i++) {
        const char* theory = i < 4 ? linear[i] : nonlinear[i - 4];
        TestRun run = test_run_with(
            "test/verify/structures/energy_of_a_slider.yaml", (TestMethod){.integrator = "radau"},
            "theory: linear\n => theory: %s\n; theory: linear_consistent => theory: %s",
            i < 4 ? "linear" : "nonlinear", theory);
        assert_true(fabs(test_run_last(&run, "work")) > 1e-3);
        test_close(theory, test_run_drift(&run, "balance"), 0.0, 1e-6);
        test_run_free(&run);
    }
}

// The largest |output| from time t on, relative to its start.
static double remainder_of(const char* path, const char* output, double t) {
    TestRun run = test_run_file(path, (TestMethod){0});
    double largest = 0.0, start = fabs(test_run_value(&run, 0, output));
    for (int i = 0; i < run.n_rows; i++) {
        if (test_run_time(&run, i) >= t) {
            largest = fmax(largest, fabs(test_run_value(&run, i, output)));
        }
    }
    test_run_free(&run);
    return largest / start;
}

// The shipped examples do what they promise. Structural damping alone would leave 99 % of the sway.
static void examples_are_damped(void** state) {
    (void)state;
    assert_true(remainder_of("models/crane.yaml", "angle", 21.0) < 0.35);
    if (TEST_EVERY(2) == 1) {
        assert_true(remainder_of("models/tower.yaml", "sway", 60.0) < 0.92);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plane_frames),        cmocka_unit_test(space_frames),
        cmocka_unit_test(beams_on_bodies),     cmocka_unit_test(sliders_by_law),
        cmocka_unit_test(free_sliders),        cmocka_unit_test(sliders_by_feedback),
        cmocka_unit_test(sliders_on_curves),   cmocka_unit_test(energy_is_balanced),
        cmocka_unit_test(examples_are_damped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
