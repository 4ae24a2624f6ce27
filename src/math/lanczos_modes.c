// The lowest modes of K x = w^2 M x by Lanczos' method on K^-1 M, restarted with the best vectors
// found so far (K. Wu and H. Simon, Thick-restart Lanczos method for large symmetric eigenvalue
// problems, 2000), with full orthogonalization.
//
//   K^-1 M V = V H + r e',  V' M V = I,  H s = mu s,  |residual| = |r| |e' s|,  mu = 1/w^2
//
// One solve for each new vector, a few for each mode. What M does not see (massless rows, and
// rounding that grows where M is singular) is left out of the vectors and found in the end by x =
// w^2 K^-1 M x (B. Nour-Omid et al., How to implement the spectral transformation, 1987). A single
// sequence of vectors sees only one vector of a multiple frequency, up to rounding; so the modes
// found are followed by a second search among vectors orthogonal to them.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/dense.h"
#include "math/subspace.h"

enum { MAX_RESTARTS = 200, CHECK_STEPS = 24, ROWS = 128 };
// Residuals relative to mu; errors of mu are their squares.
static const double CONVERGED = 1e-10;
// Smaller remainders of a vector are rounding of what was subtracted.
static const double EXHAUSTED = 1e-12;
// Changes of a mode by purification that need no further ones.
static const double PURE = 1e-7;

typedef struct Lanczos {
    const FbSparse* mass;
    FbSolve solve;
    void* solver;
    size_t n;
    int most;       // vectors at a time
    int n_vectors;  // in V, without the next one
    bool is_all;    // nothing else can move
    double* V;      // [n x (most + 1)] orthonormal in the mass
    double* H;      // [most x most] V' M K^-1 M V
    double norm;    // of the remainder after the last vector
    double *y, *h;  // [n], [most + 1]
    int* massless;  // [n_massless] rows
    int n_massless;
    double *S, *mu;  // eigenvectors and values of H, ascending
    unsigned long long seed;
    FbError* err;
} Lanczos;

// ---- Many vectors at once; each pass reads V once ----

// h = V' y
static void multiply_transposed(const Lanczos* l, int count, const double* y, double* h) {
    int j = 0;
    for (; j + 4 <= count; j += 4) {
        const double *a = l->V + (size_t)j * l->n, *b = a + l->n, *c = b + l->n, *d = c + l->n;
        double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
        for (size_t i = 0; i < l->n; i++) {
            s0 += a[i] * y[i];
            s1 += b[i] * y[i];
            s2 += c[i] * y[i];
            s3 += d[i] * y[i];
        }
        h[j] = s0, h[j + 1] = s1, h[j + 2] = s2, h[j + 3] = s3;
    }
    for (; j < count; j++) {
        const double* a = l->V + (size_t)j * l->n;
        h[j] = 0.0;
        for (size_t i = 0; i < l->n; i++) {
            h[j] += a[i] * y[i];
        }
    }
}

// w -= V h
static void subtract(const Lanczos* l, int count, const double* h, double* restrict w) {
    int j = 0;
    for (; j + 4 <= count; j += 4) {
        const double *a = l->V + (size_t)j * l->n, *b = a + l->n, *c = b + l->n, *d = c + l->n;
        for (size_t i = 0; i < l->n; i++) {
            w[i] -= (a[i] * h[j] + b[i] * h[j + 1]) + (c[i] * h[j + 2] + d[i] * h[j + 3]);
        }
    }
    for (; j < count; j++) {
        const double* a = l->V + (size_t)j * l->n;
        for (size_t i = 0; i < l->n; i++) {
            w[i] -= a[i] * h[j];
        }
    }
}

// The first `count` columns of V become V S, of the last `count` columns of S in reverse order: the
// highest mu first. Some rows at a time.
static void combine(const Lanczos* l, int n_from, int count) {
    double sums[ROWS];
    double* block = l->y;  // at least ROWS x count of it are free, or rows are taken one by one
    size_t rows = l->n / (size_t)count < ROWS ? l->n / (size_t)count : ROWS;
    rows = rows > 0 ? rows : 1;
    for (size_t first = 0; first < l->n; first += rows) {
        size_t n = l->n - first < rows ? l->n - first : rows;
        for (int k = 0; k < count; k++) {
            const double* s = l->S + (size_t)(n_from - 1 - k) * (size_t)n_from;
            memset(sums, 0, sizeof sums);
            for (int j = 0; j < n_from; j++) {
                const double* from = l->V + (size_t)j * l->n + first;
                for (size_t i = 0; i < n; i++) {
                    sums[i] += s[j] * from[i];
                }
            }
            memcpy(block + (size_t)k * n, sums, n * sizeof(double));
        }
        for (int k = 0; k < count; k++) {
            memcpy(l->V + (size_t)k * l->n + first, block + (size_t)k * n, n * sizeof(double));
        }
    }
}

