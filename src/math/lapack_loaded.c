// LAPACK and BLAS, loaded when they are first needed: most runs need neither, and loading them
// takes longer than a short run (docs/decisions/start-up.md).
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

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

// Whether the process may have so many more addresses. Asked as OpenBLAS asks, which leaves malloc
// out, but in a way that POSIX knows.
static bool has_room(size_t bytes) {
    int zeros = open("/dev/zero", O_RDWR | O_CLOEXEC);
    if (zeros < 0) {
        return true;  // not known
    }
    void* room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, zeros, 0);
    close(zeros);
    if (room == MAP_FAILED) {
        return false;
    }
    munmap(room, bytes);
    return true;
}

// OpenBLAS asks for its buffer again and again, for ever, where memory is limited (ulimit -v). Its
// first one is taken where there is room for it.
static FbStatus take_buffer(void) {
    static const size_t BUFFER = (size_t)129 << 20U;
    const int n = 1;
    const double one = 1.0;
    double c = 0.0;
    if (!has_room(BUFFER)) {
        return FB_ERR_MEMORY;
    }
    blas.syrk("L", "N", &n, &n, &one, &one, &n, &one, &c, &n);
    return FB_OK;
}

static void load_blas(void) {
    FbError ignored;
    Function set_threads = NULL;
    const FbLibrarySymbol symbols[] = {{"dsyrk_", (Function*)&blas.syrk},
                                       {"dgemm_", (Function*)&blas.gemm},
                                       {"dtrsm_", (Function*)&blas.trsm}};
    const FbLibrarySymbol threads = {"openblas_set_num_threads", &set_threads};
    blas_status = fb_library_load(&OPENBLAS, symbols, 3, &ignored);
    if (blas_status == FB_OK && n_threads > 0 &&
        fb_library_load(&OPENBLAS, &threads, 1, &ignored) == FB_OK) {
        ((void (*)(int))set_threads)(n_threads);
    }
    if (blas_status == FB_OK) {
        blas_status = take_buffer();
    }
}

static void load_lapack(void) {
    const FbLibrarySymbol symbols[] = {{"LAPACKE_dgesvd", (Function*)&lapack.gesvd},
                                       {"LAPACKE_dgeevx", (Function*)&lapack.geevx},
                                       {"LAPACKE_dggev", (Function*)&lapack.ggev},
                                       {"LAPACKE_dsygvd", (Function*)&lapack.sygvd}};
    fb_blas_get();  // whose threads and buffers it uses
    lapack_status = blas_status == FB_ERR_MEMORY
                        ? fb_fail_memory(&lapack_error)
                        : fb_library_load(&LAPACKE, symbols, 4, &lapack_error);
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
