// What the Gauss methods remember from step to step.
#include "solve/gauss.h"
#include "solve/point.h"

void fb_gauss_remember(FbIntegrator* self, FbMemory* m) {
    FbGauss* s = (FbGauss*)self;
    const FbSizes* n = &s->size;
    int stages = s->method.s;
    double* of_v[] = {s->a, s->a_last, s->xi_rate};
    fb_point_remember(n, &s->at, m);
    for (size_t i = 0; i < sizeof of_v / sizeof of_v[0]; i++) {
        fb_memory_doubles(m, of_v[i], stages * n->n_v);
    }
    fb_memory_doubles(m, s->x_rates, stages * n->n_x);
    fb_memory_doubles(m, s->x_rates_last, stages * n->n_x);
    fb_memory_doubles(m, s->lambda, stages * n->n_c);
    fb_memory_doubles(m, s->xi0, n->n_v);
    fb_memory_doubles(m, s->x_rate, n->n_x);
    fb_memory_doubles(m, s->power, n->n_w);
    fb_weights_remember(&s->weights, n, m);
    FB_REMEMBER(m, s->stats);
    FB_REMEMBER(m, s->has_step);
    FB_REMEMBER(m, s->h_last);
    FB_REMEMBER(m, s->has_jacobian);
    FB_REMEMBER(m, s->is_jacobian_fresh);
    FB_REMEMBER(m, s->h_factored);
    FB_REMEMBER(m, s->contraction);
    fb_newton_matrix_remember(s->matrix, m);
    if (n->n_c > 0) {
        fb_gauss_rows_remember(s, m);
    }
}
