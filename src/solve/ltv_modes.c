// Amplitudes of the modes of M and K as unknowns of the stepper for linear equations: both matrices
// are diagonal then, and C where damping is proportional (theory manual, eq. 5.63).
#include <math.h>
#include <string.h>

#include "math/jacobi.h"
#include "solve/ltv.h"

// Modes are as accurate as rounding of the largest eigenvalue leaves the smallest: it may be this
// many times smaller. Couplings by damping, of its largest entry, that are rounding.
static const double WIDEST = 1e8, UNCOUPLED = 1e-13;

// The matrix in full, column-major.
static double* full_matrix(const FbLtvUnknowns* u, const double* values, FbArena* arena) {
    double* out = FB_TAKE(arena, double, u->n * u->n + 1);
    for (int j = 0; out && j < u->n; j++) {
        for (int k = u->pattern.start[j]; k < u->pattern.start[j + 1]; k++) {
            out[j * u->n + u->pattern.row[k]] = values[k];
        }
    }
    return out;
}

// X' A X, or A X alone; all [n x n].
static void multiply(int n, const double* A, const double* X, bool is_congruent, double* out) {
    for (int j = 0; j < n; j++) {
        double* y = out + j * n;
        memset(y, 0, sizeof(double) * (size_t)n);
        for (int k = 0; k < n; k++) {
            for (int i = 0; i < n; i++) {
                y[i] += A[k * n + i] * X[j * n + k];
            }
        }
    }
    for (int j = 0; is_congruent && j < n; j++) {
        double y[FB_LTV_MOST_DENSE];
        memcpy(y, out + j * n, sizeof(double) * (size_t)n);
        for (int i = 0; i < n; i++) {
            out[j * n + i] = 0.0;
            for (int k = 0; k < n; k++) {
                out[j * n + i] += X[i * n + k] * y[k];
            }
        }
    }
}

// The diagonal of C in terms of the modes X; false where it couples them.
static bool find_damping(const FbLtvUnknowns* u, const double* X, double* C, double* room) {
    double largest = 0.0, coupling = 0.0;
    int n = u->n;
    multiply(n, C, X, true, room);
    for (int e = 0; e < n * n; e++) {
        bool is_own = e % n == e / n;
        largest = fmax(largest, fabs(room[e]));
        coupling = is_own ? coupling : fmax(coupling, fabs(room[e]));
        C[e / n] = is_own ? room[e] : C[e / n];
    }
    return coupling <= UNCOUPLED * largest;
}

// The shapes in full displacements: Z X, or X itself.
static double* expand_shapes(const FbLtvUnknowns* u, const double* X, FbArena* arena) {
    double* out = FB_TAKE(arena, double, u->n_v * u->n + 1);
    for (int j = 0; out && j < u->n; j++) {
        fb_ltv_expand(u, X + j * u->n, out + j * u->n_v);
    }
    return out;
}

static bool is_accurate(int n, const double* w) {
    double least = INFINITY, largest = 0.0;
    for (int i = 0; i < n; i++) {
        least = fmin(least, fabs(w[i]));
        largest = fmax(largest, fabs(w[i]));
    }
    return largest <= WIDEST * least;
}

bool fb_ltv_unknowns_take_modes(FbLtvUnknowns* u, FbArena* arena) {
    int n = u->n;
    double* w = FB_TAKE(arena, double, n + 1);
    double* X = FB_TAKE(arena, double, n* n + 1);
    double* room = FB_TAKE(arena, double, n* n + 1);
    double *M = full_matrix(u, u->M, arena), *K = full_matrix(u, u->K, arena);
    double* factor = full_matrix(u, u->M, arena);
    double* C = full_matrix(u, u->C, arena);
    if (n > FB_LTV_MOST_DENSE || fb_arena_has_failed(arena) ||
        !fb_jacobi_pencil(n, K, factor, X, w) || !is_accurate(n, w) ||
        (u->has_damping && !find_damping(u, X, C, room))) {
        return false;
    }
    multiply(n, M, X, false, room);
    double *W = expand_shapes(u, room, arena), *Z = expand_shapes(u, X, arena);
    for (int i = 0; i < n; i++) {
        M[i] = 1.0;
        C[i] = u->has_damping ? C[i] : 0.0;
    }
    FbError err;
    if (fb_arena_has_failed(arena) || fb_pattern_diagonal(n, arena, &u->pattern, &err) != FB_OK) {
        return false;
    }
    u->is_modal = true;
    u->M = M;
    u->C = C;
    u->K = w;
    u->W = W;
    u->Z = Z;
    fb_ltv_set_rows(u, arena);
    return !fb_arena_has_failed(arena);
}
