// Rotations: unit quaternions (w, x, y, z), rotation vectors and matrices.
#ifndef FLYBALL_MATH_ROTATION_H
#define FLYBALL_MATH_ROTATION_H

#include <stdbool.h>

#include "math/vec3.h"

FbMat3 fb_rotation_from_quaternion(const double e[4]);
void fb_quaternion_from_rotation(const FbMat3* r, double e[4]);
void fb_quaternion_normalize(double e[4]);

// e (*) exp(xi): rotate by the rotation vector xi given in the rotated (body) frame.
void fb_quaternion_plus(const double e[4], FbVec3 xi, double out[4]);
// The xi with |xi| <= pi for which b = a (*) exp(xi).
FbVec3 fb_quaternion_minus(const double b[4], const double a[4]);
// e' for the body-frame angular velocity w.
void fb_quaternion_rate(const double e[4], FbVec3 w, double out[4]);

// xi' for R = R0 exp(xi) turning with body-frame angular velocity w: the inverse right Jacobian of
// SO(3) times w.
FbVec3 fb_rotation_chart_rate(FbVec3 xi, FbVec3 w);

FbMat3 fb_rotation_from_vector(FbVec3 xi);
FbVec3 fb_rotation_to_vector(const FbMat3* r);
FbMat3 fb_rotation_about(int axis, double angle);  // axis 0, 1, 2

// The rotation whose z axis is along `axis` and whose x axis is as near as possible to `x_hint`
// (not finite or parallel: chosen). false if the axis is zero or not finite.
bool fb_rotation_from_axes(FbVec3 axis, FbVec3 x_hint, FbMat3* out);

// How far R is from a proper rotation: max |R'R - 1|, or 2 if it mirrors.
double fb_rotation_defect(const FbMat3* r);

#endif
