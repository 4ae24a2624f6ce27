// Values inside a Radau step.
//
// Three stages: quintic Hermite interpolation of xi by (xi, xi', xi'') at both ends, which are more
// accurate than the stages, and v from its derivative. More stages: the polynomial of v' through
// the start and all stages, integrated once and twice and moved to meet the end of the step: one
// order more for v and two for xi than the collocation polynomial has (which serves where the start
// is a stiff transient, and for w).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solve/point.h"
#include "solve/radau.h"

// xi'' at the end by a central difference of D(xi) v along the motion; exact where D is the
// identity.
static void calc_end_acceleration(FbRadau* r, FbCollocation* c) {
    const FbDynamics* d = r->base.dynamics;
    int n_v = r->size.n_v;
    if (d->n_ball == 0) {
        memcpy(c->xi_acc_end, c->end.a, sizeof(double) * (size_t)n_v);
        return;
    }
    double eps = 1e-5 * c->h;
    double *xi = r->R, *v = r->R + n_v, *plus = r->R + 2 * n_v, *minus = r->P;
    for (int sign = 1; sign >= -1; sign -= 2) {
        for (int k = 0; k < n_v; k++) {
            xi[k] = c->xi_end[k] + sign * eps * c->xi_rate_end[k];
            v[k] = c->end.v[k] + sign * eps * c->end.a[k];
        }
        d->ops->chart_rate(d, xi, v, sign > 0 ? plus : minus);
    }
    for (int k = 0; k < n_v; k++) {
        c->xi_acc_end[k] = (plus[k] - minus[k]) / (2.0 * eps);
    }
}

void fb_radau_finish_dense(FbRadau* r, FbCollocation* c) {
    const FbDynamics* d = r->base.dynamics;
    int n_v = r->size.n_v;
    const double* xi = r->xi + (c->method->s - 1) * n_v;
    if (d->n_ball == 0) {
        for (int k = 0; k < n_v; k++) {
            c->xi_end[k] = c->end.q[k] - c->start.q[k];
        }
        memcpy(c->xi_rate_end, c->end.v, sizeof(double) * (size_t)n_v);
    } else {
        // The last stage, moved by what the projection did; end (-) start would lose turns.
        d->ops->plus(d, c->start.q, xi, r->q_stage);
        d->ops->minus(d, c->end.q, r->q_stage, r->work);
        d->ops->chart_rate(d, xi, r->work, c->xi_end);
        for (int k = 0; k < n_v; k++) {
            c->xi_end[k] += xi[k];
        }
        d->ops->chart_rate(d, c->xi_end, c->end.v, c->xi_rate_end);
    }
    calc_end_acceleration(r, c);
    c->has_smooth_start = !r->is_first;
}

static void hermite(const FbCollocation* c, double u, int n, double* xi, double* rate) {
    double h = c->h;
    for (int k = 0; k < n; k++) {
        double d0 = h * c->start.v[k], s0 = h * h * c->start.a[k];
        double D = c->xi_end[k] - d0 - 0.5 * s0;
        double E = h * c->xi_rate_end[k] - d0 - s0;
        double F = h * h * c->xi_acc_end[k] - s0;
        double a = 10.0 * D - 4.0 * E + 0.5 * F;
        double b = -15.0 * D + 7.0 * E - F;
        double e = 6.0 * D - 3.0 * E + 0.5 * F;
        xi[k] = u * (d0 + u * (0.5 * s0 + u * (a + u * (b + u * e))));
        rate[k] = (d0 + u * (s0 + u * (3.0 * a + u * (4.0 * b + u * 5.0 * e)))) / h;
    }
}

