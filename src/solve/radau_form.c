// The form in which Newton's iteration of a Radau step sees the equations of motion: r = 0, or
// solved for the accelerations (5.19) where M(q) changes much more than the motion does.
#include <string.h>

#include "solve/radau.h"

// r in the solved form (5.19): M of the last Jacobian times what a differs from the forward
// dynamics.
static FbStatus solved_residual(FbRadau* r, const FbPoint* p, double* out, double* x_rate) {
    FbDynamics* d = r->base.dynamics;
    FbPoint at = *p;
    FbError ignored;
    at.a = r->a_solved;
    at.lambda = r->lambda_solved;
    if (d->ops->accelerations(d, &at, &ignored) != FB_OK) {
        return FB_RETRY;
    }
    for (int k = 0; k < r->size.n_v; k++) {
        r->a_solved[k] = p->a[k] - r->a_solved[k];
        out[k] = 0.0;
    }
    fb_newton_matrix_add_mass_product(r->matrix, 1.0, r->a_solved, out);
    if (r->size.n_x > 0) {
        d->ops->state_rates(d, p, x_rate);
    }
    return FB_OK;
}

void fb_radau_calc_solved_rows(FbRadau* r, double* by_v, double* by_q) {
    memset(by_v, 0, sizeof(double) * (size_t)r->size.n_c);
    memset(by_q, 0, sizeof(double) * (size_t)r->size.n_c);
    fb_newton_matrix_add_constraint_product(r->matrix, r->a_solved, NULL, by_v);
    fb_newton_matrix_add_constraint_product(r->matrix, NULL, r->a_solved, by_q);
}

FbStatus fb_radau_residual(FbRadau* r, const FbPoint* p, double* out, double* x_rate,
                           double* gdot) {
    FbDynamics* d = r->base.dynamics;
    r->stats.rhs_evals++;
    r->stats.solved_evals += r->form.is_solved;
    return r->form.is_solved ? solved_residual(r, p, out, x_rate)
                             : d->ops->residual(d, p, out, x_rate, gdot);
}

FbStatus fb_radau_calc_blocks(FbRadau* r, FbBlocks* blocks, FbError* err) {
    FbDynamics* d = r->base.dynamics;
    FbPoint p = r->at;
    if (r->form.is_solved) {
        // The blocks are those of the solved form where r = 0, not where it is as small as Newton's
        // iteration left it.
        p.a = r->a_solved;
        p.lambda = r->lambda_solved;
        FbStatus status = d->ops->accelerations(d, &p, err);
        if (status != FB_OK) {
            return status;
        }
    }
    return fb_newton_calc_blocks(d, &p, blocks, err);
}

bool fb_radau_is_noise(FbRadau* r, const FbCollocation* c, double size) {
    static const double SMALL = 0.3;  // of the tolerance
    static const double REACH = 8.0;  // of iterations and stages
    FbDynamics* d = r->base.dynamics;
    int last = c->method->s - 1;
    FbError ignored;
    if (!r->form.is_solved || !(size < SMALL)) {
        return false;
    }
    FbPoint p = c->end;
    fb_radau_plus(r, c->start.q, r->xi + last * r->size.n_v, r->q_stage);
    p.q = r->q_stage;
    p.v = r->V + last * r->size.n_v;
    p.x = r->x + last * r->size.n_x;
    p.a = r->a_solved;
    p.lambda = r->lambda_solved;
    r->stats.rhs_evals += 1 + FB_NOISE_LOOKS;
    return d->ops->accelerations(d, &p, &ignored) == FB_OK &&
           fb_noise_measure(&r->noise, d, &r->weights, &p, FB_NOISE_START) &&
           size < REACH * c->h * r->noise.size;
}

bool fb_radau_try_form(FbRadau* r, double theta) {
    FbRadauForm* f = &r->form;
    // Of constraints that bodies of a millionth of the others' mass hold together.
    static const double LIGHT = 1e-6;
    bool is_light = r->size.n_c == 0 || fb_newton_matrix_calc_least_mass(r->matrix) < LIGHT;
    bool can = r->base.dynamics->has_fast_accelerations && is_light && !r->is_leaping;
    if (!can || f->is_solved || r->stats.steps < f->blocked_until) {
        return false;
    }
    *f = (FbRadauForm){true, true, theta, f->blocked_until, f->block};
    return true;
}

// A trial ends with the first step.
void fb_radau_judge_form(FbRadau* r, double theta) {
    static const int MAX_BLOCK = 6;
    FbRadauForm* f = &r->form;
    if (!f->is_trial) {
        return;
    }
    f->is_trial = false;
    if (!(theta < 0.5 * f->theta_before)) {
        f->is_solved = false;
        f->blocked_until = r->stats.steps + (20L << f->block);
        f->block = f->block < MAX_BLOCK ? f->block + 1 : f->block;
    }
}
