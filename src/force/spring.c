// Translational spring-damper between two points: pull = k (length - rest) + c rate + preload +
// force(length, rate).
#include <stddef.h>

#include "base/error.h"
#include "force/linear.h"

static FbLinearSpring linear(const FbForceDef* head) {
    const FbSpringDef* def = (const FbSpringDef*)head;
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
    const FbSpringDef* def = (const FbSpringDef*)head;
    if (!fb_linear_spring_acts(linear(head)) && !def->force) {
        return fb_fail(err, FB_ERR_MODEL, &head->origin.place,
                       "spring '%s' exerts no force; give it stiffness, damping, preload or force",
                       head->name);
    }
    return FB_OK;
}

static const FbField fields[] = {
    {.key = "a",
     .kind = FB_FIELD_POINT,
     .offset = offsetof(FbSpringDef, a),
     .unit = "",
     .doc = "The point of one body to which the spring is attached."},
    {.key = "b",
     .kind = FB_FIELD_POINT,
     .offset = offsetof(FbSpringDef, b),
     .unit = "",
     .doc = "The point of the other body (or of the ground) to which it is attached."},
    {.key = "stiffness",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbSpringDef, stiffness),
     .unit = "N/m",
     .default_text = "0",
     .is_optional = true,
     .min = -INFINITY,
     .max = INFINITY,
     .doc = "Tension per metre of extension beyond the rest length."},
    {.key = "damping",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbSpringDef, damping),
     .unit = "N*s/m",
     .default_text = "0",
     .is_optional = true,
     .min = 0.0,
     .max = INFINITY,
     .doc = "Tension per metre per second of lengthening."},
    {.key = "rest",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbSpringDef, rest),
     .unit = "m",
     .is_optional = true,
     .min = 0.0,
     .max = INFINITY,
     .doc = "Length at which the stiffness exerts no force; default: the length in the drawing."},
    {.key = "preload",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbSpringDef, preload),
     .unit = "N",
     .default_text = "0",
     .is_optional = true,
     .min = -INFINITY,
     .max = INFINITY,
     .doc = "Tension at the rest length; negative if the spring pushes there."},
    {.key = "force",
     .kind = FB_FIELD_EXPRESSION,
     .offset = offsetof(FbSpringDef, force),
     .unit = "N",
     .is_optional = true,
     .doc = "Additional tension as an expression of length and rate, such as k3*(length - l0)^3; "
            "positive pulls the points together."},
};

FbSpringDef fb_spring_def_default(void) {
    FbSpringDef def;
    fb_type_fill(&fb_force_spring.info, &def);
    return def;
}

const FbForceType fb_force_spring = {
    .info = {.name = "spring",
             .doc = "Spring and damper along the line between two points: it pulls them together "
                    "with stiffness*(length - rest) + damping*rate + preload + force.",
             .fields = fields,
             .n_fields = sizeof fields / sizeof fields[0],
             .size = sizeof(FbSpringDef),
             .can_hold = true},
    .measure = FB_MEASURE_DISTANCE,
    .expression_sign = -1.0,
    .check = check,
    .rest = offsetof(FbSpringDef, rest),
    .is_linear = true,
    .scalar = scalar,
    .energy = energy,
    .dissipation = dissipation,
};
