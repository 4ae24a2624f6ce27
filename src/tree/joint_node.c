// Node: translation, then rotation about x, y and z: a free body with small rotations.
#include "tree/joint_fields.h"

static const FbField fields[] = {
    FB_JOINT_POINT,
    FB_JOINT_AXIS("z axis of the joint frames."),
    FB_JOINT_X_AXIS("x axis of the joint frames."),
    FB_JOINT_INITIAL("m, m, m, rad, rad, rad", "m/s, m/s, m/s, rad/s, rad/s, rad/s"),
};

const FbJointType fb_joint_node = {
    .info =
        {.name = "node",
         .doc =
             "No restriction, with six scalar coordinates: x, y, z of b in the frame of a, then "
             "the angles of successive rotations about x, y and z. Intended for bodies that rotate "
             "little, such as the nodes of a structure; at a second angle of 90 degrees the same "
             "applies as for a `gimbal`.",
         .fields = fields,
         .n_fields = FB_COUNT(fields)},
    .n_v = 6,
    .n_q = 6,
    .n_motions = 4,
    .motions = {{FB_TRANSLATE3, 0}, {FB_ROTATE, 0}, {FB_ROTATE, 1}, {FB_ROTATE, 2}},
    .n_rows = 0,
    .coordinates = {{"x", "m", FB_COORD_SLIDE, 0},
                    {"y", "m", FB_COORD_SLIDE, 1},
                    {"z", "m", FB_COORD_SLIDE, 2},
                    {"angle about x", "rad", FB_COORD_CARDAN, 0},
                    {"angle about y", "rad", FB_COORD_CARDAN, 1},
                    {"angle about z", "rad", FB_COORD_CARDAN, 2}},
    .has_axis = false,
};
