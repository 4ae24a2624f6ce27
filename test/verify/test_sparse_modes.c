// The lowest modes of large systems against closed forms and against the dense independent method.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "linear/arpack.h"
#include "model_support.h"

static const double PI = 3.14159265358979323846;

typedef struct Case {
    FbModel* model;
    FbOperatingPoint* point;
    FbLowest* lowest;
    FbLowestInfo info;
    int count;
    double seconds;
} Case;

static FbOperatingPoint* point_of(FbModel* model, FbOperatingKind kind) {
    FbOperatingOptions options = fb_operating_options_default();
    FbOperatingPoint* point = NULL;
    FbError err = {0};
    options.kind = kind;
    FbStatus status = fb_operating_point_create(model, &options, &point, &err);
    if (status != FB_OK) {
        print_message("%s\n", err.text);
    }
    assert_int_equal(status, FB_OK);
    return point;
}

static void find(Case* c, FbLowestOptions options) {
    FbError err = {0};
    struct timespec t0, t1;
    fb_lowest_destroy(c->lowest);
    clock_gettime(CLOCK_MONOTONIC, &t0);
    FbStatus status = fb_modes_lowest(c->point, &options, &c->lowest, &err);
    clock_gettime(CLOCK_MONOTONIC, &t1);
    if (status != FB_OK) {
        print_message("%s\n", err.text);
    }
    assert_int_equal(status, FB_OK);
    c->seconds = (double)(t1.tv_sec - t0.tv_sec) + 1e-9 * (double)(t1.tv_nsec - t0.tv_nsec);
    c->count = fb_lowest_get_count(c->lowest);
    fb_lowest_get_info(c->lowest, &c->info);
}

static Case open_model(FbModel* model) {
    Case c = {.model = model};
    c.point = point_of(c.model, FB_AT_INITIAL);
    return c;
}

// N masses that slide along x with springs between them, the last ones to the ground unless `ends`
// is 0; m = 2, k = 50, damping in proportion.
static Case open_chain(int n, int ends, double damping) {
    return open_model(test_model_with("test/verify/sparse_modes/chain.yaml",
                                      "N=%d; ends=%d; c=%.17g", n, ends, damping));
}

static void close_case(Case* c) {
    fb_lowest_destroy(c->lowest);
    fb_operating_point_destroy(c->point);
    fb_model_destroy(c->model);
}

static FbLowestOptions ask(int count) {
    FbLowestOptions options = fb_lowest_options_default();
    options.count = count;
    return options;
}

static void report(const char* what, const Case* c, double error) {
    print_message(
        "%s: %d modes in %.3f s, error %.1e, shift %g%+gi (moved %d times), %d "
        "factorizations, %d solves, recovered %d, reach %g\n",
        what, c->count, c->seconds, error, c->info.shift, c->info.shift_im, c->info.n_shift_moves,
        c->info.n_factorizations, c->info.n_solves, c->info.n_recovered, c->info.reach);
}

// All listed modes from index `first` on are sound and of class `class_`.
static void assert_sound(const Case* c, int first, FbModeClass class_) {
    for (int k = first; k < c->count; k++) {
        const FbMode* mode = fb_lowest_get_mode(c->lowest, k);
        assert_int_equal(mode->class_, class_);
        assert_true(mode->residual < 1e-13);
        assert_true(mode->constraint_residual < 1e-12);
    }
}

static double chain_frequency(int n, int ends, int j) {  // j = 1, 2, ...; rad/s
    return ends ? 10.0 * sin(j * PI / (2.0 * (n + 1))) : 10.0 * sin((j - 1) * PI / (2.0 * n));
}

// The largest relative deviation of w from the closed form, w_j = 2 sqrt(k/m) sin(...).
static double chain_error(const Case* c, int n, int ends) {
    double worst = 0.0;
    for (int k = 0; k < c->count; k++) {
        const FbMode* mode = fb_lowest_get_mode(c->lowest, k);
        double exact = chain_frequency(n, ends, k + 1);
        double error = exact > 0.0 ? fabs(mode->im / exact - 1.0) : fabs(mode->im);
        worst = fmax(worst, error + fabs(mode->re));
    }
    return worst;
}

static FbLinearization* dense_of(const Case* c) {
    FbLinearOptions options = fb_linear_options_default();
    FbLinearization* l = NULL;
    FbError err = {0};
    assert_int_equal(fb_linearization_create(c->point, &options, &l, &err), FB_OK);
    assert_int_equal(fb_linearization_run(l, &err), FB_OK);
    return l;
}

