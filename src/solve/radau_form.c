// The form in which Newton's iteration of a Radau step sees the equations of motion: r = 0, or
// solved for the accelerations (5.19) where M(q) changes much more than the motion does.
#include "solve/radau.h"

// r in the solved form (5.19): M of the last Jacobian times what a differs from the forward
// dynamics.
static FbStatus solved_residual(FbRadau* r, const FbPoint* p, double* out, double* x_rate) {
    FbDynamics* d = r->base.dynamics;
    FbPoint at = *p;
    FbError ignored;
    at.a = r->a_solved;
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
        FbStatus status = d->ops->accelerations(d, &p, err);
        if (status != FB_OK) {
            return status;
        }
    }
    return fb_newton_calc_blocks(d, &p, blocks, err);
}

bool fb_radau_try_form(FbRadau* r, double theta) {
    FbRadauForm* f = &r->form;
    bool can = r->size.n_c == 0 && r->base.dynamics->has_fast_accelerations;
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
