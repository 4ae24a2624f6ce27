// Inputs, outputs and frequency response against closed forms and against time simulation;
// participation and shapes of modes; small motions that follow the predicted modes.
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

// m l^2 theta'' + c theta' + m g l theta = u
static TestLinear pendulum(const char* torque) {
    TestLinear t = test_linear_with("test/verify/linear_response/pendulum.yaml",
                                    TEST_AT_EQUILIBRIUM, "value: \"0\" => value: \"%s\"", torque);
    FbError err;
    assert_int_equal(fb_linearization_calc_input_output(t.l, &err), FB_OK);
    return t;
}

static int find_input(const TestLinear* t, const char* name) {
    for (int i = 0; fb_linearization_get_input_name(t->l, i); i++) {
        if (strcmp(fb_linearization_get_input_name(t->l, i), name) == 0) {
            return i;
        }
    }
    fail_msg("no input '%s'", name);
    return -1;
}

static int find_output(const TestLinear* t, const char* name) {
    for (int i = 0; fb_linearization_get_output_name(t->l, i); i++) {
        if (strcmp(fb_linearization_get_output_name(t->l, i), name) == 0) {
            return i;
        }
    }
    return -1;
}

static double complex response(const TestLinear* t, const char* input, const char* output,
                               double omega) {
    double re, im;
    FbError err;
    int y = find_output(t, output);
    assert_true(y >= 0);
    assert_int_equal(
        fb_linearization_calc_response(t->l, find_input(t, input), y, omega, &re, &im, &err),
        FB_OK);
    return CMPLX(re, im);
}

static void check_response(const char* what, double complex value, double complex expected) {
    if (!(cabs(value - expected) <= 1e-12 * (1.0 + cabs(expected)))) {
        fail_msg("%s is %.15g %+.15g i instead of %.15g %+.15g i", what, creal(value), cimag(value),
                 creal(expected), cimag(expected));
    }
}

static void test_matrices(void** state) {
    (void)state;
    TestLinear t = pendulum("0");
    FbReducedMatrices m;
    fb_linearization_get_matrices(t.l, &m);
    const double J = 0.5, c = 0.3, k = 2.0 * 9.81 * 0.5;
    assert_int_equal(m.n, 2);
    assert_int_equal(m.f, 1);
    assert_int_equal(m.p, 1);
    assert_int_equal(m.n_u, 2);
    assert_int_equal(m.n_y, 10);  // all but the energy
    assert_int_equal(find_output(&t, "energy"), -1);
    test_close("M", m.M[0], J, 1e-15);
    test_close("C", m.C[0], c, 1e-15);
    test_close("K", m.K[0], k, 1e-14);
    const double A[4] = {0.0, -k / J, 1.0, -c / J};
    for (int i = 0; i < 4; i++) {
        test_close("A", m.A[i], A[i], 1e-13);
    }
    int motor = find_input(&t, "motor"), air = find_input(&t, "air");
    test_close("B of the motor", m.B[2 * motor + 1], 1.0 / J, 1e-14);
    test_close("B of the motor, kinematic", m.B[2 * motor], 0.0, 0.0);
    test_close("B of the torsion spring, positive pulls back", m.B[2 * air + 1], -1.0 / J, 1e-14);
    const struct {
        const char* name;
        double by_q, by_v, by_motor;
    } rows[] = {{"angle", 1, 0, 0}, {"rate", 0, 1, 0},      {"tip.x", 0.5, 0, 0},
                {"tip.y", 0, 0, 0}, {"speed.x", 0, 0.5, 0}, {"moment", 0, 0, 1},
                {"mixed", 2, 0, 1}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int y = find_output(&t, rows[i].name);
        test_close(rows[i].name, m.Cy[y], rows[i].by_q, 1e-14);
        test_close(rows[i].name, m.Cy[m.n_y + y], rows[i].by_v, 1e-14);
        test_close(rows[i].name, m.D[motor * m.n_y + y], rows[i].by_motor, 1e-14);
        test_close(rows[i].name, m.D[air * m.n_y + y], 0.0, 1e-14);
    }
    assert_string_equal(fb_linearization_get_state_name(t.l, 0), "pin");
    test_linear_free(&t);
}

