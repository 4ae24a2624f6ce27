// A smooth curve through samples: local polynomials of high order, with their slopes.
#ifndef FLYBALL_RECORD_CURVE_H
#define FLYBALL_RECORD_CURVE_H

#include <stdbool.h>

// Samples at strictly increasing times.
typedef struct FbCurve {
    const double* t;  // [n]
    const double* y;  // [n]
    int n;
    int points;  // that a polynomial goes through, at most 12; 0: 12
} FbCurve;

// Value and slope at a time between the samples' first and last; n >= 2.
double fb_curve_value(const FbCurve* curve, double t);
double fb_curve_slope(const FbCurve* curve, double t);

// The extremum next to the largest (sign +1) or smallest (-1) sample i; false at an end. Where the
// slope does not change its sign around it, because there are ripples that the samples do not
// resolve, that of the parabola through three samples.
bool fb_curve_extremum(const FbCurve* curve, int i, int sign, double* t, double* y);

// The integral from a to b.
double fb_curve_integral(const FbCurve* curve, double a, double b);

#endif
