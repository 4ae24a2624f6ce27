// Adapter to the level 3 of BLAS; no other file calls it.
//
// Dongarra, Du Croz, Hammarling, Duff: A set of level 3 basic linear algebra subprograms. ACM
// Transactions on Mathematical Software 16 (1990) 1-17.
#include "math/blas.h"

extern void dsyrk_(const char* uplo, const char* trans, const int* n, const int* k,
                   const double* alpha, const double* a, const int* lda, const double* beta,
                   double* c, const int* ldc);
extern void dgemm_(const char* trans_a, const char* trans_b, const int* m, const int* n,
                   const int* k, const double* alpha, const double* a, const int* lda,
                   const double* b, const int* ldb, const double* beta, double* c, const int* ldc);

static const double one = 1.0, minus_one = -1.0;

void fb_blas_subtract_square(int n, int k, const double* a, int lda, double* c, int ldc) {
    if (n > 0 && k > 0) {
        dsyrk_("L", "N", &n, &k, &minus_one, a, &lda, &one, c, &ldc);
    }
}

void fb_blas_subtract_product(int m, int n, int k, const double* a, const double* b, int ld,
                              double* c) {
    if (m > 0 && n > 0 && k > 0) {
        dgemm_("N", "T", &m, &n, &k, &minus_one, a, &ld, b, &ld, &one, c, &ld);
    }
}