static void test_pendulum_response(void** state) {
    (void)state;
    TestLinear t = pendulum("0");
    for (double omega = 0.0; omega < 20.0; omega += 0.73) {
        double complex s = CMPLX(0, omega), g = 1.0 / (0.5 * s * s + 0.3 * s + 9.81);
        check_response("angle", response(&t, "motor", "angle", omega), g);
        check_response("rate", response(&t, "motor", "rate", omega), s * g);
        check_response("tip", response(&t, "motor", "tip.x", omega), 0.5 * g);
        check_response("moment", response(&t, "motor", "moment", omega), 1.0);
        check_response("mixed", response(&t, "motor", "mixed", omega), 2.0 * g + 1.0);
    }
    test_linear_free(&t);
}

// A harmonic torque in time: the steady part of the motion by Fourier coefficients over whole
// periods at the end.
static void test_response_in_time(void** state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        double omega = (double[]){2.0, 4.429446918, 7.0}[i];
        TestLinear t = pendulum("0");
        double complex expected = response(&t, "motor", "angle", omega);
        test_linear_free(&t);
        const double amplitude = 1e-4;
        double period = 2.0 * PI / omega, duration = 60.0 + 4.0 * period;
        enum { PER_PERIOD = 64 };
        // samples divide the period, so that sums over whole periods are exact
        double sample = period / PER_PERIOD;
        int n = (int)ceil(duration / sample);
        TestRun run = test_run_with("test/verify/linear_response/pendulum.yaml",
                                    (TestMethod){"dop853", n * sample, sample, 1e-12, 1e-16},
                                    "value: \"0\" => value: \"%g*sin(%.17g*t)\"", amplitude, omega);
        double complex sum = 0.0;
        for (int k = n - 4 * PER_PERIOD; k < n; k++) {
            double time = k * sample;
            sum += test_run_value(&run, k, "angle") * cexp(-I * omega * time);
        }
        // u = Im(a e^{i w t}); angle = Im(a g e^{i w t}) has the Fourier coefficient a g / (2 i)
        double complex g = 2.0 * I * sum / (4 * PER_PERIOD) / amplitude;
        if (!(cabs(g - expected) < 2e-6 * cabs(expected))) {
            fail_msg("response at %g rad/s: %.9g %+.9g i instead of %.9g %+.9g i", omega, creal(g),
                     cimag(g), creal(expected), cimag(expected));
        }
        test_run_free(&run);
    }
}

// Two masses in a row, m1 = 1 with k1 to the ground, m2 = 2 with k2 and d2 between them; force on
// the second.
static void test_two_masses(void** state) {
    (void)state;
    const double m1 = 1.0, m2 = 2.0, k1 = 30.0, k2 = 12.0, d = 0.4;
    TestLinear t = test_linear_with("test/verify/linear_response/two_masses.yaml",
                                    TEST_AT_EQUILIBRIUM, "damping=%g", d);
    FbError err;
    assert_int_equal(fb_linearization_calc_input_output(t.l, &err), FB_OK);
    for (double omega = 0.1; omega < 12.0; omega += 0.61) {
        double complex s = CMPLX(0, omega), z = k2 + d * s;
        double complex a = m1 * s * s + k1 + z, b = m2 * s * s + z, det = a * b - z * z;
        check_response("x2", response(&t, "push", "x2", omega), a / det);
        check_response("x1", response(&t, "push", "x1", omega), z / det);
        check_response("v1", response(&t, "push", "v1", omega), s * z / det);
        check_response("tension", response(&t, "push", "tension", omega), z * (a - z) / det);
        // the spring as an input: it pulls both masses together, and shows itself in its own force
        check_response("x2", response(&t, "k2", "x2", omega), (-a + z) / det);
        check_response("x1", response(&t, "k2", "x1", omega), (b - z) / det);
        check_response("tension", response(&t, "k2", "tension", omega),
                       1.0 + z * (-a + z - b + z) / det);
    }
    test_linear_free(&t);
}

