// Eigenvalues and vectors of small symmetric matrices by plane rotations, without LAPACK.
#ifndef FLYBALL_MATH_JACOBI_H
#define FLYBALL_MATH_JACOBI_H

#include <stdbool.h>

// A = V diag(w) V', V orthogonal; [n x n] column-major, A (both triangles) is destroyed; w in no
// particular order. False: the rotations did not converge, or an entry is not finite.
bool fb_jacobi(int n, double* a, double* v, double* w);

// K x = w M x with M positive definite, both [n x n], both triangles; vectors with X' M X = 1 in x.
// K and M are destroyed, M becomes its Cholesky factor. False: M is not positive definite, or as
// above.
bool fb_jacobi_pencil(int n, double* k, double* m, double* x, double* w);

#endif
