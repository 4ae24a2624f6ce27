// Square linear systems: chooses dense or sparse LU, scatters the values, watches for singularity.
#include "math/linear.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/dense.h"
#include "math/klu.h"
#include "math/suitesparse_table.h"
#include "math/symmetric_linear.h"

// AUTO: up to this size the dense factorization is faster whatever the pattern; a pattern filled
// beyond this share is treated as dense up to the larger size.
// Symmetric elimination by fronts pays off from LEAST_SYMMETRIC rows on.
enum { ALWAYS_DENSE = 40, LARGEST_DENSE = 400, LEAST_SYMMETRIC = 1000 };
static const double DENSE_SHARE = 0.35;

struct FbLinear {
    const FbPattern* pattern;
    int n, n_values;
    bool is_complex;
    double* values;
    bool is_sparse;
    bool may_be_symmetric;         // requested, and large enough
    FbSymmetricLinear* symmetric;  // NULL as long as it is not needed
    const FbLinear* like;          // whose analysis may serve, NULL: none
    FbKlu* klu;                    // likewise
    bool by_symmetric;             // the last factorization
    // Dense only.
    double* lu;           // [n x n]
    int* pivot;           // [n]
    int* place;           // where each value lands in lu; NULL if the pattern is full
    double* column_size;  // [n] largest entry of each column
    // Of the last factorization.
    double quality;
    int bad_column;
    bool is_factored;
};

bool fb_linear_chooses_sparse(const FbPattern* p, FbLinearKind kind) {
    int n = p->n_col;
    if (n == 0 || kind == FB_LINEAR_DENSE) {
        return false;
    }
    double share = (double)fb_pattern_count(p) / ((double)n * (double)n);
    bool is_dense = n <= ALWAYS_DENSE || (share > DENSE_SHARE && n <= LARGEST_DENSE);
    return kind == FB_LINEAR_SPARSE || !is_dense;
}

static bool create_dense(FbLinear* s) {
    size_t n = (size_t)s->n, parts = s->is_complex ? 2 : 1;
    s->lu = malloc(sizeof *s->lu * (parts * n * n + 1));
    s->pivot = malloc(sizeof *s->pivot * (n + 1));
    s->column_size = malloc(sizeof *s->column_size * (n + 1));
    bool is_full = fb_pattern_is_full(s->pattern);
    s->place = is_full ? NULL : malloc(sizeof *s->place * ((size_t)s->n_values + 1));
    if (!s->lu || !s->pivot || !s->column_size || (!is_full && !s->place)) {
        return false;
    }
    for (int j = 0; s->place && j < s->n; j++) {
        for (int k = s->pattern->start[j]; k < s->pattern->start[j + 1]; k++) {
            s->place[k] = j * s->n + s->pattern->row[k];
        }
    }
    return true;
}

FbStatus fb_linear_create(const FbPattern* pattern, FbLinearKind kind, bool is_complex,
                          FbLinear** out, FbError* err) {
    *out = NULL;
    if (pattern->n_row != pattern->n_col) {
        return fb_fail(err, FB_ERR_ARGUMENT, NULL, "a linear system of %d x %d is not square",
                       pattern->n_row, pattern->n_col);
    }
    FbLinear* s = calloc(1, sizeof *s);
    if (!s) {
        return fb_fail_memory(err);
    }
    s->pattern = pattern;
    s->n = pattern->n_col;
    s->n_values = fb_pattern_count(pattern);
    s->is_complex = is_complex;
    s->bad_column = -1;
    s->values = calloc((size_t)s->n_values * (is_complex ? 2 : 1) + 1, sizeof *s->values);
    FbStatus status = FB_OK;
    bool is_sparse = s->is_sparse = fb_linear_chooses_sparse(pattern, kind);
    if (!s->values || (!is_sparse && !create_dense(s))) {
        status = fb_fail_memory(err);
    }
    s->may_be_symmetric =
        is_sparse && kind == FB_LINEAR_SYMMETRIC && !is_complex && s->n >= LEAST_SYMMETRIC;
    if (status == FB_OK && is_sparse) {  // here a library that is missing can be named
        const FbAmdTable* amd;
        status = s->may_be_symmetric ? fb_amd_get(&amd, err)
                                     : fb_klu_create(pattern, is_complex, s->values, &s->klu, err);
    }
    if (status != FB_OK) {
        fb_linear_destroy(s);
        return status;
    }
    *out = s;
    return FB_OK;
}

