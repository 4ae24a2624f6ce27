// The nonlinear systems of a Radau step: simplified Newton iteration.
//
// Unknowns: the rates a_i = v', d_i = xi', k_i = x' at the stages and the multipliers. With
// V_i = v0 + h sum A_ij a_j, xi_i = h sum A_ij d_j, x_i = x0 + h sum A_ij k_j the stage equations
// are
//
//   r(t_i, q0 (+) xi_i, V_i, a_i, x_i, lambda_i) = 0,
//   d_i = D(xi_i) V_i,   k_i = c_i,   gdot_i = 0.
//
// The transformation T of A^-1 splits Newton's system into one real and (s-1)/2 complex ones
// (newton_matrix.h), with s = gamma/h. Hairer & Wanner, Solving ODEs II, IV.8.
#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/radau.h"
#include "solve/radau_travel.h"

// Increments that no longer shrink are taken for rounding noise below this part of the tolerance
// and this multiple of the relative rounding error (differences of large stiff forces multiply it).
static const double NOISE = 1e-2, NOISE_ULPS = 1e4;

double fb_radau_tolerance(const FbRadau* r) {
    double rtol = r->base.options.rtol;
    if (r->base.options.fixed_step > 0.0) {
        return rtol;
    }
    // The estimate has order s, the method 2 s - 1: this makes the true error proportional to rtol
    // (RADAU). Next to a singular point both have the order of the singularity.
    return 0.1 * (r->base.is_rough ? rtol : r->rtol_power[r->method]);
}

void fb_radau_set_powers(FbRadau* r) {
    for (int i = 0; i < FB_RADAU_METHODS; i++) {
        int s = r->methods[i].s;
        r->rtol_power[i] = pow(r->base.options.rtol, (s + 1.0) / (2.0 * s));
    }
}

void fb_radau_set_weights(FbRadau* r, const FbCollocation* c) {
    const FbRadauMethod* m = c->method;
    double rtol = fb_radau_tolerance(r), atol = r->base.options.atol * rtol / r->base.options.rtol;
    FbPoint end = c->start;
    fb_radau_plus(r, c->start.q, r->xi + (m->s - 1) * r->size.n_v, r->q_stage);
    end.q = r->q_stage;
    end.v = r->V + (m->s - 1) * r->size.n_v;
    end.x = r->x + (m->s - 1) * r->size.n_x;
    fb_weights_set(&r->weights, r->base.dynamics, rtol, atol, &end);
}

void fb_radau_plus(const FbRadau* r, const double* q, const double* xi, double* out) {
    const FbDynamics* d = r->base.dynamics;
    if (d->n_ball > 0) {
        d->ops->plus(d, q, xi, out);
        return;
    }
    for (int j = 0; j < r->size.n_v; j++) {
        out[j] = q[j] + xi[j];
    }
}

