// Adapter to the level 3 of BLAS; no other file calls it.
//
// Dongarra, Du Croz, Hammarling, Duff: A set of level 3 basic linear algebra subprograms. ACM
// Transactions on Mathematical Software 16 (1990) 1-17.
#include "math/blas.h"

#include <stddef.h>

#include "math/lapack_table.h"

static const double one = 1.0, minus_one = -1.0;

// Without BLAS: C -= A B', by columns; of C only what is at or below the diagonal, or all.
static void subtract_plainly(int m, int n, int k, const double* a, const double* b, int ld,
                             bool is_lower, double* c, int ldc) {
    for (int j = 0; j < n; j++) {
        for (int l = 0; l < k; l++) {
            double f = b[(long)l * ld + j];
            for (int i = is_lower ? j : 0; i < m; i++) {
                c[(long)j * ldc + i] -= a[(long)l * ld + i] * f;
            }
        }
    }
}

// C = alpha op(A) B + beta C without BLAS; op is A or A'.
static void multiply_plainly(bool is_transposed, int m, int n, int k, double alpha, const double* a,
                             int lda, const double* b, int ldb, double beta, double* c, int ldc) {
    for (int j = 0; j < n; j++) {
        double* to = c + (size_t)j * (size_t)ldc;
        for (int i = 0; i < m; i++) {
            to[i] = beta == 0.0 ? 0.0 : beta * to[i];
        }
        for (int l = 0; !is_transposed && l < k; l++) {
            double f = alpha * b[(size_t)j * (size_t)ldb + (size_t)l];
            for (int i = 0; i < m; i++) {
                to[i] += f * a[(size_t)l * (size_t)lda + (size_t)i];
            }
        }
        for (int i = 0; is_transposed && i < m; i++) {
            double sum = 0.0;
            for (int l = 0; l < k; l++) {
                sum +=
                    a[(size_t)i * (size_t)lda + (size_t)l] * b[(size_t)j * (size_t)ldb + (size_t)l];
            }
            to[i] += alpha * sum;
        }
    }
}

static void multiply(bool is_transposed, int m, int n, int k, double alpha, const double* a,
                     int lda, const double* b, int ldb, double beta, double* c, int ldc) {
    const FbBlas* blas = m > 0 && n > 0 && k > 0 ? fb_blas_get() : NULL;
    if (blas) {
        blas->gemm(is_transposed ? "T" : "N", "N", &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c,
                   &ldc);
    } else {
        multiply_plainly(is_transposed, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    }
}

void fb_blas_multiply(int m, int n, int k, const double* a, int lda, const double* b, int ldb,
                      double* c, int ldc) {
    multiply(false, m, n, k, 1.0, a, lda, b, ldb, 0.0, c, ldc);
}

void fb_blas_multiply_transposed(int m, int n, int k, const double* a, int lda, const double* b,
                                 int ldb, double* c, int ldc) {
    multiply(true, m, n, k, 1.0, a, lda, b, ldb, 0.0, c, ldc);
}

void fb_blas_subtract(int m, int n, int k, const double* a, int lda, const double* b, int ldb,
                      double* c, int ldc) {
    multiply(false, m, n, k, -1.0, a, lda, b, ldb, 1.0, c, ldc);
}

// Without BLAS: columns from the first to the last, each less those before it.
static void solve_plainly(int m, int n, const double* l, double* b, int ld) {
    for (int j = 0; j < n; j++) {
        double* to = b + (size_t)j * (size_t)ld;
        for (int p = 0; p < j; p++) {
            const double* from = b + (size_t)p * (size_t)ld;
            double factor = l[(size_t)p * (size_t)ld + (size_t)j];
            for (int i = 0; i < m; i++) {
                to[i] -= factor * from[i];
            }
        }
        double reciprocal = 1.0 / l[(size_t)j * (size_t)ld + (size_t)j];
        for (int i = 0; i < m; i++) {
            to[i] *= reciprocal;
        }
    }
}

void fb_blas_solve_transposed(int m, int n, const double* l, double* b, int ld) {
    const FbBlas* blas = m > 0 && n > 0 ? fb_blas_get() : NULL;
    if (blas) {
        blas->trsm("R", "L", "T", "N", &m, &n, &one, l, &ld, b, &ld);
    } else {
        solve_plainly(m, n, l, b, ld);
    }
}

void fb_blas_subtract_square(int n, int k, const double* a, int lda, double* c, int ldc) {
    const FbBlas* blas = n > 0 && k > 0 ? fb_blas_get() : NULL;
    if (blas) {
        blas->syrk("L", "N", &n, &k, &minus_one, a, &lda, &one, c, &ldc);
    } else {
        subtract_plainly(n, n, k, a, a, lda, true, c, ldc);
    }
}

void fb_blas_subtract_product(int m, int n, int k, const double* a, const double* b, int ld,
                              double* c) {
    const FbBlas* blas = m > 0 && n > 0 && k > 0 ? fb_blas_get() : NULL;
    if (blas) {
        blas->gemm("N", "T", &m, &n, &k, &minus_one, a, &ld, b, &ld, &one, c, &ld);
    } else {
        subtract_plainly(m, n, k, a, b, ld, false, c, ld);
    }
}