static int compare_sizes(const void* a, const void* b) {
    const FbMode *x = *(const FbMode*const*)a, *y = *(const FbMode*const*)b;
    double p = hypot(x->re, x->im), q = hypot(y->re, y->im);
    return p < q ? -1 : p > q;
}

// The largest distance of a listed mode from the dense one of the same place in |lambda|, relative
// to the largest |lambda| of the list. The dense ones with Im < 0 are left out, and undamped those
// with Re < 0.
static double dense_error(const Case* c, bool is_damped) {
    FbLinearization* l = dense_of(c);
    int n = fb_linearization_get_mode_count(l), m = 0;
    const FbMode** all = malloc(sizeof *all * (size_t)n);
    assert_non_null(all);
    for (int k = 0; k < n; k++) {
        const FbMode* mode = fb_linearization_get_mode(l, k);
        double noise = 1e-6 * hypot(mode->re, mode->im);
        if (mode->im > noise || (fabs(mode->im) <= noise && (is_damped || mode->re >= 0.0))) {
            all[m++] = mode;
        }
    }
    qsort(all, (size_t)m, sizeof *all, compare_sizes);
    assert_true(m >= c->count);
    double worst = 0.0, size = 0.0;
    for (int k = 0; k < c->count; k++) {
        const FbMode* mode = fb_lowest_get_mode(c->lowest, k);
        worst = fmax(worst, hypot(mode->re - all[k]->re, mode->im - all[k]->im));
        size = fmax(size, hypot(mode->re, mode->im));
    }
    free(all);
    fb_linearization_destroy(l);
    return worst / size;
}

static void test_chain_of_200(void** state) {
    (void)state;
    Case c = open_chain(200, 2, 0.0);
    find(&c, ask(20));
    double error = chain_error(&c, 200, 1), dense = dense_error(&c, false);
    report("chain of 200", &c, error);
    assert_int_equal(c.count, 20);
    assert_true(c.info.is_symmetric && c.info.is_complete);
    assert_int_equal(c.info.n_recovered, 0);
    assert_true(error < 1e-12);
    assert_true(dense < 1e-10);
    assert_sound(&c, 0, FB_MODE_PHYSICAL);
    close_case(&c);
}

// Mode j of the chain moves mass i with sin(i j pi/(N + 1)).
static void assert_chain_shape(Case* c, int n, int j) {
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
    Case c = open_chain(2000, 2, 0.0);
    find(&c, ask(20));
    double error = chain_error(&c, 2000, 1);
    report("chain of 2000", &c, error);
    assert_int_equal(c.count, 20);
    assert_true(c.info.is_complete);
    assert_true(error < 1e-9);
    assert_sound(&c, 0, FB_MODE_PHYSICAL);
    assert_chain_shape(&c, 2000, 1);
    assert_chain_shape(&c, 2000, 7);
    close_case(&c);
}

static void assert_free_chain(const Case* c, int n) {
    int size;
    const double* v = fb_lowest_get_velocities(c->lowest, 0, &size);
    assert_int_equal(fb_lowest_get_mode(c->lowest, 0)->class_, FB_MODE_RIGID_BODY);
    assert_true(fb_lowest_get_mode(c->lowest, 0)->im == 0.0);
    assert_int_equal(size, n);
    for (int i = 0; i < n; i++) {  // all move alike, with x' M x = 1
        assert_true(fabs(v[2 * i] - sqrt(0.5 / n)) < 1e-9 && v[2 * i + 1] == 0.0);
    }
    assert_sound(c, 1, FB_MODE_PHYSICAL);
    assert_true(chain_error(c, n, 0) < 1e-9);
    assert_true(c->info.is_complete);
}

static void test_free_chain_of_2000(void** state) {
    (void)state;
    Case c = open_chain(2000, 0, 0.0);
    find(&c, ask(20));
    report("free chain of 2000", &c, chain_error(&c, 2000, 0));
    assert_true(c.info.shift < 0.0);
    assert_free_chain(&c, 2000);
    close_case(&c);
}

// A shift of zero is the rigid-body mode itself, and one of 1e-22 as good as that.
static void test_shift_on_a_rigid_body_mode(void** state) {
    (void)state;
    Case c = open_chain(500, 0, 0.0);
    for (int k = 0; k < 2; k++) {
        FbLowestOptions options = ask(5);
        options.has_shift = true;
        options.shift = k == 0 ? 0.0 : 1e-22;
        find(&c, options);
        report("shift on a rigid-body mode", &c, chain_error(&c, 500, 0));
        assert_true(c.info.n_shift_moves > 0);
        assert_true(c.info.shift != 0.0);
        assert_free_chain(&c, 500);
    }
    close_case(&c);
}

