// The lowest modes of a symmetric definite pencil K x = w^2 M x, dense or by iteration on a
// subspace.
#ifndef FLYBALL_MATH_SUBSPACE_H
#define FLYBALL_MATH_SUBSPACE_H

#include "math/sparse.h"

typedef enum FbModesMethod {
    FB_MODES_AUTO,  // dense where the matrices are small, else by Lanczos' method
    FB_MODES_DENSE,
    FB_MODES_LANCZOS,
    FB_MODES_SUBSPACE
} FbModesMethod;

// n_modes squared frequencies, ascending, and their vectors [n x n_modes], x' M x = 1. K must be
// positive definite and `solve` replaces b by K^-1 b; M is positive semi-definite, and has at least
// n_modes rows that are not zero (modes of massless directions have no finite frequency).
typedef void (*FbSolve)(void* solver, double* b);
FbStatus fb_lowest_modes(const FbSparse* stiffness, const FbSparse* mass, FbSolve solve,
                         void* solver, FbModesMethod method, int n_modes, double* squares,
                         double* vectors, FbError* err);

// The iteration alone, where `solve` may give the part of K^-1 b that constraints allow. `rank` is
// the dimension of what can move. Other arguments as above.
FbStatus fb_subspace_modes(const FbSparse* mass, FbSolve solve, void* solver, int rank, int n_modes,
                           double* squares, double* vectors, FbError* err);

// lanczos_modes.c: Lanczos' method, for `solve` by the whole K alone; arguments as of
// fb_lowest_modes().
FbStatus fb_lanczos_modes(const FbSparse* mass, FbSolve solve, void* solver, int n_modes,
                          double* squares, double* vectors, FbError* err);

#endif
