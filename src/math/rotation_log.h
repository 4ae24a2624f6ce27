// The logarithm of a rotation with the derivatives that are needed: the inverse left Jacobian
// A(psi) of SO(3) and two more orders.
//
//   A(psi) = 1 - 1/2 [psi]x + c [psi]x^2,   c = (1 - t/2 cot(t/2))/t^2,   t = |psi|,
//   A(psi)' = A(-psi),   R := exp(rho) R  =>  d psi = A rho.
//
// The screw motion (R, r) has the translation part A r. psi has at most length pi, where all of
// these are finite; the logarithm itself jumps there.
#ifndef FLYBALL_MATH_ROTATION_LOG_H
#define FLYBALL_MATH_ROTATION_LOG_H

#include <stdbool.h>

#include "math/mat3.h"

typedef struct FbRotationLog {
    FbVec3 psi;
    double c, c1, c2;  // c and its derivatives: grad c = c1 psi, grad c1 = c2 psi
    FbMat3 A;
} FbRotationLog;

void fb_rotation_log_init(const FbMat3* R, FbRotationLog* out);

// d(A y)/d psi (is_transposed: d(A' y)/d psi) for a fixed y.
FbMat3 fb_rotation_log_by_psi(const FbRotationLog* log, bool is_transposed, FbVec3 y);
// Gradient and second derivative with respect to psi of the scalar s . A y.
FbVec3 fb_rotation_log_gradient(const FbRotationLog* log, FbVec3 s, FbVec3 y);
FbMat3 fb_rotation_log_hessian(const FbRotationLog* log, FbVec3 s, FbVec3 y);
// With u = (d(A y)/d psi) x, the second variation of A y in direction x: du/dy and du/d psi.
FbMat3 fb_rotation_log_second_by_y(const FbRotationLog* log, FbVec3 x);
FbMat3 fb_rotation_log_second_by_psi(const FbRotationLog* log, FbVec3 y, FbVec3 x);

#endif
