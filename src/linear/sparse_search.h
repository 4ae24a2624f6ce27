// The search for the modes next to a shift: basis, pairs, and what may have been missed.
#ifndef FLYBALL_LINEAR_SPARSE_SEARCH_H
#define FLYBALL_LINEAR_SPARSE_SEARCH_H

#include <stdint.h>

#include "linear/sparse_pencil.h"

typedef struct FbSparseSearch {
    FbSparsePencil p;
    FbLowestOptions options;
    FbLowestInfo info;
    FbArena* arena;
    int n_eigen;      // eigenvalues asked for
    int n_more;       // requested outside the basis
    int capacity;     // of the basis
    bool is_small;    // the basis spans all freedoms
    bool is_outside;  // the operator leaves out the span of the basis
    int n_basis;
    double *basis, *b_basis;  // [n_state x capacity], orthonormal: b_basis' basis = 1
    double* fresh;            // [n_state x (n_eigen + 1)] from ARPACK
    double complex* fresh_values;
    double *start, *work, *product;  // [n_state]
    double *T, *unit, *w;            // [capacity^2], [capacity]
    double complex *nu, *y;          // [capacity], [capacity^2] pairs on the basis
    double* metric;                  // [capacity] what the list is sorted by
    int* order;                      // [capacity]
    uint64_t seed;
} FbSparseSearch;

// The pencil must be there; everything else is taken from the arena.
FbStatus fb_sparse_search_init(FbSparseSearch* s, FbError* err);
// Pairs about the given or a chosen shift, then modes that the iteration missed; fills info.
FbStatus fb_sparse_search_run(FbSparseSearch* s, FbError* err);
// Looks for unstable modes far from the shift (undamped, symmetric) and records one in info. One
// that is found exists, since Lanczos values lie inside the spectrum; finding none proves nothing.
// Refactors the matrix: call it last.
FbStatus fb_sparse_search_look_below(FbSparseSearch* s, FbError* err);
// The vector of a pair, [n_state].
void fb_sparse_search_calc_vector(const FbSparseSearch* s, int pair, double complex* u);

#endif
