// Solves of a front for several right-hand sides with 256-bit vectors (x86-64 with AVX2; compiled
// with that option), without fused products.
#include "math/front_many.h"

static const FbFrontMany wide = {forward, backward};

const FbFrontMany* fb_front_many_find_wide(void) {
    return __builtin_cpu_supports("avx2") ? &wide : NULL;
}
