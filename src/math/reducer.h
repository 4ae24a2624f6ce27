// Reductions that several processes share: each has the rows of the matrices that are its own, and
// none has all. The library sends no messages itself: the program gives it these functions (PETSc
// and SLEPc under MPI: reduce_slepc.c, a module that is loaded with `reduce --mpi` alone).
#ifndef FLYBALL_MATH_REDUCER_H
#define FLYBALL_MATH_REDUCER_H

#include <stdbool.h>

#include "math/craig_bampton.h"

// The rows first ... first + count - 1 of symmetric matrices of n rows.
typedef struct FbOwnRows {
    int n, first, count;
    // [n x count]: column j is row first + j. The entries of a column begin at start[j], which is
    // not 0 for j = 0 where this is a part of a larger matrix. damping.values NULL: none.
    FbSparse mass, stiffness, damping;
    const double* loads;  // [n x n_loads] as of FbStructureMatrices; only own rows are used
    int n_loads, n_recovered;
} FbOwnRows;

typedef struct FbReducer {
    void* self;
    int rank, n_ranks;
    // Every rank calls these two, in the same order. agree: FB_OK if all ranks are well, and *count
    // becomes the sum of all; otherwise the status of one that is not. reduce: as
    // fb_craig_bampton() into the arrays of `out`, which the caller has taken; squares ascend.
    FbStatus (*agree)(void* self, FbStatus own, int* count, FbError* err);
    FbStatus (*reduce)(void* self, const FbOwnRows* own, const int* boundary, FbReduced* out,
                       FbError* err);
    // MB that the process which took most has taken so far; every rank calls it.
    double (*measure_memory)(void* self);
    // The last call. Not is_whole: this rank failed, perhaps alone; others are not waited for long.
    void (*close)(void* self, bool is_whole);
} FbReducer;

// The one function of a module with such a reducer: starts it.
#define FB_REDUCER_OPEN "fb_reducer_open"
typedef FbStatus (*FbReducerOpen)(FbReducer* out, FbError* err);

// The rows of this rank.
void fb_reducer_divide(const FbReducer* reducer, int n, int* first, int* count);

// Craig-Bampton by all ranks, which all get the same small matrices; T (psi, phi) is not kept.
// FB_ERR_SINGULAR: something can move without stiffness while the boundary is held.
FbStatus fb_reduce_shared(const FbReducer* reducer, const FbOwnRows* own, const int* boundary,
                          int n_boundary, int n_modes, FbArena* arena, FbReduced* out,
                          FbError* err);

#endif
