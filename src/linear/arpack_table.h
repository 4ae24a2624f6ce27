// The functions of ARPACK that are used, as a table: linked (arpack_linked.c), or loaded when they
// are first needed (arpack_loaded.c).
#ifndef FLYBALL_LINEAR_ARPACK_TABLE_H
#define FLYBALL_LINEAR_ARPACK_TABLE_H

#include <arpack.h>

#include "base/error.h"

typedef struct FbArpackTable {
    __typeof__(dsaupd_c)* saupd;
    __typeof__(dseupd_c)* seupd;
    __typeof__(dnaupd_c)* naupd;
    __typeof__(dneupd_c)* neupd;
} FbArpackTable;

// FB_ERR_UNAVAILABLE: it is not available. Any thread may call it.
FbStatus fb_arpack_get(const FbArpackTable** out, FbError* err);

#endif
