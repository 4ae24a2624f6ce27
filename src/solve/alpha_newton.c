// The nonlinear system of a step of the generalized-alpha method, and its local error.
//
// Unknowns are v', x' and the multipliers at the end of the step; with auxiliary accelerations A,
//   (1 - m) A1 + m A0 = (1 - f) v1' + f v0',
//   v1 = v0 + h ((1 - gamma) A0 + gamma A1),
//   q1 = q0 (+) xi,  xi = h v0 + h^2 ((1/2 - beta) A0 + beta A1),
// and the residual and the velocity rows hold at the end: Arnold & Bruels, Convergence of the
// generalized-alpha scheme for constrained mechanical systems, Multibody Syst. Dyn. 18 (2007);
// states as in Bruels & Arnold, J. Comput. Nonlinear Dyn. 3 (2008).
#include <math.h>
#include <string.h>

#include "solve/alpha.h"
#include "solve/point.h"

// Increments of the motion, of the tolerance, at which Newton's iteration ends.
static const double NEWTON = 0.03;
// Increments that no longer shrink are rounding below this part of the tolerance.
static const double NOISE = 0.2;

double fb_alpha_shift(const FbAlphaMethod* m, double h) {
    return m->gamma / (m->beta * h);
}

// The matrix knows one shift, s2: with ratio M and the rows of the states divided by the ratio its
// systems are those of eq. (5.44).
static void scale_blocks(FbAlpha* s, FbBlocks* blocks) {
    double ratio = s->method.ratio;
    int n_vx = s->size.n_v * s->size.n_x, vv = fb_pattern_count(blocks->vv);
    for (int k = 0; k < vv; k++) {
        s->M[k] = ratio * blocks->M[k];
    }
    for (int k = 0; k < n_vx; k++) {
        s->Xq[k] = blocks->Xq[k] / ratio;
        s->Xv[k] = blocks->Xv[k] / ratio;
    }
    for (int k = 0; k < s->size.n_x * s->size.n_x; k++) {
        s->Xx[k] = blocks->Xx[k] / ratio;
    }
    blocks->M = s->M;
    blocks->Xq = s->Xq;
    blocks->Xv = s->Xv;
    blocks->Xx = s->Xx;
}

static FbStatus fit_matrix(FbAlpha* s, const FbBlocks* blocks, FbError* err) {
    FbDynamics* d = s->base.dynamics;
    int vv = fb_pattern_count(blocks->vv);
    if (vv > s->n_scaled) {
        s->M = FB_TAKE(s->arena, double, vv + 1);
        s->n_scaled = vv;
        if (fb_arena_has_failed(s->arena)) {
            return fb_fail_memory(err);
        }
    }
    return fb_newton_matrix_renew(d, blocks, 0, &s->matrix, err);
}

FbStatus fb_alpha_calc_blocks(FbAlpha* s, const FbPoint* p, FbError* err) {
    FbBlocks blocks;
    memset(&blocks, 0, sizeof blocks);
    FbStatus status = s->base.dynamics->ops->jacobian(s->base.dynamics, p, &blocks, err);
    if (status != FB_OK) {
        return status;
    }
    FB_TRY(fit_matrix(s, &blocks, err));
    scale_blocks(s, &blocks);
    // The increment of the chart is that of xi itself: no part of the rotation speed.
    memset(s->work, 0, sizeof(double) * (size_t)s->size.n_v);
    fb_newton_matrix_set_blocks(s->matrix, &blocks, s->work);
    fb_contraction_forget(&s->contraction);
    s->stats.jacobian_evals++;
    s->has_jacobian = s->is_jacobian_fresh = true;
    s->h_factored = 0.0;
    return FB_OK;
}

FbStatus fb_alpha_factor(FbAlpha* s, double h) {
    s->stats.factorizations++;
    s->h_factored = 0.0;
    FbStatus status = fb_newton_matrix_factor(s->matrix, 0, fb_alpha_shift(&s->method, h));
    if (status == FB_OK) {
        s->h_factored = h;
        fb_contraction_forget(&s->contraction);
    }
    return status;
}

// The auxiliary rates at the end from the true ones.
static void follow(const FbAlphaMethod* m, int n, const double* start, const double* rate,
                   const double* rate_end, double* end) {
    for (int k = 0; k < n; k++) {
        end[k] = ((1.0 - m->f) * rate_end[k] + m->f * rate[k] - m->m * start[k]) / (1.0 - m->m);
    }
}

void fb_alpha_finish(FbAlpha* s) {
    follow(&s->method, s->size.n_v, s->A, s->at.a, s->end.a, s->A_end);
    follow(&s->method, s->size.n_x, s->B, s->x_rate, s->x_rate_end, s->B_end);
}

