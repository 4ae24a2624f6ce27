// Block Lanczos on K^-1 A, restarted with the best vectors found so far (K. Wu and H. Simon,
// Thick-restart Lanczos method for large symmetric eigenvalue problems, 2000; R. Grimes, J. Lewis
// and H. Simon, A shifted block Lanczos algorithm, 1994), with full orthogonalization.
//
//   K^-1 A V = V H + X R E',  V' B V = I,  H s = mu s,  |residual| = |R E' s|
//
// where X is the next block and E the columns of the last one. Solves with several right-hand sides
// read the factors of K once, so that a block costs little more than a vector. A block sees as many
// vectors of a multiple value as it has columns; further ones are looked for by a second search
// among vectors orthogonal to those found. Where B = A is singular, what it does not see (massless
// rows, and rounding that grows) is left out of the vectors and found in the end by x = K^-1 A x /
// mu (B. Nour-Omid et al., How to implement the spectral transformation, 1987).
#include "math/lanczos.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/lanczos_data.h"

enum { MAX_RESTARTS = 200, CHECK_VECTORS = 24, LOOK_EVERY = 16 };
// Residuals relative to mu; errors of mu are their squares.
static const double CONVERGED = 1e-8;
// Changes of a vector by purification that need no further ones.
static const double PURE = 1e-7;

// ---- Ritz values ----

// H s = mu s of the vectors there are.
static FbStatus decompose(FbLanczos* l) {
    size_t n = (size_t)l->n_vectors, most = (size_t)l->most;
    double* unit = calloc(n * n + 1, sizeof(double));
    if (!unit) {
        return fb_fail_memory(l->err);
    }
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            l->S[j * n + i] = 0.5 * (l->H[j * most + i] + l->H[i * most + j]);
        }
        unit[j * n + j] = 1.0;
    }
    FbStatus status = fb_eigen_symmetric_pencil((int)n, l->S, unit, l->mu, l->err);
    free(unit);
    return status;
}

static double calc_residual(const FbLanczos* l, int ritz) {
    size_t n = (size_t)l->n_vectors, width = (size_t)l->last_width;
    const double* s = l->S + (size_t)ritz * n + n - width;
    double sum = 0.0;
    for (int i = 0; i < l->width; i++) {
        double part = 0.0;
        for (size_t j = 0; j < width; j++) {
            part += l->R[j * FB_LANCZOS_BLOCK + (size_t)i] * s[j];
        }
        sum += part * part;
    }
    return sqrt(sum);
}

// Is value k (0: the largest) of the last decomposition positive?
static bool is_positive(const FbLanczos* l, int k) {
    int n = l->n_vectors;
    double size = fmax(fabs(l->mu[0]), fabs(l->mu[n - 1]));
    return k < n && l->mu[n - 1 - k] > l->smallest * size;
}

// Have the wanted values converged? Values that are not positive are not wanted, but they count
// only after as many vectors as there is room for.
static bool is_converged(const FbLanczos* l, int wanted) {
    int n = l->n_vectors;
    for (int k = 0; k < wanted; k++) {
        if (!is_positive(l, k)) {
            return n + FB_LANCZOS_BLOCK > l->most;
        }
        if (!(calc_residual(l, n - 1 - k) <= CONVERGED * l->mu[n - 1 - k])) {
            return false;
        }
    }
    return true;
}

static int count_positive(const FbLanczos* l, int most) {
    int count = 0;
    while (count < most && is_positive(l, count)) {
        count++;
    }
    return count;
}

// Keeps the `count` best vectors and the next block.
static void restart(FbLanczos* l, int count) {
    int n = l->n_vectors;
    size_t most = (size_t)l->most;
    fb_lanczos_combine(l, n, count);
    memset(l->H, 0, sizeof(double) * most * most);
    for (int k = 0; k < count; k++) {
        l->H[(size_t)k * most + (size_t)k] = l->mu[n - 1 - k];
    }
    memmove(fb_lanczos_column(l, count), fb_lanczos_column(l, n),
            sizeof(double) * l->n * (size_t)l->width);
    l->n_vectors = count;
}

static bool has_room(const FbLanczos* l) {
    return l->width > 0 && l->n_vectors + l->width <= l->most;
}

// ---- Searches ----

// Until `wanted` values have converged, or all are known; the last decomposition holds them.
static FbStatus search(FbLanczos* l, int wanted) {
    for (int r = 0; r < MAX_RESTARTS; r++) {
        int next_look = wanted + wanted / 4 + LOOK_EVERY;
        while (has_room(l)) {
            FB_TRY(fb_lanczos_extend(l));
            if (l->n_vectors >= next_look && has_room(l)) {
                next_look = l->n_vectors + LOOK_EVERY;
                FB_TRY(decompose(l));
                if (is_converged(l, wanted)) {
                    return FB_OK;
                }
            }
        }
        FB_TRY(decompose(l));
        if (l->width == 0 || is_converged(l, wanted)) {
            return FB_OK;
        }
        int kept = wanted + (l->most - wanted) / 3;
        restart(l, kept < l->n_vectors ? kept : l->n_vectors - 1);
    }
    return fb_fail(l->err, FB_ERR_CONVERGENCE, NULL,
                   "%d eigenvalues do not converge in %d solves of Lanczos' method", wanted,
                   l->n_solves);
}

