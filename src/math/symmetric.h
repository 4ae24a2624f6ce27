// Sparse symmetric systems A x = b by A = P L D L' P': analysed once, factored, refactored, solved;
// the signs of D are those of the eigenvalues of A (Sylvester's law of inertia).
//
// Multifrontal elimination in a minimum-degree order (AMD), or by nested dissection where that is
// less work and METIS is available: columns of equal structure form dense
// fronts, small ones eliminated by plain loops and large ones by BLAS. Definite matrices are
// factored without pivoting; indefinite ones with 1 x 1 and 2 x 2 pivots that bound the growth,
// where a column without an acceptable pivot waits for a later front. So constraint rows
// [A G'; G 0] need no order of their own.
#ifndef FLYBALL_MATH_SYMMETRIC_H
#define FLYBALL_MATH_SYMMETRIC_H

#include "math/pattern.h"

typedef struct FbSymmetric FbSymmetric;

typedef enum FbSymmetricKind { FB_SYMMETRIC_DEFINITE, FB_SYMMETRIC_INDEFINITE } FbSymmetricKind;

// How many eigenvalues have which sign; zero: pivots that are rounding.
typedef struct FbSigns {
    int n_negative, n_zero, n_positive;
} FbSigns;

// The pattern holds both triangles or the lower one with the diagonal, and must outlive the solver.
FbStatus fb_symmetric_create(const FbPattern* pattern, FbSymmetric** out, FbError* err);
// The same; if `other` has the same pattern, its analysis serves both (one thread's). NULL: none.
FbStatus fb_symmetric_create_like(const FbPattern* pattern, FbSymmetric* other, FbSymmetric** out,
                                  FbError* err);
void fb_symmetric_destroy(FbSymmetric* s);

// Where the caller writes the values, in pattern order. Only those with row >= column are read.
double* fb_symmetric_values(FbSymmetric* s);

// Factors the current values. FB_RETRY: not positive definite (FB_SYMMETRIC_DEFINITE; a pivot is
// rounding of its diagonal entry or negative), or singular to working precision; then the inertia
// is known and solves are not possible.
FbStatus fb_symmetric_factor(FbSymmetric* s, FbSymmetricKind kind);

// Of the last factorization that did not fail for another reason; a definite one that was refused
// has none (all zero).
FbSigns fb_symmetric_get_signs(const FbSymmetric* s);

// Of a singular matrix: a row that has no pivot; -1: none known.
int fb_symmetric_get_zero(const FbSymmetric* s);

// Overwrites b with A^-1 b using the last factorization. Allocates nothing.
void fb_symmetric_solve(FbSymmetric* s, double* b);

// The same for B [n x count], which reads the factors once for several columns. FB_ERR_MEMORY:
// nothing was changed.
FbStatus fb_symmetric_solve_many(FbSymmetric* s, int count, double* b);

// Frees what only factorizations need; the next one takes it again.
void fb_symmetric_trim(FbSymmetric* s);

#endif
