// The nonlinear system of a step of a Gauss method (theory manual, section 5.14).
//
// Unknowns are the rates a_i = v', d_i = xi', k_i = x' at the stages. Without constraints the
// residual vanishes at the stages; with constraints a_i is forward dynamics there, so that the
// method is applied to the equations of motion of order 2 (index 1) and stays symmetric.
#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/gauss.h"
#include "solve/point.h"

// Increments of the motion, of the tolerance, at which the iteration ends: over very many steps
// what it leaves must not add up.
static const double NEWTON = 1e-3;
static const double NOISE = 0.1;
enum { MAX_TRIALS = 4 };

FbStatus fb_gauss_calc_blocks(FbGauss* s, const FbPoint* p, FbError* err) {
    FbDynamics* d = s->base.dynamics;
    FbBlocks blocks;
    memset(&blocks, 0, sizeof blocks);
    FbStatus status = fb_newton_calc_blocks(d, p, &blocks, err);
    if (status != FB_OK) {
        return status;
    }
    FB_TRY(fb_newton_matrix_renew(d, &blocks, s->method.has_pair, &s->matrix, err));
    fb_newton_matrix_set_blocks(s->matrix, &blocks, p->v);
    fb_contraction_forget(&s->contraction);
    s->stats.jacobian_evals++;
    s->has_jacobian = s->is_jacobian_fresh = true;
    s->h_factored = 0.0;
    return FB_OK;
}

FbStatus fb_gauss_factor(FbGauss* s, double h) {
    const FbGaussMethod* m = &s->method;
    FbStatus status = FB_OK;
    s->h_factored = 0.0;
    s->stats.factorizations++;
    if (m->has_real) {
        status = fb_newton_matrix_factor(s->matrix, 0, m->gamma0 / h);
    }
    if (m->has_pair && status == FB_OK) {
        status = fb_newton_matrix_factor(s->matrix, 1, m->gamma / h);
    }
    if (status == FB_OK) {
        s->h_factored = h;
        fb_contraction_forget(&s->contraction);
    }
    return status;
}

// The chart of the rotations of a step is around its middle: that is as symmetric as the method.
static void centre_chart(FbGauss* s, double h) {
    const FbDynamics* d = s->base.dynamics;
    int n_v = s->size.n_v;
    for (int b = 0; b < d->n_ball; b++) {
        for (int k = d->ball[b]; k < d->ball[b] + 3; k++) {
            double sum = 0.0;
            for (int i = 0; i < s->method.s; i++) {
                sum += s->method.b[i] * s->xi_rate[i * n_v + k];
            }
            s->xi0[k] = -0.5 * h * sum;
        }
    }
}

// xi' at a stage.
static void calc_chart_rate(FbGauss* s, int i, double* rate) {
    const FbDynamics* d = s->base.dynamics;
    int n_v = s->size.n_v;
    for (int k = 0; k < n_v; k++) {
        s->work[k] = s->xi0[k] + s->xi[i * n_v + k];
    }
    d->ops->chart_rate(d, s->work, s->V + i * n_v, rate);
}

// out_i = start + h sum_j A_ij rates_j; raises *change by the weighted change of `out`.
static void integrate(const FbGaussMethod* m, double h, int n, const double* start,
                      const double* rates, double* out, const FbWeights* w,
                      const double* inverse_weights, int index0, FbWorst* change) {
    for (int i = 0; i < m->s; i++) {
        double length = 0.0;
        for (int k = 0; k < n; k++) {
            double sum = 0.0;
            for (int j = 0; j < m->s; j++) {
                sum += m->A[i][j] * rates[j * n + k];
            }
            double value = (start ? start[k] : 0.0) + h * sum;
            double e = (value - out[i * n + k]) * inverse_weights[k];
            if (w) {
                fb_weights_add(w, k, e, &length, change);
            } else if (!(fabs(e) <= change->value)) {
                *change = (FbWorst){isnan(e) ? INFINITY : fabs(e), index0 + k};
            }
            out[i * n + k] = value;
        }
    }
}

// Where D is the identity, xi' is v.
static void copy_plain_rates(FbGauss* s) {
    const FbDynamics* d = s->base.dynamics;
    int n_v = s->size.n_v, n = s->method.s * n_v;
    if (d->n_ball == 0) {
        fb_array_copy(s->xi_rate, s->V, n);
        return;
    }
    for (int i = 0; i < s->method.s; i++) {
        for (int j = 0, b = 0; j < n_v; j++) {
            if (b < d->n_ball && j == d->ball[b]) {
                b++;
                j += 2;
            } else {
                s->xi_rate[i * n_v + j] = s->V[i * n_v + j];
            }
        }
    }
}

