// The 20 lowest modes of K x = w^2 M x by a program written for nothing else: the least that
// finding them takes.
#ifndef FLYBALL_BENCH_FRAME_LIMIT_H
#define FLYBALL_BENCH_FRAME_LIMIT_H

#include "math/pattern.h"

// Squares of the lowest frequencies, ascending; the matrices have both triangles. *cpu_s receives
// the processor time. False: not built, or it failed.
bool frame_limit_calc(const FbPattern* pattern, const double* K, const double* M, int count,
                      double* squares, double* cpu_s);

#endif
