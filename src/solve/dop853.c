// Dormand-Prince 8(5,3) with dense output of order 7 for y = (q, v, x, w) by forward dynamics.
//
// Hairer, Norsett & Wanner, Solving ODEs I, II.4-II.6, IV.2 (stiffness detection in volume II).
// After each accepted step the point is projected onto the constraints, so that drift never
// accumulates. The quadratures w are integrated along; nothing depends on them, and they do not
// affect the choice of steps.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solve/dop853.h"
#include "solve/dop853_coefficients.h"
#include "solve/failure.h"
#include "solve/fixed_step.h"
#include "solve/point.h"

static const double SAFETY = 0.9, BETA = 0.04;  // PI controller
static const double MAX_GROWTH = 6.0, MAX_SHRINK = 3.0;
static const double ROUGH = 0.1;  // of the tolerance, next to a singular point
static const int MAX_FAILURES = 60;
static const double STIFF_LIMIT = 6.1;  // |h lambda| on the border of the stability region
static const int STIFF_COUNT = 15, CALM_COUNT = 6;

static FbStatus allocate(FbDop* s, FbError* err) {
    const FbDynamics* d = s->base.dynamics;
    FbArena* arena = fb_arena_create();
    if (!arena) {
        return fb_fail_memory(err);
    }
    fb_arena_destroy(s->arena);
    s->arena = arena;
    s->size = d->size;
    s->n = d->size.n_q + d->size.n_v + d->size.n_x + d->size.n_w;
    for (int i = 0; i < FB_DOP_ALL_STAGES; i++) {
        s->k[i] = FB_TAKE(arena, double, s->n + 1);
    }
    for (int i = 0; i < 8; i++) {
        s->rcont[i] = FB_TAKE(arena, double, s->n + 1);
    }
    double** vectors[] = {&s->y, &s->y_new, &s->y_stage, &s->y_old, &s->y_inside};
    for (int i = 0; i < 5; i++) {
        *vectors[i] = FB_TAKE(arena, double, s->n + 1);
    }
    s->lambda = FB_TAKE(arena, double, d->size.n_c + 1);
    s->lambda_stage = FB_TAKE(arena, double, d->size.n_c + 1);
    s->e[0] = FB_TAKE(arena, double, s->n + 1);
    s->e[1] = FB_TAKE(arena, double, s->n + 1);
    fb_weights_init(&s->weights, d, arena);
    fb_noise_init(&s->noise, d, arena);
    return fb_arena_has_failed(arena) ? fb_fail_memory(err) : FB_OK;
}

static void dop_destroy(FbIntegrator* self) {
    FbDop* s = (FbDop*)self;
    if (s) {
        fb_crossing_destroy(&s->crossing);
        fb_arena_destroy(s->arena);
        free(s);
    }
}

static FbStatus dop_create(FbDynamics* d, const FbIntegratorOptions* o, FbIntegrator** out,
                           FbError* err) {
    *out = NULL;
    FbDop* s = calloc(1, sizeof *s);
    if (!s) {
        return fb_fail_memory(err);
    }
    s->base.type = &fb_integrator_dop853;
    s->base.dynamics = d;
    s->base.options = *o;
    FbStatus status = allocate(s, err);
    if (status != FB_OK) {
        dop_destroy(&s->base);
        return status;
    }
    *out = &s->base;
    return FB_OK;
}

// The current point: t, y, rates k[0] (except those of x and w) and multipliers.
static void set_point(FbDop* s, const FbPoint* p) {
    FbPoint at = fb_dop_view(s, p->t, s->y, s->k[0], s->lambda);
    fb_point_copy(&s->size, p, &at);
    s->t = p->t;
    s->h_old = 0.0;
    fb_noise_restart(&s->noise);
}

// Rates at the current point.
static FbStatus evaluate_start(FbDop* s, FbError* err) {
    FbStatus status = fb_dop_evaluate(s, s->t, s->y, s->k[0], s->lambda, err);
    s->has_dense = false;
    s->stats.restarts++;
    return status > 0 ? fb_fail_point(s->base.dynamics, s->t, err) : status;
}

