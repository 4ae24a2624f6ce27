// Gauss collocation of orders 2, 4 and 6 with steps of a fixed length: symmetric, so that the
// energy of vibrations and swings stays bounded (theory manual, section 5.14).
//
// Hairer, Lubich & Wanner, Geometric Numerical Integration, II.1.3, V and VI.4.
#include "solve/gauss.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve/failure.h"
#include "solve/fixed_step.h"
#include "solve/point.h"

// A slower contraction asks for a new Jacobian.
static const double THETA_JACOBIAN = 0.05;
// Changes of the motion by the multipliers, of the tolerance, that are not followed further.
static const double ENOUGH = 1e-3;

static void take_stages(FbGauss* s, FbArena* a) {
    const FbSizes* n = &s->size;
    int stages = s->method.s;
    double** of_v[] = {&s->a, &s->xi_rate, &s->V, &s->xi, &s->R, &s->P, &s->a_last};
    double** of_x[] = {&s->x_rates, &s->x, &s->S, &s->x_rates_last};
    for (size_t i = 0; i < sizeof of_v / sizeof of_v[0]; i++) {
        *of_v[i] = FB_TAKE(a, double, stages * n->n_v + 1);
    }
    for (size_t i = 0; i < sizeof of_x / sizeof of_x[0]; i++) {
        *of_x[i] = FB_TAKE(a, double, stages * n->n_x + 1);
    }
    s->lambda = FB_TAKE(a, double, stages * n->n_c + 1);
    s->powers = FB_TAKE(a, double, stages * n->n_w + 1);
}

static void take_arrays(FbGauss* s, FbArena* a) {
    const FbSizes* n = &s->size;
    take_stages(s, a);
    s->x_rate = FB_TAKE(a, double, n->n_x + 1);
    s->x_rate_end = FB_TAKE(a, double, n->n_x + 1);
    s->power = FB_TAKE(a, double, n->n_w + 1);
    s->power_end = FB_TAKE(a, double, n->n_w + 1);
    s->q_stage = FB_TAKE(a, double, n->n_q + 1);
    s->q_middle = FB_TAKE(a, double, n->n_q + 1);
    s->xi0 = FB_TAKE(a, double, n->n_v + 1);
    s->a_stage = FB_TAKE(a, double, n->n_v + 1);
    s->lambda_part = FB_TAKE(a, double, n->n_c + 1);
    s->work = FB_TAKE(a, double, 2 * n->n_v + 1);
    s->work_x = FB_TAKE(a, double, n->n_v + 1);
    s->b = FB_TAKE(a, double, 2 * (n->n_v + n->n_x + n->n_c) + 2);
    s->bxi = FB_TAKE(a, double, 2 * n->n_v + 2);
    fb_point_take(a, n, &s->at);
    fb_point_take(a, n, &s->end);
    fb_hermite_init(&s->dense, s->base.dynamics, a);
    s->dense.is_quintic = s->method.s > 1;
    fb_weights_init(&s->weights, s->base.dynamics, a);
}

static FbStatus allocate(FbGauss* s, FbError* err) {
    FbArena* arena = fb_arena_create();
    if (!arena) {
        return fb_fail_memory(err);
    }
    fb_arena_destroy(s->arena);
    s->arena = arena;
    s->size = s->base.dynamics->size;
    s->has_jacobian = s->has_step = false;
    take_arrays(s, arena);
    fb_gauss_rows_destroy(s->rows);
    s->rows = NULL;
    s->from = s->at;
    if (s->size.n_c > 0) {
        fb_point_take(arena, &s->size, &s->from);
    }
    return fb_arena_has_failed(arena) ? fb_fail_memory(err) : FB_OK;
}

static void gauss_destroy(FbIntegrator* self) {
    FbGauss* s = (FbGauss*)self;
    if (s) {
        fb_newton_matrix_destroy(s->matrix);
        fb_gauss_rows_destroy(s->rows);
        fb_arena_destroy(s->arena);
        free(s);
    }
}

static FbStatus create(const FbIntegratorType* type, int stages, FbDynamics* d,
                       const FbIntegratorOptions* o, FbIntegrator** out, FbError* err) {
    *out = NULL;
    if (!(o->fixed_step > 0.0)) {
        return fb_fail(err, FB_ERR_ARGUMENT, NULL, "%s needs a fixed step", type->name);
    }
    FbGauss* s = calloc(1, sizeof *s);
    if (!s) {
        return fb_fail_memory(err);
    }
    s->base = (FbIntegrator){.type = type, .dynamics = d, .options = *o};
    fb_gauss_method_init(&s->method, stages);
    FbStatus status = allocate(s, err);
    if (status != FB_OK) {
        gauss_destroy(&s->base);
        return status;
    }
    *out = &s->base;
    return FB_OK;
}

static FbStatus create_2(FbDynamics* d, const FbIntegratorOptions* o, FbIntegrator** out,
                         FbError* err) {
    return create(&fb_integrator_gauss2, 1, d, o, out, err);
}