// Without damping: shapes (1, r) with r = (k1 + k2 - m1 w^2)/k2, kinetic energies as m1 : m2 r^2.
static void test_shapes(void** state) {
    (void)state;
    const double m1 = 1.0, m2 = 2.0, k1 = 30.0, k2 = 12.0;
    TestLinear t = test_linear_with("test/verify/linear_response/two_masses.yaml",
                                    TEST_AT_EQUILIBRIUM, "damping=0");
    double b = m1 * k2 + m2 * (k1 + k2), c = k1 * k2;
    for (int i = 0; i < 4; i++) {
        const FbMode* mode = fb_linearization_get_mode(t.l, i);
        double square =
            (b + (i < 2 ? -1.0 : 1.0) * sqrt(b * b - 4.0 * m1 * m2 * c)) / (2.0 * m1 * m2);
        test_close("frequency", mode->im, (i % 2 ? -1.0 : 1.0) * sqrt(square), 1e-13);
        double ratio = (k1 + k2 - m1 * square) / k2, share[2], re[2][3], im[2][3];
        const double at[3] = {0.2, 0.1, -0.3};
        assert_int_equal(fb_linearization_calc_participation(t.l, i, share), FB_OK);
        double whole = m1 + m2 * ratio * ratio;
        test_close("share of the first", share[0], m1 / whole, 1e-13);
        test_close("share of the second", share[1], m2 * ratio * ratio / whole, 1e-13);
        for (int body = 0; body < 2; body++) {
            assert_int_equal(fb_linearization_calc_shape(t.l, i, body, at, re[body], im[body]),
                             FB_OK);
            test_close("no motion across", fabs(re[body][1]) + fabs(im[body][2]), 0.0, 1e-15);
        }
        double complex measured = CMPLX(re[1][0], im[1][0]) / CMPLX(re[0][0], im[0][0]);
        test_close("shape", creal(measured), ratio, 1e-12);
        test_close("shape", cimag(measured), 0.0, 1e-12);
    }
    assert_string_equal(fb_model_get_body_name(t.model, 0), "one");
    assert_string_equal(fb_model_get_body_name(t.model, 1), "two");
    test_linear_free(&t);
}

static void test_participation_sums(void** state) {
    (void)state;
    const char* const files[] = {"models/fourbar.yaml", "models/double_pendulum.yaml",
                                 "models/bicycle.yaml"};
    for (int i = 0; i < 3; i++) {
        for (int method = FB_METHOD_INDEPENDENT; method <= FB_METHOD_DESCRIPTOR; method++) {
            TestLinearAsk ask = i < 2 ? TEST_AT_EQUILIBRIUM : TEST_AT_INITIAL;
            ask.how.method = (FbLinearMethod)method;
            TestLinear t = test_linear_file(files[i], ask);
            FbModelInfo info;
            fb_model_get_info(t.model, &info);
            for (int k = 0; k < fb_linearization_get_mode_count(t.l); k++) {
                double share[8], sum = 0.0;
                if (fb_linearization_get_mode(t.l, k)->class_ > FB_MODE_RIGID_BODY) {
                    continue;
                }
                assert_int_equal(fb_linearization_calc_participation(t.l, k, share), FB_OK);
                for (int b = 0; b < info.n_bodies; b++) {
                    assert_true(share[b] >= 0.0);
                    sum += share[b];
                }
                test_close("sum of participations", sum, 1.0, 1e-13);
            }
            test_linear_free(&t);
        }
    }
}

// Reads off a decaying oscillation: times of upward zero crossings (cubic through four samples),
// and the logarithmic decrement of the energy-like envelope at them.
static double crossing_time(const TestRun* run, const char* output, double rest, int row) {
    double t[4], y[4];
    for (int i = 0; i < 4; i++) {
        t[i] = test_run_time(run, row - 1 + i);
        y[i] = test_run_value(run, row - 1 + i, output) - rest;
    }
    double low = t[1], high = t[2];
    for (int k = 0; k < 60; k++) {
        double x = 0.5 * (low + high), sum = 0.0;
        for (int i = 0; i < 4; i++) {
            double term = y[i];
            for (int j = 0; j < 4; j++) {
                term *= i == j ? 1.0 : (x - t[j]) / (t[i] - t[j]);
            }
            sum += term;
        }
        *(sum > 0.0 ? &high : &low) = x;
    }
    return 0.5 * (low + high);
}

static void measure(const TestRun* run, const char* output, const char* rate, double rest,
                    double* frequency, double* decay) {
    double first = NAN, last = NAN, first_rate = NAN, last_rate = NAN;
    int n = -1;
    for (int k = 1; k + 2 < run->n_rows; k++) {
        double before = test_run_value(run, k, output) - rest,
               after = test_run_value(run, k + 1, output) - rest;
        if (before < 0.0 && after >= 0.0) {
            double t = crossing_time(run, output, rest, k);
            double h = test_run_time(run, k + 1) - test_run_time(run, k),
                   x = (t - test_run_time(run, k)) / h;
            double v =
                (1.0 - x) * test_run_value(run, k, rate) + x * test_run_value(run, k + 1, rate);
            if (n < 0) {
                first = t;
                first_rate = v;
            }
            last = t;
            last_rate = v;
            n++;
        }
    }
    assert_true(n >= 3);
    *frequency = 2.0 * PI * n / (last - first);
    *decay = log(last_rate / first_rate) / (last - first);
}

