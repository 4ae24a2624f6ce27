// Declarations shared by the files of the CVODE integrators.
#ifndef FLYBALL_SOLVE_CVODE_PARTS_H
#define FLYBALL_SOLVE_CVODE_PARTS_H

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

#include "solve/crossing.h"
#include "solve/integrator.h"
#include "solve/newton_matrix.h"
#include "solve/weights.h"

typedef struct FbCvode {
    FbIntegrator base;
    FbIntegratorStats stats;
    FbArena* arena;
    FbSizes size;
    int n;
    bool is_bdf;
    SUNContext context;
    void* memory;
    N_Vector y;      // z, the state without its offset
    double* offset;  // [n] of q and v (see cvode.c)
    SUNNonlinearSolver nonlinear;
    SUNLinearSolver linear;
    SUNMatrix matrix_tag;  // CVODE requires a matrix for a direct solver; ours is in `matrix`
    FbNewtonMatrix* matrix;
    double gamma;
    FbPoint at;    // projected, with a and lambda
    FbPoint work;  // projected state of one evaluation
    double *b, *bxi;
    int tiny_steps;  // in a row
    FbCrossing crossing;
    bool is_creeping;  // up to a position that radau should cross
    FbWeights weights;
    FbIntegratorStats before;  // of the runs before the last restart
    FbStatus failure;          // of the last evaluation
    bool has_no_value;         // an evaluation of this step, or of tiny ones before, failed
    FbError error;
    char message[256];  // CVODE's own
    double wanted;
} FbCvode;

// y as a point without a and lambda.
FbPoint fb_cvode_view(const FbCvode* s, double t, double* y);
// q, v, x and w.
void fb_cvode_copy_state(const FbCvode* s, const FbPoint* from, FbPoint* to);
// p = z + o
void fb_cvode_copy_shifted(const FbCvode* s, double t, N_Vector z, FbPoint* p);
// z' and the inverse weights of z, as CVODE calls for them.
int fb_cvode_calc_rates(realtype t, N_Vector z, N_Vector z_dot, void* self);
int fb_cvode_calc_weights(N_Vector z, N_Vector ewt, void* self);
// The projected state that belongs to z, with its accelerations.
FbStatus fb_cvode_realize(FbCvode* s, double t, N_Vector z, FbPoint* p);
// The blocks at p, in a matrix that is rebuilt if their patterns changed.
FbStatus fb_cvode_realize_blocks(FbCvode* s, const FbPoint* p, FbError* err);
// Newton's iteration with our own linear solver.
bool fb_cvode_attach_newton(FbCvode* s);

#endif
