// Linearizations about steady motion: tops, a rotating pendulum and the governor against closed
// forms and hand-derived equations.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "a05_ode.h"
#include "math/dense.h"
#include "run_support.h"
#include "test_linear_support.h"

static const double G = 9.81;

// A symmetric top upright on its tip, p = lean_x + i lean_y in fixed axes:
//   A p'' - i C spin p' - m g h p = 0,
// stable for spin > 2 sqrt(A m g h)/C.
static const double TOP_MASS = 0.8, TOP_H = 0.1, TOP_A = 0.012, TOP_C = 0.002;

static double critical_spin(void) {
    return 2.0 * sqrt(TOP_A * TOP_MASS * G * TOP_H) / TOP_C;
}

static void top_spectrum(double spin, double turn, double complex expected[4]) {
    double complex root =
        csqrt(4.0 * TOP_A * TOP_MASS * G * TOP_H - TOP_C * TOP_C * spin * spin + 0.0 * I);
    for (int i = 0; i < 2; i++) {
        double complex w = (I * TOP_C * spin + (i == 0 ? root : -root)) / (2.0 * TOP_A);
        expected[2 * i] = w - I * turn;
        expected[2 * i + 1] = conj(expected[2 * i]);
    }
}

static const double SPINS[] = {0.0, 0.5, 0.9, 0.99, 1.01, 1.1, 2.0, 5.0};
enum { N_SPINS = sizeof(SPINS) / sizeof(SPINS[0]) };

static void check_top(const char* path, double turns_with_body) {
    for (int i = 0; i < N_SPINS; i++) {
        for (int method = FB_METHOD_INDEPENDENT; method <= FB_METHOD_DESCRIPTOR; method++) {
            double spin = SPINS[i] * critical_spin();
            double complex expected[4];
            TestLinearAsk ask = TEST_AT_INITIAL;
            ask.how.method = (FbLinearMethod)method;
            top_spectrum(spin, turns_with_body * spin, expected);
            TestLinear t = test_linear_with(path, ask, "spin=%.17g", spin);
            test_spectrum("top", &t, expected, 4, 1e-12 * (critical_spin() + spin));
            assert_int_equal(test_count(&t, FB_MODE_RIGID_BODY), 2);
            assert_true(test_largest_residual(&t) < 1e-12);
            double growth = fb_linearization_get_mode(t.l, 0)->re;
            for (int k = 1; k < 4; k++) {
                growth = fmax(growth, fb_linearization_get_mode(t.l, k)->re);
            }
            assert_int_equal(growth > 1e-9 * critical_spin(), SPINS[i] < 1.0);
            test_linear_free(&t);
        }
    }
}

// Fixed axes: a cross without mass carries the spin.
static void test_top_in_fixed_axes(void** state) {
    (void)state;
    check_top("test/verify/linear_steady/top_in_fixed_axes.yaml", 0.0);
}

// A ball joint perturbs in the axes of the turning body: the same modes, seen from there, have
// eigenvalues less i times the spin.
static void test_top_on_a_ball(void** state) {
    (void)state;
    check_top("test/verify/linear_steady/top_on_a_ball.yaml", 1.0);
}

// The same with absolute coordinates: the ball is a constraint, the body turns about its own frame.
static void test_top_in_absolute_coordinates(void** state) {
    (void)state;
    for (int i = 0; i < N_SPINS; i++) {
        double spin = SPINS[i] * critical_spin();
        double complex expected[4];
        TestLinearAsk ask = TEST_AT_INITIAL;
        ask.how.method = FB_METHOD_DESCRIPTOR;
        ask.is_absolute = true;
        top_spectrum(spin, spin, expected);
        TestLinear t = test_linear_with("test/verify/linear_steady/top_on_a_ball.yaml", ask,
                                        "spin=%.17g", spin);
        test_spectrum("absolute top", &t, expected, 4, 1e-10 * (critical_spin() + spin));
        assert_int_equal(test_count(&t, FB_MODE_RIGID_BODY), 2);
        test_linear_free(&t);
    }
}

