// Gimbal: rotation about x, then about the new y, then about the new z.
#include "tree/joint_fields.h"

static const FbField fields[] = {
    FB_JOINT_POINT,
    FB_JOINT_AXIS("Axis of the third rotation in the drawing position, in ground coordinates."),
    FB_JOINT_X_AXIS("Axis of the first rotation, fixed in a."),
    FB_JOINT_INITIAL("rad", "rad/s"),
};

const FbJointType fb_joint_gimbal = {
    .info =
        {.name = "gimbal",
         .doc =
             "Turns about one point by three angles: about x (fixed in a), then the intermediate "
             "y, then z (fixed in b). At a second angle of 90 degrees the other two axes coincide "
             "(gimbal lock): the motion passes through, unless a force, a constraint or an "
             "expression that acts uses the angles.",
         .fields = fields,
         .n_fields = FB_COUNT(fields)},
    .n_v = 3,
    .n_q = 3,
    .n_motions = 3,
    .motions = {{FB_ROTATE, 0}, {FB_ROTATE, 1}, {FB_ROTATE, 2}},
    .n_rows = 3,
    .rows = {FB_NO_X, FB_NO_Y, FB_NO_Z},
    .coordinates = {{"angle about x", "rad", FB_COORD_CARDAN, 0},
                    {"angle about y", "rad", FB_COORD_CARDAN, 1},
                    {"angle about z", "rad", FB_COORD_CARDAN, 2}},
    .has_axis = true,
};
