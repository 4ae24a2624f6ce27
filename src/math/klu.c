// Sparse LU by KLU: block triangular form and minimum-degree ordering once, then factor and
// refactor.
//
// A refactorization keeps the pivots of the last full one. Its reciprocal pivot growth is compared
// with that of the full one; where it has become much worse, the pivots no longer suit the values
// and are chosen again.
#include "math/klu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/suitesparse_table.h"

// A refactorization may lose this factor of the pivot growth that the full factorization had.
static const double GROWTH_LOSS = 0.1;
// An entry may be pivot if it is at least this part of the largest in its column; the library's own
// default, 0.001, lets errors grow too much for constraints that must hold to 1e-12.
static const double PIVOT_SHARE = 0.1;

struct FbKlu {
    const FbKluTable* klu;
    klu_common common;
    klu_symbolic* symbolic;
    klu_numeric* numeric;  // NULL until the first factorization succeeds
    const FbPattern* pattern;
    double* values;
    bool is_complex;
    double growth;       // reciprocal pivot growth of the last factorization
    double full_growth;  // and of the last full one
    double* chosen;      // values of the last full one
    bool is_full;        // the last one was
};

static size_t value_size(const FbKlu* s) {
    return sizeof(double) * (size_t)fb_pattern_count(s->pattern) * (s->is_complex ? 2 : 1);
}

static FbStatus create(const FbPattern* pattern, bool is_complex, bool is_symmetric, double* values,
                       FbKlu** out, FbError* err) {
    const FbKluTable* klu;
    *out = NULL;
    FB_TRY(fb_klu_get(&klu, err));
    FbKlu* s = calloc(1, sizeof *s);
    if (!s) {
        return fb_fail_memory(err);
    }
    *s = (FbKlu){.klu = klu, .pattern = pattern, .values = values, .is_complex = is_complex};
    s->klu->defaults(&s->common);
    s->common.tol = is_symmetric ? 0.0 : PIVOT_SHARE;
    if (is_symmetric) {  // no block form and no row scaling, which are not symmetric
        s->common.btf = 0;
        s->common.scale = -1;
    }
    s->chosen = malloc(value_size(s) + 1);
    if (!s->chosen) {
        fb_klu_destroy(s);
        return fb_fail_memory(err);
    }
    s->symbolic = s->klu->analyze(pattern->n_col, pattern->start, pattern->row, &s->common);
    if (!s->symbolic) {
        bool is_memory = s->common.status == KLU_OUT_OF_MEMORY;
        int code = s->common.status;
        fb_klu_destroy(s);
        return is_memory ? fb_fail_memory(err)
                         : fb_fail(err, FB_ERR_ARGUMENT, NULL,
                                   "the sparse matrix cannot be analysed (KLU status %d)", code);
    }
    *out = s;
    return FB_OK;
}

FbStatus fb_klu_create(const FbPattern* pattern, bool is_complex, double* values, FbKlu** out,
                       FbError* err) {
    return create(pattern, is_complex, false, values, out, err);
}

FbStatus fb_klu_create_symmetric(const FbPattern* pattern, double* values, FbKlu** out,
                                 FbError* err) {
    return create(pattern, false, true, values, out, err);
}

static void free_numeric(FbKlu* s) {
    if (s->is_complex) {
        s->klu->z_free_numeric(&s->numeric, &s->common);
    } else {
        s->klu->free_numeric(&s->numeric, &s->common);
    }
}

void fb_klu_reset(FbKlu* s) {
    if (s->numeric) {
        free_numeric(s);
    }
}

void fb_klu_destroy(FbKlu* s) {
    if (s) {
        fb_klu_reset(s);
        s->klu->free_symbolic(&s->symbolic, &s->common);
        free(s->chosen);
        free(s);
    }
}

static double calc_growth(FbKlu* s) {
    const FbPattern* p = s->pattern;
    int is_done =
        s->is_complex
            ? s->klu->z_rgrowth(p->start, p->row, s->values, s->symbolic, s->numeric, &s->common)
            : s->klu->rgrowth(p->start, p->row, s->values, s->symbolic, s->numeric, &s->common);
    return is_done && isfinite(s->common.rgrowth) ? s->common.rgrowth : 0.0;
}

static bool refactor(FbKlu* s) {
    const FbPattern* p = s->pattern;
    int is_done =
        s->is_complex
            ? s->klu->z_refactor(p->start, p->row, s->values, s->symbolic, s->numeric, &s->common)
            : s->klu->refactor(p->start, p->row, s->values, s->symbolic, s->numeric, &s->common);
    if (!is_done || s->common.status != KLU_OK) {
        return false;
    }
    s->is_full = false;
    s->growth = calc_growth(s);
    return s->growth >= GROWTH_LOSS * s->full_growth;
}

