// What the files of the generalized-alpha integrator share.
#ifndef FLYBALL_SOLVE_ALPHA_H
#define FLYBALL_SOLVE_ALPHA_H

#include "math/pair.h"
#include "solve/contraction.h"
#include "solve/hermite.h"
#include "solve/integrator.h"
#include "solve/newton_matrix.h"
#include "solve/weights.h"

// The spectral radius at infinity where none is requested.
static const double FB_ALPHA_RADIUS = 0.8;

// Coefficients that follow from the spectral radius (theory manual, eq. 5.40).
typedef struct FbAlphaMethod {
    double m, f, beta, gamma;
    double late;   // m - f: the auxiliary accelerations are those of a time that much of h later
    double ratio;  // of the shifts s1 = dv'/dv and s2 = dv/dxi, eq. (5.43)
    double error_q, error_v;  // constants of the local errors, eq. (5.45)
} FbAlphaMethod;

typedef struct FbAlpha {
    FbIntegrator base;
    FbIntegratorStats stats;
    FbAlphaMethod method;
    FbArena* arena;
    FbSizes size;       // of the arrays
    FbHermite dense;    // the last step
    bool has_step;      // ... there is one
    FbPoint at;         // where the next step starts; a is v'
    FbPoint end;        // the trial
    double *A, *A_end;  // [n_v] auxiliary accelerations, that of `at` belonging to steps of h_of_A
    double *A_before, *a_before, *lambda_before;                         // one step earlier
    double *B, *B_end, *B_before, *x_rate, *x_rate_end, *x_rate_before;  // [n_x] ... of the states
    double *power, *power_end;                                           // [n_w]
    double* xi;                                                          // [n_v]
    double *r, *c, *gdot, *b, *bxi, *work, *work_q;
    double *M, *Xq, *Xv, *Xx;  // scaled blocks
    int n_scaled;
    double h_of_A, h_before;  // 0: no step before
    FbWeights weights;
    FbNewtonMatrix* matrix;
    bool has_jacobian, is_jacobian_fresh;
    double h_factored;
    FbContraction contraction;
    FbWorst worst;
    double h;  // wanted next
    bool has_no_value, was_rejected;
    bool is_linear;  // with constant matrices: one solution a step, without links
    FbLinearForm form;
    FbPair product;  // of C and K of the form
} FbAlpha;

// alpha_newton.c: the blocks at p and the matrix of a step of length h.
FbStatus fb_alpha_calc_blocks(FbAlpha* s, const FbPoint* p, FbError* err);
FbStatus fb_alpha_factor(FbAlpha* s, double h);
// s->end is the solution of the step of length h from s->at to s->end.t. FB_RETRY: there is none to
// be found.
FbStatus fb_alpha_solve(FbAlpha* s, double h, FbError* err);
// The auxiliary values at the end follow from the solution.
void fb_alpha_finish(FbAlpha* s);
// The local error in error weights.
FbWorst fb_alpha_error(FbAlpha* s, double h);
// alpha_memory.c
void fb_alpha_remember(FbIntegrator* self, FbMemory* m);
double fb_alpha_shift(const FbAlphaMethod* m, double h);  // s2 = dv/dxi

#endif
