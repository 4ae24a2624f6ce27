// What a Newton matrix remembers: its blocks, and the factors of its systems.
#include "solve/newton_parts.h"

static void remember_blocks(FbNewtonMatrix* m, FbMemory* memory) {
    const FbSizes* n = &m->size;
    int vv = fb_pattern_count(&m->vv), cv = n->n_c > 0 ? fb_pattern_count(&m->cv) : 0;
    fb_memory_doubles(memory, m->M, vv);
    fb_memory_doubles(memory, m->C, vv);
    fb_memory_doubles(memory, m->K, vv);
    fb_memory_doubles(memory, m->G, cv);
    fb_memory_doubles(memory, m->Gq, cv);
    fb_memory_doubles(memory, m->Rx, n->n_v * n->n_x);
    fb_memory_doubles(memory, m->Xq, n->n_v * n->n_x);
    fb_memory_doubles(memory, m->Xv, n->n_v * n->n_x);
    fb_memory_doubles(memory, m->Xx, n->n_x * n->n_x);
    fb_memory_doubles(memory, m->omega, 3 * m->n_ball);
    fb_memory_doubles(memory, m->unit, m->n);
    if (m->is_deep) {
        fb_memory_bytes(memory, m->tree.links,
                        sizeof *m->tree.links * (size_t)m->tree.tree->n_link);
        fb_memory_bytes(memory, m->tree.columns,
                        sizeof *m->tree.columns * (size_t)m->tree.tree->n_v);
    }
}

// The systems of a deep tree are factored again, which depends on nothing else.
void fb_newton_matrix_remember(FbNewtonMatrix* m, FbMemory* memory) {
    int n_systems = m->n_systems;
    remember_blocks(m, memory);
    fb_memory_index(memory, &n_systems, m->n_systems, m->n_systems);
    for (int k = 0; k < m->n_systems && !memory->has_failed; k++) {
        FbNewtonSystem* sys = &m->systems[k];
        FB_REMEMBER(memory, sys->s);
        FB_REMEMBER(memory, sys->size);
        FB_REMEMBER(memory, sys->is_scaled);
        fb_memory_bytes(memory, sys->E, sizeof *sys->E * (size_t)m->n_ball);
        if (!m->is_deep) {
            fb_linear_remember(sys->linear, memory);
        } else if (memory->is_loading && sys->s != 0.0) {
            fb_newton_matrix_factor(m, k, sys->s);
        }
    }
}
