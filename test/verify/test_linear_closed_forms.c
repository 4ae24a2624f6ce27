// Linearizations at rest against closed forms: pendulums, chains, free bodies, repeated and
// defective eigenvalues.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "run_support.h"
#include "test_linear_support.h"

static const double PI = 3.14159265358979323846;
static const double G = 9.81;

static void test_pendulum(void** state) {
    (void)state;
    TestLinear t = test_linear_with("models/pendulum.yaml", TEST_AT_EQUILIBRIUM, "L=0.7");
    double w = sqrt(G / 0.7);
    test_spectrum("pendulum", &t, (double complex[]){CMPLX(0, w), CMPLX(0, -w)}, 2, 1e-14 * w);
    const FbMode* m = fb_linearization_get_mode(t.l, 0);
    test_close("frequency", m->frequency_hz, w / (2.0 * PI), 1e-14);
    test_close("damping ratio", m->damping_ratio, 0.0, 1e-14);
    assert_true(m->im > 0.0);
    assert_true(m->condition >= 1.0 && m->condition < 10.0);
    test_linear_free(&t);
}

// theta'' + 2 z w theta' + w^2 theta = 0, below and above critical damping.
static void test_damped_pendulum(void** state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        double ratio = (double[]){0.01, 0.3, 0.9, 2.5}[i], w = sqrt(G / 2.0);
        TestLinear t =
            test_linear_with("test/verify/linear_closed_forms/damped_pendulum.yaml",
                             TEST_AT_EQUILIBRIUM, "damping=%.17g", 2.0 * ratio * w * 3.0 * 4.0);
        double complex root = csqrt(ratio * ratio - 1.0) * w;
        test_spectrum("damped pendulum", &t,
                      (double complex[]){-ratio * w + root, -ratio * w - root}, 2, 1e-13 * w);
        const FbMode* m = fb_linearization_get_mode(t.l, 0);
        test_close("damping ratio", m->damping_ratio, ratio < 1.0 ? ratio : 1.0, 1e-13);
        test_linear_free(&t);
    }
}

// Two point masses: with angles from the vertical M = [m1 + m2, m2; m2, m2] (l1 l1, l1 l2, l2 l2
// in each entry), K = g diag((m1 + m2) l1, m2 l2).
static void test_double_pendulum(void** state) {
    (void)state;
    const double m1 = 2.0, m2 = 0.5, l1 = 0.8, l2 = 1.3;
    TestLinear t = test_linear_file("test/verify/linear_closed_forms/double_pendulum.yaml",
                                    TEST_AT_EQUILIBRIUM);
    // det(K - x M) = 0
    double a = m1 * m2 * l1 * l1 * l2 * l2, b = -G * (m1 + m2) * m2 * l1 * l2 * (l1 + l2),
           c = G * G * (m1 + m2) * m2 * l1 * l2;
    double complex expected[4];
    for (int i = 0; i < 2; i++) {
        double x = (-b + (i == 0 ? -1.0 : 1.0) * sqrt(b * b - 4.0 * a * c)) / (2.0 * a);
        expected[2 * i] = CMPLX(0.0, sqrt(x));
        expected[2 * i + 1] = CMPLX(0.0, -sqrt(x));
    }
    test_spectrum("double pendulum", &t, expected, 4, 1e-13);
    test_linear_free(&t);
}

// n equal masses between n + 1 equal springs, both ends held: w_k = 2 sqrt(k/m) sin(k pi/(2 n +
// 2)).
static void test_chains(void** state) {
    (void)state;
    for (int n = 1; n <= 20; n++) {
        double complex expected[40];
        for (int k = 1; k <= n; k++) {
            double w = 2.0 * sqrt(100.0 / 0.25) * sin(k * PI / (2 * n + 2));
            expected[2 * k - 2] = CMPLX(0, w);
            expected[2 * k - 1] = CMPLX(0, -w);
        }
        TestLinear t = test_linear_with("test/verify/linear_closed_forms/chain_of_slides.yaml",
                                        TEST_AT_EQUILIBRIUM, "N=%d", n);
        test_spectrum("chain", &t, expected, 2 * n, 1e-12 * 40.0);
        assert_true(test_largest_residual(&t) < 1e-13);
        test_linear_free(&t);
    }
}

