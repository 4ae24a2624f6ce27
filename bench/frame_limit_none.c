// Stands in for frame_limit.c where CHOLMOD or ARPACK are missing.
#include "frame_limit.h"

bool frame_limit_calc(const FbPattern* pattern, const double* K, const double* M, int count,
                      int n_shapes, double* shapes, double* squares, FrameLimit* out) {
    (void)pattern, (void)K, (void)M, (void)count, (void)n_shapes, (void)shapes, (void)squares;
    (void)out;
    return false;
}

bool frame_limit_is_built(void) {
    return false;
}
