// A list of the lowest modes, as sparse_modes.c makes it and lowest.c shows it.
#ifndef FLYBALL_LINEAR_LOWEST_H
#define FLYBALL_LINEAR_LOWEST_H

#include "base/complex.h"
#include "linear/linearization.h"

struct FbLowest {
    FbOperatingPoint* point;
    int n, count;
    FbMode* modes;
    double complex* velocities;  // [n x count]
    bool is_real;                // velocities are real vectors times a number
    double* parts;               // [2 n] real and imaginary velocities
    double* motions;             // [2 x 6 bodies] the same as motions of the bodies ...
    int moving;                  // ... of this mode, -1: none yet
    FbLowestInfo info;
};

#endif
