// Where there are no wider vectors than those of every machine of the kind.
#include <stddef.h>

#include "math/front.h"

const FbFrontMany* fb_front_many_find_wide(void) {
    return NULL;
}