static void update_stages(FbGauss* s, double h) {
    const FbGaussMethod* m = &s->method;
    int n_v = s->size.n_v;
    s->worst = (FbWorst){0.0, -1};
    integrate(m, h, n_v, s->from.v, s->a, s->V, &s->weights, s->weights.v, 0, &s->worst);
    copy_plain_rates(s);
    centre_chart(s, h);
    integrate(m, h, n_v, NULL, s->xi_rate, s->xi, &s->weights, s->weights.xi, 0, &s->worst);
    integrate(m, h, s->size.n_x, s->from.x, s->x_rates, s->x, NULL, s->weights.x, n_v, &s->worst);
}

static void extrapolate(const FbGauss* s, double h, int n, const double* last, const double* now,
                        double* rates) {
    const FbGaussMethod* m = &s->method;
    for (int i = 0; i < m->s; i++) {
        double basis[FB_GAUSS_MAX_STAGES] = {0};
        if (s->h_last > 0.0) {
            fb_gauss_basis(m, 1.0 + m->c[i] * h / s->h_last, basis);
        }
        for (int k = 0; k < n; k++) {
            double sum = s->h_last > 0.0 ? 0.0 : now[k];
            for (int j = 0; j < m->s; j++) {
                sum += basis[j] * last[j * n + k];
            }
            rates[i * n + k] = sum;
        }
    }
}

static void predict(FbGauss* s, double h) {
    const FbDynamics* d = s->base.dynamics;
    int n_v = s->size.n_v, n = s->method.s * n_v;
    extrapolate(s, h, n_v, s->a_last, s->at.a, s->a);
    extrapolate(s, h, s->size.n_x, s->x_rates_last, s->x_rate, s->x_rates);
    if (d->n_ball > 0) {
        update_stages(s, h);
        fb_array_copy(s->xi_rate, s->V, n);
        update_stages(s, h);
        for (int i = 0; i < s->method.s; i++) {
            calc_chart_rate(s, i, s->xi_rate + i * n_v);
        }
    }
    update_stages(s, h);
}

FbPoint fb_gauss_stage(FbGauss* s, int i, double h) {
    const FbDynamics* d = s->base.dynamics;
    int n_v = s->size.n_v;
    const double* xi = s->xi + i * n_v;
    if (d->n_ball > 0) {
        for (int k = 0; k < n_v; k++) {
            s->work[k] = -s->xi0[k];
            s->work[n_v + k] = s->xi0[k] + xi[k];
        }
        d->ops->plus(d, s->from.q, s->work, s->q_middle);
        d->ops->plus(d, s->q_middle, s->work + n_v, s->q_stage);
    } else {
        for (int k = 0; k < n_v; k++) {
            s->q_stage[k] = s->from.q[k] + xi[k];
        }
    }
    return (FbPoint){.t = s->at.t + s->method.c[i] * h,
                     .q = s->q_stage,
                     .v = s->V + i * n_v,
                     .a = s->a + i * n_v,
                     .x = s->x + i * s->size.n_x,
                     .lambda = s->lambda + i * s->size.n_c};
}

// R: M times what a_i differs from forward dynamics, in the metric of the last blocks.
static FbStatus evaluate_forward(FbGauss* s, int i, FbPoint* p) {
    FbDynamics* d = s->base.dynamics;
    FbError ignored;
    int n_v = s->size.n_v;
    p->a = s->a_stage;
    FbStatus status = d->ops->accelerations(d, p, &ignored);
    s->stats.solved_evals++;
    if (status != FB_OK) {
        return FB_RETRY;
    }
    for (int k = 0; k < n_v; k++) {
        s->R[i * n_v + k] = s->a[i * n_v + k] - s->a_stage[k];
    }
    if (s->size.n_x > 0) {
        d->ops->state_rates(d, p, s->S + i * s->size.n_x);
    }
    return FB_OK;
}

static FbStatus evaluate(FbGauss* s, double h) {
    FbDynamics* d = s->base.dynamics;
    int n_v = s->size.n_v, n_x = s->size.n_x;
    for (int i = 0; i < s->method.s; i++) {
        FbPoint p = fb_gauss_stage(s, i, h);
        s->stats.rhs_evals++;
        FbStatus status = s->size.n_c > 0
                              ? evaluate_forward(s, i, &p)
                              : d->ops->residual(d, &p, s->R + i * n_v, s->S + i * n_x, NULL);
        if (status != FB_OK) {
            s->has_no_value = true;
            return status;
        }
        for (int k = 0; k < n_x; k++) {
            s->S[i * n_x + k] = s->x_rates[i * n_x + k] - s->S[i * n_x + k];
        }
        if (d->n_ball > 0) {
            calc_chart_rate(s, i, s->P + i * n_v);
            for (int k = 0; k < n_v; k++) {
                s->P[i * n_v + k] = s->xi_rate[i * n_v + k] - s->P[i * n_v + k];
            }
        }
    }
    return FB_OK;
}

// out = -sum_j w_j in_j; interleaved where the system is complex.
static void gather(const FbGaussMethod* m, bool is_complex, int n, const double* in, double* out) {
    for (int k = 0; k < n; k++) {
        double complex sum = 0.0;
        for (int j = 0; j < m->s; j++) {
            sum -= (is_complex ? m->t_inv[j] : m->t0_inv[j]) * in[j * n + k];
        }
        if (is_complex) {
            out[2 * k] = creal(sum);
            out[2 * k + 1] = cimag(sum);
        } else {
            out[k] = creal(sum);
        }
    }
}

