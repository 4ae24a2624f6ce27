// A torque on a body by three expressions of time, coordinates and sensors.
#include <stddef.h>

#include "force/force.h"

static const FbField fields[] = {
    {.key = "body",
     .kind = FB_FIELD_BODY,
     .offset = offsetof(FbPointTorqueDef, body),
     .unit = "",
     .doc = "The body that the torque acts on."},
    {.key = "value",
     .kind = FB_FIELD_EXPR3,
     .offset = offsetof(FbPointTorqueDef, value),
     .unit = "N*m",
     .doc = "The three components of the torque, each a number or an expression."},
    {.key = "axes",
     .kind = FB_FIELD_CHOICE,
     .offset = offsetof(FbPointTorqueDef, in_body_frame),
     .unit = "",
     .default_text = "ground",
     .is_optional = true,
     .choices = "ground|body",
     .doc = "Whether the components are along ground axes or rotate with the body."},
};

FbPointTorqueDef fb_point_torque_def_default(void) {
    FbPointTorqueDef def;
    fb_type_fill(&fb_force_torque.info, &def);
    return def;
}

const FbForceType fb_force_torque = {
    .info = {.name = "torque",
             .doc =
                 "A free torque on a body, given by expressions of time, coordinates and sensors.",
             .fields = fields,
             .n_fields = sizeof fields / sizeof fields[0],
             .size = sizeof(FbPointTorqueDef)},
    .measure = FB_MEASURE_POINT_TORQUE,
    .in_body_frame = offsetof(FbPointTorqueDef, in_body_frame),
};
