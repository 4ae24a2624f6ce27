// One thread's mechanics of a model: memory, and the operations of the contract.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/part.h"

void fb_system_realize(FbSystem* s, const double* q, const double* v, const double* a) {
    fb_tree_realize_position(&s->m->tree, q, &s->k);
    if (v) {
        fb_tree_realize_velocity(&s->m->tree, v, &s->k);
    }
    if (a) {
        fb_tree_realize_acceleration(&s->m->tree, a, &s->k);
    }
}

static void state_rates(FbDynamics* d, const FbPoint* p, double* rate) {
    FbSystem* s = fb_system_of(d);
    fb_slides_solve(s, p);
    fb_turns_predict(s, p->t);
    fb_system_realize(s, p->q, p->v, NULL);
    for (int i = 0; i < s->m->n_states; i++) {
        rate[i] = fb_function_calc(s, p, s->m->states[i].function, 0.0, 0.0);
    }
}

static FbStatus residual(FbDynamics* d, const FbPoint* p, double* r, double* c, double* gdot) {
    FbSystem* s = fb_system_of(d);
    if (!fb_slides_solve(s, p)) {
        return FB_RETRY;
    }
    fb_turns_predict(s, p->t);
    fb_system_realize(s, p->q, p->v, p->a);
    fb_tree_clear_forces(&s->m->tree, &s->k);
    fb_parts_apply(s, p, p->a);
    if (d->size.n_c > 0) {
        fb_rows_realize(s, p->q, p->v, true);
        fb_rows_apply(s, p->q, p->lambda);
        for (int i = 0; i < d->size.n_c; i++) {
            gdot[i] = fb_row_calc_rate(s, s->active[i], p->t);
        }
    }
    for (int i = 0; i < d->size.n_x; i++) {
        c[i] = fb_function_calc(s, p, s->m->states[i].function, 0.0, 0.0);
    }
    fb_tree_calc_residual(&s->m->tree, &s->k, r);
    if (fb_is_finite(r, d->size.n_v) && fb_is_finite(c, d->size.n_x)) {
        return FB_OK;
    }
    fb_system_explain(s, p, -1);
    return FB_RETRY;
}

static void add_state_blocks(FbSystem* s, const FbPoint* p, FbBlocks* b) {
    int n_x = s->m->n_states;
    for (int i = 0; i < n_x; i++) {
        double own[2];
        FbGradient* g = &s->gradient;
        fb_function_add_gradient(s, p, s->m->states[i].function, 0.0, 0.0, 1.0, own, g);
        for (int t = 0; t < g->n_touched; t++) {
            size_t at = (size_t)g->touched[t] * (size_t)n_x + (size_t)i;
            b->Xq[at] += g->q[g->touched[t]];
            b->Xv[at] += g->v[g->touched[t]];
        }
        for (int j = 0; j < n_x + s->m->n_inputs; j++) {
            b->Xx[j * n_x + i] += g->x[j];
        }
        fb_gradient_clear(s, g);
    }
}

static void clear_blocks(const FbSizes* size, int n_inputs, FbBlocks* b) {
    size_t n_vv = sizeof(double) * (size_t)fb_pattern_count(b->vv);
    size_t n_cv = size->n_c > 0 ? sizeof(double) * (size_t)fb_pattern_count(b->cv) : 0;
    size_t n_x = (size_t)size->n_x, n_v = (size_t)size->n_v;
    memset(b->M, 0, n_vv);
    memset(b->C, 0, n_vv);
    memset(b->K, 0, n_vv);
    if (n_cv > 0) {
        memset(b->G, 0, n_cv);
        memset(b->Gq, 0, n_cv);
    }
    size_t n_xu = n_x + (size_t)n_inputs;
    memset(b->Rx, 0, sizeof(double) * n_xu * n_v);
    memset(b->Xq, 0, sizeof(double) * n_x * n_v);
    memset(b->Xv, 0, sizeof(double) * n_x * n_v);
    memset(b->Xx, 0, sizeof(double) * n_xu * n_x);
}

static FbStatus check_finite(const FbBlocks* b, double t, FbError* err) {
    if (fb_is_finite(b->K, fb_pattern_count(b->vv)) &&
        fb_is_finite(b->C, fb_pattern_count(b->vv))) {
        return FB_OK;
    }
    return fb_fail(err, FB_RETRY, NULL, "the derivatives of the forces are not finite at t = %g s",
                   t);
}

static void begin_blocks(FbSystem* s, const FbPoint* p, FbBlocks* b) {
    fb_slides_solve(s, p);  // uses M and G of the blocks, as accelerations do
    clear_blocks(&s->dynamics.size, s->m->n_inputs, b);
    fb_turns_predict(s, p->t);
    fb_system_realize(s, p->q, p->v, p->a);
}

