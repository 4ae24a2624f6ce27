// Joint friction that is smooth in the rate: a regularised Coulomb and Stribeck law with a viscous
// part.
//
//   F(v) = (Fc + Fs exp(-(v/vs)^2)) tanh(v/v0) + c v,   Q = -F(v),   dissipation F(v) v >= 0
//
// tanh makes the law infinitely often differentiable: below the smoothing rate v0 the joint creeps
// like a stiff damper Fc/v0 instead of sticking, which an implicit integrator passes without
// events.
#include <stddef.h>

#include "base/error.h"
#include "force/force.h"

static void friction(const FbForceDef* head, double v, double* force, double* slope) {
    const FbFrictionDef* def = (const FbFrictionDef*)head;
    double u = v / def->stribeck_velocity;
    double s = tanh(v / def->smoothing_velocity);
    double ds = (1.0 - s * s) / def->smoothing_velocity;
    double peak = def->stribeck * exp(-u * u);
    double dpeak = -2.0 * u / def->stribeck_velocity * peak;
    *force = (def->coulomb + peak) * s + def->viscous * v;
    *slope = (def->coulomb + peak) * ds + dpeak * s + def->viscous;
}

static void scalar(const FbForceDef* head, double rest, double value, double rate,
                   FbScalarForce* out) {
    (void)rest;
    (void)value;
    double force, slope;
    friction(head, rate, &force, &slope);
    out->q = -force;
    out->dq_dvalue = 0.0;
    out->dq_drate = -slope;
}

static double dissipation(const FbForceDef* head, double rest, double value, double rate) {
    (void)rest;
    (void)value;
    double force, slope;
    friction(head, rate, &force, &slope);
    return force * rate;
}

static FbStatus check(const FbForceDef* head, FbError* err) {
    const FbFrictionDef* def = (const FbFrictionDef*)head;
    if (def->coulomb == 0.0 && def->viscous == 0.0 && def->stribeck == 0.0) {
        return fb_fail(err, FB_ERR_MODEL, &head->origin.place,
                       "friction '%s' has no effect; give it coulomb, viscous or stribeck",
                       head->name);
    }
    return FB_OK;
}

static const FbField fields[] = {
    {.key = "joint",
     .kind = FB_FIELD_COORDINATE,
     .offset = offsetof(FbFrictionDef, joint),
     .unit = "",
     .doc = "The joint with friction (joint.q2 for its second coordinate)."},
    {.key = "coulomb",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbFrictionDef, coulomb),
     .unit = "N or N*m",
     .default_text = "0",
     .is_optional = true,
     .min = 0.0,
     .max = INFINITY,
     .doc = "Dry friction force or torque at sliding speed."},
    {.key = "viscous",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbFrictionDef, viscous),
     .unit = "N*s/m or N*m*s/rad",
     .default_text = "0",
     .is_optional = true,
     .min = 0.0,
     .max = INFINITY,
     .doc = "Additional friction per unit of rate."},
    {.key = "stribeck",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbFrictionDef, stribeck),
     .unit = "N or N*m",
     .default_text = "0",
     .is_optional = true,
     .min = 0.0,
     .max = INFINITY,
     .doc = "Excess of the breakaway friction over coulomb."},
    {.key = "stribeck_velocity",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbFrictionDef, stribeck_velocity),
     .unit = "m/s or rad/s",
     .default_text = "0.01",
     .is_optional = true,
     .min = 0.0,
     .max = INFINITY,
     .has_open_min = true,
     .doc = "Rate over which the breakaway excess decays."},
    {.key = "smoothing_velocity",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbFrictionDef, smoothing_velocity),
     .unit = "m/s or rad/s",
     .default_text = "0.001",
     .is_optional = true,
     .min = 0.0,
     .max = INFINITY,
     .has_open_min = true,
     .doc = "Rate below which the joint creeps instead of sticking; smaller is "
            "sharper and stiffer."},
};

FbFrictionDef fb_friction_def_default(void) {
    FbFrictionDef def;
    fb_type_fill(&fb_force_friction.info, &def);
    return def;
}

const FbForceType fb_force_friction = {
    .info = {.name = "friction",
             .doc = "Friction in a joint: dry (Coulomb with a Stribeck peak) and viscous, smoothed "
                    "around zero rate so that it can be integrated without events.",
             .fields = fields,
             .n_fields = sizeof fields / sizeof fields[0],
             .size = sizeof(FbFrictionDef)},
    .measure = FB_MEASURE_COORDINATE,
    .check = check,
    .scalar = scalar,
    .dissipation = dissipation,
};
