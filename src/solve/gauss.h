// What the files of the Gauss integrators share.
#ifndef FLYBALL_SOLVE_GAUSS_H
#define FLYBALL_SOLVE_GAUSS_H

#include "solve/contraction.h"
#include "solve/gauss_coefficients.h"
#include "solve/hermite.h"
#include "solve/integrator.h"
#include "solve/newton_matrix.h"
#include "solve/weights.h"

typedef struct FbGaussRows FbGaussRows;

typedef struct FbGauss {
    FbIntegrator base;
    FbIntegratorStats stats;
    FbGaussMethod method;
    FbArena* arena;
    FbSizes size;
    FbHermite dense;
    bool has_step;
    FbPoint at, end;
    FbPoint from;       // where the step starts: `at`, or with constraints a little beside it
    FbGaussRows* rows;  // NULL: no constraints
    double *x_rate, *x_rate_end, *power, *power_end;
    // At the stages [s x n]: rates, and what follows from them.
    double *a, *xi_rate, *x_rates, *lambda, *powers;
    double *V, *xi, *x;
    double* xi0;        // [n_v] of ball joints: the start, in a chart around the middle of the step
    double *R, *P, *S;  // residuals
    double* a_last;     // [s x n_v] of the step before
    double* x_rates_last;  // [s x n_x]
    double *q_stage, *q_middle, *a_stage, *lambda_part, *b, *bxi;
    double *work, *work_x;  // [2 n_v], [n_v]
    double h_last;          // 0: no step before
    FbWeights weights;
    FbNewtonMatrix* matrix;
    bool has_jacobian, is_jacobian_fresh;
    double h_factored;
    FbContraction contraction;
    FbWorst worst;
    bool has_no_value;
} FbGauss;

// gauss_rows.c: symmetric projection (theory manual, eq. 5.52).
void fb_gauss_rows_destroy(FbGaussRows* r);
// At a restart: the directions of the rows at s->at, no multipliers yet.
FbStatus fb_gauss_rows_restart(FbGauss* s, FbError* err);
// s->from: s->at moved along the rows by the multipliers.
void fb_gauss_rows_move_start(FbGauss* s);
// The directions of the rows at s->end, once for each step.
FbStatus fb_gauss_rows_look(FbGauss* s, FbError* err);
// Moves s->end by the multipliers and corrects them; *change: of the motion, in error weights.
FbStatus fb_gauss_rows_move_end(FbGauss* s, double* change);
// The step was accepted: its end is the next start.
void fb_gauss_rows_accept(FbGauss* s);

// The directions at the start of the next step, and the multipliers.
void fb_gauss_rows_remember(FbGauss* s, FbMemory* m);

// gauss_memory.c
void fb_gauss_remember(FbIntegrator* self, FbMemory* m);

// gauss_newton.c
FbStatus fb_gauss_calc_blocks(FbGauss* s, const FbPoint* p, FbError* err);
FbStatus fb_gauss_factor(FbGauss* s, double h);
// The rates at the stages of the step of length h from s->from. is_again: they are nearly known.
FbStatus fb_gauss_solve(FbGauss* s, double h, bool is_again, FbError* err);
// A stage with its place in time and space (q in s->q_stage).
FbPoint fb_gauss_stage(FbGauss* s, int i, double h);

#endif
