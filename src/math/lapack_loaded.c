// LAPACK and BLAS, loaded when they are first needed: most runs need neither, and loading them
// takes longer than a short run (docs/decisions/start-up.md).
#include <pthread.h>

#include "base/library.h"
#include "math/blas.h"
#include "math/lapack_table.h"

static const FbLibraryName LAPACKE = {"LAPACK", FB_LAPACKE_SONAME, FB_LAPACKE_PATH, "liblapacke"};
static const FbLibraryName OPENBLAS = {"BLAS", FB_OPENBLAS_SONAME, FB_OPENBLAS_PATH,
                                       "libopenblas0"};

typedef void (*Function)(void);

// Written once, under the lock of its pthread_once.
static FbLapack lapack;
static FbBlas blas;
static FbStatus lapack_status, blas_status;
static FbError lapack_error;
static pthread_once_t lapack_once = PTHREAD_ONCE_INIT, blas_once = PTHREAD_ONCE_INIT;
// A setting of the process, as it is of OpenBLAS itself; 0: left alone.
static int n_threads;

static void load_blas(void) {
    FbError ignored;
    Function set_threads = NULL;
    const FbLibrarySymbol symbols[] = {{"dsyrk_", (Function*)&blas.syrk},
                                       {"dgemm_", (Function*)&blas.gemm},
                                       {"dtrsm_", (Function*)&blas.trsm}};
    const FbLibrarySymbol threads = {"openblas_set_num_threads", &set_threads};
    blas_status = fb_library_load(&OPENBLAS, symbols, 3, &ignored);
    if (n_threads > 0 && fb_library_load(&OPENBLAS, &threads, 1, &ignored) == FB_OK) {
        ((void (*)(int))set_threads)(n_threads);
    }
}

static void load_lapack(void) {
    const FbLibrarySymbol symbols[] = {{"LAPACKE_dgesvd", (Function*)&lapack.gesvd},
                                       {"LAPACKE_dgeevx", (Function*)&lapack.geevx},
                                       {"LAPACKE_dggev", (Function*)&lapack.ggev},
                                       {"LAPACKE_dsygvd", (Function*)&lapack.sygvd}};
    lapack_status = fb_library_load(&LAPACKE, symbols, 4, &lapack_error);
    fb_blas_get();  // whose threads it uses
}

FbStatus fb_lapack_get(const FbLapack** out, FbError* err) {
    pthread_once(&lapack_once, load_lapack);
    *out = &lapack;
    if (lapack_status != FB_OK && err) {
        *err = lapack_error;
    }
    return lapack_status;
}

const FbBlas* fb_blas_get(void) {
    pthread_once(&blas_once, load_blas);
    return blas_status == FB_OK ? &blas : NULL;
}

void fb_blas_set_threads(int n) {
    n_threads = n;
}