// out_i = start + h sum_j A_ij rates_j for vectors of n; raises *change by the weighted change of
// `out`.
static void integrate(const FbRadauMethod* m, double h, int n, const double* start,
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
static void copy_plain_rates(const FbRadau* r, FbCollocation* c) {
    const FbDynamics* d = r->base.dynamics;
    int n_v = r->size.n_v;
    for (int i = 0; i < c->method->s; i++) {
        double* rate = c->xi_rate + i * n_v;
        const double* V = r->V + i * n_v;
        int b = 0;
        for (int j = 0; j < n_v; j++) {
            if (b < d->n_ball && j == d->ball[b]) {
                b++;
                j += 2;
                continue;
            }
            rate[j] = V[j];
        }
    }
}

// V, xi and x at the stages from their rates; *change is the largest weighted change.
void fb_radau_update_stages(FbRadau* r, FbCollocation* c, FbWorst* change) {
    const FbRadauMethod* m = c->method;
    int n_v = r->size.n_v;
    change->value = 0.0;
    change->index = -1;
    integrate(m, c->h, n_v, c->start.v, c->a, r->V, &r->weights, r->weights.v, 0, change);
    copy_plain_rates(r, c);
    integrate(m, c->h, n_v, NULL, c->xi_rate, r->xi, &r->weights, r->weights.xi, 0, change);
    integrate(m, c->h, r->size.n_x, c->start.x, c->x_rates, r->x, NULL, r->weights.x, n_v, change);
}

void fb_radau_combine_stages(const FbRadauMethod* m, const double* basis, int n, const double* from,
                             double* to) {
    for (int k = 0; k < n; k++) {
        double sum = 0.0;
        for (int j = 0; j < m->s; j++) {
            sum += basis[j] * from[j * n + k];
        }
        to[k] = sum;
    }
}

static void repeat(int s, int n, const double* from, double* to) {
    for (int i = 0; i < s && n > 0; i++) {
        memcpy(to + i * n, from, sizeof(double) * (size_t)n);
    }
}

void fb_radau_predict(FbRadau* r, const FbCollocation* from, FbCollocation* c) {
    // Extrapolation further than this multiple of the old step makes things worse.
    static const double MAX_REACH = 4.0;
    const FbRadauMethod* m = c->method;
    const FbDynamics* d = r->base.dynamics;
    FbWorst ignored;
    if (!from || !from->method || c->h > MAX_REACH * from->h) {
        repeat(m->s, r->size.n_v, c->start.a, c->a);
        repeat(m->s, r->size.n_x, c->x_rate, c->x_rates);
        repeat(m->s, r->size.n_c, c->start.lambda, c->lambda);
    } else {
        for (int i = 0; i < m->s; i++) {
            double basis[FB_RADAU_MAX_STAGES];
            fb_radau_basis(from->method, (c->t - from->t + m->c[i] * c->h) / from->h, basis);
            fb_radau_combine_stages(from->method, basis, r->size.n_v, from->a,
                                    c->a + i * r->size.n_v);
            fb_radau_combine_stages(from->method, basis, r->size.n_x, from->x_rates,
                                    c->x_rates + i * r->size.n_x);
            fb_radau_combine_stages(from->method, basis, r->size.n_c, from->lambda,
                                    c->lambda + i * r->size.n_c);
        }
        if (!from->is_lambda_good) {
            repeat(m->s, r->size.n_c, c->start.lambda, c->lambda);
        }
    }
    if (d->n_ball > 0) {
        fb_radau_update_stages(r, c, &ignored);
        memcpy(c->xi_rate, r->V, sizeof(double) * (size_t)(m->s * r->size.n_v));
        fb_radau_update_stages(r, c, &ignored);
        for (int i = 0; i < m->s; i++) {
            int k = i * r->size.n_v;
            d->ops->chart_rate(d, r->xi + k, r->V + k, c->xi_rate + k);
        }
    }
    fb_radau_update_stages(r, c, &ignored);
}

FbPoint fb_radau_stage_point(const FbRadau* r, const FbCollocation* c, int i) {
    const FbRadauMethod* m = c->method;
    return (FbPoint){.t = i == m->s - 1 ? c->end.t : c->t + m->c[i] * c->h,
                     .q = r->q_stage,
                     .v = r->V + i * r->size.n_v,
                     .a = c->a + i * r->size.n_v,
                     .x = r->x + i * r->size.n_x,
                     .lambda = c->lambda + i * r->size.n_c};
}

void fb_radau_set_places(FbRadau* r, const FbCollocation* c) {
    int n = r->size.n_v;
    for (int i = 0; i < c->method->s; i++) {
        for (int j = 0; j < n; j++) {
            r->q_stages[i * n + j] = c->start.q[j] + r->xi[i * n + j];
        }
    }
}

// Models that evaluate all stages at once have neither rows nor states nor balls.
static FbStatus evaluate_at_once(FbRadau* r, const FbCollocation* c) {
    FbDynamics* d = r->base.dynamics;
    fb_radau_set_places(r, c);
    r->work_done += c->method->s;
    r->stats.rhs_evals += c->method->s;
    FbStatus status = d->ops->residuals(d, c->method->s, r->q_stages, r->V, c->a, r->R);
    r->has_no_value |= status != FB_OK;
    return status;
}

FbStatus fb_radau_evaluate(FbRadau* r, const FbCollocation* c) {
    FbDynamics* d = r->base.dynamics;
    const FbRadauMethod* m = c->method;
    int n_v = r->size.n_v, n_x = r->size.n_x, n_c = r->size.n_c;
    if (d->has_tapes && !r->form.is_solved) {
        return evaluate_at_once(r, c);
    }
    for (int i = 0; i < m->s; i++) {
        fb_radau_plus(r, c->start.q, r->xi + i * n_v, r->q_stage);
        FbPoint p = fb_radau_stage_point(r, c, i);
        r->work_done += 1.0;
        FbStatus status = fb_radau_residual(r, &p, r->R + i * n_v, r->S + i * n_x, r->D + i * n_c);
        if (status != FB_OK) {
            r->has_no_value = true;
            return status;
        }
        if (r->form.is_solved && n_c > 0) {
            fb_radau_calc_solved_rows(r, r->D + i * n_c, r->Dq + i * n_c);
            memcpy(p.lambda, r->lambda_solved, sizeof(double) * (size_t)n_c);
        }
        for (int k = 0; k < n_x; k++) {
            r->S[i * n_x + k] = c->x_rates[i * n_x + k] - r->S[i * n_x + k];
        }
        if (d->n_ball > 0) {
            d->ops->chart_rate(d, r->xi + i * n_v, p.v, r->P + i * n_v);
            for (int k = 0; k < n_v; k++) {
                r->P[i * n_v + k] = c->xi_rate[i * n_v + k] - r->P[i * n_v + k];
            }
        }
    }
    return FB_OK;
}

// out = - sum_j w_j in_j, real and complex (interleaved).
static void gather_real(int s, const double* w, int n, const double* in, double* out) {
    for (int k = 0; k < n; k++) {
        double sum = 0.0;
        for (int j = 0; j < s; j++) {
            sum -= w[j] * in[j * n + k];
        }
        out[k] = sum;
    }
}

static void gather_complex(int s, const double complex* w, int n, const double* in, double* out) {
    for (int k = 0; k < n; k++) {
        double re = 0.0, im = 0.0;
        for (int j = 0; j < s; j++) {
            re -= creal(w[j]) * in[j * n + k];
            im -= cimag(w[j]) * in[j * n + k];
        }
        out[2 * k] = re;
        out[2 * k + 1] = im;
    }
}

// stage_i += t_i in, real; or 2 Re(t_i in), complex.
static void scatter_real(int s, const double* t, double factor, int n, const double* in,
                         double* stages) {
    for (int i = 0; i < s; i++) {
        for (int k = 0; k < n; k++) {
            stages[i * n + k] += factor * t[i] * in[k];
        }
    }
}

static void scatter_complex(const FbRadauMethod* m, int pair, double complex factor, int n,
                            const double* in, double* stages) {
    for (int i = 0; i < m->s; i++) {
        double tr = creal(m->t[i][pair]), ti = cimag(m->t[i][pair]);
        double re = 2.0 * (tr * creal(factor) - ti * cimag(factor));
        double im = 2.0 * (tr * cimag(factor) + ti * creal(factor));
        for (int k = 0; k < n; k++) {
            stages[i * n + k] += re * in[2 * k] - im * in[2 * k + 1];
        }
    }
}

// Rows of the solved form ask for what removes the difference of accelerations: G + G_q / s, times
// that over s. bxi is room.
static void add_solved_rows(FbRadau* r, const FbRadauMethod* m, double complex shift, int pair,
                            double* bc) {
    int n_c = r->size.n_c;
    if (pair < 0) {
        gather_real(m->s, m->t0_inv, n_c, r->Dq, r->bxi);
    } else {
        gather_complex(m->s, m->t_inv[pair], n_c, r->Dq, r->bxi);
    }
    for (int k = 0; k < n_c && pair < 0; k++) {
        bc[k] = (bc[k] + r->bxi[k] / creal(shift)) / creal(shift);
    }
    for (int k = 0; k < n_c && pair >= 0; k++) {
        double complex by_q = r->bxi[2 * k] + I * r->bxi[2 * k + 1];
        double complex z = (bc[2 * k] + I * bc[2 * k + 1] + by_q / shift) / shift;
        bc[2 * k] = creal(z);
        bc[2 * k + 1] = cimag(z);
    }
}

// Right-hand sides of system 0 or of a pair, solved, into r->w and r->w_xi.
static void solve_real(FbRadau* r, const FbCollocation* c) {
    const FbRadauMethod* m = c->method;
    int n_v = r->size.n_v, n_x = r->size.n_x, n_c = r->size.n_c;
    bool has_ball = r->base.dynamics->n_ball > 0;
    double *b = r->w[0], *bc = b + n_v + n_x;
    gather_real(m->s, m->t0_inv, n_v, r->R, b);
    gather_real(m->s, m->t0_inv, n_x, r->S, b + n_v);
    gather_real(m->s, m->t0_inv, n_c, r->D, bc);
    if (r->form.is_solved && n_c > 0) {
        add_solved_rows(r, m, m->gamma0 / c->h, -1, bc);
    }
    if (has_ball) {
        gather_real(m->s, m->t0_inv, n_v, r->P, r->w_xi[0]);
    }
    fb_newton_matrix_solve(r->matrix, 0, b, has_ball ? r->w_xi[0] : NULL);
}

static void solve_pair(FbRadau* r, const FbCollocation* c, int pair) {
    const FbRadauMethod* m = c->method;
    int n_v = r->size.n_v, n_x = r->size.n_x, n_c = r->size.n_c;
    bool has_ball = r->base.dynamics->n_ball > 0;
    double *b = r->w[1 + pair], *bc = b + 2 * (n_v + n_x);
    gather_complex(m->s, m->t_inv[pair], n_v, r->R, b);
    gather_complex(m->s, m->t_inv[pair], n_x, r->S, b + 2 * n_v);
    gather_complex(m->s, m->t_inv[pair], n_c, r->D, bc);
    if (r->form.is_solved && n_c > 0) {
        add_solved_rows(r, m, m->gamma[pair] / c->h, pair, bc);
    }
    if (has_ball) {
        gather_complex(m->s, m->t_inv[pair], n_v, r->P, r->w_xi[1 + pair]);
    }
    fb_newton_matrix_solve(r->matrix, 1 + pair, b, has_ball ? r->w_xi[1 + pair] : NULL);
}

static void add_real(FbRadau* r, FbCollocation* c, double* a) {
    const FbRadauMethod* m = c->method;
    int n_v = r->size.n_v, n_x = r->size.n_x, n_c = r->form.is_solved ? 0 : r->size.n_c;
    const double* b = r->w[0];
    double shift = m->gamma0 / c->h;
    scatter_real(m->s, m->t0, shift, n_v, b, a);
    scatter_real(m->s, m->t0, shift, n_x, b + n_v, c->x_rates);
    scatter_real(m->s, m->t0, 1.0, n_c, b + n_v + n_x, c->lambda);
    if (r->base.dynamics->n_ball > 0) {
        scatter_real(m->s, m->t0, shift, n_v, r->w_xi[0], c->xi_rate);
    }
}

static void add_pair(FbRadau* r, FbCollocation* c, int pair, double* a) {
    const FbRadauMethod* m = c->method;
    int n_v = r->size.n_v, n_x = r->size.n_x, n_c = r->form.is_solved ? 0 : r->size.n_c;
    const double* b = r->w[1 + pair];
    double complex shift = m->gamma[pair] / c->h;
    scatter_complex(m, pair, shift, n_v, b, a);
    scatter_complex(m, pair, shift, n_x, b + 2 * n_v, c->x_rates);
    scatter_complex(m, pair, 1.0, n_c, b + 2 * (n_v + n_x), c->lambda);
    if (r->base.dynamics->n_ball > 0) {
        scatter_complex(m, pair, shift, n_v, r->w_xi[1 + pair], c->xi_rate);
    }
}

// The residuals of the stages as seen from where the blocks were evaluated.
static void turn_residuals(FbRadau* r, const FbCollocation* c) {
    int n_v = r->size.n_v;
    for (int i = 0; fb_radau_turns(r) && i < c->method->s; i++) {
        double* q = r->q_stages + i * r->size.n_q;
        fb_radau_plus(r, c->start.q, r->xi + i * n_v, q);
        fb_radau_turn_back(r, q, r->R + i * n_v);
    }
}

// Where nodes turn, increments of accelerations turn with them to each stage.
static void add_increments(FbRadau* r, FbCollocation* c) {
    int n_v = r->size.n_v, count = c->method->s * n_v;
    bool turns = fb_radau_turns(r);
    double* a = turns ? r->increments : c->a;
    if (turns) {
        memset(a, 0, sizeof(double) * (size_t)count);
    }
    add_real(r, c, a);
    for (int pair = 0; pair < c->method->n_pair; pair++) {
        add_pair(r, c, pair, a);
    }
    for (int i = 0; turns && i < c->method->s; i++) {
        fb_radau_turn(r, r->q_stages + i * r->size.n_q, a + i * n_v);
    }
    for (int k = 0; turns && k < count; k++) {
        c->a[k] += a[k];
    }
}

FbStatus fb_radau_factor(FbRadau* r, double h) {
    const FbRadauMethod* m = &r->methods[r->method];
    r->h_factored = 0.0;
    fb_radau_travel_forget(r);
    FbStatus status = fb_newton_matrix_factor(r->matrix, 0, m->gamma0 / h);
    for (int k = 0; k < m->n_pair && status == FB_OK; k++) {
        status = fb_newton_matrix_factor(r->matrix, 1 + k, m->gamma[k] / h);
    }
    r->stats.factorizations++;
    r->stats.matrices += 1 + m->n_pair;
    if (status == FB_OK) {
        r->h_factored = h;
        r->method_factored = r->method;
    }
    return status;
}

double fb_radau_newton_tolerance(const FbRadau* r) {
    static const double LED = 10.0, FIXED = 3e-3;
    // Of the estimate's tolerance; the exponent makes it a part of the user's rtol for every order
    // (RADAU).
    double rtol = fb_radau_tolerance(r);
    int s = r->methods[r->method].s;
    if (r->base.options.fixed_step > 0.0) {
        return FIXED;  // no estimate: rtol is that of this iteration
    }
    double part = fmin(0.03, (r->is_led ? LED : 1.0) * pow(rtol, (s - 1.0) / (s + 1.0)));
    return fmax(10.0 * DBL_EPSILON / rtol, part);
}

static const double LESS = 0.5;  // what is remembered of slow contractions from step to step
// What the contraction, with fresh blocks about proportional to h^2, is to be in the next trial,
// eq. (5.22).
static const double THETA_AGAIN = 0.125;
// A second increment that is so much larger than the first leaves no hope: any, and one that is
// small next to the motion itself, for which the equations are nearly linear.
static const double DIVERGING = 2.0, DIVERGING_SMALL = 20.0, SMALL = 0.02;
enum { PATIENCE = 4 };  // times as many iterations where no shorter step can be taken instead

// Judges the contraction after iteration k; FB_RETRY: hopeless.
static FbStatus judge(FbRadau* r, int k, int max_iterations, double tolerance, double size,
                      double size_before, double* rate_before, FbNewtonReport* report) {
    double rate = size / size_before;
    bool is_first = k == 2 || (k == 3 && *rate_before > DIVERGING);
    report->theta = is_first ? rate : sqrt(rate * *rate_before);
    *rate_before = rate;
    // Where multipliers or stiff forces guide the motion, the first iteration disturbs it by what
    // they are wrong at the start, and the second lets it return: that rate says nothing yet.
    bool is_small = k == 2 && size * fb_radau_tolerance(r) < SMALL;
    double diverging = is_small ? DIVERGING_SMALL : DIVERGING;
    bool is_early = (k == 2 || r->is_patient) && rate < diverging;
    if (!(report->theta < 0.99) && !is_early) {
        report->shrink = 0.5;
        return FB_RETRY;
    }
    // The first ratio shows how the largest part of the increment contracts. Others may do so more
    // slowly: as slowly as they have done of late.
    r->slow_theta = k == 2 ? LESS * r->slow_theta : fmax(rate, r->slow_theta);
    double believed =
        k == 2 ? fmax(report->theta, fmin(r->slow_theta, FB_RADAU_SLOW)) : report->theta;
    r->eta = believed / fmax(1.0 - believed, 0.01);
    int left = max_iterations - 1 - k;
    double predicted = r->eta * size * pow(report->theta, left) / tolerance;
    if (predicted >= 1.0 && !is_early) {
        double excess = fmax(1e-4, fmin(20.0, predicted));
        report->shrink =
            fmin(0.8 * pow(excess, -1.0 / (4.0 + left)), sqrt(THETA_AGAIN / report->theta));
        return FB_RETRY;
    }
    return FB_OK;
}

// Multipliers may converge more slowly than the motion that they guide: a few more iterations are
// spent on them, because wrong ones would be extrapolated into the next step and spoil its
// Jacobian.
static const double LAMBDA_GOOD = 1e-3;
// Where driven constraints do work the multipliers are part of the result: to this multiple of
// rtol.
static const double LAMBDA_FINE = 100.0;
enum { MAX_LAMBDA_ITERATIONS = 3, MAX_FINE_ITERATIONS = 5 };

// Forces and moments are compared by the work that they do in the scales of their rows.
static double lambda_change(const FbRadau* r, const FbCollocation* c) {
    const double* scale = r->base.dynamics->c_scale;
    double largest = 0.0, change = 0.0;
    for (int i = 0; i < c->method->s * r->size.n_c; i++) {
        double unit = scale ? scale[i % r->size.n_c] : 1.0;
        largest = fmax(largest, unit * fabs(c->lambda[i]));
        change = fmax(change, unit * fabs(c->lambda[i] - r->lambda_before[i]));
    }
    return change > 0.0 ? change / largest : 0.0;
}

// One Newton iteration for all stages; report->worst is the increment of the motion.
static FbStatus iterate(FbRadau* r, FbCollocation* c, FbNewtonReport* report) {
    FbStatus status = fb_radau_evaluate(r, c);
    if (status != FB_OK) {
        report->worst.index = -1;
        return status;
    }
    memcpy(r->lambda_before, c->lambda, sizeof(double) * (size_t)(c->method->s * r->size.n_c));
    turn_residuals(r, c);
    solve_real(r, c);
    for (int pair = 0; pair < c->method->n_pair; pair++) {
        solve_pair(r, c, pair);
    }
    fb_radau_travel_correct(r, c);
    add_increments(r, c);
    fb_radau_update_stages(r, c, &report->worst);
    r->stats.newton_iterations++;
    report->iterations++;
    return FB_OK;
}

// The motion has converged: at most `count` iterations more for the multipliers, until they change
// by less than `enough`. What the motion does meanwhile is rounding and says nothing about the
// step, whose contraction is known; FB_RETRY: it is spoilt.
static FbStatus settle_lambda(FbRadau* r, FbCollocation* c, int count, double enough,
                              double tolerance, FbNewtonReport* report) {
    report->lambda_change = lambda_change(r, c);
    for (int k = 0; k < count && report->lambda_change > enough; k++) {
        double before = report->lambda_change;
        FbStatus status = iterate(r, c, report);
        if (status != FB_OK) {
            return status;
        }
        report->lambda_change = lambda_change(r, c);
        if (!(report->worst.value <= fmax(tolerance, NOISE))) {
            return FB_RETRY;
        }
        if (!(report->lambda_change < 0.5 * before)) {
            break;
        }
    }
    return FB_OK;
}

static FbStatus finish_lambda(FbRadau* r, FbCollocation* c, double tolerance,
                              FbNewtonReport* report) {
    FbStatus status = settle_lambda(r, c, MAX_LAMBDA_ITERATIONS, LAMBDA_GOOD, tolerance, report);
    c->is_lambda_good = status == FB_OK && report->lambda_change <= LAMBDA_GOOD;
    if (status != FB_OK || !r->has_driven_work) {
        return status;
    }
    double fine = LAMBDA_FINE * r->base.options.rtol;
    return settle_lambda(r, c, MAX_FINE_ITERATIONS, fine, tolerance, report);
}

FbStatus fb_radau_newton(FbRadau* r, FbCollocation* c, FbNewtonReport* report) {
    int max_iterations = (r->is_patient ? PATIENCE : 1) * (7 + (c->method->s - 3) * 5 / 2);
    double tolerance = fb_radau_newton_tolerance(r), size_before = 0.0, rate_before = 0.0;
    // The contraction of the last step says something about this one only if the step did not grow.
    bool is_alike = r->h_before > 0.0 && c->h <= 1.2 * r->h_before;
    r->eta = is_alike ? pow(fmax(r->eta, DBL_EPSILON), 0.8) : 1.0;
    report->theta = 0.0;
    report->shrink = 0.5;
    report->iterations = 0;
    fb_radau_travel_realize(r, c);
    for (int k = 1; k <= max_iterations; k++) {
        FbStatus status = iterate(r, c, report);
        if (status != FB_OK) {
            return status;
        }
        double size = report->worst.value;
        double noise = fmin(NOISE, NOISE_ULPS * DBL_EPSILON / fb_radau_tolerance(r));
        bool is_noise = k > 1 && size < noise && size > 0.1 * size_before;
        if (k > 1 && judge(r, k, max_iterations, tolerance, size, size_before, &rate_before,
                           report) != FB_OK) {
            c->is_lambda_good = false;
            report->lambda_change = 1.0;
            is_noise = (is_noise && r->is_jacobian_fresh) ||
                       (k > 2 && fb_radau_is_noise(r, c, fmin(size, size_before)));
            if (is_noise) {
                report->theta = 0.0;  // that of rounding
                return FB_OK;
            }
            return FB_RETRY;
        }
        size_before = fmax(size, DBL_MIN);
        if (r->eta * size <= tolerance) {
            return finish_lambda(r, c, tolerance, report);
        }
    }
    return FB_RETRY;
}
