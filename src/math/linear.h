// Square linear systems A x = b, real or complex: analysed once, factored, refactored, solved.
//
// Small or full systems use our own dense LU with partial pivoting, larger sparse ones KLU; nothing
// is allocated after create except by the sparse factorization the first time (and when pivoting
// must change).
#ifndef FLYBALL_MATH_LINEAR_H
#define FLYBALL_MATH_LINEAR_H

#include "base/memory.h"
#include "math/pattern.h"
#include "math/symmetric.h"

typedef struct FbLinear FbLinear;

// SYMMETRIC: as AUTO, but large sparse systems are factored by symmetric elimination as long as
// their values are symmetric to rounding (both triangles are written all the same).
typedef enum FbLinearKind {
    FB_LINEAR_AUTO,
    FB_LINEAR_DENSE,
    FB_LINEAR_SPARSE,
    FB_LINEAR_SYMMETRIC
} FbLinearKind;

// The pattern must outlive the solver. Complex numbers are interleaved (re, im).
FbStatus fb_linear_create(const FbPattern* pattern, FbLinearKind kind, bool is_complex,
                          FbLinear** out, FbError* err);
void fb_linear_destroy(FbLinear* s);
// Symmetric systems: if `other` has the same pattern and has been factored, its analysis serves.
// It must live until the first factorization of s.
void fb_linear_share(FbLinear* s, const FbLinear* other);
// The symmetric solver behind it; NULL: none, or not yet.
FbSymmetric* fb_linear_get_symmetric(const FbLinear* s);

// Forgets the pivots of earlier factorizations, as if created again; the analysis is kept.
void fb_linear_reset(FbLinear* s);

// What its factors depend on; loaded, they are the same to the last bit.
void fb_linear_remember(FbLinear* s, FbMemory* m);

// Where the caller writes the values, in pattern order (two doubles each when complex).
double* fb_linear_values(FbLinear* s);

// Factors the current values. FB_RETRY: singular to working precision (fb_linear_bad_column says
// where).
FbStatus fb_linear_factor(FbLinear* s);
int fb_linear_bad_column(const FbLinear* s);  // -1: none known

// Overwrites b with A^-1 b using the last factorization.
void fb_linear_solve(FbLinear* s, double* b);

// Will a system of this pattern be solved by sparse elimination?
bool fb_linear_chooses_sparse(const FbPattern* p, FbLinearKind kind);

// A cheap estimate of 1/cond(A) from the factors, in [0, 1].
double fb_linear_rcond(const FbLinear* s);

#endif
