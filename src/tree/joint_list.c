// The list of joint types.
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
