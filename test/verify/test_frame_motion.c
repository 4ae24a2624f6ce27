// Frames that move: energy and momenta that stay, centrifugal stiffening, moving supports, loops of
// flexible parts, and the linear theory as the limit of the nonlinear one.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../every.h"
#include "run_support.h"

static const double PI = 3.14159265358979323846;

static const TestMethod FINE = {.integrator = "radau", .rtol = 1e-10, .atol = 1e-12};

// Thrown with spin about all axes and bent: nothing acts on it from outside.
static void thrown_beam(void** state) {
    (void)state;
    const char* forms[] = {"beam: euler", "mass: lumped", "beam: timoshenko"};
    for (int i = 0; i < 3; i++) {
        TestRun run = test_run_with("test/verify/frame_motion/thrown_beam.yaml", FINE,
                                    "beam: euler => %s", forms[i]);
        double E = test_run_value(&run, 0, "E"), U = 0.0;
        for (int row = 0; row < run.n_rows; row++) {
            U = fmax(U, test_run_value(&run, row, "U"));
        }
        assert_true(U > 0.2 * E);  // it bends a lot
        test_close("energy", test_run_drift(&run, "E"), 0.0, 1e-7 * E);
        const char* kept[] = {"P.x", "P.y", "P.z", "H.x", "H.y", "H.z"};
        for (int k = 0; k < 6; k++) {
            test_close(kept[k], test_run_drift(&run, kept[k]), 0.0, 2e-7);
        }
        double t = test_run_time(&run, run.n_rows - 1);
        test_close("center", test_run_last(&run, "c.y") - test_run_value(&run, 0, "c.y"),
                   t * test_run_value(&run, 0, "P.y") / (2.0 * 2.0), 1e-7);
        test_run_free(&run);
    }
}

// The limit of small motions in a plane, where the mass matrices are the same (in space the rotary
// inertia about the axis is lumped with large rotations): the difference falls with the amplitude.
static void small_motions(void** state) {
    (void)state;
    double error[2];
    for (int i = 0; i < 2; i++) {
        TestRun run[2];
        for (int k = 0; k < 2; k++) {
            run[k] = test_run_with("test/verify/frame_motion/small_motions.yaml", FINE,
                                   "vx=%g; "
                                   "vz=%g; "
                                   "theory: linear => theory: %s",
                                   i ? 0.03 : 0.3, i ? 0.02 : 0.2, k ? "nonlinear" : "linear");
        }
        error[i] = 0.0;
        double size = 0.0;
        for (int row = 0; row < run[0].n_rows; row++) {
            double y = test_run_value(&run[0], row, "y");
            error[i] = fmax(error[i], fabs(test_run_value(&run[1], row, "y") - y));
            size = fmax(size, fabs(y));
        }
        error[i] /= size;
        test_run_free(&run[0]);
        test_run_free(&run[1]);
    }
    assert_true(error[0] > 1e-3 && error[0] < 0.1);
    assert_true(error[1] < 0.11 * error[0]);
}

// A uniform cantilever that turns with W = eta sqrt(EI/mu)/L^2 and flaps across the plane of
// rotation with 6.4495 (eta = 5) or 11.2023 (eta = 10) of the same unit (Wright, Smith, Thresher
// and Wang 1982); without rotation it is 3.5160. From crossings of the tip through its plane.
static double flap_frequency(double eta) {
    const double L = 2.0, unit = sqrt(200.0 / 2.0) / (L * L);
    TestRun run = test_run_with("test/verify/frame_motion/flapping_cantilever.yaml",
                                (TestMethod){.integrator = "radau", .rtol = 1e-7, .atol = 1e-11},
                                "eta=%g", eta);
    double first = NAN, last = NAN;
    int n_crossings = 0;
    for (int row = 1; row < run.n_rows; row++) {
        double a = test_run_value(&run, row - 1, "z"), b = test_run_value(&run, row, "z");
        if (row > 1 && a * b < 0.0) {
            double t = test_run_time(&run, row - 1);
            last = t + (test_run_time(&run, row) - t) * a / (a - b);
            first = n_crossings++ == 0 ? last : first;
        }
    }
    test_run_free(&run);
    return PI * (n_crossings - 1) / (last - first) / unit;
}

static void centrifugal_stiffening(void** state) {
    (void)state;
    test_close("eta 5", flap_frequency(5.0), 6.4495, 0.01);
    if (TEST_EVERY(2) == 1) {
        test_close("eta 0.01", flap_frequency(0.01), 3.5160, 0.02);
        test_close("eta 10", flap_frequency(10.0), 11.2023, 0.02);
    }
}

// A support that moves by x(t) is, seen from it, a fixed one with the load -mu x''(t).
static void moving_support(void** state) {
    (void)state;
    const char* paths[] = {"test/verify/frame_motion/moving_support.yaml",
                           "test/verify/frame_motion/load_instead_of_moving_support.yaml"};
    TestRun a = test_run_file(paths[0], FINE), b = test_run_file(paths[1], FINE);
    double size = fabs(test_run_last(&b, "d"));
    assert_true(size > 1e-4);
    test_close("support", test_run_last(&a, "x"), 0.02 * 1.3 * 1.3 * 1.3, 1e-12);
    for (int row = 0; row < b.n_rows; row++) {
        test_close("relative motion", test_run_value(&a, row, "d"), test_run_value(&b, row, "d"),
                   1e-6 * size);
    }
    test_run_free(&a);
    test_run_free(&b);
}

// A crank, a flexible rod and a sliding block, closed by joints: falls, bends, keeps its energy.
static void flexible_slider_crank(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/frame_motion/flexible_slider_crank.yaml",
                                (TestMethod){.integrator = "radau", .rtol = 1e-9, .atol = 1e-11});
    double bend = 0.0, swing = 0.0;
    for (int row = 0; row < run.n_rows; row++) {
        swing = fmax(swing, fabs(test_run_value(&run, row, "angle")));
        bend = fmax(bend, fabs(test_run_value(&run, row, "bend")));
    }
    assert_true(bend > 0.01 && swing > 0.5);
    test_close("energy", test_run_drift(&run, "E"), 0.0, 1e-6);
    test_run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thrown_beam),
        cmocka_unit_test(small_motions),
        cmocka_unit_test(centrifugal_stiffening),
        cmocka_unit_test(moving_support),
        cmocka_unit_test(flexible_slider_crank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
