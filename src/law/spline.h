// C2 cubic splines through given points, kept as second derivatives at the points.
#ifndef FLYBALL_LAW_SPLINE_H
#define FLYBALL_LAW_SPLINE_H

#include "base/arena.h"

// Second derivatives m [n] of the not-a-knot spline (a parabola through 3 points, a line through
// 2). x increases strictly. false: out of memory.
bool fb_spline_not_a_knot(int n, const double* x, const double* y, FbArena* arena, double* m);

// The same for a periodic spline: y[n-1] = y[0], n >= 4.
bool fb_spline_periodic(int n, const double* x, const double* y, FbArena* arena, double* m);

// Value and first two derivatives at t on the piece from i to i + 1 (extrapolating its cubic
// outside).
void fb_spline_calc(const double* x, const double* y, const double* m, int i, double t,
                    double out[3]);

#endif
