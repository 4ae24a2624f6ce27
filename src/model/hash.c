// The name of a compiled model: a checksum of its file, of the values of its parameters and inputs,
// and of all that became of them.
//
// Only saved states need it, so it is computed when it is first needed, by whichever thread
// comes first.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "base/text.h"
#include "model/model.h"

enum { DIGITS = 64 };

static void add_numbers(FbText* t, const double* x, int n) {
    if (n > 0 && x) {
        fb_text_add_n(t, (const char*)x, sizeof *x * (size_t)n);
    }
}

// Large arrays by their own checksum, so that they are not copied.
static void add_array(FbText* t, const void* x, size_t size) {
    char digest[DIGITS + 1];
    if (x && size > 0) {
        fb_sha256_hex(x, size, digest);
        fb_text_addf(t, " %s", digest);
    }
}

static void add_sizes(FbText* t, const FbModel* m) {
    const int sizes[] = {m->tree.n_q,  m->tree.n_v,   m->tree.n_link, m->n_states,  m->n_inputs,
                         m->n_rows,    m->n_forces,   m->n_laws,      m->n_signals, m->n_functions,
                         m->n_events,  m->n_movers,   m->n_samplers,  m->n_sliders, m->n_elements,
                         m->n_outputs, m->n_switches, m->n_callbacks};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        fb_text_addf(t, " %d", sizes[i]);
    }
}

static void add_names(FbText* t, const FbModel* m) {
    for (int i = 0; i < m->n_parameters; i++) {
        fb_text_addf(t, " %s=%a", m->parameters[i].name, m->parameters[i].value);
    }
    for (int i = 0; i < m->n_inputs; i++) {
        fb_text_addf(t, " %s=%a,%a,%a", m->inputs[i].name, m->input_values[i], m->inputs[i].min,
                     m->inputs[i].max);
    }
    for (int i = 0; i < m->n_joints; i++) {
        fb_text_addf(t, " %s", m->joints[i].name);
    }
    for (int i = 0; i < m->n_states; i++) {
        fb_text_addf(t, " %s=%a", m->states[i].name, m->states[i].initial);
    }
}

static void add_tree(FbText* t, const FbModel* m) {
    for (int i = 0; i < m->tree.n_link; i++) {
        const FbLink* link = &m->tree.links[i];
        double mass = link->mass;
        add_numbers(t, &mass, 1);
        add_numbers(t, &link->center.x, 3);
        add_numbers(t, &link->inertia.m[0][0], 9);
        add_numbers(t, &link->p_PJ.x, 3);
    }
    for (int i = 0; i < m->n_rows; i++) {
        add_numbers(t, &m->rows[i].offset, 1);
    }
    add_numbers(t, m->q_drawn, m->tree.n_q);
    add_numbers(t, m->unit_v, m->tree.n_v);
    add_numbers(t, &m->tree.gravity.x, 3);
}

// The numbers of a part, by the table of its type.
static void add_fields(FbText* t, const FbTypeInfo* type, const void* part) {
    for (int i = 0; i < type->n_fields; i++) {
        const FbField* f = &type->fields[i];
        const double* at = (const double*)(const void*)((const char*)part + f->offset);
        int n = f->kind == FB_FIELD_REAL     ? 1
                : f->kind == FB_FIELD_VEC3   ? 3
                : f->kind == FB_FIELD_REALS6 ? 6
                                             : 0;
        add_numbers(t, at, n);
    }
}

static void add_forces(FbText* t, const FbModel* m) {
    for (int i = 0; i < m->n_forces; i++) {
        const FbForce* e = &m->forces[i];
        fb_text_addf(t, " %s %d", e->type->info.name, e->term);
        add_fields(t, &e->type->info, e->def);
        add_numbers(t, &e->rest, 1);
        add_numbers(t, &e->a.p.x, 3);
        add_numbers(t, &e->b.p.x, 3);
    }
    for (int i = 0; i < m->n_samplers; i++) {
        add_numbers(t, &m->samplers[i].period, 1);
        add_numbers(t, &m->samplers[i].initial, 1);
        fb_text_addf(t, " %d", m->samplers[i].late);
    }
}

