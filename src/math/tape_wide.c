// Tapes with 256-bit vectors (x86-64 with AVX2; compiled with that option), without fused products:
// the numbers are those of tape_lanes.c.
#include "math/tape_kernel.h"

static const FbTapeKernel wide = {set, run};

const FbTapeKernel* fb_tape_find_wide(void) {
    return __builtin_cpu_supports("avx2") ? &wide : NULL;
}
