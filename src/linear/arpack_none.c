// Builds without ARPACK: an error for large systems; small ones do not need it.
#include "linear/arpack.h"

bool fb_arpack_is_available(void) {
    return false;
}

FbStatus fb_arpack_run(const FbArpack* a, FbArpackBasis* out, FbError* err) {
    (void)a;
    out->count = 0;
    return fb_fail(
        err, FB_ERR_UNAVAILABLE, NULL,
        "this build has no ARPACK, which the lowest modes of large systems need; install "
        "it and build again, or use the independent method");
}