// v from xi' = D(xi) v: D is the identity except for 3 x 3 blocks.
static void invert_chart_rate(FbRadau* r, const double* xi, const double* rate, double* v) {
    const FbDynamics* d = r->base.dynamics;
    int n_v = r->size.n_v;
    double *unit = r->work, *columns = r->R;
    memcpy(v, rate, sizeof(double) * (size_t)n_v);
    for (int c = 0; c < 3; c++) {
        memset(unit, 0, sizeof(double) * (size_t)n_v);
        for (int b = 0; b < d->n_ball; b++) {
            unit[d->ball[b] + c] = 1.0;
        }
        d->ops->chart_rate(d, xi, unit, columns + c * n_v);
    }
    for (int b = 0; b < d->n_ball; b++) {
        int j = d->ball[b];
        const double *x = columns + j, *y = x + n_v, *z = y + n_v, *f = rate + j;
        double yz[3] = {y[1] * z[2] - y[2] * z[1], y[2] * z[0] - y[0] * z[2],
                        y[0] * z[1] - y[1] * z[0]};
        double zx[3] = {z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2],
                        z[0] * x[1] - z[1] * x[0]};
        double xy[3] = {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2],
                        x[0] * y[1] - x[1] * y[0]};
        double det = x[0] * yz[0] + x[1] * yz[1] + x[2] * yz[2];
        v[j] = (f[0] * yz[0] + f[1] * yz[1] + f[2] * yz[2]) / det;
        v[j + 1] = (f[0] * zx[0] + f[1] * zx[1] + f[2] * zx[2]) / det;
        v[j + 2] = (f[0] * xy[0] + f[1] * xy[1] + f[2] * xy[2]) / det;
    }
}

// out = start + h sum_j weight_j rates_j
static void combine(int s, const double* weight, double h, int n, const double* start,
                    const double* rates, double* out) {
    for (int k = 0; k < n; k++) {
        double sum = 0.0;
        for (int j = 0; j < s; j++) {
            sum += weight[j] * rates[j * n + k];
        }
        out[k] = (start ? start[k] : 0.0) + h * sum;
    }
}

// The basis with the start as a stage, integrated to theta and to the end.
typedef struct Wide {
    double once[FB_RADAU_MAX_STAGES + 1], twice[FB_RADAU_MAX_STAGES + 1];
    double once_end[FB_RADAU_MAX_STAGES + 1], twice_end[FB_RADAU_MAX_STAGES + 1];
    double blend;  // from 0 at the start to 1 at the end
} Wide;

static void set_wide(const FbRadauMethod* m, double theta, Wide* w) {
    fb_radau_wide_integrals(m, theta, w->once, w->twice);
    fb_radau_wide_integrals(m, 1.0, w->once_end, w->twice_end);
    w->blend = theta * theta * (3.0 - 2.0 * theta);
}

// out = scale sum_j weight_j rates_j (rates_0 = first), plus the part of what is missing at the end
// to `change`.
static void combine_wide(int s, const double* weight, const double* weight_end, double blend,
                         double scale, int n, const double* first, const double* rates,
                         const double* change, double* out) {
    for (int k = 0; k < n; k++) {
        double inside = weight[0] * first[k], end = weight_end[0] * first[k];
        for (int j = 0; j < s; j++) {
            inside += weight[j + 1] * rates[j * n + k];
            end += weight_end[j + 1] * rates[j * n + k];
        }
        out[k] = scale * inside + blend * (change[k] - scale * end);
    }
}

// xi by integrating v' twice where xi' is v, else by integrating xi' once.
static void calc_wide_xi(const FbRadau* r, const FbCollocation* c, const Wide* w, double theta,
                         double* xi) {
    int s = c->method->s, n_v = r->size.n_v;
    double h = c->h;
    if (r->base.dynamics->n_ball > 0) {
        combine_wide(s, w->once, w->once_end, w->blend, h, n_v, c->start.v, c->xi_rate, c->xi_end,
                     xi);
        return;
    }
    double* change = r->work;
    for (int k = 0; k < n_v; k++) {
        change[k] = c->xi_end[k] - h * c->start.v[k];
    }
    combine_wide(s, w->twice, w->twice_end, w->blend, h * h, n_v, c->start.a, c->a, change, xi);
    for (int k = 0; k < n_v; k++) {
        xi[k] += h * theta * c->start.v[k];
    }
}

