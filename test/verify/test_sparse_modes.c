// The lowest undamped modes of large systems against closed forms and against the dense independent
// method.
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

static const double PI = 3.14159265358979323846;

static void test_chain_of_200(void** state) {
    (void)state;
    SparseCase c = sparse_open_chain(200, 2, 0.0);
    sparse_find(&c, sparse_ask(20));
    double error = sparse_chain_error(&c, 200, 1), dense = sparse_dense_error(&c, false);
    sparse_report("chain of 200", &c, error);
    assert_int_equal(c.count, 20);
    assert_true(c.info.is_symmetric && c.info.is_complete);
    assert_int_equal(c.info.n_recovered, 0);
    assert_true(error < 1e-12);
    assert_true(dense < 1e-10);
    sparse_assert_sound(&c, 0, FB_MODE_PHYSICAL);
    sparse_close(&c);
}

// Mode j of the chain moves mass i with sin(i j pi/(N + 1)).
static void assert_chain_shape(SparseCase* c, int n, int j) {
    const double origin[3] = {0, 0, 0};
    double re[3], im[3], re1[3], im1[3];
    assert_int_equal(fb_lowest_calc_shape(c->lowest, j - 1, 0, origin, re1, im1), FB_OK);
    for (int i = 1; i <= n; i += 37) {
        double ratio = sin(i * j * PI / (n + 1)) / sin(j * PI / (n + 1));
        assert_int_equal(fb_lowest_calc_shape(c->lowest, j - 1, i - 1, origin, re, im), FB_OK);
        assert_true(fabs(im[0] - ratio * im1[0]) < 1e-6 * fabs(im1[0]) * (n + 1) / (j * PI));
        assert_true(fabs(re[0]) + fabs(im[1]) + fabs(im[2]) < 1e-14);
    }
}

static void test_chain_of_2000(void** state) {
    (void)state;
    SparseCase c = sparse_open_chain(2000, 2, 0.0);
    sparse_find(&c, sparse_ask(20));
    double error = sparse_chain_error(&c, 2000, 1);
    sparse_report("chain of 2000", &c, error);
    assert_int_equal(c.count, 20);
    assert_true(c.info.is_complete);
    assert_true(error < 1e-9);
    sparse_assert_sound(&c, 0, FB_MODE_PHYSICAL);
    assert_chain_shape(&c, 2000, 1);
    assert_chain_shape(&c, 2000, 7);
    sparse_close(&c);
}

static void assert_free_chain(const SparseCase* c, int n) {
    int size;
    const double* v = fb_lowest_get_velocities(c->lowest, 0, &size);
    assert_int_equal(fb_lowest_get_mode(c->lowest, 0)->class_, FB_MODE_RIGID_BODY);
    assert_true(fb_lowest_get_mode(c->lowest, 0)->im == 0.0);
    assert_int_equal(size, n);
    for (int i = 0; i < n; i++) {  // all move alike, with x' M x = 1
        assert_true(fabs(v[2 * i] - sqrt(0.5 / n)) < 1e-9 && v[2 * i + 1] == 0.0);
    }
    sparse_assert_sound(c, 1, FB_MODE_PHYSICAL);
    assert_true(sparse_chain_error(c, n, 0) < 1e-9);
    assert_true(c->info.is_complete);
}

static void test_free_chain_of_2000(void** state) {
    (void)state;
    SparseCase c = sparse_open_chain(2000, 0, 0.0);
    sparse_find(&c, sparse_ask(20));
    sparse_report("free chain of 2000", &c, sparse_chain_error(&c, 2000, 0));
    assert_true(c.info.shift < 0.0);
    assert_free_chain(&c, 2000);
    sparse_close(&c);
}

// A shift of zero is the rigid-body mode itself, and one of 1e-22 as good as that.
static void test_shift_on_a_rigid_body_mode(void** state) {
    (void)state;
    SparseCase c = sparse_open_chain(500, 0, 0.0);
    for (int k = 0; k < 2; k++) {
        FbLowestOptions options = sparse_ask(5);
        options.has_shift = true;
        options.shift = k == 0 ? 0.0 : 1e-22;
        sparse_find(&c, options);
        sparse_report("shift on a rigid-body mode", &c, sparse_chain_error(&c, 500, 0));
        assert_true(c.info.n_shift_moves > 0);
        assert_true(c.info.shift != 0.0);
        assert_free_chain(&c, 500);
    }
    sparse_close(&c);
}

// And one on a vibration: the frequency of mode 40 to all digits.
static void test_shift_on_a_mode(void** state) {
    (void)state;
    SparseCase c = sparse_open_chain(500, 2, 0.0);
    FbLowestOptions options = sparse_ask(7);
    double w = sparse_chain_frequency(500, 1, 40);
    options.has_shift = true;
    options.shift = w * w;
    sparse_find(&c, options);
    sparse_report("shift on mode 40", &c, 0.0);
    assert_int_equal(c.count, 7);
    assert_true(c.info.n_shift_moves > 0 && c.info.is_complete);
    for (int k = 0; k < 7; k++) {
        double exact = sparse_chain_frequency(500, 1, 37 + k);
        assert_true(fabs(fb_lowest_get_mode(c.lowest, k)->im / exact - 1.0) < 1e-10);
    }
    sparse_close(&c);
}

