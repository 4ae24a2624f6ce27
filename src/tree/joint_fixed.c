// Fixed joint: no motion.
#include "tree/joint_fields.h"

static const FbField fields[] = {
    FB_JOINT_POINT,
    FB_JOINT_AXIS("z axis of the joint frame; only matters for reactions."),
    FB_JOINT_X_AXIS("x axis of the joint frame; only matters for reactions."),
};

const FbJointType fb_joint_fixed = {
    .info = {.name = "fixed",
             .doc = "Welds b to a.",
             .fields = fields,
             .n_fields = FB_COUNT(fields)},
    .n_v = 0,
    .n_q = 0,
    .n_motions = 0,
    .n_rows = 6,
    .rows = {FB_NO_X, FB_NO_Y, FB_NO_Z, FB_NO_RX, FB_NO_RY, FB_NO_RZ},

    .has_axis = false,
};
