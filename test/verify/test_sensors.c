// Sensors against formulas: motion seen from ground and from a turning body, angles, momenta,
// signals of forces.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "run_support.h"

static const TestMethod METHOD = {"radau", 2.0, 0.1, 1e-11, 1e-13};

static void check3(const TestRun* run, int row, const char* name, double x, double y, double z) {
    const double expected[3] = {x, y, z};
    for (int c = 0; c < 3; c++) {
        char output[40];
        snprintf(output, sizeof(output), "%s.%c", name, "xyz"[c]);
        test_close(output, test_run_value(run, row, output), expected[c], 1e-8);
    }
}

// A bead slides along a turning arm: psi = 0.3 + t + t^2/2 and r = 1 + 0.2 sin(2 t) are prescribed.
static void turning_observer(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/sensors/turning_observer.yaml", METHOD);
    for (int i = 0; i < run.n_rows; i++) {
        double t = test_run_time(&run, i), psi = 0.3 + t + 0.5 * t * t, w = 1.0 + t;
        double r = 1.0 + 0.2 * sin(2.0 * t), rv = 0.4 * cos(2.0 * t), ra = -0.8 * sin(2.0 * t);
        double c = cos(psi), s = sin(psi);
        double radial = ra - r * w * w, around = r + 2.0 * rv * w;
        check3(&run, i, "p", r * c, r * s, 0.0);
        check3(&run, i, "v", rv * c - r * w * s, rv * s + r * w * c, 0.0);
        check3(&run, i, "a", radial * c - around * s, radial * s + around * c, 0.0);
        check3(&run, i, "pa", r, 0.0, 0.0);
        check3(&run, i, "va", rv, 0.0, 0.0);
        check3(&run, i, "aa", ra, 0.0, 0.0);
        check3(&run, i, "pm", r - 0.5, 0.0, 0.0);
        // The ground point seen from the arm turns backwards.
        check3(&run, i, "pg", 2.0 * c, -2.0 * s, 0.0);
        check3(&run, i, "vg", -2.0 * w * s, -2.0 * w * c, 0.0);
        check3(&run, i, "ag", -2.0 * (s + w * w * c), -2.0 * (c - w * w * s), 0.0);
        check3(&run, i, "w", 0.0, 0.0, w);
        check3(&run, i, "alpha", 0.0, 0.0, 1.0);
        check3(&run, i, "wg", 0.0, 0.0, -w);
        check3(&run, i, "wb", 0.0, 0.0, 0.0);
        test_close("d", test_run_value(&run, i, "d"), sqrt(4.0 + r * r - 4.0 * r * c), 1e-9);
        test_close("px", test_run_value(&run, i, "px"), r * c, 1e-9);
        test_close("yaw", test_run_value(&run, i, "yaw.yaw"), atan2(s, c), 1e-9);
        test_close("w", fabs(test_run_value(&run, i, "q.w")), fabs(cos(psi / 2.0)), 1e-9);
        test_close("z", fabs(test_run_value(&run, i, "q.z")), fabs(sin(psi / 2.0)), 1e-9);
        test_close("qdd", test_run_value(&run, i, "qdd"), 1.0, 1e-8);
        test_close("rdd", test_run_value(&run, i, "rdd"), ra, 1e-8);
        test_close("speed", test_run_value(&run, i, "speed"), hypot(rv, r * w), 1e-8);
    }
    test_run_free(&run);
}

// Second differences of positions seen from a body that tumbles: accelerations in a generic frame.
static void tumbling_observer(void** state) {
    (void)state;
    const double h = 0.004;
    TestRun run = test_run_file("test/verify/sensors/tumbling_observer.yaml",
                                (TestMethod){"dop853", 1.0, h, 1e-12, 1e-14});
    for (int i = 2; i + 2 < run.n_rows; i++) {
        for (int c = 0; c < 3; c++) {
            const char* const of[2][2] = {{"p", "v"}, {"v", "a"}};
            double x[5];
            for (int k = 0; k < 2; k++) {
                char from[8], to[8];
                snprintf(from, sizeof(from), "%s.%c", of[k][0], "xyz"[c]);
                snprintf(to, sizeof(to), "%s.%c", of[k][1], "xyz"[c]);
                for (int j = 0; j < 5; j++) {
                    x[j] = test_run_value(&run, i + j - 2, from);
                }
                double slope = (8.0 * (x[3] - x[1]) - (x[4] - x[0])) / (12.0 * h);
                test_close(to, test_run_value(&run, i, to), slope, 2e-5);
            }
            char from[8], to[12];
            snprintf(from, sizeof(from), "w.%c", "xyz"[c]);
            snprintf(to, sizeof(to), "alpha.%c", "xyz"[c]);
            for (int j = 0; j < 5; j++) {
                x[j] = test_run_value(&run, i + j - 2, from);
            }
            double slope = (8.0 * (x[3] - x[1]) - (x[4] - x[0])) / (12.0 * h);
            test_close(to, test_run_value(&run, i, to), slope, 2e-5);
        }
    }
    test_run_free(&run);
}

