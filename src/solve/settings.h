// The settings of a run, checked.
#ifndef FLYBALL_SOLVE_SETTINGS_H
#define FLYBALL_SOLVE_SETTINGS_H

#include "model/model.h"
#include "solve/integrator.h"

FbStatus fb_settings_check(const FbModel* model, const FbSettings* s, FbError* err);
FbStatus fb_settings_find_integrator(const FbModel* model, const FbSettings* s,
                                     const FbIntegratorType** type, FbError* err);

#endif
