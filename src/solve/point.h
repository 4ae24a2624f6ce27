// Points of a trajectory: taking and copying their arrays.
#ifndef FLYBALL_SOLVE_POINT_H
#define FLYBALL_SOLVE_POINT_H

#include "base/memory.h"
#include "system/contract.h"

// Arrays for sizes n from the arena (check fb_arena_has_failed).
void fb_point_take(FbArena* arena, const FbSizes* n, FbPoint* p);
void fb_point_copy(const FbSizes* n, const FbPoint* from, FbPoint* to);
// Are t, q, v, a, x and lambda finite? If not, *velocity is the index of a bad velocity (or -1).
bool fb_point_is_finite(const FbSizes* n, const FbPoint* p, int* velocity);
// Do all arrays (events apart) have the same lengths?
bool fb_sizes_match(const FbSizes* a, const FbSizes* b);
void fb_point_remember(const FbSizes* n, FbPoint* p, FbMemory* m);
void fb_array_copy(double* to, const double* from, int n);

#endif
