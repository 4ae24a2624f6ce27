// What an element of a structure sees of the model: the poses and motions of the cross-sections at
// its two ends.
//
// The frame of an end is fixed in its body; in the drawing position both frames are
// parallel to the element's own axes (x along the element, y and z the section's). Vectors of
// twelve: translation of end A, rotation of A, translation of B, rotation of B, each in ground
// axes; a variation of the pose is (dp, dphi) with dR = [dphi]x R. Forces are dual to it: force at
// the end's origin, then moment.
#ifndef FLYBALL_FEM_PORTS_H
#define FLYBALL_FEM_PORTS_H

#include "math/vec3.h"

enum { FB_BEAM_DOF = 12 };  // of a beam: other elements have their own (element.h)

typedef struct FbPort {
    FbMat3 R;      // axes of the end's section in ground axes
    FbVec3 p;      // its origin
    FbVec3 v, w;   // velocity of the origin, angular velocity
    FbVec3 a, dw;  // acceleration of the origin *minus gravity*, angular acceleration
} FbPort;

// Forces that an element resists with, r += f, and their derivatives; matrices row-major [12 x 12].
typedef struct FbPortForces {
    double f[FB_BEAM_DOF];
    double M[FB_BEAM_DOF * FB_BEAM_DOF];  // df/d(a, dw)
    double C[FB_BEAM_DOF * FB_BEAM_DOF];  // df/d(v, w) at fixed a, dw
    double K[FB_BEAM_DOF * FB_BEAM_DOF];  // df/d(p, phi) at fixed v, w, a, dw (ground components)
} FbPortForces;

#endif
