// Tapes with the vectors that every machine has: the compiler divides the four lanes.
#include "math/tape_kernel.h"

const FbTapeKernel fb_tape_lanes = {set, run};
