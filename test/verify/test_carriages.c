// What hangs on sliders: every Jacobian block against finite differences, loads against closed
// forms, a mass that hangs against a mass that slides, pendulums against those on a rigid cart, and
// the balance of energy.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../every.h"
#include "run_support.h"
#include "test_linear_support.h"

static const char* const THEORIES[5] = {"consistent", "linear_consistent", "convective", "form_1a",
                                        "form_1b"};

static void blocks_on_beams(void** state) {
    (void)state;
    const char* drives[3] = {"value: '0.5 + 0.3*sin(2*t + 0.4)'", "free: true, position: 0.4",
                             "state: c"};
    for (int k = 0; k < 30; k += TEST_EVERY(7)) {
        bool is_back = k / 5 % 2, is_free = k / 10 == 1;
        char name[80];
        const char* theory = THEORIES[k % 5];
        if (k % 5 == 4 || (is_free && k % 5 == 1)) {
            continue;  // 1b leaves derivatives out; linear_consistent is driven
        }
        snprintf(name, sizeof(name), "%s %s %s", theory, is_back ? "backwards" : "forwards",
                 is_free  ? "free"
                 : k / 10 ? "driven by states"
                          : "driven");
        test_check_blocks(test_model_with("test/verify/carriages/beam.yaml",
                                          "f:\n    theory: linear => f:\n    theory: %s; "
                                          "from: A => from: %s; "
                                          "to: B => to: %s; "
                                          "theory: linear_consistent => theory: %s; "
                                          "value: '0.5 + 0.3*sin(2*t + 0.4)' => %s",
                                          k % 5 == 0 ? "nonlinear" : "linear", is_back ? "B" : "A",
                                          is_back ? "A" : "B", theory, drives[k / 10]),
                          name, 0.2);
    }
}

static void blocks_on_curves(void** state) {
    (void)state;
    const char* drives[3] = {"value: '0.6 + 0.3*sin(2*t)'", "free: true, position: 0.5",
                             "state: c"};
    for (int i = 0; i < 3; i++) {
        test_check_blocks(test_model_with("test/verify/carriages/curve.yaml",
                                          "value: '0.6 + 0.3*sin(2*t)' => %s", drives[i]),
                          "on a curve", 0.3);
    }
}

// EI = 2e4 N m2.
// At rest the beam carries the slider and what hangs on it, by whatever it hangs.
static void loads_at_rest(void** state) {
    (void)state;
    const char* paths[4] = {
        "test/verify/carriages/hung_by_a_hinge.yaml", "test/verify/carriages/hung_by_a_weld.yaml",
        "test/verify/carriages/hung_by_a_spring.yaml", "test/verify/carriages/hung_by_a_rod.yaml"};
    const double EI = 2e4, W = 15.0 * 9.81, s = 1.2, q = 9.81;
    const double own = q * s * s * (24.0 - 8.0 * s + s * s) / (24.0 * EI);
    for (int k = 0; k < 20; k++) {
        const char* theory = THEORIES[k % 5];
        FbModel* model = test_model_with(
            paths[k / 5],
            "theory: linear\n => theory: %s\n; theory: linear_consistent => theory: %s",
            k % 5 == 0 ? "nonlinear" : "linear", theory);
        FbOperatingPoint* point = test_point_at(model, fb_operating_options_default());
        double y[32];
        FbError err = {0};
        assert_int_equal(fb_operating_point_calc_outputs(point, y, &err), FB_OK);
        double w = y[fb_model_find_output(model, "c.z")];
        double tolerance = k % 5 == 0 ? 1e-4 : k % 5 == 1 ? 1e-7 : 1e-9;
        test_close(theory, w, -W * s * s * s / (3.0 * EI) - own, tolerance * fabs(w));
        test_close("place", w, y[fb_model_find_output(model, "p.z")], 1e-14);
        test_close("contact", y[fb_model_find_output(model, "F.z")], -W, 1e-8 * W);
        test_close("reaction", y[fb_model_find_output(model, "R.z")], W + q * 2.0, 1e-8 * W);
        test_close(
            "moment",
            hypot(y[fb_model_find_output(model, "M.My")], y[fb_model_find_output(model, "M.Mz")]),
            W * (s - 0.4) + 0.5 * q * 1.6 * 1.6, 1e-4 * W);
        fb_operating_point_destroy(point);
        fb_model_destroy(model);
    }
}

