// Generalized-alpha: steps of order 2 with numerical damping of what they do not resolve, with
// error control or of a fixed length (theory manual, section 5.13).
//
// Chung & Hulbert, J. Appl. Mech. 60 (1993); constraints at velocity level with a projection of the
// positions, rotations in the chart of each step, Bruels & Cardona (2010).
#include "solve/alpha.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve/failure.h"
#include "solve/fixed_step.h"
#include "solve/point.h"

static const double MAX_TURN = 2.0;  // rad in one step: the chart of a ball joint ends at 2 pi
static const int MAX_FAILURES = 60;  // of one step
static const double SAFETY = 0.85, MAX_GROWTH = 3.0, MAX_SHRINK = 0.2;
// A step that would change by less is kept: no factorization.
static const double KEEP_LOW = 0.9, KEEP_HIGH = 1.4;
// A slower contraction asks for a new Jacobian.
static const double THETA_JACOBIAN = 0.05;

// eq. (5.40) ... (5.45)
static FbAlphaMethod make_method(double radius) {
    FbAlphaMethod m;
    m.m = (2.0 * radius - 1.0) / (radius + 1.0);
    m.f = radius / (radius + 1.0);
    m.late = m.m - m.f;
    m.gamma = 0.5 - m.late;
    m.beta = 0.25 * (m.gamma + 0.5) * (m.gamma + 0.5);
    m.ratio = (1.0 - m.m) * m.beta / ((1.0 - m.f) * m.gamma * m.gamma);
    m.error_q = m.beta + 0.5 * m.late - 1.0 / 6.0;
    m.error_v = 0.5 * (m.late * m.late + 2.0 * m.gamma * m.late + m.gamma) - 1.0 / 6.0;
    return m;
}

static void take_arrays(FbAlpha* s, FbArena* a) {
    const FbSizes* n = &s->size;
    double** of_v[] = {&s->A,  &s->A_end, &s->A_before, &s->a_before,
                       &s->xi, &s->r,     &s->bxi,      &s->work};
    double** of_x[] = {&s->B,          &s->B_end,         &s->B_before, &s->x_rate,
                       &s->x_rate_end, &s->x_rate_before, &s->c};
    for (size_t i = 0; i < sizeof of_v / sizeof of_v[0]; i++) {
        *of_v[i] = FB_TAKE(a, double, n->n_v + 1);
    }
    for (size_t i = 0; i < sizeof of_x / sizeof of_x[0]; i++) {
        *of_x[i] = FB_TAKE(a, double, n->n_x + 1);
    }
    s->power = FB_TAKE(a, double, n->n_w + 1);
    s->power_end = FB_TAKE(a, double, n->n_w + 1);
    s->lambda_before = FB_TAKE(a, double, n->n_c + 1);
    s->gdot = FB_TAKE(a, double, n->n_c + 1);
    s->work_q = FB_TAKE(a, double, n->n_q + 1);
    s->b = FB_TAKE(a, double, n->n_v + n->n_x + n->n_c + 1);
    s->Xq = FB_TAKE(a, double, n->n_v * n->n_x + 1);
    s->Xv = FB_TAKE(a, double, n->n_v * n->n_x + 1);
    s->Xx = FB_TAKE(a, double, n->n_x * n->n_x + 1);
    s->n_scaled = 0;
    fb_point_take(a, n, &s->at);
    fb_point_take(a, n, &s->end);
    fb_hermite_init(&s->dense, s->base.dynamics, a);
    fb_weights_init(&s->weights, s->base.dynamics, a);
}

static FbStatus allocate(FbAlpha* s, FbError* err) {
    FbArena* arena = fb_arena_create();
    if (!arena) {
        return fb_fail_memory(err);
    }
    fb_arena_destroy(s->arena);
    s->arena = arena;
    s->size = s->base.dynamics->size;
    s->has_jacobian = s->has_step = false;
    take_arrays(s, arena);
    FbDynamics* d = s->base.dynamics;
    FbError why;
    s->is_linear = d->ops->find_linear && s->size.n_c == 0 &&
                   d->ops->find_linear(d, 0.0, &s->form, &why) == FB_OK && s->form.max_moving == 0;
    if (s->is_linear) {
        FB_TRY(fb_pair_init(&s->product, s->form.vv, s->form.C, s->form.K, arena, err));
    }
    return fb_arena_has_failed(arena) ? fb_fail_memory(err) : FB_OK;
}

