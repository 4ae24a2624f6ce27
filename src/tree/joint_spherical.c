// Spherical joint: any rotation, kept as a unit quaternion.
#include "tree/joint_fields.h"

static const FbField fields[] = {
    FB_JOINT_POINT,
    FB_JOINT_AXIS("z axis of the joint frame; only matters for initial values and reactions."),
    FB_JOINT_X_AXIS("x axis of the joint frame; only matters for initial values and reactions."),
    FB_JOINT_INITIAL("rad", "rad/s"),
};

const FbJointType fb_joint_spherical = {
    .info =
        {.name = "spherical",
         .doc =
             "Turns freely about one point: a ball joint. Its position is a rotation vector, its "
             "velocity the angular velocity of b relative to a in the axes of b.",
         .fields = fields,
         .n_fields = FB_COUNT(fields)},
    .n_v = 3,
    .n_q = 4,
    .n_motions = 1,
    .motions = {{FB_BALL, 0}},
    .n_rows = 3,
    .rows = {FB_NO_X, FB_NO_Y, FB_NO_Z},
    .coordinates = {{"rotation x", "rad", FB_COORD_NONE, 0},
                    {"rotation y", "rad", FB_COORD_NONE, 1},
                    {"rotation z", "rad", FB_COORD_NONE, 2}},
    .has_axis = true,
};