void fb_linear_share(FbLinear* s, const FbLinear* other) {
    s->like = other;
}

FbSymmetric* fb_linear_get_symmetric(const FbLinear* s) {
    return s && s->symmetric ? fb_symmetric_linear_get_solver(s->symmetric) : NULL;
}

void fb_linear_destroy(FbLinear* s) {
    if (s) {
        fb_klu_destroy(s->klu);
        fb_symmetric_linear_destroy(s->symmetric);
        free(s->values);
        free(s->lu);
        free(s->pivot);
        free(s->place);
        free(s->column_size);
        free(s);
    }
}

void fb_linear_reset(FbLinear* s) {
    if (s->klu) {
        fb_klu_reset(s->klu);
    }
    if (s->symmetric) {
        fb_symmetric_linear_reset(s->symmetric);
    }
    memset(s->values, 0, sizeof *s->values * (size_t)s->n_values * (s->is_complex ? 2 : 1));
    s->by_symmetric = s->is_factored = false;
    s->bad_column = -1;
}

double* fb_linear_values(FbLinear* s) {
    return s->values;
}

int fb_linear_bad_column(const FbLinear* s) {
    return s->bad_column;
}

double fb_linear_rcond(const FbLinear* s) {
    return s->is_factored ? s->quality : 0.0;
}

static void scatter(FbLinear* s) {
    size_t n = (size_t)s->n, parts = s->is_complex ? 2 : 1;
    if (!s->place) {
        memcpy(s->lu, s->values, sizeof *s->lu * parts * n * n);
        return;
    }
    memset(s->lu, 0, sizeof *s->lu * parts * n * n);
    if (s->is_complex) {
        for (int k = 0; k < s->n_values; k++) {
            s->lu[2 * s->place[k]] = s->values[2 * k];
            s->lu[2 * s->place[k] + 1] = s->values[2 * k + 1];
        }
        return;
    }
    for (int k = 0; k < s->n_values; k++) {
        s->lu[s->place[k]] = s->values[k];
    }
}

static void measure_columns(FbLinear* s) {
    int parts = s->is_complex ? 2 : 1;
    for (int j = 0; j < s->n; j++) {
        double largest = 0.0;
        for (int k = parts * s->pattern->start[j]; k < parts * s->pattern->start[j + 1]; k++) {
            double size = fabs(s->values[k]);
            largest = size > largest ? size : largest;
        }
        s->column_size[j] = largest;
    }
}

// The smallest pivot relative to its column as it was. The LU keeps reciprocal pivots.
static void rate_pivots(FbLinear* s) {
    s->quality = 1.0;
    for (int j = 0; j < s->n; j++) {
        size_t at = (size_t)j * (size_t)s->n + (size_t)j;
        double reciprocal =
            s->is_complex ? hypot(s->lu[2 * at], s->lu[2 * at + 1]) : fabs(s->lu[at]);
        double ratio = 1.0 / (reciprocal * s->column_size[j]);
        if (!(ratio >= s->quality)) {
            s->quality = ratio;
            s->bad_column = j;
        }
    }
}

static FbStatus factor_dense(FbLinear* s) {
    scatter(s);
    measure_columns(s);
    int bad = s->is_complex ? fb_lu_factor_complex(s->n, (double complex*)s->lu, s->pivot)
                            : fb_lu_factor(s->n, s->lu, s->pivot);
    if (bad >= 0) {
        s->quality = 0.0;
        s->bad_column = bad;
        return FB_RETRY;
    }
    rate_pivots(s);
    return FB_OK;
}

// KLU's pivot search does not stop at a NaN.
static bool has_finite_values(const FbLinear* s) {
    int count = s->n_values * (s->is_complex ? 2 : 1);
    double sum = 0.0;
    for (int k = 0; k < count; k++) {
        sum += 0.0 * s->values[k];
    }
    return sum == 0.0;
}

