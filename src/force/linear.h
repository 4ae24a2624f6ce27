// The linear spring-damper law that springs between points and torsion springs in joints share.
//
//   Q = -(k (x - x0) + F0 + c x'),   E = 1/2 k (x - x0)^2 + F0 (x - x0),   D = c x'^2,
//   dE/dt + D = -Q x'
#ifndef FLYBALL_FORCE_LINEAR_H
#define FLYBALL_FORCE_LINEAR_H

#include "force/force.h"

typedef struct FbLinearSpring {
    double stiffness, damping, preload;
} FbLinearSpring;

static inline void fb_linear_spring_calc(FbLinearSpring s, double rest, double value, double rate,
                                         FbScalarForce* out) {
    out->q = -(s.stiffness * (value - rest) + s.preload + s.damping * rate);
    out->dq_dvalue = -s.stiffness;
    out->dq_drate = -s.damping;
}

static inline double fb_linear_spring_energy(FbLinearSpring s, double rest, double value) {
    double stretch = value - rest;
    return (0.5 * s.stiffness * stretch + s.preload) * stretch;
}

static inline double fb_linear_spring_dissipation(FbLinearSpring s, double rate) {
    return s.damping * rate * rate;
}

// Does the spring exert anything at all?
static inline bool fb_linear_spring_acts(FbLinearSpring s) {
    return s.stiffness != 0.0 || s.damping != 0.0 || s.preload != 0.0;
}

#endif