// The carriage turns with the guide: a body fixed to it follows the slope.
static void carriages_turn_with_the_guide(void** state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        FbModel* model =
            test_model_with("test/verify/carriages/welded_body.yaml",
                            "theory: linear => theory: %s", k ? "nonlinear" : "linear");
        FbOperatingPoint* point = test_point_at(model, fb_operating_options_default());
        double y[8];
        FbError err = {0};
        assert_int_equal(fb_operating_point_calc_outputs(point, y, &err), FB_OK);
        double slope =
            y[fb_model_find_output(model, "x.z")] - y[fb_model_find_output(model, "c.z")];
        test_close("slope", slope, -(15.0 * 9.81 * 0.72 + 9.81 * (2.4 - 1.44 + 0.288)) / 2e4, 3e-6);
        fb_operating_point_destroy(point);
        fb_model_destroy(model);
    }
}

// A mass that is fixed to the carriage of a slider moves as if it were part of the slider's, over
// the borders of elements, driven or free, where the theory has the true acceleration. (The linear
// consistent theory has it to second order.)
static void hung_mass_is_sliding_mass(void** state) {
    (void)state;
    const char* theories[3] = {"consistent", "linear_consistent", "convective"};
    const char* drives[2] = {"value: '1 + 0.6*sin(3*t)'",
                             "free: true, position: 1, velocity: 0.8, stiffness: 60, rest: 1"};
    const char* paths[2] = {"test/verify/carriages/sliding_mass.yaml",
                            "test/verify/carriages/hung_mass.yaml"};
    for (int k = 0; k < 12; k += TEST_EVERY(5)) {
        bool is_free = k / 3 % 2, is_back = k / 6, is_second_order = k % 3 == 1;
        double last[2][3];
        for (int hung = 0; hung < 2 && !(is_free && is_second_order); hung++) {
            TestRun run = test_run_with(
                paths[hung], (TestMethod){.integrator = "radau", .rtol = 1e-8, .atol = 1e-10},
                "modulus=%g; theory: linear => theory: %s; theory: convective => theory: %s; "
                "[2, 0, 0] => [2, 0, 0]%s; from: A => from: %s; to: B => to: %s; "
                "value: '1 + 0.6*sin(3*t)' => %s",
                is_second_order ? 2e10 : 2e8, k % 3 == 0 ? "nonlinear" : "linear", theories[k % 3],
                is_back && is_second_order ? ", support: clamped" : "", is_back ? "B" : "A",
                is_back ? "A" : "B", drives[is_free]);
            last[hung][0] = test_run_last(&run, "p.z");
            last[hung][1] = test_run_last(&run, "p.x");
            last[hung][2] = test_run_last(&run, "s");
            test_close("balance", test_run_drift(&run, "balance"), 0.0, 1e-6);
            test_run_free(&run);
        }
        for (int i = 0; i < 3 && !(is_free && is_second_order); i++) {
            test_close(theories[k % 3], last[1][i], last[0][i], is_second_order ? 2e-7 : 5e-8);
        }
    }
}