// And one on a vibration: the frequency of mode 40 to all digits.
static void test_shift_on_a_mode(void** state) {
    (void)state;
    Case c = open_chain(500, 2, 0.0);
    FbLowestOptions options = ask(7);
    double w = chain_frequency(500, 1, 40);
    options.has_shift = true;
    options.shift = w * w;
    find(&c, options);
    report("shift on mode 40", &c, 0.0);
    assert_int_equal(c.count, 7);
    assert_true(c.info.n_shift_moves > 0 && c.info.is_complete);
    for (int k = 0; k < 7; k++) {
        double exact = chain_frequency(500, 1, 37 + k);
        assert_true(fabs(fb_lowest_get_mode(c.lowest, k)->im / exact - 1.0) < 1e-10);
    }
    close_case(&c);
}

static void assert_multiple_modes(const Case* c, int copies, int n) {
    assert_true(c->info.is_complete);
    for (int k = 0; k < c->count; k++) {
        double exact = chain_frequency(n, 0, 1 + k / copies);
        const FbMode* mode = fb_lowest_get_mode(c->lowest, k);
        assert_int_equal(mode->class_, k < copies ? FB_MODE_RIGID_BODY : FB_MODE_PHYSICAL);
        assert_true(fabs(mode->im - exact) < 1e-9);
    }
}

// Equal free chains that do not know of each other: every frequency as often as there are chains,
// which an iteration from one vector cannot see in exact arithmetic.
static Case open_copies(int copies, int n) {
    return open_model(test_model_with("test/verify/sparse_modes/equal_chains.yaml",
                                      "copies=%d; N=%d", copies, n));
}

static void test_double_modes(void** state) {
    (void)state;
    Case c = open_copies(2, 300);
    find(&c, ask(9));
    report("two chains", &c, 0.0);
    assert_int_equal(c.count, 9);
    assert_multiple_modes(&c, 2, 300);
    close_case(&c);
}

// Rounding brings the iteration one vector after the other of a multiple mode; it may stop before
// it has them all. Looking outside what it found brings the rest.
static void test_missed_modes(void** state) {
    (void)state;
    int n_recovered = 0;
    for (int k = 0; k < 4; k++) {
        int copies = k < 2 ? 12 : 20, n = k < 2 ? 60 : 40, count = k % 2 == 0 ? 9 : 14;
        Case c = open_copies(copies, n);
        FbLowestOptions options = ask(count);
        options.tolerance = 1e-6;  // in a hurry
        find(&c, options);
        report("many chains", &c, 0.0);
        assert_int_equal(c.count, count);
        assert_multiple_modes(&c, copies, n);
        n_recovered += c.info.n_recovered;
        close_case(&c);
    }
    assert_true(n_recovered > 0);  // how many depends on rounding
}

// Windows that hang: one freedom, w^2 = (M g l of all links) / (their inertia).
static const char WINDOWS[] = "test/verify/sparse_modes/windows.yaml";

static void test_hanging_windows(void** state) {
    (void)state;
    Case c = {.model = test_model_from_file(WINDOWS)};
    c.point = point_of(c.model, FB_AT_EQUILIBRIUM);
    double exact = sqrt(9.81 * (51 * 0.5 + 50) / (51 / 3.0 + 50));
    for (int damped = 0; damped < 2; damped++) {
        FbLowestOptions options = ask(5);
        options.is_damped = damped;
        find(&c, options);
        double w = fb_lowest_get_mode(c.lowest, 0)->im;
        report("50 hanging windows", &c, fabs(w / exact - 1.0));
        assert_int_equal(c.count, 1);
        assert_true(c.info.is_complete);
        assert_true(fabs(w / exact - 1.0) < 1e-11);
        assert_true(dense_error(&c, true) < 1e-11);
        assert_sound(&c, 0, FB_MODE_PHYSICAL);
    }
    close_case(&c);
}

