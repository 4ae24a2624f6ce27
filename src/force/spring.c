// Translational spring-damper between two points: pull = k (length - rest) + c rate + preload +
// force(length, rate).
#include <stddef.h>

#include "base/error.h"
#include "force/linear.h"

static FbStatus check(const FbForceDef* def, FbError* err) {
    if (!fb_linear_spring_acts(def)) {
        return fb_fail(err, FB_ERR_MODEL, &def->origin.place,
                       "spring '%s' exerts no force; give it stiffness, damping, preload or force",
                       def->name);
    }
    return FB_OK;
}

static const FbField fields[] = {
    {.key = "a",
     .kind = FB_FIELD_POINT,
     .offset = offsetof(FbForceDef, a),
     .unit = "",
     .doc = "The point of one body to which the spring is attached."},
    {.key = "b",
     .kind = FB_FIELD_POINT,
     .offset = offsetof(FbForceDef, b),
     .unit = "",
     .doc = "The point of the other body (or of the ground) to which it is attached."},
    {.key = "stiffness",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbForceDef, stiffness),
     .unit = "N/m",
     .default_text = "0",
     .is_optional = true,
     .min = -INFINITY,
     .max = INFINITY,
     .doc = "Tension per metre of extension beyond the rest length."},
    {.key = "damping",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbForceDef, damping),
     .unit = "N*s/m",
     .default_text = "0",
     .is_optional = true,
     .min = 0.0,
     .max = INFINITY,
     .doc = "Tension per metre per second of lengthening."},
    {.key = "rest",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbForceDef, rest),
     .unit = "m",
     .is_optional = true,
     .min = 0.0,
     .max = INFINITY,
     .doc = "Length at which the stiffness exerts no force; default: the length in the drawing."},
    {.key = "preload",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbForceDef, preload),
     .unit = "N",
     .default_text = "0",
     .is_optional = true,
     .min = -INFINITY,
     .max = INFINITY,
     .doc = "Tension at the rest length; negative if the spring pushes there."},
    {.key = "force",
     .kind = FB_FIELD_EXPRESSION,
     .offset = offsetof(FbForceDef, expression),
     .unit = "N",
     .is_optional = true,
     .doc = "Additional tension as an expression of length and rate, such as k3*(length - l0)^3; "
            "positive pulls the points together."},
};

const FbForceType fb_force_spring = {
    .info = {.name = "spring",
             .doc = "Spring and damper along the line between two points: it pulls them together "
                    "with stiffness*(length - rest) + damping*rate + preload + force.",
             .fields = fields,
             .n_fields = sizeof fields / sizeof fields[0]},
    .measure = FB_MEASURE_DISTANCE,
    .expression_sign = -1.0,
    .check = check,
    .scalar = fb_linear_spring,
    .energy = fb_linear_spring_energy,
    .dissipation = fb_linear_spring_dissipation,
};
