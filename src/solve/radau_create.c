// Memory of radau.
#include <stdlib.h>

#include "solve/point.h"
#include "solve/radau.h"
#include "solve/radau_travel.h"

static void take_step(FbArena* a, const FbSizes* n, FbCollocation* c) {
    enum { S = FB_RADAU_MAX_STAGES };
    c->method = NULL;
    fb_point_take(a, n, &c->start);
    fb_point_take(a, n, &c->end);
    c->x_rate = FB_TAKE(a, double, n->n_x + 1);
    c->a = FB_TAKE(a, double, S * n->n_v + 1);
    c->xi_rate = FB_TAKE(a, double, S * n->n_v + 1);
    c->x_rates = FB_TAKE(a, double, S * n->n_x + 1);
    c->lambda = FB_TAKE(a, double, S * n->n_c + 1);
    c->power = FB_TAKE(a, double, S * n->n_w + 1);
    c->xi_end = FB_TAKE(a, double, n->n_v + 1);
    c->xi_rate_end = FB_TAKE(a, double, n->n_v + 1);
    c->xi_acc_end = FB_TAKE(a, double, n->n_v + 1);
}

static void take_work(FbRadau* r) {
    enum { S = FB_RADAU_MAX_STAGES };
    FbArena* a = r->arena;
    const FbSizes* n = &r->size;
    r->V = FB_TAKE(a, double, S * n->n_v + 1);
    r->xi = FB_TAKE(a, double, S * n->n_v + 1);
    r->x = FB_TAKE(a, double, S * n->n_x + 1);
    r->R = FB_TAKE(a, double, S * n->n_v + 1);
    r->P = FB_TAKE(a, double, S * n->n_v + 1);
    r->S = FB_TAKE(a, double, S * n->n_x + 1);
    r->D = FB_TAKE(a, double, S * n->n_c + 1);
    r->Dq = FB_TAKE(a, double, S * n->n_c + 1);
    r->b = FB_TAKE(a, double, 2 * (n->n_v + n->n_x + n->n_c) + 2);
    for (int k = 0; k <= FB_RADAU_MAX_PAIRS; k++) {
        r->w[k] = FB_TAKE(a, double, 2 * (n->n_v + n->n_x + n->n_c) + 2);
        r->w_xi[k] = FB_TAKE(a, double, 2 * n->n_v + 2);
    }
    r->slow_error = FB_TAKE(a, double, n->n_v + n->n_x + n->n_c + 1);
    r->bxi = FB_TAKE(a, double, 2 * n->n_v + 2);
    r->error_v = FB_TAKE(a, double, n->n_v + 1);
    r->error_xi = FB_TAKE(a, double, n->n_v + 1);
    r->error_x = FB_TAKE(a, double, n->n_x + 1);
    r->a_solved = FB_TAKE(a, double, n->n_v + 1);
    r->lambda_solved = FB_TAKE(a, double, n->n_c + 1);
    r->q_stages = FB_TAKE(a, double, S * n->n_q + 1);
    r->q_stage = FB_TAKE(a, double, n->n_q + 1);
    r->q_blocks = FB_TAKE(a, double, n->n_q + 1);
    r->increments = FB_TAKE(a, double, S * n->n_v + 1);
    r->work_q = FB_TAKE(a, double, n->n_q + 1);
    r->work = FB_TAKE(a, double, n->n_v + n->n_x + 1);
    r->lambda_before = FB_TAKE(a, double, S * n->n_c + 1);
    r->power_free = FB_TAKE(a, double, n->n_w + 1);
    r->x_rate = FB_TAKE(a, double, n->n_x + 1);
}

FbStatus fb_radau_allocate(FbRadau* r, FbError* err) {
    FbArena* arena = fb_arena_create();
    if (!arena) {
        return fb_fail_memory(err);
    }
    fb_arena_destroy(r->arena);
    r->arena = arena;
    r->size = r->base.dynamics->size;
    for (int i = 0; i < 3; i++) {
        take_step(arena, &r->size, &r->steps[i]);
    }
    take_work(r);
    fb_point_take(arena, &r->size, &r->at);
    fb_weights_init(&r->weights, r->base.dynamics, arena);
    fb_noise_init(&r->noise, r->base.dynamics, arena);
    if (fb_arena_has_failed(arena)) {
        return fb_fail_memory(err);
    }
    r->now = &r->steps[0];
    r->last = &r->steps[1];
    r->spare = &r->steps[2];
    return FB_OK;
}

void fb_radau_destroy(FbIntegrator* self) {
    FbRadau* r = (FbRadau*)self;
    if (!r) {
        return;
    }
    fb_newton_matrix_destroy(r->matrix);
    fb_radau_full_destroy(r->full);
    fb_radau_travel_destroy(r->travel);
    fb_arena_destroy(r->arena);
    free(r);
}

FbStatus fb_radau_create(FbDynamics* d, const FbIntegratorOptions* o, FbIntegrator** out,
                         FbError* err) {
    *out = NULL;
    if (o->order != 0 && o->order != 5 && o->order != 9 && o->order != 13) {
        return fb_fail(err, FB_ERR_RANGE, NULL,
                       "order %d of radau; it must be 0 (adaptive), 5, 9 or 13", o->order);
    }
    FbRadau* r = calloc(1, sizeof *r);
    if (!r) {
        return fb_fail_memory(err);
    }
    r->base.type = &fb_integrator_radau;
    r->base.dynamics = d;
    r->base.options = *o;
    for (int i = 0; i < FB_RADAU_METHODS; i++) {
        r->methods[i].s = 3 + 2 * i;  // the rest is calculated where it is needed
        r->methods[i].n_pair = 1 + i;
    }
    fb_radau_set_powers(r);
    FbStatus status = fb_radau_allocate(r, err);
    if (status != FB_OK) {
        fb_radau_destroy(&r->base);
        return status;
    }
    *out = &r->base;
    return FB_OK;
}
