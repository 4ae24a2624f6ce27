// Values inside a step by Hermite interpolation between its ends, in the chart of its start: for
// methods whose ends are more accurate than a polynomial of their own.
#ifndef FLYBALL_SOLVE_HERMITE_H
#define FLYBALL_SOLVE_HERMITE_H

#include "system/contract.h"

typedef struct FbHermite {
    FbSizes size;
    double h;
    bool is_quintic;  // with the accelerations of both ends; else cubic
    FbPoint start, end;
    double *x_rate_start, *x_rate_end;  // [n_x]
    double *power_start, *power_end;    // [n_w]
    double *xi, *xi_rate, *xi_acc;      // [n_v] at the end; xi is end (-) start
    double *work, *rate, *unit;         // [n_v]
    double* columns;                    // [3 n_v]
    double* q;                          // [n_q]
} FbHermite;

// Takes the arrays from the arena (check fb_arena_has_failed).
void fb_hermite_init(FbHermite* s, const FbDynamics* d, FbArena* arena);
// start, end and the rates are filled in: xi is that of the step without its projection.
void fb_hermite_finish(FbHermite* s, const FbDynamics* d, double h, const double* xi);
// t, q, v, x and w at a time inside the step.
void fb_hermite_at(FbHermite* s, const FbDynamics* d, double t, FbPoint* p);

#endif
