// ARPACK, loaded when it is first needed (docs/decisions/start-up.md).
#include <pthread.h>

#include "base/library.h"
#include "linear/arpack_table.h"

static const FbLibraryName ARPACK = {"ARPACK", FB_ARPACK_SONAME, FB_ARPACK_PATH, "libarpack2"};

typedef void (*Function)(void);

// Written once, under the lock of pthread_once.
static FbArpackTable table;
static FbStatus status;
static FbError error;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    const FbLibrarySymbol symbols[] = {{"dsaupd_c", (Function*)&table.saupd},
                                       {"dseupd_c", (Function*)&table.seupd},
                                       {"dnaupd_c", (Function*)&table.naupd},
                                       {"dneupd_c", (Function*)&table.neupd}};
    status = fb_library_load(&ARPACK, symbols, 4, &error);
}

FbStatus fb_arpack_get(const FbArpackTable** out, FbError* err) {
    pthread_once(&once, load);
    *out = &table;
    if (status != FB_OK && err) {
        *err = error;
    }
    return status;
}
