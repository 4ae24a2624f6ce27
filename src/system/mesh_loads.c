// Loads on superelements as a part: forces along fixed coordinates in proportion to a value that
// depends on time and on what is measured (eq. 12.13).
#include "system/block.h"
#include "system/part.h"

static double value_of(FbSystem* s, const FbPoint* p, const FbMeshLoad* load) {
    return fb_function_calc(s, p, load->function, 0.0, 0.0);
}

static void add_forces(const FbMeshLoad* load, double value, double* out) {
    for (int k = 0; k < load->n; k++) {
        out[load->v[k]] += value * load->forces[k];
    }
}

static void apply(FbSystem* s, const FbPoint* p, const double* a) {
    (void)a;
    for (int i = 0; i < s->m->n_mesh_loads; i++) {
        const FbMeshLoad* load = &s->m->mesh_loads[i];
        add_forces(load, value_of(s, p, load), s->k.tau);
    }
}

static void add_blocks(FbSystem* s, const FbPoint* p, FbBlocks* b) {
    for (int i = 0; i < s->m->n_mesh_loads; i++) {
        const FbMeshLoad* load = &s->m->mesh_loads[i];
        double own[2];
        if (fb_function_is_constant(s->m, load->function)) {
            continue;
        }
        fb_function_add_gradient(s, p, load->function, 0.0, 0.0, 1.0, own, &s->gradient);
        fb_block_add_outer(s, load->v, load->forces, load->n, &s->gradient, b);
        fb_gradient_clear(s, &s->gradient);
    }
}

// The residual has the forces with the other sign.
static void add_load(FbSystem* s, const FbPoint* p, double* r) {
    for (int i = 0; i < s->m->n_mesh_loads; i++) {
        const FbMeshLoad* load = &s->m->mesh_loads[i];
        if (!fb_function_is_constant(s->m, load->function)) {
            add_forces(load, -value_of(s, p, load), r);
        }
    }
}

static void add_powers(FbSystem* s, const FbPoint* p, double* supplied, double* dissipated) {
    (void)dissipated;
    for (int i = 0; i < s->m->n_mesh_loads; i++) {
        const FbMeshLoad* load = &s->m->mesh_loads[i];
        double rate = 0.0;
        for (int k = 0; k < load->n; k++) {
            rate += load->forces[k] * p->v[load->v[k]];
        }
        *supplied += rate * value_of(s, p, load);
    }
}

static int count(const FbModel* m) {
    return m->n_mesh_loads;
}

const FbPartKind fb_part_mesh_loads = {
    .name = "load",
    .has_no_memory = true,
    .count = count,
    .apply = apply,
    .add_blocks = add_blocks,
    .check_linear = fb_mesh_loads_check_linear,
    .add_load = add_load,
    .add_powers = add_powers,
};
