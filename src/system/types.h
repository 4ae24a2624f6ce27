// The type set of this build, and the public reader and schema functions bound to it.
#ifndef FLYBALL_SYSTEM_TYPES_H
#define FLYBALL_SYSTEM_TYPES_H

#include "model/types.h"

const FbTypeSet* fb_types(void);

#endif
