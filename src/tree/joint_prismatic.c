// Prismatic joint: translation along z.
#include "tree/joint_fields.h"

static const FbField fields[] = {
    FB_JOINT_POINT,
    FB_JOINT_AXIS("Direction of sliding in the drawing position, in ground coordinates."),
    FB_JOINT_X_AXIS("Second direction that fixes the joint frame; only matters for reactions."),
    FB_JOINT_INITIAL("m", "m/s"),
};

const FbJointType fb_joint_prismatic = {
    .info = {.name = "prismatic",
             .doc = "Slides along one axis without turning. One coordinate, the displacement of b "
                    "relative to a.",
             .fields = fields,
             .n_fields = FB_COUNT(fields)},
    .n_v = 1,
    .n_q = 1,
    .n_motions = 1,
    .motions = {{FB_SLIDE, 2}},
    .n_rows = 5,
    .rows = {FB_NO_X, FB_NO_Y, FB_NO_RX, FB_NO_RY, FB_NO_RZ},
    .coordinates = {{"displacement", "m", FB_COORD_SLIDE, 2}},
    .has_axis = true,
};