// Fixed at one end, free at the other, in relative angles:
// w_k = 2 sqrt(k/I) sin((2 k - 1) pi/(4 n + 2)).
static void test_torsional_chain(void** state) {
    (void)state;
    for (int n = 1; n <= 12; n += 3) {
        double complex expected[40];
        for (int k = 1; k <= n; k++) {
            double w = 2.0 * sqrt(90.0 / 0.4) * sin((2 * k - 1) * PI / (4 * n + 2));
            expected[2 * k - 2] = CMPLX(0, w);
            expected[2 * k - 1] = CMPLX(0, -w);
        }
        TestLinear t = test_linear_with("test/verify/linear_closed_forms/chain_of_discs.yaml",
                                        TEST_AT_EQUILIBRIUM, "N=%d", n);
        test_spectrum("torsional chain", &t, expected, 2 * n, 1e-12 * 30.0);
        test_linear_free(&t);
    }
}

// Six motions that nothing resists, each with its velocity: twelve zeros, and exact ones, by all
// methods that offer them.
static void test_free_body(void** state) {
    (void)state;
    const char* path = "test/verify/linear_closed_forms/free_body.yaml";
    for (int method = FB_METHOD_INDEPENDENT; method <= FB_METHOD_PENALTY; method++) {
        TestLinearAsk ask = TEST_AT_EQUILIBRIUM;
        ask.how.method = (FbLinearMethod)method;
        TestLinear t = test_linear_file(path, ask);
        assert_int_equal(fb_linearization_get_mode_count(t.l), 12);
        assert_int_equal(test_count(&t, FB_MODE_RIGID_BODY), 12);
        for (int i = 0; i < 12; i++) {
            const FbMode* m = fb_linearization_get_mode(t.l, i);
            assert_true(hypot(m->re, m->im) < (method == FB_METHOD_INDEPENDENT ? 1e-300 : 1e-7));
            double share;
            assert_int_equal(fb_linearization_calc_participation(t.l, i, &share), FB_OK);
            test_close("participation", share, 1.0, 1e-14);
        }
        test_linear_free(&t);
    }
}

// Two bodies joined by a spring fly freely: one vibration among the zeros. w^2 = k (1/m1 + 1/m2).
static void test_free_pair(void** state) {
    (void)state;
    TestLinear t =
        test_linear_file("test/verify/linear_closed_forms/free_pair.yaml", TEST_AT_EQUILIBRIUM);
    double mu = 0.75, c = 0.5 * 0.3 / mu;
    double complex root = csqrt(c * c - 50.0 / mu);
    test_spectrum("free pair", &t, (double complex[]){-c + root, -c - root}, 2, 1e-12);
    assert_int_equal(test_count(&t, FB_MODE_RIGID_BODY), 12);
    test_linear_free(&t);
}

// A coasting mass with a dashpot: one zero (where it is) and one true rate, -c/m, although no
// spring resists.
static void test_dashpot(void** state) {
    (void)state;
    for (int method = FB_METHOD_INDEPENDENT; method <= FB_METHOD_ODE; method++) {
        TestLinearAsk ask = TEST_AT_EQUILIBRIUM;
        ask.how.method = (FbLinearMethod)method;
        TestLinear t = test_linear_file("test/verify/linear_closed_forms/dashpot.yaml", ask);
        test_spectrum("dashpot", &t, (double complex[]){-3.0}, 1, 1e-14);
        assert_int_equal(test_count(&t, FB_MODE_RIGID_BODY), 1);
        test_linear_free(&t);
    }
}

// A spring whose ends coincide resists in all directions alike: sqrt(k/m), three times, and a
// damper too.
static void test_collapsed_spring(void** state) {
    (void)state;
    for (int method = FB_METHOD_INDEPENDENT; method <= FB_METHOD_ODE; method++) {
        for (int has_damper = 0; has_damper < 2; has_damper++) {
            TestLinearAsk ask = TEST_AT_EQUILIBRIUM;
            ask.how.method = (FbLinearMethod)method;
            TestLinear t = test_linear_with("test/verify/linear_closed_forms/soft_ball_joint.yaml",
                                            ask, has_damper ? "c=8" : "c=0");
            double re = has_damper ? -2.0 : 0.0, im = sqrt(400.0 - re * re);
            double complex up = CMPLX(re, im), down = CMPLX(re, -im);
            double complex expected[6] = {up, up, up, down, down, down};
            test_spectrum("spring whose ends coincide", &t, expected, 6, 1e-12);
            assert_int_equal(test_count(&t, FB_MODE_RIGID_BODY), 6);
            test_linear_free(&t);
        }
    }
}