static void alpha_destroy(FbIntegrator* self) {
    FbAlpha* s = (FbAlpha*)self;
    if (s) {
        fb_newton_matrix_destroy(s->matrix);
        fb_arena_destroy(s->arena);
        free(s);
    }
}

static FbStatus alpha_create(FbDynamics* d, const FbIntegratorOptions* o, FbIntegrator** out,
                             FbError* err) {
    *out = NULL;
    FbAlpha* s = calloc(1, sizeof *s);
    if (!s) {
        return fb_fail_memory(err);
    }
    s->base = (FbIntegrator){.type = &fb_integrator_alpha, .dynamics = d, .options = *o};
    s->method = make_method(o->has_spectral_radius ? o->spectral_radius : FB_ALPHA_RADIUS);
    FbStatus status = allocate(s, err);
    if (status != FB_OK) {
        alpha_destroy(&s->base);
        return status;
    }
    *out = &s->base;
    return FB_OK;
}

// Where nothing is known of the past, the auxiliary rates are the true ones.
static void forget_past(FbAlpha* s) {
    fb_array_copy(s->A, s->at.a, s->size.n_v);
    fb_array_copy(s->B, s->x_rate, s->size.n_x);
    s->h_of_A = s->h_before = 0.0;
    s->was_rejected = false;
    fb_contraction_restart(&s->contraction);
}

static FbStatus alpha_restart(FbIntegrator* self, const FbPoint* p, FbError* err) {
    FbAlpha* s = (FbAlpha*)self;
    FbDynamics* d = self->dynamics;
    const FbIntegratorOptions* o = &self->options;
    if (!fb_sizes_match(&s->size, &d->size)) {
        FB_TRY(allocate(s, err));
    }
    bool goes_on = d->keeps_motion && s->has_step && s->at.t == p->t;
    fb_point_copy(&s->size, p, &s->at);
    if (s->size.n_x > 0) {
        d->ops->state_rates(d, &s->at, s->x_rate);
    }
    if (s->size.n_w > 0) {
        d->ops->powers(d, &s->at, s->power);
    }
    s->stats.restarts++;
    if (goes_on) {
        s->h_before = 0.0;  // the multipliers belong to other rows
    } else {
        forget_past(s);
        fb_weights_restart(&s->weights, d, &s->at);
        double guess = o->initial_step > 0.0
                           ? o->initial_step
                           : fb_weights_first_step(&s->weights, d, o->rtol, &s->at, s->x_rate);
        s->h = o->fixed_step > 0.0  ? o->fixed_step
               : s->stats.steps > 0 ? fmax(guess, 0.1 * s->h)
                                    : guess;
    }
    if (s->is_linear && s->has_jacobian) {
        return FB_OK;
    }
    // All memory is taken here: steps should not have to ask for any.
    FbStatus status = fb_alpha_calc_blocks(s, &s->at, err);
    return status < 0 ? status : FB_OK;
}

static double limit_turns(const FbAlpha* s, double h) {
    const FbDynamics* d = s->base.dynamics;
    for (int b = 0; b < d->n_ball; b++) {
        const double* w = s->at.v + d->ball[b];
        double rate = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
        h = rate * h > MAX_TURN ? MAX_TURN / rate : h;
    }
    return h;
}

static double choose_step(const FbAlpha* s, double t_limit, double* t_end) {
    const FbIntegratorOptions* o = &s->base.options;
    double rest = t_limit - s->at.t, h = s->h;
    if (o->fixed_step > 0.0) {
        return fb_fixed_step(o->fixed_step, s->at.t, t_limit, t_end);
    }
    h = limit_turns(s, o->max_step > 0.0 ? fmin(h, o->max_step) : h);
    bool is_last = h * (1.0 + 1e-4) >= rest;
    h = is_last ? rest : 1.8 * h > rest ? 0.5 * rest : h;
    *t_end = is_last ? t_limit : s->at.t + h;
    return h;
}

