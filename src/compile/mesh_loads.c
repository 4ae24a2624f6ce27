// Loads on superelements: the velocities that they act along, and their values.
#include "compile/part_build.h"

static int count_loads(const FbModelDef* def) {
    int n = 0;
    for (int i = 0; i < def->n_superelements; i++) {
        n += def->superelements[i].n_loads;
    }
    return n;
}

static FbStatus compile_load(FbBuilder* b, int element, const FbSuperelementLoadDef* def,
                             FbMeshLoad* out) {
    const FbSuperelement* e = &b->m->superelements[element];
    out->name =
        fb_arena_format(b->m->arena, "%s.%s", b->def->superelements[element].name, def->name);
    out->place = def->origin.place;
    out->place.file = fb_arena_text(b->m->arena, def->origin.place.file);
    out->function = -1;
    out->v = FB_TAKE(b->m->arena, int, e->n + 1);
    out->forces = FB_TAKE(b->m->arena, double, e->n + 1);
    if (fb_arena_has_failed(b->m->arena)) {
        return FB_ERR_MEMORY;
    }
    for (int i = 0; i < e->n; i++) {
        if (def->forces[i] != 0.0 && e->v[i] >= 0) {
            out->v[out->n] = e->v[i];
            out->forces[out->n++] = def->forces[i];
        }
    }
    return FB_OK;
}

static FbStatus build(FbBuilder* b) {
    FbModel* m = b->m;
    m->mesh_loads = FB_TAKE(m->arena, FbMeshLoad, count_loads(b->def) + 1);
    if (!m->mesh_loads) {
        return FB_ERR_MEMORY;
    }
    for (int i = 0; i < b->def->n_superelements; i++) {
        const FbSuperelementDef* def = &b->def->superelements[i];
        for (int k = 0; k < def->n_loads; k++) {
            FB_TRY(compile_load(b, i, &def->loads[k], &m->mesh_loads[m->n_mesh_loads++]));
        }
    }
    return FB_OK;
}

// Values may depend on sensors, so they are compiled with the forces.
static FbStatus connect(FbBuilder* b) {
    int next = 0;
    for (int i = 0; i < b->def->n_superelements; i++) {
        const FbSuperelementDef* def = &b->def->superelements[i];
        for (int k = 0; k < def->n_loads; k++) {
            const FbSuperelementLoadDef* load = &def->loads[k];
            b->m->mesh_loads[next++].function = fb_compile_function(
                b, load->value, &load->origin, load->key,
                (FbUse){.is_for_dynamics = true, .result = fb_quantity_of_unit(load->unit)});
            b->m->has_work = true;
        }
    }
    return FB_OK;
}

static void add_pattern(const FbBuilder* b, FbPatternBuilder* p) {
    for (int i = 0; i < b->m->n_mesh_loads; i++) {
        const FbMeshLoad* load = &b->m->mesh_loads[i];
        fb_pattern_add_function(b->m, p, load->v, load->n, load->function);
    }
}

static void add_users(const FbModel* m, FbUsers* u) {
    for (int i = 0; i < m->n_mesh_loads; i++) {
        fb_users_add_function(u, m->mesh_loads[i].function);
    }
}

const FbPartBuild fb_build_mesh_loads = {
    .kind = &fb_part_mesh_loads,
    .build = build,
    .connect = connect,
    .add_pattern = add_pattern,
    .add_users = add_users,
};
