// Sparse matrices with their values: from triplets, parts, symmetry, definiteness.
#include "math/sparse.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/klu.h"
#include "math/symmetric.h"

// Sorts the entries by column, and by row within it: two passes of counting.
static bool sort(int n_row, int n_col, const FbTriplet* entries, size_t n, size_t* order) {
    size_t most = (size_t)(n_row > n_col ? n_row : n_col) + 1;
    size_t* start = calloc(most, sizeof *start);
    size_t* by_row = malloc((n + 1) * sizeof *by_row);
    bool is_good = start && by_row;
    for (int pass = 0; is_good && pass < 2; pass++) {
        int n_key = pass == 0 ? n_row : n_col;
        for (int i = 0; i <= n_key; i++) {
            start[i] = 0;
        }
        for (size_t i = 0; i < n; i++) {
            start[(pass == 0 ? entries[i].row : entries[i].col) + 1]++;
        }
        for (int i = 0; i < n_key; i++) {
            start[i + 1] += start[i];
        }
        for (size_t i = 0; i < n; i++) {
            size_t e = pass == 0 ? i : by_row[i];
            size_t at = start[pass == 0 ? entries[e].row : entries[e].col]++;
            (pass == 0 ? by_row : order)[at] = e;
        }
    }
    free(by_row);
    free(start);
    return is_good;
}

static FbStatus compress(const FbTriplet* entries, const size_t* order, size_t n, FbArena* arena,
                         FbSparse* out, FbError* err) {
    FbPattern* p = &out->pattern;
    int n_entry = 0, col = -1, row = -1;
    if (n > 0x7fffff00) {
        return fb_fail(err, FB_ERR_RANGE, NULL, "the matrix has more than 2^31 entries");
    }
    p->start = FB_TAKE(arena, int, p->n_col + 1);
    p->row = FB_TAKE(arena, int, n + 1);
    out->values = FB_TAKE(arena, double, n + 1);
    if (fb_arena_has_failed(arena)) {
        return fb_fail_memory(err);
    }
    for (size_t i = 0; i < n; i++) {
        const FbTriplet* e = &entries[order[i]];
        if (e->col != col || e->row != row) {
            for (; col < e->col; col++) {
                p->start[col + 1] = n_entry;
            }
            row = e->row;
            p->row[n_entry] = row;
            out->values[n_entry++] = 0.0;
        }
        out->values[n_entry - 1] += e->value;
    }
    for (; col < p->n_col; col++) {
        p->start[col + 1] = n_entry;
    }
    return FB_OK;
}

FbStatus fb_sparse_from_triplets(int n_row, int n_col, const FbTriplet* entries, size_t n,
                                 FbArena* arena, FbSparse* out, FbError* err) {
    *out = (FbSparse){.pattern = {.n_row = n_row, .n_col = n_col}};
    size_t* order = malloc((n + 1) * sizeof *order);
    FbStatus status = FB_ERR_MEMORY;
    if (order && sort(n_row, n_col, entries, n, order)) {
        status = compress(entries, order, n, arena, out, err);
    } else {
        fb_fail_memory(err);
    }
    free(order);
    return status;
}

double fb_sparse_get(const FbSparse* a, int row, int col) {
    int at = fb_pattern_index(&a->pattern, row, col);
    return at >= 0 ? a->values[at] : 0.0;
}

// Sorts one column by rows; most are nearly in order.
static void sort_column(int n, int* rows, double* values) {
    for (int i = 1; i < n; i++) {
        int row = rows[i], k = i;
        double value = values[i];
        for (; k > 0 && rows[k - 1] > row; k--) {
            rows[k] = rows[k - 1];
            values[k] = values[k - 1];
        }
        rows[k] = row;
        values[k] = value;
    }
}

// The number of entries of each column that is picked, summed up.
static void count_picked(const FbPattern* p, const int* row_of, const int* col_of, FbPattern* out) {
    memset(out->start, 0, sizeof(int) * ((size_t)out->n_col + 1));
    for (int col = 0; col < p->n_col; col++) {
        for (int e = p->start[col]; col_of[col] >= 0 && e < p->start[col + 1]; e++) {
            out->start[col_of[col] + 1] += row_of[p->row[e]] >= 0;
        }
    }
    for (int col = 0; col < out->n_col; col++) {
        out->start[col + 1] += out->start[col];
    }
}

