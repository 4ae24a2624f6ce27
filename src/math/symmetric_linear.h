// Large systems that are symmetric most of the time, for linear.c: watches whether the values are
// symmetric and whether they have changed at all.
#ifndef FLYBALL_MATH_SYMMETRIC_LINEAR_H
#define FLYBALL_MATH_SYMMETRIC_LINEAR_H

#include "math/symmetric.h"

typedef struct FbSymmetricLinear FbSymmetricLinear;

// `values` [entries of the pattern, both triangles] and `pattern` must outlive the solver.
// `like` (may be NULL): one whose analysis may serve.
FbStatus fb_symmetric_linear_create(const FbPattern* pattern, const double* values,
                                    const FbSymmetricLinear* like, FbSymmetricLinear** out,
                                    FbError* err);
void fb_symmetric_linear_destroy(FbSymmetricLinear* s);
// The next factorization tries again whether the matrix is definite.
FbSymmetric* fb_symmetric_linear_get_solver(const FbSymmetricLinear* s);
// Are definite factors worth a try?
bool* fb_symmetric_linear_trial(FbSymmetricLinear* s);
void fb_symmetric_linear_reset(FbSymmetricLinear* s);

// Are the values symmetric to rounding?
bool fb_symmetric_linear_suits(const FbSymmetricLinear* s);
// Factors the values unless they are those of the last factorization. FB_RETRY: singular to working
// precision; *bad_column is one that is left.
FbStatus fb_symmetric_linear_factor(FbSymmetricLinear* s, int* bad_column);
void fb_symmetric_linear_solve(FbSymmetricLinear* s, double* b);

#endif