// The auxiliary rates belong to a time that depends on the length of the step: moved linearly.
static void move_auxiliary(FbAlpha* s, double h) {
    if (s->h_of_A > 0.0 && s->h_of_A != h) {
        double part = h / s->h_of_A;
        for (int k = 0; k < s->size.n_v; k++) {
            s->A[k] = s->at.a[k] + part * (s->A[k] - s->at.a[k]);
            s->A_before[k] = s->a_before[k] + part * (s->A_before[k] - s->a_before[k]);
        }
        for (int k = 0; k < s->size.n_x; k++) {
            s->B[k] = s->x_rate[k] + part * (s->B[k] - s->x_rate[k]);
            s->B_before[k] = s->x_rate_before[k] + part * (s->B_before[k] - s->x_rate_before[k]);
        }
    }
    s->h_of_A = h;
}

static FbStatus prepare(FbAlpha* s, double h, FbError* err) {
    move_auxiliary(s, h);
    if (!s->has_jacobian) {
        FbStatus status = fb_alpha_calc_blocks(s, &s->at, err);
        if (status != FB_OK) {
            return status;
        }
    }
    return s->h_factored == h ? FB_OK : fb_alpha_factor(s, h);
}

static FbStatus project_end(FbAlpha* s, FbError* err) {
    FbDynamics* d = s->base.dynamics;
    FbStatus status = FB_OK;
    fb_dynamics_tell_states(d, s->end.x);
    if (d->ops->project_position) {
        status = d->ops->project_position(d, s->end.t, s->end.q, NULL, err);
    }
    if (status == FB_OK && d->ops->project_velocity) {
        status = d->ops->project_velocity(d, s->end.t, s->end.q, s->end.v, NULL, err);
    }
    return status;
}

static double next_step(const FbAlpha* s, double h, double error) {
    double factor = SAFETY / cbrt(fmax(error, 1e-10));
    double wanted = h * fmax(MAX_SHRINK, fmin(MAX_GROWTH, factor));
    return s->was_rejected ? fmin(wanted, h) : wanted;
}

// FB_OK: s->end passed the error test.
static FbStatus try_step(FbAlpha* s, double h, double* error, FbError* err) {
    bool is_fixed = s->base.options.fixed_step > 0.0;
    FbStatus status = prepare(s, h, err);
    status = status == FB_OK ? fb_alpha_solve(s, h, err) : status;
    if (status != FB_OK) {
        s->h = status == FB_RETRY && !is_fixed ? 0.4 * h : s->h;
        s->was_rejected = true;
        return status;
    }
    fb_alpha_finish(s);
    *error = 0.0;
    if (!is_fixed) {
        s->worst = fb_alpha_error(s, h);
        *error = s->worst.value;
    }
    if (!(*error < 1.0)) {
        s->stats.rejected++;
        s->h = next_step(s, h, fmin(*error, 1e30));
        s->was_rejected = true;
        return FB_RETRY;
    }
    status = project_end(s, err);
    if (status == FB_RETRY && !is_fixed) {
        s->h = 0.5 * h;
        s->has_no_value = s->was_rejected = true;
    }
    return status;
}

// Works by the trapezoidal rule: nothing depends on them.
static void calc_quadratures(FbAlpha* s, double h) {
    FbDynamics* d = s->base.dynamics;
    if (s->size.n_w == 0) {
        return;
    }
    d->ops->powers(d, &s->end, s->power_end);
    for (int k = 0; k < s->size.n_w; k++) {
        s->end.w[k] = s->at.w[k] + 0.5 * h * (s->power[k] + s->power_end[k]);
    }
}

static void swap_points(FbPoint* a, FbPoint* b) {
    FbPoint c = *a;
    *a = *b;
    *b = c;
}

// The step becomes the last one, and its end the next start; s->x_rate and s->power are still those
// of its start.
static void keep_dense(FbAlpha* s, double h) {
    FbHermite* d = &s->dense;
    swap_points(&d->start, &s->at);
    swap_points(&d->end, &s->end);
    fb_point_copy(&s->size, &d->end, &s->at);
    fb_array_copy(d->x_rate_start, s->x_rate, s->size.n_x);
    fb_array_copy(d->x_rate_end, s->x_rate_end, s->size.n_x);
    fb_array_copy(d->power_start, s->power, s->size.n_w);
    fb_array_copy(d->power_end, s->power_end, s->size.n_w);
    fb_hermite_finish(d, s->base.dynamics, h, s->xi);
}

static void swap(double** a, double** b) {
    double* c = *a;
    *a = *b;
    *b = c;
}

