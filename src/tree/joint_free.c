// Free joint: translation, then any rotation.
#include "tree/joint_fields.h"

static const FbField fields[] = {
    FB_JOINT_POINT,
    FB_JOINT_AXIS("z axis of the joint frames."),
    FB_JOINT_X_AXIS("x axis of the joint frames."),
    FB_JOINT_INITIAL("m, m, m, rad, rad, rad", "m/s, m/s, m/s, rad/s, rad/s, rad/s"),
};

const FbJointType fb_joint_free = {
    .info =
        {.name = "free",
         .doc =
             "No restriction: six degrees of freedom. Coordinates: x, y, z of b in the frame of a, "
             "then a rotation vector; velocities: of that point in a's axes, then the angular "
             "velocity in b's axes.",
         .fields = fields,
         .n_fields = FB_COUNT(fields)},
    .n_v = 6,
    .n_q = 7,
    .n_motions = 2,
    .motions = {{FB_TRANSLATE3, 0}, {FB_BALL, 0}},
    .n_rows = 0,
    .coordinates = {{"x", "m", FB_COORD_SLIDE, 0},
                    {"y", "m", FB_COORD_SLIDE, 1},
                    {"z", "m", FB_COORD_SLIDE, 2},
                    {"rotation x", "rad", FB_COORD_NONE, 0},
                    {"rotation y", "rad", FB_COORD_NONE, 1},
                    {"rotation z", "rad", FB_COORD_NONE, 2}},
    .has_axis = false,
};