static FbStatus create_4(FbDynamics* d, const FbIntegratorOptions* o, FbIntegrator** out,
                         FbError* err) {
    return create(&fb_integrator_gauss4, 2, d, o, out, err);
}

static FbStatus create_6(FbDynamics* d, const FbIntegratorOptions* o, FbIntegrator** out,
                         FbError* err) {
    return create(&fb_integrator_gauss6, 3, d, o, out, err);
}

// Rates at a point that is known.
static void calc_rates(FbGauss* s, const FbPoint* p, double* x_rate, double* power) {
    FbDynamics* d = s->base.dynamics;
    if (s->size.n_x > 0) {
        d->ops->state_rates(d, p, x_rate);
    }
    if (s->size.n_w > 0) {
        d->ops->powers(d, p, power);
    }
}

static FbStatus gauss_restart(FbIntegrator* self, const FbPoint* p, FbError* err) {
    FbGauss* s = (FbGauss*)self;
    FbDynamics* d = self->dynamics;
    if (!fb_sizes_match(&s->size, &d->size)) {
        FB_TRY(allocate(s, err));
    }
    fb_point_copy(&s->size, p, &s->at);
    calc_rates(s, &s->at, s->x_rate, s->power);
    fb_weights_restart(&s->weights, d, &s->at);
    fb_contraction_restart(&s->contraction);
    s->h_last = 0.0;
    s->stats.restarts++;
    // All memory is taken here: steps should not have to ask for any.
    FbStatus status = fb_gauss_calc_blocks(s, &s->at, err);
    if (status >= 0 && s->size.n_c > 0) {
        FB_TRY(fb_gauss_rows_restart(s, err));
    }
    return status < 0 ? status : FB_OK;
}

// to = start + h sum_i b_i rates_i
static void sum_stages(const FbGauss* s, double h, int n, const double* start, const double* rates,
                       double* to) {
    for (int k = 0; k < n; k++) {
        double sum = 0.0;
        for (int i = 0; i < s->method.s; i++) {
            sum += s->method.b[i] * rates[i * n + k];
        }
        to[k] = (start ? start[k] : 0.0) + h * sum;
    }
}

// Works by the quadrature of the method.
static void calc_quadratures(FbGauss* s, double h) {
    FbDynamics* d = s->base.dynamics;
    for (int i = 0; i < s->method.s && s->size.n_w > 0; i++) {
        FbPoint p = fb_gauss_stage(s, i, h);
        d->ops->powers(d, &p, s->powers + i * s->size.n_w);
    }
    sum_stages(s, h, s->size.n_w, s->at.w, s->powers, s->end.w);
}

// The end of the step as the stages give it; s->work is end (-) start.
static void sum_end(FbGauss* s, double h) {
    const FbDynamics* d = s->base.dynamics;
    sum_stages(s, h, s->size.n_v, NULL, s->xi_rate, s->work);
    sum_stages(s, h, s->size.n_v, s->from.v, s->a, s->end.v);
    sum_stages(s, h, s->size.n_x, s->from.x, s->x_rates, s->end.x);
    if (d->n_ball > 0) {
        d->ops->plus(d, s->from.q, s->work, s->end.q);
    } else {
        for (int k = 0; k < s->size.n_v; k++) {
            s->end.q[k] = s->from.q[k] + s->work[k];
        }
    }
}

// The step between the constraints, with equal multipliers at both of its ends.
static FbStatus solve_between_rows(FbGauss* s, double h, FbError* err) {
    enum { MAX_ROUNDS = 25 };
    double change = INFINITY, least = INFINITY;
    for (int k = 0; k < MAX_ROUNDS; k++) {
        fb_gauss_rows_move_start(s);
        FbStatus status = fb_gauss_solve(s, h, k > 0, err);
        if (status != FB_OK) {
            return status;
        }
        sum_end(s, h);
        status = k == 0 ? fb_gauss_rows_look(s, err) : FB_OK;
        status = status == FB_OK ? fb_gauss_rows_move_end(s, &change) : status;
        // Below the tolerance what does not shrink any more is rounding.
        if (status != FB_OK || change <= ENOUGH || (change < 1.0 && change > 0.9 * least)) {
            return status;
        }
        least = fmin(least, change);
    }
    return change < 1.0 ? FB_OK : FB_RETRY;
}

// What the multipliers left, and quaternions; then the accelerations.
static FbStatus finish_end(FbGauss* s, double h, FbError* err) {
    FbDynamics* d = s->base.dynamics;
    FbStatus status = FB_OK;
    calc_quadratures(s, h);
    sum_stages(s, h, s->size.n_v, NULL, s->xi_rate, s->work);
    fb_dynamics_tell_states(d, s->end.x);
    if (d->ops->project_position) {
        status = d->ops->project_position(d, s->end.t, s->end.q, NULL, err);
    }
    if (status == FB_OK && d->ops->project_velocity) {
        status = d->ops->project_velocity(d, s->end.t, s->end.q, s->end.v, NULL, err);
    }
    fb_array_copy(s->end.lambda, s->lambda + (s->method.s - 1) * s->size.n_c, s->size.n_c);
    s->stats.rhs_evals++;
    s->stats.solved_evals++;
    return status == FB_OK ? d->ops->accelerations(d, &s->end, err) : status;
}