// Begins at the current point.
static FbStatus start(FbDop* s, FbError* err) {
    const FbIntegratorOptions* o = &s->base.options;
    FbDynamics* d = s->base.dynamics;
    FbPoint at = fb_dop_view(s, s->t, s->y, s->k[0], s->lambda);
    FB_TRY(evaluate_start(s, err));
    fb_weights_restart(&s->weights, d, &at);
    double guess = o->initial_step > 0.0
                       ? o->initial_step
                       : fb_weights_first_step(&s->weights, d, o->rtol, &at,
                                               s->k[0] + s->size.n_q + s->size.n_v);
    s->h = o->fixed_step > 0.0  ? o->fixed_step
           : s->stats.steps > 0 ? fmax(guess, 0.1 * s->h)
                                : guess;
    s->error_before = 1e-4;
    s->was_rejected = false;
    return FB_OK;
}

static FbStatus dop_restart(FbIntegrator* self, const FbPoint* p, FbError* err) {
    FbDop* s = (FbDop*)self;
    if (!fb_sizes_match(&s->size, &self->dynamics->size)) {
        FB_TRY(allocate(s, err));
    }
    bool goes_on = self->dynamics->keeps_motion && s->stats.steps > 0 && s->t == p->t;
    set_point(s, p);
    if (goes_on) {
        FB_TRY(evaluate_start(s, err));
        return fb_crossing_go_on(&s->crossing, p, err);
    }
    FB_TRY(start(s, err));
    FbPoint at = fb_dop_view(s, s->t, s->y, s->k[0], s->lambda);
    return fb_crossing_restart(&s->crossing, self, &at, err);
}

static FbStatus calc_stages(FbDop* s, double h, double t_end, FbError* err) {
    for (int i = 1; i < FB_DOP_STAGES; i++) {
        fb_dop_combine(s, fb_dop_a[i], i, h, s->y, s->y_stage);
        double t = fb_dop_c[i] == 1.0 ? t_end : s->t + fb_dop_c[i] * h;
        FbStatus status = fb_dop_evaluate(s, t, s->y_stage, s->k[i], s->lambda_stage, err);
        if (status != FB_OK) {
            return status;
        }
    }
    fb_dop_combine(s, fb_dop_a[FB_DOP_STAGES], FB_DOP_STAGES, h, s->y, s->y_new);
    return FB_OK;
}

// An error combination of the stages, weighted [n_q + n_v + n_x].
static void weigh_error(const FbDop* s, const double* e, double* out) {
    int n_q = s->size.n_q, n_v = s->size.n_v, n_x = s->size.n_x;
    for (int i = 0; i < n_q + n_v + n_x; i++) {
        double sum = 0.0;
        for (int j = 0; j < FB_DOP_STAGES; j++) {
            sum += e[j] * s->k[j][i];
        }
        int index = i < n_q ? s->weights.v_of_q[i] : i - n_q;
        double weight = i < n_q         ? s->weights.xi[index]
                        : i < n_q + n_v ? s->weights.v[index]
                                        : s->weights.x[index - n_v];
        out[i] = sum * weight;
    }
}

// The coordinates of a vector, and the four of a ball, follow each other as the velocities do.
static void add_coordinates(const FbDop* s, const double* weighed, FbWorst* worst) {
    const FbWeights* w = &s->weights;
    double sum = 0.0;
    for (int i = 0, last = -1; i < s->size.n_q; i++) {
        int j = w->v_of_q[i], vector = w->vector[j];
        sum = vector == last ? sum : 0.0;
        last = vector;
        sum += weighed[i] * weighed[i];
        if (!(sum <= worst->value * worst->value)) {
            *worst = (FbWorst){isnan(sum) ? INFINITY : sqrt(sum), j};
        }
    }
}

static FbWorst error_norm(const FbDop* s, const double* weighed) {
    FbWorst worst = {0.0, -1};
    int n_q = s->size.n_q, n_v = s->size.n_v;
    add_coordinates(s, weighed, &worst);
    fb_weights_norm_v(&s->weights, n_v, NULL, weighed + n_q, &worst);
    fb_weights_norm(s->size.n_x, NULL, weighed + n_q + n_v, n_v, &worst);
    return worst;
}

// What rounding of the accelerations makes of the errors of a step is no error of the method.
// False: it is too little to count.
static bool remove_noise(FbDop* s, double h) {
    // Sums of the stages' errors with the coefficients of the estimate and of the stages, by far.
    static const double REACH = 8.0;
    static const double LEAST = 0.03;  // of the tolerance
    int n_q = s->size.n_q, n_v = s->size.n_v;
    double* v[2] = {s->e[0] + n_q, s->e[1] + n_q};
    double largest = fb_noise_remove(&s->noise, n_v, s->noise.a, s->weights.v, NULL, REACH, 2, v);
    double of_q = fb_noise_remove(&s->noise, n_q, s->noise.q, s->weights.xi, s->weights.v_of_q,
                                  REACH * h, 2, s->e);
    return h * fmax(largest, of_q) > LEAST;
}

