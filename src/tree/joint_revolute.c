// Revolute joint: rotation about z.
#include "tree/joint_fields.h"

static const FbField fields[] = {
    FB_JOINT_POINT,
    FB_JOINT_AXIS("Axis of rotation in the drawing position, in ground coordinates."),
    FB_JOINT_X_AXIS("Direction from which the angle is measured; only matters for the drawing."),
    FB_JOINT_INITIAL("rad", "rad/s"),
};

const FbJointType fb_joint_revolute = {
    .info = {.name = "revolute",
             .doc = "Turns about one axis: a hinge. One coordinate, the angle of b relative to a.",
             .fields = fields,
             .n_fields = FB_COUNT(fields)},
    .n_v = 1,
    .n_q = 1,
    .n_motions = 1,
    .motions = {{FB_ROTATE, 2}},
    .n_rows = 5,
    .rows = {FB_NO_X, FB_NO_Y, FB_NO_Z, FB_NO_RX, FB_NO_RY},
    .coordinates = {{"angle", "rad", FB_COORD_TURN_A, 2}},
    .has_axis = true,
};
