// The list of all force types, and finding one by name.
#include <string.h>

#include "force/force.h"

#define ADDRESS(name) &fb_force_##name,
const FbForceType* const fb_force_types[] = {FB_FORCE_TYPES(ADDRESS) NULL};

const FbForceType* fb_force_type_find(const char* name) {
    for (int i = 0; fb_force_types[i] != NULL; i++) {
        if (strcmp(fb_force_types[i]->info.name, name) == 0) {
            return fb_force_types[i];
        }
    }
    return NULL;
}
