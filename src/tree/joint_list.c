// The list of joint types, and the coordinates that a pose shows.
#include <math.h>
#include <string.h>

#include "tree/joint.h"

const FbJointType* const fb_joint_types[] = {
    &fb_joint_fixed,       &fb_joint_revolute,
    &fb_joint_prismatic,   &fb_joint_cylindrical,
    &fb_joint_universal,   &fb_joint_spherical,
    &fb_joint_planar,      &fb_joint_screw,
    &fb_joint_free,        &fb_joint_pin_slot,
    &fb_joint_translation, &fb_joint_gimbal,
    &fb_joint_node,        NULL,
};

const FbJointType* fb_joint_type_find(const char* name) {
    for (int i = 0; name && fb_joint_types[i]; i++) {
        if (strcmp(fb_joint_types[i]->info.name, name) == 0) {
            return fb_joint_types[i];
        }
    }
    return NULL;
}

// The coordinate that the drawing shows for one elementary motion of relative pose (R, p), eq.
// (4.2).
double fb_coordinate_of_pose(const FbCoordinate* c, const FbMat3* R, FbVec3 p) {
    double x[3] = {p.x, p.y, p.z};
    if (c->kind == FB_COORD_SLIDE) {
        return x[c->axis];
    }
    if (c->kind == FB_COORD_CARDAN) {
        return c->axis == 0   ? atan2(-R->m[1][2], R->m[2][2])
               : c->axis == 1 ? atan2(R->m[0][2], hypot(R->m[0][0], R->m[0][1]))
                              : atan2(-R->m[0][1], R->m[0][0]);
    }
    if (c->axis == 2) {
        return atan2(R->m[1][0], R->m[0][0]);
    }
    return c->axis == 0 ? atan2(R->m[2][1], R->m[1][1]) : atan2(R->m[0][2], R->m[0][0]);
}
