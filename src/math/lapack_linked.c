// LAPACK and BLAS as libraries that the program is linked with.
#include "math/blas.h"
#include "math/lapack_table.h"

extern void dsyrk_(const char* uplo, const char* trans, const int* n, const int* k,
                   const double* alpha, const double* a, const int* lda, const double* beta,
                   double* c, const int* ldc);
extern void dgemm_(const char* trans_a, const char* trans_b, const int* m, const int* n,
                   const int* k, const double* alpha, const double* a, const int* lda,
                   const double* b, const int* ldb, const double* beta, double* c, const int* ldc);
extern void dtrsm_(const char* side, const char* uplo, const char* trans, const char* diag,
                   const int* m, const int* n, const double* alpha, const double* a, const int* lda,
                   double* b, const int* ldb);
extern void openblas_set_num_threads(int n) __attribute__((weak));

static const FbLapack lapack = {LAPACKE_dgesvd, LAPACKE_dgeevx, LAPACKE_dggev, LAPACKE_dsygvd};
static const FbBlas blas = {dsyrk_, dgemm_, dtrsm_};

FbStatus fb_lapack_get(const FbLapack** out, FbError* err) {
    (void)err;
    *out = &lapack;
    return FB_OK;
}

const FbBlas* fb_blas_get(void) {
    return &blas;
}

void fb_blas_set_threads(int n) {
    if (openblas_set_num_threads) {
        openblas_set_num_threads(n);
    }
}
