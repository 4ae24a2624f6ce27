// Rotation in space with a known solution: tops, free bodies, balls and discs that roll.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "fine_ode.h"
#include "run_support.h"

static const double G = 9.81;

// Fixed point at the tip, symmetric about its z axis: moments A across and C along the axis.
typedef struct Top {
    double m, h, A, C, lean;
} Top;

static const Top TOP = {1.2, 0.1, 0.02, 0.005, 0.5};

static TestRun spin_top(double wx, double wz, double duration, double sample) {
    return test_run_with("test/verify/rigid_bodies/top.yaml",
                         (TestMethod){"auto", duration, sample, 1e-11, 1e-13}, "wx=%.17g; wz=%.17g",
                         wx, wz);
}

// A W^2 cos(lean) - C spin W + m g h = 0: the top goes round evenly.
static void steady_precession(void** state) {
    (void)state;
    double W = 3.0;
    double spin = (TOP.A * W * W * cos(TOP.lean) + TOP.m * G * TOP.h) / (TOP.C * W);
    TestRun run = spin_top(-W * sin(TOP.lean), spin, 4.0, 0.1);
    for (int i = 0; i < run.n_rows; i++) {
        double t = test_run_time(&run, i), r = sin(TOP.lean);
        test_close("x", test_run_value(&run, i, "head.x"), r * cos(W * t), 1e-8);
        test_close("y", test_run_value(&run, i, "head.y"), r * sin(W * t), 1e-8);
        test_close("z", test_run_value(&run, i, "head.z"), cos(TOP.lean), 1e-8);
        test_close("spin", test_run_value(&run, i, "spin"), spin, 1e-8);
    }
    test_run_free(&run);
}

// Released with spin alone, u = cos(lean): u'^2 = (u0 - u) (b (1 - u^2) - a^2 (u0 - u)), with
// a = C spin/A and b = 2 m g h/A. It nods between u0 and the other root.
static void nutation(void** state) {
    (void)state;
    double spin = 120.0, a = TOP.C * spin / TOP.A, b = 2.0 * TOP.m * G * TOP.h / TOP.A;
    double u0 = cos(TOP.lean);
    double lowest = (a * a - sqrt(a * a * a * a - 4.0 * b * (a * a * u0 - b))) / (2.0 * b),
           least = 1.0;
    TestRun run = spin_top(0.0, spin, 2.0, 0.002);
    for (int i = 0; i < run.n_rows; i++) {
        double u = test_run_value(&run, i, "head.z"), rate = test_run_value(&run, i, "rate.z");
        double square = (u0 - u) * (b * (1.0 - u * u) - a * a * (u0 - u));
        test_close("u'^2", rate * rate, square, 1e-8);
        // Angular momentum about the vertical gives the precession.
        double x = test_run_value(&run, i, "head.x"), y = test_run_value(&run, i, "head.y");
        double around =
            x * test_run_value(&run, i, "rate.y") - y * test_run_value(&run, i, "rate.x");
        test_close("precession", around, a * (u0 - u), 1e-8);
        least = fmin(least, u);
    }
    test_close("lowest", least, lowest, 1e-5);
    test_run_free(&run);
}

// A symmetric body: the rate across the axis goes round with (C - A)/A times the spin.
static void free_symmetric_body(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/rigid_bodies/free_symmetric_body.yaml",
                                (TestMethod){"auto", 10.0, 0.1, 1e-12, 1e-14});
    double n = (3.0 - 2.0) / 2.0 * 5.0;
    for (int i = 0; i < run.n_rows; i++) {
        double t = test_run_time(&run, i);
        test_close("x", test_run_value(&run, i, "x"), 0.7 * cos(n * t), 1e-9);
        test_close("y", test_run_value(&run, i, "y"), 0.7 * sin(n * t), 1e-9);
        test_close("z", test_run_value(&run, i, "z"), 5.0, 1e-10);
    }
    test_run_free(&run);
}

static void euler_rate(const long double* w, long double* rate) {
    rate[0] = (2.0L - 3.0L) / 1.0L * w[1] * w[2];
    rate[1] = (3.0L - 1.0L) / 2.0L * w[2] * w[0];
    rate[2] = (1.0L - 2.0L) / 3.0L * w[0] * w[1];
}

