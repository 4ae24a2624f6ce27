// Lanczos' method in the inner product of K, with full reorthogonalization (B. Parlett, The
// symmetric eigenvalue problem, 1980, chapter 13): K^-1 A is symmetric in it, and the ends of its
// spectrum are found first.
#include "math/lanczos.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/dense.h"

enum { MOST_STEPS = 300, CHECK_EVERY = 8 };
// Of the eigenvalue: the error of an eigenvalue is the square of this.
static const double ACCURACY = 1e-7;
// Of the largest entry of the tridiagonal matrix: what is left of a vector is rounding.
static const double EXHAUSTED = 1e-10;

typedef struct Lanczos {
    const FbSparse *A, *K;
    FbSymmetric* solver;
    int n, most, m;        // m: vectors so far
    double* V;             // [n x (most + 1)]
    double *w, *y;         // [n]
    double *alpha, *beta;  // [most]; beta[k]: of vector k + 1
    double* T;             // [most x most] and as much again, and most eigenvalues
} Lanczos;

static double dot(int n, const double* x, const double* y) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

static void multiply(const FbSparse* A, const double* x, double* out) {
    memset(out, 0, sizeof(double) * (size_t)A->pattern.n_row);
    fb_pattern_multiply(&A->pattern, A->values, 1.0, x, out);
}

// w becomes a vector of length 1 across the first k; its length before.
static double normalize(Lanczos* z, int k) {
    double length = 0.0;
    for (int pass = 0; pass < 2; pass++) {
        multiply(z->K, z->w, z->y);
        for (int j = 0; j < k; j++) {
            const double* v = z->V + (size_t)j * (size_t)z->n;
            double share = dot(z->n, v, z->y);
            for (int i = 0; i < z->n; i++) {
                z->w[i] -= share * v[i];
            }
        }
    }
    multiply(z->K, z->w, z->y);
    length = sqrt(fmax(dot(z->n, z->w, z->y), 0.0));
    double* next = z->V + (size_t)k * (size_t)z->n;
    for (int i = 0; i < z->n; i++) {
        next[i] = length > 0.0 ? z->w[i] / length : 0.0;
    }
    return length;
}

// A start that is across nothing in particular, the same on every machine.
static void begin(Lanczos* z) {
    uint64_t state = 88172645463325252u;
    for (int i = 0; i < z->n; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        z->w[i] = (double)(state >> 11) / 9007199254740992.0 - 0.5;
    }
    fb_symmetric_solve(z->solver, z->w);
    normalize(z, 0);
}

// One more vector; false: the space is exhausted.
static bool step(Lanczos* z) {
    int k = z->m++;
    const double* v = z->V + (size_t)k * (size_t)z->n;
    multiply(z->A, v, z->w);
    z->alpha[k] = dot(z->n, v, z->w);
    fb_symmetric_solve(z->solver, z->w);
    z->beta[k] = normalize(z, k + 1);
    double largest = 0.0;
    for (int j = 0; j <= k; j++) {
        largest = fmax(largest, fmax(fabs(z->alpha[j]), j < k ? z->beta[j] : 0.0));
    }
    return z->beta[k] > EXHAUSTED * largest && z->m < z->n;
}

// The eigenvalues of the tridiagonal matrix; how many of the largest ones are positive, and whether
// all of these (up to count) are good.
static FbStatus examine(Lanczos* z, int count, double* mu, int* n_found, bool* is_good,
                        FbError* err) {
    int m = z->m;
    size_t size = (size_t)m * (size_t)m;
    double *T = z->T, *unit = T + (size_t)z->most * (size_t)z->most,
           *values = unit + (size_t)z->most * (size_t)z->most;
    memset(T, 0, sizeof(double) * size);
    memset(unit, 0, sizeof(double) * size);
    for (int k = 0; k < m; k++) {
        T[k * m + k] = z->alpha[k];
        unit[k * m + k] = 1.0;
        if (k + 1 < m) {
            T[k * m + k + 1] = T[(k + 1) * m + k] = z->beta[k];
        }
    }
    FB_TRY(fb_eigen_symmetric_pencil(m, T, unit, values, err));
    *is_good = true;
    *n_found = 0;
    double size_of_all = fmax(fabs(values[0]), fabs(values[m - 1]));
    for (int k = m - 1; k >= 0 && *n_found < count && values[k] > 1e-12 * size_of_all; k--) {
        double rest = fabs(z->beta[m - 1] * T[k * m + m - 1]);
        *is_good &= rest <= ACCURACY * values[k];
        mu[(*n_found)++] = values[k];
    }
    *is_good &= *n_found == count;
    return FB_OK;
}

static FbStatus iterate(Lanczos* z, int count, double* mu, int* n_found, FbError* err) {
    bool goes_on = true;
    begin(z);
    while (goes_on) {
        goes_on = step(z) && z->m < z->most;
        if (goes_on && z->m % CHECK_EVERY != 0) {
            continue;
        }
        bool is_good;
        FB_TRY(examine(z, count, mu, n_found, &is_good, err));
        bool is_complete = z->m == z->n || z->beta[z->m - 1] == 0.0;
        if (is_good || is_complete) {
            return FB_OK;
        }
    }
    // All that the start contains was found, or there are no more positive ones.
    return z->m < z->most || *n_found < count
               ? FB_OK
               : fb_fail(err, FB_ERR_CONVERGENCE, NULL,
                         "%d eigenvalues were not found in %d steps of Lanczos", count, z->m);
}

FbStatus fb_lanczos_largest(const FbSparse* A, const FbSparse* K, FbSymmetric* solver, int count,
                            double* mu, int* n_found, FbError* err) {
    int n = K->pattern.n_col;
    size_t most = (size_t)(n < MOST_STEPS ? n : MOST_STEPS);
    *n_found = 0;
    if (n == 0 || count < 1) {
        return FB_OK;
    }
    size_t size = (size_t)n * (most + 3) + 2 * most * most + 3 * most + 1;
    double* room = malloc(sizeof(double) * size);
    if (!room) {
        return fb_fail_memory(err);
    }
    Lanczos z = {.A = A, .K = K, .solver = solver, .n = n, .most = (int)most, .V = room};
    z.w = room + (size_t)n * (most + 1);
    z.y = z.w + n;
    z.T = z.y + n;
    z.alpha = z.T + 2 * most * most + most;
    z.beta = z.alpha + most;
    FbStatus status = iterate(&z, count < (int)most ? count : (int)most, mu, n_found, err);
    free(room);
    return status;
}