static void calc_wide_sum(const FbRadau* r, const FbCollocation* c, const Wide* w, int n,
                          const double* start, const double* first, const double* rates,
                          const double* end, double* out) {
    double* change = r->work;
    for (int k = 0; k < n; k++) {
        change[k] = end[k] - start[k];
    }
    combine_wide(c->method->s, w->once, w->once_end, w->blend, c->h, n, first, rates, change, out);
    for (int k = 0; k < n; k++) {
        out[k] += start[k];
    }
}

static void interpolate_wide(FbRadau* r, const FbCollocation* c, double theta, double* xi,
                             FbPoint* p) {
    Wide w;
    set_wide(c->method, theta, &w);
    calc_wide_xi(r, c, &w, theta, xi);
    calc_wide_sum(r, c, &w, r->size.n_v, c->start.v, c->start.a, c->a, c->end.v, p->v);
    calc_wide_sum(r, c, &w, r->size.n_x, c->start.x, c->x_rate, c->x_rates, c->end.x, p->x);
}

static void interpolate_hermite(FbRadau* r, const FbCollocation* c, double theta, double* xi,
                                FbPoint* p) {
    double* rate = r->P + r->size.n_v;
    hermite(c, theta, r->size.n_v, xi, rate);
    if (r->base.dynamics->n_ball > 0) {
        invert_chart_rate(r, xi, rate, p->v);
    } else {
        memcpy(p->v, rate, sizeof(double) * (size_t)r->size.n_v);
    }
}

void fb_radau_interpolate(FbRadau* r, const FbCollocation* c, double t, FbPoint* p) {
    const FbRadauMethod* m = c->method;
    double theta = (t - c->t) / c->h, weight[FB_RADAU_MAX_STAGES];
    double* xi = r->P;
    fb_radau_basis_integral(m, theta, weight);
    combine(m->s, weight, c->h, r->size.n_x, c->start.x, c->x_rates, p->x);
    combine(m->s, weight, c->h, r->size.n_w, c->start.w, c->power, p->w);
    if (m->s == 3) {
        interpolate_hermite(r, c, theta, xi, p);
    } else if (c->has_smooth_start) {
        interpolate_wide(r, c, theta, xi, p);
    } else {
        combine(m->s, weight, c->h, r->size.n_v, NULL, c->xi_rate, xi);
        combine(m->s, weight, c->h, r->size.n_v, c->start.v, c->a, p->v);
    }
    fb_radau_plus(r, c->start.q, xi, p->q);
    p->t = t;
}

// A step from c->start to t, with the matrices and stages of the last step for a beginning.
static FbStatus step_inside(FbRadau* r, FbCollocation* c, double t) {
    FbNewtonReport report;
    c->h = t - c->t;
    c->end.t = t;
    FbStatus status = c->h > 0.0 ? fb_radau_factor(r, c->h) : FB_RETRY;
    if (status != FB_OK) {
        return status;
    }
    fb_radau_predict(r, r->last, c);
    fb_radau_set_weights(r, c);
    status = fb_radau_newton(r, c, &report);
    if (status == FB_RETRY && fb_radau_full_stages(r->full) == c->method->s) {
        fb_radau_predict(r, r->last, c);
        status = fb_radau_full_newton(r, c, &report);
    }
    if (status == FB_OK) {
        fb_radau_take_end(r, c);
        fb_radau_calc_quadratures(r, c);
    }
    return status;
}

