// Translation: moves along x, y and z without turning.
#include "tree/joint_fields.h"

static const FbField fields[] = {
    FB_JOINT_POINT,
    FB_JOINT_AXIS("Direction of the third coordinate, fixed in a."),
    FB_JOINT_X_AXIS("Direction of the first coordinate, fixed in a."),
    FB_JOINT_INITIAL("m", "m/s"),
};

const FbJointType fb_joint_translation = {
    .info = {.name = "translation",
             .doc = "Moves in all directions without turning. Coordinates: x, y, z of b in the "
                    "frame of a.",
             .fields = fields,
             .n_fields = FB_COUNT(fields)},
    .n_v = 3,
    .n_q = 3,
    .n_motions = 1,
    .motions = {{FB_TRANSLATE3, 0}},
    .n_rows = 3,
    .rows = {FB_NO_RX, FB_NO_RY, FB_NO_RZ},
    .coordinates = {{"x", "m", FB_COORD_SLIDE, 0},
                    {"y", "m", FB_COORD_SLIDE, 1},
                    {"z", "m", FB_COORD_SLIDE, 2}},
    .has_axis = false,
};