static FbStatus jacobian(FbDynamics* d, const FbPoint* p, FbBlocks* out, FbError* err) {
    FbSystem* s = fb_system_of(d);
    FbBlocks* b = &s->blocks;
    begin_blocks(s, p, b);
    fb_tree_add_derivatives(&s->m->tree, &s->k, b->vv, b->M, b->C, b->K);
    fb_parts_add_blocks(s, p, b);
    if (d->size.n_c > 0) {
        fb_rows_realize(s, p->q, p->v, true);
        fb_rows_add_blocks(s, p, b);
    }
    add_state_blocks(s, p, b);
    s->kkt.is_factored = false;  // the mass matrix and G of the factorization were overwritten
    *out = *b;
    return check_finite(b, p->t, err);
}

static FbStatus plain_jacobian(FbDynamics* d, const FbPoint* p, FbBlocks* out, FbError* err) {
    FbSystem* s = fb_system_of(d);
    if (!fb_tapes_calc_blocks(s, p, &s->blocks)) {
        return jacobian(d, p, out, err);
    }
    s->kkt.is_factored = false;
    *out = s->blocks;
    return FB_OK;
}

static FbStatus split_jacobian(FbDynamics* d, const FbPoint* p, FbBlocks* out, FbError* err) {
    FbSystem* s = fb_system_of(d);
    FbBlocks* b = &s->split;
    begin_blocks(s, p, b);
    fb_parts_add_blocks(s, p, b);
    add_state_blocks(s, p, b);
    fb_tree_realize_subtrees(&s->m->tree, &s->k);
    *out = *b;
    return check_finite(b, p->t, err);
}

static void powers(FbDynamics* d, const FbPoint* p, double* rate) {
    FbSystem* s = fb_system_of(d);
    rate[0] = rate[1] = 0.0;
    if (!s->linear.arena) {  // linear parts do without links
        fb_slides_solve(s, p);
        fb_turns_predict(s, p->t);
        fb_system_realize(s, p->q, p->v, s->m->has_structures ? p->a : NULL);
    }
    fb_parts_add_powers(s, p, &rate[0], &rate[1]);
    fb_carriages_realize(s, p->q, p->v);
    for (int c = 0; c < d->size.n_c; c++) {
        const FbRow* row = &s->m->rows[s->active[c]];
        if (row->carriage && s->m->sliders[row->owner].coordinate_v < 0) {
            rate[0] += p->lambda[c] * s->carriages[row->carriage - 1].by_s[row->component] *
                       s->motion[row->owner].ds;
        }
        if (row->law >= 0) {
            double law[3];
            fb_law_now(s, row->law, p->t, law);
            rate[0] -= p->lambda[c] * law[1];
        }
    }
}

static FbStatus position_error(FbDynamics* d, double t, const double* q, double* g) {
    FbSystem* s = fb_system_of(d);
    fb_turns_predict(s, t);
    fb_system_realize(s, q, NULL, NULL);
    fb_rows_realize(s, q, NULL, true);
    for (int c = 0; c < d->size.n_g; c++) {
        g[c] = fb_row_calc_error(s, s->active[c], t);
    }
    return fb_is_finite(g, d->size.n_g) ? FB_OK : FB_RETRY;
}

static void at_states(FbDynamics* d, const double* x) {
    fb_carriages_set_states(fb_system_of(d), x);
}

static void plus(const FbDynamics* d, const double* q0, const double* xi, double* q) {
    fb_tree_plus(&((const FbSystem*)d)->m->tree, q0, xi, q);
}
static void minus(const FbDynamics* d, const double* q, const double* q0, double* xi) {
    fb_tree_minus(&((const FbSystem*)d)->m->tree, q, q0, xi);
}
static void chart_rate(const FbDynamics* d, const double* xi, const double* v, double* xi_rate) {
    fb_tree_chart_rate(&((const FbSystem*)d)->m->tree, xi, v, xi_rate);
}
static void coordinate_rates(const FbDynamics* d, const double* q, const double* v,
                             double* q_rate) {
    fb_tree_coordinate_rates(&((const FbSystem*)d)->m->tree, q, v, q_rate);
}

static void roots(FbDynamics* d, const FbPoint* p, double* values) {
    FbSystem* s = fb_system_of(d);
    if (!d->has_roots_of_time) {
        fb_turns_predict(s, p->t);
        fb_system_realize(s, p->q, p->v, NULL);
    }
    fb_parts_calc_roots(s, p, values);
}

static bool is_armed(const FbDynamics* d, int root, double t) {
    const FbSystem* s = (const FbSystem*)d;
    int own;
    const FbPartKind* kind = fb_parts_find_root(s, root, &own);
    return !kind->is_armed || kind->is_armed(s, own, t);
}

