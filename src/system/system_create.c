// Creating an FbSystem: the memory of one thread's side of a model, and its first choice of rows.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "system/part.h"

static int signal_depth(const FbModel* m, const FbSignal* signal) {
    int inner[3] = {-1, -1, -1}, deepest = 0;
    const int* functions;
    for (int i = 0, n = fb_signal_functions(m, signal, &functions); i < n; i++) {
        int depth = fb_function_depth(m, functions[i]);
        deepest = depth > deepest ? depth : deepest;
    }
    switch (signal->kind) {
        case FB_SIGNAL_SCALAR_FORCE:
            fb_part_forces.find_functions(m, signal, inner);
            break;
        case FB_SIGNAL_PART:
            if (signal->part->find_functions) {
                signal->part->find_functions(m, signal, inner);
            }
            break;
        case FB_SIGNAL_SAMPLE:
            inner[0] = m->samplers[signal->index].is_always_held
                           ? -1
                           : m->samplers[signal->index].function;
            break;
        default:
            break;
    }
    for (int i = 0; i < 3; i++) {
        int depth = inner[i] >= 0 ? fb_function_depth(m, inner[i]) : 0;
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest;
}

int fb_function_depth(const FbModel* m, int function) {
    int deepest = 0;
    const FbExpr* expr = m->functions[function].expr;
    for (int i = 0; i < fb_expr_input_count(expr); i++) {
        int input = fb_expr_inputs(expr)[i];
        int depth = input < FB_INPUT_VALUE ? signal_depth(m, &m->signals[input]) : 0;
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest + 1;
}

static size_t scratch_size(const FbModel* m) {
    int deepest = 1, longest = 0;
    for (int i = 0; i < m->n_functions; i++) {
        int depth = fb_function_depth(m, i);
        deepest = depth > deepest ? depth : deepest;
    }
    for (int t = 0; t < m->n_terms; t++) {
        longest = m->terms[t].n_path > longest ? m->terms[t].n_path : longest;
    }
    for (int i = 0; i < m->n_forces; i++) {
        longest = m->forces[i].n_path > longest ? m->forces[i].n_path : longest;
    }
    longest = m->max_port_path > longest ? m->max_port_path : longest;
    return (size_t)(deepest + 2) * (2 * m->max_inputs + m->max_scratch + 4 * (size_t)longest + 8);
}

// Blocks without the share of the tree.
static void take_split(FbSystem* s) {
    const FbModel* m = s->m;
    if (!m->is_deep) {
        return;
    }
    size_t n = (size_t)fb_pattern_count(&m->own) + 1;
    size_t n_v = (size_t)m->tree.n_v + 1, n_x = (size_t)m->n_states + 1,
           n_xu = n_x + (size_t)m->n_inputs;
    s->split.vv = &m->own;
    s->split.tree = &s->k;
    s->split.M = FB_TAKE(s->arena, double, n);
    s->split.C = FB_TAKE(s->arena, double, n);
    s->split.K = FB_TAKE(s->arena, double, n);
    s->split.Rx = FB_TAKE(s->arena, double, n_v* n_xu);
    s->split.Xq = FB_TAKE(s->arena, double, n_v* n_x);
    s->split.Xv = FB_TAKE(s->arena, double, n_v* n_x);
    s->split.Xx = FB_TAKE(s->arena, double, n_x* n_xu);
}

static void take_arrays(FbSystem* s) {
    const FbModel* m = s->m;
    size_t n_v = (size_t)m->tree.n_v + 1, n_q = (size_t)m->tree.n_q + 1,
           n_x = (size_t)m->n_states + 1, n_xu = n_x + (size_t)m->n_inputs;
    size_t n_vv = (size_t)fb_pattern_count(&m->vv) + 1;
    s->term = FB_TAKE(s->arena, FbTermState, m->n_terms + 1);
    s->turns = FB_TAKE(s->arena, double, m->n_turns + 1);
    s->turn_angle = FB_TAKE(s->arena, double, m->n_turns + 1);
    s->turn_rate = FB_TAKE(s->arena, double, m->n_turns + 1);
    s->turn_pull = FB_TAKE(s->arena, double, m->n_turns + 1);
    s->inputs = FB_TAKE(s->arena, double, m->n_inputs + 1);
    s->law_of = FB_TAKE(s->arena, int, m->n_laws + 1);
    s->ahead.a = FB_TAKE(s->arena, double, m->tree.n_v + 1);
    s->ahead.lambda = FB_TAKE(s->arena, double, m->n_rows + 1);
    s->ahead.x = FB_TAKE(s->arena, double, m->n_states + 1);
    fb_parts_take(s);
    fb_pieces_take(s);
    fb_travelling_take(s);
    fb_node_turns_take(s);
    fb_tapes_take(s);
    s->slot_of_row = FB_TAKE(s->arena, int, m->n_rows + 1);
    s->aside.slot_of_row = FB_TAKE(s->arena, int, m->n_rows + 1);
    s->zero_v = FB_TAKE(s->arena, double, n_v);
    for (int i = 0; i < 4; i++) {
        s->work_v[i] = FB_TAKE(s->arena, double, n_v);
    }
    s->work_q[0] = FB_TAKE(s->arena, double, n_q);
    s->work_q[1] = FB_TAKE(s->arena, double, n_q);
    s->all_lambda = FB_TAKE(s->arena, double, m->n_rows + 1);
    s->is_ambiguous = FB_TAKE(s->arena, bool, m->n_outputs + 1);
    s->gradient.q = FB_TAKE(s->arena, double, n_v);
    s->gradient.v = FB_TAKE(s->arena, double, n_v);
    s->gradient.x = FB_TAKE(s->arena, double, n_xu);
    s->gradient.touched = FB_TAKE(s->arena, int, n_v);
    s->gradient.is_touched = FB_TAKE(s->arena, bool, n_v);
    s->port_columns = FB_TAKE(s->arena, double, 4 * FB_BEAM_DOF * (size_t)m->max_port_path + 1);
    s->field_columns = FB_TAKE(s->arena, double, 4 * FB_BEAM_DOF * (size_t)m->max_port_path + 1);
    s->scratch_size = scratch_size(m);
    s->scratch = FB_TAKE(s->arena, double, s->scratch_size);
    take_split(s);
    s->blocks.vv = &m->vv;
    s->blocks.M = FB_TAKE(s->arena, double, n_vv);
    s->blocks.C = FB_TAKE(s->arena, double, n_vv);
    s->blocks.K = FB_TAKE(s->arena, double, n_vv);
    s->blocks.Rx = FB_TAKE(s->arena, double, n_v* n_xu);
    s->blocks.Xq = FB_TAKE(s->arena, double, n_v* n_x);
    s->blocks.Xv = FB_TAKE(s->arena, double, n_v* n_x);
    s->blocks.Xx = FB_TAKE(s->arena, double, n_x* n_xu);
}

FbStatus fb_system_create(const FbModel* m, FbSystem** out, FbError* err) {
    *out = NULL;
    FbSystem* s = calloc(1, sizeof(FbSystem));
    if (!s) {
        return fb_fail_memory(err);
    }
    s->m = m;
    s->arena = fb_arena_create();
    if (!s->arena) {
        free(s);
        return fb_fail_memory(err);
    }
    s->dynamics =
        (FbDynamics){.ops = &fb_system_ops, .n_ball = m->tree.n_ball, .ball = m->tree.ball_v};
    s->dynamics.size = (FbSizes){.n_q = m->tree.n_q,
                                 .n_v = m->tree.n_v,
                                 .n_x = m->n_states,
                                 .n_w = m->has_work ? 2 : 0,
                                 .n_root = fb_parts_count_roots(m),
                                 .n_switch = m->n_switches};
    s->dynamics.has_fast_accelerations = !m->has_structures;
    s->dynamics.is_deep = m->is_deep;
    fb_parts_find(s);
    take_arrays(s);
    FbStatus status = fb_arena_has_failed(s->arena)
                          ? fb_fail_memory(err)
                          : fb_kinematics_init(&m->tree, s->arena, &s->k, err);
    if (status == FB_OK) {
        status = fb_scales_create(s, err);
    }
    for (int i = 0; status == FB_OK && i < m->n_laws; i++) {
        s->law_of[i] = i;
    }
    for (int i = 0; status == FB_OK && i < m->n_inputs; i++) {
        s->inputs[i] = m->input_values[i];
    }
    if (status == FB_OK) {
        fb_system_realize(s, m->q_drawn, s->zero_v, NULL);
        fb_parts_draw(s);
        status = fb_rows_choose(s, m->q_drawn, err);
    }
    if (status < 0) {
        fb_system_destroy(s);
        return status;
    }
    *out = s;
    return FB_OK;
}

void fb_system_destroy(FbSystem* s) {
    if (s) {
        fb_system_leave_sample(&s->dynamics);
        fb_kkt_destroy(s);
        fb_symmetric_destroy(s->analysed);
        fb_arena_destroy(s->row_arena);
        fb_arena_destroy(s->linear.arena);
        fb_arena_destroy(s->arena);
        free(s);
    }
}

FbDynamics* fb_system_get_dynamics(FbSystem* s) {
    return &s->dynamics;
}

FbSizes fb_system_get_max_sizes(const FbSystem* s) {
    FbSizes size = s->dynamics.size;
    size.n_c = s->m->n_rows;
    size.n_g = s->m->n_holonomic;
    return size;
}
