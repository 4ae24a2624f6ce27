// Sparse LU by KLU behind our own names: analysed once, refactored with the same pivots while these
// stay good.
#ifndef FLYBALL_MATH_KLU_H
#define FLYBALL_MATH_KLU_H

#include "base/memory.h"
#include "math/pattern.h"

typedef struct FbKlu FbKlu;

// `values` [entries of the pattern, two doubles each when complex] and `pattern` must outlive the
// solver.
FbStatus fb_klu_create(const FbPattern* pattern, bool is_complex, double* values, FbKlu** out,
                       FbError* err);
// For symmetric matrices that should be positive definite: pivots stay on the diagonal, in the same
// order for rows and columns, so that their signs are those of the matrix (Sylvester's law).
FbStatus fb_klu_create_symmetric(const FbPattern* pattern, double* values, FbKlu** out,
                                 FbError* err);
void fb_klu_destroy(FbKlu* s);
// The values that the pivots were chosen for: loaded, they are chosen again, and the current values
// are factored with them.
void fb_klu_remember(FbKlu* s, FbMemory* m);
void fb_klu_reset(FbKlu* s);  // the next factorization chooses its pivots again

// Factors the values. FB_RETRY: a zero pivot in *bad_column. *quality: the smallest pivot relative
// to the largest (row-scaled) entry of its column, times the reciprocal pivot growth, because
// rounding errors grow by as much; old pivots that give less than `limit` are replaced.
FbStatus fb_klu_factor(FbKlu* s, double limit, double* quality, int* bad_column);
// The pivot of a column, after a symmetric factorization.
double fb_klu_get_pivot(const FbKlu* s, int col);
void fb_klu_solve(FbKlu* s, double* b);

#endif
