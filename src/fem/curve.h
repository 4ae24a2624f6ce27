// Declarations shared by the files of curve guides beyond slider.h.
#ifndef FLYBALL_FEM_CURVE_H
#define FLYBALL_FEM_CURVE_H

#include "fem/slider.h"

// As fb_curve_calc, with the fourth derivative: rotary inertia needs it.
void fb_curve_calc_all(const FbCurve* curve, double s, FbVec3 c[5]);

#endif
