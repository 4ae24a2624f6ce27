// Integrators for structures and long runs, with steps of a fixed length: observed orders on a
// tree, a loop with redundant rows and a structure with a slider; numerical damping; energy over
// ten thousand periods; the number of steps.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../every.h"
#include "run_support.h"

#define FOLDER "test/verify/fixed_steps/"

typedef struct Fixed {
    const char* integrator;
    double step, duration, rtol, radius;
} Fixed;

static TestRun run_fixed(FbModel* model, Fixed f) {
    TestRun run = {.model = model};
    FbRunOptions o = fb_run_options_default(model);
    FbError err = {0};
    FbSettings* s = &o.settings;
    s->integrator = f.integrator;
    s->step = f.step;
    s->duration = f.duration > 0.0 ? f.duration : s->duration;
    s->rtol = f.rtol;
    s->atol = 1e-2 * f.rtol;
    s->spectral_radius = f.radius > 0.0 ? f.radius : s->spectral_radius;
    if (fb_simulate(model, &o, &run.result, &err) != FB_OK) {
        fail_msg("%s with steps of %g s: %s", f.integrator, f.step, err.text);
    }
    run.n_rows = fb_result_get_row_count(run.result);
    return run;
}

// The largest difference of an output at the samples.
static double difference(const TestRun* a, const TestRun* b, const char* output) {
    double most = 0.0;
    assert_int_equal(a->n_rows, b->n_rows);
    for (int i = 0; i < a->n_rows; i++) {
        most = fmax(most, fabs(test_run_value(a, i, output) - test_run_value(b, i, output)));
    }
    return most;
}

// The order seen between steps h and h/2, against a far more accurate run. Steps divide the
// samples.
static void check_order(const char* file, const char* changes, const char* output,
                        const char* integrator, double h, double order) {
    TestRun exact = test_run_with(file, (TestMethod){"radau", 0, 0, 1e-13, 1e-15}, "%s", changes);
    double error[2];
    for (int i = 0; i < 2; i++) {
        TestRun run = run_fixed(test_model_with(file, "%s", changes),
                                (Fixed){integrator, i == 0 ? h : 0.5 * h, 0, 1e-13, 0});
        error[i] = difference(&run, &exact, output);
        assert_true(fb_result_get_stats(run.result)->max_constraint_error < 1e-9);
        test_run_free(&run);
    }
    test_run_free(&exact);
    double seen = log2(error[0] / error[1]);
    if (!(fabs(seen - order) < 0.2)) {
        fail_msg("%s (%s), %s: order %.2f seen (%.2g, %.2g)", file, changes, integrator, seen,
                 error[0], error[1]);
    }
}

static const struct {
    const char* integrator;
    double order;
    double tree, loop, structure;  // s
} methods[] = {
    {"alpha", 2.0, 1.0 / 256, 1.0 / 512, 1.0 / 320},
    {"gauss2", 2.0, 1.0 / 256, 1.0 / 512, 1.0 / 320},
    {"gauss4", 4.0, 1.0 / 64, 1.0 / 128, 1.0 / 160},
    {"gauss6", 6.0, 1.0 / 32, 1.0 / 128, 1.0 / 80},
};
enum { N_METHODS = sizeof(methods) / sizeof(methods[0]) };

static void order_on_a_tree(void** state) {
    (void)state;
    const char* turned =
        "[0, 0, -9.81] => [-9.81, 0, 0]; [0.8, 0, -0.6] => [-0.6, 0.8, 0];"
        "[0.01, 0.02, 0.03] => [0.03, 0.01, 0.02]; [0.3, 0.2, 1.5] => [1.5, 0.3, "
        "0.2]";
    for (int i = 0; i < N_METHODS; i++) {
        const char* file = FOLDER "spherical_pendulum.yaml";
        check_order(file, "", "place.x", methods[i].integrator, methods[i].tree, methods[i].order);
        check_order(file, turned, "place.y", methods[i].integrator, methods[i].tree,
                    methods[i].order);
    }
}

