// What the integrator of linear structures remembers from step to step.
#include "solve/ltv.h"
#include "solve/point.h"

// Factors of lengths of steps that may come again, and those by which errors are filtered: sparse
// ones depend on pivots that were chosen before. Responses are calculated again.
static void remember_factors(FbLtv* s, FbMemory* m) {
    FB_REMEMBER(m, s->uses);
    for (int i = 0; i < s->n_sets && !m->has_failed; i++) {
        FbLtvFactors* f = &s->sets[i];
        FB_REMEMBER(m, f->h);
        FB_REMEMBER(m, f->used);
        for (int k = 0; f->h > 0.0 && k <= s->method.n_pair; k++) {
            if (s->unknowns.is_modal) {
                fb_memory_doubles(m, f->inverse[k], (k > 0 ? 2 : 1) * s->unknowns.n);
            } else {
                fb_linear_remember(f->system[k], m);
            }
        }
        f->has_columns = f->has_columns && !m->is_loading;
    }
    FB_REMEMBER(m, s->is_slow_factored);
    if (s->is_slow_factored && s->slow) {
        fb_linear_remember(s->slow, m);
    }
}

// Whether the unknowns are amplitudes of modes; when loading, they become what they were. The
// method has seen as many steps as before, so that it takes modes at its restart.
static void remember_unknowns(FbLtv* s, FbMemory* m) {
    bool has_tried = s->has_tried_modes, is_modal = s->unknowns.is_modal;
    FB_REMEMBER(m, has_tried);
    FB_REMEMBER(m, is_modal);
    FB_REMEMBER(m, s->stats);
    fb_point_remember(&s->size, &s->at, m);
    if (!m->is_loading || m->has_failed) {
        return;
    }
    FbError ignored;
    if (has_tried && !s->has_tried_modes &&
        s->base.type->restart(&s->base, &s->at, &ignored) != FB_OK) {
        m->has_failed = true;
    }
    m->has_failed =
        m->has_failed || s->has_tried_modes != has_tried || s->unknowns.is_modal != is_modal;
}

void fb_ltv_remember(FbIntegrator* self, FbMemory* m) {
    FbLtv* s = (FbLtv*)self;
    remember_unknowns(s, m);
    if (m->has_failed) {
        return;
    }
    int n = s->unknowns.n, n_w = s->size.n_w;
    FbLtvStages* c = s->now;
    int own = n;
    FB_REMEMBER(m, own);
    if (own != n) {
        m->has_failed = true;
        return;
    }
    fb_point_remember(&s->size, &s->at, m);
    fb_memory_doubles(m, c->y, n);
    fb_memory_doubles(m, c->v, n);
    fb_memory_doubles(m, c->a, n);
    fb_memory_doubles(m, c->w, n_w);
    fb_memory_doubles(m, c->power, n_w);
    FB_REMEMBER(m, s->stats);
    FB_REMEMBER(m, s->h);
    FB_REMEMBER(m, s->h_before);
    FB_REMEMBER(m, s->error_before);
    FB_REMEMBER(m, s->first_guess);
    FB_REMEMBER(m, s->first_part);
    FB_REMEMBER(m, s->was_rejected);
    FB_REMEMBER(m, s->is_first);
    fb_weights_remember(&s->weights, &s->size, m);
    remember_factors(s, m);
}
