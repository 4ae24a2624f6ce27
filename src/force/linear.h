// The linear spring-damper law that springs between points and torsion springs in joints share.
//
//   Q = -(k (x - x0) + F0 + c x'),   E = 1/2 k (x - x0)^2 + F0 (x - x0),   D = c x'^2,   dE/dt + D
//   = -Q x'
#ifndef FLYBALL_FORCE_LINEAR_H
#define FLYBALL_FORCE_LINEAR_H

#include "force/force.h"

static inline void fb_linear_spring(const FbForceDef* def, double rest, double value, double rate,
                                    FbScalarForce* out) {
    out->q = -(def->stiffness * (value - rest) + def->preload + def->damping * rate);
    out->dq_dvalue = -def->stiffness;
    out->dq_drate = -def->damping;
}

static inline double fb_linear_spring_energy(const FbForceDef* def, double rest, double value) {
    double stretch = value - rest;
    return (0.5 * def->stiffness * stretch + def->preload) * stretch;
}

static inline double fb_linear_spring_dissipation(const FbForceDef* def, double rest, double value,
                                                  double rate) {
    (void)rest;
    (void)value;
    return def->damping * rate * rate;
}

// Does the element exert any force?
static inline bool fb_linear_spring_acts(const FbForceDef* def) {
    return def->stiffness != 0.0 || def->damping != 0.0 || def->preload != 0.0 ||
           def->expression != NULL;
}

#endif
