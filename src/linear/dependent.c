// Linearizations in dependent coordinates as other formulations have them: index-1 ODE (with
// Baumgarte terms) and penalty (eq. 7.11).
//
//   ode:      [M G'; G 0] (a, l) = -(K dq + C dv, 2 r G dv + r^2 G dq)
//   penalty:  M a + C dv + (K + alpha G'G) dq = 0
//
// The first has 2 f true eigenvalues and, for each constraint, two zeros (r = 0) or the
// stabilization root -r twice. The second has the true ones with an error of order 1/alpha, and
// constraint modes of frequency ~ sqrt(alpha).
#include <math.h>
#include <string.h>

#include "linear/linearization.h"
#include "math/dense.h"

static void take_vectors(FbLinearization* l, int k) {
    size_t n = (size_t)l->b.n;
    const double complex* from = l->right + (size_t)k * (size_t)l->size;
    memcpy(l->xq + (size_t)k * n, from, sizeof(double complex) * n);
    memcpy(l->xv + (size_t)k * n, from + n, sizeof(double complex) * n);
}

// Companion form [0 1; -P -Q] with P, Q already solved for; columns j < n: by dq, else by dv.
static FbStatus solve_companion(FbLinearization* l, FbError* err) {
    int n = l->b.n, N = l->size;
    double* scale = l->beta;
    for (int j = 0; j < n; j++) {
        scale[j] = l->all.scale[j];
        scale[n + j] = l->all.scale[j] * l->rate_scale;
    }
    FB_TRY(fb_linear_eigen(l, N, scale, err));
    l->n_modes = N;
    for (int k = 0; k < N; k++) {
        take_vectors(l, k);
    }
    return FB_OK;
}

static FbStatus refuse_states(const FbLinearization* l, FbError* err) {
    double moving = 0.0;
    for (int j = 0; j < l->b.n; j++) {
        moving = fmax(moving, fabs(l->op->p.v[j]));
    }
    if (l->b.n_x > 0 || l->b.m_h < l->b.m || (l->b.m > 0 && moving > 0.0)) {
        return fb_fail(err, FB_ERR_UNAVAILABLE, NULL,
                       "this method compares formulations at rest, without rolling and without "
                       "states; use independent or descriptor");
    }
    return FB_OK;
}

FbStatus fb_linear_ode(FbLinearization* l, FbError* err) {
    const FbDenseBlocks* b = &l->b;
    int n = b->n, m = b->m, s = n + m, N = l->size;
    double rate = l->options.baumgarte_rate;
    FB_TRY(refuse_states(l, err));
    FB_TRY(fb_linear_reduce(l, err));
    FB_TRY(fb_linear_find_rigid(l, err));
    double* kkt = l->work_e;
    memset(kkt, 0, sizeof(double) * (size_t)s * (size_t)s);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            kkt[(size_t)j * (size_t)s + (size_t)i] = b->M[(size_t)j * (size_t)n + (size_t)i];
        }
        for (int r = 0; r < m; r++) {
            double g = b->G[(size_t)j * (size_t)m + (size_t)r];
            kkt[(size_t)j * (size_t)s + (size_t)(n + r)] = g;
            kkt[(size_t)(n + r) * (size_t)s + (size_t)j] = g;
        }
    }
    if (fb_lu_factor(s, kkt, l->pivot) >= 0) {
        return fb_fail(
            err, FB_ERR_SINGULAR, NULL,
            "the mass matrix is singular: some part that can move has no mass or inertia");
    }
    double* column = l->dense;
    memset(l->work_a, 0, sizeof(double) * (size_t)N * (size_t)N);
    for (int j = 0; j < N; j++) {
        int c = j < n ? j : j - n;
        for (int i = 0; i < n; i++) {
            column[i] = -(j < n ? b->K : b->C)[(size_t)c * (size_t)n + (size_t)i];
        }
        for (int r = 0; r < m; r++) {
            double g = b->G[(size_t)c * (size_t)m + (size_t)r];
            column[n + r] = -(j < n ? rate * rate : 2.0 * rate) * g;
        }
        fb_lu_solve(s, kkt, l->pivot, column);
        double* out = l->work_a + (size_t)j * (size_t)N;
        out[c] = j < n ? 0.0 : 1.0;
        for (int i = 0; j < n && i < n; i++) {
            out[i] = b->W ? b->W[(size_t)j * (size_t)n + (size_t)i] : 0.0;
        }
        memcpy(out + n, column, sizeof(double) * (size_t)n);
    }
    return solve_companion(l, err);
}

FbStatus fb_linear_penalty(FbLinearization* l, FbError* err) {
    const FbDenseBlocks* b = &l->b;
    int n = b->n, m = b->m, N = l->size;
    FB_TRY(refuse_states(l, err));
    FB_TRY(fb_linear_reduce(l, err));
    FB_TRY(fb_linear_find_rigid(l, err));
    double *A = l->work_a, *E = l->work_e;
    memset(A, 0, sizeof(double) * (size_t)N * (size_t)N);
    memset(E, 0, sizeof(double) * (size_t)N * (size_t)N);
    for (int j = 0; j < n; j++) {
        E[(size_t)j * (size_t)N + (size_t)j] = 1.0;
        A[(size_t)(n + j) * (size_t)N + (size_t)j] = 1.0;
        for (int i = 0; i < n; i++) {
            size_t at = (size_t)j * (size_t)n + (size_t)i;
            double k = b->K[at];
            for (int r = 0; r < m; r++) {
                k += l->options.penalty * b->G[(size_t)i * (size_t)m + (size_t)r] *
                     b->G[(size_t)j * (size_t)m + (size_t)r];
            }
            A[(size_t)j * (size_t)N + (size_t)(n + i)] = -k;
            A[(size_t)(n + j) * (size_t)N + (size_t)(n + i)] = -b->C[at];
            E[(size_t)(n + j) * (size_t)N + (size_t)(n + i)] = b->M[at];
        }
    }
    // QZ, because directions without inertia (a slender rod about its own axis) are held by the
    // penalty alone.
    FB_TRY(fb_eigen_pencil(N, A, E, l->alpha, l->beta, l->right, NULL, err));
    l->n_modes = N;
    for (int k = 0; k < N; k++) {
        l->modes[k].is_infinite = l->beta[k] == 0.0;
        l->w[k] = l->modes[k].is_infinite ? INFINITY : l->alpha[k] / l->beta[k];
        take_vectors(l, k);
    }
    return FB_OK;
}
