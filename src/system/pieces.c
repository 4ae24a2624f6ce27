// Pieces of expressions: held during a step, changed at its end (theory manual, section 5.12).
#include <math.h>

#include "system/work.h"

void fb_pieces_take(FbSystem* s) {
    s->pieces = FB_TAKE(s->arena, FbPiece, s->m->n_switches + 1);
    fb_slides_take(s);
    s->fresh_pieces = FB_TAKE(s->arena, FbPiece, s->m->n_switches + 1);
}

// The expression of a group, the values of its inputs and room, on the scratch stack.
static const FbExpr* gather(FbSystem* s, const FbPoint* p, const FbSwitchGroup* g, double** inputs,
                            double** scratch) {
    if (g->law >= 0) {
        const FbExpr* expr = fb_law_get_expression(&s->m->laws[g->law]);
        *inputs = fb_scratch_take(s, (size_t)fb_expr_input_count(expr));
        *scratch = fb_scratch_take(s, fb_expr_scratch(expr));
        fb_law_gather(&s->m->laws[g->law], p->t, s->inputs, *inputs);
        return expr;
    }
    double value = 0.0, rate = 0.0;
    int term = g->element >= 0 ? s->m->forces[g->element].term : -1;
    if (term >= 0) {
        FbTermState state;
        fb_term_calc_position(&s->m->terms[term], &s->k, p->q, s->turns, &state);
        fb_term_calc_rate(&s->m->terms[term], &s->k, p->v, &state);
        value = state.value;
        rate = state.rate;
    }
    return fb_function_gather(s, p, g->function, value, rate, inputs, scratch);
}

static void realize(FbSystem* s, const FbPoint* p) {
    if (s->m->has_switches_of_motion) {
        fb_turns_predict(s, p->t);
        fb_system_realize(s, p->q, p->v, NULL);
    }
}

static const FbSwitchGroup* group_of(const FbModel* m, int i) {
    const FbSwitchGroup* g = m->switch_groups;
    while (i >= g->first + g->n) {
        g++;
    }
    return g;
}

static bool is_on(const FbSystem* s, const FbSwitchGroup* g) {
    return g->element < 0 || !fb_force_is_off(s, &s->m->forces[g->element]);
}

void fb_system_hold_pieces(FbDynamics* d, const FbPoint* p) {
    FbSystem* s = fb_system_of(d);
    double *inputs, *scratch;
    s->holds_pieces = false;
    s->slides.n = 0;
    realize(s, p);
    for (int i = 0; i < s->m->n_switch_groups; i++) {
        const FbSwitchGroup* g = &s->m->switch_groups[i];
        size_t mark = s->scratch_used;
        const FbExpr* expr = gather(s, p, g, &inputs, &scratch);
        fb_expr_set_pieces(expr, inputs, scratch, s->pieces + g->first);
        s->scratch_used = mark;
    }
    s->holds_pieces = true;
}

void fb_system_calc_depths(FbDynamics* d, const FbPoint* p, double* depth, double* scale) {
    FbSystem* s = fb_system_of(d);
    double *inputs, *scratch;
    bool is_sliding = fb_slides_solve(s, p);
    realize(s, p);
    for (int i = 0; i < s->m->n_switch_groups; i++) {
        const FbSwitchGroup* g = &s->m->switch_groups[i];
        size_t mark = s->scratch_used;
        const FbExpr* expr = gather(s, p, g, &inputs, &scratch);
        fb_expr_depths(expr, inputs, s->pieces + g->first, scratch, depth + g->first,
                       scale + g->first);
        s->scratch_used = mark;
        for (int k = g->first; k < g->first + g->n && !is_on(s, g); k++) {
            depth[k] = NAN;
        }
    }
    for (int k = 0; k < s->slides.n; k++) {
        int i = s->slides.index[k];
        double share = s->pieces[i].share;
        double part = fb_slides_follows(s, k) ? 1.0 : is_sliding ? fmin(share, 1.0 - share) : -1.0;
        scale[i] = s->pieces[i].reach;  // in the units of the border, as when it does not slide
        depth[i] = part * scale[i];
    }
}

