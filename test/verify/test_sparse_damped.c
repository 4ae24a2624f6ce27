// The lowest damped and unstable modes of large systems, and what is refused.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linear/arpack.h"
#include "sparse_support.h"

// Damping in proportion to stiffness, c = b k: s^2 + b w^2 s + w^2 = 0 for each w of the chain.
static double damped_error(const FbMode* mode, double b, double w) {
    double re = -0.5 * b * w * w, im = w * sqrt(1.0 - 0.25 * b * b * w * w);
    return hypot(mode->re - re, mode->im - im) / w;
}

static void test_damped_chain(void** state) {
    (void)state;
    const double b = 0.3;
    SparseCase c = sparse_open_chain(1000, 2, 50.0 * b);
    FbLowestOptions options = sparse_ask(10);
    double worst = 0.0;
    options.is_damped = true;
    sparse_find(&c, options);
    for (int k = 0; k < c.count; k++) {
        double error = damped_error(fb_lowest_get_mode(c.lowest, k), b,
                                    sparse_chain_frequency(1000, 1, k + 1));
        worst = fmax(worst, error);
    }
    sparse_report("damped chain of 1000", &c, worst);
    assert_true(c.info.is_symmetric);  // by the modes without damping
    assert_int_equal(c.count, 10);
    assert_true(c.info.is_complete);
    assert_true(worst < 1e-9);
    sparse_assert_sound(&c, 0, FB_MODE_PHYSICAL);
    assert_true(fabs(fb_lowest_get_mode(c.lowest, 9)->damping_ratio -
                     0.5 * b * sparse_chain_frequency(1000, 1, 10)) < 1e-9);
    sparse_close(&c);
}

// A complex shift finds what is next to it: modes 46 to 54.
static void test_complex_shift(void** state) {
    (void)state;
    const double b = 0.05, w = sparse_chain_frequency(400, 1, 50);
    SparseCase c = sparse_open_chain(400, 2, 50.0 * b);
    FbLowestOptions options = sparse_ask(9);
    options.is_damped = options.has_shift = true;
    options.shift = -0.5 * b * w * w + 1e-3;
    options.shift_im = w * sqrt(1.0 - 0.25 * b * b * w * w);
    sparse_find(&c, options);
    sparse_report("complex shift", &c, 0.0);
    assert_int_equal(c.count, 9);
    assert_false(c.info.is_complete);  // nothing is claimed there
    for (int k = 0; k < 9; k++) {
        double exact = sparse_chain_frequency(400, 1, 46 + k);
        assert_true(damped_error(fb_lowest_get_mode(c.lowest, k), b, exact) < 1e-9);
    }
    sparse_close(&c);
}

// A free chain with damping: the rigid-body motion is a double eigenvalue with one vector, and is
// listed once.
static void test_damped_free_chain(void** state) {
    (void)state;
    SparseCase c = sparse_open_chain(200, 0, 5.0);
    FbLowestOptions options = sparse_ask(5);
    options.is_damped = true;
    sparse_find(&c, options);
    sparse_report("damped free chain", &c, 0.0);
    assert_int_equal(c.count, 5);
    assert_int_equal(fb_lowest_get_mode(c.lowest, 0)->class_, FB_MODE_RIGID_BODY);
    sparse_assert_sound(&c, 1, FB_MODE_PHYSICAL);
    for (int k = 1; k < 5; k++) {
        const FbMode* mode = fb_lowest_get_mode(c.lowest, k);
        assert_true(damped_error(mode, 0.1, sparse_chain_frequency(200, 0, k + 1)) < 1e-8);
    }
    sparse_close(&c);
}

// A column of 90 links with a follower force at its tip: K is not symmetric.
static void test_follower_force(void** state) {
    (void)state;
    SparseCase c =
        sparse_open(test_model_from_file("test/verify/sparse_modes/follower_force.yaml"));
    sparse_find(&c, sparse_ask(6));
    double error = sparse_dense_error(&c, false);
    sparse_report("column with a follower force", &c, error);
    assert_false(c.info.is_symmetric);
    assert_true(c.info.is_complete);
    assert_true(error < 1e-7);
    sparse_assert_sound(&c, 0, FB_MODE_PHYSICAL);
    sparse_close(&c);
}