// A pendulum on a trolley that runs along a stiff beam, turned in space, against the same on a
// rigid cart: by all theories, driven over three borders of elements, and free.
static void pendulum_on_a_trolley(void** state) {
    (void)state;
    const char* carts[2] = {"test/verify/carriages/pendulum_on_a_cart.yaml",
                            "test/verify/carriages/pendulum_on_a_free_cart.yaml"};
    const TestMethod method = {.integrator = "radau", .rtol = 1e-7, .atol = 1e-9};
    for (int k = 0; k < 9; k += TEST_EVERY(4)) {
        bool is_free = k >= 5;
        double angle[2][16];
        const char* theory = THEORIES[is_free ? (k == 5 ? 0 : k - 4) : k];
        const char* free_run =
            "[1, -2, -9] => [-4.8, -6.4, 6]; value: '0.7 + 1.1*t^2*(1.5 - t)' => free: true, "
            "position: 0.7";
        TestRun runs[2] = {
            test_run_with("test/verify/carriages/pendulum_on_a_trolley.yaml", method,
                          "theory: linear => theory: %s; theory: convective => theory: %s; 2.6], "
                          "support: clamped => 2.6], support: %s; %s",
                          k == 0 || k == 5 ? "nonlinear" : "linear", theory,
                          k == 1 ? "free" : "clamped", is_free ? free_run : ""),
            test_run_file(carts[is_free], method)};
        for (int rigid = 0; rigid < 2; rigid++) {
            for (int row = 0; row < runs[rigid].n_rows; row++) {
                angle[rigid][row] = test_run_value(&runs[rigid], row, "th");
            }
            test_run_free(&runs[rigid]);
        }
        for (int row = 0; row < 16; row++) {
            test_close(theory, angle[0][row], angle[1][row], 5e-6);
        }
        assert_true(fabs(angle[0][15] - 0.4) > 0.05);
    }
}

// Two sliders carry one body, which closes a loop and turns as their beams bend; energy is kept by
// both kinds of integrator, all theories, over borders, driven by a law or by states.
static void energy_of_a_loop(void** state) {
    (void)state;
    const char* drives[3] = {"value: '0.7 + 0.3*sin(4*t)'", "state: c",
                             "free: true, position: 0.7"};
    const char* methods[2] = {"radau", "dop853"};
    for (int k = 0; k < 14; k += TEST_EVERY(7)) {
        const char* theory = THEORIES[k % 5];
        const char* drive = drives[k < 5 ? 0 : k < 10 ? 1 : 2];
        if (k >= 10 && k % 5 == 1) {
            continue;
        }
        TestRun run =
            test_run_with("test/verify/carriages/two_sliders_on_a_loop.yaml",
                          (TestMethod){.integrator = methods[k % 2], .rtol = 1e-7, .atol = 1e-9},
                          "theory: linear => theory: %s; "
                          "theory: convective, => theory: %s,; "
                          "value: '0.7 + 0.3*sin(4*t)' => %s; "
                          "position: 0.9, theory: convective => position: 0.9%s",
                          k % 5 == 0 ? "nonlinear" : "linear", theory, drive,
                          k % 5 == 0 ? "" : ", theory: convective");
        test_close(theory, test_run_drift(&run, "balance"), 0.0, 2e-6);
        assert_true(test_run_last(&run, "z") < -1e-4);
        test_run_free(&run);
    }
}

// A body on the carriage of a bead on a turning rod: r'' = w^2 r with the masses of both, and the
// rod feels both; on a bent wire it turns with the wire.
static void carriages_on_curves(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/carriages/carriage_on_a_circle.yaml",
                                (TestMethod){.integrator = "radau", .rtol = 1e-10, .atol = 1e-12});
    for (int row = 0; row < run.n_rows; row++) {
        double t = test_run_time(&run, row), s = 0.1 * cosh(3.0 * t), v = 0.3 * sinh(3.0 * t);
        test_close("s", test_run_value(&run, row, "s"), s, 1e-8);
        test_close("M", fabs(test_run_value(&run, row, "M")), 2.0 * 5.0 * 3.0 * v * s, 1e-6);
    }
    test_run_free(&run);
    run = test_run_file("test/verify/carriages/carriage_on_a_curve.yaml",
                        (TestMethod){.integrator = "radau"});
    double first[2] = {0};
    for (int row = 0; row < run.n_rows; row++) {
        double along[2] = {test_run_value(&run, row, "a.x") - test_run_value(&run, row, "b.x"),
                           test_run_value(&run, row, "a.y") - test_run_value(&run, row, "b.y")};
        double v[2] = {test_run_value(&run, row, "v.x"), test_run_value(&run, row, "v.y")};
        double angle = atan2(along[0] * v[1] - along[1] * v[0], along[0] * v[0] + along[1] * v[1]);
        first[0] = row == 0 ? angle : first[0];
        test_close("turns with the wire", angle, first[0], 1e-9);
    }
    test_run_free(&run);
}

