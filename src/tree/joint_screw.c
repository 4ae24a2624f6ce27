// Screw joint: rotation about z coupled with translation along it.
#include "tree/joint_fields.h"

static const FbField fields[] = {
    FB_JOINT_POINT,
    FB_JOINT_AXIS("Axis of the screw in the drawing position, in ground coordinates."),
    FB_JOINT_X_AXIS("Direction from which the angle is measured; only matters for the drawing."),
    {.key = "pitch",
     .kind = FB_FIELD_REAL,
     .offset = offsetof(FbJointDef, pitch),
     .unit = "m",
     .min = -__builtin_inf(),
     .max = __builtin_inf(),
     .doc = "Advance per turn; positive for a right-handed screw."},
    FB_JOINT_INITIAL("rad", "rad/s"),
};

const FbJointType fb_joint_screw = {
    .info = {.name = "screw",
             .doc = "Turns and advances by `pitch` per turn. One coordinate, the angle of b "
                    "relative to a.",
             .fields = fields,
             .n_fields = FB_COUNT(fields)},
    .n_v = 1,
    .n_q = 1,
    .n_motions = 1,
    .motions = {{FB_SCREW, 2}},
    .n_rows = 5,
    .rows = {FB_NO_X, FB_NO_Y, FB_NO_RX, FB_NO_RY, {FB_ROW_SCREW, 2, 2, "advance along the screw"}},
    .coordinates = {{"angle", "rad", FB_COORD_TURN_A, 2}},
    .has_axis = true,
};
