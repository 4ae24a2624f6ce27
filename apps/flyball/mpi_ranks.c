// Loads the modules that use MPI from the folder of the program.
#include "mpi_ranks.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "load.h"
#include "study/share.h"
#include "terminal.h"

typedef struct Module {
    const char *file, *symbol;
    const char *needs, *packages;  // for the message where it cannot be loaded
} Module;

static const Module sweeps = {"flyball_mpi.so", FB_RANKS_OPEN, "MPI",
                              "libopenmpi-dev, openmpi-bin"};
static const Module reductions = {"flyball_slepc.so", FB_REDUCER_OPEN, "MPI, PETSc and SLEPc",
                                  "libslepc-real-dev, openmpi-bin"};

static void fail(const Module* module, const char* cause, FbError* err) {
    fb_fail(err, FB_ERR_UNAVAILABLE, NULL,
            "--mpi needs %s, which this build does not have or cannot load (%.300s); "
            "install it (Debian and Ubuntu: %s) and build Flyball again",
            module->needs, cause != NULL ? cause : "not found", module->packages);
}

// The address of the module's function; NULL: `err` says why.
static void* load(const Module* from, FbError* err) {
    char program[PATH_MAX], path[PATH_MAX + 256];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char* slash = strrchr(program, '/');
    if (slash == NULL) {
        fail(from, "the location of the program is unknown", err);
        return NULL;
    }
    *slash = '\0';
    snprintf(path, sizeof path, "%s/%s/%s", program, FLYBALL_MODULES_FROM_BIN, from->file);
    // Global: MPI loads modules of its own, which look for its symbols.
    void* module = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    void* symbol = module != NULL ? dlsym(module, from->symbol) : NULL;
    if (symbol == NULL) {
        fail(from, dlerror(), err);
    }
    return symbol;
}

static FbStatus open_ranks(FbRanks* out, FbError* err) {
    FbRanksOpen open = NULL;
    void* symbol = load(&sweeps, err);
    memcpy(&open, &symbol, sizeof open);  // POSIX: the same size
    return symbol != NULL ? open(out, err) : FB_ERR_UNAVAILABLE;
}

int run_ranked(const Options* options, RankedCommand command, const void* self) {
    FbRanks ranks;
    FbError err;
    FbStatus status = open_ranks(&ranks, &err);
    if (status < 0) {
        print_error(&err);
        return exit_code_of(status);
    }
    ranks.n_computed = ranks.rank == 0 ? calloc((size_t)ranks.n_ranks, sizeof(int)) : NULL;
    if (ranks.rank > 0) {
        leave_document_to_others();
    }
    Options own = *options;
    own.is_quiet |= ranks.rank > 0;
    int code = command(&own, &ranks, self);
    fflush(stdout);
    if (ranks.rank == 0 || code == EXIT_OK) {  // another one that failed cannot reach rank 0
        fb_share_close(&ranks);
    }
    ranks.close(ranks.self, ranks.is_whole);
    free(ranks.n_computed);
    return code;
}

FbStatus open_reducer(FbReducer* out, FbError* err) {
    FbReducerOpen open = NULL;
    // A process for each processor is what mpirun starts; threads of BLAS and MUMPS would be more.
    setenv("OMP_NUM_THREADS", "1", 0);
    void* symbol = load(&reductions, err);
    memcpy(&open, &symbol, sizeof open);
    return symbol != NULL ? open(out, err) : FB_ERR_UNAVAILABLE;
}
