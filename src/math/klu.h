// Sparse LU by KLU behind our own names: analysed once, refactored with the same pivots while these
// stay good.
#ifndef FLYBALL_MATH_KLU_H
#define FLYBALL_MATH_KLU_H

#include "math/pattern.h"

typedef struct FbKlu FbKlu;

// `values` [entries of the pattern, two doubles each when complex] and `pattern` must outlive the
// solver.
FbStatus fb_klu_create(const FbPattern* pattern, bool is_complex, double* values, FbKlu** out,
                       FbError* err);
void fb_klu_destroy(FbKlu* s);

// Factors the values. FB_RETRY: a zero pivot in *bad_column. *quality: the smallest pivot relative
// to the largest (row-scaled) entry of its column, times the reciprocal pivot growth, because
// rounding errors grow by as much; old pivots that give less than `limit` are replaced.
FbStatus fb_klu_factor(FbKlu* s, double limit, double* quality, int* bad_column);
void fb_klu_solve(FbKlu* s, double* b);

#endif
