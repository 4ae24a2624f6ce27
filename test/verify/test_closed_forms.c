// Mechanisms with a known solution: pendulums, slider-crank, cardan joint, screw, gears, friction,
// driven motion.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "fine_ode.h"
#include "run_support.h"

static const double PI = 3.14159265358979323846;
static const double G = 9.81;

static TestMethod tight(double duration, double sample) {
    return (TestMethod){"auto", duration, sample, 1e-11, 1e-13};
}

// The period 2 pi sqrt(L/g) / agm(1, cos(amplitude/2)).
static double pendulum_period(double length, double amplitude) {
    double a = 1.0, b = cos(0.5 * amplitude);
    for (int i = 0; i < 8; i++) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return 2.0 * PI * sqrt(length / G) / a;
}

static void pendulum_period_is_elliptic(void** state) {
    (void)state;
    const char* const methods[] = {"radau", "dop853", NULL};
    double amplitude = 2.5, period = pendulum_period(0.8, amplitude);
    for (int m = 0; methods[m]; m++) {
        TestRun run =
            test_run_file("test/verify/closed_forms/pendulum.yaml",
                          (TestMethod){methods[m], 3.0 * period, 0.25 * period, 1e-12, 1e-14});
        const double expected[4] = {amplitude, 0.0, -amplitude, 0.0};
        for (int i = 0; i < run.n_rows; i++) {
            test_close("angle", test_run_value(&run, i, "angle"), expected[i % 4], 1e-9);
        }
        test_run_free(&run);
    }
}

// Two uniform rods of 1 m and 1 kg, absolute angles from the downward vertical.
static void double_pendulum_rate(const long double* y, long double* rate) {
    long double g = 9.81L, c = cosl(y[0] - y[1]), s = sinl(y[0] - y[1]);
    long double a = 4.0L / 3.0L, b = 0.5L * c, d = 1.0L / 3.0L;
    long double f1 = -0.5L * s * y[3] * y[3] - 1.5L * g * sinl(y[0]);
    long double f2 = 0.5L * s * y[2] * y[2] - 0.5L * g * sinl(y[1]);
    long double det = a * d - b * b;
    rate[0] = y[2];
    rate[1] = y[3];
    rate[2] = (d * f1 - b * f2) / det;
    rate[3] = (a * f2 - b * f1) / det;
}

static void double_pendulum(void** state) {
    (void)state;
    FbModel* model = test_model_from_file("test/verify/closed_forms/double_pendulum.yaml");
    TestRun run = test_run_model(model, tight(3.0, 0.1));
    long double y[4] = {acosl(-1.0L) / 2.0L, acosl(-1.0L) / 2.0L, 0.0L, 1.0L};
    for (int i = 0; i < run.n_rows; i++) {
        test_close("q1", test_run_value(&run, i, "q1"), (double)y[0] - PI / 2.0, 1e-8);
        test_close("q2", test_run_value(&run, i, "q2"), (double)(y[1] - y[0]), 1e-8);
        fine_advance(double_pendulum_rate, 4, y, 0.1L, 400);
    }
    test_run_free(&run);
}

// The slider's place follows from the crank angle: x^2 = l^2 - y^2 - z^2 of the crank pin.
static void spatial_slider_crank(void** state) {
    (void)state;
    for (const char* const* method = test_all_integrators(); *method; method++) {
        TestRun run =
            test_run_file("models/slider_crank.yaml", (TestMethod){*method, 3.0, 0.03, 1e-7, 1e-9});
        for (int i = 0; i < run.n_rows; i++) {
            double phi = test_run_value(&run, i, "angle"), w = test_run_value(&run, i, "rate");
            double y = 0.1 - 0.08 * sin(phi), z = 0.12 + 0.08 * cos(phi);
            double yv = -0.08 * w * cos(phi), zv = -0.08 * w * sin(phi);
            double x = sqrt(0.09 - y * y - z * z);
            test_close("x", test_run_value(&run, i, "x"), x, 1e-10);
            test_close("v", test_run_value(&run, i, "v"), -(y * yv + z * zv) / x, 1e-9);
        }
        test_run_free(&run);
    }
}

// tan(out) = cos(bend) tan(in); the output speed swings between cos(bend) and 1/cos(bend) times the
// input's.
static void universal_joint_speed(void** state) {
    (void)state;
    const double c = cos(0.6);
    TestRun run = test_run_file("test/verify/closed_forms/universal_joint.yaml", tight(10.0, 0.05));
    for (int i = 0; i < run.n_rows; i++) {
        double in = 2.0 * test_run_time(&run, i), turns = round(in / (2.0 * PI));
        double left = in - 2.0 * PI * turns;
        double out = atan2(c * sin(left), cos(left)) + 2.0 * PI * turns;
        double speed = 2.0 * c / (cos(in) * cos(in) + c * c * sin(in) * sin(in));
        test_close("angle", test_run_value(&run, i, "q"), out, 1e-9);
        test_close("speed", test_run_value(&run, i, "v"), speed, 1e-9);
    }
    test_run_free(&run);
}