// A pendulum on a free shaft: it stands at cos(theta) = g/(l w^2); with I = J + m l^2 sin^2(theta)
// the angular momentum keeps, and m l^2 theta'' + (w^2 (I'^2/I - I''/2) + m g l cos(theta)) dtheta
// = 0.
static void test_rotating_pendulum(void** state) {
    (void)state;
    const double m = 2.0, l = 0.5, J = 0.3;
    for (int i = 0; i < 3; i++) {
        double w = (double[]){5.0, 7.0, 20.0}[i];
        FbSteadyRate rate = {"shaft", w};
        TestLinearAsk ask = TEST_AT_EQUILIBRIUM;
        ask.at.steady = &rate;
        ask.at.n_steady = 1;
        TestLinear t = test_linear_file("test/verify/linear_steady/rotating_pendulum.yaml", ask);
        double theta = acos(G / (l * w * w)), s = sin(theta), c = cos(theta);
        test_close("angle", fabs(test_coordinate(t.point, "swing")), theta, 1e-12);
        double inertia = J + m * l * l * s * s, d1 = 2.0 * m * l * l * s * c,
               d2 = 2.0 * m * l * l * (c * c - s * s);
        double k = w * w * (d1 * d1 / inertia - 0.5 * d2) + m * G * l * c;
        double omega = sqrt(k / (m * l * l));
        test_spectrum("rotating pendulum", &t,
                      (double complex[]){CMPLX(0, omega), CMPLX(0, -omega)}, 2, 1e-11 * omega);
        assert_int_equal(test_count(&t, FB_MODE_RIGID_BODY), 2);
        FbOperatingInfo info;
        fb_operating_point_get_info(t.point, &info);
        assert_true(info.residual < 1e-12);
        test_linear_free(&t);
    }
}

// Balance of the governor at a steady rate, by hand (see bench/a05_ode.c). The slider hangs on both
// springs, 2 k (l - l0) z/l = M g, which gives the height z between pivot of the spring and slider
// for an angle; the moments on an arm then leave one equation for the angle.
static long double spring_height(long double x) {
    long double low = 0.0L, high = 1.0L;
    for (int i = 0; i < 200; i++) {
        long double z = 0.5L * (low + high), l = sqrtl(x * x + z * z);
        *(2.0L * 8e5L * (l - 0.5L) * z / l > 3.0L * 9.81L ? &high : &low) = z;
    }
    return 0.5L * (low + high);
}

static long double arm_moment(long double th, long double rate) {
    long double sn = sinl(th), cs = cosl(th), x = 0.5L * cs, z = spring_height(x);
    long double l = sqrtl(x * x + z * z), force = 8e5L * (l - 0.5L);
    long double l_th = -0.5L * (x * sn + z * cs) / l;
    long double i_long = 0.3L * 2e-4L / 12.0L, i_cross = 0.3L * (1.0L + 1e-4L) / 12.0L;
    long double rm = 0.05L + 0.5L * cs, rb = 0.05L + cs;
    long double j1 = 2.0L * sn * ((i_long - i_cross) * cs - 0.3L * rm * 0.5L - 5.0L * rb);
    return force * l_th - 0.5L * j1 * rate * rate - 9.81L * (0.3L * 0.5L + 5.0L) * cs;
}

static void governor_position(double rate, double* s, double* th) {
    long double low = 0.05L, high = 1.3L;  // the moment rises with the angle
    bool rises = arm_moment(high, rate) > arm_moment(low, rate);
    for (int i = 0; i < 200; i++) {
        long double middle = 0.5L * (low + high);
        *((arm_moment(middle, rate) > 0.0L) == rises ? &high : &low) = middle;
    }
    *th = (double)low;
    *s = (double)(1.0L - 0.5L * sinl(low) - spring_height(0.5L * cosl(low)));
}

// Eigenvalues of the hand-derived equations; M is diagonal.
static void governor_spectrum(const double* q, const double* v, double complex w[8]) {
    A05Terms terms;
    FbError err;
    double a[A05_N] = {0}, A[64] = {0};
    a05_terms(q, v, a, &terms);
    for (int j = 0; j < A05_N; j++) {
        A[(A05_N + j) * 8 + j] = 1.0;
        for (int i = 0; i < A05_N; i++) {
            A[j * 8 + A05_N + i] = -terms.K[j * A05_N + i] / terms.mass[i];
            A[(A05_N + j) * 8 + A05_N + i] = -terms.C[j * A05_N + i] / terms.mass[i];
        }
    }
    assert_int_equal(fb_eigen_general(8, A, w, NULL, &err), FB_OK);
}

