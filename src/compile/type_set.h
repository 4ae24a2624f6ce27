// The type set of this build, and the public functions that are bound to it.
#ifndef FLYBALL_COMPILE_TYPE_SET_H
#define FLYBALL_COMPILE_TYPE_SET_H

#include "describe/types.h"

const FbTypeSet* fb_types(void);

#endif
