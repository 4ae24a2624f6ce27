// What the generalized-alpha method remembers from step to step.
#include "solve/alpha.h"
#include "solve/point.h"

void fb_alpha_remember(FbIntegrator* self, FbMemory* m) {
    FbAlpha* s = (FbAlpha*)self;
    const FbSizes* n = &s->size;
    double* of_v[] = {s->A, s->A_before, s->a_before};
    double* of_x[] = {s->B, s->B_before, s->x_rate, s->x_rate_before};
    fb_point_remember(n, &s->at, m);
    for (size_t i = 0; i < sizeof of_v / sizeof of_v[0]; i++) {
        fb_memory_doubles(m, of_v[i], n->n_v);
    }
    for (size_t i = 0; i < sizeof of_x / sizeof of_x[0]; i++) {
        fb_memory_doubles(m, of_x[i], n->n_x);
    }
    fb_memory_doubles(m, s->lambda_before, n->n_c);
    fb_memory_doubles(m, s->power, n->n_w);
    fb_weights_remember(&s->weights, n, m);
    FB_REMEMBER(m, s->stats);
    FB_REMEMBER(m, s->has_step);
    FB_REMEMBER(m, s->h_of_A);
    FB_REMEMBER(m, s->h_before);
    FB_REMEMBER(m, s->has_jacobian);
    FB_REMEMBER(m, s->is_jacobian_fresh);
    FB_REMEMBER(m, s->h_factored);
    FB_REMEMBER(m, s->contraction);
    FB_REMEMBER(m, s->h);
    FB_REMEMBER(m, s->was_rejected);
    fb_newton_matrix_remember(s->matrix, m);
}
