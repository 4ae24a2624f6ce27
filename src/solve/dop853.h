// Declarations shared by the files of dop853.
#ifndef FLYBALL_SOLVE_DOP853_H
#define FLYBALL_SOLVE_DOP853_H

#include "solve/crossing.h"
#include "solve/dop853_coefficients.h"
#include "solve/integrator.h"
#include "solve/noise.h"
#include "solve/weights.h"

typedef struct FbDop {
    FbIntegrator base;
    FbIntegratorStats stats;
    FbArena* arena;
    FbSizes size;
    int n;                         // n_q + n_v + n_x + n_w
    double* k[FB_DOP_ALL_STAGES];  // [n] each
    double *y, *y_new, *y_stage, *y_old, *y_inside;
    double* lambda;  // [n_c] at y
    double* lambda_stage;
    double* rcont[8];  // [n] dense output of the last step
    bool has_dense;
    double t, h, t_old, h_old;
    double error_before;
    bool was_rejected;
    bool is_led;        // somebody else chooses the steps
    bool has_no_value;  // an evaluation of the last trial failed
    FbWeights weights;
    FbCrossing crossing;
    FbNoise noise;
    double* e[2];  // [n] weighted errors of orders 5 and 3
    int stiff_hits, calm_hits;
    char warning[160];
} FbDop;

// y as a point; accelerations go to `rates`.
FbPoint fb_dop_view(const FbDop* s, double t, double* y, double* rates, double* lambda);
// dop853_memory.c
void fb_dop_remember(FbIntegrator* self, FbMemory* m);
// All rates at y, and the multipliers.
FbStatus fb_dop_evaluate(FbDop* s, double t, double* y, double* rates, double* lambda,
                         FbError* err);
// out = y + h sum_j row[j] k_j over n_stage stages
void fb_dop_combine(const FbDop* s, const double* row, int n_stage, double h, const double* y,
                    double* out);
// The part of the dense output that needs no further evaluations; the rest is computed on request.
void fb_dop_begin_dense(FbDop* s, double h);
// The cubic through the ends; and a separate step from the last start.
FbStatus fb_dop_glance(FbIntegrator* self, double t, FbPoint* p);
FbStatus fb_dop_refine(FbIntegrator* self, double t, FbPoint* p);
FbStatus fb_dop_interpolate(FbIntegrator* self, double t, FbPoint* p);

#endif
