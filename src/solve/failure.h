// The message when steps cannot become shorter.
#ifndef FLYBALL_SOLVE_FAILURE_H
#define FLYBALL_SOLVE_FAILURE_H

#include "solve/integrator.h"

// The step from t would have to be h or shorter. `has_no_value`: because the last evaluation
// failed, whose cause is named; else the largest error is in entry `worst` (weights.h). The error's
// place is that of the cause.
FbStatus fb_fail_step(const FbIntegrator* s, double t, double h, bool has_no_value, int worst,
                      const char* advice, FbError* err);

// The same for a step of fixed length, which cannot become shorter.
FbStatus fb_fail_fixed_step(const FbIntegrator* s, double t, bool has_no_value, int worst,
                            FbError* err);

// At a point that is not a trial the accelerations are not determined.
FbStatus fb_fail_point(const FbDynamics* d, double t, FbError* err);

#endif
