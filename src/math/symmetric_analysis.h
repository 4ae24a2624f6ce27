// The structure of a sparse symmetric factorization: order, elimination tree, fronts.
#ifndef FLYBALL_MATH_SYMMETRIC_ANALYSIS_H
#define FLYBALL_MATH_SYMMETRIC_ANALYSIS_H

#include "math/pattern.h"

// Columns are numbered in the order of elimination, children before parents.
typedef struct FbSymbolic {
    int n, n_front;
    int* order;      // [n] which row of the matrix is eliminated as number i
    int* first;      // [n_front + 1] columns of each front
    int* parent;     // [n_front] -1: a root
    int* row_start;  // [n_front + 1] into row
    int* row;        // rows of a front behind its own columns
    int* a_start;    // [n + 1] entries of the lower triangle by column ...
    int* a_row;      // ... their rows ...
    int* a_place;    // ... and where their values are
    // If no column has to wait: entries of L, of the stack at most, rows of the largest front.
    size_t n_entries, n_stack;
    int largest;
} FbSymbolic;

// Everything is taken from the arena.
FbStatus fb_symbolic_init(FbSymbolic* s, const FbPattern* pattern, FbArena* arena, FbError* err);

#endif