static FbWorst calc_norm(const FbDop* s, double h) {
    FbWorst e5 = error_norm(s, s->e[0]), e3 = error_norm(s, s->e[1]);
    double scale = sqrt(e5.value * e5.value + 0.01 * e3.value * e3.value);
    FbWorst worst = {scale > 0.0 ? h * e5.value * e5.value / scale : 0.0, e5.index};
    worst.value = isfinite(scale) ? worst.value : INFINITY;
    return worst;
}

static FbWorst calc_error(FbDop* s, double h) {
    FbPoint p = fb_dop_view(s, s->t, s->y_new, s->k[1], s->lambda_stage);
    double part = s->base.is_rough ? ROUGH : 1.0;
    fb_weights_set(&s->weights, s->base.dynamics, part * s->base.options.rtol,
                   part * s->base.options.atol, &p);
    weigh_error(s, fb_dop_e5, s->e[0]);
    weigh_error(s, fb_dop_e3, s->e[1]);
    return calc_norm(s, h);
}

// Projects y_new; the rates there are needed in any case (first stage of the next step).
static FbStatus finish_point(FbDop* s, double t, FbError* err) {
    FbDynamics* d = s->base.dynamics;
    FbStatus status = FB_OK;
    fb_dynamics_tell_states(d, s->y_new + s->size.n_q + s->size.n_v);
    if (d->ops->project_position) {
        status = d->ops->project_position(d, t, s->y_new, NULL, err);
    }
    if (status == FB_OK && d->ops->project_velocity) {
        status = d->ops->project_velocity(d, t, s->y_new, s->y_new + s->size.n_q, NULL, err);
    }
    return status == FB_OK ? fb_dop_evaluate(s, t, s->y_new, s->k[12], s->lambda_stage, err)
                           : status;
}

// |k13 - k12| / |y13 - y12| estimates the largest eigenvalue near the border of stability; in error
// weights, so that it is the same in all units.
static void detect_stiffness(FbDop* s, double h) {
    const FbWeights* w = &s->weights;
    int n_q = s->size.n_q, n_v = s->size.n_v;
    double rates = 0.0, states = 0.0;
    for (int i = 0; i < n_q + n_v + s->size.n_x; i++) {
        double weight = i < n_q         ? w->xi[w->v_of_q[i]]
                        : i < n_q + n_v ? w->v[i - n_q]
                                        : w->x[i - n_q - n_v];
        double dk = s->k[12][i] - s->k[11][i], dy = s->y_new[i] - s->y_stage[i];
        rates += weight * dk * weight * dk;
        states += weight * dy * weight * dy;
    }
    if (states > 0.0 && h * sqrt(rates / states) > STIFF_LIMIT) {
        s->calm_hits = 0;
        s->stiff_hits++;
    } else if (++s->calm_hits >= CALM_COUNT) {
        s->stiff_hits = 0;
    }
    if (s->stiff_hits == STIFF_COUNT && s->warning[0] == '\0') {
        snprintf(s->warning, sizeof s->warning,
                 "dop853: the equations appear stiff from t = %.6g s on; integrator 'radau' would "
                 "need fewer steps",
                 s->t);
    }
}

static void accept(FbDop* s, double h, double t_end, double error, bool is_last) {
    FbIntegratorStats* stats = &s->stats;
    stats->steps++;
    stats->min_step = stats->min_step > 0.0 ? fmin(stats->min_step, h) : h;
    stats->max_step_taken = fmax(stats->max_step_taken, h);
    stats->max_order = stats->last_order = 8;
    fb_dop_begin_dense(s, h);
    s->t_old = s->t;
    s->h_old = h;
    s->t = t_end;
    double* old = s->y_old;
    s->y_old = s->y;
    s->y = s->y_new;
    s->y_new = old;
    memcpy(s->lambda, s->lambda_stage, sizeof(double) * (size_t)s->size.n_c);
    FbPoint p = fb_dop_view(s, s->t, s->y, s->k[12], s->lambda);
    fb_weights_accept(&s->weights, s->base.dynamics, &p);
    double factor =
        pow(fmax(error, 1e-10), 1.0 / 8.0 - 0.2 * BETA) / pow(s->error_before, BETA) / SAFETY;
    factor = fmax(1.0 / MAX_GROWTH, fmin(MAX_SHRINK, factor));
    double wanted = h / factor;
    wanted = s->was_rejected ? fmin(wanted, h) : wanted;
    if (!(s->base.options.fixed_step > 0.0) && !(is_last && s->h > wanted && wanted >= h)) {
        s->h = wanted;
    }
    s->error_before = fmax(error, 1e-4);
    s->was_rejected = false;
}

