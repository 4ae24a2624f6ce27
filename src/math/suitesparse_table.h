// The functions of KLU and AMD that are used, as a table: linked (suitesparse_linked.c), or loaded
// when they are first needed (suitesparse_loaded.c).
#ifndef FLYBALL_MATH_SUITESPARSE_TABLE_H
#define FLYBALL_MATH_SUITESPARSE_TABLE_H

#include <amd.h>
#include <klu.h>

#include "base/error.h"

typedef struct FbKluTable {
    __typeof__(klu_defaults)* defaults;
    __typeof__(klu_analyze)* analyze;
    __typeof__(klu_free_symbolic)* free_symbolic;
    __typeof__(klu_factor)* factor;
    __typeof__(klu_refactor)* refactor;
    __typeof__(klu_rgrowth)* rgrowth;
    __typeof__(klu_solve)* solve;
    __typeof__(klu_free_numeric)* free_numeric;
    __typeof__(klu_z_factor)* z_factor;
    __typeof__(klu_z_refactor)* z_refactor;
    __typeof__(klu_z_rgrowth)* z_rgrowth;
    __typeof__(klu_z_solve)* z_solve;
    __typeof__(klu_z_free_numeric)* z_free_numeric;
} FbKluTable;

typedef struct FbAmdTable {
    __typeof__(amd_defaults)* defaults;
    __typeof__(amd_order)* order;
} FbAmdTable;

// FB_ERR_UNAVAILABLE: it is not available. Any thread may call them.
FbStatus fb_klu_get(const FbKluTable** out, FbError* err);
FbStatus fb_amd_get(const FbAmdTable** out, FbError* err);

#endif
