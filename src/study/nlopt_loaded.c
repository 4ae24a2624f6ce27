// NLopt, loaded when it is first needed (docs/decisions/start-up.md).
#include <pthread.h>

#include "base/library.h"
#include "study/nlopt_table.h"

static const FbLibraryName NLOPT = {"NLopt", FB_NLOPT_SONAME, FB_NLOPT_PATH, "libnlopt0"};

typedef void (*Function)(void);

// Written once, under the lock of pthread_once.
static FbNloptTable table;
static FbStatus status;
static FbError error;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    const FbLibrarySymbol symbols[] = {
        {"nlopt_create", (Function*)&table.create},
        {"nlopt_destroy", (Function*)&table.destroy},
        {"nlopt_optimize", (Function*)&table.optimize},
        {"nlopt_force_stop", (Function*)&table.force_stop},
        {"nlopt_srand", (Function*)&table.srand},
        {"nlopt_get_errmsg", (Function*)&table.get_errmsg},
        {"nlopt_result_to_string", (Function*)&table.result_to_string},
        {"nlopt_set_min_objective", (Function*)&table.set_min_objective},
        {"nlopt_add_inequality_mconstraint", (Function*)&table.add_inequality_mconstraint},
        {"nlopt_set_lower_bounds1", (Function*)&table.set_lower_bounds1},
        {"nlopt_set_upper_bounds1", (Function*)&table.set_upper_bounds1},
        {"nlopt_set_xtol_abs1", (Function*)&table.set_xtol_abs1},
        {"nlopt_set_ftol_rel", (Function*)&table.set_ftol_rel},
        {"nlopt_set_maxeval", (Function*)&table.set_maxeval},
        {"nlopt_set_initial_step1", (Function*)&table.set_initial_step1}};
    status = fb_library_load(&NLOPT, symbols, sizeof symbols / sizeof *symbols, &error);
}

FbStatus fb_nlopt_get(const FbNloptTable** out, FbError* err) {
    pthread_once(&once, load);
    *out = &table;
    if (status != FB_OK && err) {
        *err = error;
    }
    return status;
}