static void at_break(FbDynamics* d, const FbPoint* p) {
    fb_parts_at_break(fb_system_of(d), p);
}

static double next_break(const FbDynamics* d, double t) {
    const FbSystem* s = (const FbSystem*)d;
    double first = fb_parts_next_break(s, t);
    for (int i = 0; i < s->m->n_laws; i++) {
        first = fmin(first, fb_law_next_break(&s->m->laws[s->law_of[i]], t));
    }
    return first;
}

// Do only laws of forces, which do not jump in what they are for, have this break? Driven rows and
// parts that change at a break need a step that ends there.
static bool is_corner(const FbDynamics* d, double t) {
    const FbSystem* s = (const FbSystem*)d;
    double before = nextafter(t, -INFINITY);
    if (fb_parts_next_break(s, before) <= t) {
        return false;
    }
    for (int r = 0; r < s->m->n_rows; r++) {
        int law = s->m->rows[r].law;
        if (law >= 0 && fb_law_next_break(&s->m->laws[s->law_of[law]], before) <= t) {
            return false;
        }
    }
    return true;
}

// Dropped rows are checked against this; beyond it they are not redundant after all and the choice
// is made again.
static const double REDUNDANT_ERROR = 1e-8;

// ... and beyond this, where the choice stays as it was, they contradict the others.
static const double CONTRADICTION = 1e-6;

// A dropped row that is violated by more than `limit` of its size; -1: none.
static int violated_row(FbSystem* s, const FbPoint* p, double limit) {
    if (s->dynamics.size.n_c == s->m->n_rows) {
        return -1;
    }
    fb_rows_realize(s, p->q, p->v, false);
    for (int r = 0; r < s->m->n_rows; r++) {
        if (s->slot_of_row[r] < 0 && s->m->rows[r].is_holonomic &&
            fabs(fb_row_calc_error(s, r, p->t)) > limit * fb_row_calc_size(s, r, true)) {
            return r;
        }
    }
    return -1;
}

static FbStatus report_contradiction(FbSystem* s, const FbPoint* p, int r, FbError* err) {
    const FbModel* m = s->m;
    const FbRow* row = &m->rows[r];
    const FbPlace* place = row->carriage   ? &m->sliders[row->owner].place
                           : row->is_joint ? &m->joints[row->owner].place
                                           : &m->constraints[row->owner].place;
    char name[200];
    fb_system_write_row(s, r, name, sizeof name);
    return fb_fail(
        err, FB_ERR_ASSEMBLY, place,
        "at t = %g s the %s contradicts the other constraints: it is violated by %.3g (m "
        "or rad); drive fewer coordinates, or make the laws consistent",
        p->t, name, fabs(fb_row_calc_error(s, r, p->t)));
}

// Other rows where redundant ones are violated, or where the kept ones come near to losing rank.
static FbStatus adapt_rows(FbSystem* s, const FbPoint* p, bool* has_changed, FbError* err) {
    if (violated_row(s, p, REDUNDANT_ERROR) >= 0) {
        int before = s->dynamics.size.n_c;
        *has_changed = true;
        FB_TRY(fb_rows_choose(s, p->q, err));
        s->dynamics.row_changes += s->dynamics.size.n_c > before;
        return FB_OK;
    }
    FB_TRY(fb_rows_improve(s, p, NULL, has_changed, err));
    s->dynamics.keeps_motion = *has_changed;
    return FB_OK;
}

static FbStatus accepted(FbDynamics* d, FbPoint* p, bool* has_changed, FbError* err) {
    FbSystem* s = fb_system_of(d);
    *has_changed = d->keeps_motion = false;
    FB_TRY(fb_parts_check(s, p, err));
    FB_TRY(fb_locks_accept(s, p->t, err));
    bool may_change = fb_charts_may_change(s, p->q);
    if (s->m->n_turns == 0 && d->size.n_c == s->m->n_rows && !may_change) {
        return FB_OK;
    }
    fb_turns_predict(s, p->t);
    fb_system_realize(s, p->q, p->v, NULL);
    *has_changed = may_change && fb_charts_accept(s, p);
    FB_TRY(fb_turns_accept(s, p, err));
    bool has_other_rows = false;
    FB_TRY(adapt_rows(s, p, &has_other_rows, err));
    d->keeps_motion &= !*has_changed;  // other coordinates are another matter
    *has_changed = *has_changed || has_other_rows;
    if (!*has_changed) {
        return FB_OK;
    }
    memset(p->lambda, 0, sizeof(double) * (size_t)s->m->n_rows);
    at_states(d, p->x);
    FB_TRY(fb_system_project_position(d, p->t, p->q, NULL, err));
    FB_TRY(fb_system_project_velocity(d, p->t, p->q, p->v, NULL, err));
    fb_system_realize(s, p->q, p->v, NULL);
    int contradicting = violated_row(s, p, CONTRADICTION);
    if (contradicting >= 0) {
        return report_contradiction(s, p, contradicting, err);
    }
    return fb_system_accelerations(d, p, err);
}

