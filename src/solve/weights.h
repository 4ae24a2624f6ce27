// Error weights rtol * size + atol * scale of the contract's variables, and the weighted maximum
// norm (theory manual, eq. 6.1), in which the components of a vector count by its length. The size
// is an envelope of |value|: a coordinate that swings through zero does not require smaller steps
// each time. The scale is the contract's, or smaller where all of the motion is.
#ifndef FLYBALL_SOLVE_WEIGHTS_H
#define FLYBALL_SOLVE_WEIGHTS_H

#include "base/memory.h"
#include "system/contract.h"

// Inverse weights, so that norms multiply.
typedef struct FbWeights {
    double* xi;  // [n_v] tangent space of q
    double* v;   // [n_v]
    double* x;   // [n_x]
    // Envelopes, decaying slowly from step to step.
    double *size_q, *size_v, *size_x;  // of vectors at their first components
    // Largest motion so far: what dies out need not be followed into nothing.
    double* peak_x;         // [n_x] |x|
    double peak_q, peak_v;  // in units of the scales
    double* q_start;        // [n_q] where the run began
    bool has_start;
    double
        rounding_part;  // of the rounding of loads and lengths that a step may err by: many add up
    double
        motion;  // largest change of position, speed and acceleration since, in units of the scales
    bool
        lags;  // weights are those of the start of a step, so they cannot follow motion that begins
    int* vector;  // [n_v] the first component of the vector that velocity j belongs to
    int* q_of_v;  // [n_v] the coordinate that belongs to velocity j, -1 inside ball joints (they
                  // count as 1 rad)
    int* v_of_q;  // [n_q] the velocity whose weight a coordinate has; the first of its ball joint
                  // for quaternions
} FbWeights;

// The largest weighted component and where it is: index < n_v velocity or coordinate, else n_v +
// the index of x.
typedef struct FbWorst {
    double value;
    int index;
} FbWorst;

// Takes the arrays from the arena (check fb_arena_has_failed) and maps the coordinates.
void fb_weights_init(FbWeights* w, const FbDynamics* d, FbArena* arena);

// What another of the same sizes has seen so far.
void fb_weights_copy(FbWeights* w, const FbDynamics* d, const FbWeights* from);
void fb_weights_remember(FbWeights* w, const FbSizes* n, FbMemory* m);
// The envelopes start at p, or follow an accepted step to p.
void fb_weights_restart(FbWeights* w, const FbDynamics* d, const FbPoint* p);
void fb_weights_accept(FbWeights* w, const FbDynamics* d, const FbPoint* p);

// Weights for a step from the point last accepted to p (only q, v, x are read).
void fb_weights_set(FbWeights* w, const FbDynamics* d, double rtol, double atol, const FbPoint* p);

// Is the motion as large as the scales, so that the rounding of places is that of the motion?
bool fb_weights_is_large(const FbWeights* w);

// Raises *worst by |values| .* inverse weights (NULL: 1); NaN counts as infinite.
void fb_weights_norm(int n, const double* inverse, const double* values, int index0,
                     FbWorst* worst);

// The same of coordinates (tangent space) or velocities, whose vectors count by their lengths.
void fb_weights_norm_v(const FbWeights* w, int n_v, const double* inverse, const double* values,
                       FbWorst* worst);
// ... one by one: e is the weighted value of component j, *sum is kept from one to the next.
void fb_weights_add(const FbWeights* w, int j, double e, double* sum, FbWorst* worst);

// The time in which the motion as a whole changes.
double fb_weights_natural_time(const FbDynamics* d);

// A first step in which nothing moves far compared to its natural scale; error control corrects it.
double fb_weights_first_step(const FbWeights* w, const FbDynamics* d, double rtol, const FbPoint* p,
                             const double* x_rate);

// Text for messages: the part that entry `index` of FbWorst belongs to.
const char* fb_weights_name(const FbDynamics* d, int index);

#endif
