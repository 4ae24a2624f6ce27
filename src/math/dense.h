// Small dense linear algebra (column-major) and the LAPACK calls that the library needs, behind our
// own names.
#ifndef FLYBALL_MATH_DENSE_H
#define FLYBALL_MATH_DENSE_H

#include "base/complex.h"
#include "base/error.h"

// LU with partial pivoting in place, A = P L U. Returns -1 if fine, else the first column with a
// zero or non-finite pivot. The diagonal holds the reciprocals of that of U, so that a solve needs
// no division.
int fb_lu_factor(int n, double* a, int* pivot);
void fb_lu_solve(int n, const double* lu, const int* pivot, double* b);
int fb_lu_factor_complex(int n, double complex* matrix, int* pivot);
void fb_lu_solve_complex(int n, const double complex* lu, const int* pivot,
                         double complex* right_side);

// Cholesky A = L L' of a symmetric positive definite matrix (lower part); returns -1 or the failing
// column.
int fb_cholesky_factor(int n, double* a);
void fb_cholesky_solve(int n, const double* l, double* b);

// out[k] = A y[k] for one to three vectors, A [n x n_y]; y[k] has every `stride`-th number. The
// same numbers as sums over the columns in their order.
enum { FB_DENSE_MOST_VECTORS = 3 };
void fb_dense_multiply(int count, int n, int n_y, const double* A, const double* const* y,
                       int stride, double* const* out);

// Singular values (and, where not NULL, U [m x m] and V' [n x n]) of A [m x n]; A is destroyed.
FbStatus fb_svd(int m, int n, double* a, double* s, double* u, double* vt, FbError* err);

// Eigenvalues w (and right eigenvectors, unit 2-norm, [n x n] where not NULL) of a general matrix,
// whose entries should be comparable (see fb_linear_eigen); A is kept.
FbStatus fb_eigen_general(int n, const double* a, double complex* w, double complex* vectors,
                          FbError* err);

// General pencil A x = (alpha/beta) E x by QZ; right (and, where not NULL, left) eigenvectors [n x
// n]; A and E are destroyed. beta = 0: infinite.
FbStatus fb_eigen_pencil(int n, double* a, double* e, double complex* alpha, double* beta,
                         double complex* right, double complex* left, FbError* err);

// Symmetric definite pencil K x = w M x: ascending w, M-orthonormal vectors in K; K and M are
// destroyed.
FbStatus fb_eigen_symmetric_pencil(int n, double* k, double* m, double* w, FbError* err);

#endif