static void keep_past(FbAlpha* s) {
    swap(&s->A_before, &s->A);
    swap(&s->A, &s->A_end);
    swap(&s->B_before, &s->B);
    swap(&s->B, &s->B_end);
    swap(&s->x_rate_before, &s->x_rate);
    swap(&s->x_rate, &s->x_rate_end);
    swap(&s->power, &s->power_end);
}

static void accept(FbAlpha* s, double h, double error) {
    FbIntegratorStats* stats = &s->stats;
    stats->steps++;
    stats->min_step = stats->min_step > 0.0 ? fmin(stats->min_step, h) : h;
    stats->max_step_taken = fmax(stats->max_step_taken, h);
    stats->max_order = 2;  // last_order stays 0: its steps cannot be led
    calc_quadratures(s, h);
    fb_array_copy(s->a_before, s->at.a, s->size.n_v);
    fb_array_copy(s->lambda_before, s->at.lambda, s->size.n_c);
    keep_dense(s, h);
    keep_past(s);
    s->h_before = h;
    s->has_step = true;
    if (!s->is_linear || !(s->base.options.fixed_step > 0.0)) {
        fb_weights_accept(&s->weights, s->base.dynamics, &s->at);
    }
    if (!(s->base.options.fixed_step > 0.0)) {
        double wanted = next_step(s, h, error);
        bool is_cut = s->h > wanted && wanted >= h;  // by a limit: says little about the step
        bool is_kept = wanted >= KEEP_LOW * h && wanted < KEEP_HIGH * h;
        s->h = is_cut ? s->h : is_kept ? h : wanted;
    }
    s->has_jacobian = s->is_linear || s->contraction.theta <= THETA_JACOBIAN;
    s->is_jacobian_fresh = s->was_rejected = false;
}

static FbStatus alpha_step(FbIntegrator* self, double t_limit, FbPoint* p, FbError* err) {
    FbAlpha* s = (FbAlpha*)self;
    bool is_fixed = self->options.fixed_step > 0.0;
    double least = 4.0 * DBL_EPSILON * fabs(s->at.t);
    s->h = fmax(s->h, 16.0 * least);
    for (int failures = 0; failures < (is_fixed ? 1 : MAX_FAILURES); failures++) {
        double error, h = choose_step(s, t_limit, &s->end.t);
        if (!(h > least) && s->end.t < t_limit) {
            break;
        }
        FbStatus status = try_step(s, h, &error, err);
        if (status < 0) {
            return status;
        }
        if (status == FB_OK) {
            accept(s, h, error);
            fb_point_copy(&s->size, &s->at, p);
            return FB_OK;
        }
    }
    fb_point_copy(&s->size, &s->at, p);
    return is_fixed ? fb_fail_fixed_step(self, s->at.t, s->has_no_value, s->worst.index, err)
                    : fb_fail_step(self, s->at.t, s->h, s->has_no_value, s->worst.index,
                                   "a looser rtol or another integrator", err);
}

static FbStatus alpha_interpolate(FbIntegrator* self, double t, FbPoint* p) {
    FbAlpha* s = (FbAlpha*)self;
    if (!s->has_step) {
        return FB_ERR_ARGUMENT;
    }
    fb_hermite_at(&s->dense, self->dynamics, t, p);
    return FB_OK;
}

static const FbIntegratorStats* alpha_stats(const FbIntegrator* self) {
    return &((const FbAlpha*)self)->stats;
}

static double alpha_wanted_step(const FbIntegrator* self) {
    return ((const FbAlpha*)self)->h;
}

const FbIntegratorType fb_integrator_alpha = {
    .name = "alpha",
    .doc = "generalized-alpha (implicit): numerical damping of what the steps do not resolve",
    .orders = "2",
    .use =
        "structures with many frequencies at moderate accuracy, fixed steps of bounded cost, "
        "comparisons with finite-element programs; loops",
    .is_implicit = true,
    .has_residuals = true,
    .takes_fixed_steps = true,
    .create = alpha_create,
    .destroy = alpha_destroy,
    .restart = alpha_restart,
    .step = alpha_step,
    .interpolate = alpha_interpolate,
    .stats = alpha_stats,
    .wanted_step = alpha_wanted_step,
    .remember = fb_alpha_remember,
};