FbStatus fb_sparse_pick(const FbSparse* a, const int* row_of, int n_row, const int* col_of,
                        int n_col, FbArena* arena, FbSparse* out, FbError* err) {
    const FbPattern* p = &a->pattern;
    *out = (FbSparse){.pattern = {.n_row = n_row, .n_col = n_col}};
    out->pattern.start = FB_TAKE(arena, int, n_col + 1);
    if (!out->pattern.start) {
        return fb_fail_memory(err);
    }
    count_picked(p, row_of, col_of, &out->pattern);
    size_t count = (size_t)fb_pattern_count(&out->pattern);
    out->pattern.row = FB_TAKE(arena, int, count + 1);
    out->values = FB_TAKE(arena, double, count + 1);
    if (!out->pattern.row || !out->values) {
        return fb_fail_memory(err);
    }
    for (int col = 0; col < p->n_col; col++) {
        int first = col_of[col] >= 0 ? out->pattern.start[col_of[col]] : 0, at = first;
        for (int e = p->start[col]; col_of[col] >= 0 && e < p->start[col + 1]; e++) {
            if (row_of[p->row[e]] >= 0) {
                out->pattern.row[at] = row_of[p->row[e]];
                out->values[at++] = a->values[e];
            }
        }
        sort_column(at - first, out->pattern.row + first, out->values + first);
    }
    return FB_OK;
}

FbStatus fb_sparse_pick_values(const FbSparse* a, const int* row_of, const int* col_of,
                               FbArena* arena, FbSparse* out, FbError* err) {
    const FbPattern* p = &a->pattern;
    out->values = FB_TAKE(arena, double, fb_pattern_count(&out->pattern) + 1);
    if (!out->values) {
        return fb_fail_memory(err);
    }
    for (int col = 0; col < p->n_col; col++) {
        for (int e = p->start[col]; col_of[col] >= 0 && e < p->start[col + 1]; e++) {
            if (row_of[p->row[e]] >= 0) {
                int at = fb_pattern_index(&out->pattern, row_of[p->row[e]], col_of[col]);
                out->values[at] = a->values[e];
            }
        }
    }
    return FB_OK;
}

// Four columns at a time, so that the matrix is read once for them.
static void multiply_four(const FbSparse* a, const double* x, double* y) {
    const FbPattern* p = &a->pattern;
    size_t n = (size_t)p->n_col;
    const double *x1 = x + n, *x2 = x1 + n, *x3 = x2 + n;
    for (size_t j = 0; j < n; j++) {
        double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
        for (int e = p->start[j]; e < p->start[j + 1]; e++) {
            int row = p->row[e];
            double value = a->values[e];
            s0 += value * x[row];
            s1 += value * x1[row];
            s2 += value * x2[row];
            s3 += value * x3[row];
        }
        y[j] = s0, y[n + j] = s1, y[2 * n + j] = s2, y[3 * n + j] = s3;
    }
}

void fb_sparse_multiply_symmetric(const FbSparse* a, int count, const double* x, double* y) {
    size_t n = (size_t)a->pattern.n_col;
    int j = 0;
    for (; j + 4 <= count; j += 4) {
        multiply_four(a, x + (size_t)j * n, y + (size_t)j * n);
    }
    for (; j < count; j++) {
        memset(y + (size_t)j * n, 0, sizeof(double) * n);
        fb_pattern_multiply_transposed(&a->pattern, a->values, 1.0, x + (size_t)j * n,
                                       y + (size_t)j * n);
    }
}

FbStatus fb_sparse_drop_zeros(FbSparse* a, FbArena* arena, FbError* err) {
    const FbPattern* p = &a->pattern;
    int n = fb_pattern_count(p), kept = 0, at = 0;
    for (int e = 0; e < n; e++) {
        kept += a->values[e] != 0.0;
    }
    if (2 * (size_t)kept > (size_t)n) {
        return FB_OK;
    }
    FbSparse less = {.pattern = {.n_row = p->n_row, .n_col = p->n_col}};
    less.pattern.start = FB_TAKE(arena, int, p->n_col + 1);
    less.pattern.row = FB_TAKE(arena, int, kept + 1);
    less.values = FB_TAKE(arena, double, kept + 1);
    if (fb_arena_has_failed(arena)) {
        return fb_fail_memory(err);
    }
    for (int col = 0; col < p->n_col; col++) {
        for (int e = p->start[col]; e < p->start[col + 1]; e++) {
            if (a->values[e] != 0.0) {
                less.pattern.row[at] = p->row[e];
                less.values[at++] = a->values[e];
            }
        }
        less.pattern.start[col + 1] = at;
    }
    *a = less;
    return FB_OK;
}

static double largest(const FbSparse* a) {
    double size = 0.0;
    for (int e = 0; e < fb_pattern_count(&a->pattern); e++) {
        size = fmax(size, fabs(a->values[e]));
    }
    return size;
}

double fb_sparse_asymmetry(const FbSparse* a, int* row, int* col) {
    const FbPattern* p = &a->pattern;
    double worst = 0.0, whole = largest(a);
    *row = *col = 0;
    for (int j = 0; j < p->n_col; j++) {
        for (int e = p->start[j]; e < p->start[j + 1]; e++) {
            int i = p->row[e];
            double difference = fabs(a->values[e] - fb_sparse_get(a, j, i));
            double scale = sqrt(fabs(fb_sparse_get(a, i, i) * fb_sparse_get(a, j, j)));
            double relative = difference / (scale > 0.0 ? scale : whole);
            if (difference > 0.0 && !(relative <= worst)) {
                worst = relative;
                *row = i;
                *col = j;
            }
        }
    }
    return worst;
}

