// What a system remembers: rows in use, turns, charts, laws, pieces, and the memory of its parts.
#include <stdlib.h>
#include <string.h>

#include "system/part.h"

// The rows in use; loading may take memory.
static FbStatus remember_rows(FbSystem* s, FbMemory* m, FbError* err) {
    int n = s->m->n_rows;
    bool* is_dropped = calloc((size_t)n + 1, sizeof *is_dropped);
    if (!is_dropped) {
        return fb_fail_memory(err);
    }
    for (int r = 0; r < n; r++) {
        is_dropped[r] = s->slot_of_row[r] < 0;
    }
    fb_memory_flags(m, is_dropped, n);
    FbStatus status = FB_OK;
    if (m->is_loading && !m->has_failed) {
        status = fb_rows_use(s, is_dropped, err);
    }
    free(is_dropped);
    return status < 0 ? status : FB_OK;
}

// The factors that accelerations and projections share, with the blocks that they are of.
static void remember_kkt(FbSystem* s, FbMemory* m) {
    FbKkt* kkt = &s->kkt;
    bool has_solver = kkt->solver != NULL;
    FB_REMEMBER(m, has_solver);
    if (has_solver != (kkt->solver != NULL)) {
        m->has_failed = true;
        return;
    }
    if (!has_solver) {
        return;
    }
    int n_c = s->dynamics.size.n_c, n = s->dynamics.size.n_v + n_c;
    FB_REMEMBER(m, kkt->is_factored);
    FB_REMEMBER(m, kkt->is_projection);
    FB_REMEMBER(m, kkt->was_regular);
    fb_memory_doubles(m, kkt->q, s->dynamics.size.n_q);
    fb_memory_doubles(m, kkt->scale, n);
    fb_memory_doubles(m, s->blocks.M, fb_pattern_count(&s->m->vv));
    fb_memory_doubles(m, s->blocks.G, n_c > 0 ? fb_pattern_count(&s->cv) : 0);
    fb_linear_remember(kkt->solver, m);
}

static void remember_turns(FbSystem* s, FbMemory* m) {
    int n = s->m->n_turns;
    fb_memory_bytes(m, s->k.charts, sizeof *s->k.charts * (size_t)s->m->tree.n_charts);
    for (int i = 0; i < s->m->tree.n_charts; i++) {
        fb_memory_check_flag(m, &s->k.charts[i].is_changed);
    }
    fb_memory_doubles(m, s->turns, n);
    fb_memory_doubles(m, s->turn_angle, n);
    fb_memory_doubles(m, s->turn_rate, n);
    fb_memory_doubles(m, s->turn_pull, n);
    FB_REMEMBER(m, s->turn_time);
}

static void remember_laws(FbSystem* s, FbMemory* m) {
    fb_memory_doubles(m, s->inputs, s->m->n_inputs);
    for (int i = 0; i < s->m->n_laws; i++) {
        fb_memory_index(m, &s->law_of[i], 0, s->m->n_laws - 1);
    }
    bool* flags[] = {&s->is_held, &s->is_frozen, &s->is_parked, &s->are_drives_parked};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        FB_REMEMBER(m, *flags[i]);
    }
}

// Sizes by which errors are judged: as the run found them at its start.
static void remember_scales(FbSystem* s, FbMemory* m) {
    FbDynamics* d = &s->dynamics;
    fb_memory_doubles(m, s->v_scale, d->size.n_v);
    fb_memory_doubles(m, s->least_v, d->size.n_v);
    fb_memory_doubles(m, s->held_v, d->size.n_v);
    fb_memory_doubles(m, s->q_closed, d->size.n_q);
    fb_memory_doubles(m, s->c_scale, d->size.n_c);
    FB_REMEMBER(m, s->rate);
    FB_REMEMBER(m, s->load);
    FB_REMEMBER(m, d->w_scale);
    FB_REMEMBER(m, d->rounding);
    FB_REMEMBER(m, d->noise);
    FB_REMEMBER(m, d->row_changes);
    FB_REMEMBER(m, s->lock_steps);
}

static void remember_pieces(FbSystem* s, FbMemory* m) {
    FbSlides* x = &s->slides;
    int n = s->m->n_switches;
    FB_REMEMBER(m, s->holds_pieces);
    fb_memory_bytes(m, s->pieces, sizeof *s->pieces * (size_t)n);
    for (int i = 0; i < n; i++) {
        fb_memory_check_flag(m, &s->pieces[i].is_free);
    }
    fb_memory_index(m, &x->n, 0, FB_MAX_SLIDES);
    for (int k = 0; k < x->n && !m->has_failed; k++) {
        fb_memory_index(m, &x->index[k], 0, n - 1);
        fb_memory_index(m, &x->leader[k], -1, x->n - 1);
        FB_REMEMBER(m, x->is_idle[k]);
    }
    FB_REMEMBER(m, x->may_lead);
    fb_memory_indices(m, x->shared, 2, -1, n > 0 ? n - 1 : 0);
    FB_REMEMBER(m, x->shared_time);
    FB_REMEMBER(m, x->dt);
    bool has_shared = x->is_shared != NULL;
    FB_REMEMBER(m, has_shared);
    if (has_shared && x->is_shared) {
        fb_memory_flags(m, x->is_shared, s->m->n_outputs);
    }
}

FbStatus fb_system_remember(FbSystem* s, FbMemory* m, FbError* err) {
    FB_TRY(remember_rows(s, m, err));
    remember_turns(s, m);
    remember_laws(s, m);
    remember_scales(s, m);
    remember_pieces(s, m);
    fb_parts_remember(s, m);
    remember_kkt(s, m);
    return FB_OK;
}