// ---- Vectors ----

static void multiply_mass(const Lanczos* l, const double* x, double* y) {
    memset(y, 0, sizeof(double) * l->n);
    fb_pattern_multiply(&l->mass->pattern, l->mass->values, 1.0, x, y);
}

static double dot(size_t n, const double* a, const double* b) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

// Makes w orthogonal to the first `count` vectors, twice because of rounding; h receives the parts
// that went. Returns the norm of the rest; y is M w.
static double orthogonalize(Lanczos* l, int count, double* w, double* h) {
    double* part = l->h;
    memset(h, 0, sizeof(double) * (size_t)count);
    for (int pass = 0; pass < 2; pass++) {
        multiply_mass(l, w, l->y);
        multiply_transposed(l, count, l->y, part);
        subtract(l, count, part, w);
        for (int j = 0; j < count; j++) {
            h[j] += part[j];
        }
    }
    multiply_mass(l, w, l->y);
    return sqrt(fmax(0.0, dot(l->n, w, l->y)));
}

static double* column(const Lanczos* l, int j) {
    return l->V + (size_t)j * l->n;
}

// K^-1 M x, without the rows that have no mass.
static void apply(const Lanczos* l, const double* x, double* w) {
    multiply_mass(l, x, w);
    l->solve(l->solver, w);
    for (int i = 0; i < l->n_massless; i++) {
        w[l->massless[i]] = 0.0;
    }
}

static void scale(size_t n, double factor, double* x) {
    for (size_t i = 0; i < n; i++) {
        x[i] *= factor;
    }
}

// A vector of deterministic numbers in the space of what can move, after the present ones; false:
// there is none.
static bool start_anew(Lanczos* l) {
    double* w = column(l, l->n_vectors);
    double* unused = l->mu;  // the values of the last H are not needed any more
    for (size_t i = 0; i < l->n; i++) {
        l->seed ^= l->seed << 13;
        l->seed ^= l->seed >> 7;
        l->seed ^= l->seed << 17;
        l->y[i] = (double)(l->seed >> 11) / 4503599627370496.0 - 1.0;
    }
    apply(l, l->y, w);
    multiply_mass(l, w, l->y);
    double before = sqrt(fmax(0.0, dot(l->n, w, l->y)));
    double norm = orthogonalize(l, l->n_vectors, w, unused);
    if (!(norm > EXHAUSTED * before)) {
        return false;
    }
    scale(l->n, 1.0 / norm, w);
    return true;
}

// One more vector: V has n_vectors + 1, of which the last is turned into a column of H and the next
// remainder.
static void extend(Lanczos* l) {
    int j = l->n_vectors++;
    size_t most = (size_t)l->most;
    double* w = column(l, j + 1);
    double* h = l->H + (size_t)j * most;
    apply(l, column(l, j), w);
    l->norm = orthogonalize(l, j + 1, w, h);
    for (int i = 0; i < j; i++) {
        l->H[(size_t)i * most + (size_t)j] = h[i];
    }
    double size = 0.0;
    for (int i = 0; i <= j; i++) {
        size += h[i] * h[i];
    }
    if (l->norm > EXHAUSTED * sqrt(size)) {
        scale(l->n, 1.0 / l->norm, w);
    } else {
        l->norm = 0.0;
        bool is_full = l->n_vectors >= l->most;
        l->is_all = is_full ? l->n_vectors == (int)l->n : !start_anew(l);
    }
}

