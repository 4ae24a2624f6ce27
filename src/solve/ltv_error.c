// The error estimate of a step for linear equations: that of radau (theory manual, section 5.4),
// with fast oscillations judged by their displacements (eqs. 6.21, 6.22).
#include <math.h>
#include <string.h>

#include "solve/ltv.h"

// From this rtol on velocities are judged whole.
static const double WHOLE = 1e-9;

static size_t bytes(int n) {
    return sizeof(double) * (size_t)n;
}

// (error_v, error_q) from the defects: the real system with the share of the start; r0 (or NULL) is
// a residual to subtract.
static FbStatus filter(FbLtv* s, FbLtvFactors* f, const double* r0) {
    const FbLtvUnknowns* u = &s->unknowns;
    int n = u->n;
    double sigma = s->method.gamma0 / f->h, *x = s->error_v, *q = s->error_q;
    for (int k = 0; k < n; k++) {
        x[k] = r0 ? -r0[k] : 0.0;
        q[k] = -s->defect_q[k] / sigma;
    }
    fb_ltv_multiply(u, u->M, s->defect_v, x);
    fb_ltv_multiply(u, u->K, q, x);
    fb_ltv_share_add(s, -1, s->defect_v, NULL, q, x);
    fb_ltv_system_solve(s, f, 0, x);
    FbStatus status = s->moving.n > 0 ? fb_ltv_correct_real(s, f, x) : FB_OK;
    for (int k = 0; k < n; k++) {
        q[k] = (x[k] + s->defect_q[k]) / sigma;
    }
    return status;
}

// What is slow in the velocities' error, into s->slow_error.
static bool calc_slow_error(FbLtv* s) {
    const FbLtvUnknowns* u = &s->unknowns;
    double rate = 1.0 / fb_weights_natural_time(s->base.dynamics);
    for (int i = 0; u->is_modal && i < u->n; i++) {
        s->slow_error[i] = rate * s->error_v[i] / (rate + u->C[i] + u->K[i] / rate);
    }
    if (u->is_modal) {
        return true;
    }
    if (!s->is_slow_factored) {
        double* values = fb_linear_values(s->slow);
        for (int i = 0; i < fb_pattern_count(&u->pattern); i++) {
            values[i] = rate * u->M[i] + u->C[i] + u->K[i] / rate;
        }
        if (fb_linear_factor(s->slow) != FB_OK) {
            return false;
        }
        s->is_slow_factored = true;
    }
    memset(s->slow_error, 0, bytes(u->n));
    fb_pattern_multiply(&u->pattern, u->M, rate, s->error_v, s->slow_error);
    fb_linear_solve(s->slow, s->slow_error);
    return true;
}

static FbWorst norm(FbLtv* s) {
    FbWorst worst = {0.0, -1}, of_v = {0.0, -1};
    int n_v = s->size.n_v;
    const double* error[2] = {s->error_v, s->error_q};
    double* const full[2] = {s->full_v, s->full_q};
    fb_ltv_expand_all(&s->unknowns, 2, error, full);
    fb_weights_norm_v(&s->weights, n_v, s->weights.v, s->full_v, &of_v);
    fb_weights_norm_v(&s->weights, n_v, s->weights.xi, s->full_q, &worst);
    if (of_v.value > worst.value && calc_slow_error(s)) {
        of_v.value *= sqrt(fmin(1.0, WHOLE / s->base.options.rtol));
        fb_ltv_expand(&s->unknowns, s->slow_error, s->full_v);
        fb_weights_norm_v(&s->weights, n_v, s->weights.v, s->full_v, &of_v);
    }
    return of_v.value > worst.value ? of_v : worst;
}

// The rates of the start less those of the stages' polynomial there: constant accelerations and
// linear velocities are polynomials, so that only the changes of (5.58) are left.
static void calc_defects(FbLtv* s, const FbLtvStages* c) {
    const FbRadauMethod* m = &s->method;
    int n = s->unknowns.n;
    memset(s->defect_v, 0, bytes(n));
    memset(s->defect_q, 0, bytes(n));
    for (int k = 0; k <= m->n_pair; k++) {
        double complex weight = s->into_zero[k];
        double complex by_a = weight * (k == 0 ? m->gamma0 : m->gamma[k - 1]) / c->h;
        const double* w = c->change[k];
        for (int e = 0; e < n && k == 0; e++) {
            s->defect_v[e] += creal(by_a) * w[e];
            s->defect_q[e] += creal(weight) * w[e];
        }
        for (int e = 0; e < n && k > 0; e++) {
            s->defect_v[e] += creal(by_a) * w[2 * e] - cimag(by_a) * w[2 * e + 1];
            s->defect_q[e] += creal(weight) * w[2 * e] - cimag(weight) * w[2 * e + 1];
        }
    }
}

// The rates at the start moved by the estimate: damps what is stiff there.
static FbStatus filter_again(FbLtv* s, FbLtvFactors* f) {
    const FbLtvUnknowns* u = &s->unknowns;
    double* r = s->b;
    memset(r, 0, bytes(u->n));
    fb_ltv_multiply(u, u->C, s->error_v, r);
    fb_ltv_multiply(u, u->K, s->error_q, r);
    fb_ltv_share_add(s, -1, NULL, s->error_v, s->error_q, r);
    for (int k = 0; k < u->n; k++) {
        s->defect_q[k] += s->error_v[k];
    }
    return filter(s, f, r);
}

FbWorst fb_ltv_error(FbLtv* s, const FbLtvStages* c, bool filters_twice) {
    FbLtvFactors* f;
    FbWorst failed = {INFINITY, -1};
    if (fb_ltv_factors_find(s, c->h, &f) != FB_OK) {
        return failed;
    }
    calc_defects(s, c);
    if (filter(s, f, NULL) != FB_OK) {
        return failed;
    }
    FbWorst worst = norm(s);
    if (worst.value >= 1.0 && filters_twice && filter_again(s, f) == FB_OK) {
        worst = norm(s);
    }
    return worst;
}