static void place_end(FbAlpha* s) {
    const FbDynamics* d = s->base.dynamics;
    if (d->n_ball > 0) {
        d->ops->plus(d, s->at.q, s->xi, s->end.q);
        return;
    }
    for (int k = 0; k < s->size.n_v; k++) {
        s->end.q[k] = s->at.q[k] + s->xi[k];
    }
}

// The end from the rates there.
static void move_end(FbAlpha* s, double h) {
    const FbAlphaMethod* m = &s->method;
    fb_alpha_finish(s);
    for (int k = 0; k < s->size.n_v; k++) {
        s->end.v[k] = s->at.v[k] + h * ((1.0 - m->gamma) * s->A[k] + m->gamma * s->A_end[k]);
        s->xi[k] = h * s->at.v[k] + h * h * ((0.5 - m->beta) * s->A[k] + m->beta * s->A_end[k]);
    }
    for (int k = 0; k < s->size.n_x; k++) {
        s->end.x[k] = s->at.x[k] + h * ((1.0 - m->gamma) * s->B[k] + m->gamma * s->B_end[k]);
    }
    place_end(s);
}

static void extrapolate(int n, double part, const double* now, const double* before, double* out) {
    for (int k = 0; k < n; k++) {
        out[k] = now[k] + part * (now[k] - before[k]);
    }
}

// Rates at the end, linear in time.
static void predict(FbAlpha* s, double h) {
    double part = s->h_before > 0.0 ? fmin(h / s->h_before, 2.0) : 0.0;
    extrapolate(s->size.n_v, part, s->at.a, s->a_before, s->end.a);
    extrapolate(s->size.n_x, part, s->x_rate, s->x_rate_before, s->x_rate_end);
    extrapolate(s->size.n_c, part, s->at.lambda, s->lambda_before, s->end.lambda);
    move_end(s, h);
}

// The end of the step where the equations are linear with constant matrices: with the prediction
// that nothing is accelerated there, one solution is exact (theory manual, eq. 5.62).
static void solve_linear(FbAlpha* s, double h) {
    FbDynamics* d = s->base.dynamics;
    int n_v = s->size.n_v;
    double s2 = fb_alpha_shift(&s->method, h), s1 = s->method.ratio * s2;
    memset(s->end.a, 0, sizeof(double) * (size_t)n_v);
    move_end(s, h);
    d->ops->calc_linear(d, s->end.t, s->r, NULL);
    for (int k = 0; k < n_v; k++) {
        s->work[k] = s->end.q[k] - s->form.origin[k];
    }
    fb_pair_multiply(&s->product, s->end.v, s->work, s->r);
    for (int k = 0; k < n_v; k++) {
        s->b[k] = -s->r[k];
    }
    fb_newton_matrix_solve(s->matrix, 0, s->b, NULL);
    for (int k = 0; k < n_v; k++) {
        s->end.a[k] = s1 * s->b[k];
        s->end.v[k] += s->b[k];
        s->xi[k] += s->b[k] / s2;
        s->end.q[k] = s->at.q[k] + s->xi[k];
    }
    s->stats.rhs_evals++;
    s->stats.newton_iterations++;
}

// One iteration; s->worst is its increment.
static FbStatus iterate(FbAlpha* s, double h) {
    FbDynamics* d = s->base.dynamics;
    int n_v = s->size.n_v, n_x = s->size.n_x, n_c = s->size.n_c;
    double s2 = fb_alpha_shift(&s->method, h), s1 = s->method.ratio * s2;
    double *dx = s->b + n_v, *dl = dx + n_x;
    s->stats.rhs_evals++;
    FbStatus status = d->ops->residual(d, &s->end, s->r, s->c, s->gdot);
    if (status != FB_OK) {
        s->has_no_value = true;
        return status;
    }
    for (int k = 0; k < n_v; k++) {
        s->b[k] = -s->r[k];
    }
    for (int k = 0; k < n_x; k++) {
        dx[k] = (s->c[k] - s->x_rate_end[k]) / s->method.ratio;
    }
    for (int k = 0; k < n_c; k++) {
        dl[k] = -s->gdot[k];
    }
    fb_newton_matrix_solve(s->matrix, 0, s->b, NULL);
    s->stats.newton_iterations++;
    for (int k = 0; k < n_v; k++) {
        s->end.a[k] += s1 * s->b[k];
        s->end.v[k] += s->b[k];
        s->bxi[k] = s->b[k] / s2;
        s->xi[k] += s->bxi[k];
    }
    for (int k = 0; k < n_x; k++) {
        s->x_rate_end[k] += s1 * dx[k];
        s->end.x[k] += dx[k];
    }
    for (int k = 0; k < n_c; k++) {
        s->end.lambda[k] += dl[k];
    }
    place_end(s);
    s->worst = (FbWorst){0.0, -1};
    fb_weights_norm_v(&s->weights, n_v, s->weights.v, s->b, &s->worst);
    fb_weights_norm_v(&s->weights, n_v, s->weights.xi, s->bxi, &s->worst);
    fb_weights_norm(n_x, s->weights.x, dx, n_v, &s->worst);
    return FB_OK;
}