// The four-bar is released 1e-5 rad off its equilibrium: it oscillates as its eigenvalue says.
static void test_fourbar_in_time(void** state) {
    (void)state;
    TestLinear t = test_linear_file("models/fourbar.yaml", TEST_AT_EQUILIBRIUM);
    double rest = test_coordinate(t.point, "pin_B");
    const FbMode* mode = fb_linearization_get_mode(t.l, 0);
    TestRun run =
        test_run_with("models/fourbar.yaml", (TestMethod){NULL, 16.0, 0.005, 1e-12, 1e-16},
                      "phi0=%.17g", rest + 1e-5);
    double frequency, decay;
    measure(&run, "phi", "phidot", rest, &frequency, &decay);
    test_close("frequency in time", frequency, mode->im, 3e-5);
    test_close("decay in time", decay, mode->re, 3e-5);
    test_run_free(&run);
    test_linear_free(&t);
}

// The double pendulum hanging, released in the shape of each mode in turn.
static void test_double_pendulum_in_time(void** state) {
    (void)state;
    const char* path = "test/verify/linear_response/double_pendulum.yaml";
    TestLinear t = test_linear_file(path, TEST_AT_EQUILIBRIUM);
    for (int i = 0; i < 4; i += 2) {
        const FbMode* mode = fb_linearization_get_mode(t.l, i);
        // Velocities of the knee and the tip across, of a mode with purely imaginary eigenvalue,
        // give the angles' shape.
        const double tip[3] = {0, -1, 0};
        double re[2][3], im[2][3];
        for (int body = 0; body < 2; body++) {
            assert_int_equal(fb_linearization_calc_shape(t.l, i, body, tip, re[body], im[body]),
                             FB_OK);
        }
        double complex knee = CMPLX(re[0][0], im[0][0]), end = CMPLX(re[1][0], im[1][0]);
        double ratio = creal(end / knee) - 2.0;  // elbow angle per shoulder angle
        TestRun run = test_run_with(path, (TestMethod){NULL, 12.0, 0.002, 1e-12, 1e-17},
                                    "start1=1e-5; start2=%.17g", 1e-5 * ratio);
        double frequency, decay;
        measure(&run, "first", "rate", 0.0, &frequency, &decay);
        test_close("frequency in time", frequency, mode->im, 1e-6);
        test_close("decay in time", decay, 0.0, 1e-5);
        test_run_free(&run);
    }
    test_linear_free(&t);
}

// Asked in the wrong order or out of range.
static void test_wrong_calls(void** state) {
    (void)state;
    TestLinearAsk ask = TEST_AT_EQUILIBRIUM;
    double re, im, at[3] = {0}, v[3], w[3];
    FbError err = {0};
    TestLinear t = test_linear_file("models/fourbar.yaml", ask);
    assert_int_equal(fb_linearization_calc_response(t.l, 0, 0, 1.0, &re, &im, &err),
                     FB_ERR_ARGUMENT);
    assert_int_equal(fb_linearization_calc_input_output(t.l, &err), FB_OK);
    assert_int_equal(fb_linearization_calc_response(t.l, 99, 0, 1.0, &re, &im, &err),
                     FB_ERR_ARGUMENT);
    assert_int_equal(fb_linearization_calc_response(t.l, 0, -1, 1.0, &re, &im, &err),
                     FB_ERR_ARGUMENT);
    assert_int_equal(fb_linearization_calc_shape(t.l, 0, 9, at, v, w), FB_ERR_ARGUMENT);
    assert_int_equal(fb_linearization_calc_shape(t.l, 99, 0, at, v, w), FB_ERR_ARGUMENT);
    assert_int_equal(fb_linearization_calc_participation(t.l, -1, v), FB_ERR_ARGUMENT);
    assert_null(fb_linearization_get_mode(t.l, 2));
    assert_null(fb_linearization_get_state_name(t.l, 2));
    test_linear_free(&t);
    ask.how.method = FB_METHOD_DESCRIPTOR;
    t = test_linear_file("models/fourbar.yaml", ask);
    assert_int_equal(fb_linearization_calc_input_output(t.l, &err), FB_ERR_ARGUMENT);
    test_linear_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matrices),         cmocka_unit_test(test_pendulum_response),
        cmocka_unit_test(test_response_in_time), cmocka_unit_test(test_two_masses),
        cmocka_unit_test(test_shapes),           cmocka_unit_test(test_participation_sums),
        cmocka_unit_test(test_fourbar_in_time),  cmocka_unit_test(test_double_pendulum_in_time),
        cmocka_unit_test(test_wrong_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
