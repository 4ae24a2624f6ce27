// The search for the modes next to a shift: basis, pairs, and what may have been missed.
#ifndef FLYBALL_LINEAR_SPARSE_SEARCH_H
#define FLYBALL_LINEAR_SPARSE_SEARCH_H

#include <stdint.h>

#include "linear/arpack.h"
#include "linear/sparse_pencil.h"

typedef struct FbSparseSearch {
    FbSparsePencil p;
    FbLowestOptions options;
    FbLowestInfo info;
    FbArena* arena;
    int n_eigen;      // eigenvalues requested
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
    int n_unstable;      // modes that grow, counted; -1: not counted
    double stable_from;  // the bound that they are below, rad2/s2
} FbSparseSearch;

enum { FB_SEARCH_ROUNDS = 8, FB_SEARCH_RESTARTS = 300 };

// The pencil must be there; everything else is taken from the arena.
FbStatus fb_sparse_search_init(FbSparseSearch* s, FbError* err);
// Pairs about the given or a chosen shift, then modes that the iteration missed; fills info.
FbStatus fb_sparse_search_run(FbSparseSearch* s, FbError* err);
// Factors at the shift or, where that is a mode, close to it.
FbStatus fb_sparse_search_factor_near(FbSparseSearch* s, double complex shift, FbError* err);
// Pairs about the shift; one that meets a mode is moved away.
FbStatus fb_sparse_search_at(FbSparseSearch* s, double complex shift, double tolerance,
                             FbError* err);

// ---- sparse_count.c: symmetric systems ----

// Pairs about the given shift or about zero, where K can be factored, else about a small shift.
FbStatus fb_sparse_count_search(FbSparseSearch* s, FbError* err);
// Counts the modes up to the last listed one by the signs of pivots, finds those that are missing
// (*is_changed: the pairs are others now) and fills info. Leaves the matrix factored at the shift
// only if it changed something.
FbStatus fb_sparse_count_prove(FbSparseSearch* s, bool* is_changed, FbError* err);
// Records in info how fast an unstable mode outside the list grows, where the count or the pairs
// say that there is one. Refactors the matrix: call it last.
FbStatus fb_sparse_count_look_below(FbSparseSearch* s, FbError* err);

// ---- sparse_basis.c: vectors and pairs ----

// A random vector that satisfies the constraints, in s->start.
void fb_sparse_basis_fill_start(FbSparseSearch* s);
// Appends x to the basis unless it lies in its span or moves no mass.
void fb_sparse_basis_append(FbSparseSearch* s, const double* x);
// Eigenvalues of the operator, outside the span of the basis if s->is_outside; FB_RETRY: not all
// converged, or there are not as many.
FbStatus fb_sparse_basis_run_arpack(FbSparseSearch* s, int n_wanted, bool wants_negative,
                                    double tolerance, int restarts, FbArpackBasis* out,
                                    FbError* err);
// A new basis with its pairs; and the pairs of the basis that is there.
FbStatus fb_sparse_basis_find(FbSparseSearch* s, double tolerance, FbError* err);
FbStatus fb_sparse_basis_take_pairs(FbSparseSearch* s, FbError* err);
// The place in the order of the last pair that the list will need: conjugates count once.
int fb_sparse_basis_last_needed(const FbSparseSearch* s);
// Is the shift so close to one mode that the others lose digits?
bool fb_sparse_basis_has_hit(const FbSparseSearch* s);
// The vector of a pair, [n_state].
void fb_sparse_search_calc_vector(const FbSparseSearch* s, int pair, double complex* u);
void fb_sparse_search_calc_real_vector(const FbSparseSearch* s, int pair, double* u);  // symmetric

#endif
