// Loads the module with the messages of MPI from the folder of the program.
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

static FbStatus fail(const char* cause, FbError* err) {
    return fb_fail(err, FB_ERR_UNAVAILABLE, NULL,
                   "--mpi needs MPI, which this build does not have or cannot load (%.300s); "
                   "install it (Debian and Ubuntu: libopenmpi-dev, openmpi-bin) and build Flyball "
                   "again",
                   cause != NULL ? cause : "not found");
}

static FbStatus open_ranks(FbRanks* out, FbError* err) {
    char program[PATH_MAX], path[PATH_MAX + 256];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char* slash = strrchr(program, '/');
    if (slash == NULL) {
        return fail("the location of the program is unknown", err);
    }
    *slash = '\0';
    snprintf(path, sizeof path, "%s/%s/flyball_mpi.so", program, FLYBALL_MODULES_FROM_BIN);
    // Global: MPI loads modules of its own, which look for its symbols.
    void* module = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    void* symbol = module != NULL ? dlsym(module, FB_RANKS_OPEN) : NULL;
    if (symbol == NULL) {
        return fail(dlerror(), err);
    }
    FbRanksOpen open;
    memcpy(&open, &symbol, sizeof open);  // POSIX: the same size
    return open(out, err);
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
