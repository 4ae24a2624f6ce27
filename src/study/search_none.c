// Replaces NLopt if it was not found.
#include "study/search.h"

bool fb_search_is_available(void) {
    return false;
}

FbStatus fb_search_run(const FbSearch* search, double* x, const char** reason, FbError* err) {
    (void)search;
    (void)x;
    *reason = "";
    return fb_fail(err, FB_ERR_UNAVAILABLE, NULL,
                   "this build has no NLopt, which 'optimize' needs; install it (Debian "
                   "and Ubuntu: libnlopt-dev) and build Flyball again");
}