// Yaw, pitch and roll in this order, and the quaternion, of a body held at a known orientation.
static void orientation(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/sensors/orientation.yaml",
                                (TestMethod){"auto", 0.1, 0.1, 0.0, 0.0});
    test_close("yaw", test_run_last(&run, "angles.yaw"), 0.7, 1e-12);
    test_close("pitch", test_run_last(&run, "angles.pitch"), -0.4, 1e-12);
    test_close("roll", test_run_last(&run, "angles.roll"), 0.2, 1e-12);
    double cy = cos(0.35), sy = sin(0.35), cp = cos(-0.2), sp = sin(-0.2), cr = cos(0.1),
           sr = sin(0.1);
    test_close("w", test_run_last(&run, "q.w"), cy * cp * cr + sy * sp * sr, 1e-12);
    test_close("x", test_run_last(&run, "q.x"), cy * cp * sr - sy * sp * cr, 1e-12);
    test_close("y", test_run_last(&run, "q.y"), cy * sp * cr + sy * cp * sr, 1e-12);
    test_close("z", test_run_last(&run, "q.z"), sy * cp * cr - cy * sp * sr, 1e-12);
    test_close("back", test_run_last(&run, "back.z"), -test_run_last(&run, "q.z"), 1e-12);
    test_run_free(&run);
}

// Signals of forces: length, rate, force; energies by hand.
static void forces_and_energies(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/sensors/forces_and_energies.yaml", METHOD);
    for (int i = 0; i < run.n_rows; i++) {
        double x = test_run_value(&run, i, "x"), v = test_run_value(&run, i, "v");
        double pull = 40.0 * (x - 1.0) + 3.0 * v;
        test_close("length", test_run_value(&run, i, "length"), x, 1e-12);
        test_close("rate", test_run_value(&run, i, "rate"), v, 1e-12);
        test_close("pull", test_run_value(&run, i, "pull"), pull, 1e-10);
        test_close("a", test_run_value(&run, i, "a"), (-pull - 0.5 * v) / 2.0 - 9.81, 1e-9);
        test_close("T", test_run_value(&run, i, "T"), v * v, 1e-12);
        test_close("V", test_run_value(&run, i, "V"), 2.0 * 9.81 * x + 20.0 * (x - 1.0) * (x - 1.0),
                   1e-10);
        test_close("E", test_run_value(&run, i, "E"),
                   test_run_value(&run, i, "T") + test_run_value(&run, i, "V"), 1e-12);
        test_close("c", test_run_value(&run, i, "c"), x, 1e-12);
        test_close("p", test_run_value(&run, i, "p"), 2.0 * v, 1e-12);
    }
    test_run_free(&run);
}

// A body that is turned and at rest feels the ground push upward: R' (0, 0, g).
static void instruments_at_rest(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/sensors/instruments_at_rest.yaml", METHOD);
    // The third row of Rz(0.4) Ry(0.5) Rx(-0.7).
    const double up[3] = {-sin(0.5), cos(0.5) * sin(-0.7), cos(0.5) * cos(-0.7)};
    check3(&run, 1, "felt", 9.81 * up[0], 9.81 * up[1], 9.81 * up[2]);
    check3(&run, 1, "moved", 0, 0, 0);
    check3(&run, 1, "gyro", 0, 0, 0);
    test_run_free(&run);
}

// A body that is turned by 0.6 about its own x spins about the ground's z: w^2 r toward the axis.
static void instruments_on_a_turntable(void** state) {
    (void)state;
    const double w = 3.0, r = 0.8, c = cos(0.6), s = sin(0.6);
    TestRun run = test_run_file("test/verify/sensors/instruments_on_a_turntable.yaml", METHOD);
    for (int i = 0; i < run.n_rows; i++) {
        check3(&run, i, "felt", -w * w * r, 9.81 * s, 9.81 * c);
        check3(&run, i, "moved", -w * w * r, 0, 0);
        check3(&run, i, "gyro", 0, w * s, w * c);
        test_close("gz", test_run_value(&run, i, "gz"), w * c, 1e-9);
    }
    test_run_free(&run);
}

