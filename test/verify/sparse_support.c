// The lowest modes of models for tests.
#include "sparse_support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static const double PI = 3.14159265358979323846;

FbOperatingPoint* sparse_point_of(FbModel* model, FbOperatingKind kind) {
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

void sparse_find(SparseCase* c, FbLowestOptions options) {
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

SparseCase sparse_open(FbModel* model) {
    SparseCase c = {.model = model};
    c.point = sparse_point_of(c.model, FB_AT_INITIAL);
    return c;
}

SparseCase sparse_open_chain(int n, int ends, double damping) {
    return sparse_open(test_model_with("test/verify/sparse_modes/chain.yaml",
                                       "N=%d; ends=%d; c=%.17g", n, ends, damping));
}

void sparse_close(SparseCase* c) {
    fb_lowest_destroy(c->lowest);
    fb_operating_point_destroy(c->point);
    fb_model_destroy(c->model);
}

FbLowestOptions sparse_ask(int count) {
    FbLowestOptions options = fb_lowest_options_default();
    options.count = count;
    return options;
}

void sparse_report(const char* what, const SparseCase* c, double error) {
    print_message(
        "%s: %d modes in %.3f s, error %.1e, shift %g%+gi (moved %d times), %d "
        "factorizations, %d solves, recovered %d, reach %g\n",
        what, c->count, c->seconds, error, c->info.shift, c->info.shift_im, c->info.n_shift_moves,
        c->info.n_factorizations, c->info.n_solves, c->info.n_recovered, c->info.reach);
}

void sparse_assert_sound(const SparseCase* c, int first, FbModeClass class_) {
    for (int k = first; k < c->count; k++) {
        const FbMode* mode = fb_lowest_get_mode(c->lowest, k);
        assert_int_equal(mode->class_, class_);
        assert_true(mode->residual < 1e-13);
        assert_true(mode->constraint_residual < 1e-12);
    }
}

double sparse_chain_frequency(int n, int ends, int j) {  // j = 1, 2, ...; rad/s
    return ends ? 10.0 * sin(j * PI / (2.0 * (n + 1))) : 10.0 * sin((j - 1) * PI / (2.0 * n));
}

double sparse_chain_error(const SparseCase* c, int n, int ends) {
    double worst = 0.0;
    for (int k = 0; k < c->count; k++) {
        const FbMode* mode = fb_lowest_get_mode(c->lowest, k);
        double exact = sparse_chain_frequency(n, ends, k + 1);
        double error = exact > 0.0 ? fabs(mode->im / exact - 1.0) : fabs(mode->im);
        worst = fmax(worst, error + fabs(mode->re));
    }
    return worst;
}

FbLinearization* sparse_dense_of(const SparseCase* c) {
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

double sparse_dense_error(const SparseCase* c, bool is_damped) {
    FbLinearization* l = sparse_dense_of(c);
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
