// Pin in a slot: translation along x, then rotation about z.
#include "tree/joint_fields.h"

static const FbField fields[] = {
    FB_JOINT_POINT,
    FB_JOINT_AXIS("Axis of the pin in the drawing position, in ground coordinates."),
    FB_JOINT_X_AXIS("Direction of the slot, fixed in a."),
    FB_JOINT_INITIAL("m, rad", "m/s, rad/s"),
};

const FbJointType fb_joint_pin_slot = {
    .info =
        {.name = "pin_slot",
         .doc =
             "A pin in a slot: slides along the x axis of a and turns about the pin. Coordinates: "
             "the displacement along the slot, then the angle.",
         .fields = fields,
         .n_fields = FB_COUNT(fields)},
    .n_v = 2,
    .n_q = 2,
    .n_motions = 2,
    .motions = {{FB_SLIDE, 0}, {FB_ROTATE, 2}},
    .n_rows = 4,
    .rows = {FB_NO_Y, FB_NO_Z, FB_NO_RX, FB_NO_RY},
    .coordinates = {{"displacement", "m", FB_COORD_SLIDE, 0}, {"angle", "rad", FB_COORD_TURN_A, 2}},
    .has_axis = true,
};
