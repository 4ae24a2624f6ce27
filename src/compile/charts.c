// Which joints with three rotations may redefine their angles near gimbal lock: those whose angles
// are only observed. If a force, a constraint or an expression that acts uses an angle, it remains
// a coordinate, and gimbal lock is an error.
#include "compile/part_build.h"

struct FbUsers {
    FbModel* m;
    bool* has_function;  // [n_functions] seen
    bool* needs;         // [n_v] the coordinate acts on the motion
};

void fb_users_add_terms(FbUsers* u, int first, int n) {
    for (int t = first; t >= 0 && t < first + n; t++) {
        if (u->m->terms[t].kind == FB_TERM_COORDINATE) {
            u->needs[u->m->terms[t].coordinate_v] = true;
        }
    }
}

static void use_signal(FbUsers* u, int signal) {
    const FbSignal* s = &u->m->signals[signal];
    const int* functions;
    for (int i = 0, n = fb_signal_functions(u->m, s, &functions); i < n; i++) {
        fb_users_add_function(u, functions[i]);
    }
    switch (s->kind) {
        case FB_SIGNAL_SAMPLE:
            fb_users_add_function(u, u->m->samplers[s->index].function);
            return;
        case FB_SIGNAL_VALUE:
        case FB_SIGNAL_RATE:
        case FB_SIGNAL_ACCELERATION:
            fb_users_add_terms(u, s->term, s->n_terms);
            return;
        default:  // forces are asked themselves
            return;
    }
}

void fb_users_add_function(FbUsers* u, int function) {
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

void fb_users_add_velocities(FbUsers* u, const int* v, int n) {
    for (int i = 0; i < n; i++) {
        u->needs[v[i]] = true;
    }
}

static void add_all(FbUsers* u) {
    const FbModel* m = u->m;
    for (int i = 0; i < m->n_rows; i++) {
        fb_users_add_terms(u, m->rows[i].term, m->rows[i].n_terms);
    }
    fb_builds_add_users(m, u);
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

static bool is_needed(const FbUsers* u, int j, int first) {
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
    FbUsers u = {.m = m,
                 .has_function = FB_TAKE(m->arena, bool, m->n_functions + 1),
                 .needs = FB_TAKE(m->arena, bool, m->tree.n_v + 1)};
    m->tree.charts = FB_TAKE(m->arena, FbChart, m->n_joints + 1);
    if (fb_arena_has_failed(m->arena)) {
        return FB_ERR_MEMORY;
    }
    add_all(&u);
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
