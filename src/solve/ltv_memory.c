// What the integrator of linear structures remembers from step to step.
#include "solve/ltv.h"
#include "solve/point.h"

void fb_ltv_remember(FbIntegrator* self, FbMemory* m) {
    FbLtv* s = (FbLtv*)self;
    int n = s->unknowns.n, n_w = s->size.n_w;
    FbLtvStages* c = s->now;
    // Amplitudes of modes or displacements: others mean nothing here, and the method begins anew.
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
    FB_REMEMBER(m, s->was_rejected);
    FB_REMEMBER(m, s->is_first);
    fb_weights_remember(&s->weights, &s->size, m);
}
