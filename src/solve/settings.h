// The settings of a run, checked.
#ifndef FLYBALL_SOLVE_SETTINGS_H
#define FLYBALL_SOLVE_SETTINGS_H

#include "model/model.h"
#include "solve/integrator.h"

// Where it is not given: the absolute tolerance as a part of the relative one.
static const double FB_ATOL_PART = 1e-2;

FbStatus fb_settings_check(const FbModel* model, const FbSettings* s, FbError* err);
FbStatus fb_settings_find_integrator(const FbModel* model, const FbSettings* s,
                                     const FbIntegratorType** type, FbError* err);

#endif
