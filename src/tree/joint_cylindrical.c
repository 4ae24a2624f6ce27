// Cylindrical joint: rotation about and translation along z.
#include "tree/joint_fields.h"

static const FbField fields[] = {
    FB_JOINT_POINT,
    FB_JOINT_AXIS("Axis in the drawing position, in ground coordinates."),
    FB_JOINT_X_AXIS("Direction from which the angle is measured; only matters for the drawing."),
    FB_JOINT_INITIAL("rad, m", "rad/s, m/s"),
};

const FbJointType fb_joint_cylindrical = {
    .info =
        {.name = "cylindrical",
         .doc =
             "Turns about and slides along one axis. Coordinates: the angle, then the displacement "
             "of b relative to a.",
         .fields = fields,
         .n_fields = FB_COUNT(fields)},
    .n_v = 2,
    .n_q = 2,
    .n_motions = 2,
    .motions = {{FB_ROTATE, 2}, {FB_SLIDE, 2}},
    .n_rows = 4,
    .rows = {FB_NO_X, FB_NO_Y, FB_NO_RX, FB_NO_RY},
    .coordinates = {{"angle", "rad", FB_COORD_TURN_A, 2}, {"displacement", "m", FB_COORD_SLIDE, 2}},
    .has_axis = true,
};
