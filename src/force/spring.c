// Translational spring-damper between two points: pull = k (length - rest) + c rate + preload +
// force(length, rate).
#include <stddef.h>

#include "base/error.h"
#include "force/linear.h"

static FbStatus check(const FbForceDef* def, FbError* err) {
    if (!fb_linear_spring_acts(def)) {
        return fb_fail(err, FB_ERR_MODEL, &def->origin.place,
                       "spring '%s' exerts nothing; give it stiffness, damping, preload or force",
                       def->name);
    }
    return FB_OK;
}

static const FbField fields[] = {
    {.key = "a",
     .kind = FB_FIELD_POINT,
     .offset = offsetof(FbForceDef, a),
     .unit = "",
     .doc = "The point of one body that the spring is fixed to."},
    {.key = "b",
     .kind = FB_FIELD_POINT,
     .offset = offsetof(FbForceDef, b),
     .unit = "",
     .doc = "The point of the other body (or of the ground) that it is fixed to."},
    {.key = "stiffness",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbForceDef, stiffness),
     .unit = "N/m",
     .default_text = "0",
     .is_optional = true,
     .min = -INFINITY,
     .max = INFINITY,
     .doc = "Pull per metre that the spring is longer than its rest length."},
    {.key = "damping",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbForceDef, damping),
     .unit = "N*s/m",
     .default_text = "0",
     .is_optional = true,
     .min = 0.0,
     .max = INFINITY,
     .doc = "Pull per metre per second of lengthening."},
    {.key = "rest",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbForceDef, rest),
     .unit = "m",
     .is_optional = true,
     .min = 0.0,
     .max = INFINITY,
     .doc = "Length at which the stiffness pulls nothing; left out: the length in the drawing."},
    {.key = "preload",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbForceDef, preload),
     .unit = "N",
     .default_text = "0",
     .is_optional = true,
     .min = -INFINITY,
     .max = INFINITY,
     .doc = "Pull at the rest length; negative where the spring pushes there."},
    {.key = "force",
     .kind = FB_FIELD_EXPRESSION,
     .offset = offsetof(FbForceDef, expression),
     .unit = "N",
     .is_optional = true,
     .doc =
         "A further pull as an expression of length and rate, such as k3*(length - l0)^3; positive "
         "draws the points together."},
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
