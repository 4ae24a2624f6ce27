// Sliders in whole models: free ones against closed forms and with their energy kept over element
// borders, stiff guides as the limit of rigid ones, forces that drive and contact forces.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../every.h"
#include "run_support.h"

static const double G = 9.81;
static const TestMethod FINE = {.integrator = "radau", .rtol = 1e-10, .atol = 1e-12};

// A bead on a rod that is turned: r'' = w^2 r, and the rod pushes with 2 m r' w.
static void bead_on_a_turning_rod(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/slider_motion/bead_on_a_turning_rod.yaml", FINE);
    for (int row = 0; row < run.n_rows; row++) {
        double t = test_run_time(&run, row), s = 0.1 * cosh(3.0 * t), v = 0.3 * sinh(3.0 * t);
        test_close("s", test_run_value(&run, row, "s"), s, 1e-8);
        test_close("v", test_run_value(&run, row, "v"), v, 1e-7);
        test_close("x", test_run_value(&run, row, "x"), s * cos(3.0 * t), 1e-8);
        test_close("M", fabs(test_run_value(&run, row, "M")), 2.0 * 2.0 * 3.0 * v * s, 1e-6);
    }
    test_run_free(&run);
}

// On a slope with a spring and a damper along it: a damped oscillator about its place of rest.
static void spring_and_damper(void** state) {
    (void)state;
    const double m = 2.0, k = 50.0, c = 3.0, angle = atan2(3.0, 4.0);
    TestRun run = test_run_file("test/verify/slider_motion/spring_and_damper.yaml", FINE);
    double s0 = 2.0 + m * G * sin(angle) / k, d = c / (2.0 * m), w = sqrt(k / m - d * d);
    double A = 1.0 - s0, B = (0.5 + d * A) / w;
    for (int row = 0; row < run.n_rows; row++) {
        double t = test_run_time(&run, row);
        test_close("s", test_run_value(&run, row, "s"),
                   s0 + exp(-d * t) * (A * cos(w * t) + B * sin(w * t)), 1e-8);
    }
    // Spring and damper belong to the guide, so that it carries m (g - r'').
    double a = -k / m * (test_run_last(&run, "s") - 2.0) - c / m * test_run_last(&run, "v") +
               G * sin(angle);
    test_close("F.z", test_run_last(&run, "F.z"), -m * (G - a * sin(angle)), 1e-6);
    test_close("F.x", test_run_last(&run, "F.x"), -m * a * cos(angle), 1e-6);
    test_run_free(&run);
}

// A free mass that slides down a sagging beam over its elements: energy stays to the tolerance.
static void energy_over_borders(void** state) {
    (void)state;
    const char* cases[][3] = {{"nonlinear", "plane: xz", "1e7"},
                              {"nonlinear", "beam: euler", "1e7"},
                              {"linear", "plane: xz", "1e8"},
                              {"linear", "beam: euler", "1e8"}};
    for (int i = 0; i < 4; i += TEST_EVERY(3)) {
        TestRun run =
            test_run_with("test/verify/slider_motion/sliding_mass.yaml",
                          (TestMethod){.integrator = "radau", .rtol = 1e-9, .atol = 1e-11},
                          "modulus=%s; "
                          "plane: xz => %s; "
                          "theory: nonlinear => theory: %s",
                          cases[i][2], cases[i][1], cases[i][0]);
        double T = 0.0;
        for (int row = 0; row < run.n_rows; row++) {
            T = fmax(T, test_run_value(&run, row, "T"));
        }
        assert_true(test_run_last(&run, "s") > 1.0);  // over three borders
        test_close("energy", test_run_drift(&run, "E"), 0.0, 2e-7 * T);
        test_run_free(&run);
    }
}

