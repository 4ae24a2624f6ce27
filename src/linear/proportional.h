// Damping that is proportional to mass and stiffness, C = alpha M + beta K: its modes are the
// undamped ones.
#ifndef FLYBALL_LINEAR_PROPORTIONAL_H
#define FLYBALL_LINEAR_PROPORTIONAL_H

#include "base/complex.h"
#include "solve/operating_point.h"

typedef struct FbProportional {
    bool is_used;
    double alpha, beta;
} FbProportional;

// is_used only for a point at rest, without states, with symmetric K, and where C is alpha M + beta
// K to rounding.
void fb_proportional_find(const FbOperatingPoint* point, FbProportional* out);

// The root with Im >= 0 of s^2 + (alpha + beta mu) s + mu = 0.
double complex fb_proportional_root(const FbProportional* d, double mu);

// Is the mode of frequency w damped below critical, and slower than every overdamped motion that
// such damping makes of faster modes?
bool fb_proportional_keeps_order(const FbProportional* d, double w);

#endif
