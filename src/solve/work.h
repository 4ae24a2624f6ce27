// The work of integrators, counted in evaluations of forward dynamics: the same on every machine.
#ifndef FLYBALL_SOLVE_WORK_H
#define FLYBALL_SOLVE_WORK_H

#include "solve/integrator.h"

// What each of these costs in evaluations of forward dynamics with the powers and an explicit
// method's own share.
typedef struct FbWorkUnits {
    double residual;  // with its share of the linear algebra
    double jacobian;
    double matrix;  // real or complex, factored
    double stage;   // of an implicit method, of steps that pass: works, prediction, dense output
    double step;    // of any method: projections
} FbWorkUnits;

// A check for kinks inside a step.
static const double FB_WORK_LOOK = 0.3;

// At p, from the sizes and the costs of the model with the rows in use; where these are not known
// it takes one Jacobian.
FbWorkUnits fb_work_units(FbDynamics* d, const FbPoint* p);
// `has_residuals`: evaluations are residuals unless they are counted as solved.
double fb_work_count(const FbWorkUnits* u, bool has_residuals, const FbIntegratorStats* counts);
// What a usual step of either kind costs.
double fb_work_explicit_step(const FbWorkUnits* u);
double fb_work_implicit_step(const FbWorkUnits* u);

#endif
