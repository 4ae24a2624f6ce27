// Where there are no wider vectors than those of every machine of the kind.
#include "math/tape.h"

const FbTapeKernel* fb_tape_find_wide(void) {
    return NULL;
}
