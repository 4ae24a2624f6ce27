// The error estimate of a Radau step: the filtered embedded method of Hairer & Wanner, Solving ODEs
// II, IV.8,
//   (1 - J/s)^-1 (y^ - y) with s (y^ - y) = f(y0) - sum_i L_i(0) f_i.
#include <math.h>
#include <string.h>

#include "solve/radau.h"

// Solves for the filtered error from r->error_* = s (y^ - y), in place; r0 (or NULL) is a residual
// to subtract.
static void filter(FbRadau* r, const FbCollocation* c, double* r0) {
    int n_v = r->size.n_v, n_x = r->size.n_x, n_c = r->size.n_c;
    memset(r->b, 0, sizeof(double) * (size_t)(n_v + n_x + n_c));
    memcpy(r->bxi, r->error_v, sizeof(double) * (size_t)n_v);
    fb_radau_turn_back(r, c->start.q, r->bxi);
    fb_newton_matrix_add_mass_product(r->matrix, 1.0, r->bxi, r->b);
    if (r0) {
        fb_radau_turn_back(r, c->start.q, r0);
    }
    for (int k = 0; k < n_v; k++) {
        r->b[k] -= r0 ? r0[k] : 0.0;
        r->bxi[k] = r->error_xi[k];
    }
    for (int k = 0; k < n_x; k++) {
        r->b[n_v + k] = r->error_x[k];
    }
    fb_radau_turn_back(r, c->start.q, r->bxi);
    fb_newton_matrix_solve(r->matrix, 0, r->b, r->bxi);
    fb_radau_turn(r, c->start.q, r->b);
    fb_radau_turn(r, c->start.q, r->bxi);
}

// From this rtol on velocities are judged whole. At looser ones what is fast in them counts less,
// eq. (6.22).
static const double WHOLE = 1e-9;

// What is slow in the velocities' error r->b, eq. (6.21), into r->slow_error: fast oscillations are
// judged by their displacements. false: it is not known.
static bool calc_slow_error(FbRadau* r, const FbCollocation* c) {
    if (r->slow_system == 0) {
        return false;
    }
    double rate = 1.0 / fb_weights_natural_time(r->base.dynamics);
    if (!r->is_slow_factored) {
        if (fb_newton_matrix_factor(r->matrix, r->slow_system, rate) != FB_OK) {
            return false;
        }
        r->is_slow_factored = true;
    }
    int n = r->size.n_v + r->size.n_x + r->size.n_c;
    memset(r->slow_error, 0, sizeof(double) * (size_t)n);
    fb_radau_turn_back(r, c->start.q, r->b);
    fb_newton_matrix_add_mass_product(r->matrix, rate, r->b, r->slow_error);
    fb_radau_turn(r, c->start.q, r->b);
    fb_newton_matrix_solve(r->matrix, r->slow_system, r->slow_error, NULL);
    fb_radau_turn(r, c->start.q, r->slow_error);
    return true;
}

static FbWorst filtered_norm(FbRadau* r, const FbCollocation* c) {
    FbWorst worst = {0.0, -1}, of_v = {0.0, -1};
    fb_weights_norm_v(&r->weights, r->size.n_v, r->weights.v, r->b, &of_v);
    fb_weights_norm_v(&r->weights, r->size.n_v, r->weights.xi, r->bxi, &worst);
    fb_weights_norm(r->size.n_x, r->weights.x, r->b + r->size.n_v, r->size.n_v, &worst);
    if (of_v.value > worst.value && calc_slow_error(r, c)) {
        of_v.value *= sqrt(fmin(1.0, WHOLE / r->base.options.rtol));
        fb_weights_norm_v(&r->weights, r->size.n_v, r->weights.v, r->slow_error, &of_v);
    }
    return of_v.value > worst.value ? of_v : worst;
}

// out = first - sum_i L_i(0) stages_i
static void subtract_at_zero(const FbRadauMethod* m, int n, const double* first,
                             const double* stages, double* out) {
    fb_radau_combine_stages(m, m->at_zero, n, stages, out);
    for (int k = 0; k < n; k++) {
        out[k] = first[k] - out[k];
    }
}

// The second filtering evaluates f at the start moved by the estimate: damps what is stiff in
// f(y0).
static FbStatus filter_again(FbRadau* r, const FbCollocation* c) {
    FbDynamics* d = r->base.dynamics;
    int n_v = r->size.n_v, n_x = r->size.n_x;
    FbPoint p = c->start;
    fb_radau_plus(r, c->start.q, r->bxi, r->q_stage);
    p.q = r->q_stage;
    p.v = r->work;
    p.x = r->work + n_v;
    for (int k = 0; k < n_v; k++) {
        p.v[k] = c->start.v[k] + r->b[k];
    }
    for (int k = 0; k < n_x; k++) {
        p.x[k] = c->start.x[k] + r->b[n_v + k];
    }
    FbStatus status = fb_radau_residual(r, &p, r->R, r->S, r->D);
    if (status != FB_OK) {
        return status;
    }
    if (d->n_ball > 0) {
        d->ops->chart_rate(d, r->bxi, p.v, r->P);
    } else {
        memcpy(r->P, p.v, sizeof(double) * (size_t)n_v);
    }
    for (int k = 0; k < n_v; k++) {
        r->error_xi[k] += r->P[k] - c->start.v[k];
    }
    for (int k = 0; k < n_x; k++) {
        r->error_x[k] += r->S[k] - c->x_rate[k];
    }
    filter(r, c, r->R);
    return FB_OK;
}

// Does what is fast in the velocities' error r->b creep back without swinging, eq. (6.23)? The
// second filtering takes for granted that it is gone at the end of the step. A vibration is not,
// and where it is that of a stop it decides how fast the motion leaves it. Those of structures are
// judged by their displacements, as in filtered_norm().
static bool is_overdamped(FbRadau* r, const FbCollocation* c) {
    if (r->slow_system != 0) {
        return true;
    }
    fb_radau_turn_back(r, c->start.q, r->b);
    FbNewtonForms f = fb_newton_matrix_calc_forms(r->matrix, r->b);
    fb_radau_turn(r, c->start.q, r->b);
    return f.damping > 0.0 && f.damping * f.damping >= 4.0 * f.stiffness * f.mass;
}

FbWorst fb_radau_error(FbRadau* r, const FbCollocation* c, bool filter_twice) {
    subtract_at_zero(c->method, r->size.n_v, c->start.a, c->a, r->error_v);
    subtract_at_zero(c->method, r->size.n_v, c->start.v, c->xi_rate, r->error_xi);
    subtract_at_zero(c->method, r->size.n_x, c->x_rate, c->x_rates, r->error_x);
    filter(r, c, NULL);
    FbWorst worst = filtered_norm(r, c);
    bool is_of_state = worst.index >= r->size.n_v;
    if (worst.value >= 1.0 && filter_twice &&
        (is_of_state || r->is_leaping || is_overdamped(r, c)) && filter_again(r, c) == FB_OK) {
        worst = filtered_norm(r, c);
    }
    return worst;
}
