// Places of superelements where stresses are measured, and their sensors.
#include <stddef.h>
#include <string.h>

#include "compile/part_build.h"
#include "compile/sensor_types.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static int count_places(const FbModelDef* def) {
    int n = 0;
    for (int i = 0; i < def->n_superelements; i++) {
        n += def->superelements[i].n_places;
    }
    return n;
}

static FbStatus compile_value(FbBuilder* b, const FbSuperelement* e,
                              const FbSuperelementPlaceDef* def, int index, FbMeshValue* out) {
    const double* row = def->rows + (size_t)index * (size_t)e->n;
    FbVec3 g = b->m->tree.gravity;
    int n = 0;
    for (int i = 0; i < e->n; i++) {
        n += row[i] != 0.0;
    }
    out->v = FB_TAKE(b->m->arena, int, n + 1);
    out->row = FB_TAKE(b->m->arena, double, n + 1);
    if (!out->v || !out->row) {
        return FB_ERR_MEMORY;
    }
    for (int i = 0; i < e->n; i++) {
        if (row[i] != 0.0 && e->v[i] >= 0) {
            out->v[out->n] = e->v[i];
            out->row[out->n++] = row[i];
        }
    }
    const double* by = def->by_gravity + 3 * (size_t)index;
    out->constant = by[0] * g.x + by[1] * g.y + by[2] * g.z;
    return FB_OK;
}

static FbStatus compile_place(FbBuilder* b, int element, const FbSuperelementPlaceDef* def,
                              FbMeshPlace* out) {
    const FbSuperelement* e = &b->m->superelements[element];
    size_t n = (size_t)def->n_values * (size_t)out->n_loads;
    double* by_load = FB_TAKE(b->m->arena, double, n + 1);
    out->name = fb_arena_text(b->m->arena, def->name);
    out->is_shell = def->is_shell;
    out->values = FB_TAKE(b->m->arena, FbMeshValue, def->n_values + 1);
    if (!by_load || !out->values) {
        return FB_ERR_MEMORY;
    }
    for (size_t i = 0; i < n; i++) {
        by_load[i] = def->by_load[i];
    }
    for (int i = 0; i < def->n_values; i++) {
        FB_TRY(compile_value(b, e, def, i, &out->values[i]));
        out->values[i].by_load = by_load + (size_t)i * (size_t)out->n_loads;
    }
    out->n_values = def->n_values;
    return FB_OK;
}

static FbStatus build(FbBuilder* b) {
    FbModel* m = b->m;
    int first_load = 0;
    m->mesh_places = FB_TAKE(m->arena, FbMeshPlace, count_places(b->def) + 1);
    if (!m->mesh_places) {
        return FB_ERR_MEMORY;
    }
    for (int i = 0; i < b->def->n_superelements; i++) {
        const FbSuperelementDef* def = &b->def->superelements[i];
        for (int k = 0; k < def->n_places; k++) {
            FbMeshPlace* place = &m->mesh_places[m->n_mesh_places++];
            place->first_load = first_load;
            place->n_loads = def->n_loads;
            FB_TRY(compile_place(b, i, &def->places[k], place));
        }
        first_load += def->n_loads;
    }
    return FB_OK;
}

const FbPartBuild fb_build_mesh_places = {
    .kind = &fb_part_mesh_places,
    .build = build,
};

// ---- The sensor ----

static const FbMeshPlace* find_place(FbBuilder* b, const FbMeshSensorDef* def, int* index) {
    const char* scope = def->head.origin.scope;
    for (int i = 0; def->place && i < b->m->n_mesh_places; i++) {
        const char* name = b->m->mesh_places[i].name;
        size_t outer = scope ? strlen(scope) : 0;
        bool is_inside = outer && strncmp(name, scope, outer) == 0;
        if (strcmp(name, def->place) == 0 || (is_inside && strcmp(name + outer, def->place) == 0)) {
            *index = i;
            return &b->m->mesh_places[i];
        }
    }
    fb_compile_error(b, FB_ERR_NAME, &def->head.origin, "place",
                     "there is no place of stresses '%s'; name it in 'stresses' of a structure "
                     "with a mesh",
                     def->place ? def->place : "");
    return NULL;
}

static bool build_stress(FbBuilder* b, const FbSensorDef* head, FbSensor* sensor) {
    static const char* const solid[] = {"xx", "yy", "zz", "xy", "yz", "zx", "mises"};
    static const char* const shell[] = {"xx", "yy",  "zz", "xy", "yz",  "zx", "mises", "Nx",
                                        "Ny", "Nxy", "Mx", "My", "Mxy", "Qx", "Qy"};
    static const char* const units[] = {"Pa",  "Pa",  "Pa", "Pa", "Pa", "Pa",  "Pa", "N/m",
                                        "N/m", "N/m", "N",  "N",  "N",  "N/m", "N/m"};
    FbSignal signal = {.kind = FB_SIGNAL_PART, .part = &fb_part_mesh_places};
    const FbMeshPlace* place = find_place(b, (const FbMeshSensorDef*)head, &signal.index);
    if (!place) {
        return false;
    }
    sensor->first_signal = b->m->n_signals;
    sensor->suffixes = place->is_shell ? shell : solid;
    int n = place->is_shell ? COUNT(shell) : COUNT(solid);
    for (; signal.component < n; signal.component++) {
        signal.unit = units[signal.component];
        if (fb_compile_signal(b, &signal) < 0) {
            return false;
        }
    }
    sensor->n_signals = n;
    return true;
}

static const FbField place_fields[] = {
    {.key = "place",
     .kind = FB_FIELD_TEXT,
     .offset = offsetof(FbMeshSensorDef, place),
     .unit = "",
     .doc = "A place of `stresses`, as structure.place."},
};

FbMeshSensorDef fb_mesh_sensor_def_default(void) {
    FbMeshSensorDef def;
    fb_sensor_fill("mesh_stress", sizeof def, &def);
    return def;
}

const FbSensorType fb_sensor_mesh_stress = {
    .info = {.name = "mesh_stress",
             .doc = "Stresses at a place of a structure from a mesh, in its axes: xx, yy, zz, xy, "
                    "yz, zx and mises (equivalent); of shells also the section forces Nx, Ny, Nxy, "
                    "Qx, Qy per length and the moments Mx, My, Mxy per length, positive where they "
                    "stretch the top, in the axes of the material.",
             .fields = place_fields,
             .n_fields = COUNT(place_fields),
             .size = sizeof(FbMeshSensorDef)},
    .build = build_stress};