// A pendulum made of a beam, along which a mass is driven: as the beam gets stiffer its swing comes
// to that of a rigid rod, in proportion to 1/E.
static double swing(const char* E) {
    TestMethod method = {.integrator = "radau", .rtol = 1e-9, .atol = 1e-11};
    TestRun run =
        E ? test_run_with("test/verify/slider_motion/beam_pendulum.yaml", method, "E=%s", E)
          : test_run_file("test/verify/slider_motion/rod_pendulum.yaml", method);
    double x = test_run_last(&run, "x");
    test_run_free(&run);
    return x;
}

static void stiff_guides_are_rigid_ones(void** state) {
    (void)state;
    double rigid = swing(NULL), error = swing("1e9") - rigid;
    test_close("E = 1e9", error, 0.0, 1e-3);
    if (TEST_EVERY(2) == 1) {
        double stiffer = swing("1e10") - rigid;
        test_close("E = 1e10", stiffer, 0.0, 1e-4);
        assert_true(fabs(stiffer) < 0.2 * fabs(error) || fabs(stiffer) < 1e-6);
    }
}

// A mass that is lifted along an upright post: the drive gives m (g + s''), the foot also carries
// the post, and the work is the energy.
static void lifted_mass(void** state) {
    (void)state;
    const char* theories[][2] = {
        {"linear", "linear_consistent"}, {"linear", "form_1a"}, {"nonlinear", "consistent"}};
    for (int i = 0; i < 3; i += TEST_EVERY(3)) {
        TestRun run =
            test_run_with("test/verify/slider_motion/lifted_mass.yaml",
                          (TestMethod){.integrator = "radau", .rtol = 1e-9, .atol = 1e-11},
                          "theory: linear\n => theory: %s\n; "
                          "theory: linear_consistent => theory: %s",
                          theories[i][0], theories[i][1]);
        test_close("s", test_run_last(&run, "s"), 0.3 + 0.3 * 3.375, 1e-9);
        test_close("balance", test_run_drift(&run, "rest"), 0.0, 1e-7);
        for (int row = 1; row < run.n_rows; row++) {
            double F = 0.5 * (G + 1.8 * test_run_time(&run, row));
            test_close(theories[i][1], test_run_value(&run, row, "F"), F, 1e-2);
            // Form 1 knows the guide's inertia only: what accelerates the mass along it is missing.
            double at_foot = (i == 1 ? 0.5 * G : F) + 0.8 * G;
            test_close("R.z", test_run_value(&run, row, "R.z"), at_foot, 2e-2);
        }
        test_run_free(&run);
    }
}

// A slider that starts where two elements meet, or at an end of its guide, moves as one that starts
// a little before.
static void starts_at_borders(void** state) {
    (void)state;
    const struct {
        double at;
        const char* law;
    } cases[] = {{1.0, "%.17g + 0.3*t"},   {1.0, "%.17g - 0.3*t"},   {2.0, "%.17g - 0.3*t"},
                 {0.0, "%.17g + 0.3*t"},   {0.5, "%.17g - 0.4*t^2"}, {1.0, "%.17g - 0.4*t^3"},
                 {1.5, "%.17g - 0.4*t^3"}, {1.0, "%.17g + 0.4*t^3"}};
    for (int i = 0; i < 8; i += TEST_EVERY(5)) {
        double x[2];
        for (int k = 0; k < 2; k++) {
            char law[100];
            double to = strchr(cases[i].law, '-') ? -1e-7 : 1e-7;
            snprintf(law, sizeof(law), cases[i].law, cases[i].at + k * to);
            TestRun run =
                test_run_with("test/verify/slider_motion/start_at_a_border.yaml",
                              (TestMethod){.integrator = "radau", .rtol = 1e-8, .atol = 1e-10},
                              "value: \"0.5 + 0.3*t\" => value: \"%s\"", law);
            x[k] = test_run_last(&run, "w");
            test_close("balance", test_run_drift(&run, "rest"), 0.0, 1e-6);
            test_run_free(&run);
        }
        test_close("deflection", x[0], x[1], 1e-6);
    }
    // From one end to the other, in one go.
    TestRun run = test_run_file("test/verify/slider_motion/from_end_to_end.yaml", FINE);
    test_close("end", test_run_last(&run, "s"), 3.0, 1e-12);
    test_run_free(&run);
}