static FbStatus factor(FbKlu* s) {
    const FbPattern* p = s->pattern;
    if (s->numeric) {
        free_numeric(s);
    }
    s->numeric = s->is_complex
                     ? s->klu->z_factor(p->start, p->row, s->values, s->symbolic, &s->common)
                     : s->klu->factor(p->start, p->row, s->values, s->symbolic, &s->common);
    if (!s->numeric) {
        return s->common.status == KLU_OUT_OF_MEMORY ? FB_ERR_MEMORY : FB_RETRY;
    }
    s->growth = s->full_growth = calc_growth(s);
    s->is_full = true;
    memcpy(s->chosen, s->values, value_size(s));
    return s->common.status == KLU_OK ? FB_OK : FB_RETRY;
}

static double size_of(bool is_complex, const double* a, int k) {
    return is_complex ? hypot(a[2 * k], a[2 * k + 1]) : fabs(a[k]);
}

// KLU factors the matrix with row i divided by its largest entry, Rs; after a factorization Rs is
// in pivot order.
static double column_size(const FbKlu* s, int col) {
    const FbPattern* p = s->pattern;
    const double* scale = s->numeric->Rs;
    double largest = 0.0;
    for (int k = p->start[col]; k < p->start[col + 1]; k++) {
        double size = size_of(s->is_complex, s->values, k);
        if (scale) {
            size /= scale[s->numeric->Pinv[p->row[k]]];
        }
        largest = size > largest ? size : largest;
    }
    return largest;
}

static double calc_quality(const FbKlu* s, int* worst_column) {
    double quality = 1.0;
    for (int k = 0; k < s->pattern->n_col; k++) {
        int col = s->symbolic->Q[k];
        double ratio = size_of(s->is_complex, s->numeric->Udiag, k) / column_size(s, col);
        if (!(ratio >= quality)) {
            quality = ratio;
            *worst_column = col;
        }
    }
    return isnan(quality) ? 0.0 : quality * fmin(1.0, s->growth);
}

static FbStatus factor_anew(FbKlu* s, double* quality, int* bad_column) {
    FbStatus status = factor(s);
    if (status != FB_OK) {
        int col = s->common.singular_col;
        *bad_column = col >= 0 && col < s->pattern->n_col ? col : -1;
        *quality = 0.0;
        return status;
    }
    *quality = calc_quality(s, bad_column);
    return FB_OK;
}

FbStatus fb_klu_factor(FbKlu* s, double limit, double* quality, int* bad_column) {
    *bad_column = -1;
    if (s->numeric && refactor(s)) {
        *quality = calc_quality(s, bad_column);
        if (*quality >= limit) {
            return FB_OK;
        }
        *bad_column = -1;
    }
    return factor_anew(s, quality, bad_column);
}

// Chooses the pivots as they were chosen, then factors the current values with them.
static void factor_again(FbKlu* s, double* room, bool is_full) {
    size_t size = value_size(s);
    memcpy(room, s->values, size);
    memcpy(s->values, s->chosen, size);
    FbStatus status = factor(s);
    memcpy(s->values, room, size);
    if (status == FB_OK && !is_full) {
        refactor(s);
    }
}

void fb_klu_remember(FbKlu* s, FbMemory* m) {
    bool has_numeric = s->numeric != NULL, is_full = s->is_full;
    FB_REMEMBER(m, has_numeric);
    FB_REMEMBER(m, is_full);
    fb_memory_bytes(m, s->chosen, value_size(s));
    if (!m->is_loading || m->has_failed) {
        return;
    }
    double* room = has_numeric ? malloc(value_size(s) + 1) : NULL;
    fb_klu_reset(s);
    if (room) {
        factor_again(s, room, is_full);
    }
    free(room);
}

double fb_klu_get_pivot(const FbKlu* s, int col) {
    int k = s->numeric->Pinv[col];
    bool is_on_diagonal = s->symbolic->Q[k] == col;  // left only where a pivot vanishes
    return is_on_diagonal ? ((const double*)s->numeric->Udiag)[k] : 0.0;
}

void fb_klu_solve(FbKlu* s, double* b) {
    int n = s->pattern->n_col;
    if (s->is_complex) {
        s->klu->z_solve(s->symbolic, s->numeric, n, 1, b, &s->common);
    } else {
        s->klu->solve(s->symbolic, s->numeric, n, 1, b, &s->common);
    }
}