// H s = mu s of the vectors there are.
static FbStatus decompose(Lanczos* l) {
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

static int count_converged(const Lanczos* l, int wanted) {
    int n = l->n_vectors, count = 0;
    while (count < wanted && count < n) {
        size_t from = (size_t)(n - 1 - count);
        double last = l->S[from * (size_t)n + (size_t)n - 1];
        if (!(l->norm * fabs(last) <= CONVERGED * fabs(l->mu[from]))) {
            break;
        }
        count++;
    }
    return count;
}

// Keeps the `count` best vectors and the remainder, which the next one begins with.
static void restart(Lanczos* l, int count) {
    int n = l->n_vectors;
    size_t most = (size_t)l->most;
    double* next = column(l, n);
    combine(l, n, count);
    memset(l->H, 0, sizeof(double) * most * most);
    for (int k = 0; k < count; k++) {
        l->H[(size_t)k * most + (size_t)k] = l->mu[n - 1 - k];
    }
    memmove(column(l, count), next, sizeof(double) * l->n);
    l->n_vectors = count;
}

// Until `wanted` values have converged, or all are known.
static FbStatus search(Lanczos* l, int wanted) {
    for (int r = 0; r < MAX_RESTARTS; r++) {
        while (l->n_vectors < l->most && !l->is_all) {
            extend(l);
        }
        FB_TRY(decompose(l));
        int n_good = count_converged(l, wanted);
        if (n_good >= wanted || l->is_all || l->norm == 0.0) {
            return FB_OK;
        }
        int kept = wanted + (l->most - wanted) / 3;
        restart(l, kept < l->n_vectors ? kept : l->n_vectors - 1);
    }
    return fb_fail(l->err, FB_ERR_CONVERGENCE, NULL, "the %d lowest modes do not converge", wanted);
}

// Is there a further vector of one of the values found? The search begins anew, orthogonal to them.
static FbStatus check(Lanczos* l, int wanted, bool* is_complete) {
    *is_complete = true;
    if (l->is_all || l->n_vectors <= wanted) {
        return FB_OK;
    }
    double least = l->mu[l->n_vectors - wanted];
    restart(l, wanted);
    if (!start_anew(l)) {
        l->is_all = true;
        return decompose(l);
    }
    int end = wanted + CHECK_STEPS < l->most ? wanted + CHECK_STEPS : l->most;
    while (l->n_vectors < end && !l->is_all) {
        extend(l);
    }
    FB_TRY(decompose(l));
    *is_complete = !(l->mu[l->n_vectors - wanted] > least * (1.0 + 1e-9));
    return FB_OK;
}

static FbStatus find(Lanczos* l, int n_modes) {
    bool is_complete = false;
    if (!start_anew(l)) {
        return FB_OK;
    }
    for (int i = 0; i <= n_modes && !is_complete; i++) {
        FB_TRY(search(l, n_modes));
        FB_TRY(check(l, n_modes, &is_complete));
    }
    return FB_OK;
}

// x = w^2 K^-1 M x, where it differs from x: the last mode, which has the most rounding, shows it.
static void purify(const Lanczos* l, int n_modes, const double* squares, double* vectors) {
    for (int i = n_modes - 1; i >= 0; i--) {
        double *x = vectors + (size_t)i * l->n, change = 0.0, size = 0.0;
        multiply_mass(l, x, l->y);
        l->solve(l->solver, l->y);
        for (size_t j = 0; j < l->n; j++) {
            double next = squares[i] * l->y[j];
            change += (next - x[j]) * (next - x[j]);
            size += next * next;
            x[j] = next;
        }
        if (l->n_massless == 0 && change <= PURE * PURE * size) {
            return;
        }
    }
}

static FbStatus take_modes(Lanczos* l, int n_modes, double* squares, double* vectors) {
    int n = l->n_vectors;
    for (int i = 0; i < n_modes; i++) {
        if (i >= n || !(l->mu[n - 1 - i] > 1e-14 * l->mu[n - 1])) {
            return fb_fail(l->err, FB_ERR_RANGE, NULL,
                           "mode %d has no modal mass; request at most %d modes", i + 1, i);
        }
        squares[i] = 1.0 / l->mu[n - 1 - i];
    }
    combine(l, n, n_modes);
    memcpy(vectors, l->V, sizeof(double) * l->n * (size_t)n_modes);
    purify(l, n_modes, squares, vectors);
    return FB_OK;
}

FbStatus fb_lanczos_modes(const FbSparse* mass, FbSolve solve, void* solver, int n_modes,
                          double* squares, double* vectors, FbError* err) {
    int n = mass->pattern.n_col, most = 2 * n_modes + CHECK_STEPS;
    most = most < n ? most : n;
    size_t m = (size_t)most;
    Lanczos l = {.mass = mass,
                 .solve = solve,
                 .solver = solver,
                 .n = (size_t)n,
                 .most = most,
                 .seed = 88172645463325252ULL,
                 .err = err};
    double* room = calloc(l.n * (m + 3) + 2 * m * m + 2 * m + 3, sizeof(double));
    if (!room) {
        return fb_fail_memory(err);
    }
    l.V = room;
    l.y = l.V + l.n * (m + 1);
    l.H = l.y + l.n;
    l.S = l.H + m * m;
    l.mu = l.S + m * m;
    l.h = l.mu + m + 1;
    l.massless = (int*)(l.h + m + 1);
    for (int j = 0; j < n; j++) {
        if (!(fb_sparse_get(mass, j, j) > 0.0)) {
            l.massless[l.n_massless++] = j;
        }
    }
    FbStatus status = find(&l, n_modes);
    status = status == FB_OK ? take_modes(&l, n_modes, squares, vectors) : status;
    free(room);
    return status;
}
