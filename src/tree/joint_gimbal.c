// Gimbal: rotation about x, then about the new y, then about the new z.
#include "tree/joint_fields.h"

static const FbField fields[] = {
    FB_JOINT_POINT,
    FB_JOINT_AXIS("Axis of the third turn in the drawing position, in ground coordinates."),
    FB_JOINT_X_AXIS("Axis of the first turn, fixed in a."),
    FB_JOINT_INITIAL("rad", "rad/s"),
};

const FbJointType fb_joint_gimbal = {
    .info = {"gimbal",
             "Turns about one point by three angles: about x (fixed in a), then the y between, "
             "then z (fixed in b). Where the second angle is 90 degrees the other two coincide "
             "(gimbal lock): motion passes through, unless a force, a constraint or an expression "
             "that acts needs the angles.",
             fields, FB_COUNT(fields)},
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
