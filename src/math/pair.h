// Two matrices of one pattern that are multiplied together, again and again: r += A x + B y.
#ifndef FLYBALL_MATH_PAIR_H
#define FLYBALL_MATH_PAIR_H

#include "math/pattern.h"

typedef struct FbPair {
    int n_row;
    int* start;      // [n_row + 1]
    int* col;        // [entries] of rows; without entries that are zero in both
    double* values;  // [2 entries] of A and B side by side
} FbPair;

// Copies the matrices, by rows. A and B are in the order of the pattern.
FbStatus fb_pair_init(FbPair* pair, const FbPattern* pattern, const double* A, const double* B,
                      FbArena* arena, FbError* err);
void fb_pair_multiply(const FbPair* pair, const double* x, const double* y, double* r);

#endif
