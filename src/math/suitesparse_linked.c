// KLU and AMD as libraries that the program is linked with.
#include "math/suitesparse_table.h"

static const FbKluTable klu = {
    klu_defaults,  klu_analyze, klu_free_symbolic, klu_factor,   klu_refactor,
    klu_rgrowth,   klu_solve,   klu_free_numeric,  klu_z_factor, klu_z_refactor,
    klu_z_rgrowth, klu_z_solve, klu_z_free_numeric};
static const FbAmdTable amd = {amd_defaults, amd_order};

FbStatus fb_klu_get(const FbKluTable** out, FbError* err) {
    (void)err;
    *out = &klu;
    return FB_OK;
}

FbStatus fb_amd_get(const FbAmdTable** out, FbError* err) {
    (void)err;
    *out = &amd;
    return FB_OK;
}
