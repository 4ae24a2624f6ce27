// Looks the parts of a description up by name, from the scope that asks outwards.
#include <string.h>

#include "describe/def.h"

// Tries "a.b.name", "a.name", "name" for the scope "a.b.".
static int find_scoped(const FbNames* names, const char* scope, const char* name) {
    if (!name) {
        return FB_NOT_FOUND;
    }
    size_t length = scope ? strlen(scope) : 0;
    for (;;) {
        int found = fb_names_find(names, scope, length, name);
        if (found >= 0) {
            return found;
        }
        if (length == 0) {
            return FB_NOT_FOUND;
        }
        do {
            length--;
        } while (length > 0 && scope[length - 1] != '.');
    }
}

int fb_def_find_body(const FbModelDef* def, const char* scope, const char* name) {
    if (name && strcmp(name, "ground") == 0) {
        return FB_GROUND;
    }
    return find_scoped(&def->bodies_names, scope, name);
}
int fb_def_find_joint(const FbModelDef* def, const char* scope, const char* name) {
    return find_scoped(&def->joints_names, scope, name);
}
int fb_def_find_constraint(const FbModelDef* def, const char* scope, const char* name) {
    return find_scoped(&def->constraints_names, scope, name);
}
int fb_def_find_force(const FbModelDef* def, const char* scope, const char* name) {
    return find_scoped(&def->forces_names, scope, name);
}
int fb_def_find_law(const FbModelDef* def, const char* scope, const char* name) {
    return find_scoped(&def->laws_names, scope, name);
}
int fb_def_find_sensor(const FbModelDef* def, const char* scope, const char* name) {
    return find_scoped(&def->sensors_names, scope, name);
}
int fb_def_find_state(const FbModelDef* def, const char* scope, const char* name) {
    return find_scoped(&def->states_names, scope, name);
}
int fb_def_find_input(const FbModelDef* def, const char* scope, const char* name) {
    return find_scoped(&def->inputs_names, scope, name);
}
int fb_def_find_material(const FbModelDef* def, const char* scope, const char* name) {
    return find_scoped(&def->materials_names, scope, name);
}
int fb_def_find_section(const FbModelDef* def, const char* scope, const char* name) {
    return find_scoped(&def->sections_names, scope, name);
}
int fb_def_find_member(const FbModelDef* def, const char* scope, const char* name) {
    return find_scoped(&def->members_names, scope, name);
}
int fb_def_find_row(const FbModelDef* def, const char* scope, const char* name) {
    return find_scoped(&def->rows_names, scope, name);
}
int fb_def_find_structure(const FbModelDef* def, const char* scope, const char* name) {
    return find_scoped(&def->structures_names, scope, name);
}
int fb_def_find_slider(const FbModelDef* def, const char* scope, const char* name) {
    return find_scoped(&def->sliders_names, scope, name);
}
int fb_def_find_parameter(const FbModelDef* def, const char* scope, const char* name) {
    return find_scoped(&def->parameters_names, scope, name);
}

static int find_of_slider(const FbModelDef* def, const char* scope, const char* name,
                          const char* suffix) {
    char stem[256];
    size_t n = name ? strlen(name) : 0, m = strlen(suffix);
    if (n <= m || n - m >= sizeof(stem) || strcmp(name + n - m, suffix) != 0) {
        return FB_NOT_FOUND;
    }
    memcpy(stem, name, n - m);
    stem[n - m] = '\0';
    return fb_def_find_slider(def, scope, stem);
}

int fb_def_find_carriage(const FbModelDef* def, const char* scope, const char* name) {
    return find_of_slider(def, scope, name, ".carriage");
}
int fb_def_find_rail(const FbModelDef* def, const char* scope, const char* name) {
    int slider = find_of_slider(def, scope, name, ".rail");
    return slider >= 0 && def->sliders[slider].is_free ? slider : FB_NOT_FOUND;
}
