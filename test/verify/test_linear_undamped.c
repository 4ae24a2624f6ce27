// Undamped modes: a fixed chain of masses by its closed form, rigid-body and unstable ones, what is
// refused, and agreement with the complex modes where nothing damps.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "test_linear_support.h"

static const double PI = 3.14159265358979323846;

// Masses m between springs k, on slides; both ends are held.
static const char CHAIN[] = "test/verify/linear_undamped/chain.yaml";

static FbStatus run(TestLinear* t) {
    FbError err;
    return fb_linearization_run_undamped(t->l, &err);
}

static void test_chain(void** state) {
    (void)state;
    TestLinear t = test_linear_file(CHAIN, TEST_AT_EQUILIBRIUM);
    assert_int_equal(run(&t), FB_OK);
    assert_int_equal(fb_linearization_get_mode_count(t.l), 5);
    for (int k = 0; k < 5; k++) {
        const FbMode* mode = fb_linearization_get_mode(t.l, k);
        double omega = 2.0 * sqrt(300.0 / 0.7) * sin((k + 1) * PI / 12.0);
        assert_true(mode->re == 0.0 && mode->damping_ratio == 0.0);
        assert_true(fabs(mode->im - omega) < 1e-12 * omega);
        assert_true(fabs(mode->frequency_hz - omega / (2.0 * PI)) < 1e-12 * omega);
        assert_true(mode->residual < 1e-14);
        assert_int_equal(mode->class_, FB_MODE_PHYSICAL);
        double shares[5], sum = 0.0;
        assert_int_equal(fb_linearization_calc_participation(t.l, k, shares), FB_OK);
        for (int b = 0; b < 5; b++) {
            double s = sin((b + 1) * (k + 1) * PI / 6.0);
            sum += shares[b];
            assert_true(fabs(shares[b] - s * s / 3.0) < 1e-12);
        }
        assert_true(fabs(sum - 1.0) < 1e-12);
    }
    test_linear_free(&t);
}

static void test_rigid_body(void** state) {
    (void)state;
    TestLinear t =
        test_linear_file("test/verify/linear_undamped/rigid_body.yaml", TEST_AT_EQUILIBRIUM);
    assert_int_equal(run(&t), FB_OK);
    assert_int_equal(fb_linearization_get_mode_count(t.l), 6);
    for (int k = 0; k < 6; k++) {
        const FbMode* mode = fb_linearization_get_mode(t.l, k);
        assert_int_equal(mode->class_, FB_MODE_RIGID_BODY);
        assert_true(mode->re == 0.0 && mode->im == 0.0 && mode->frequency_hz == 0.0);
    }
    test_linear_free(&t);
}

static void test_unstable(void** state) {
    (void)state;
    TestLinear t =
        test_linear_file("test/verify/linear_undamped/unstable_pendulum.yaml", TEST_AT_EQUILIBRIUM);
    assert_int_equal(run(&t), FB_OK);
    const FbMode* mode = fb_linearization_get_mode(t.l, 0);
    assert_true(fabs(mode->re - sqrt(9.81 / 2.0)) < 1e-14 && mode->im == 0.0);
    test_linear_free(&t);
}

// A loop: the undamped frequency of the four-bar linkage is sqrt(k_e/m_e) = |s|, whatever the
// damper.
static void test_loop(void** state) {
    (void)state;
    TestLinear t = test_linear_file("models/fourbar.yaml", TEST_AT_EQUILIBRIUM);
    assert_int_equal(run(&t), FB_OK);
    assert_int_equal(fb_linearization_get_mode_count(t.l), 1);
    double exact = hypot(0.2423858093105051, 2.1339550283483803);
    assert_true(fabs(fb_linearization_get_mode(t.l, 0)->im - exact) < 1e-13);
    test_linear_free(&t);
}

static void test_refused(void** state) {
    (void)state;
    // In motion.
    FbSteadyRate rate = {"spin", 6.0};
    TestLinearAsk ask = TEST_AT_EQUILIBRIUM;
    ask.at.steady = &rate;
    ask.at.n_steady = 1;
    TestLinear t = test_linear_file("models/governor.yaml", ask);
    assert_int_equal(run(&t), FB_ERR_UNAVAILABLE);
    test_linear_free(&t);
    // A force without potential: x pulls y, but y does not pull x.
    t = test_linear_file("test/verify/linear_undamped/follower_springs.yaml", TEST_AT_EQUILIBRIUM);
    assert_int_equal(run(&t), FB_ERR_UNAVAILABLE);
    test_linear_free(&t);
    // Other methods.
    ask = TEST_AT_EQUILIBRIUM;
    ask.how.method = FB_METHOD_DESCRIPTOR;
    t = test_linear_file("models/fourbar.yaml", ask);
    assert_int_equal(run(&t), FB_ERR_ARGUMENT);
    test_linear_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_chain),
                                       cmocka_unit_test(test_rigid_body),
                                       cmocka_unit_test(test_unstable), cmocka_unit_test(test_loop),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