static double choose_step(const FbDop* s, double t_limit, bool* is_last) {
    double rest = t_limit - s->t, h = s->h;
    if (s->base.options.fixed_step > 0.0) {
        double t_end;
        h = fb_fixed_step(s->base.options.fixed_step, s->t, t_limit, &t_end);
        *is_last = t_end == t_limit;
        return h;
    }
    if (s->base.options.max_step > 0.0) {
        h = fmin(h, s->base.options.max_step);
    }
    *is_last = h * (s->is_led ? FB_LED_LONGER : 1.0 + 1e-4) >= rest;
    return *is_last ? rest : !s->is_led && 1.8 * h > rest ? 0.5 * rest : h;
}

// Measures the noise inside of a trial, at stages.
static bool measure_inside(FbDop* s, double h) {
    static const int STAGES[] = {4, 9, 10};  // at 0.28, 0.6 and 0.86 of the step
    for (int i = 0; i < FB_NOISE_PLACES - FB_NOISE_INSIDE; i++) {
        int k = STAGES[i];
        FbPoint p = fb_dop_view(s, s->t + fb_dop_c[k] * h, s->y_inside, s->k[k], s->lambda_stage);
        fb_dop_combine(s, fb_dop_a[k], k, h, s->y, s->y_inside);
        if (!fb_noise_measure(&s->noise, s->base.dynamics, &s->weights, &p, FB_NOISE_INSIDE + i)) {
            return false;
        }
    }
    return true;
}

// ... and at its ends.
static bool measure_noise(FbDop* s, double h, double t_end) {
    FbDynamics* d = s->base.dynamics;
    const FbWeights* w = &s->weights;
    FbNoise* z = &s->noise;
    FbError err;
    FbPoint start = fb_dop_view(s, s->t, s->y, s->k[0], s->lambda);
    FbPoint end = fb_dop_view(s, t_end, s->y_new, s->k[12], s->lambda_stage);
    z->has_start = z->has_start || fb_noise_measure(z, d, w, &start, FB_NOISE_START);
    s->stats.rhs_evals += z->is_on ? FB_NOISE_PLACES + FB_NOISE_LOOKS : 0;
    return z->has_start && measure_inside(s, h) && d->ops->accelerations(d, &end, &err) == FB_OK &&
           fb_noise_measure(z, d, w, &end, FB_NOISE_END);
}

// The error of a trial, without what is noise where steps are limited by that.
static FbWorst judge_trial(FbDop* s, double h, double t_end) {
    enum { CALM_STEPS = 8 };
    static const double MATTERS = 0.8;  // what is left of an error that was noise
    FbNoise* z = &s->noise;
    FbWorst error = calc_error(s, h);
    bool is_suspect = fb_noise_is_suspect(z, error.value, h, s->stats.steps);
    if (!(is_suspect && fb_weights_is_large(&s->weights)) && !z->is_on) {
        return error;
    }
    bool is_noise = measure_noise(s, h, t_end) && remove_noise(s, h);
    FbWorst rest = is_noise ? calc_norm(s, h) : error;
    is_noise = rest.value < MATTERS * error.value;
    if (is_suspect) {
        fb_noise_note(z, is_noise, s->stats.steps);
    }
    z->calm = is_noise ? 0 : z->calm + 1;
    z->is_on = z->is_on && z->calm < CALM_STEPS;
    return rest;
}

// FB_RETRY: h was reduced.
static FbStatus try_step(FbDop* s, double h, double t_end, FbWorst* error, FbError* err) {
    FbStatus status = calc_stages(s, h, t_end, err);
    s->has_no_value = status == FB_RETRY;
    if (status == FB_OK && !(s->base.options.fixed_step > 0.0)) {
        *error = judge_trial(s, h, t_end);
        if (!(error->value <= (s->is_led ? FB_LED_ERROR : 1.0))) {
            s->stats.rejected++;
            s->was_rejected = true;
            s->h =
                h / fmin(MAX_SHRINK, fmax(1.1, pow(fmin(error->value, 1e30), 1.0 / 8.0) / SAFETY));
            return FB_RETRY;
        }
    }
    if (status == FB_OK) {
        status = finish_point(s, t_end, err);
    }
    if (status == FB_RETRY) {
        s->has_no_value = s->was_rejected = true;
        s->stats.rejected++;
        s->h = 0.5 * h;
    }
    return status;
}

