// The lowest modes of K x = w^2 M x: all of them by LAPACK where the matrices are small, else by
// Lanczos' method (lanczos.c), or by subspace iteration with a block large enough for
// multiple frequencies, which may be restricted by constraints.
//
// Both solve M x = mu K x with mu = 1/w^2, whose right side is positive definite also where M is
// not (eqs. 8.64, 8.65).
#include "math/subspace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/dense.h"

enum { DENSE_SIZE = 300, MAX_ITERATIONS = 300 };
// Of mu, from one iteration to the next; errors of frequencies are the squares of those of vectors.
static const double CONVERGED = 1e-13;

// Values of mu below this part of the largest are rounding.
static const double MASSLESS = 1e-14;

static void to_dense(const FbSparse* a, double* out) {
    const FbPattern* p = &a->pattern;
    size_t n = (size_t)p->n_row;
    memset(out, 0, sizeof(double) * n * (size_t)p->n_col);
    for (int col = 0; col < p->n_col; col++) {
        for (int e = p->start[col]; e < p->start[col + 1]; e++) {
            out[(size_t)col * n + (size_t)p->row[e]] = a->values[e];
        }
    }
}

// mu must stay clear of rounding: the requested modes must carry mass.
static FbStatus check_positive(double mu, double largest, int mode, FbError* err) {
    if (mu > MASSLESS * largest) {
        return FB_OK;
    }
    return fb_fail(err, FB_ERR_RANGE, NULL, "mode %d has no modal mass; request at most %d modes",
                   mode + 1, mode);
}

// The largest mu come last; the vectors satisfy x' K x = 1.
static FbStatus take_highest(int n, const double* mu, const double* x, int n_modes, double* squares,
                             double* vectors, FbError* err) {
    for (int i = 0; i < n_modes; i++) {
        double m = mu[n - 1 - i];
        FB_TRY(check_positive(m, mu[n - 1], i, err));
        squares[i] = 1.0 / m;
        const double* from = x + (size_t)(n - 1 - i) * (size_t)n;
        for (int j = 0; j < n; j++) {
            vectors[(size_t)i * (size_t)n + (size_t)j] = from[j] / sqrt(m);
        }
    }
    return FB_OK;
}

static FbStatus solve_dense(const FbSparse* stiffness, const FbSparse* mass, int n_modes,
                            double* squares, double* vectors, FbError* err) {
    int n = stiffness->pattern.n_col;
    size_t square = (size_t)n * (size_t)n;
    double* room = malloc((2 * square + (size_t)n) * sizeof *room);
    if (!room) {
        return fb_fail_memory(err);
    }
    double *m = room, *k = room + square, *mu = k + square;
    to_dense(mass, m);
    to_dense(stiffness, k);
    FbStatus status = fb_eigen_symmetric_pencil(n, m, k, mu, err);
    if (status == FB_OK) {
        status = take_highest(n, mu, m, n_modes, squares, vectors, err);
    }
    free(room);
    return status;
}

typedef struct Search {
    const FbSparse* mass;
    FbSolveMany solve;
    void* solver;
    int n, p;
    double *x, *y, *z;         // [n x p]: vectors, M x, K^-1 M x
    double *kp, *mp, *mu, *q;  // [p x p], [p]
} Search;

static int count_massive(const FbSparse* mass) {
    int n = 0;
    for (int j = 0; j < mass->pattern.n_col; j++) {
        n += fb_sparse_get(mass, j, j) > 0.0;
    }
    return n;
}

// Deterministic numbers in [-1, 1], so that runs repeat.
static void fill(double* x, size_t n) {
    unsigned long long seed = 88172645463325252ULL;
    for (size_t i = 0; i < n; i++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        x[i] = (double)(seed >> 11) / 4503599627370496.0 - 1.0;
    }
}

