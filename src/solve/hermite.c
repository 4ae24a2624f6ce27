// Cubic and quintic Hermite interpolation of a step (theory manual, sections 5.13 and 5.14).
#include "solve/hermite.h"

#include <string.h>

#include "math/vec3.h"
#include "solve/point.h"

void fb_hermite_init(FbHermite* s, const FbDynamics* d, FbArena* arena) {
    const FbSizes* n = &d->size;
    s->size = *n;
    s->h = 0.0;
    fb_point_take(arena, n, &s->start);
    fb_point_take(arena, n, &s->end);
    s->x_rate_start = FB_TAKE(arena, double, n->n_x + 1);
    s->x_rate_end = FB_TAKE(arena, double, n->n_x + 1);
    s->power_start = FB_TAKE(arena, double, n->n_w + 1);
    s->power_end = FB_TAKE(arena, double, n->n_w + 1);
    s->xi = FB_TAKE(arena, double, n->n_v + 1);
    // Without ball joints these are the velocities and accelerations themselves.
    s->xi_rate = d->n_ball > 0 ? FB_TAKE(arena, double, n->n_v + 1) : NULL;
    s->xi_acc = d->n_ball > 0 ? FB_TAKE(arena, double, n->n_v + 1) : NULL;
    s->work = FB_TAKE(arena, double, n->n_v + 1);
    s->rate = FB_TAKE(arena, double, n->n_v + 1);
    s->unit = FB_TAKE(arena, double, n->n_v + 1);
    s->columns = FB_TAKE(arena, double, 3 * n->n_v + 1);
    s->q = FB_TAKE(arena, double, n->n_q + 1);
}

// xi'' at the end by a central difference of D(xi) v along the motion.
static void calc_ball_acceleration(FbHermite* s, const FbDynamics* d) {
    int n_v = s->size.n_v;
    double eps = 1e-5 * s->h;
    double *xi = s->work, *v = s->rate, *plus = s->columns, *minus = s->columns + n_v;
    for (int sign = 1; sign >= -1; sign -= 2) {
        for (int k = 0; k < n_v; k++) {
            xi[k] = s->xi[k] + sign * eps * s->xi_rate[k];
            v[k] = s->end.v[k] + sign * eps * s->end.a[k];
        }
        d->ops->chart_rate(d, xi, v, sign > 0 ? plus : minus);
    }
    for (int k = 0; k < n_v; k++) {
        s->xi_acc[k] = (plus[k] - minus[k]) / (2.0 * eps);
    }
}

void fb_hermite_finish(FbHermite* s, const FbDynamics* d, double h, const double* xi) {
    int n_v = s->size.n_v;
    s->h = h;
    if (d->n_ball == 0) {
        for (int k = 0; k < n_v; k++) {
            s->xi[k] = s->end.q[k] - s->start.q[k];
        }
        return;
    }
    // Moved by what the projection did; end (-) start would lose turns.
    d->ops->plus(d, s->start.q, xi, s->q);
    d->ops->minus(d, s->end.q, s->q, s->work);
    d->ops->chart_rate(d, xi, s->work, s->xi);
    for (int k = 0; k < n_v; k++) {
        s->xi[k] += xi[k];
    }
    d->ops->chart_rate(d, s->xi, s->end.v, s->xi_rate);
    if (s->is_quintic) {
        calc_ball_acceleration(s, d);
    }
}

// The polynomial of degree 5, or 3, that has value 0 and y at the ends, and these derivatives.
static void quintic(double u, double d0, double s0, double y, double d1, double s1, double* value,
                    double* slope) {
    double D = y - d0 - 0.5 * s0, E = d1 - d0 - s0, F = s1 - s0;
    double a = 10.0 * D - 4.0 * E + 0.5 * F, b = -15.0 * D + 7.0 * E - F;
    double e = 6.0 * D - 3.0 * E + 0.5 * F;
    *value = u * (d0 + u * (0.5 * s0 + u * (a + u * (b + u * e))));
    *slope = d0 + u * (s0 + u * (3.0 * a + u * (4.0 * b + u * 5.0 * e)));
}

static void cubic(double u, double d0, double y, double d1, double* value, double* slope) {
    double D = y - d0, E = d1 - d0;
    double a = 3.0 * D - E, b = E - 2.0 * D;
    *value = u * (d0 + u * (a + u * b));
    *slope = d0 + u * (2.0 * a + u * 3.0 * b);
}

// v from xi' = D(xi) v: D is the identity except for 3 x 3 blocks (Cramer's rule).
static void invert_chart_rate(FbHermite* s, const FbDynamics* d, const double* xi,
                              const double* rate, double* v) {
    int n_v = s->size.n_v;
    fb_array_copy(v, rate, n_v);
    for (int c = 0; c < 3; c++) {
        memset(s->unit, 0, sizeof(double) * (size_t)n_v);
        for (int b = 0; b < d->n_ball; b++) {
            s->unit[d->ball[b] + c] = 1.0;
        }
        d->ops->chart_rate(d, xi, s->unit, s->columns + c * n_v);
    }
    for (int b = 0; b < d->n_ball; b++) {
        int j = d->ball[b];
        FbVec3 column[3];
        for (int c = 0; c < 3; c++) {
            const double* x = s->columns + c * n_v + j;
            column[c] = fb_vec3(x[0], x[1], x[2]);
        }
        FbVec3 f = fb_vec3(rate[j], rate[j + 1], rate[j + 2]);
        double det = fb_dot(column[0], fb_cross(column[1], column[2]));
        for (int c = 0; c < 3; c++) {
            FbVec3 other = fb_cross(column[(c + 1) % 3], column[(c + 2) % 3]);
            v[j + c] = fb_dot(f, other) / det;
        }
    }
}

// out = start + the cubic of the change, for quantities with known rates.
static void interpolate_plain(const FbHermite* s, double u, int n, const double* start,
                              const double* end, const double* rate_start, const double* rate_end,
                              double* out) {
    for (int k = 0; k < n; k++) {
        double value, slope;
        cubic(u, s->h * rate_start[k], end[k] - start[k], s->h * rate_end[k], &value, &slope);
        out[k] = start[k] + value;
    }
}

void fb_hermite_at(FbHermite* s, const FbDynamics* d, double t, FbPoint* p) {
    double h = s->h, u = (t - s->start.t) / h, slope;
    int n_v = s->size.n_v;
    const double* rate = d->n_ball > 0 ? s->xi_rate : s->end.v;
    const double* acc = d->n_ball > 0 ? s->xi_acc : s->end.a;
    for (int k = 0; k < n_v; k++) {
        double d0 = h * s->start.v[k], d1 = h * rate[k];
        if (s->is_quintic) {
            quintic(u, d0, h * h * s->start.a[k], s->xi[k], d1, h * h * acc[k], &s->work[k],
                    &slope);
        } else {
            cubic(u, d0, s->xi[k], d1, &s->work[k], &slope);
        }
        s->rate[k] = slope / h;
    }
    if (d->n_ball > 0) {
        invert_chart_rate(s, d, s->work, s->rate, p->v);
        d->ops->plus(d, s->start.q, s->work, p->q);
    } else {
        fb_array_copy(p->v, s->rate, n_v);
        for (int k = 0; k < n_v; k++) {
            p->q[k] = s->start.q[k] + s->work[k];
        }
    }
    interpolate_plain(s, u, s->size.n_x, s->start.x, s->end.x, s->x_rate_start, s->x_rate_end,
                      p->x);
    interpolate_plain(s, u, s->size.n_w, s->start.w, s->end.w, s->power_start, s->power_end, p->w);
    p->t = t;
}
