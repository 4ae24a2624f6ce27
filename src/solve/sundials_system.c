// The equations as SUNDIALS sees them: the state z, its rates and its error weights.
#include <math.h>

#include "solve/point.h"
#include "solve/sundials_parts.h"

FbPoint fb_sundials_view(const FbSundials* s, double t, double* y) {
    const FbSizes* n = &s->size;
    return (FbPoint){
        .t = t,
        .q = y,
        .v = y + n->n_q,
        .x = y + n->n_q + n->n_v,
        .w = y + n->n_q + n->n_v + n->n_x,
        .lambda = s->package->has_multipliers ? y + n->n_q + n->n_v + n->n_x + n->n_w : NULL};
}

void fb_sundials_copy_state(const FbSundials* s, const FbPoint* from, FbPoint* to) {
    to->t = from->t;
    fb_array_copy(to->q, from->q, s->size.n_q);
    fb_array_copy(to->v, from->v, s->size.n_v);
    fb_array_copy(to->x, from->x, s->size.n_x);
    fb_array_copy(to->w, from->w, s->size.n_w);
}

void fb_sundials_copy_shifted(const FbSundials* s, double t, N_Vector z, FbPoint* p) {
    FbPoint raw = fb_sundials_view(s, t, N_VGetArrayPointer(z)),
            o = fb_sundials_view(s, t, s->offset);
    fb_sundials_copy_state(s, &raw, p);
    for (int i = 0; i < s->size.n_q; i++) {
        p->q[i] += o.q[i];
    }
    for (int j = 0; j < s->size.n_v; j++) {
        p->v[j] += o.v[j];
    }
}

static FbStatus project(FbSundials* s, FbPoint* p, FbError* err) {
    FbDynamics* d = s->base.dynamics;
    fb_dynamics_tell_states(d, p->x);
    if (d->ops->project_position) {
        FbStatus status = d->ops->project_position(d, p->t, p->q, NULL, err);
        if (status != FB_OK) {
            return status;
        }
    }
    return d->ops->project_velocity ? d->ops->project_velocity(d, p->t, p->q, p->v, NULL, err)
                                    : FB_OK;
}

FbStatus fb_sundials_realize(FbSundials* s, double t, N_Vector z, FbPoint* p) {
    fb_sundials_copy_shifted(s, t, z, p);
    s->failure = project(s, p, &s->error);
    if (s->failure == FB_OK) {
        s->stats.rhs_evals++;
        s->failure = s->base.dynamics->ops->accelerations(s->base.dynamics, p, &s->error);
    }
    s->has_no_value = s->has_no_value || s->failure > 0;
    return s->failure;
}

int fb_sundials_calc_rates(realtype t, N_Vector z, N_Vector z_dot, void* self) {
    FbSundials* s = self;
    FbDynamics* d = s->base.dynamics;
    FbPoint* p = &s->work;
    if (fb_sundials_realize(s, t, z, p) != FB_OK) {
        return s->failure > 0 ? 1 : -1;
    }
    FbPoint rates = fb_sundials_view(s, t, N_VGetArrayPointer(z_dot));
    d->ops->coordinate_rates(d, p->q, p->v, rates.q);
    fb_array_copy(rates.v, p->a, s->size.n_v);
    if (s->size.n_x > 0) {
        d->ops->state_rates(d, p, rates.x);
    }
    if (s->size.n_w > 0) {
        d->ops->powers(d, p, rates.w);
    }
    return 0;
}

// SUNDIALS keeps the error of each of its many short steps at the tolerance, and all of them add
// up: for an error of the motion of about the requested size, as with the other methods, the steps
// get this fraction of it (theory manual, eq. 5.20).
static double part_of_tolerance(const FbSundials* s) {
    static const double BDF = 0.01, ADAMS = 0.02, LEAST = 1e-14;  // LEAST: CVODE refuses less
    double rtol = s->base.options.rtol, least = fmin(rtol, LEAST);
    return fmax((s->is_bdf ? BDF : ADAMS) * rtol, least) / rtol;
}

// Multipliers are those of index 2: what rounding leaves in velocities changes them by M / h times
// that. They do not enter the error test, and Newton's iteration stops when the motion has
// converged; only changes of this part of the largest, in units of work (their rows have different
// ones), keep it going.
static void weigh_multipliers(const FbSundials* s, const double* lambda, double* inverse) {
    static const double PART = 0.1, LEAST = 1e-6;  // LEAST: of the scale of works
    const FbDynamics* d = s->base.dynamics;
    double work = LEAST * (d->w_scale > 0.0 ? d->w_scale : 1.0);
    for (int i = 0; i < s->size.n_c; i++) {
        work = fmax(work, fabs(lambda[i]) * (d->c_scale ? d->c_scale[i] : 1.0));
    }
    for (int i = 0; i < s->size.n_c; i++) {
        inverse[i] = (d->c_scale ? d->c_scale[i] : 1.0) / (PART * work);
    }
}

int fb_sundials_calc_weights(N_Vector z, N_Vector ewt, void* self) {
    FbSundials* s = self;
    double part = part_of_tolerance(s), rtol = part * s->base.options.rtol;
    double atol = part * s->base.options.atol;
    FbPoint p = s->work, w = fb_sundials_view(s, 0.0, N_VGetArrayPointer(ewt));
    fb_sundials_copy_shifted(s, 0.0, z, &p);
    fb_weights_set(&s->weights, s->base.dynamics, rtol, atol, &p);
    for (int i = 0; i < s->size.n_q; i++) {
        w.q[i] = s->weights.xi[s->weights.v_of_q[i]];
    }
    fb_array_copy(w.v, s->weights.v, s->size.n_v);
    fb_array_copy(w.x, s->weights.x, s->size.n_x);
    double work = s->base.dynamics->w_scale > 0.0 ? s->base.dynamics->w_scale : 1.0;
    for (int i = 0; i < s->size.n_w; i++) {
        w.w[i] = 1.0 / (rtol * (work + fabs(p.w[i])));
    }
    if (w.lambda) {
        weigh_multipliers(s, fb_sundials_view(s, 0.0, N_VGetArrayPointer(z)).lambda, w.lambda);
    }
    return 0;
}
