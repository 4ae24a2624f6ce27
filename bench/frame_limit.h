// The lowest modes of K x = w^2 M x by a program written for nothing else: the least that
// finding them takes.
#ifndef FLYBALL_BENCH_FRAME_LIMIT_H
#define FLYBALL_BENCH_FRAME_LIMIT_H

#include "math/pattern.h"

// What it took.
typedef struct FrameLimit {
    double cpu_s;
    int n_solves;
    double bytes;  // that CHOLMOD and ARPACK had at most
} FrameLimit;

// Squares of the lowest frequencies, ascending; the matrices have both triangles. shapes [n x
// n_shapes] become K^-1 shapes. False: not built, or it failed.
bool frame_limit_calc(const FbPattern* pattern, const double* K, const double* M, int count,
                      int n_shapes, double* shapes, double* squares, FrameLimit* out);
bool frame_limit_is_built(void);

#endif
