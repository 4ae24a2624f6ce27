// The functions of LAPACK and BLAS that are used, as tables: linked (lapack_linked.c), or loaded
// when they are first needed (lapack_loaded.c).
#ifndef FLYBALL_MATH_LAPACK_TABLE_H
#define FLYBALL_MATH_LAPACK_TABLE_H

#include <lapacke.h>

#include "base/error.h"

typedef struct FbLapack {
    __typeof__(LAPACKE_dgesvd)* gesvd;
    __typeof__(LAPACKE_dgeevx)* geevx;
    __typeof__(LAPACKE_dggev)* ggev;
    __typeof__(LAPACKE_dsygvd)* sygvd;
} FbLapack;

typedef struct FbBlas {
    void (*syrk)(const char* uplo, const char* trans, const int* n, const int* k,
                 const double* alpha, const double* a, const int* lda, const double* beta,
                 double* c, const int* ldc);
    void (*gemm)(const char* trans_a, const char* trans_b, const int* m, const int* n, const int* k,
                 const double* alpha, const double* a, const int* lda, const double* b,
                 const int* ldb, const double* beta, double* c, const int* ldc);
    void (*trsm)(const char* side, const char* uplo, const char* trans, const char* diag,
                 const int* m, const int* n, const double* alpha, const double* a, const int* lda,
                 double* b, const int* ldb);
} FbBlas;

// FB_ERR_UNAVAILABLE: it is not available; FB_ERR_MEMORY: there is no room for its buffers. Any
// thread may call them.
FbStatus fb_lapack_get(const FbLapack** out, FbError* err);
// NULL: as above.
const FbBlas* fb_blas_get(void);

#endif