static void keep_dense(FbGauss* s, double h) {
    FbHermite* d = &s->dense;
    fb_point_copy(&s->size, &s->at, &d->start);
    fb_point_copy(&s->size, &s->end, &d->end);
    fb_array_copy(d->x_rate_start, s->x_rate, s->size.n_x);
    fb_array_copy(d->x_rate_end, s->x_rate_end, s->size.n_x);
    fb_array_copy(d->power_start, s->power, s->size.n_w);
    fb_array_copy(d->power_end, s->power_end, s->size.n_w);
    fb_hermite_finish(d, s->base.dynamics, h, s->work);
}

static void swap(double** a, double** b) {
    double* c = *a;
    *a = *b;
    *b = c;
}

static void accept(FbGauss* s, double h) {
    FbIntegratorStats* stats = &s->stats;
    stats->steps++;
    stats->min_step = stats->min_step > 0.0 ? fmin(stats->min_step, h) : h;
    stats->max_step_taken = fmax(stats->max_step_taken, h);
    stats->max_order = 2 * s->method.s;  // last_order stays 0: its steps cannot be led
    calc_rates(s, &s->end, s->x_rate_end, s->power_end);
    keep_dense(s, h);
    swap(&s->a, &s->a_last);
    swap(&s->x_rates, &s->x_rates_last);
    swap(&s->x_rate, &s->x_rate_end);
    swap(&s->power, &s->power_end);
    fb_point_copy(&s->size, &s->end, &s->at);
    if (s->size.n_c > 0) {
        fb_gauss_rows_accept(s);
    }
    s->h_last = h;
    s->has_step = true;
    fb_weights_accept(&s->weights, s->base.dynamics, &s->at);
    s->has_jacobian = s->contraction.theta <= THETA_JACOBIAN;
    s->is_jacobian_fresh = false;
}

static FbStatus prepare(FbGauss* s, double h, FbError* err) {
    FbStatus status = s->has_jacobian ? FB_OK : fb_gauss_calc_blocks(s, &s->at, err);
    return status == FB_OK && s->h_factored != h ? fb_gauss_factor(s, h) : status;
}

static FbStatus gauss_step(FbIntegrator* self, double t_limit, FbPoint* p, FbError* err) {
    FbGauss* s = (FbGauss*)self;
    double h = fb_fixed_step(self->options.fixed_step, s->at.t, t_limit, &s->end.t);
    FbStatus status = prepare(s, h, err);
    if (status == FB_OK && s->size.n_c > 0) {
        status = solve_between_rows(s, h, err);
    } else if (status == FB_OK) {
        status = fb_gauss_solve(s, h, false, err);
        sum_end(s, h);
    }
    status = status == FB_OK ? finish_end(s, h, err) : status;
    if (status == FB_OK) {
        accept(s, h);
    }
    fb_point_copy(&s->size, &s->at, p);
    return status == FB_RETRY
               ? fb_fail_fixed_step(self, s->at.t, s->has_no_value, s->worst.index, err)
               : status;
}

static FbStatus gauss_interpolate(FbIntegrator* self, double t, FbPoint* p) {
    FbGauss* s = (FbGauss*)self;
    if (!s->has_step) {
        return FB_ERR_ARGUMENT;
    }
    fb_hermite_at(&s->dense, self->dynamics, t, p);
    return FB_OK;
}

static const FbIntegratorStats* gauss_stats(const FbIntegrator* self) {
    return &((const FbGauss*)self)->stats;
}

static double gauss_wanted_step(const FbIntegrator* self) {
    return self->options.fixed_step;
}

#define GAUSS_METHODS                                                                              \
    .is_implicit = true, .has_residuals = true, .takes_fixed_steps = true, .has_no_control = true, \
    .destroy = gauss_destroy, .restart = gauss_restart, .step = gauss_step,                        \
    .interpolate = gauss_interpolate, .stats = gauss_stats, .wanted_step = gauss_wanted_step,      \
    .remember = fb_gauss_remember

const FbIntegratorType fb_integrator_gauss2 = {
    .name = "gauss2",
    .doc = "implicit midpoint rule: symmetric",
    .orders = "2",
    .use =
        "long undamped runs of trees, loops and structures at low accuracy: energy errors "
        "stay (nearly) bounded",
    .create = create_2,
    GAUSS_METHODS,
};

const FbIntegratorType fb_integrator_gauss4 = {
    .name = "gauss4",
    .doc = "Gauss collocation, two stages: symmetric",
    .orders = "4",
    .use = "long undamped runs of trees, loops and structures: energy errors stay (nearly) bounded",
    .create = create_4,
    GAUSS_METHODS,
};

const FbIntegratorType fb_integrator_gauss6 = {
    .name = "gauss6",
    .doc = "Gauss collocation, three stages: symmetric",
    .orders = "6",
    .use =
        "long undamped runs of trees, loops and structures at high accuracy: energy errors "
        "stay (nearly) bounded",
    .create = create_6,
    GAUSS_METHODS,
};
