// Rates at the stages of dop853 and values inside its steps (order 7).
#include "solve/dop853.h"

#include <string.h>

#include "solve/dop853_coefficients.h"
#include "solve/point.h"

// y as a point; accelerations go to `rates`.
FbPoint fb_dop_view(const FbDop* s, double t, double* y, double* rates, double* lambda) {
    const FbSizes* n = &s->size;
    return (FbPoint){.t = t,
                     .q = y,
                     .v = y + n->n_q,
                     .x = y + n->n_q + n->n_v,
                     .w = y + n->n_q + n->n_v + n->n_x,
                     .a = rates + n->n_q,
                     .lambda = lambda};
}

FbStatus fb_dop_evaluate(FbDop* s, double t, double* y, double* rates, double* lambda,
                         FbError* err) {
    FbDynamics* d = s->base.dynamics;
    FbPoint p = fb_dop_view(s, t, y, rates, lambda);
    s->stats.rhs_evals++;
    FbStatus status = d->ops->accelerations(d, &p, err);
    if (status != FB_OK) {
        return status;
    }
    d->ops->coordinate_rates(d, p.q, p.v, rates);
    if (s->size.n_x > 0) {
        d->ops->state_rates(d, &p, rates + s->size.n_q + s->size.n_v);
    }
    if (s->size.n_w > 0) {
        d->ops->powers(d, &p, rates + s->size.n_q + s->size.n_v + s->size.n_x);
    }
    return FB_OK;
}

// y_stage = y + h sum_j row[j] k_j
void fb_dop_combine(const FbDop* s, const double* row, int n_stage, double h, const double* y,
                    double* out) {
    for (int i = 0; i < s->n; i++) {
        double sum = 0.0;
        for (int j = 0; j < n_stage; j++) {
            if (row[j] != 0.0) {
                sum += row[j] * s->k[j][i];
            }
        }
        out[i] = y[i] + h * sum;
    }
}

// The part of the dense output that needs no more evaluations.
void fb_dop_begin_dense(FbDop* s, double h) {
    for (int i = 0; i < s->n; i++) {
        double difference = s->y_new[i] - s->y[i], slope = h * s->k[0][i] - difference;
        s->rcont[0][i] = s->y[i];
        s->rcont[1][i] = difference;
        s->rcont[2][i] = slope;
        s->rcont[3][i] = difference - h * s->k[12][i] - slope;
        for (int r = 0; r < FB_DOP_DENSE; r++) {
            double sum = 0.0;
            for (int j = 0; j <= FB_DOP_STAGES; j++) {
                sum += fb_dop_d[r][j] * s->k[j][i];
            }
            s->rcont[4 + r][i] = h * sum;
        }
    }
    s->has_dense = false;
}

// The cubic through the ends, where a further stage has no value.
static FbStatus keep_cubic(FbDop* s) {
    for (int r = 0; r < FB_DOP_DENSE; r++) {
        memset(s->rcont[4 + r], 0, sizeof(double) * (size_t)s->n);
    }
    s->has_dense = true;
    return FB_OK;
}

// The three additional stages of the dense output, only on request.
static FbStatus finish_dense(FbDop* s) {
    for (int i = 13; i < FB_DOP_ALL_STAGES; i++) {
        fb_dop_combine(s, fb_dop_a[i], i, s->h_old, s->rcont[0], s->y_stage);
        FbStatus status = fb_dop_evaluate(s, s->t_old + fb_dop_c[i] * s->h_old, s->y_stage, s->k[i],
                                          s->lambda_stage, NULL);
        if (status != FB_OK) {
            return status < 0 ? status : keep_cubic(s);
        }
    }
    for (int r = 0; r < FB_DOP_DENSE; r++) {
        for (int i = 0; i < s->n; i++) {
            double sum = 0.0;
            for (int j = 13; j < FB_DOP_ALL_STAGES; j++) {
                sum += fb_dop_d[r][j] * s->k[j][i];
            }
            s->rcont[4 + r][i] += s->h_old * sum;
        }
    }
    s->has_dense = true;
    return FB_OK;
}

static void copy_state(const FbDop* s, double t, double* y, FbPoint* p) {
    FbPoint at = fb_dop_view(s, t, y, s->k[12], s->lambda);
    p->t = t;
    fb_array_copy(p->q, at.q, s->size.n_q);
    fb_array_copy(p->v, at.v, s->size.n_v);
    fb_array_copy(p->x, at.x, s->size.n_x);
    fb_array_copy(p->w, at.w, s->size.n_w);
}

// The first n of the nested terms.
static void evaluate_dense(FbDop* s, double t, int n, FbPoint* p) {
    double u = (t - s->t_old) / s->h_old, u1 = 1.0 - u;
    for (int i = 0; i < s->n; i++) {
        double sum = s->rcont[n - 1][i];
        for (int r = n - 2; r >= 0; r--) {
            sum = s->rcont[r][i] + (r % 2 == 0 ? u : u1) * sum;
        }
        s->y_stage[i] = sum;
    }
    copy_state(s, t, s->y_stage, p);
}

FbStatus fb_dop_interpolate(FbIntegrator* self, double t, FbPoint* p) {
    FbDop* s = (FbDop*)self;
    if (s->crossing.is_active) {
        return fb_crossing_interpolate(&s->crossing, t, p);
    }
    if (!(s->h_old > 0.0)) {
        return FB_ERR_ARGUMENT;
    }
    if (!s->has_dense) {
        FB_TRY(finish_dense(s));
    }
    evaluate_dense(s, t, 8, p);
    return FB_OK;
}

FbStatus fb_dop_glance(FbIntegrator* self, double t, FbPoint* p) {
    FbDop* s = (FbDop*)self;
    if (s->crossing.is_active || !(s->h_old > 0.0)) {
        return fb_dop_interpolate(self, t, p);
    }
    evaluate_dense(s, t, 4, p);
    return FB_OK;
}

FbStatus fb_dop_refine(FbIntegrator* self, double t, FbPoint* p) {
    FbDop* s = (FbDop*)self;
    // The dense output first: it needs the stages that are overwritten here.
    FB_TRY(fb_dop_interpolate(self, t, p));
    double h = t - s->t_old;
    if (s->crossing.is_active || !(h > 0.0)) {
        return FB_OK;
    }
    for (int i = 1; i < FB_DOP_STAGES; i++) {
        fb_dop_combine(s, fb_dop_a[i], i, h, s->rcont[0], s->y_stage);
        FbStatus status = fb_dop_evaluate(s, s->t_old + fb_dop_c[i] * h, s->y_stage, s->k[i],
                                          s->lambda_stage, NULL);
        if (status != FB_OK) {
            return status < 0 ? status : FB_OK;
        }
    }
    fb_dop_combine(s, fb_dop_a[FB_DOP_STAGES], FB_DOP_STAGES, h, s->rcont[0], s->y_new);
    copy_state(s, t, s->y_new, p);
    return FB_OK;
}