// Least kinetic energy under a speed V of the slider: the load, at r below its hinge, starts with
// w = m V r/(J + m r^2) about it, from where it is drawn, whatever the place and the direction.
static void load_on_a_moving_slider(void** state) {
    (void)state;
    const double V = 0.5, m = 3.0, r = 0.5, J = 0.25, w = m * V * r / (J + m * r * r);
    const char* const places[3][3] = {
        {"0", "0", "0"}, {"65536", "-32768", "16384"}, {"1e6", "0", "0"}};
    for (int i = 0; i < 6; i++) {
        double c = i % 2 ? -0.28 : 1.0, s = i % 2 ? 0.96 : 0.0;
        const char* const* at = places[i / 2];
        TestRun run =
            test_run_with("test/verify/carriages/load_on_a_moving_slider.yaml",
                          (TestMethod){"radau", 1e-3, 1e-3, 1e-6, 1e-8},
                          "X=%s; Y=%s; Z=%s; c=%.17g; s=%.17g", at[0], at[1], at[2], c, s);
        test_close("p.x", test_run_value(&run, 0, "p.x"), 1.25 * c, 1e-9);
        test_close("p.y", test_run_value(&run, 0, "p.y"), 1.25 * s, 1e-9);
        test_close("p.z", test_run_value(&run, 0, "p.z"), -r, 1e-9);
        test_close("w.x", test_run_value(&run, 0, "w.x"), -w * s, 1e-9);
        test_close("w.y", test_run_value(&run, 0, "w.y"), w * c, 1e-9);
        test_close("v.x", test_run_value(&run, 0, "v.x"), (V - w * r) * c, 1e-9);
        test_close("v.y", test_run_value(&run, 0, "v.y"), (V - w * r) * s, 1e-9);
        test_close("tip.z", test_run_value(&run, 0, "tip.z"), 0.0, 1e-9);
        test_run_free(&run);
    }
}

static void check_refused(const char* path, const char* expected) {
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    FbModelDef* def = NULL;
    FbModel* model = NULL;
    FbStatus status = fb_model_def_read_file(path, NULL, &def, diagnostics);
    if (status == FB_OK) {
        status = fb_model_create(def, &model, diagnostics);
    }
    assert_true(status < 0);
    bool is_found = false;
    for (int i = 0; i < fb_diagnostics_count(diagnostics); i++) {
        char line[1000];
        fb_diagnostic_format(fb_diagnostics_get(diagnostics, i), line, sizeof(line));
        is_found = is_found || strstr(line, expected);
    }
    assert_true(is_found);
    fb_model_destroy(model);
    fb_model_def_destroy(def);
    fb_diagnostics_destroy(diagnostics);
}

// What cannot work is refused with the remedy.
static void impossible_attachments(void** state) {
    (void)state;
    check_refused("test/verify/carriages/spring_to_a_rail.yaml", "attach the part to 't.carriage'");
    check_refused("test/verify/carriages/spring_to_no_carriage.yaml",
                  "there is no body 't.carriage'");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_on_beams),
        cmocka_unit_test(blocks_on_curves),
        cmocka_unit_test(loads_at_rest),
        cmocka_unit_test(carriages_turn_with_the_guide),
        cmocka_unit_test(hung_mass_is_sliding_mass),
        cmocka_unit_test(pendulum_on_a_trolley),
        cmocka_unit_test(energy_of_a_loop),
        cmocka_unit_test(carriages_on_curves),
        cmocka_unit_test(load_on_a_moving_slider),
        cmocka_unit_test(impossible_attachments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