// The hand-derived derivatives against finite differences of the hand-derived accelerations.
static void check_hand_derivatives(const double* q, const double* v) {
    A05Terms terms;
    double none[A05_N] = {0}, a[4][A05_N];
    a05_terms(q, v, none, &terms);
    for (int j = 0; j < 2 * A05_N; j++) {
        const double h = 1e-5;
        for (int k = 0; k < 4; k++) {
            double at[2 * A05_N];
            memcpy(at, q, sizeof(double) * A05_N);
            memcpy(at + A05_N, v, sizeof(double) * A05_N);
            at[j] += (double[]){h, -h, 2 * h, -2 * h}[k];
            a05_accelerations(at, at + A05_N, a[k]);
        }
        for (int i = 0; i < A05_N; i++) {
            double numeric = (8 * (a[0][i] - a[1][i]) - (a[2][i] - a[3][i])) / (12 * h);
            double exact =
                -(j < A05_N ? terms.K : terms.C)[(j % A05_N) * A05_N + i] / terms.mass[i];
            test_close("derivative of the governor", numeric, exact, 1e-8 * (1e5 + fabs(exact)));
        }
    }
}

static void test_governor(void** state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        double rate = (double[]){4.0, 5.0, 2.0 * acos(-1.0), 8.0}[i];
        double s, th;
        governor_position(rate, &s, &th);
        FbSteadyRate steady = {"spin", rate};
        for (int method = FB_METHOD_INDEPENDENT; method <= FB_METHOD_DESCRIPTOR; method++) {
            TestLinearAsk ask = TEST_AT_EQUILIBRIUM;
            ask.at.steady = &steady;
            ask.at.n_steady = 1;
            ask.how.method = (FbLinearMethod)method;
            TestLinear t = test_linear_file("models/governor.yaml", ask);
            test_close("slider", test_coordinate(t.point, "slide"), s, 1e-11);
            test_close("arm", test_coordinate(t.point, "swing"), th, 1e-11);
            test_close("other arm", test_coordinate(t.point, "swing2"), th, 1e-11);
            double q[A05_N] = {0.0, s, th, th}, v[A05_N] = {rate, 0.0, 0.0, 0.0};
            double complex all[8], expected[6];
            int n = 0;
            check_hand_derivatives(q, v);
            governor_spectrum(q, v, all);
            for (int k = 0; k < 8; k++) {
                if (cabs(all[k]) > 1e-3) {
                    assert_true(n < 6);
                    expected[n++] = all[k];
                }
            }
            // Of the fastest rate, 1.7e4 1/s.
            test_spectrum("governor", &t, expected, 6, 1e-14 * 1.7e4);
            assert_int_equal(test_count(&t, FB_MODE_RIGID_BODY), 2);
            test_linear_free(&t);
        }
    }
}

// A spring to a part that is left at rest winds up: no motion is steady with one of them alone.
static void test_two_hinges(void** state) {
    (void)state;
    const char* path = "test/verify/linear_steady/two_hinges.yaml";
    FbSteadyRate steady[] = {{"first", 3.0}, {"second", 3.0}};
    FbModel* model = test_model_from_file(path);
    FbOperatingOptions at = {.kind = FB_AT_EQUILIBRIUM, .steady = steady, .n_steady = 1};
    FbOperatingPoint* point = NULL;
    FbError err;
    assert_true(fb_operating_point_create(model, &at, &point, &err) < 0);
    assert_non_null(strstr(err.text, "not a steady motion"));
    fb_model_destroy(model);
    TestLinearAsk ask = TEST_AT_EQUILIBRIUM;
    ask.at.steady = steady;
    ask.at.n_steady = 2;
    TestLinear t = test_linear_file(path, ask);
    // Against each other: 0.1 s^2 + 0.1 s + 20 = 0.
    double complex s = -0.5 + I * sqrt(200.0 - 0.25), expected[] = {s, conj(s)};
    test_spectrum("two hinges", &t, expected, 2, 1e-10);
    test_linear_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_hinges),
        cmocka_unit_test(test_top_in_fixed_axes),
        cmocka_unit_test(test_top_on_a_ball),
        cmocka_unit_test(test_top_in_absolute_coordinates),
        cmocka_unit_test(test_rotating_pendulum),
        cmocka_unit_test(test_governor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
