// The work of integrators, counted in evaluations of forward dynamics: the same on every machine.
#ifndef FLYBALL_SOLVE_WORK_H
#define FLYBALL_SOLVE_WORK_H

#include "solve/integrator.h"

// What a residual, a Jacobian, a set of factorizations and a step cost in evaluations of forward
// dynamics.
typedef struct FbWorkUnits {
    double residual, jacobian, factors, step;
} FbWorkUnits;

// A check for kinks inside a step.
static const double FB_WORK_LOOK = 0.3;

// At p; costs one Jacobian.
FbWorkUnits fb_work_units(FbDynamics* d, const FbPoint* p);
// `has_residuals`: evaluations are residuals unless they are counted as solved.
double fb_work_count(const FbWorkUnits* u, bool has_residuals, const FbIntegratorStats* counts);

#endif
