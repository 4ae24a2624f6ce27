// Adapter to the level 3 of BLAS; no other file calls it.
//
// Dongarra, Du Croz, Hammarling, Duff: A set of level 3 basic linear algebra subprograms. ACM
// Transactions on Mathematical Software 16 (1990) 1-17.
#include "math/blas.h"

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
