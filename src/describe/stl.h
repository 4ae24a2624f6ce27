// Surfaces of triangles in STL files, text or binary: their extent and the mass properties of what
// they enclose.
#ifndef FLYBALL_DESCRIBE_STL_H
#define FLYBALL_DESCRIBE_STL_H

#include "base/error.h"

typedef struct FbStl {
    int n_triangles;
    double low[3], high[3];  // m
    // Of a closed surface, for a unit of mass about its centre: xx, yy, zz, xy, xz, yz.
    double volume;  // m3
    double center[3];
    double inertia[6];  // m2
} FbStl;

// Reads a file with lengths in `unit` (m). Where mass properties are requested, the surface must be
// closed. Errors name the file, else `place`.
FbStatus fb_stl_measure(const char* path, double unit, bool has_mass, const FbPlace* place,
                        FbStl* out, FbError* err);

#endif