static FbStatus give_up(const FbDop* s, const FbWorst* error, FbError* err) {
    if (s->base.options.fixed_step > 0.0) {
        return fb_fail_fixed_step(&s->base, s->t, s->has_no_value, error->index, err);
    }
    return fb_fail_step(&s->base, s->t, s->h, s->has_no_value, error->index,
                        s->stiff_hits > 0 ? "integrator 'radau' (the equations appear stiff)"
                                          : "integrator 'radau'",
                        err);
}

// One accepted step of our own, or FB_RETRY: the steps have become too short.
static FbStatus own_step(FbDop* s, double t_limit, FbWorst* error, FbError* err) {
    if (s->h_old > 0.0) {
        memcpy(s->k[0], s->k[12], sizeof(double) * (size_t)s->n);
        s->h_old = 0.0;
    }
    for (int failures = 0; failures < MAX_FAILURES; failures++) {
        bool is_last;
        double h = choose_step(s, t_limit, &is_last), t_end = is_last ? t_limit : s->t + h;
        if ((!is_last && !(h > 4.0 * DBL_EPSILON * fabs(s->t))) ||
            (s->was_rejected && fb_crossing_is_near(&s->crossing, s->h))) {
            return FB_RETRY;
        }
        FbStatus status = try_step(s, h, t_end, error, err);
        if (status < 0) {
            return status;
        }
        if (status == FB_OK) {
            detect_stiffness(s, h);
            s->noise.has_start = false;
            accept(s, h, t_end, error->value, is_last);
            fb_crossing_follow(&s->crossing, s->t, h);
            return FB_OK;
        }
    }
    return FB_RETRY;
}

static FbStatus dop_step(FbIntegrator* self, double t_limit, FbPoint* p, FbError* err) {
    FbDop* s = (FbDop*)self;
    FbWorst error = {0.0, -1};
    FbCrossing* c = &s->crossing;
    if (c->is_active && c->is_over) {
        FB_TRY(start(s, err));
        fb_crossing_end(c);
    }
    FbStatus status = c->is_active || c->is_beside ? FB_RETRY : own_step(s, t_limit, &error, err);
    FbPoint at = fb_dop_view(s, s->t, s->y, s->h_old > 0.0 ? s->k[12] : s->k[0], s->lambda);
    fb_point_copy(&s->size, &at, p);
    if (status != FB_RETRY) {
        return status;
    }
    if (!c->radau) {
        return give_up(s, &error, err);
    }
    if (!c->is_active) {
        FB_TRY(fb_crossing_begin(c, p, 1.0, err));
    }
    FB_TRY(fb_crossing_step(c, t_limit, p, &s->stats, err));
    set_point(s, p);
    return FB_OK;
}

static const FbIntegratorStats* dop_stats(const FbIntegrator* self) {
    return &((const FbDop*)self)->stats;
}

static double dop_wanted_step(const FbIntegrator* self) {
    const FbDop* s = (const FbDop*)self;
    FbIntegrator* radau = s->crossing.radau;
    return s->crossing.is_active ? radau->type->wanted_step(radau) : s->h;
}

static void dop_lead(FbIntegrator* self, double h, int order) {
    FbDop* s = (FbDop*)self;
    (void)order;
    s->h = h;
    s->is_led = true;
}

static const char* dop_warning(const FbIntegrator* self) {
    const FbDop* s = (const FbDop*)self;
    const char* crossing = fb_crossing_warning(&s->crossing);
    return crossing ? crossing : s->warning[0] ? s->warning : NULL;
}

const FbIntegratorType fb_integrator_dop853 = {
    .name = "dop853",
    .doc = "Dormand-Prince of order 8 (explicit): smooth, nonstiff motion",
    .orders = "8",
    .use = "trees and loops without stiff forces: the fewest evaluations; not for structures",
    .is_implicit = false,
    .takes_fixed_steps = true,
    .create = dop_create,
    .destroy = dop_destroy,
    .restart = dop_restart,
    .step = dop_step,
    .interpolate = fb_dop_interpolate,
    .glance = fb_dop_glance,
    .refine = fb_dop_refine,
    .stats = dop_stats,
    .wanted_step = dop_wanted_step,
    .remember = fb_dop_remember,
    .lead = dop_lead,
    .warning = dop_warning,
};
