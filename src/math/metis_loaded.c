// METIS, loaded when it is first needed: only large solids are better ordered by it.
#include <metis.h>
#include <pthread.h>

#include "base/library.h"
#include "math/metis_table.h"

static const FbLibraryName METIS = {"METIS", FB_METIS_SONAME, FB_METIS_PATH, "libmetis5"};

typedef void (*Function)(void);

// Written once, under the lock of pthread_once.
static FbMetis table;
static FbStatus status;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    FbError ignored;
    const FbLibrarySymbol symbols[] = {{"METIS_NodeND", (Function*)&table.order},
                                       {"METIS_SetDefaultOptions", (Function*)&table.set_defaults}};
    status = fb_library_load(&METIS, symbols, 2, &ignored);
}

const FbMetis* fb_metis_get(void) {
    pthread_once(&once, load);
    return status == FB_OK ? &table : NULL;
}