static FbStatus factor_sparse(FbLinear* s, double noise) {
    FbError ignored;
    if (s->may_be_symmetric && !s->symmetric) {
        FB_TRY(fb_symmetric_linear_create(
            s->pattern, s->values, s->like ? s->like->symmetric : NULL, &s->symmetric, &ignored));
    }
    s->by_symmetric = s->symmetric && fb_symmetric_linear_suits(s->symmetric);
    if (s->by_symmetric) {
        s->quality = 1.0;
        return fb_symmetric_linear_factor(s->symmetric, &s->bad_column);
    }
    if (!s->klu) {
        FB_TRY(fb_klu_create(s->pattern, s->is_complex, s->values, &s->klu, &ignored));
    }
    return fb_klu_factor(s->klu, noise, &s->quality, &s->bad_column);
}

FbStatus fb_linear_factor(FbLinear* s) {
    s->is_factored = false;
    s->bad_column = -1;
    // Rounding leaves a pivot of this relative size where the exact one is zero.
    const double noise = 2.0 * sqrt((double)s->n) * DBL_EPSILON;
    FbStatus status = FB_RETRY;
    if (!s->is_sparse) {
        status = factor_dense(s);
    } else if (has_finite_values(s)) {
        status = factor_sparse(s, noise);
    }
    if (status != FB_OK) {
        return status;
    }
    s->is_factored = true;
    if (!(s->quality >= noise)) {
        return FB_RETRY;
    }
    s->bad_column = -1;
    return FB_OK;
}

void fb_linear_solve(FbLinear* s, double* b) {
    if (s->by_symmetric) {
        fb_symmetric_linear_solve(s->symmetric, b);
    } else if (s->klu) {
        fb_klu_solve(s->klu, b);
    } else if (s->is_complex) {
        fb_lu_solve_complex(s->n, (const double complex*)s->lu, s->pivot, (double complex*)b);
    } else {
        fb_lu_solve(s->n, s->lu, s->pivot, b);
    }
}

// The solvers that the saved one had.
static bool create_solvers(FbLinear* s, bool has_symmetric, bool has_klu) {
    FbError ignored;
    if (has_symmetric && !s->symmetric && s->may_be_symmetric) {
        fb_symmetric_linear_create(s->pattern, s->values, s->like ? s->like->symmetric : NULL,
                                   &s->symmetric, &ignored);
    }
    if (has_klu && !s->klu && s->is_sparse) {
        fb_klu_create(s->pattern, s->is_complex, s->values, &s->klu, &ignored);
    }
    return has_symmetric == (s->symmetric != NULL) && has_klu == (s->klu != NULL);
}

void fb_linear_remember(FbLinear* s, FbMemory* m) {
    bool has_symmetric = s->symmetric != NULL, has_klu = s->klu != NULL;
    bool is_factored = s->is_factored, is_definite = true;
    fb_memory_doubles(m, s->values, s->n_values * (s->is_complex ? 2 : 1));
    FB_REMEMBER(m, is_factored);
    FB_REMEMBER(m, has_symmetric);
    FB_REMEMBER(m, has_klu);
    FB_REMEMBER(m, s->quality);
    FB_REMEMBER(m, s->bad_column);
    FB_REMEMBER(m, s->by_symmetric);
    // A solver that the saved one did not have yet has not factored anything that counts.
    if (m->is_loading && s->klu && !has_klu) {
        fb_klu_destroy(s->klu);
        s->klu = NULL;
    }
    if (m->is_loading && s->symmetric && !has_symmetric) {
        fb_symmetric_linear_destroy(s->symmetric);
        s->symmetric = NULL;
    }
    if (m->is_loading && !create_solvers(s, has_symmetric, has_klu)) {
        m->has_failed = true;
        return;
    }
    bool* trial = s->symmetric ? fb_symmetric_linear_trial(s->symmetric) : &is_definite;
    FB_REMEMBER(m, *trial);
    if (s->klu) {
        fb_klu_remember(s->klu, m);
    }
    if (!m->is_loading || m->has_failed) {
        return;
    }
    s->is_factored = is_factored;
    if (is_factored && !s->is_sparse) {
        factor_dense(s);
    } else if (is_factored && s->by_symmetric) {
        fb_symmetric_linear_factor(s->symmetric, &s->bad_column);
    }
}
