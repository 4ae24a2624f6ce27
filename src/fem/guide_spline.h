// A smooth line through points: the cubic spline whose tangents are constant linear combinations of
// the points' positions (theory manual, section 9.9).
#ifndef FLYBALL_FEM_GUIDE_SPLINE_H
#define FLYBALL_FEM_GUIDE_SPLINE_H

#include "base/arena.h"
#include "math/vec3.h"

// Knots at the arc lengths of the spline through the drawn points p [n], and its tangents there:
// dr/ds at knot i is sum_j T[i][j] p_j, row-major [n x n]. Two points: a straight line, three: a
// parabola, more: the third derivative does not jump at the second point and at the last but one.
// false: out of memory (the arena is for scratch).
bool fb_guide_spline_calc(int n, const FbVec3* p, FbArena* arena, double* knots, double* T);

// The place at s and, if not NULL, the tangent dr/ds there.
FbVec3 fb_guide_spline_calc_place(int n, const FbVec3* p, const double* knots, const double* T,
                                  double s, FbVec3* tangent);

#endif
