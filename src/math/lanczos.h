// The largest eigenvalues of K^-1 A, for modes (A: the mass) and for buckling (A: the negative
// geometric stiffness).
#ifndef FLYBALL_MATH_LANCZOS_H
#define FLYBALL_MATH_LANCZOS_H

#include "math/sparse.h"

// Replaces B [n x count] by K^-1 B.
typedef FbStatus (*FbSolveMany)(void* solver, int count, double* b);

typedef struct FbLanczosProblem {
    const FbSparse* A;      // symmetric, both triangles
    const FbSparse* inner;  // of the inner product: A itself if that is semi-definite, or K
    FbSolveMany solve;
    void* solver;
    double smallest;  // values below this part of the largest are zero
} FbLanczosProblem;

typedef struct FbLanczosResult {
    int n_found;   // fewer than requested: there are no more positive ones
    int n_solves;  // right-hand sides
} FbLanczosResult;

// A x = mu K x: the `count` largest positive mu, descending and as often as they occur, and, where
// `vectors` [n x count] is not NULL, their vectors, of length 1 in the inner product.
// FB_ERR_CONVERGENCE: not found with a reasonable number of solves.
FbStatus fb_lanczos_largest(const FbLanczosProblem* problem, int count, double* mu, double* vectors,
                            FbLanczosResult* result, FbError* err);

#endif
