// Torsional spring-damper in a joint: resisting torque = k (angle - rest) + c rate + preload +
// torque(angle, rate).
#include <stddef.h>

#include "base/error.h"
#include "force/linear.h"

static FbLinearSpring linear(const FbForceDef* head) {
    const FbTorsionDef* def = (const FbTorsionDef*)head;
    return (FbLinearSpring){def->stiffness, def->damping, def->preload};
}

static void scalar(const FbForceDef* head, double rest, double value, double rate,
                   FbScalarForce* out) {
    fb_linear_spring_calc(linear(head), rest, value, rate, out);
}

static double energy(const FbForceDef* head, double rest, double value) {
    return fb_linear_spring_energy(linear(head), rest, value);
}

static double dissipation(const FbForceDef* head, double rest, double value, double rate) {
    (void)rest;
    (void)value;
    return fb_linear_spring_dissipation(linear(head), rate);
}

static FbStatus check(const FbForceDef* head, FbError* err) {
    const FbTorsionDef* def = (const FbTorsionDef*)head;
    if (!fb_linear_spring_acts(linear(head)) && !def->torque) {
        return fb_fail(
            err, FB_ERR_MODEL, &head->origin.place,
            "torsion spring '%s' exerts no force; give it stiffness, damping, preload or torque",
            head->name);
    }
    return FB_OK;
}

static const FbField fields[] = {
    {.key = "joint",
     .kind = FB_FIELD_COORDINATE,
     .offset = offsetof(FbTorsionDef, joint),
     .unit = "",
     .doc = "The joint whose angle the spring acts on (joint.q2 for its second coordinate)."},
    {.key = "stiffness",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbTorsionDef, stiffness),
     .unit = "N*m/rad or N/m",
     .default_text = "0",
     .is_optional = true,
     .min = -INFINITY,
     .max = INFINITY,
     .doc = "Resisting torque per radian beyond the rest angle."},
    {.key = "damping",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbTorsionDef, damping),
     .unit = "N*m*s/rad or N*s/m",
     .default_text = "0",
     .is_optional = true,
     .min = 0.0,
     .max = INFINITY,
     .doc = "Resisting torque per radian per second."},
    {.key = "rest",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbTorsionDef, rest),
     .unit = "rad or m",
     .is_optional = true,
     .min = -INFINITY,
     .max = INFINITY,
     .doc = "Angle at which the stiffness exerts no torque; default: the angle in the drawing."},
    {.key = "preload",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbTorsionDef, preload),
     .unit = "N*m or N",
     .default_text = "0",
     .is_optional = true,
     .min = -INFINITY,
     .max = INFINITY,
     .doc = "Resisting torque at the rest angle; positive turns the joint back."},
    {.key = "torque",
     .kind = FB_FIELD_EXPRESSION,
     .offset = offsetof(FbTorsionDef, torque),
     .unit = "N*m or N",
     .is_optional = true,
     .doc = "Additional resisting torque as an expression of angle and rate, such as k3*angle^3; "
            "positive turns the joint back."},
};

FbTorsionDef fb_torsion_def_default(void) {
    FbTorsionDef def;
    fb_type_fill(&fb_force_torsion.info, &def);
    return def;
}

const FbForceType fb_force_torsion = {
    .info = {.name = "torsion",
             .doc = "Torsion spring and damper in a joint (along the axis of a sliding joint): it "
                    "turns the joint back with "
                    "stiffness*(angle - rest) + damping*rate + preload + torque.",
             .fields = fields,
             .n_fields = sizeof fields / sizeof fields[0],
             .size = sizeof(FbTorsionDef),
             .can_hold = true},
    .measure = FB_MEASURE_COORDINATE,
    .expression_sign = -1.0,
    .check = check,
    .rest = offsetof(FbTorsionDef, rest),
    .is_linear = true,
    .scalar = scalar,
    .energy = energy,
    .dissipation = dissipation,
};
