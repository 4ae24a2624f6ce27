// The method behind `auto`: dop853 or radau, whichever needs less work, switched during the run.
#ifndef FLYBALL_SOLVE_AUTO_H
#define FLYBALL_SOLVE_AUTO_H

#include "solve/arms.h"
#include "solve/integrator.h"

extern const FbIntegratorType fb_integrator_auto;

// Before the first restart: which one starts (implicit or not), and why.
void fb_auto_begin_with(FbIntegrator* self, bool is_implicit, const char* reason);
// The name of the method that made most of the run, and the text that says which ones did and why;
// for other integrators their name and NULL.
const char* fb_auto_get_name(const FbIntegrator* self);
const char* fb_auto_get_reason(const FbIntegrator* self);

// What the explicit and the implicit method have done; of other integrators only one has. The
// explicit one's evaluations are forward dynamics, the implicit one's residuals.
void fb_auto_get_counts(const FbIntegrator* self, FbIntegratorStats counts[FB_ARMS]);

#endif
