// The functions of METIS that are used: linked (metis_linked.c), or loaded when they are first
// needed (metis_loaded.c).
#ifndef FLYBALL_MATH_METIS_TABLE_H
#define FLYBALL_MATH_METIS_TABLE_H

#include <metis.h>

typedef struct FbMetis {
    __typeof__(METIS_NodeND)* order;
    __typeof__(METIS_SetDefaultOptions)* set_defaults;
} FbMetis;

const FbMetis* fb_metis_get(void);  // NULL: it is not available

#endif
