// ARPACK as a library that the program is linked with.
#include "linear/arpack_table.h"

static const FbArpackTable table = {dsaupd_c, dseupd_c, dnaupd_c, dneupd_c};

FbStatus fb_arpack_get(const FbArpackTable** out, FbError* err) {
    (void)err;
    *out = &table;
    return FB_OK;
}
