// Values inside a Radau step.
//
// Three stages: quintic Hermite interpolation of xi by (xi, xi', xi'') at both ends, which are more
// accurate than the stages, and v from its derivative. More stages: the collocation polynomials of
// v and xi. x and w: collocation polynomials.
#include <math.h>
#include <string.h>

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

// v from xi' = D(xi) v: D is the identity but for 3 x 3 blocks.
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

void fb_radau_interpolate(FbRadau* r, const FbCollocation* c, double t, FbPoint* p) {
    const FbRadauMethod* m = c->method;
    int n_v = r->size.n_v;
    double theta = (t - c->t) / c->h, weight[FB_RADAU_MAX_STAGES];
    double *xi = r->P, *rate = r->P + n_v;
    fb_radau_basis_integral(m, theta, weight);
    if (m->s == 3) {
        hermite(c, theta, n_v, xi, rate);
        if (r->base.dynamics->n_ball > 0) {
            invert_chart_rate(r, xi, rate, p->v);
        } else {
            memcpy(p->v, rate, sizeof(double) * (size_t)n_v);
        }
    } else {
        combine(m->s, weight, c->h, n_v, NULL, c->xi_rate, xi);
        combine(m->s, weight, c->h, n_v, c->start.v, c->a, p->v);
    }
    fb_radau_plus(r, c->start.q, xi, p->q);
    combine(m->s, weight, c->h, r->size.n_x, c->start.x, c->x_rates, p->x);
    combine(m->s, weight, c->h, r->size.n_w, c->start.w, c->power, p->w);
    p->t = t;
}
