// Blocks of vectors for lanczos.c: K^-1 A, orthogonalization, combination.
#include <math.h>
#include <string.h>

#include "math/blas.h"
#include "math/lanczos_data.h"

enum { BLOCK = FB_LANCZOS_BLOCK, MAX_PASSES = 4 };
// Smaller remainders of a vector are rounding of what was subtracted.
static const double EXHAUSTED = 1e-12;
// A vector that has lost no more than this has lost no digits either (W. Kahan in B. Parlett, The
// symmetric eigenvalue problem, 1980, section 6-9).
static const double KEPT = 0.7;

// ---- Products ----

static double dot(size_t n, const double* a, const double* b) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

static void add_scaled(size_t n, double factor, const double* x, double* y) {
    for (size_t i = 0; i < n; i++) {
        y[i] += factor * x[i];
    }
}

static void scale(size_t n, double factor, double* x) {
    for (size_t i = 0; i < n; i++) {
        x[i] *= factor;
    }
}

// Rows without mass are left out of vectors.
static void clear_massless(const FbLanczos* l, int count, double* Y) {
    for (int j = 0; j < count; j++) {
        for (int i = 0; i < l->n_massless; i++) {
            Y[(size_t)j * l->n + (size_t)l->massless[i]] = 0.0;
        }
    }
}

// Y = K^-1 Y
static FbStatus solve(FbLanczos* l, int count, double* Y) {
    l->n_solves += count;
    FB_TRY(l->problem->solve(l->problem->solver, count, Y));
    if (!l->keeps_massless) {
        clear_massless(l, count, Y);
    }
    return FB_OK;
}

FbStatus fb_lanczos_apply(FbLanczos* l, int count, const double* X, double* Y) {
    fb_sparse_multiply_symmetric(l->problem->A, count, X, Y);
    return solve(l, count, Y);
}

// ---- Orthogonalization ----

static void calc_norms(const FbLanczos* l, int width, const double* W, const double* BW,
                       double* norms) {
    for (int j = 0; j < width; j++) {
        size_t at = (size_t)j * l->n;
        norms[j] = sqrt(fmax(0.0, dot(l->n, W + at, BW + at)));
    }
}

// Makes the columns of W orthogonal to the first `count` vectors, as often as rounding demands; h
// [count x width, leading dimension ld] += the parts that went (NULL: not requested). BX becomes B
// W, before [width] the norms at first.
static void orthogonalize(FbLanczos* l, int count, int width, double* W, double* h, size_t ld,
                          double* before) {
    double last[BLOCK] = {0}, now[BLOCK] = {0};
    fb_sparse_multiply_symmetric(l->problem->inner, width, W, l->BX);
    calc_norms(l, width, W, l->BX, before);
    memcpy(last, before, sizeof(double) * (size_t)width);
    for (int pass = 0; pass < MAX_PASSES && count > 0; pass++) {
        int n = (int)l->n;
        bool is_done = true;
        fb_blas_multiply_transposed(count, width, n, l->V, n, l->BX, n, l->h, count);
        fb_blas_subtract(n, width, count, l->V, n, l->h, count, W, n);
        for (int j = 0; h && j < width; j++) {
            add_scaled((size_t)count, 1.0, l->h + (size_t)j * (size_t)count, h + (size_t)j * ld);
        }
        fb_sparse_multiply_symmetric(l->problem->inner, width, W, l->BX);
        calc_norms(l, width, W, l->BX, now);
        for (int j = 0; j < width; j++) {
            is_done = is_done && (now[j] >= KEPT * last[j] || now[j] <= EXHAUSTED * before[j]);
        }
        memcpy(last, now, sizeof last);
        if (is_done) {
            return;
        }
    }
}

// Takes the first `count` columns of a block out of column j of it, twice; r [BLOCK] += the parts.
static void take_out(FbLanczos* l, double* W, int count, int j, double* r) {
    double *w = W + (size_t)j * l->n, *bw = l->BX + (size_t)j * l->n;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < count; i++) {
            double part = dot(l->n, W + (size_t)i * l->n, bw);
            add_scaled(l->n, -part, W + (size_t)i * l->n, w);
            add_scaled(l->n, -part, l->BX + (size_t)i * l->n, bw);
            r[i] += part;
        }
    }
}