static void assert_multiple_modes(const SparseCase* c, int copies, int n) {
    assert_true(c->info.is_complete);
    for (int k = 0; k < c->count; k++) {
        double exact = sparse_chain_frequency(n, 0, 1 + k / copies);
        const FbMode* mode = fb_lowest_get_mode(c->lowest, k);
        assert_int_equal(mode->class_, k < copies ? FB_MODE_RIGID_BODY : FB_MODE_PHYSICAL);
        assert_true(fabs(mode->im - exact) < 1e-9);
    }
}

// Equal free chains that do not know of each other: every frequency as often as there are chains,
// which an iteration from one vector cannot see in exact arithmetic.
static SparseCase open_copies(int copies, int n) {
    return sparse_open(test_model_with("test/verify/sparse_modes/equal_chains.yaml",
                                       "copies=%d; N=%d", copies, n));
}

static void test_double_modes(void** state) {
    (void)state;
    SparseCase c = open_copies(2, 300);
    sparse_find(&c, sparse_ask(9));
    sparse_report("two chains", &c, 0.0);
    assert_int_equal(c.count, 9);
    assert_multiple_modes(&c, 2, 300);
    sparse_close(&c);
}

// Rounding brings the iteration one vector after the other of a multiple mode; it may stop before
// it has them all. Looking outside what it found brings the rest.
static void test_missed_modes(void** state) {
    (void)state;
    int n_recovered = 0;
    for (int k = 0; k < 4; k++) {
        int copies = k < 2 ? 12 : 20, n = k < 2 ? 60 : 40, count = k % 2 == 0 ? 9 : 14;
        SparseCase c = open_copies(copies, n);
        FbLowestOptions options = sparse_ask(count);
        options.tolerance = 1e-6;  // in a hurry
        sparse_find(&c, options);
        sparse_report("many chains", &c, 0.0);
        assert_int_equal(c.count, count);
        assert_multiple_modes(&c, copies, n);
        n_recovered += c.info.n_recovered;
        sparse_close(&c);
    }
    assert_true(n_recovered > 0);  // how many depends on rounding
}

// Windows that hang: one freedom, w^2 = (M g l of all links) / (their inertia).
static const char WINDOWS[] = "test/verify/sparse_modes/windows.yaml";

static void test_hanging_windows(void** state) {
    (void)state;
    SparseCase c = {.model = test_model_from_file(WINDOWS)};
    c.point = sparse_point_of(c.model, FB_AT_EQUILIBRIUM);
    double exact = sqrt(9.81 * (51 * 0.5 + 50) / (51 / 3.0 + 50));
    for (int damped = 0; damped < 2; damped++) {
        FbLowestOptions options = sparse_ask(5);
        options.is_damped = damped;
        sparse_find(&c, options);
        double w = fb_lowest_get_mode(c.lowest, 0)->im;
        sparse_report("50 hanging windows", &c, fabs(w / exact - 1.0));
        assert_int_equal(c.count, 1);
        assert_true(c.info.is_complete);
        assert_true(fabs(w / exact - 1.0) < 1e-11);
        assert_true(sparse_dense_error(&c, true) < 1e-11);
        sparse_assert_sound(&c, 0, FB_MODE_PHYSICAL);
    }
    sparse_close(&c);
}

// 60 hanging windows, neighbours joined by springs: many freedoms and as many loops.
static void test_coupled_loops(void** state) {
    (void)state;
    SparseCase c =
        sparse_open(test_model_from_file("test/verify/sparse_modes/coupled_windows.yaml"));
    sparse_find(&c, sparse_ask(6));
    sparse_report("60 coupled windows", &c, 0.0);
    assert_int_equal(c.count, 6);
    assert_true(c.info.is_complete);
    // All windows alike in phase: w^2 = (g (1/2 + 1/2 + 1)) / (1/3 + 1/3 + 1).
    double stiffness = 2 * 9.81, inertia = 5.0 / 3.0;
    for (int k = 0; k < 6; k++) {
        double spring = 400.0 * pow(sin(k * PI / 120.0), 2), exact = (stiffness + spring) / inertia;
        assert_true(fabs(fb_lowest_get_mode(c.lowest, k)->im / sqrt(exact) - 1.0) < 1e-11);
    }
    sparse_assert_sound(&c, 0, FB_MODE_PHYSICAL);
    FbLowestOptions options = sparse_ask(6);
    options.is_damped = true;
    sparse_find(&c, options);
    sparse_report("60 coupled windows, damped", &c, sparse_dense_error(&c, true));
    assert_int_equal(c.count, 6);
    assert_true(c.info.is_complete);
    assert_true(sparse_dense_error(&c, true) < 1e-10);
    sparse_close(&c);
}

int main(void) {
    const struct CMUnitTest small[] = {
        cmocka_unit_test(test_chain_of_200),
        cmocka_unit_test(test_hanging_windows),
        cmocka_unit_test(test_coupled_loops),
    };
    const struct CMUnitTest large[] = {
        cmocka_unit_test(test_chain_of_2000),
        cmocka_unit_test(test_free_chain_of_2000),
        cmocka_unit_test(test_shift_on_a_rigid_body_mode),
        cmocka_unit_test(test_shift_on_a_mode),
        cmocka_unit_test(test_double_modes),
        cmocka_unit_test(test_missed_modes),
    };
    int failed = cmocka_run_group_tests(small, NULL, NULL);
    if (fb_arpack_is_available()) {
        failed += cmocka_run_group_tests(large, NULL, NULL);
    }
    return failed;
}