static void order_on_a_loop(void** state) {
    (void)state;
    const char* clothes[] = {"", "phi=0.7", "X=5", "s=1e-3", "s=1e3; X=2e3; phi=-1.1"};
    for (int i = 0; i < N_METHODS; i++) {
        for (int k = 0; k < 5; k += TEST_EVERY(2)) {
            check_order(FOLDER "four_bar.yaml", clothes[k], "angle", methods[i].integrator,
                        methods[i].loop, methods[i].order);
        }
    }
}

static void order_on_a_structure(void** state) {
    (void)state;
    for (int i = 0; i < N_METHODS; i++) {
        check_order(FOLDER "frame.yaml", "", "sway", methods[i].integrator, methods[i].structure,
                    methods[i].order);
    }
}

// Chung & Hulbert's equations for x'' = -omega^2 x, solved by hand: the same numbers step by step.
static void damping_is_that_of_the_scheme(void** state) {
    (void)state;
    const double radii[] = {0.3, 0.8, 1.0}, products[] = {0.1, 1.0, 30.0};
    for (int i = 0; i < 9; i++) {
        double r = radii[i / 3], h = 0.01, w = products[i % 3] / h;
        double m = (2.0 * r - 1.0) / (r + 1.0), f = r / (r + 1.0), gamma = 0.5 - m + f;
        double beta = 0.25 * (1.0 - m + f) * (1.0 - m + f);
        double x = 1.0, v = 0.0, a = -w * w;
        TestRun run = run_fixed(test_model_with(FOLDER "oscillator.yaml",
                                                "omega=%.17g; duration: 1 "
                                                "=> duration: 0.2, sample: 0.01",
                                                w),
                                (Fixed){"alpha", h, 0, 1e-12, r});
        for (int k = 1; k <= 20; k++) {
            double x0 = x + h * v + h * h * (0.5 - beta) * a;
            double next = (-w * w * ((1.0 - f) * x0 + f * x) - m * a) /
                          (1.0 - m + (1.0 - f) * w * w * beta * h * h);
            v += h * ((1.0 - gamma) * a + gamma * next);
            x = x0 + h * h * beta * next;
            a = next;
            test_close("x of the oscillator", test_run_value(&run, k, "x"), x, 1e-9);
        }
        test_run_free(&run);
    }
}

// Far beyond the steps, (E + rho)^3 x = 0, E one step on: all three roots are -rho.
static void damping_at_infinity_is_the_spectral_radius(void** state) {
    (void)state;
    const double radii[] = {0.2, 0.5, 0.8, 0.95};
    for (int i = 0; i < 4; i++) {
        double r = radii[i];
        TestRun run =
            run_fixed(test_model_with(FOLDER "oscillator.yaml",
                                      "omega=1e7; duration: 1 => duration: 0.2, sample: 0.01"),
                      (Fixed){"alpha", 0.01, 0, 1e-12, r});
        for (int k = 1; k + 3 <= 8; k++) {
            double x[4], size = 0.0;
            for (int j = 0; j < 4; j++) {
                x[j] = test_run_value(&run, k + j, "x");
                size = fmax(size, fabs(x[j]));
            }
            double sum = x[3] + 3.0 * r * x[2] + 3.0 * r * r * x[1] + r * r * r * x[0];
            test_close("(E + rho)^3 x", sum / size, 0.0, 1e-5);  // 1/(omega h)
        }
        test_run_free(&run);
    }
}

