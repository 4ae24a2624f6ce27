// Linearization of the full system in (dq, dv, lambda, x): a matrix pencil with finite and infinite
// eigenvalues, solved by QZ.
//
//   [1         ] (dq)'   [ W   1         ] (dq)
//   [   M      ] (dv)  = [-K  -C  -G' -Rx] (dv)
//   [      0   ] (l )    [ Gh or Gq  Gn  ] (l )
//   [         1] (x )    [ Xq  Xv      Xx] (x )
//
// with holonomic rows at position level and rolling at velocity level. Multipliers are scaled by
// the size of K or M, so that QZ sees entries of one magnitude (eq. 7.9).
#include <math.h>
#include <string.h>

#include "linear/linearization.h"
#include "math/dense.h"

static double size_of(const double* a, size_t n) {
    double largest = 0.0;
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs(a[i]));
    }
    return largest;
}

static void fill(FbLinearization* l, double* A, double* E) {
    const FbDenseBlocks* b = &l->b;
    int n = b->n, m = b->m, n_x = b->n_x, N = l->size;
    size_t square = (size_t)n * (size_t)n;
    double scale = fmax(size_of(b->K, square), size_of(b->M, square));
    memset(A, 0, sizeof(double) * (size_t)N * (size_t)N);
    memset(E, 0, sizeof(double) * (size_t)N * (size_t)N);
#define AT(matrix, r, c) matrix[(size_t)(c) * (size_t)N + (size_t)(r)]
    for (int i = 0; i < n; i++) {
        AT(E, i, i) = 1.0;
        AT(A, i, n + i) = 1.0;
        for (int j = 0; j < n; j++) {
            size_t at = (size_t)j * (size_t)n + (size_t)i;
            AT(E, n + i, n + j) = b->M[at];
            AT(A, n + i, j) = -b->K[at];
            AT(A, n + i, n + j) = -b->C[at];
            AT(A, i, j) = b->W ? b->W[at] : 0.0;
        }
    }
    for (int r = 0; r < m; r++) {
        for (int j = 0; j < n; j++) {
            size_t at = (size_t)j * (size_t)m + (size_t)r;
            AT(A, n + j, 2 * n + r) = -scale * b->G[at];
            if (r < b->m_h) {
                AT(A, 2 * n + r, j) = scale * b->G[at];
            } else {
                AT(A, 2 * n + r, n + j) = scale * b->G[at];
                AT(A, 2 * n + r, j) = scale * b->Gq[at];
            }
        }
    }
    int x0 = 2 * n + m;
    for (int i = 0; i < n_x; i++) {
        AT(E, x0 + i, x0 + i) = 1.0;
        for (int j = 0; j < n; j++) {
            AT(A, n + j, x0 + i) = -b->Rx[(size_t)i * (size_t)n + (size_t)j];
            AT(A, x0 + i, j) = b->Xq[(size_t)j * (size_t)n_x + (size_t)i];
            AT(A, x0 + i, n + j) = b->Xv[(size_t)j * (size_t)n_x + (size_t)i];
        }
        for (int j = 0; j < n_x; j++) {
            AT(A, x0 + i, x0 + j) = b->Xx[(size_t)j * (size_t)n_x + (size_t)i];
        }
    }
#undef AT
}

// |y' E x| against |y| |x| |E|: the reciprocal condition of a finite eigenvalue; zero for infinite
// ones, whatever value rounding gave them.
static double reciprocal_condition(const FbLinearization* l, const double complex* x,
                                   const double complex* y) {
    int n = l->b.n, N = l->size, x0 = 2 * n + l->b.m;
    double complex product = 0.0;
    double nx = 0.0, ny = 0.0, size = fmax(1.0, size_of(l->b.M, (size_t)n * (size_t)n));
    for (int i = 0; i < N; i++) {
        nx += creal(x[i] * conj(x[i]));
        ny += creal(y[i] * conj(y[i]));
        if (i < n || i >= x0) {
            product += conj(y[i]) * x[i];
        }
    }
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            product += conj(y[n + i]) * l->b.M[(size_t)j * (size_t)n + (size_t)i] * x[n + j];
        }
    }
    return nx > 0.0 && ny > 0.0 ? cabs(product) / (sqrt(nx * ny) * size) : 0.0;
}

FbStatus fb_linear_descriptor(FbLinearization* l, FbError* err) {
    int n = l->b.n, N = l->size;
    FB_TRY(fb_linear_reduce(l, err));  // the directions that classification asks for
    FB_TRY(fb_linear_find_rigid(l, err));
    fill(l, l->work_a, l->work_e);
    FB_TRY(fb_eigen_pencil(N, l->work_a, l->work_e, l->alpha, l->beta, l->right, l->left, err));
    l->n_modes = N;
    for (int k = 0; k < N; k++) {
        const double complex* x = l->right + (size_t)k * (size_t)N;
        FbMode* mode = &l->modes[k];
        double r = reciprocal_condition(l, x, l->left + (size_t)k * (size_t)N);
        mode->condition = r > 0.0 ? fmax(1.0, 1.0 / r) : INFINITY;
        mode->is_infinite = l->beta[k] == 0.0;
        l->w[k] = mode->is_infinite ? INFINITY : l->alpha[k] / l->beta[k];
        memcpy(l->xq + (size_t)k * (size_t)n, x, sizeof(double complex) * (size_t)n);
        memcpy(l->xv + (size_t)k * (size_t)n, x + n, sizeof(double complex) * (size_t)n);
        memcpy(l->xx + (size_t)k * (size_t)l->b.n_x, x + 2 * n + l->b.m,
               sizeof(double complex) * (size_t)l->b.n_x);
    }
    return FB_OK;
}
