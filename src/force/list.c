// The list of all force types, and finding one by name.
#include <string.h>

#include "force/force.h"

const FbForceType* const fb_force_types[] = {
    &fb_force_spring, &fb_force_torsion, &fb_force_bushing,  &fb_force_friction,
    &fb_force_force,  &fb_force_torque,  &fb_force_actuator, NULL,
};

const FbForceType* fb_force_type_find(const char* name) {
    for (int i = 0; fb_force_types[i] != NULL; i++) {
        if (strcmp(fb_force_types[i]->info.name, name) == 0) {
            return fb_force_types[i];
        }
    }
    return NULL;
}