static double dot(const double* a, const double* b, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

static double* column(double* a, int n, int i) {
    return a + (size_t)n * (size_t)i;
}

// kp = Z' K Z = Z' M X and mp = Z' M Z; y receives M Z.
static void project(Search* s) {
    int n = s->n, p = s->p;
    for (int j = 0; j < p; j++) {
        for (int i = 0; i <= j; i++) {
            s->kp[j * p + i] = s->kp[i * p + j] =
                0.5 * (dot(column(s->z, n, i), column(s->y, n, j), n) +
                       dot(column(s->z, n, j), column(s->y, n, i), n));
        }
    }
    memset(s->y, 0, sizeof(double) * (size_t)n * (size_t)p);
    for (int j = 0; j < p; j++) {
        fb_pattern_multiply(&s->mass->pattern, s->mass->values, 1.0, column(s->z, n, j),
                            column(s->y, n, j));
    }
    for (int j = 0; j < p; j++) {
        for (int i = 0; i <= j; i++) {
            s->mp[j * p + i] = s->mp[i * p + j] = dot(column(s->z, n, i), column(s->y, n, j), n);
        }
    }
}

// x = Z q and y = M Z q, each column of unit mass, the highest mu first.
static void combine(const Search* s, const double* from, double* to) {
    int n = s->n, p = s->p;
    memset(to, 0, sizeof(double) * (size_t)n * (size_t)p);
    for (int j = 0; j < p; j++) {
        int source = p - 1 - j;
        double scale = s->mu[source] > 0.0 ? 1.0 / sqrt(s->mu[source]) : 1.0;
        for (int k = 0; k < p; k++) {
            double factor = scale * s->mp[source * p + k];
            const double* z = from + (size_t)n * (size_t)k;
            for (int i = 0; i < n; i++) {
                to[(size_t)n * (size_t)j + (size_t)i] += factor * z[i];
            }
        }
    }
}

static FbStatus iterate(Search* s, int n_modes, double* change, FbError* err) {
    int n = s->n, p = s->p;
    memcpy(s->z, s->y, sizeof(double) * (size_t)n * (size_t)p);
    FB_TRY(s->solve(s->solver, p, s->z));
    memcpy(s->q, s->mu, sizeof(double) * (size_t)p);
    project(s);
    FB_TRY(fb_eigen_symmetric_pencil(p, s->mp, s->kp, s->mu, err));
    combine(s, s->z, s->x);
    memcpy(s->z, s->y, sizeof(double) * (size_t)n * (size_t)p);
    combine(s, s->z, s->y);
    *change = 0.0;
    for (int i = 0; i < n_modes; i++) {
        double mu = s->mu[p - 1 - i];
        *change = fmax(*change, fabs(mu - s->q[p - 1 - i]) / mu);
    }
    return FB_OK;
}

static FbStatus search(Search* s, int n_modes, FbError* err) {
    double change = INFINITY;
    fill(s->x, (size_t)s->n * (size_t)s->p);
    for (int j = 0; j < s->p; j++) {
        fb_pattern_multiply(&s->mass->pattern, s->mass->values, 1.0, column(s->x, s->n, j),
                            column(s->y, s->n, j));
    }
    for (int i = 0; i < MAX_ITERATIONS && !(change < CONVERGED); i++) {
        FB_TRY(iterate(s, n_modes, &change, err));
    }
    if (!(change < 1e-9)) {
        return fb_fail(err, FB_ERR_CONVERGENCE, NULL,
                       "the %d lowest modes do not converge (they still change by %.1e)", n_modes,
                       change);
    }
    return FB_OK;
}

static FbStatus search_with(Search* s, int n_modes, double* squares, double* vectors,
                            FbError* err) {
    size_t n = (size_t)s->n, p = (size_t)s->p, block = n * p, square = p * p;
    double* room = calloc(3 * block + 2 * square + 2 * p + 1, sizeof *room);
    if (!room) {
        return fb_fail_memory(err);
    }
    s->x = room;
    s->y = s->x + block;
    s->z = s->y + block;
    s->kp = s->z + block;
    s->mp = s->kp + square;
    s->mu = s->mp + square;
    s->q = s->mu + p;
    FbStatus status = search(s, n_modes, err);
    for (int i = 0; status == FB_OK && i < n_modes; i++) {
        status = check_positive(s->mu[s->p - 1 - i], s->mu[s->p - 1], i, err);
        squares[i] = 1.0 / s->mu[s->p - 1 - i];
    }
    if (status == FB_OK) {
        memcpy(vectors, s->x, sizeof(double) * n * (size_t)n_modes);
    }
    free(room);
    return status;
}

FbStatus fb_subspace_modes(const FbSparse* mass, FbSolveMany solve, void* solver, int rank,
                           int n_modes, double* squares, double* vectors, FbError* err) {
    int massive = count_massive(mass);
    rank = rank < massive ? rank : massive;
    int p = 2 * n_modes > n_modes + 8 ? 2 * n_modes : n_modes + 8;
    Search s = {.mass = mass, .solve = solve, .solver = solver, .n = mass->pattern.n_col};
    if (n_modes > rank) {
        return check_positive(0.0, 1.0, rank, err);
    }
    s.p = p < rank ? p : rank;
    for (;;) {
        FbStatus status = search_with(&s, n_modes, squares, vectors, err);
        // A block larger than what can move gives a singular projection.
        if (status != FB_ERR_SINGULAR || s.p == n_modes) {
            return status;
        }
        s.p = s.p - (s.p - n_modes + 3) / 4;
    }
}

static FbStatus solve_by_lanczos(const FbSparse* mass, FbSolveMany solve, void* solver, int n_modes,
                                 double* squares, double* vectors, FbError* err) {
    FbLanczosProblem problem = {
        .A = mass, .inner = mass, .solve = solve, .solver = solver, .smallest = MASSLESS};
    FbLanczosResult result;
    FB_TRY(fb_lanczos_largest(&problem, n_modes, squares, vectors, &result, err));
    if (result.n_found < n_modes) {
        return check_positive(0.0, 1.0, result.n_found, err);
    }
    for (int i = 0; i < n_modes; i++) {
        squares[i] = 1.0 / squares[i];
    }
    return FB_OK;
}

FbStatus fb_lowest_modes(const FbSparse* stiffness, const FbSparse* mass, FbSolveMany solve,
                         void* solver, FbModesMethod method, int n_modes, double* squares,
                         double* vectors, FbError* err) {
    int n = stiffness->pattern.n_col;
    if (n_modes > n) {
        return fb_fail(err, FB_ERR_RANGE, NULL, "there are only %d modes", n);
    }
    bool is_dense = method == FB_MODES_DENSE ||
                    (method == FB_MODES_AUTO && (n <= DENSE_SIZE || 4 * n_modes > n));
    if (n_modes == 0) {
        return FB_OK;
    }
    if (is_dense) {
        return solve_dense(stiffness, mass, n_modes, squares, vectors, err);
    }
    return method == FB_MODES_SUBSPACE
               ? fb_subspace_modes(mass, solve, solver, n, n_modes, squares, vectors, err)
               : solve_by_lanczos(mass, solve, solver, n_modes, squares, vectors, err);
}