// External matrices, meshes and linear elements: all that is left of them. Beams with large
// rotations: their properties.
static void add_structures(FbText* t, const FbModel* m) {
    size_t n = sizeof(double) * (size_t)fb_pattern_count(&m->vv), n_v = (size_t)m->tree.n_v;
    add_array(t, m->linear_M, n);
    add_array(t, m->linear_C, n);
    add_array(t, m->linear_K, n);
    add_array(t, m->linear_r, sizeof(double) * n_v);
    for (int i = 0; i < m->n_superelements; i++) {
        const FbSuperelement* e = &m->superelements[i];
        fb_text_addf(t, " %s %d %d %d", e->name ? e->name : "", e->n, e->n_elements, e->n_nodes);
        add_array(t, e->mass, sizeof(double) * (size_t)e->n_entries);
        add_array(t, e->v, sizeof(int) * (size_t)e->n);
    }
    for (int i = 0; i < m->n_mesh_loads; i++) {
        add_array(t, m->mesh_loads[i].forces, sizeof(double) * (size_t)m->mesh_loads[i].n);
    }
    for (int i = 0; i < m->n_mesh_places; i++) {
        for (int k = 0; k < m->mesh_places[i].n_values; k++) {
            const FbMeshValue* value = &m->mesh_places[i].values[k];
            add_array(t, value->row, sizeof(double) * (size_t)value->n);
        }
    }
    for (int i = 0; i < m->n_beams; i++) {
        const FbBeam* b = &m->beams[i].beam;
        const double x[] = {b->length, b->EA,    b->GJ,    b->EIy,
                            b->EIz,    b->phi_y, b->phi_z, b->mass_per_length,
                            b->alpha,  b->beta};
        add_numbers(t, x, sizeof x / sizeof x[0]);
    }
}

// What laws are, by their values at a few times.
static void add_laws(FbText* t, const FbModel* m) {
    static const double TIMES[] = {0.0, 0.37, 1.9, 23.0};
    for (int i = 0; i < m->n_laws; i++) {
        for (size_t k = 0; k < sizeof TIMES / sizeof TIMES[0]; k++) {
            double value[3] = {0.0, 0.0, 0.0};
            if (m->laws[i].type != &fb_law_moves) {
                fb_law_calc(&m->laws[i], TIMES[k], value);
            }
            add_numbers(t, value, 3);
        }
    }
}

// What expressions are, by their values where all that they use is one half.
static bool add_functions(FbText* t, const FbModel* m) {
    double* room = malloc(sizeof(double) * (m->max_inputs + m->max_scratch + 1));
    for (size_t i = 0; room && i < m->max_inputs; i++) {
        room[i] = 0.5;
    }
    for (int i = 0; room && i < m->n_functions; i++) {
        double value = fb_expr_value(m->functions[i].expr, room, room + m->max_inputs);
        add_numbers(t, &value, 1);
    }
    bool has_room = room != NULL;
    free(room);
    return has_room;
}

// To be freed; NULL: out of memory.
static char* calc_hash(const FbModel* m) {
    FbText t;
    fb_text_init(&t);
    fb_text_addf(&t, "%s", m->sha256);
    add_sizes(&t, m);
    add_names(&t, m);
    add_tree(&t, m);
    add_forces(&t, m);
    add_structures(&t, m);
    add_laws(&t, m);
    char* hash = add_functions(&t, m) && !t.has_failed ? malloc(DIGITS + 1) : NULL;
    if (hash) {
        fb_sha256_hex(t.data, t.length, hash);
    }
    fb_text_free(&t);
    return hash;
}

const char* fb_model_get_hash(const FbModel* m) {
    // The only part of a model that changes: once, from nothing to what it always would have been.
    FbModel* own = (FbModel*)m;
    char* known = atomic_load(&own->hash);
    if (known) {
        return known;
    }
    char* hash = calc_hash(m);
    if (hash && !atomic_compare_exchange_strong(&own->hash, &known, hash)) {
        free(hash);  // another thread was first
        return known;
    }
    return hash ? hash : "";
}
