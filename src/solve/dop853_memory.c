// What dop853 remembers from step to step.
#include "solve/dop853.h"

// With radau, which has its memory since the restart at this point.
static void remember_crossing(FbCrossing* c, FbMemory* m) {
    bool has_radau = c->radau != NULL;
    FB_REMEMBER(m, has_radau);
    if (has_radau != (c->radau != NULL)) {
        m->has_failed = true;
        return;
    }
    FB_REMEMBER(m, c->is_active);
    FB_REMEMBER(m, c->is_over);
    fb_memory_text(m, c->warning, sizeof c->warning);
    if (has_radau) {
        c->radau->type->remember(c->radau, m);
    }
    FB_REMEMBER(m, c->longest);
    FB_REMEMBER(m, c->since);
    FB_REMEMBER(m, c->t_before);
    FB_REMEMBER(m, c->t_last);
    FB_REMEMBER(m, c->least_leverage);
    FB_REMEMBER(m, c->is_beside);
    FB_REMEMBER(m, c->t_begin);
    FB_REMEMBER(m, c->count);
    FB_REMEMBER(m, c->t_first);
}

void fb_dop_remember(FbIntegrator* self, FbMemory* m) {
    FbDop* s = (FbDop*)self;
    fb_memory_doubles(m, s->y, s->n);
    fb_memory_doubles(m, s->k[0], s->n);
    fb_memory_doubles(m, s->k[12], s->n);
    fb_memory_doubles(m, s->lambda, s->size.n_c);
    FB_REMEMBER(m, s->t);
    FB_REMEMBER(m, s->h);
    FB_REMEMBER(m, s->h_old);
    FB_REMEMBER(m, s->error_before);
    FB_REMEMBER(m, s->was_rejected);
    FB_REMEMBER(m, s->stats);
    FB_REMEMBER(m, s->stiff_hits);
    FB_REMEMBER(m, s->calm_hits);
    fb_weights_remember(&s->weights, &s->size, m);
    fb_noise_remember(&s->noise, m);
    remember_crossing(&s->crossing, m);
}