static FbStatus event(FbDynamics* d, FbPoint* p, int root, int direction, bool* has_changed,
                      bool* stop, FbError* err) {
    FbSystem* s = fb_system_of(d);
    int own;
    const FbPartKind* kind = fb_parts_find_root(s, root, &own);
    *has_changed = *stop = false;
    (void)direction;
    return kind->cross(s, p, own, has_changed, stop, err);
}

static const char* name_of_velocity(const FbDynamics* d, int j) {
    const FbSystem* s = (const FbSystem*)d;
    if (j < 0 || j >= s->m->tree.n_v) {
        return "an unknown part";
    }
    const FbLink* link = &s->m->tree.links[s->m->tree.link_of_v[j]];
    if (link->joint >= 0) {
        return s->m->joints[link->joint].name;
    }
    int body = link->body;
    for (int l = s->m->tree.link_of_v[j]; body < 0 && l < s->m->tree.n_link; l++) {
        body = s->m->tree.links[l].body;
    }
    return body >= 0 ? s->m->bodies[body].name : "a body";
}

const FbDynamicsOps fb_system_ops = {
    .residual = residual,
    .residuals = fb_system_residuals,
    .jacobian = jacobian,
    .plain_jacobian = plain_jacobian,
    .split_jacobian = split_jacobian,
    .find_travelling = fb_system_find_travelling,
    .calc_travelling = fb_system_calc_travelling,
    .find_linear = fb_system_find_linear,
    .find_moving = fb_system_find_moving,
    .calc_linear = fb_system_calc_linear,
    .add_reaction = fb_system_add_reaction,
    .calc_offsets = fb_system_calc_offsets,
    .accelerations = fb_system_accelerations,
    .fastest_rate = fb_system_calc_fastest_rate,
    .costs = fb_system_calc_costs,
    .powers = powers,
    .all_powers = fb_system_all_powers,
    .state_rates = state_rates,
    .position_error = position_error,
    .at_states = at_states,
    .project_position = fb_system_project_position,
    .project_velocity = fb_system_project_velocity,
    .plus = plus,
    .minus = minus,
    .chart_rate = chart_rate,
    .turn_nodes = fb_system_turn_nodes,
    .coordinate_rates = coordinate_rates,
    .roots = roots,
    .is_armed = is_armed,
    .next_break = next_break,
    .at_break = at_break,
    .is_corner = is_corner,
    .check_step = fb_turns_check,
    .accepted = accepted,
    .enter_sample = fb_system_enter_sample,
    .leave_sample = fb_system_leave_sample,
    .event = event,
    .hold_pieces = fb_system_hold_pieces,
    .depths = fb_system_calc_depths,
    .change_piece = fb_system_change_piece,
    .follow_pieces = fb_system_follow_pieces,
    .is_touch = fb_system_is_touch,
    .free_piece = fb_system_free_piece,
    .slide = fb_system_slide,
    .settle = fb_system_settle,
    .reset_idle_pieces = fb_system_reset_idle_pieces,
    .name_of_switch = fb_system_name_switch,
    .trouble = fb_system_trouble,
    .singularity = fb_locks_trouble,
    .name_of_velocity = name_of_velocity,
};

void fb_system_begin(FbSystem* s, const FbPoint* p) {
    fb_system_realize(s, p->q, p->v, NULL);
    fb_parts_begin(s, p);
}

void fb_system_move_to(FbSystem* s, const FbPoint* p) {
    fb_system_realize(s, p->q, p->v, NULL);
    fb_turns_start(s, p->t, p->q);
    if (s->m->n_sliders > 0 && fb_part_sliders.begin) {
        fb_part_sliders.begin(s, p);
    }
}

const char* fb_system_get_event_name(const FbSystem* s, int root) {
    int own;
    const FbPartKind* kind = fb_parts_find_root(s, root, &own);
    return kind->name_of_root ? kind->name_of_root(s->m, own) : NULL;
}

int fb_system_get_event_direction(const FbSystem* s, int root) {
    int own;
    const FbPartKind* kind = fb_parts_find_root(s, root, &own);
    return kind->direction_of_root ? kind->direction_of_root(s->m, own) : 0;
}

bool fb_system_write_note(const FbSystem* s, int index, char* text, size_t size) {
    return fb_parts_write_note(s, index, text, size);
}