// About the axis of the intermediate moment a body tumbles over and over.
static void intermediate_axis(void** state) {
    (void)state;
    for (const char* const* method = test_all_integrators(); *method; method++) {
        bool is_bdf = test_is_bdf(*method);
        TestRun run =
            test_run_file("test/verify/rigid_bodies/intermediate_axis.yaml",
                          (TestMethod){*method, 12.0, 0.1, is_bdf ? 1e-10 : 1e-12, 1e-13});
        long double w[3] = {0.01L, 3.0L, 0.0L};
        double lowest = 3.0, tolerance = is_bdf ? 1e-4 : 1e-6;
        for (int i = 0; i < run.n_rows; i++) {
            test_close("x", test_run_value(&run, i, "x"), (double)w[0], tolerance);
            test_close("y", test_run_value(&run, i, "y"), (double)w[1], tolerance);
            test_close("z", test_run_value(&run, i, "z"), (double)w[2], tolerance);
            lowest = fmin(lowest, test_run_value(&run, i, "y"));
            fine_advance(euler_rate, 3, w, 0.1L, 200);
        }
        assert_true(lowest < -2.9);
        assert_true(test_run_drift(&run, "L.y") < tolerance);
        assert_true(test_run_drift(&run, "E") < tolerance);
        test_run_free(&run);
    }
}

// On the level a ball rolls straight on, also with spin about the vertical.
static void ball_on_the_level(void** state) {
    (void)state;
    for (const char* const* method = test_all_integrators(); *method; method++) {
        TestRun run = test_run_file("test/verify/rigid_bodies/ball_on_the_level.yaml",
                                    (TestMethod){*method, 5.0, 0.1, 1e-9, 1e-11});
        for (int i = 0; i < run.n_rows; i++) {
            double t = test_run_time(&run, i);
            test_close("x", test_run_value(&run, i, "c.x"), t, 1e-6);
            test_close("y", test_run_value(&run, i, "c.y"), 0.5 * t, 1e-6);
            test_close("z", test_run_value(&run, i, "c.z"), 0.2, 1e-10);
            test_close("spin", test_run_value(&run, i, "w.z"), 4.0, 1e-6);
            test_close("press", -test_run_value(&run, i, "press.1"), 3.0 * G, 1e-5);
        }
        test_run_free(&run);
    }
}

// Down a slope: 5/7 g sin.
static void ball_on_a_slope(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/rigid_bodies/ball_on_a_slope.yaml",
                                (TestMethod){"auto", 3.0, 0.1, 1e-10, 1e-12});
    for (int i = 0; i < run.n_rows; i++) {
        double t = test_run_time(&run, i);
        test_close("x", test_run_value(&run, i, "c.x"), 0.5 * 5.0 / 7.0 * 2.0 * t * t, 1e-8);
        test_close("y", test_run_value(&run, i, "c.y"), 0.5 * t, 1e-8);
    }
    test_run_free(&run);
}

// A disc (axis at the angle `lean` from the vertical) goes round with W in steady motion where
// spin W sin (C + m R^2) = A W^2 sin cos - m g R cos; the circle has the radius -spin R/W.
static void disc_in_a_circle(void** state) {
    (void)state;
    double R = 0.3, m = 2.0, A = m * R * R / 4.0, C = m * R * R / 2.0, lean = 1.2, W = 2.5;
    double c = cos(lean), s = sin(lean);
    double spin = (A * W * W * s * c - m * G * R * c) / (W * s * (C + m * R * R));
    double radius = -spin * R / W;
    TestRun run = test_run_file("test/verify/rigid_bodies/disc.yaml",
                                (TestMethod){"auto", 5.0, 0.1, 1e-11, 1e-13});
    for (int i = 0; i < run.n_rows; i++) {
        double t = test_run_time(&run, i);
        test_close("x", test_run_value(&run, i, "c.x"), radius * cos(W * t), 1e-7);
        test_close("y", test_run_value(&run, i, "c.y"), radius * sin(W * t), 1e-7);
        test_close("z", test_run_value(&run, i, "c.z"), R * s, 1e-7);
    }
    test_run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steady_precession),   cmocka_unit_test(nutation),
        cmocka_unit_test(free_symmetric_body), cmocka_unit_test(intermediate_axis),
        cmocka_unit_test(ball_on_the_level),   cmocka_unit_test(ball_on_a_slope),
        cmocka_unit_test(disc_in_a_circle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