// 60 hanging windows, neighbours joined by springs: many freedoms and as many loops.
static void test_coupled_loops(void** state) {
    (void)state;
    Case c = open_model(test_model_from_file("test/verify/sparse_modes/coupled_windows.yaml"));
    find(&c, ask(6));
    report("60 coupled windows", &c, 0.0);
    assert_int_equal(c.count, 6);
    assert_true(c.info.is_complete);
    // All windows alike in phase: w^2 = (g (1/2 + 1/2 + 1)) / (1/3 + 1/3 + 1).
    double stiffness = 2 * 9.81, inertia = 5.0 / 3.0;
    for (int k = 0; k < 6; k++) {
        double spring = 400.0 * pow(sin(k * PI / 120.0), 2), exact = (stiffness + spring) / inertia;
        assert_true(fabs(fb_lowest_get_mode(c.lowest, k)->im / sqrt(exact) - 1.0) < 1e-11);
    }
    assert_sound(&c, 0, FB_MODE_PHYSICAL);
    FbLowestOptions options = ask(6);
    options.is_damped = true;
    find(&c, options);
    report("60 coupled windows, damped", &c, dense_error(&c, true));
    assert_int_equal(c.count, 6);
    assert_true(c.info.is_complete);
    assert_true(dense_error(&c, true) < 1e-10);
    close_case(&c);
}

// Damping in proportion to stiffness, c = b k: s^2 + b w^2 s + w^2 = 0 for each w of the chain.
static double damped_error(const FbMode* mode, double b, double w) {
    double re = -0.5 * b * w * w, im = w * sqrt(1.0 - 0.25 * b * b * w * w);
    return hypot(mode->re - re, mode->im - im) / w;
}

static void test_damped_chain(void** state) {
    (void)state;
    const double b = 0.3;
    Case c = open_chain(1000, 2, 50.0 * b);
    FbLowestOptions options = ask(10);
    double worst = 0.0;
    options.is_damped = true;
    find(&c, options);
    for (int k = 0; k < c.count; k++) {
        double error =
            damped_error(fb_lowest_get_mode(c.lowest, k), b, chain_frequency(1000, 1, k + 1));
        worst = fmax(worst, error);
    }
    report("damped chain of 1000", &c, worst);
    assert_true(c.info.is_symmetric);  // by the modes without damping
    assert_int_equal(c.count, 10);
    assert_true(c.info.is_complete);
    assert_true(worst < 1e-9);
    assert_sound(&c, 0, FB_MODE_PHYSICAL);
    assert_true(fabs(fb_lowest_get_mode(c.lowest, 9)->damping_ratio -
                     0.5 * b * chain_frequency(1000, 1, 10)) < 1e-9);
    close_case(&c);
}

// A complex shift finds what is next to it: modes 46 to 54.
static void test_complex_shift(void** state) {
    (void)state;
    const double b = 0.05, w = chain_frequency(400, 1, 50);
    Case c = open_chain(400, 2, 50.0 * b);
    FbLowestOptions options = ask(9);
    options.is_damped = options.has_shift = true;
    options.shift = -0.5 * b * w * w + 1e-3;
    options.shift_im = w * sqrt(1.0 - 0.25 * b * b * w * w);
    find(&c, options);
    report("complex shift", &c, 0.0);
    assert_int_equal(c.count, 9);
    assert_false(c.info.is_complete);  // nothing is claimed there
    for (int k = 0; k < 9; k++) {
        double exact = chain_frequency(400, 1, 46 + k);
        assert_true(damped_error(fb_lowest_get_mode(c.lowest, k), b, exact) < 1e-9);
    }
    close_case(&c);
}

// A free chain with damping: the rigid-body motion is a double eigenvalue with one vector, and is
// listed once.
static void test_damped_free_chain(void** state) {
    (void)state;
    Case c = open_chain(200, 0, 5.0);
    FbLowestOptions options = ask(5);
    options.is_damped = true;
    find(&c, options);
    report("damped free chain", &c, 0.0);
    assert_int_equal(c.count, 5);
    assert_int_equal(fb_lowest_get_mode(c.lowest, 0)->class_, FB_MODE_RIGID_BODY);
    assert_sound(&c, 1, FB_MODE_PHYSICAL);
    for (int k = 1; k < 5; k++) {
        const FbMode* mode = fb_lowest_get_mode(c.lowest, k);
        assert_true(damped_error(mode, 0.1, chain_frequency(200, 0, k + 1)) < 1e-8);
    }
    close_case(&c);
}

// A column of 90 links with a follower force at its tip: K is not symmetric.
static void test_follower_force(void** state) {
    (void)state;
    Case c = open_model(test_model_from_file("test/verify/sparse_modes/follower_force.yaml"));
    find(&c, ask(6));
    double error = dense_error(&c, false);
    report("column with a follower force", &c, error);
    assert_false(c.info.is_symmetric);
    assert_true(c.info.is_complete);
    assert_true(error < 1e-7);
    assert_sound(&c, 0, FB_MODE_PHYSICAL);
    close_case(&c);
}

