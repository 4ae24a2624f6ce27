// Which joints with three rotations may redefine their angles near gimbal lock: those whose angles
// are only observed. If a force, a constraint or an expression that acts uses an angle, it remains
// a coordinate, and gimbal lock is an error.
#include "compile/compile.h"

typedef struct Users {
    FbModel* m;
    bool* has_function;  // [n_functions] seen
    bool* needs;         // [n_v] the coordinate acts on the motion
} Users;

static void use_function(Users* u, int function);

static void use_terms(Users* u, int first, int n) {
    for (int t = first; t >= 0 && t < first + n; t++) {
        if (u->m->terms[t].kind == FB_TERM_COORDINATE) {
            u->needs[u->m->terms[t].coordinate_v] = true;
        }
    }
}

static void use_element(Users* u, const FbForce* e) {
    use_terms(u, e->term, 1);
    for (int f = 0; f < 3; f++) {
        use_function(u, e->function[f]);
    }
}

static void use_signal(Users* u, int signal) {
    const FbSignal* s = &u->m->signals[signal];
    switch (s->kind) {
        case FB_SIGNAL_FUNCTION:
            use_function(u, s->index);
            return;
        case FB_SIGNAL_SAMPLE:
            use_function(u, u->m->samplers[s->index].function);
            return;
        case FB_SIGNAL_VALUE:
        case FB_SIGNAL_RATE:
        case FB_SIGNAL_ACCELERATION:
            use_terms(u, s->term, s->n_terms);
            return;
        default:  // forces are asked themselves
            return;
    }
}

static void use_function(Users* u, int function) {
    if (function < 0 || u->has_function[function]) {
        return;
    }
    u->has_function[function] = true;
    const FbExpr* expr = u->m->functions[function].expr;
    for (int i = 0; i < fb_expr_input_count(expr); i++) {
        if (fb_expr_inputs(expr)[i] < FB_INPUT_VALUE) {
            use_signal(u, fb_expr_inputs(expr)[i]);
        }
    }
}

static void use_path(Users* u, const int* v, int n) {
    for (int i = 0; i < n; i++) {
        u->needs[v[i]] = true;
    }
}

// Linear elements follow the coordinates themselves.
static void use_structures(Users* u) {
    const FbModel* m = u->m;
    for (int i = 0; i < m->n_beams; i++) {
        const FbBeamElement* e = &m->beams[i];
        use_path(u, e->base.path.v, e->is_linear ? e->base.path.n : 0);
        for (int c = 0; c < 3; c++) {
            use_function(u, e->load[c]);
        }
    }
    for (int i = 0; i < m->n_superelements; i++) {
        use_path(u, m->superelements[i].v, m->superelements[i].n);
    }
    for (int i = 0; i < m->n_sliders; i++) {
        use_function(u, m->sliders[i].command);
    }
}

static void use_all(Users* u) {
    const FbModel* m = u->m;
    for (int i = 0; i < m->n_rows; i++) {
        use_terms(u, m->rows[i].term, m->rows[i].n_terms);
    }
    for (int i = 0; i < m->n_forces; i++) {
        use_element(u, &m->forces[i]);
    }
    for (int i = 0; i < m->n_states; i++) {
        use_function(u, m->states[i].function);
    }
    for (int i = 0; i < m->n_events; i++) {
        use_function(u, m->events[i].function);
    }
    for (int i = 0; i < m->n_samplers; i++) {
        use_function(u, m->samplers[i].function);
    }
    for (int i = 0; i < FB_N_MOVES * m->n_movers; i++) {
        use_function(u, m->movers[i / FB_N_MOVES].function[i % FB_N_MOVES]);
    }
    use_structures(u);
}

// The first of three turns of a joint in the tree, -1: none.
static int first_turn(const FbJoint* joint) {
    for (int i = 0; !joint->is_loop && i < joint->type->n_v; i++) {
        if (joint->type->coordinates[i].kind == FB_COORD_CARDAN) {
            return i;
        }
    }
    return -1;
}

static bool is_needed(const Users* u, int j, int first) {
    const int* v = u->m->joints[j].velocity + first;
    return u->m->is_node[j] || u->needs[v[0]] || u->needs[v[1]] || u->needs[v[2]];
}

// Terms of these coordinates can also measure the angles as such.
static FbStatus set_terms(FbBuilder* b) {
    FbModel* m = b->m;
    for (int t = 0; t < m->n_terms; t++) {
        FbTerm* term = &m->terms[t];
        for (int c = 0; term->kind == FB_TERM_COORDINATE && c < m->tree.n_charts; c++) {
            const FbChart* chart = &m->tree.charts[c];
            const FbJoint* joint = &m->joints[chart->joint];
            for (int i = 0; i < 3; i++) {
                if (term->chart == 0 &&
                    term->coordinate_v == joint->velocity[chart->coordinate + i]) {
                    fb_compile_charted_term(joint, i, c + 1, term);
                    if (!fb_term_find_path(&m->tree, &m->paths, term)) {
                        return FB_ERR_MEMORY;
                    }
                }
            }
        }
    }
    return FB_OK;
}

FbStatus fb_compile_charts(FbBuilder* b) {
    FbModel* m = b->m;
    Users u = {.m = m,
               .has_function = FB_TAKE(m->arena, bool, m->n_functions + 1),
               .needs = FB_TAKE(m->arena, bool, m->tree.n_v + 1)};
    m->tree.charts = FB_TAKE(m->arena, FbChart, m->n_joints + 1);
    if (fb_arena_has_failed(m->arena)) {
        return FB_ERR_MEMORY;
    }
    use_all(&u);
    for (int j = 0; j < m->n_joints; j++) {
        const FbJoint* joint = &m->joints[j];
        int first = first_turn(joint);
        if (first < 0 || is_needed(&u, j, first)) {
            continue;
        }
        int outer = joint->velocity[first + (joint->is_reversed ? 2 : 0)];
        FbChart chart = {m->tree.link_of_v[outer], j, first};
        m->tree.charts[m->tree.n_charts++] = chart;
        m->tree.links[chart.link].chart = m->tree.n_charts;
    }
    return set_terms(b);
}