FbStatus fb_sparse_symmetrize(FbSparse* a, FbArena* arena, FbError* err) {
    const FbPattern* p = &a->pattern;
    size_t n = (size_t)fb_pattern_count(p);
    FbTriplet* entries = calloc(2 * n + 1, sizeof *entries);
    if (!entries) {
        return fb_fail_memory(err);
    }
    for (int col = 0; col < p->n_col; col++) {
        for (int e = p->start[col]; e < p->start[col + 1]; e++) {
            double half = 0.5 * a->values[e];
            entries[2 * e] = (FbTriplet){p->row[e], col, half};
            entries[2 * e + 1] = (FbTriplet){col, p->row[e], half};
        }
    }
    FbSparse mean;
    FbStatus status =
        fb_sparse_from_triplets(p->n_row, p->n_col, entries, 2 * n, arena, &mean, err);
    free(entries);
    if (status == FB_OK) {
        *a = mean;
    }
    return status;
}

// A row whose diagonal is negative, or zero beside other entries: no factorization is needed to
// know.
static int find_bad_diagonal(const FbSparse* a) {
    const FbPattern* p = &a->pattern;
    for (int j = 0; j < p->n_col; j++) {
        double diagonal = fb_sparse_get(a, j, j);
        bool is_bad = !(diagonal >= 0.0);
        for (int e = p->start[j]; diagonal == 0.0 && e < p->start[j + 1]; e++) {
            is_bad = is_bad || a->values[e] != 0.0;
        }
        if (is_bad) {
            return j;
        }
    }
    return -1;
}

// Rows without any entry are left out; the others get `tolerance` more on their diagonal.
static FbStatus shift(const FbSparse* a, double tolerance, FbArena* arena, FbSparse* out, int* of,
                      FbError* err) {
    int n = a->pattern.n_col, kept = 0;
    for (int j = 0; j < n; j++) {
        of[j] = fb_sparse_get(a, j, j) > 0.0 ? kept++ : -1;
    }
    FB_TRY(fb_sparse_pick(a, of, kept, of, kept, arena, out, err));
    assert(out->values);
    for (int j = 0; j < kept; j++) {
        out->values[fb_pattern_index(&out->pattern, j, j)] *= 1.0 + tolerance;
    }
    return FB_OK;
}

static FbStatus check_pivots(const FbSparse* a, const FbSparse* shifted, const int* of, int* where,
                             double* value, FbError* err) {
    FbKlu* klu = NULL;
    double quality;
    int bad = -1;
    FB_TRY(fb_klu_create_symmetric(&shifted->pattern, shifted->values, &klu, err));
    FbStatus status = fb_klu_factor(klu, 0.0, &quality, &bad);
    for (int j = 0; status == FB_OK && j < a->pattern.n_col; j++) {
        double pivot = of[j] >= 0 ? fb_klu_get_pivot(klu, of[j]) : 1.0;
        if (!(pivot > 0.0)) {
            status = FB_RETRY;
            *where = j;
            *value = pivot / fb_sparse_get(a, j, j);
        }
    }
    for (int j = 0; bad >= 0 && *where < 0 && j < a->pattern.n_col; j++) {
        *where = of[j] == bad ? j : *where;
    }
    fb_klu_destroy(klu);
    return status == FB_ERR_MEMORY ? fb_fail_memory(err) : status;
}

// Symmetric elimination decides quickly where all is well; where it is not, the pivots show where.
static FbStatus check_definite(const FbSparse* shifted, bool* is_definite, FbError* err) {
    FbSymmetric* s = NULL;
    size_t size = sizeof *shifted->values * (size_t)fb_pattern_count(&shifted->pattern);
    FB_TRY(fb_symmetric_create(&shifted->pattern, &s, err));
    memcpy(fb_symmetric_values(s), shifted->values, size);
    FbStatus status = fb_symmetric_factor(s, FB_SYMMETRIC_DEFINITE);
    *is_definite = status == FB_OK;
    fb_symmetric_destroy(s);
    return status == FB_ERR_MEMORY ? fb_fail_memory(err) : FB_OK;
}

FbStatus fb_sparse_check_semidefinite(const FbSparse* a, double tolerance, int* where,
                                      double* value, FbError* err) {
    *value = 0.0;
    *where = find_bad_diagonal(a);
    if (*where >= 0) {
        *value = -1.0;
        return FB_RETRY;
    }
    FbArena* arena = fb_arena_create();
    int* of = calloc((size_t)a->pattern.n_col + 1, sizeof *of);
    FbSparse shifted = {0};
    FbStatus status =
        arena && of ? shift(a, tolerance, arena, &shifted, of, err) : fb_fail_memory(err);
    bool is_definite = status == FB_OK && shifted.pattern.n_col == 0;
    if (status == FB_OK && !is_definite) {
        status = check_definite(&shifted, &is_definite, err);
    }
    if (status == FB_OK && !is_definite) {
        status = check_pivots(a, &shifted, of, where, value, err);
    }
    free(of);
    fb_arena_destroy(arena);
    return status;
}