// The mean of the energy error in the last tenth of the run is that in the first one, compared with
// the largest error: it does not drift.
static void check_energy(const char* what, FbModel* model, Fixed f, double scale) {
    TestRun run = run_fixed(model, f);
    double first = 0.0, last = 0.0, most = 0.0, start = test_run_value(&run, 0, "E");
    int n = run.n_rows, tenth = n / 10;
    for (int i = 0; i < n; i++) {
        double e = (test_run_value(&run, i, "E") - start) / scale;
        most = fmax(most, fabs(e));
        first += i < tenth ? e / tenth : 0.0;
        last += i >= n - tenth ? e / tenth : 0.0;
    }
    if (!(fabs(last - first) < 0.1 * most + 1e-11)) {
        fail_msg("%s with %s: the energy error drifts from %.3g to %.3g; the largest is %.3g", what,
                 f.integrator, first, last, most);
    }
    test_run_free(&run);
}

static void energy_of_a_tree(void** state) {
    (void)state;
    const char* file = FOLDER "spherical_pendulum.yaml";
    const char* names[] = {"gauss2", "gauss4", "gauss6"};
    for (int i = 0; i < 3; i++) {  // a period is about 2 s: ten thousand of them with gauss4
        double duration = i == 1 ? 2e4 / TEST_EVERY(10) : 2e3;
        check_energy("spherical pendulum", test_model_with(file, "sample: 0.5 => sample: 1.73"),
                     (Fixed){names[i], 0.1, duration, 1e-9, 0}, 10.0);
    }
}

static void energy_of_a_loop(void** state) {
    (void)state;
    check_energy("four-bar",
                 test_model_with(FOLDER "four_bar.yaml", "sample: 0.25 => sample: 1.73"),
                 (Fixed){"gauss4", 0.02, 1e3 / TEST_EVERY(10), 1e-9, 0}, 24.0);
}

// The first mode has 1.6 Hz: ten thousand periods with gauss4.
static void energy_of_a_structure(void** state) {
    (void)state;
    const char* names[] = {"gauss2", "gauss4", "gauss6"};
    for (int i = 0; i < 3; i++) {
        double duration = i == 1 ? 6.5e3 / TEST_EVERY(10) : 6.5e2;
        check_energy("portal",
                     test_model_with(FOLDER "vibration.yaml", "duration: 10 => sample: 1.13"),
                     (Fixed){names[i], 0.03, duration, 1e-12, 0}, 0.011);
    }
}

// Nothing but the grid ends a step: not corners, kinks, events or samples.
static void as_many_steps_as_the_grid_has(void** state) {
    (void)state;
    const char* names[] = {"alpha", "gauss2", "gauss4", "gauss6", "radau", "dop853"};
    for (int i = 0; i < 6; i++) {
        TestRun exact =
            test_run_file(FOLDER "corners.yaml", (TestMethod){"radau", 0, 0, 1e-11, 1e-13});
        TestRun run = run_fixed(test_model_from_file(FOLDER "corners.yaml"),
                                (Fixed){names[i], 0.02, 0, 1e-9, 0});
        assert_int_equal(fb_result_get_stats(run.result)->steps, 50);
        assert_int_equal(fb_result_get_event_count(run.result), 1);
        FbEventRecord event, right;
        assert_true(fb_result_get_event(run.result, 0, &event));
        assert_true(fb_result_get_event(exact.result, 0, &right));
        test_close("time of the event", event.t, right.t, 2e-3);
        test_close("angle", difference(&run, &exact, "angle"), 0.0, 2e-2);
        test_run_free(&run);
        run = run_fixed(test_model_from_file(FOLDER "corners.yaml"),
                        (Fixed){names[i], 0.03, 0, 1e-9, 0});
        assert_int_equal(fb_result_get_stats(run.result)->steps, 34);  // the last one is shorter
        test_run_free(&run);
        test_run_free(&exact);
    }
}

// One factorization for a linear structure, and hardly more than one solve a step.
static void one_factorization_for_a_linear_structure(void** state) {
    (void)state;
    TestRun run =
        run_fixed(test_model_from_file("models/frame.yaml"), (Fixed){"alpha", 1e-3, 1.0, 1e-6, 0});
    const FbRunStats* s = fb_result_get_stats(run.result);
    assert_int_equal(s->steps, 1000);
    assert_int_equal(s->factorizations, 1);
    assert_int_equal(s->jacobian_evals, 1);
    assert_true(s->newton_iterations < 1250);
    test_run_free(&run);
}

