// The type set of this build, and the public reader and schema functions bound to it.
#ifndef FLYBALL_COMPILE_TYPE_SET_H
#define FLYBALL_COMPILE_TYPE_SET_H

#include "describe/types.h"

const FbTypeSet* fb_types(void);

#endif
