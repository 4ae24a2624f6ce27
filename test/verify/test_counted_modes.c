// Lists of the lowest modes that inertia proves complete: closed forms, rigid-body and repeated
// modes, every size of model, and counts against dense eigenvalues.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sparse_support.h"

static const char BEAM[] = "test/verify/counted_modes/beam.yaml";
static const char SQUARE[] = "test/verify/counted_modes/square.yaml";
static const double PI = 3.14159265358979323846;

static SparseCase find(FbModel* model, int count) {
    SparseCase c = sparse_open(model);
    sparse_find(&c, sparse_ask(count));
    return c;
}

static double w_of(const SparseCase* c, int k) {
    return 2.0 * PI * fb_lowest_get_mode(c->lowest, k)->frequency_hz;
}

static int count_rigid(const SparseCase* c) {
    int n = 0;
    for (int k = 0; k < c->count; k++) {
        n += fb_lowest_get_mode(c->lowest, k)->class_ == FB_MODE_RIGID_BODY;
    }
    return n;
}

static void assert_close(double x, double expected, double tolerance) {
    if (!(fabs(x / expected - 1.0) < tolerance)) {
        fail_msg("%.15g instead of %.15g", x, expected);
    }
}

// w = (k L)^2 sqrt(E I / (rho A)) / L^2 of the beam in the file.
static double beam_w(double kl, double size) {
    return kl * kl * sqrt(210e9 * 1.3e-8 / (7850 * 4e-4)) / (4.0 * size);
}

static void simply_supported_beam(void** state) {
    (void)state;
    SparseCase c =
        find(test_model_with(BEAM,
                             "[\"0*size\", \"0*size\", \"0*size\"] => [0, 0, 0], support: pinned; "
                             "[\"2*size\", \"0*size\", \"0*size\"] => [2, 0, 0], support: roller; "
                             "n=60"),
             6);
    for (int k = 0; k < 6; k++) {
        assert_close(w_of(&c, k), beam_w((k + 1) * PI, 1.0), 1e-5);
    }
    assert_true(c.info.is_complete && c.info.n_counted == 6 && c.info.shift == 0.0);
    assert_int_equal(c.info.n_factorizations, 2);
    assert_int_equal(count_rigid(&c), 0);
    sparse_close(&c);
}

static const double FREE[] = {4.730040744862704, 7.853204624095838, 10.995607838001671};

// Three motions without strain in a plane and six in space, where each bending mode comes twice.
// The size of the beam, a micrometre or a thousand kilometres, changes no decision.
static void free_beams_of_every_size(void** state) {
    (void)state;
    for (int e = -6; e <= 6; e += 3) {
        double size = pow(10.0, e);
        SparseCase plane = find(test_model_with(BEAM, "n=50; size=%.17g", size), 6);
        SparseCase space =
            find(test_model_with(BEAM, "n=30; size=%.17g; plane: xy => theory: linear", size), 11);
        assert_int_equal(count_rigid(&plane), 3);
        assert_int_equal(count_rigid(&space), 6);
        assert_true(plane.info.is_complete && plane.info.n_counted == 6);
        assert_true(space.info.is_complete && space.info.n_counted >= 11);
        for (int k = 0; k < 3; k++) {
            assert_close(w_of(&plane, 3 + k), beam_w(FREE[k], size), 2e-5);
        }
        for (int k = 0; k < 4; k++) {
            assert_close(w_of(&space, 6 + k), beam_w(FREE[k / 2], size), 2e-5);
        }
        sparse_close(&plane);
        sparse_close(&space);
    }
}

// Fewer modes than there are motions without stiffness: they are equal, so any of them will do.
static void only_rigid_body_modes(void** state) {
    (void)state;
    SparseCase c = find(test_model_with(BEAM, "n=30; plane: xy => theory: linear"), 4);
    assert_int_equal(count_rigid(&c), 4);
    assert_true(c.info.is_complete);
    sparse_close(&c);
}

// Sway along x and y; more pairs above.
static void repeated_modes_of_a_square_frame(void** state) {
    (void)state;
    SparseCase c = find(test_model_with(SQUARE, "n=8"), 20);
    assert_true(c.info.is_complete && c.info.n_counted >= 20);
    assert_close(w_of(&c, 1), w_of(&c, 0), 1e-10);
    assert_true(w_of(&c, 2) > 1.1 * w_of(&c, 1));
    SparseCase turned =
        find(test_model_with(SQUARE,
                             "n=8; position: [0, 0, 0] => position: [2e4, -1e3, 5], "
                             "orientation: {axis: [0.3, -0.5, 0.8], angle: 1.1}"),
             20);
    SparseCase large = find(test_model_with(SQUARE, "n=8; size=1e6"), 20);
    assert_int_equal(turned.info.n_counted, c.info.n_counted);
    assert_int_equal(large.info.n_counted, c.info.n_counted);
    for (int k = 0; k < 20; k++) {
        assert_close(w_of(&turned, k), w_of(&c, k), 1e-8);
        assert_close(1e6 * w_of(&large, k), w_of(&c, k), 1e-9);
    }
    sparse_close(&c);
    sparse_close(&turned);
    sparse_close(&large);
}

// Dense undamped modes below the bound of the count.
static int count_dense(const SparseCase* c, double below) {
    FbLinearization* l = sparse_dense_of(c);
    int n = 0;
    for (int k = 0; k < fb_linearization_get_mode_count(l); k++) {
        const FbMode* m = fb_linearization_get_mode(l, k);
        n += m->im > 0.0 && m->im * m->im + m->re * m->re < below;
    }
    fb_linearization_destroy(l);
    return n;
}

static void counts_are_those_of_dense_eigenvalues(void** state) {
    (void)state;
    for (int count = 1; count <= 16; count += 5) {
        SparseCase c = find(test_model_with(SQUARE, "n=3"), count);
        assert_true(c.info.is_complete);
        assert_int_equal(c.info.n_counted, count_dense(&c, c.info.counted));
        assert_true(sparse_dense_error(&c, false) < 1e-9);
        sparse_close(&c);
    }
    SparseCase c = find(test_model_from_file("test/verify/sparse_modes/coupled_windows.yaml"), 6);
    assert_int_equal(c.info.n_counted, count_dense(&c, c.info.counted));  // with loops
    sparse_close(&c);
}

// About a frequency: counted on both sides.
static void modes_about_a_frequency(void** state) {
    (void)state;
    SparseCase c = sparse_open(test_model_with(SQUARE, "n=3"));
    FbLowestOptions options = sparse_ask(6);
    options.has_shift = true;
    options.shift = 400.0 * 400.0;
    sparse_find(&c, options);
    double low = c.info.shift - c.info.counted, high = c.info.shift + c.info.counted;
    assert_true(c.info.is_complete && low > 0.0);
    assert_int_equal(c.info.n_counted, count_dense(&c, high) - count_dense(&c, low));
    sparse_close(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simply_supported_beam),
        cmocka_unit_test(free_beams_of_every_size),
        cmocka_unit_test(only_rigid_body_modes),
        cmocka_unit_test(repeated_modes_of_a_square_frame),
        cmocka_unit_test(counts_are_those_of_dense_eigenvalues),
        cmocka_unit_test(modes_about_a_frequency),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
