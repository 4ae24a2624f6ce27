// What the Radau methods remember from step to step.
#include "solve/point.h"
#include "solve/radau_travel.h"

static void remember_step(FbRadau* r, FbCollocation* c, FbMemory* m) {
    const FbSizes* n = &r->size;
    int method = c->method ? (int)(c->method - r->methods) : -1;
    fb_memory_index(m, &method, -1, FB_RADAU_METHODS - 1);
    if (m->is_loading) {
        if (method >= 0 && !r->is_known[method]) {
            fb_radau_method_init(&r->methods[method], 3 + 2 * method);
            r->is_known[method] = true;
        }
        c->method = method >= 0 ? &r->methods[method] : NULL;
    }
    if (!c->method) {
        return;
    }
    int s = c->method->s;
    FB_REMEMBER(m, c->t);
    FB_REMEMBER(m, c->h);
    fb_point_remember(n, &c->start, m);
    fb_point_remember(n, &c->end, m);
    fb_memory_doubles(m, c->x_rate, n->n_x);
    fb_memory_doubles(m, c->a, s * n->n_v);
    fb_memory_doubles(m, c->xi_rate, s * n->n_v);
    fb_memory_doubles(m, c->x_rates, s * n->n_x);
    fb_memory_doubles(m, c->lambda, s * n->n_c);
    FB_REMEMBER(m, c->is_lambda_good);
    fb_memory_doubles(m, c->power, s * n->n_w);
    fb_memory_doubles(m, c->xi_end, n->n_v);
    FB_REMEMBER(m, c->has_smooth_start);
    fb_memory_doubles(m, c->xi_rate_end, n->n_v);
    fb_memory_doubles(m, c->xi_acc_end, n->n_v);
}

static void remember_control(FbRadau* r, FbMemory* m) {
    FB_REMEMBER(m, r->stats);
    FB_REMEMBER(m, r->h);
    FB_REMEMBER(m, r->h_before);
    FB_REMEMBER(m, r->error_before);
    FB_REMEMBER(m, r->eta);
    FB_REMEMBER(m, r->theta);
    FB_REMEMBER(m, r->slow_theta);
    FB_REMEMBER(m, r->h_recent);
    FB_REMEMBER(m, r->theta_tried);
    FB_REMEMBER(m, r->is_first);
    FB_REMEMBER(m, r->was_rejected);
    FB_REMEMBER(m, r->was_inaccurate);
    FB_REMEMBER(m, r->is_patient);
    FB_REMEMBER(m, r->failures);
    FB_REMEMBER(m, r->h_limit);
    FB_REMEMBER(m, r->has_driven_work);
    FB_REMEMBER(m, r->leaps);
    FB_REMEMBER(m, r->steps_since_change);
    FB_REMEMBER(m, r->work_done);
    FB_REMEMBER(m, r->records);
    FB_REMEMBER(m, r->form);
    fb_memory_check_flag(m, &r->form.is_solved);
    fb_memory_check_flag(m, &r->form.is_trial);
    fb_noise_remember(&r->noise, m);
}

void fb_radau_remember(FbIntegrator* self, FbMemory* m) {
    FbRadau* r = (FbRadau*)self;
    const FbSizes* n = &r->size;
    fb_memory_index(m, &r->method, 0, FB_RADAU_METHODS - 1);
    fb_memory_index(m, &r->method_factored, 0, FB_RADAU_METHODS - 1);
    fb_point_remember(n, &r->at, m);
    fb_memory_doubles(m, r->x_rate, n->n_x);
    remember_step(r, r->last, m);
    remember_control(r, m);
    fb_weights_remember(&r->weights, n, m);
    fb_memory_doubles(m, r->q_blocks, n->n_q);
    FB_REMEMBER(m, r->is_slow_factored);
    FB_REMEMBER(m, r->has_jacobian);
    FB_REMEMBER(m, r->is_jacobian_fresh);
    FB_REMEMBER(m, r->h_factored);
    fb_newton_matrix_remember(r->matrix, m);
    fb_radau_full_remember(r, m);
    fb_radau_travel_remember(r, m);
}