// A chain and a short inverted pendulum, whose growth is far away from the lowest frequencies.
static void test_unstable_mode_outside(void** state) {
    (void)state;
    Case c = open_model(
        test_model_from_file("test/verify/sparse_modes/chain_and_inverted_pendulum.yaml"));
    find(&c, ask(5));
    double exact = sqrt(9.81e-3 / (1e-6 + 1e-9));
    report("chain with an inverted pendulum", &c, fabs(c.info.unstable_rate / exact - 1.0));
    assert_true(chain_error(&c, 300, 1) < 1e-10);
    assert_true(c.info.is_complete);
    assert_true(fabs(c.info.unstable_rate / exact - 1.0) < 0.05);
    close_case(&c);
}

static FbStatus try_options(Case* c, FbLowestOptions options) {
    FbLowest* l = NULL;
    FbError err = {0};
    FbStatus status = fb_modes_lowest(c->point, &options, &l, &err);
    assert_true(status == FB_OK || (l == NULL && err.text[0] != '\0'));
    fb_lowest_destroy(l);
    return status;
}

static void test_wrong_calls(void** state) {
    (void)state;
    Case c = open_chain(5, 2, 0.0);
    FbLowestOptions options = ask(0);
    assert_int_equal(try_options(&c, options), FB_ERR_ARGUMENT);
    options = ask(3);
    options.tolerance = NAN;
    assert_int_equal(try_options(&c, options), FB_ERR_ARGUMENT);
    find(&c, ask(100));  // no more than there are
    assert_int_equal(c.count, 5);
    assert_true(chain_error(&c, 5, 1) < 1e-13);
    assert_null(fb_lowest_get_mode(c.lowest, 5));
    double shares[5], sum = 0.0, re[3], im[3];
    assert_int_equal(fb_lowest_calc_participation(c.lowest, 1, shares), FB_OK);
    for (int b = 0; b < 5; b++) {
        sum += shares[b];
    }
    assert_true(fabs(sum - 1.0) < 1e-14 && shares[2] < 1e-20);  // the node of mode 2
    assert_int_equal(fb_lowest_calc_shape(c.lowest, 0, 5, re, re, im), FB_ERR_ARGUMENT);
    close_case(&c);
}

static void test_refused_points(void** state) {
    (void)state;
    Case c = open_model(test_model_from_file("test/verify/sparse_modes/spinning_body.yaml"));
    assert_int_equal(try_options(&c, ask(1)), FB_ERR_UNAVAILABLE);  // it moves
    FbLowestOptions options = ask(1);
    options.is_damped = true;
    assert_int_equal(try_options(&c, options), FB_OK);
    close_case(&c);
    c = open_model(test_model_from_file("test/verify/sparse_modes/mass_with_a_state.yaml"));
    assert_int_equal(try_options(&c, ask(1)), FB_ERR_UNAVAILABLE);  // a state acts on it
    options.count = 3;
    find(&c, options);
    assert_true(dense_error(&c, true) < 1e-12);
    close_case(&c);
}

// A build without ARPACK says so where it needs it.
static void test_large_without_arpack(void** state) {
    (void)state;
    Case c = open_chain(600, 2, 0.0);
    assert_int_equal(try_options(&c, ask(3)), FB_ERR_UNAVAILABLE);
    close_case(&c);
}

int main(void) {
    const struct CMUnitTest small[] = {
        cmocka_unit_test(test_chain_of_200),   cmocka_unit_test(test_hanging_windows),
        cmocka_unit_test(test_coupled_loops),  cmocka_unit_test(test_damped_free_chain),
        cmocka_unit_test(test_follower_force), cmocka_unit_test(test_unstable_mode_outside),
        cmocka_unit_test(test_wrong_calls),    cmocka_unit_test(test_refused_points),
    };
    const struct CMUnitTest large[] = {
        cmocka_unit_test(test_chain_of_2000),
        cmocka_unit_test(test_free_chain_of_2000),
        cmocka_unit_test(test_shift_on_a_rigid_body_mode),
        cmocka_unit_test(test_shift_on_a_mode),
        cmocka_unit_test(test_double_modes),
        cmocka_unit_test(test_missed_modes),
        cmocka_unit_test(test_damped_chain),
        cmocka_unit_test(test_complex_shift),
    };
    const struct CMUnitTest without[] = {cmocka_unit_test(test_large_without_arpack)};
    int failed = cmocka_run_group_tests(small, NULL, NULL);
    failed += fb_arpack_is_available() ? cmocka_run_group_tests(large, NULL, NULL)
                                       : cmocka_run_group_tests(without, NULL, NULL);
    return failed;
}
