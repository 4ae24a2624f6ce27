// The largest eigenvalues of a symmetric matrix relative to a definite one.
#ifndef FLYBALL_MATH_LANCZOS_H
#define FLYBALL_MATH_LANCZOS_H

#include "math/sparse.h"
#include "math/symmetric.h"

// A x = mu K x with symmetric A and positive definite K, whose factors are in `solver`: the largest
// positive mu, descending, and how many of the `count` that were asked for there are. Repeated ones
// are found once. FB_ERR_CONVERGENCE: not found within the steps that are reasonable.
FbStatus fb_lanczos_largest(const FbSparse* A, const FbSparse* K, FbSymmetric* solver, int count,
                            double* mu, int* n_found, FbError* err);

#endif