// Is there a further vector of one of the values found? The search starts again, orthogonal to
// them.
static FbStatus check(FbLanczos* l, int wanted, bool* is_complete) {
    *is_complete = true;
    if (l->width == 0 || l->n_vectors <= wanted) {
        return FB_OK;
    }
    int n_positive = count_positive(l, wanted);
    double least = n_positive > 0 ? l->mu[l->n_vectors - n_positive] : 0.0;
    restart(l, wanted);
    FB_TRY(fb_lanczos_start(l));
    while (has_room(l) && l->n_vectors < wanted + CHECK_VECTORS) {
        FB_TRY(fb_lanczos_extend(l));
    }
    FB_TRY(decompose(l));
    *is_complete = count_positive(l, wanted) == n_positive &&
                   (n_positive == 0 || !(l->mu[l->n_vectors - n_positive] > least * (1.0 + 1e-9)));
    return FB_OK;
}

static FbStatus find(FbLanczos* l, int wanted) {
    bool is_complete = false;
    FB_TRY(fb_lanczos_start(l));
    if (l->width == 0) {
        return FB_OK;
    }
    for (int i = 0; i <= wanted && !is_complete; i++) {
        FB_TRY(search(l, wanted));
        FB_TRY(check(l, wanted, &is_complete));
    }
    return FB_OK;
}

// ---- Results ----

// x = K^-1 A x / mu, where it differs from x: the last ones, which have the most rounding, show it.
static FbStatus purify(FbLanczos* l, int count, const double* mu, double* vectors) {
    for (int end = count; end > 0;) {
        int first = end > FB_LANCZOS_BLOCK ? end - FB_LANCZOS_BLOCK : 0;
        double change = 0.0, size = 0.0;
        FB_TRY(fb_lanczos_apply(l, end - first, vectors + (size_t)first * l->n, l->BX));
        for (int i = first; i < end; i++) {
            double* x = vectors + (size_t)i * l->n;
            const double* y = l->BX + (size_t)(i - first) * l->n;
            for (size_t j = 0; j < l->n; j++) {
                double next = y[j] / mu[i];
                change += (next - x[j]) * (next - x[j]);
                size += next * next;
                x[j] = next;
            }
        }
        if (l->n_massless == 0 && change <= PURE * PURE * size) {
            return FB_OK;
        }
        end = first;
    }
    return FB_OK;
}

static FbStatus take(FbLanczos* l, int wanted, double* mu, double* vectors, int* n_found) {
    int n = l->n_vectors;
    *n_found = count_positive(l, wanted);
    for (int k = 0; k < *n_found; k++) {
        mu[k] = l->mu[n - 1 - k];
    }
    if (!vectors || *n_found == 0) {
        return FB_OK;
    }
    fb_lanczos_combine(l, n, *n_found);
    memcpy(vectors, l->V, sizeof(double) * l->n * (size_t)*n_found);
    l->keeps_massless = true;
    return purify(l, *n_found, mu, vectors);
}

// Room for three times as many vectors as are wanted, so that restarts are rare.
static bool take_room(FbLanczos* l, int wanted) {
    size_t n = l->n, block = FB_LANCZOS_BLOCK;
    size_t most = 3 * (size_t)wanted + CHECK_VECTORS + 2 * block;
    l->most = (int)(most < n ? most : n);
    most = (size_t)l->most + block;  // a last block may go beyond what is there
    size_t small = 2 * most * most + most * (block + 1 + FB_LANCZOS_ROWS) + block * block;
    l->room = malloc(sizeof(double) * (n * (most + 2 * block) + small));
    l->massless = malloc(sizeof(int) * (n + 1));
    if (!l->room || !l->massless) {
        return false;
    }
    l->V = l->room;
    l->BX = l->V + n * (most + block);
    l->H = l->BX + n * block;
    l->S = l->H + most * most;
    l->h = l->S + most * most;
    l->mu = l->h + most * block;
    l->rows = l->mu + most;
    l->R = l->rows + most * FB_LANCZOS_ROWS;
    memset(l->H, 0, sizeof(double) * most * most);
    memset(l->R, 0, sizeof(double) * block * block);
    return true;
}

FbStatus fb_lanczos_largest(const FbLanczosProblem* problem, int count, double* mu, double* vectors,
                            FbLanczosResult* result, FbError* err) {
    int n = problem->A->pattern.n_col;
    FbLanczos l = {.problem = problem,
                   .n = (size_t)n,
                   .smallest = problem->smallest,
                   .seed = 88172645463325252ULL,
                   .err = err};
    *result = (FbLanczosResult){0};
    if (n == 0 || count < 1) {
        return FB_OK;
    }
    count = count < n ? count : n;
    FbStatus status = take_room(&l, count) ? FB_OK : fb_fail_memory(err);
    for (int j = 0; status == FB_OK && problem->A == problem->inner && j < n; j++) {
        if (!(fb_sparse_get(problem->A, j, j) > 0.0)) {
            l.massless[l.n_massless++] = j;
        }
    }
    status = status == FB_OK ? find(&l, count) : status;
    status = status == FB_OK ? take(&l, count, mu, vectors, &result->n_found) : status;
    result->n_solves = l.n_solves;

    free(l.room);
    free(l.massless);
    return status;
}