static void test_repeated(void** state) {
    (void)state;
    for (int method = FB_METHOD_INDEPENDENT; method <= FB_METHOD_ODE; method++) {
        TestLinearAsk ask = TEST_AT_EQUILIBRIUM;
        ask.how.method = (FbLinearMethod)method;
        TestLinear t = test_linear_file("test/verify/linear_closed_forms/repeated.yaml", ask);
        double w = sqrt(G);
        double complex expected[4] = {CMPLX(0, w), CMPLX(0, w), CMPLX(0, -w), CMPLX(0, -w)};
        test_spectrum("identical pendulums", &t, expected, 4, 1e-13);
        assert_int_equal(fb_linearization_get_mode_count(t.l), 4);
        test_linear_free(&t);
    }
}

// Critical damping: a defective pair. The eigenvalues are known to sqrt(eps) only, and the
// condition says so.
static void test_critical_damping(void** state) {
    (void)state;
    for (int method = FB_METHOD_INDEPENDENT; method <= FB_METHOD_ODE; method++) {
        TestLinearAsk ask = TEST_AT_EQUILIBRIUM;
        ask.how.method = (FbLinearMethod)method;
        TestLinear t =
            test_linear_file("test/verify/linear_closed_forms/critical_damping.yaml", ask);
        test_spectrum("critical damping", &t, (double complex[]){-3.0, -3.0}, 2, 1e-7 * 3.0);
        double condition = fb_linearization_get_mode(t.l, 0)->condition;
        assert_true(method == FB_METHOD_ODE || condition > 1e6);
        test_linear_free(&t);
    }
}

// Two of them with a third mass: the general solver meets the defective pair too.
static void test_critical_damping_in_company(void** state) {
    (void)state;
    TestLinear t = test_linear_file(
        "test/verify/linear_closed_forms/critical_damping_in_company.yaml", TEST_AT_EQUILIBRIUM);
    double complex expected[4] = {-3.0, -3.0, CMPLX(0, 2), CMPLX(0, -2)};
    test_spectrum("critical damping and a spring", &t, expected, 4, 3e-7);
    test_linear_free(&t);
}

// A spring that pushes away: +- sqrt(k/m), real, one of them unstable.
static void test_negative_stiffness(void** state) {
    (void)state;
    TestLinear t = test_linear_file("test/verify/linear_closed_forms/negative_stiffness.yaml",
                                    TEST_AT_INITIAL);
    test_spectrum("negative stiffness", &t, (double complex[]){2.0, -2.0}, 2, 1e-14);
    assert_int_equal(test_count(&t, FB_MODE_PHYSICAL), 2);
    test_linear_free(&t);
}

// The pendulum upright: sqrt(g/l).
static void test_inverted_pendulum(void** state) {
    (void)state;
    TestLinear t = test_linear_file("test/verify/linear_closed_forms/inverted_pendulum.yaml",
                                    TEST_AT_EQUILIBRIUM);
    test_spectrum("inverted pendulum", &t, (double complex[]){sqrt(G), -sqrt(G)}, 2, 1e-14);
    test_linear_free(&t);
}

// A second-order controller of its own state: x' = -2 x + j, and force -3 x on the mass.
static void test_states(void** state) {
    (void)state;
    for (int method = FB_METHOD_INDEPENDENT; method <= FB_METHOD_DESCRIPTOR; method++) {
        TestLinearAsk ask = TEST_AT_INITIAL;
        ask.how.method = (FbLinearMethod)method;
        TestLinear t = test_linear_file("test/verify/linear_closed_forms/states.yaml", ask);
        // s^2 + 5 + 3/(s + 2) = 0: one root from Newton, the others from the quadratic left over.
        double r = -1.6;
        for (int i = 0; i < 60; i++) {
            r -= (((r + 2.0) * r + 5.0) * r + 13.0) / ((3.0 * r + 4.0) * r + 5.0);
        }
        double half = 0.5 * (2.0 + r);
        double complex root = csqrt(half * half - (5.0 + r * (2.0 + r)));
        double complex expected[4] = {r, -half + root, -half - root, -7.0};
        test_spectrum("states", &t, expected, 4, 1e-13);
        assert_string_equal(fb_linearization_get_state_name(t.l, 2), "x");
        test_linear_free(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum),
        cmocka_unit_test(test_damped_pendulum),
        cmocka_unit_test(test_double_pendulum),
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_torsional_chain),
        cmocka_unit_test(test_free_body),
        cmocka_unit_test(test_free_pair),
        cmocka_unit_test(test_dashpot),
        cmocka_unit_test(test_collapsed_spring),
        cmocka_unit_test(test_repeated),
        cmocka_unit_test(test_critical_damping),
        cmocka_unit_test(test_critical_damping_in_company),
        cmocka_unit_test(test_negative_stiffness),
        cmocka_unit_test(test_inverted_pendulum),
        cmocka_unit_test(test_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
