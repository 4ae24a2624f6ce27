// KLU and AMD, loaded when they are first needed: small mechanisms have small dense matrices
// (docs/decisions/start-up.md).
#include <pthread.h>

#include "base/library.h"
#include "math/suitesparse_table.h"

static const FbLibraryName KLU = {"KLU", FB_KLU_SONAME, FB_KLU_PATH, "libklu1"};
static const FbLibraryName AMD = {"AMD", FB_AMD_SONAME, FB_AMD_PATH, "libamd2"};

typedef void (*Function)(void);

// Written once, under the lock of its pthread_once.
static FbKluTable klu;
static FbAmdTable amd;
static FbStatus klu_status, amd_status;
static FbError klu_error, amd_error;
static pthread_once_t klu_once = PTHREAD_ONCE_INIT, amd_once = PTHREAD_ONCE_INIT;

static void load_klu(void) {
    const FbLibrarySymbol symbols[] = {{"klu_defaults", (Function*)&klu.defaults},
                                       {"klu_analyze", (Function*)&klu.analyze},
                                       {"klu_free_symbolic", (Function*)&klu.free_symbolic},
                                       {"klu_factor", (Function*)&klu.factor},
                                       {"klu_refactor", (Function*)&klu.refactor},
                                       {"klu_rgrowth", (Function*)&klu.rgrowth},
                                       {"klu_solve", (Function*)&klu.solve},
                                       {"klu_free_numeric", (Function*)&klu.free_numeric},
                                       {"klu_z_factor", (Function*)&klu.z_factor},
                                       {"klu_z_refactor", (Function*)&klu.z_refactor},
                                       {"klu_z_rgrowth", (Function*)&klu.z_rgrowth},
                                       {"klu_z_solve", (Function*)&klu.z_solve},
                                       {"klu_z_free_numeric", (Function*)&klu.z_free_numeric}};
    klu_status = fb_library_load(&KLU, symbols, sizeof symbols / sizeof *symbols, &klu_error);
}

static void load_amd(void) {
    const FbLibrarySymbol symbols[] = {{"amd_defaults", (Function*)&amd.defaults},
                                       {"amd_order", (Function*)&amd.order}};
    amd_status = fb_library_load(&AMD, symbols, 2, &amd_error);
}

FbStatus fb_klu_get(const FbKluTable** out, FbError* err) {
    pthread_once(&klu_once, load_klu);
    *out = &klu;
    if (klu_status != FB_OK && err) {
        *err = klu_error;
    }
    return klu_status;
}

FbStatus fb_amd_get(const FbAmdTable** out, FbError* err) {
    pthread_once(&amd_once, load_amd);
    *out = &amd;
    if (amd_status != FB_OK && err) {
        *err = amd_error;
    }
    return amd_status;
}