// Orthonormal columns W, of which `first` are so already, and BX = B W; those that depend on others
// are left out. R [BLOCK x width] receives W as it was by W as it is; returns its columns.
static int normalize(FbLanczos* l, int first, int width, double* W, const double* before,
                     double* R) {
    int count = first;
    for (int j = first; j < width; j++) {
        double* r = R + (size_t)j * BLOCK;
        take_out(l, W, count, j, r);
        const double *w = W + (size_t)j * l->n, *bw = l->BX + (size_t)j * l->n;
        double norm = sqrt(fmax(0.0, dot(l->n, w, bw)));
        if (!(norm > EXHAUSTED * before[j])) {
            continue;
        }
        double *to = W + (size_t)count * l->n, *b_to = l->BX + (size_t)count * l->n;
        memmove(to, w, sizeof(double) * l->n);
        memmove(b_to, bw, sizeof(double) * l->n);
        scale(l->n, 1.0 / norm, to);
        scale(l->n, 1.0 / norm, b_to);
        r[count++] = norm;
    }
    return count;
}

// ---- Blocks ----

static void fill(FbLanczos* l, double* x) {
    for (size_t i = 0; i < l->n; i++) {
        l->seed ^= l->seed << 13;
        l->seed ^= l->seed >> 7;
        l->seed ^= l->seed << 17;
        x[i] = (double)(l->seed >> 11) / 4503599627370496.0 - 1.0;
    }
}

// Completes the next block, after `count` vectors, with what has not been seen.
static FbStatus fill_up(FbLanczos* l, int count) {
    while (l->width < BLOCK && (size_t)count + (size_t)l->width < l->n) {
        double* W = fb_lanczos_column(l, count);
        double* w = W + (size_t)l->width * l->n;
        double unused[BLOCK * BLOCK] = {0}, before[BLOCK] = {0}, kept[BLOCK] = {0};
        double* x = l->BX;
        fill(l, x);
        FB_TRY(fb_lanczos_apply(l, 1, x, w));
        orthogonalize(l, count, 1, w, NULL, 0, before);
        kept[l->width] = before[0];
        fb_sparse_multiply_symmetric(l->problem->inner, l->width + 1, W, l->BX);
        int width = normalize(l, l->width, l->width + 1, W, kept, unused);
        if (width == l->width) {
            return FB_OK;
        }
        l->width = width;
    }
    return FB_OK;
}

FbStatus fb_lanczos_start(FbLanczos* l) {
    l->width = l->last_width = 0;
    return fill_up(l, l->n_vectors);
}

FbStatus fb_lanczos_extend(FbLanczos* l) {
    const FbLanczosProblem* p = l->problem;
    int first = l->n_vectors, width = l->width, count = first + width;
    size_t most = (size_t)l->most;
    double* W = fb_lanczos_column(l, count);
    double before[BLOCK] = {0}, *h = l->H + (size_t)first * most;
    if (p->A == p->inner) {
        memcpy(W, l->BX, sizeof(double) * l->n * (size_t)width);
        FB_TRY(solve(l, width, W));
    } else {
        FB_TRY(fb_lanczos_apply(l, width, fb_lanczos_column(l, first), W));
    }
    for (int j = 0; j < width; j++) {
        memset(h + (size_t)j * most, 0, sizeof(double) * most);
    }
    orthogonalize(l, count, width, W, h, most, before);
    for (int j = 0; j < width; j++) {
        for (int i = 0; i < first; i++) {
            l->H[(size_t)i * most + (size_t)(first + j)] = h[(size_t)j * most + (size_t)i];
        }
    }
    memset(l->R, 0, sizeof(double) * BLOCK * BLOCK);
    l->width = normalize(l, 0, width, W, before, l->R);
    l->n_vectors = count;
    l->last_width = width;
    return fill_up(l, count);
}

// The columns of S from the last one on; it is used up.
static double* reverse(const FbLanczos* l, int n_from, int count) {
    double* first = l->S + (size_t)(n_from - count) * (size_t)n_from;
    for (int k = 0; k < count / 2; k++) {
        double* a = first + (size_t)k * (size_t)n_from;
        double* b = first + (size_t)(count - 1 - k) * (size_t)n_from;
        for (int i = 0; i < n_from; i++) {
            double kept = a[i];
            a[i] = b[i];
            b[i] = kept;
        }
    }
    return first;
}

// Some rows at a time, in place.
void fb_lanczos_combine(FbLanczos* l, int n_from, int count) {
    const double* S = reverse(l, n_from, count);
    int n = (int)l->n;
    for (int first = 0; first < n; first += FB_LANCZOS_ROWS) {
        int rows = n - first < FB_LANCZOS_ROWS ? n - first : FB_LANCZOS_ROWS;
        fb_blas_multiply(rows, count, n_from, l->V + first, n, S, n_from, l->rows, rows);
        for (int k = 0; k < count; k++) {
            memcpy(fb_lanczos_column(l, k) + first, l->rows + (size_t)k * (size_t)rows,
                   sizeof(double) * (size_t)rows);
        }
    }
}