// With error control: half a decade of the tolerance at least is one of the error.
static void error_falls_with_the_tolerance(void** state) {
    (void)state;
    const char* files[] = {FOLDER "spherical_pendulum.yaml", FOLDER "four_bar.yaml",
                           FOLDER "frame.yaml"};
    const char* outputs[] = {"place.x", "angle", "sway"};
    for (int i = 0; i < 3; i++) {
        TestRun exact = test_run_file(files[i], (TestMethod){"radau", 0, 0, 1e-13, 1e-15});
        double before = INFINITY;
        for (double rtol = 1e-4; rtol > 1e-9; rtol *= 1e-2) {
            TestRun run = test_run_file(files[i], (TestMethod){"alpha", 0, 0, rtol, 1e-2 * rtol});
            double error = difference(&run, &exact, outputs[i]);
            if (!(error < 0.2 * before) || !(error < 100.0 * pow(rtol, 2.0 / 3.0))) {
                fail_msg("%s at rtol %g: error %.2g after %.2g", files[i], rtol, error, before);
            }
            before = error;
            test_run_free(&run);
        }
        test_run_free(&exact);
    }
}

// Friction that is hardly smoothed brings a mass to rest within a hundredth of a step: steps
// without a solution are taken in parts, on the same grid, and reported. The estimated errors hold
// although the order of the methods is not reached.
static void steps_in_parts(void** state) {
    (void)state;
    static const char* const path = "test/verify/fixed_steps/rubbed.yaml";
    static const char* const names[] = {"alpha", "gauss2", "gauss4", "gauss6", "radau", "dop853"};
    static const double lengths[] = {0.02, 0.01, 0.005};
    TestRun exact = test_run_file(path, (TestMethod){"radau", 3.0, 0.5, 1e-11, 1e-13});
    double x = test_run_last(&exact, "x");
    int n_parted = 0;
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 3; k++) {
            FbModel* model = test_model_from_file(path);
            FbRunOptions o = fb_run_options_default(model);
            FbResult* result = NULL;
            FbError err;
            o.settings.integrator = names[i];
            o.settings.step = lengths[k];
            assert_int_equal(fb_simulate(model, &o, &result, &err), FB_OK);
            assert_int_equal(fb_result_estimate_error(result, &o, &err), FB_OK);
            double error =
                fabs(fb_result_get_value(result, fb_result_get_row_count(result) - 1, 0) - x);
            assert_true(error < 0.05);
            const FbErrorEstimate* e = fb_result_get_error_estimate(result);
            if (!isfinite(e->lost_from) && e->until >= 3.0) {
                assert_true(error <= 5.0 * fb_result_get_output_error(result, 0) + 1e-9);
            }
            long grid = lround(3.0 / lengths[k]), steps = fb_result_get_stats(result)->steps;
            bool is_parted = steps > grid;
            assert_int_equal(is_parted, fb_result_get_warning_count(result) > 0);
            n_parted += is_parted;
            fb_result_destroy(result);
            fb_model_destroy(model);
        }
    }
    assert_true(n_parted >= 10);
    test_run_free(&exact);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_on_a_tree),
        cmocka_unit_test(order_on_a_loop),
        cmocka_unit_test(order_on_a_structure),
        cmocka_unit_test(damping_is_that_of_the_scheme),
        cmocka_unit_test(damping_at_infinity_is_the_spectral_radius),
        cmocka_unit_test(energy_of_a_tree),
        cmocka_unit_test(energy_of_a_loop),
        cmocka_unit_test(energy_of_a_structure),
        cmocka_unit_test(as_many_steps_as_the_grid_has),
        cmocka_unit_test(one_factorization_for_a_linear_structure),
        cmocka_unit_test(steps_in_parts),
        cmocka_unit_test(error_falls_with_the_tolerance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
