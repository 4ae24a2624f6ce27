// The lowest modes of a symmetric definite pencil K x = w^2 M x, dense or by iteration on a
// subspace.
#ifndef FLYBALL_MATH_SUBSPACE_H
#define FLYBALL_MATH_SUBSPACE_H

#include "math/klu.h"
#include "math/sparse.h"

typedef enum FbModesMethod { FB_MODES_AUTO, FB_MODES_DENSE, FB_MODES_SUBSPACE } FbModesMethod;

// n_modes squared frequencies, ascending, and their vectors [n x n_modes], x' M x = 1. K must be
// positive definite and `solver` factored for it; M is positive semi-definite, and has at least
// n_modes rows that are not zero (modes of massless directions have no finite frequency).
FbStatus fb_lowest_modes(const FbSparse* stiffness, const FbSparse* mass, FbKlu* solver,
                         FbModesMethod method, int n_modes, double* squares, double* vectors,
                         FbError* err);

#endif
