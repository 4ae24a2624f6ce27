// A force at a point by three expressions of time, coordinates and sensors.
#include "force/force.h"

#include <stddef.h>

static const FbField fields[] = {
    {.key = "point",
     .kind = FB_FIELD_POINT,
     .offset = offsetof(FbPointForceDef, point),
     .unit = "",
     .doc = "The point of application on a body."},
    {.key = "value",
     .kind = FB_FIELD_EXPR3,
     .offset = offsetof(FbPointForceDef, value),
     .unit = "N",
     .doc = "The three components of the force, each a number or an expression."},
    {.key = "axes",
     .kind = FB_FIELD_CHOICE,
     .offset = offsetof(FbPointForceDef, in_body_frame),
     .unit = "",
     .default_text = "ground",
     .is_optional = true,
     .choices = "ground|body",
     .doc = "Whether the components are along ground axes or rotate with the body."},
};

FbPointForceDef fb_point_force_def_default(void) {
    FbPointForceDef def;
    fb_type_fill(&fb_force_force.info, &def);
    return def;
}

const FbForceType fb_force_force = {
    .info =
        {.name = "force",
         .doc =
             "A force on a point of a body, given by expressions of time, coordinates and sensors.",
         .fields = fields,
         .n_fields = sizeof fields / sizeof fields[0],
         .size = sizeof(FbPointForceDef)},
    .measure = FB_MEASURE_POINT_FORCE,
    .in_body_frame = offsetof(FbPointForceDef, in_body_frame),
};
