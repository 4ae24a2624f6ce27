// Sparse matrices with their values, and checks of symmetric ones.
#ifndef FLYBALL_MATH_SPARSE_H
#define FLYBALL_MATH_SPARSE_H

#include "math/pattern.h"

typedef struct FbSparse {
    FbPattern pattern;
    double* values;  // in the order of the pattern
} FbSparse;

// One entry of a matrix; those at the same place add up.
typedef struct FbTriplet {
    int row, col;
    double value;
} FbTriplet;

FbStatus fb_sparse_from_triplets(int n_row, int n_col, const FbTriplet* entries, size_t n,
                                 FbArena* arena, FbSparse* out, FbError* err);

// 0 where there is no entry.
double fb_sparse_get(const FbSparse* a, int row, int col);

// Rows and columns with of[i] >= 0 become row or column of[i] (each number 0 .. n - 1 once).
FbStatus fb_sparse_pick(const FbSparse* a, const int* row_of, int n_row, const int* col_of,
                        int n_col, FbArena* arena, FbSparse* out, FbError* err);

// The values alone, for a pattern that was picked from the same one.
FbStatus fb_sparse_pick_values(const FbSparse* a, const int* row_of, const int* col_of,
                               FbArena* arena, FbSparse* out, FbError* err);

// Leaves entries out that are zero, if most of them are: lumped masses.
FbStatus fb_sparse_drop_zeros(FbSparse* a, FbArena* arena, FbError* err);

// Y = A X [n x count] of a symmetric matrix with both triangles.
void fb_sparse_multiply_symmetric(const FbSparse* a, int count, const double* x, double* y);

// The entry that differs most from its mirror image, |a_ij - a_ji| / sqrt(|a_ii a_jj|) (by the
// largest entry where the diagonal is zero); 0: symmetric.
double fb_sparse_asymmetry(const FbSparse* a, int* row, int* col);
// Replaces both by their mean (square matrices). Entries without a mirror image keep half.
FbStatus fb_sparse_symmetrize(FbSparse* a, FbArena* arena, FbError* err);

// Is a symmetric matrix positive semi-definite, up to `tolerance` of its diagonal? FB_RETRY: no;
// *where is a row with a negative pivot and *value the pivot relative to its diagonal.
FbStatus fb_sparse_check_semidefinite(const FbSparse* a, double tolerance, int* where,
                                      double* value, FbError* err);

#endif
