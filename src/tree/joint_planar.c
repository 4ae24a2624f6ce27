// Planar joint: translation along x and y, then rotation about z.
#include "tree/joint_fields.h"

static const FbField fields[] = {
    FB_JOINT_POINT,
    FB_JOINT_AXIS("Normal of the plane in the drawing position, in ground coordinates."),
    FB_JOINT_X_AXIS("Direction of the x coordinate in the plane."),
    FB_JOINT_INITIAL("m, m, rad", "m/s, m/s, rad/s"),
};

const FbJointType fb_joint_planar = {
    .info =
        {.name = "planar",
         .doc =
             "Slides in a plane and turns about its normal. Coordinates: x, y in the plane, then "
             "the angle.",
         .fields = fields,
         .n_fields = FB_COUNT(fields)},
    .n_v = 3,
    .n_q = 3,
    .n_motions = 3,
    .motions = {{FB_SLIDE, 0}, {FB_SLIDE, 1}, {FB_ROTATE, 2}},
    .n_rows = 3,
    .rows = {FB_NO_Z, FB_NO_RX, FB_NO_RY},
    .coordinates = {{"x", "m", FB_COORD_SLIDE, 0},
                    {"y", "m", FB_COORD_SLIDE, 1},
                    {"angle", "rad", FB_COORD_TURN_A, 2}},
    .has_axis = true,
};
