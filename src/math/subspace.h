// The lowest modes of a symmetric definite pencil K x = w^2 M x, dense or by iteration on a
// subspace.
#ifndef FLYBALL_MATH_SUBSPACE_H
#define FLYBALL_MATH_SUBSPACE_H

#include "math/lanczos.h"

typedef enum FbModesMethod {
    FB_MODES_AUTO,  // dense where the matrices are small, else by Lanczos' method
    FB_MODES_DENSE,
    FB_MODES_LANCZOS,
    FB_MODES_SUBSPACE
} FbModesMethod;

// n_modes squared frequencies, ascending, and their vectors [n x n_modes], x' M x = 1. K must be
// positive definite and `solve` replaces B by K^-1 B; M is positive semi-definite, and has at least
// n_modes rows that are not zero (modes of massless directions have no finite frequency).
FbStatus fb_lowest_modes(const FbSparse* stiffness, const FbSparse* mass, FbSolveMany solve,
                         void* solver, FbModesMethod method, int n_modes, double* squares,
                         double* vectors, FbError* err);

// The iteration alone, where `solve` may give the part of K^-1 b that constraints allow. `rank` is
// the dimension of what can move. Other arguments as above.
FbStatus fb_subspace_modes(const FbSparse* mass, FbSolveMany solve, void* solver, int rank,
                           int n_modes, double* squares, double* vectors, FbError* err);

#endif
