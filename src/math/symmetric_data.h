// What a sparse symmetric factorization keeps; for the files symmetric*.c alone.
#ifndef FLYBALL_MATH_SYMMETRIC_DATA_H
#define FLYBALL_MATH_SYMMETRIC_DATA_H

#include "math/symmetric.h"
#include "math/symmetric_analysis.h"

// What a front has become: its rows with the eliminated ones first, and their columns of L.
typedef struct FbSymmetricBlock {
    int m, n_done;
    size_t index;   // first of its rows in `index`
    size_t values;  // first of its [m x n_done] entries in `factor`; D on the diagonal
    size_t off;     // first of its entries of D beside the diagonal
} FbSymmetricBlock;

// Numbers or indices that grow.
typedef struct FbPool {
    double* values;
    size_t n, capacity;
} FbPool;

typedef struct FbIndexPool {
    int* values;
    size_t n, capacity;
} FbIndexPool;

// An analysis, and how many solvers use it.
typedef struct FbSharedSymbolic {
    FbArena* arena;
    FbSymbolic symbolic;
    int uses;
} FbSharedSymbolic;

struct FbSymmetric {
    const FbPattern* pattern;
    FbArena* arena;
    FbSharedSymbolic* shared;
    FbSymbolic symbolic;  // that of `shared`
    double* values;
    double* scale;             // [n] powers of two that equilibrate, by row of the matrix
    double* limit;             // [n] pivots below are rounding, by number
    int* local;                // [n] place of a row in the current front
    double* x;                 // [n] solution by number
    double* part;              // [n] rows of a front
    FbSymmetricBlock* blocks;  // [n_front]
    FbPool factor, off, stack, front, work;
    FbIndexPool index, stack_index, front_index;
    int* stack_rows;     // [n_front] what each front on the stack left: rows ...
    int* stack_waiting;  // ... and how many of them wait for elimination
    int* child;          // [n_front + n_front] lists of children
    FbSigns signs;
    int zero;  // a row without pivot, -1: none
};

// Room for more at the end; false: out of memory.
bool fb_pool_reserve(FbPool* p, size_t more);
bool fb_index_pool_reserve(FbIndexPool* p, size_t more);

#endif
