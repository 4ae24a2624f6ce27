// Sobol' sequences: points that fill a cube more evenly than random ones.
#ifndef FLYBALL_STUDY_SOBOL_H
#define FLYBALL_STUDY_SOBOL_H

#include <stdint.h>

// Dimensions whose direction numbers this file has: those with polynomials of degree up to 7.
enum { FB_SOBOL_DIMENSIONS = 37, FB_SOBOL_BITS = 32 };

// Coordinate `dimension` (from 0) of point `index`, times 2^32 (eq. 11.13).
uint32_t fb_sobol_point(int dimension, uint32_t index);

#endif
