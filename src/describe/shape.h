// Shapes: their type tables, and the mass properties that they and the given ones add up to.
#ifndef FLYBALL_DESCRIBE_SHAPE_H
#define FLYBALL_DESCRIBE_SHAPE_H

#include "describe/types.h"

// box, cylinder, tube, sphere, rod, point, mesh; ended by NULL. Fields point into FbShapeDef.
extern const FbTypeInfo* const fb_shape_types[];

// Mass, centre of mass and inertia tensor of one shape (about its own centre, body axes: xx, yy,
// zz, xy, xz, yz).
FbStatus fb_shape_calc_mass(const FbShapeDef* shape, double* mass, double center[3],
                            double inertia[6], FbError* err);

// The sum of the given mass properties and all shapes: mass in kg, centre in the body frame,
// inertia about that centre in body axes (tensor components xx, yy, zz, xy, xz, yz). A body without
// any mass gives zeros.
FbStatus fb_body_calc_mass(const FbBodyDef* body, double* mass, double center[3], double inertia[6],
                           FbError* err);

// Principal moments, ascending, of a symmetric tensor xx, yy, zz, xy, xz, yz.
void fb_inertia_calc_principal(const double inertia[6], double principal[3]);

#endif
