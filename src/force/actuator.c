// An actuator: a force along a joint coordinate, or between two points, that follows a law or an
// expression.
#include <stddef.h>

#include "base/error.h"
#include "force/force.h"

static FbStatus check(const FbForceDef* head, FbError* err) {
    const FbActuatorDef* def = (const FbActuatorDef*)head;
    const FbPlace* place = &head->origin.place;
    bool has_joint = def->joint.joint != NULL;
    bool has_a = def->a.body != NULL, has_b = def->b.body != NULL;
    if (has_joint && (has_a || has_b)) {
        return fb_fail(err, FB_ERR_MODEL, place,
                       "actuator '%s' has both a joint and points; give either joint, or a and b",
                       head->name);
    }
    if (!has_joint && !(has_a && has_b)) {
        return fb_fail(err, FB_ERR_MODEL, place,
                       "actuator '%s' has no place to act; give either joint, or both a and b",
                       head->name);
    }
    if ((def->law != NULL) == (def->value != NULL)) {
        return fb_fail(err, FB_ERR_MODEL, place, "actuator '%s' has %s; give either law or value",
                       head->name,
                       def->law != NULL ? "both a law and a value" : "no law and no value");
    }
    return FB_OK;
}

static const FbField fields[] = {
    {.key = "joint",
     .kind = FB_FIELD_COORDINATE,
     .offset = offsetof(FbActuatorDef, joint),
     .unit = "",
     .is_optional = true,
     .doc = "The driven joint (joint.q2 for its second coordinate); instead of a and b."},
    {.key = "a",
     .kind = FB_FIELD_POINT,
     .offset = offsetof(FbActuatorDef, a),
     .unit = "",
     .is_optional = true,
     .doc = "One end of an actuator between two points; together with b, instead of joint."},
    {.key = "b",
     .kind = FB_FIELD_POINT,
     .offset = offsetof(FbActuatorDef, b),
     .unit = "",
     .is_optional = true,
     .doc = "The other end of an actuator between two points."},
    {.key = "law",
     .kind = FB_FIELD_LAW,
     .offset = offsetof(FbActuatorDef, law),
     .unit = "",
     .is_optional = true,
     .doc = "The law of the force (N) or torque (N*m) over time; instead of value."},
    {.key = "value",
     .kind = FB_FIELD_EXPRESSION,
     .offset = offsetof(FbActuatorDef, value),
     .unit = "",
     .is_optional = true,
     .doc = "The force (N) or torque (N*m) as an expression of time, coordinates, sensors and "
            "states."},
};

FbActuatorDef fb_actuator_def_default(void) {
    FbActuatorDef def;
    fb_type_fill(&fb_force_actuator.info, &def);
    return def;
}

const FbForceType fb_force_actuator = {
    .info = {.name = "actuator",
             .doc = "A motor in a joint, or a cylinder between two points: positive values "
                    "increase the coordinate, or push the points apart.",
             .fields = fields,
             .n_fields = sizeof fields / sizeof fields[0],
             .size = sizeof(FbActuatorDef)},
    .measure = FB_MEASURE_COORDINATE_OR_DISTANCE,
    .expression_sign = 1.0,
    .check = check,
};
