// Bases of the invariant subspaces that belong to the outermost eigenvalues of a large operator,
// by implicitly restarted Lanczos or Arnoldi iteration (ARPACK, where the build has it).
#ifndef FLYBALL_LINEAR_ARPACK_H
#define FLYBALL_LINEAR_ARPACK_H

#include "base/complex.h"
#include "base/error.h"

// The operator and what is wanted of it. With B (symmetric, positive semidefinite) vectors are
// orthonormal in the sense x' B y; without, in the plain one.
typedef struct FbArpack {
    int n;         // length of the vectors
    int n_wanted;  // eigenvalues; >= 1
    int n_krylov;  // vectors kept: n_wanted + 2 <= n_krylov <= dimension of the operator's range
    bool is_symmetric;         // in the inner product of B
    bool wants_most_negative;  // else the largest magnitudes; symmetric operators only
    double tolerance;          // relative, of the eigenvalues; > 0
    int max_restarts;
    const double* start;  // [n]
    void* self;
    void (*apply)(void* self, const double* bx, double* y);     // y = Op x, given B x
    void (*multiply)(void* self, const double* x, double* bx);  // NULL: B = 1
} FbArpack;

// Fills count, the eigenvalues of the operator and an orthonormal basis of their invariant
// subspace; room for n_wanted + 1 (a pair of complex values is not divided). FB_RETRY: fewer than
// wanted converged.
typedef struct FbArpackBasis {
    int count;
    double complex* values;  // [n_wanted + 1]
    double* vectors;         // [n x (n_wanted + 1)]
} FbArpackBasis;

bool fb_arpack_is_available(void);
FbStatus fb_arpack_run(const FbArpack* a, FbArpackBasis* out, FbError* err);

#endif
