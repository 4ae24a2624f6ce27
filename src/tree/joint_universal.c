// Universal joint: rotation about x of a, then about y of b.
#include "tree/joint_fields.h"

static const FbField fields[] = {
    FB_JOINT_POINT,
    FB_JOINT_AXIS("Perpendicular to both axes in the drawing position, in ground coordinates "
                  "(along the shaft if it is straight)."),
    FB_JOINT_X_AXIS(
        "First axis (fixed in a); the second (fixed in b) is perpendicular to it and to `axis`."),
    FB_JOINT_INITIAL("rad", "rad/s"),
};

const FbJointType fb_joint_universal = {
    .info =
        {.name = "universal",
         .doc =
             "Two crossed axes (Cardan joint): turns about the x axis fixed in a, then about the y "
             "axis fixed in b. The frame's z axis is perpendicular to both.",
         .fields = fields,
         .n_fields = FB_COUNT(fields)},
    .n_v = 2,
    .n_q = 2,
    .n_motions = 2,
    .motions = {{FB_ROTATE, 0}, {FB_ROTATE, 1}},
    .n_rows = 4,
    .rows = {FB_NO_X, FB_NO_Y, FB_NO_Z, {FB_ROW_DOT, 0, 1, "rotation about z"}},
    .coordinates = {{"first angle", "rad", FB_COORD_TURN_A, 0},
                    {"second angle", "rad", FB_COORD_TURN_B, 1}},
    .has_axis = true,
};