static FbStatus iterate_frozen(FbAlpha* s, double h) {
    fb_contraction_begin(&s->contraction);
    for (;;) {
        FbStatus status = iterate(s, h);
        if (status != FB_OK) {
            return status;
        }
        FbNewtonState state = fb_contraction_judge(&s->contraction, s->worst.value, NEWTON, NOISE);
        if (state != FB_NEWTON_MORE) {
            return state == FB_NEWTON_DONE ? FB_OK : FB_RETRY;
        }
    }
}

// A matrix for each iteration: where a step of fixed length cannot be shortened instead.
static FbStatus iterate_fully(FbAlpha* s, double h, FbError* err) {
    enum { MOST = 20 };
    double before = INFINITY;
    for (int k = 0; k < MOST; k++) {
        FbStatus status = fb_alpha_calc_blocks(s, &s->end, err);
        status = status == FB_OK ? fb_alpha_factor(s, h) : status;
        status = status == FB_OK ? iterate(s, h) : status;
        if (status != FB_OK) {
            return status;
        }
        double size = s->worst.value;
        if (size <= NEWTON || (size <= NOISE && size > 0.1 * before)) {
            return FB_OK;
        }
        before = size;
    }
    return FB_RETRY;
}

FbStatus fb_alpha_solve(FbAlpha* s, double h, FbError* err) {
    s->has_no_value = false;
    if (s->is_linear) {
        solve_linear(s, h);
    } else {
        predict(s, h);
    }
    if (!s->is_linear || !(s->base.options.fixed_step > 0.0)) {
        fb_weights_set(&s->weights, s->base.dynamics, s->base.options.rtol, s->base.options.atol,
                       &s->end);
    }
    if (s->is_linear) {
        return FB_OK;
    }
    FbStatus status = iterate_frozen(s, h);
    if (status != FB_RETRY) {
        return status;
    }
    s->stats.newton_failures++;
    if (!s->is_jacobian_fresh) {
        status = fb_alpha_calc_blocks(s, &s->at, err);
        status = status == FB_OK ? fb_alpha_factor(s, h) : status;
        if (status == FB_OK) {
            predict(s, h);
            status = iterate_frozen(s, h);
        }
    }
    if (status == FB_RETRY && s->base.options.fixed_step > 0.0) {
        s->has_no_value = false;
        predict(s, h);
        status = iterate_fully(s, h, err);
    }
    return status;
}

// Solves for the filtered error: what is fast compared with the step counts as little as the step
// resolves it.
FbWorst fb_alpha_error(FbAlpha* s, double h) {
    const FbAlphaMethod* m = &s->method;
    int n_v = s->size.n_v, n_x = s->size.n_x;
    double s2 = fb_alpha_shift(m, h), part = s->h_before > 0.0 ? h / s->h_before : 0.0;
    memset(s->b, 0, sizeof(double) * (size_t)fb_newton_matrix_size(s->matrix));
    for (int k = 0; k < n_v; k++) {
        double first = s->A_end[k] - s->A[k];
        double second = part > 0.0 ? first - part * (s->A[k] - s->A_before[k]) : 0.0;
        s->work[k] = m->error_v * h * second;
        s->bxi[k] = s2 * m->error_q * h * h * first;
    }
    fb_newton_matrix_add_mass_product(s->matrix, s2, s->work, s->b);
    for (int k = 0; k < n_x; k++) {
        double first = s->B_end[k] - s->B[k];
        double second = part > 0.0 ? first - part * (s->B[k] - s->B_before[k]) : first;
        s->b[n_v + k] = s2 * m->error_v * h * second;
    }
    fb_newton_matrix_solve(s->matrix, 0, s->b, s->bxi);
    FbWorst worst = {0.0, -1};
    fb_weights_norm_v(&s->weights, n_v, s->weights.v, s->b, &worst);
    fb_weights_norm_v(&s->weights, n_v, s->weights.xi, s->bxi, &worst);
    fb_weights_norm(n_x, s->weights.x, s->b + n_v, n_v, &worst);
    return worst;
}
