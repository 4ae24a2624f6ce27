// Torsional spring-damper in a joint: resisting torque = k (angle - rest) + c rate + preload +
// torque(angle, rate).
#include <stddef.h>

#include "base/error.h"
#include "force/linear.h"

static FbStatus check(const FbForceDef* def, FbError* err) {
    if (!fb_linear_spring_acts(def)) {
        return fb_fail(
            err, FB_ERR_MODEL, &def->origin.place,
            "torsion spring '%s' exerts no force; give it stiffness, damping, preload or "
            "torque",
            def->name);
    }
    return FB_OK;
}

static const FbField fields[] = {
    {.key = "joint",
     .kind = FB_FIELD_COORDINATE,
     .offset = offsetof(FbForceDef, coordinate),
     .unit = "",
     .doc = "The joint whose angle the spring acts on (joint.q2 for its second coordinate)."},
    {.key = "stiffness",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbForceDef, stiffness),
     .unit = "N*m/rad or N/m",
     .default_text = "0",
     .is_optional = true,
     .min = -INFINITY,
     .max = INFINITY,
     .doc = "Resisting torque per radian beyond the rest angle."},
    {.key = "damping",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbForceDef, damping),
     .unit = "N*m*s/rad or N*s/m",
     .default_text = "0",
     .is_optional = true,
     .min = 0.0,
     .max = INFINITY,
     .doc = "Resisting torque per radian per second."},
    {.key = "rest",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbForceDef, rest),
     .unit = "rad or m",
     .is_optional = true,
     .min = -INFINITY,
     .max = INFINITY,
     .doc = "Angle at which the stiffness exerts no torque; default: the angle in the drawing."},
    {.key = "preload",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbForceDef, preload),
     .unit = "N*m or N",
     .default_text = "0",
     .is_optional = true,
     .min = -INFINITY,
     .max = INFINITY,
     .doc = "Resisting torque at the rest angle; positive turns the joint back."},
    {.key = "torque",
     .kind = FB_FIELD_EXPRESSION,
     .offset = offsetof(FbForceDef, expression),
     .unit = "N*m or N",
     .is_optional = true,
     .doc = "Additional resisting torque as an expression of angle and rate, such as k3*angle^3; "
            "positive turns the joint back."},
};

const FbForceType fb_force_torsion = {
    .info = {.name = "torsion",
             .doc = "Torsion spring and damper in a joint (along the axis of a sliding joint): it "
                    "turns the joint back with "
                    "stiffness*(angle - rest) + damping*rate + preload + torque.",
             .fields = fields,
             .n_fields = sizeof fields / sizeof fields[0]},
    .measure = FB_MEASURE_COORDINATE,
    .expression_sign = -1.0,
    .check = check,
    .scalar = fb_linear_spring,
    .energy = fb_linear_spring_energy,
    .dissipation = fb_linear_spring_dissipation,
};