// A nut falls along its screw: (m p^2 + I) angle'' = m g p with p metres a radian.
static void screw(void** state) {
    (void)state;
    double p = 0.3 / (2.0 * PI), m = 2.0, inertia = 0.05;
    TestRun run = test_run_file("test/verify/closed_forms/screw.yaml", tight(2.0, 0.1));
    double a = m * G * p / (m * p * p + inertia);
    for (int i = 0; i < run.n_rows; i++) {
        double t = test_run_time(&run, i);
        test_close("angle", test_run_value(&run, i, "angle"), 0.5 * a * t * t, 1e-9);
        test_close("z", test_run_value(&run, i, "z"), 0.5 * p * a * t * t, 1e-9);
        test_close("push", test_run_value(&run, i, "push.z"), m * (p * a - G), 1e-9);
        test_close("twist", test_run_value(&run, i, "twist.z"), inertia * a, 1e-9);
    }
    test_run_free(&run);
}

// A torque drives a wheel, that another by a gear of ratio -2, that a rack.
static void gear_train_and_rack(void** state) {
    (void)state;
    TestRun run =
        test_run_file("test/verify/closed_forms/gear_train_and_rack.yaml", tight(2.0, 0.1));
    double acceleration = 3.0 / (0.3 + 4.0 * 0.07 + 0.4 * 0.4 * 4.0);
    for (int i = 0; i < run.n_rows; i++) {
        double t = test_run_time(&run, i), q = -0.25 * t + 0.5 * acceleration * t * t;
        test_close("a", test_run_value(&run, i, "a"), q, 1e-9);
        test_close("b", test_run_value(&run, i, "b"), -2.0 * q, 1e-9);
        test_close("c", test_run_value(&run, i, "c"), -0.4 * q, 1e-9);
        test_close("rate", test_run_value(&run, i, "c_rate"), 0.1 - 0.4 * acceleration * t, 1e-9);
        // A positive multiplier holds the value of its row back; the rack is pushed the other way.
        test_close("push", test_run_value(&run, i, "push"), 4.0 * 0.4 * acceleration, 1e-9);
        test_close("mesh", test_run_value(&run, i, "mesh"),
                   2.0 * 0.07 * acceleration + 0.2 * 4.0 * 0.4 * acceleration, 1e-9);
    }
    test_run_free(&run);
}

// The torque that swings a rod as prescribed is that of inverse dynamics.
static void driven_rod(void** state) {
    (void)state;
    for (const char* const* method = test_all_integrators(); *method; method++) {
        TestRun run = test_run_file("test/verify/closed_forms/driven_rod.yaml",
                                    (TestMethod){*method, 3.0, 0.05, 1e-9, 1e-11});
        for (int i = 0; i < run.n_rows; i++) {
            double x = 3.0 * test_run_time(&run, i) + 0.3;
            double q = 0.5 * sin(x), a = -4.5 * sin(x);
            double torque = 2.0 * 0.81 / 3.0 * a + 2.0 * G * 0.45 * cos(q);
            test_close("q", test_run_value(&run, i, "q"), q, 1e-10);
            test_close("v", test_run_value(&run, i, "v"), 1.5 * cos(x), 1e-9);
            test_close("a", test_run_value(&run, i, "a"), a, 1e-9);
            test_close("torque", -test_run_value(&run, i, "hold"), torque, 1e-8);
        }
        test_run_free(&run);
    }
}

// A block slides until Coulomb friction has stopped it: after m v/F, at m v^2/(2 F).
static void coulomb_stop(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/closed_forms/coulomb_stop.yaml",
                                (TestMethod){"radau", 2.0, 0.125, 1e-9, 1e-11});
    for (int i = 0; i < run.n_rows; i++) {
        double t = test_run_time(&run, i);
        double v = fmax(0.0, 3.0 - 2.0 * t), x = (9.0 - v * v) / 4.0;
        test_close("v", test_run_value(&run, i, "v"), v, i == 12 ? 1e-4 : 1e-7);
        test_close("x", test_run_value(&run, i, "x"), x, 1e-7);
        test_close("lost", test_run_value(&run, i, "lost"), 4.0 * x, 1e-6);
    }
    test_run_free(&run);
}

// A rotor closes a loop and spins fast: its angle is counted over many turns, however long the
// steps.
static void turns_of_a_loop_joint_are_counted(void** state) {
    (void)state;
    for (const char* const* method = test_all_integrators(); *method; method++) {
        TestRun run = test_run_file("test/verify/closed_forms/fast_rotor_in_a_loop.yaml",
                                    (TestMethod){*method, 20.0, 0.5, 1e-6, 1e-8});
        for (int i = 0; i < run.n_rows; i++) {
            test_close("angle", test_run_value(&run, i, "angle"), 30.0 * test_run_time(&run, i),
                       1e-6);
        }
        test_run_free(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_period_is_elliptic),
        cmocka_unit_test(double_pendulum),
        cmocka_unit_test(spatial_slider_crank),
        cmocka_unit_test(universal_joint_speed),
        cmocka_unit_test(screw),
        cmocka_unit_test(gear_train_and_rack),
        cmocka_unit_test(driven_rod),
        cmocka_unit_test(coulomb_stop),
        cmocka_unit_test(turns_of_a_loop_joint_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