// A post with a mass at height s buckles under m g = pi^2 EI/(4 s^2): refused where it starts too
// heavy, stopped where it climbs too high, fine below; also where it is not the slider's theory
// that would notice, and only a note where there is no slider.
static FbStatus climb(double mass, const char* theory, double* t_end, FbError* err) {
    FbModel* model = test_model_with("test/verify/slider_motion/climbing_mass.yaml",
                                     "mass=%g; "
                                     "theory: linear_consistent => theory: %s",
                                     mass, theory);
    FbRunOptions options = fb_run_options_default(model);
    FbResult* result = NULL;
    options.settings.integrator = "radau";
    FbStatus status = fb_simulate(model, &options, &result, err);
    *t_end = result && fb_result_get_row_count(result) > 0
                 ? fb_result_get_time(result, fb_result_get_row_count(result) - 1)
                 : NAN;
    fb_result_destroy(result);
    fb_model_destroy(model);
    return status;
}

static void buckling_guides(void** state) {
    (void)state;
    const double PI = 3.14159265358979323846, EI = 200.0;
    const char* theories[] = {"linear_consistent", "form_1a"};
    for (int i = 0; i < 2; i++) {
        FbError err = {0};
        double t, most = PI * PI * EI / 4.0 / 10.0, told = NAN;
        assert_int_equal(climb(12.0, theories[i], &t, &err), FB_OK);
        test_close("end", t, 1.9, 1e-12);
        assert_int_equal(climb(1.05 * most, theories[i], &t, &err), FB_ERR_MODEL);
        assert_non_null(strstr(err.text, "'p' is heavier than its guide 'f.m' can carry"));
        assert_int_equal(sscanf(strstr(err.text, "buckles under"), "buckles under %lf kg", &told),
                         1);
        test_close("critical mass", told, most, 0.03);  // the post weighs 0.02 kg itself
        assert_int_equal(climb(20.0, theories[i], &t, &err), FB_ERR_MODEL);
        assert_non_null(strstr(err.text, "the guide buckles under its 20 kg"));
        test_close("last row", 1.0 + 0.5 * t, sqrt(PI * PI * EI / 4.0 / 200.0), 0.006);
    }
    // Held at its top by constraints, one about each axis of bending: 20.19 EI/L^2.
    for (int i = 0; i < 2; i++) {
        FbError err = {0};
        FbSimulation* sim = NULL;  // 100.95 kg
        FbModel* model = test_model_with("test/verify/slider_motion/mass_on_a_held_post.yaml",
                                         "mass=%d", i ? 102 : 100);
        FbRunOptions options = fb_run_options_default(model);
        FbStatus status = fb_simulation_create(model, &options, &sim, &err);
        assert_int_equal(status, i ? FB_ERR_MODEL : FB_OK);
        fb_simulation_destroy(sim);
        fb_model_destroy(model);
    }
    for (int i = 0; i < 2; i++) {
        TestRun run = test_run_with("test/verify/slider_motion/mass_on_a_post.yaml",
                                    (TestMethod){.integrator = "radau", .duration = 0.01},
                                    "mass=%d", i ? 12 : 13);
        bool is_told = false;
        for (int k = 0; k < fb_result_get_warning_count(run.result); k++) {
            is_told = is_told || strstr(fb_result_get_warning(run.result, k), "buckle");
        }
        assert_int_equal(is_told, i == 0);
        test_run_free(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bead_on_a_turning_rod), cmocka_unit_test(spring_and_damper),
        cmocka_unit_test(energy_over_borders),   cmocka_unit_test(stiff_guides_are_rigid_ones),
        cmocka_unit_test(lifted_mass),           cmocka_unit_test(starts_at_borders),
        cmocka_unit_test(buckling_guides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