// A chain and a short inverted pendulum, whose growth is far away from the lowest frequencies.
static void test_unstable_mode_outside(void** state) {
    (void)state;
    SparseCase c = sparse_open(
        test_model_from_file("test/verify/sparse_modes/chain_and_inverted_pendulum.yaml"));
    sparse_find(&c, sparse_ask(5));
    double exact = sqrt(9.81e-3 / (1e-6 + 1e-9));
    sparse_report("chain with an inverted pendulum", &c, fabs(c.info.unstable_rate / exact - 1.0));
    assert_true(sparse_chain_error(&c, 300, 1) < 1e-10);
    assert_true(c.info.is_complete);
    assert_true(fabs(c.info.unstable_rate / exact - 1.0) < 0.05);
    sparse_close(&c);
}

static FbStatus try_options(SparseCase* c, FbLowestOptions options) {
    FbLowest* l = NULL;
    FbError err = {0};
    FbStatus status = fb_modes_lowest(c->point, &options, &l, &err);
    assert_true(status == FB_OK || (l == NULL && err.text[0] != '\0'));
    fb_lowest_destroy(l);
    return status;
}

static void test_wrong_calls(void** state) {
    (void)state;
    SparseCase c = sparse_open_chain(5, 2, 0.0);
    FbLowestOptions options = sparse_ask(0);
    assert_int_equal(try_options(&c, options), FB_ERR_ARGUMENT);
    options = sparse_ask(3);
    options.tolerance = NAN;
    assert_int_equal(try_options(&c, options), FB_ERR_ARGUMENT);
    sparse_find(&c, sparse_ask(100));  // no more than there are
    assert_int_equal(c.count, 5);
    assert_true(sparse_chain_error(&c, 5, 1) < 1e-13);
    assert_null(fb_lowest_get_mode(c.lowest, 5));
    double shares[5], sum = 0.0, re[3], im[3];
    assert_int_equal(fb_lowest_calc_participation(c.lowest, 1, shares), FB_OK);
    for (int b = 0; b < 5; b++) {
        sum += shares[b];
    }
    assert_true(fabs(sum - 1.0) < 1e-14 && shares[2] < 1e-20);  // the node of mode 2
    assert_int_equal(fb_lowest_calc_shape(c.lowest, 0, 5, re, re, im), FB_ERR_ARGUMENT);
    sparse_close(&c);
}

static void test_refused_points(void** state) {
    (void)state;
    SparseCase c = sparse_open(test_model_from_file("test/verify/sparse_modes/spinning_body.yaml"));
    assert_int_equal(try_options(&c, sparse_ask(1)), FB_ERR_UNAVAILABLE);  // it moves
    FbLowestOptions options = sparse_ask(1);
    options.is_damped = true;
    assert_int_equal(try_options(&c, options), FB_OK);
    sparse_close(&c);
    c = sparse_open(test_model_from_file("test/verify/sparse_modes/mass_with_a_state.yaml"));
    assert_int_equal(try_options(&c, sparse_ask(1)), FB_ERR_UNAVAILABLE);  // a state acts on it
    options.count = 3;
    sparse_find(&c, options);
    assert_true(sparse_dense_error(&c, true) < 1e-12);
    sparse_close(&c);
}

// A build without ARPACK says so where it needs it.
static void test_large_without_arpack(void** state) {
    (void)state;
    SparseCase c = sparse_open_chain(600, 2, 0.0);
    assert_int_equal(try_options(&c, sparse_ask(3)), FB_ERR_UNAVAILABLE);
    sparse_close(&c);
}

int main(void) {
    const struct CMUnitTest small[] = {
        cmocka_unit_test(test_damped_free_chain),     cmocka_unit_test(test_follower_force),
        cmocka_unit_test(test_unstable_mode_outside), cmocka_unit_test(test_wrong_calls),
        cmocka_unit_test(test_refused_points),
    };
    const struct CMUnitTest large[] = {
        cmocka_unit_test(test_damped_chain),
        cmocka_unit_test(test_complex_shift),
    };
    const struct CMUnitTest without[] = {cmocka_unit_test(test_large_without_arpack)};
    int failed = cmocka_run_group_tests(small, NULL, NULL);
    failed += fb_arpack_is_available() ? cmocka_run_group_tests(large, NULL, NULL)
                                       : cmocka_run_group_tests(without, NULL, NULL);
    return failed;
}
