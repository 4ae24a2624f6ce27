// The name of a compiled model: a checksum of its file, of the values of its parameters and inputs,
// and of what became of them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "base/text.h"
#include "compile/compile.h"

static void add_numbers(FbText* t, const double* x, int n) {
    if (n > 0) {
        fb_text_add_n(t, (const char*)x, sizeof *x * (size_t)n);
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

static void add_names(FbText* t, const FbModelDef* def, const FbModel* m) {
    for (int i = 0; i < def->n_parameters; i++) {
        fb_text_addf(t, " %s=%a", def->parameters[i].name, def->parameters[i].value);
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
    add_numbers(t, m->q_drawn, m->tree.n_q);
    add_numbers(t, m->unit_v, m->tree.n_v);
    add_numbers(t, &m->tree.gravity.x, 3);
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

FbStatus fb_compile_hash(FbBuilder* b) {
    FbModel* m = b->m;
    FbText t;
    fb_text_init(&t);
    fb_text_addf(&t, "%s", b->def->sha256);
    add_sizes(&t, m);
    add_names(&t, b->def, m);
    add_tree(&t, m);
    bool has_failed = !add_functions(&t, m) || t.has_failed;
    if (!has_failed) {
        fb_sha256_hex(t.data, t.length, m->hash);
    }
    fb_text_free(&t);
    return has_failed ? FB_ERR_MEMORY : FB_OK;
}
