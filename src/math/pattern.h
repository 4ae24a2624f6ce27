// Compressed-column sparsity patterns; values are kept apart in arrays of the pattern's order.
#ifndef FLYBALL_MATH_PATTERN_H
#define FLYBALL_MATH_PATTERN_H

#include "base/arena.h"
#include "base/error.h"

typedef struct FbPattern {
    int n_row, n_col;
    int* start;  // [n_col + 1]
    int* row;    // [start[n_col]], increasing in each column
} FbPattern;

static inline int fb_pattern_count(const FbPattern* p) {
    return p->start[p->n_col];
}

// Is every entry present (so that the values are simply the column-major matrix)?
static inline bool fb_pattern_is_full(const FbPattern* p) {
    return fb_pattern_count(p) == (long long)p->n_row * p->n_col;
}

// The place of (row, col) in the value array, -1 if it is not in the pattern. O(log entries of the
// column), O(1) if full.
int fb_pattern_index(const FbPattern* p, int row, int col);
// The same without a call where the column is full.
static inline int fb_pattern_at(const FbPattern* p, int row, int col) {
    int first = p->start[col];
    return p->start[col + 1] - first == p->n_row ? first + row : fb_pattern_index(p, row, col);
}

// The place of (row, col), which must be in the pattern and not before `from`: for rows in order.
int fb_pattern_seek(const FbPattern* p, int row, int col, int from);

// Collects entries in any order, with repetitions, and compresses them.
typedef struct FbPatternBuilder FbPatternBuilder;
FbPatternBuilder* fb_pattern_builder_create(int n_row, int n_col);  // NULL: out of memory
void fb_pattern_builder_destroy(FbPatternBuilder* b);
void fb_pattern_builder_add(FbPatternBuilder* b, int row, int col);  // failures surface in finish
FbStatus fb_pattern_builder_finish(FbPatternBuilder* b, FbArena* arena, FbPattern* out,
                                   FbError* err);
// The pattern with every entry present.
FbStatus fb_pattern_diagonal(int n, FbArena* arena, FbPattern* out, FbError* err);
FbStatus fb_pattern_full(int n_row, int n_col, FbArena* arena, FbPattern* out, FbError* err);

// y += factor * A x  and  y += factor * A' x
void fb_pattern_multiply(const FbPattern* p, const double* values, double factor, const double* x,
                         double* y);
void fb_pattern_multiply_transposed(const FbPattern* p, const double* values, double factor,
                                    const double* x, double* y);

#endif