double fb_switch_calc_border(FbSystem* s, const FbPoint* p, int i) {
    const FbSwitchGroup* g = group_of(s->m, i);
    size_t mark = s->scratch_used;
    double *inputs, *scratch;
    const FbExpr* expr = gather(s, p, g, &inputs, &scratch);
    double b = fb_expr_border(expr, inputs, s->pieces + g->first, i - g->first, scratch);
    s->scratch_used = mark;
    return b;
}

void fb_system_change_piece(FbDynamics* d, const FbPoint* p, int i) {
    FbSystem* s = fb_system_of(d);
    const FbSwitchGroup* g = group_of(s->m, i);
    size_t mark = s->scratch_used;
    double *inputs, *scratch;
    if (fb_slides_has(s, i)) {
        fb_slides_solve(s, p);
        fb_slides_end(s, i);
        fb_slides_end_unled(s, p);
        return;
    }
    realize(s, p);
    const FbExpr* expr = gather(s, p, g, &inputs, &scratch);
    FbPiece* piece = &s->pieces[i];
    double next = fb_expr_next_piece(expr, inputs, s->pieces + g->first, i - g->first, scratch);
    piece->other = piece->piece;
    piece->piece = next;
    s->scratch_used = mark;
}

void fb_system_follow_pieces(FbDynamics* d, const FbPoint* p) {
    FbSystem* s = fb_system_of(d);
    double *inputs, *scratch;
    bool is_realized = false;
    for (int i = 0; i < s->m->n_switch_groups; i++) {
        const FbSwitchGroup* g = &s->m->switch_groups[i];
        if (!g->has_angles) {
            continue;
        }
        if (!is_realized) {
            realize(s, p);
            is_realized = true;
        }
        size_t mark = s->scratch_used;
        const FbExpr* expr = gather(s, p, g, &inputs, &scratch);
        fb_expr_follow_pieces(expr, inputs, scratch, s->pieces + g->first);
        s->scratch_used = mark;
    }
}

bool fb_system_is_touch(const FbDynamics* d, int i) {
    const FbSwitchGroup* g = group_of(((const FbSystem*)d)->m, i);
    return i - g->first >= g->n_held;
}

void fb_system_free_piece(FbDynamics* d, int i, bool is_free) {
    FbSystem* s = fb_system_of(d);
    if (is_free && fb_slides_has(s, i)) {
        fb_slides_end(s, i);
    }
    s->pieces[i].is_free = is_free;
}

static bool has_idle(const FbSwitchGroup* g, const double* depth) {
    for (int k = g->first; k < g->first + g->n_held; k++) {
        if (isnan(depth[k])) {
            return true;
        }
    }
    return false;
}

void fb_system_reset_idle_pieces(FbDynamics* d, const FbPoint* p, const double* depth, double h) {
    static const double PART = 1e-6;  // of a step: to be off a border that p is on
    FbSystem* s = fb_system_of(d);
    double *inputs, *scratch;
    FbPoint ahead = *p;
    bool is_ahead = false;
    for (int i = 0; i < s->m->n_switch_groups; i++) {
        const FbSwitchGroup* g = &s->m->switch_groups[i];
        if (!has_idle(g, depth)) {
            continue;
        }
        if (!is_ahead && s->m->has_switches_of_motion) {
            ahead = fb_slides_look_ahead(s, p, PART * h);
        }
        is_ahead = true;
        // Where an `if` has changed its arm, what is in the new one starts from here.
        size_t mark = s->scratch_used;
        const FbExpr* expr = gather(s, &ahead, g, &inputs, &scratch);
        FbPiece* fresh = s->fresh_pieces;
        fb_expr_set_pieces(expr, inputs, scratch, fresh);
        for (int k = 0; k < g->n_held; k++) {
            if (isnan(depth[g->first + k])) {
                s->pieces[g->first + k] = fresh[k];
            }
        }
        s->scratch_used = mark;
    }
}

const char* fb_system_name_switch(const FbDynamics* d, int i) {
    const FbSystem* s = (const FbSystem*)d;
    return group_of(s->m, i)->owner;
}
