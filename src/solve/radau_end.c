// The end of a Radau step: quadratures, the last stage, and its projection onto the constraints.
#include <string.h>

#include "solve/point.h"
#include "solve/radau.h"

// Do the powers at p, just calculated, depend on the multipliers? They do where constraints are
// driven; once is enough to know.
static void detect_driven_work(FbRadau* r, FbPoint* p, const double* power) {
    int n_w = r->size.n_w, n_c = r->size.n_c;
    if (r->has_driven_work || n_c == 0) {
        return;
    }
    memset(r->D, 0, sizeof(double) * (size_t)n_c);
    p->lambda = r->D;
    r->base.dynamics->ops->powers(r->base.dynamics, p, r->power_free);
    for (int k = 0; k < n_w; k++) {
        r->has_driven_work |= r->power_free[k] != power[k];
    }
}

// Works over the step, by the quadrature of the method. Nothing depends on them and they have no
// say in the choice of steps; they are as accurate as the motion and the multipliers at the stages.
void fb_radau_calc_quadratures(FbRadau* r, FbCollocation* c) {
    FbDynamics* d = r->base.dynamics;
    const FbRadauMethod* m = c->method;
    int n_v = r->size.n_v, n_w = r->size.n_w;
    bool is_taped = d->has_tapes && n_w > 0;
    if (is_taped) {
        fb_radau_set_places(r, c);
        d->ops->all_powers(d, m->s, r->q_stages, r->V, c->power);
    }
    for (int i = 0; i < m->s && n_w > 0 && !is_taped; i++) {
        fb_radau_plus(r, c->start.q, r->xi + i * n_v, r->q_stage);
        FbPoint p = {.t = i == m->s - 1 ? c->end.t : c->t + m->c[i] * c->h,
                     .q = r->q_stage,
                     .v = r->V + i * n_v,
                     .a = c->a + i * n_v,
                     .x = r->x + i * r->size.n_x,
                     .lambda = c->lambda + i * r->size.n_c};
        d->ops->powers(d, &p, c->power + i * n_w);
        if (i == m->s - 1) {
            detect_driven_work(r, &p, c->power + i * n_w);
        }
    }
    for (int k = 0; k < n_w; k++) {
        double sum = 0.0;
        for (int i = 0; i < m->s; i++) {
            sum += m->A[m->s - 1][i] * c->power[i * n_w + k];
        }
        c->end.w[k] = c->start.w[k] + c->h * sum;
    }
}

// Fills c->end from the last stage (the method is stiffly accurate).
void fb_radau_take_end(FbRadau* r, FbCollocation* c) {
    int last = c->method->s - 1, n_v = r->size.n_v;
    fb_radau_plus(r, c->start.q, r->xi + last * n_v, c->end.q);
    fb_array_copy(c->end.v, r->V + last * n_v, n_v);
    fb_array_copy(c->end.a, c->a + last * n_v, n_v);
    fb_array_copy(c->end.x, r->x + last * r->size.n_x, r->size.n_x);
    fb_array_copy(c->end.lambda, c->lambda + last * r->size.n_c, r->size.n_c);
}

// How far the projection moved the end, in error weights.
static double projection_size(FbRadau* r, const FbCollocation* c) {
    const FbDynamics* d = r->base.dynamics;
    FbWorst moved = {0.0, -1};
    int n_v = r->size.n_v, last = c->method->s - 1;
    if (d->n_ball > 0) {
        d->ops->minus(d, c->end.q, r->work_q, r->work);
    } else {
        for (int k = 0; k < n_v; k++) {
            r->work[k] = c->end.q[k] - r->work_q[k];
        }
    }
    fb_weights_norm_v(&r->weights, n_v, r->weights.xi, r->work, &moved);
    for (int k = 0; k < n_v; k++) {
        r->work[k] = c->end.v[k] - r->V[last * n_v + k];
    }
    fb_weights_norm_v(&r->weights, n_v, r->weights.v, r->work, &moved);
    return moved.value;
}

// Projects the end; the accelerations of the last stage stay valid unless the projection moved it
// noticeably.
FbStatus fb_radau_project_end(FbRadau* r, FbCollocation* c, FbError* err) {
    static const double NOTICEABLE = 1e-2;  // of the tolerance
    FbDynamics* d = r->base.dynamics;
    if (!d->ops->project_position && !d->ops->project_velocity) {
        return FB_OK;
    }
    fb_array_copy(r->work_q, c->end.q, r->size.n_q);
    fb_dynamics_tell_states(d, c->end.x);
    if (d->ops->project_position) {
        FbStatus status = d->ops->project_position(d, c->end.t, c->end.q, NULL, err);
        if (status != FB_OK) {
            return status;
        }
    }
    if (d->ops->project_velocity) {
        FbStatus status = d->ops->project_velocity(d, c->end.t, c->end.q, c->end.v, NULL, err);
        if (status != FB_OK) {
            return status;
        }
    }
    if (projection_size(r, c) > NOTICEABLE || !c->is_lambda_good) {
        r->stats.rhs_evals++;
        return d->ops->accelerations(d, &c->end, err);
    }
    return FB_OK;
}