// From the start of the last step to t in equal steps.
static FbStatus steps_inside(FbRadau* r, double t, int steps) {
    const FbCollocation* last = r->last;
    FbCollocation* c = r->spare;
    double length = (t - last->t) / steps;
    FbStatus status = FB_OK;
    c->t = last->t;
    fb_point_copy(&r->size, &last->start, &c->start);
    fb_array_copy(c->x_rate, last->x_rate, r->size.n_x);
    for (int i = 1; i <= steps && status == FB_OK; i++) {
        status = step_inside(r, c, i < steps ? last->t + i * length : t);
        if (status == FB_OK && i < steps) {
            c->t = c->end.t;
            fb_point_copy(&r->size, &c->end, &c->start);
            fb_array_copy(c->x_rate, c->x_rates + (c->method->s - 1) * r->size.n_x, r->size.n_x);
        }
    }
    return status;
}

// Do the step c and the end of the longer one say the same at c->end? Beyond a singular position
// another branch has other velocities, so half of the requested digits are enough to tell.
static bool agrees(FbRadau* r, const FbCollocation* longer, const FbCollocation* c) {
    FbPoint p = r->at;  // rewritten; the start is in both steps
    FbWorst worst = {0.0, -1};
    fb_radau_interpolate(r, longer, c->end.t, &p);
    for (int j = 0; j < r->size.n_v; j++) {
        p.v[j] -= c->end.v[j];
    }
    fb_weights_norm_v(&r->weights, r->size.n_v, r->weights.v, p.v, &worst);
    fb_point_copy(&r->size, &c->start, &r->at);
    return worst.value < 1.0 / sqrt(r->base.options.rtol);
}

FbStatus fb_radau_shorten_leap(FbRadau* r, double t, FbError* err) {
    FbCollocation *longer = r->now, *before = r->last, *c = r->spare;
    bool is_fresh = r->is_jacobian_fresh;
    r->is_jacobian_fresh = r->is_patient = true;
    r->last = longer;  // where the stages are predicted from
    c->method = longer->method;
    FbStatus status = steps_inside(r, t, 1);
    r->last = before;
    r->is_jacobian_fresh = is_fresh;
    r->is_patient = false;
    if (status == FB_OK) {
        status = agrees(r, longer, c) ? fb_radau_project_end(r, c, err) : FB_RETRY;
    }
    if (status == FB_OK) {
        r->now = c;
        r->spare = longer;
    }
    return status;
}

static void note_coarse(FbRadau* r, double t) {
    if (r->coarse[0] == '\0') {
        snprintf(r->coarse, sizeof r->coarse,
                 "from t = %.6g s on, values between the ends of some long steps are interpolated "
                 "less accurately than the steps are calculated: use a smaller max_step",
                 t);
    }
}

// Separate steps from the last start to t: as accurate as the steps, and their start values are
// nearly exact. One is tried, then shorter ones; where all fail, the dense output has to do.
FbStatus fb_radau_refine(FbIntegrator* self, double t, FbPoint* p) {
    static const int STEPS[] = {1, 3, 9};
    FbRadau* r = (FbRadau*)self;
    if (!r->last->method) {
        return FB_ERR_ARGUMENT;
    }
    int method = r->method;
    double eta = r->eta;
    bool is_fresh = r->is_jacobian_fresh;
    FbStatus status = FB_RETRY;
    r->is_jacobian_fresh = r->is_patient = true;
    r->method = (r->last->method->s - 3) / 2;
    r->spare->method = r->last->method;
    for (int i = 0; i < 3 && status == FB_RETRY && t > r->last->t; i++) {
        status = steps_inside(r, t, STEPS[i]);
    }
    if (status == FB_OK) {
        fb_point_copy(&r->size, &r->spare->end, p);
    } else {
        fb_radau_interpolate(r, r->last, t, p);
    }
    if (status > 0 && t > r->last->t) {
        note_coarse(r, t);
    }
    r->method = method;
    r->eta = eta;
    r->is_jacobian_fresh = is_fresh;
    r->is_patient = false;
    return status < 0 ? status : FB_OK;
}