// stages_i += t_i factor in, or twice the real part of that.
static void scatter(const FbGaussMethod* m, bool is_complex, double complex factor, int n,
                    const double* in, double* stages) {
    for (int i = 0; i < m->s; i++) {
        double complex f = factor * (is_complex ? 2.0 * m->t[i] : m->t0[i]);
        for (int k = 0; k < n; k++) {
            stages[i * n + k] +=
                is_complex ? creal(f) * in[2 * k] - cimag(f) * in[2 * k + 1] : creal(f) * in[k];
        }
    }
}

// With constraints R is a difference of accelerations: multiplied by M, and the rows ask for its
// part across them.
static void weigh(FbGauss* s, bool is_complex, double complex shift) {
    int n_v = s->size.n_v, n_x = s->size.n_x, n_c = s->size.n_c, stride = is_complex ? 2 : 1;
    double *part = s->work, *product = s->work + n_v, *zero = s->work_x;
    double* rows = s->b + stride * (n_v + n_x);
    memset(zero, 0, sizeof(double) * (size_t)n_v);
    for (int c = 0; c < stride; c++) {
        for (int k = 0; k < n_v; k++) {
            part[k] = s->b[stride * k + c];
            product[k] = 0.0;
        }
        memset(s->lambda_part, 0, sizeof(double) * (size_t)n_c);
        fb_newton_matrix_add_mass_product(s->matrix, 1.0, part, product);
        fb_newton_matrix_add_constraint_product(s->matrix, part, zero, s->lambda_part);
        for (int k = 0; k < n_v; k++) {
            s->b[stride * k + c] = product[k];
        }
        for (int k = 0; k < n_c; k++) {
            rows[stride * k + c] = s->lambda_part[k];
        }
    }
    for (int k = 0; k < n_c; k++) {
        double complex z = is_complex ? rows[2 * k] + I * rows[2 * k + 1] : rows[k];
        z /= shift;
        rows[stride * k] = creal(z);
        if (is_complex) {
            rows[2 * k + 1] = cimag(z);
        }
    }
}

static void solve_system(FbGauss* s, double h, bool is_complex) {
    const FbGaussMethod* m = &s->method;
    int n_v = s->size.n_v, n_x = s->size.n_x, stride = is_complex ? 2 : 1;
    bool has_ball = s->base.dynamics->n_ball > 0;
    double complex shift = (is_complex ? m->gamma : m->gamma0) / h;
    double* bx = s->b + stride * n_v;
    gather(m, is_complex, n_v, s->R, s->b);
    gather(m, is_complex, n_x, s->S, bx);
    if (s->size.n_c > 0) {
        weigh(s, is_complex, shift);
    }
    if (has_ball) {
        gather(m, is_complex, n_v, s->P, s->bxi);
    }
    fb_newton_matrix_solve(s->matrix, is_complex, s->b, has_ball ? s->bxi : NULL);
    scatter(m, is_complex, shift, n_v, s->b, s->a);
    scatter(m, is_complex, shift, n_x, bx, s->x_rates);
    if (has_ball) {
        scatter(m, is_complex, shift, n_v, s->bxi, s->xi_rate);
    }
}

static FbStatus iterate(FbGauss* s, double h) {
    FbStatus status = evaluate(s, h);
    if (status != FB_OK) {
        return status;
    }
    if (s->method.has_real) {
        solve_system(s, h, false);
    }
    if (s->method.has_pair) {
        solve_system(s, h, true);
    }
    s->stats.newton_iterations++;
    update_stages(s, h);
    return FB_OK;
}

static FbStatus iterate_all(FbGauss* s, double h) {
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

FbStatus fb_gauss_solve(FbGauss* s, double h, bool is_again, FbError* err) {
    s->has_no_value = false;
    if (is_again) {
        update_stages(s, h);
    } else {
        predict(s, h);
    }
    fb_weights_set(&s->weights, s->base.dynamics, s->base.options.rtol, s->base.options.atol,
                   &s->at);
    FbStatus status = iterate_all(s, h);
    if (status != FB_RETRY) {
        return status;
    }
    // New blocks at the start, then in the middle of what was found with them.
    for (int k = 0; k < MAX_TRIALS && status == FB_RETRY; k++) {
        s->stats.newton_failures++;
        FbPoint middle = fb_gauss_stage(s, s->method.s / 2, h);
        bool is_wild = k == 0 || s->has_no_value || !(s->worst.value < INFINITY);
        status = fb_gauss_calc_blocks(s, is_wild ? &s->at : &middle, err);
        status = status == FB_OK ? fb_gauss_factor(s, h) : status;
        s->has_no_value = false;
        if (status == FB_OK) {
            predict(s, h);
            status = iterate_all(s, h);
        }
    }
    return status;
}