// With every method and at every tolerance: also where a step ends at the sample, whose own
// accelerations are only as good as Newton's iteration left them.
static void accelerations_fit_the_state(void** state) {
    (void)state;
    for (const char* const* name = test_integrators(); *name; name++) {
        for (int i = 4; i <= 10; i += 3) {
            TestMethod method = {.integrator = *name, .rtol = pow(10.0, -i), .atol = 1e-8};
            TestRun run =
                test_run_file("test/verify/sensors/acceleration_of_a_pendulum.yaml", method);
            for (int row = 0; row < run.n_rows; row++) {
                double a = -9.81 / 0.8 * sin(test_run_value(&run, row, "angle"));
                test_close(*name, test_run_value(&run, row, "turning"), a, 1e-12);
            }
            test_run_free(&run);
        }
    }
}

// A point on a string feels the string alone: nothing across, g cos(q) + L q'^2 along it.
static void accelerometer_of_a_pendulum(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/sensors/accelerometer_of_a_pendulum.yaml", METHOD);
    for (int i = 0; i < run.n_rows; i++) {
        double q = test_run_value(&run, i, "q");
        // Energy: L q'^2 = 2 g (cos q - cos 1.1).
        double square = 2.0 * 9.81 * (cos(q) - cos(1.1));
        test_close("felt.x", test_run_value(&run, i, "felt.x"), 0.0, 1e-8);
        test_close("felt.y", test_run_value(&run, i, "felt.y"), 9.81 * cos(q) + square, 1e-8);
        test_close("gyro", pow(test_run_value(&run, i, "gyro.z"), 2.0) * 1.3, square, 1e-8);
    }
    test_run_free(&run);
}

// In free fall nothing is felt at the centre, however the body tumbles; Euler's equations hold in
// the gyro's axes: I1 w1' = (I2 - I3) w2 w3 for the integrated motion.
static void instruments_in_free_fall(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/sensors/instruments_in_free_fall.yaml", METHOD);
    double energy = 0.0, size = 0.0;
    for (int i = 0; i < run.n_rows; i++) {
        check3(&run, i, "felt", 0, 0, 0);
        double w[3], a[3];
        for (int c = 0; c < 3; c++) {
            char name[16];
            snprintf(name, sizeof name, "gyro.%c", "xyz"[c]);
            w[c] = test_run_value(&run, i, name);
            snprintf(name, sizeof name, "moved.%c", "xyz"[c]);
            a[c] = test_run_value(&run, i, name);
        }
        test_close("|g|", a[0] * a[0] + a[1] * a[1] + a[2] * a[2], 1 + 9.81 * 9.81 + 4, 1e-8);
        double e = w[0] * w[0] + 2.0 * w[1] * w[1] + 2.5 * w[2] * w[2];
        double h = w[0] * w[0] + 4.0 * w[1] * w[1] + 6.25 * w[2] * w[2];
        energy = i == 0 ? e : energy;
        size = i == 0 ? h : size;
        test_close("energy in body axes", e, energy, 1e-8);
        test_close("momentum in body axes", h, size, 1e-8);
    }
    test_run_free(&run);
}

// A gyro may act back on the motion, as a rate damper does: w' = -c/I w.
static void gyro_in_a_controller(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/sensors/gyro_in_a_controller.yaml", METHOD);
    for (int i = 0; i < run.n_rows; i++) {
        test_close("w", test_run_value(&run, i, "w"), 5.0 * exp(-0.75 * test_run_time(&run, i)),
                   1e-9);
    }
    test_run_free(&run);
}

// A sensor with one value is called by its bare name: a scalar, or a vector with `component`. Both
// names mean the same, in forces, outputs, events and initial values: z'' = -k z.
static void one_component_by_its_bare_name(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/sensors/single_component.yaml", METHOD);
    for (int i = 0; i < run.n_rows; i++) {
        double t = test_run_time(&run, i);
        test_close("z", test_run_value(&run, i, "z"), 0.5 * cos(2.0 * t), 1e-9);
        test_close("pz - pz.z", test_run_value(&run, i, "same"), 0.0, 0.0);
        test_close("2 y", test_run_value(&run, i, "twice"), 6.0 * t, 1e-9);
    }
    test_run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turning_observer),
        cmocka_unit_test(tumbling_observer),
        cmocka_unit_test(orientation),
        cmocka_unit_test(forces_and_energies),
        cmocka_unit_test(instruments_at_rest),
        cmocka_unit_test(instruments_on_a_turntable),
        cmocka_unit_test(accelerations_fit_the_state),
        cmocka_unit_test(accelerometer_of_a_pendulum),
        cmocka_unit_test(instruments_in_free_fall),
        cmocka_unit_test(gyro_in_a_controller),
        cmocka_unit_test(one_component_by_its_bare_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
