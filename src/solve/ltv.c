// Steps for equations that are linear in the motion (theory manual, section 5.17): collocation as
// in radau, but with constant matrices that are factored once for each length of the step,
// travelling masses as changes of a low rank, and neither iterations nor links.
#include "solve/ltv.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve/failure.h"
#include "solve/fixed_step.h"
#include "solve/point.h"

static const int MAX_FAILURES = 60;  // of one step
static const double SAFETY = 0.9, MAX_GROWTH = 8.0, MAX_SHRINK = 5.0;
// Steps that would change by less are kept: no factorization.
static const double KEEP_LOW = 1.0, KEEP_HIGH = 1.3;
// Larger systems keep the factors of one length only.
enum { LARGE = 2000 };

// The order that needs the least work for a tolerance.
static int stages_for(double rtol) {
    static const double LOOSE = 3e-4, TIGHT = 3e-5;
    return rtol > LOOSE ? 3 : rtol > TIGHT ? 5 : 7;
}

// The next shorter of a series of lengths, so that factors can serve again.
static double on_grid(double h) {
    static const double PARTS = 4.0;
    return exp2(floor(PARTS * log2(h) + 1e-6) / PARTS);
}

static void take_record(FbLtv* s, FbLtvStages* c) {
    int n = s->unknowns.n, stages = s->method.s, n_w = s->size.n_w;
    double** of_n[] = {&c->y, &c->v, &c->a};
    double** of_stages[] = {&c->Y, &c->V, &c->A};
    for (int i = 0; i < 3; i++) {
        *of_n[i] = FB_TAKE(s->arena, double, n + 1);
        *of_stages[i] = FB_TAKE(s->arena, double, stages* n + 1);
    }
    for (int k = 0; k <= s->method.n_pair; k++) {
        c->change[k] = FB_TAKE(s->arena, double, 2 * n + 2);
    }
    c->w = FB_TAKE(s->arena, double, n_w + 1);
    c->w_end = FB_TAKE(s->arena, double, n_w + 1);
    c->power = FB_TAKE(s->arena, double, n_w + 1);
    c->powers = FB_TAKE(s->arena, double, stages* n_w + 1);
}

static void take_arrays(FbLtv* s) {
    int n = s->unknowns.n, n_v = s->size.n_v;
    FbArena* a = s->arena;
    double** of_n[] = {&s->error_v, &s->error_q, &s->b, &s->slow_error, &s->defect_v, &s->defect_q};
    double** of_v[] = {&s->full, &s->full_v, &s->full_q};
    for (size_t i = 0; i < sizeof of_n / sizeof of_n[0]; i++) {
        *of_n[i] = FB_TAKE(a, double, n + 1);
    }
    for (size_t i = 0; i < sizeof of_v / sizeof of_v[0]; i++) {
        *of_v[i] = FB_TAKE(a, double, n_v + 1);
    }
    s->R = FB_TAKE(a, double, s->method.s* n + 1);
    s->change = FB_TAKE(a, double, s->method.s* n + 1);
    s->spare = FB_TAKE(a, FbMovingShare, s->form.max_moving + 1);
    for (int k = 0; k <= s->method.n_pair; k++) {
        s->w[k] = FB_TAKE(a, double, 2 * n + 2);
    }
    for (int i = 0; i < 3; i++) {
        take_record(s, &s->records[i]);
    }
    s->now = &s->records[0];
    s->last = &s->records[1];
    s->fine = &s->records[2];
    fb_point_take(a, &s->size, &s->at);
    fb_point_take(a, &s->size, &s->stage);
    fb_weights_init(&s->weights, s->base.dynamics, a);
}

static void destroy_systems(FbLtv* s) {
    for (int i = 0; i < FB_LTV_SETS; i++) {
        for (int k = 0; k < FB_LTV_SYSTEMS; k++) {
            fb_linear_destroy(s->sets[i].system[k]);
        }
        memset(&s->sets[i], 0, sizeof s->sets[i]);
    }
    fb_linear_destroy(s->slow);
    s->slow = NULL;
}

static FbStatus create_systems(FbLtv* s, FbError* err) {
    const FbPattern* p = &s->unknowns.pattern;
    s->n_sets = s->unknowns.n > LARGE ? 1 : FB_LTV_SETS;
    for (int i = 0; i < s->n_sets; i++) {
        for (int k = 0; k <= s->method.n_pair; k++) {
            if (s->unknowns.is_modal) {
                s->sets[i].inverse[k] = FB_TAKE(s->arena, double, 2 * s->unknowns.n + 2);
                continue;
            }
            FB_TRY(fb_linear_create(p, FB_LINEAR_SYMMETRIC, k > 0, &s->sets[i].system[k], err));
        }
    }
    return s->unknowns.is_modal ? FB_OK
                                : fb_linear_create(p, FB_LINEAR_SYMMETRIC, false, &s->slow, err);
}

static FbStatus fill(FbLtv* s, double t, bool has_modes, FbError* err) {
    FbDynamics* d = s->base.dynamics;
    s->size = d->size;
    s->has_step = s->is_slow_factored = false;
    destroy_systems(s);
    FB_TRY(d->ops->find_linear(d, t, &s->form, err));
    s->form.has_near_powers &= s->size.n_c == 0;
    FB_TRY(fb_ltv_unknowns_init(&s->unknowns, &s->form, &s->size, s->arena, err));
    s->has_tried_modes = has_modes;
    if (has_modes && !fb_ltv_unknowns_take_modes(&s->unknowns, s->arena)) {
        FB_TRY(fb_ltv_unknowns_init(&s->unknowns, &s->form, &s->size, s->arena, err));
    }
    FB_TRY(create_systems(s, err));
    fb_ltv_moving_init(s);
    take_arrays(s);
    return fb_arena_has_failed(s->arena) ? fb_fail_memory(err) : FB_OK;
}

// Allocates all arrays again. The sizes that weights have seen stay if only the unknowns change.
static FbStatus allocate(FbLtv* s, double t, bool has_modes, FbError* err) {
    FbArena *arena = fb_arena_create(), *before = s->arena;
    FbWeights weights = s->weights;
    bool is_same = before && fb_sizes_match(&s->size, &s->base.dynamics->size);
    if (!arena) {
        return fb_fail_memory(err);
    }
    s->arena = arena;
    FbStatus status = fill(s, t, has_modes, err);
    if (status == FB_OK && is_same) {
        fb_weights_copy(&s->weights, s->base.dynamics, &weights);
    }
    fb_arena_destroy(before);
    return status;
}

static void ltv_destroy(FbIntegrator* self) {
    FbLtv* s = (FbLtv*)self;
    if (s) {
        destroy_systems(s);
        fb_arena_destroy(s->arena);
        free(s);
    }
}

static void set_method(FbLtv* s, int stages) {
    fb_radau_method_init(&s->method, stages);
    fb_radau_wide_integrals(&s->method, 1.0, s->once, s->twice);
    for (int k = 0; k <= s->method.n_pair; k++) {
        for (int i = 0; i < stages; i++) {
            double c = s->method.c[i];
            double complex weight = k == 0 ? s->method.t0_inv[i] : s->method.t_inv[k - 1][i];
            s->powers_into[k][0] += weight;
            s->powers_into[k][1] += weight * c;
            s->powers_into[k][2] += 0.5 * weight * c * c;
            s->into_zero[k] +=
                s->method.at_zero[i] * (k == 0 ? s->method.t0[i] : 2.0 * s->method.t[i][k - 1]);
        }
    }
}

static FbStatus ltv_create(FbDynamics* d, const FbIntegratorOptions* o, FbIntegrator** out,
                           FbError* err) {
    *out = NULL;
    FbLtv* s = calloc(1, sizeof *s);
    if (!s) {
        return fb_fail_memory(err);
    }
    s->base = (FbIntegrator){.type = &fb_integrator_linear, .dynamics = d, .options = *o};
    s->first_part = 1.0;
    set_method(s, o->order > 0 ? (o->order + 1) / 2 : stages_for(o->rtol));
    FbError why;
    FbStatus status = !d->ops->find_linear
                          ? fb_fail(&why, FB_ERR_MODEL, NULL, "it has no linear structure")
                          : allocate(s, 0.0, false, &why);
    if (status < 0) {
        ltv_destroy(&s->base);
        return status == FB_ERR_MEMORY
                   ? fb_fail_memory(err)
                   : fb_fail(err, FB_ERR_MODEL, NULL,
                             "integrator 'linear' needs equations that are linear in the motion: "
                             "%s; use another integrator, or 'auto'",
                             why.text);
    }
    *out = &s->base;
    return FB_OK;
}

// Modes cost as much as some n^3/1000 steps save.
static bool wants_modes(const FbLtv* s) {
    enum { MOST = 120, FEWEST_STEPS = 50 };
    double n = s->unknowns.n;
    return !s->has_tried_modes && n <= MOST && s->stats.steps >= FEWEST_STEPS + 1e-3 * n * n * n;
}

// The guess, or the last length where that is longer. Vibrations that a restart itself excites are
// not in the state, so the guess knows nothing of them: after one that was too long, what was left
// of it, and a little more, comes first. Where that is accepted the next restart asks the guess
// again, because lengths that only follow one another would stay short.
static double choose_first_step(FbLtv* s, const FbPoint* p) {
    static const double MORE = 2.5;
    const FbIntegratorOptions* o = &s->base.options;
    if (o->fixed_step > 0.0) {
        return o->fixed_step;
    }
    double guess = o->initial_step > 0.0
                       ? o->initial_step
                       : fb_weights_first_step(&s->weights, s->base.dynamics, o->rtol, p, NULL);
    s->first_guess = s->stats.steps > 0 ? fmax(guess, s->h) : guess;
    double part = MORE * s->first_part;
    return part < 1.0 ? on_grid(part * s->first_guess) : s->first_guess;
}

static FbStatus ltv_restart(FbIntegrator* self, const FbPoint* p, FbError* err) {
    FbLtv* s = (FbLtv*)self;
    FbDynamics* d = self->dynamics;
    FbLtvUnknowns* u = &s->unknowns;
    bool has_modes = wants_modes(s);
    if (has_modes || !fb_sizes_match(&s->size, &d->size)) {
        FB_TRY(allocate(s, p->t, has_modes, err));
    }
    fb_point_copy(&s->size, p, &s->at);
    fb_weights_restart(&s->weights, d, p);
    fb_ltv_moving_restart(s);
    FbLtvStages* c = s->now;
    fb_ltv_unknowns_drive(u, d, p->t);
    const double* motion[FB_LTV_KINDS] = {p->a, p->v, p->q};
    double* to[FB_LTV_KINDS] = {c->a, c->v, c->y};
    for (int k = 0; k < FB_LTV_KINDS; k++) {
        for (int j = 0; j < s->size.n_v; j++) {
            s->full_v[j] = motion[k][j] - u->particular[k][j] - (k == 2 ? s->form.origin[j] : 0.0);
        }
        fb_ltv_reduce_motion(u, s->full_v, to[k]);
    }
    fb_ltv_share_calc(s, p->t, -1, s->R);
    if (s->size.n_w > 0) {
        d->ops->powers(d, p, c->power);
        fb_array_copy(c->w, p->w, s->size.n_w);
    }
    s->h = choose_first_step(s, p);
    s->h_before = 0.0;
    s->is_first = true;
    s->was_rejected = false;
    s->stats.restarts++;
    return FB_OK;
}

// The length of the next step; equal steps up to a limit that is near.
static double choose_step(FbLtv* s, double t_limit, double* t_end) {
    static const double NEAR = 3.0;
    const FbIntegratorOptions* o = &s->base.options;
    double rest = t_limit - s->at.t, h = o->max_step > 0.0 ? fmin(s->h, o->max_step) : s->h;
    if (o->fixed_step > 0.0) {
        return fb_fixed_step(o->fixed_step, s->at.t, t_limit, t_end);
    }
    double count = ceil(rest / h * (1.0 - 1e-4));
    if (count <= NEAR) {
        h = rest / fmax(count, 1.0);
        // The same length as before up to rounding: its factors serve.
        h = fabs(h - s->h_before) <= 1e-9 * h ? s->h_before : h;
    }
    *t_end = count <= 1.0 ? t_limit : s->at.t + h;
    return h;
}

static double next_step(const FbLtv* s, double h, double error, bool is_accepted) {
    double exponent = 1.0 / (s->method.s + 1.0);
    error = fmax(error, 1e-10);
    double quotient = fmax(1.0 / MAX_GROWTH, fmin(MAX_SHRINK, pow(error, exponent) / SAFETY));
    if (is_accepted && s->h_before > 0.0) {
        double predicted =
            s->h_before / h * pow(error * error / s->error_before, exponent) / SAFETY;
        quotient = fmax(quotient, fmax(1.0 / MAX_GROWTH, fmin(MAX_SHRINK, predicted)));
    }
    return h / quotient;
}

// By the end of the step, in s->stage.
static void set_weights(FbLtv* s) {
    const FbIntegratorOptions* o = &s->base.options;
    double power = (s->method.s + 1.0) / (2.0 * s->method.s);
    double rtol = 0.1 * (s->base.is_rough ? o->rtol : pow(o->rtol, power));
    fb_weights_set(&s->weights, s->base.dynamics, rtol, o->atol * rtol / o->rtol, &s->stage);
}

// The motion at the end of the stages in c.
static void set_end(FbLtv* s, const FbLtvStages* c, double t_end, FbPoint* p) {
    int last = (s->method.s - 1) * s->unknowns.n;
    p->t = t_end;
    fb_ltv_set_point(s, c->Y + last, c->V + last, c->A + last, p);
}

// FB_OK: the stages of s->now passed the error test.
static FbStatus try_step(FbLtv* s, double h, double t_end, double* error) {
    FbLtvStages* c = s->now;
    c->t = s->at.t;
    c->h = h;
    FbStatus status = fb_ltv_stages_solve(s, c);
    *error = 0.0;
    if (status != FB_OK) {
        s->h = 0.5 * h;
        s->was_rejected = true;
        return status;
    }
    set_end(s, c, t_end, &s->stage);
    if (s->base.options.fixed_step > 0.0) {
        return FB_OK;
    }
    set_weights(s);
    s->worst = fb_ltv_error(s, c, s->is_first || s->was_rejected);
    *error = s->worst.value;
    if (*error < 1.0) {
        return FB_OK;
    }
    s->stats.rejected++;
    s->h = on_grid(next_step(s, h, fmin(*error, 1e30), false));
    s->was_rejected = true;
    return FB_RETRY;
}

// The end of this step is the start of the next.
static void begin_next(FbLtv* s) {
    FbLtvStages *c = s->now, *next = s->last;
    int n = s->unknowns.n, last = (s->method.s - 1) * n, n_w = s->size.n_w;
    fb_array_copy(next->y, c->Y + last, n);
    fb_array_copy(next->v, c->V + last, n);
    fb_array_copy(next->a, c->A + last, n);
    fb_array_copy(next->w, c->w_end, n_w);
    fb_array_copy(next->power, c->powers + (s->method.s - 1) * n_w, n_w);
    s->now = next;
    s->last = c;
    fb_ltv_share_pass(s);
}

static void accept(FbLtv* s, double h, double error, bool is_last) {
    FbIntegratorStats* stats = &s->stats;
    stats->steps++;
    stats->min_step = stats->min_step > 0.0 ? fmin(stats->min_step, h) : h;
    stats->max_step_taken = fmax(stats->max_step_taken, h);
    stats->max_order = 2 * s->method.s - 1;  // last_order stays 0: its steps cannot be led
    fb_point_copy(&s->size, &s->stage, &s->at);
    fb_ltv_stages_calc_works(s, s->now);
    fb_array_copy(s->at.w, s->now->w_end, s->size.n_w);
    fb_ltv_set_multipliers(s, s->method.s - 1, &s->at);
    begin_next(s);
    fb_weights_accept(&s->weights, s->base.dynamics, &s->at);
    if (!(s->base.options.fixed_step > 0.0)) {
        double wanted = next_step(s, h, error, true);
        wanted = s->was_rejected ? fmin(wanted, h) : wanted;
        // A step cut short by a limit says little about the length before.
        if (!(is_last && s->h > wanted && wanted >= h)) {
            s->h = wanted >= KEEP_LOW * h && wanted <= KEEP_HIGH * h ? h : on_grid(wanted);
        }
    }
    if (s->is_first) {
        s->first_part = s->was_rejected ? h / s->first_guess : 1.0;
    }
    s->h_before = h;
    s->error_before = fmax(1e-2, error);
    s->is_first = s->was_rejected = false;
    s->has_step = true;
}

static FbStatus ltv_step(FbIntegrator* self, double t_limit, FbPoint* p, FbError* err) {
    FbLtv* s = (FbLtv*)self;
    bool is_fixed = self->options.fixed_step > 0.0;
    double least = 4.0 * DBL_EPSILON * fabs(s->at.t);
    s->h = fmax(s->h, 16.0 * least);
    for (int failures = 0; failures < (is_fixed ? 1 : MAX_FAILURES); failures++) {
        double error, t_end, h = choose_step(s, t_limit, &t_end);
        if (!(h > least) && t_end < t_limit) {
            break;
        }
        FbStatus status = try_step(s, h, t_end, &error);
        if (status < 0) {
            return status;
        }
        if (status == FB_OK) {
            accept(s, h, error, t_end == t_limit);
            fb_point_copy(&s->size, &s->at, p);
            return FB_OK;
        }
    }
    fb_point_copy(&s->size, &s->at, p);
    return is_fixed ? fb_fail_fixed_step(self, s->at.t, false, s->worst.index, err)
                    : fb_fail_step(self, s->at.t, s->h, false, s->worst.index,
                                   "Try a looser rtol or another integrator", err);
}

static FbStatus ltv_interpolate(FbIntegrator* self, double t, FbPoint* p) {
    FbLtv* s = (FbLtv*)self;
    if (!s->has_step) {
        return FB_ERR_ARGUMENT;
    }
    fb_ltv_stages_at(s, s->last, t, p);
    return FB_OK;
}

// The last step once more, up to t.
static FbStatus ltv_refine(FbIntegrator* self, double t, FbPoint* p) {
    FbLtv* s = (FbLtv*)self;
    FbLtvStages *c = s->fine, *from = s->last;
    int n = s->unknowns.n, n_w = s->size.n_w;
    if (!s->has_step) {
        return FB_ERR_ARGUMENT;
    }
    if (!(t > from->t)) {
        return ltv_interpolate(self, t, p);
    }
    fb_array_copy(c->y, from->y, n);
    fb_array_copy(c->v, from->v, n);
    fb_array_copy(c->a, from->a, n);
    fb_array_copy(c->w, from->w, n_w);
    c->t = from->t;
    c->h = t - from->t;
    FbStatus status = fb_ltv_stages_solve(s, c);
    if (status != FB_OK) {
        return ltv_interpolate(self, t, p);
    }
    set_end(s, c, t, p);
    fb_ltv_stages_calc_works(s, c);
    fb_array_copy(p->w, c->w_end, s->size.n_w);
    return FB_OK;
}

// Inner forces multiply errors of places by the stiffness: samples are steps of their own then.
static bool ltv_is_dense_accurate(const FbIntegrator* self) {
    return !self->options.needs_accelerations;
}

static const FbIntegratorStats* ltv_stats(const FbIntegrator* self) {
    return &((const FbLtv*)self)->stats;
}

static double ltv_wanted_step(const FbIntegrator* self) {
    return ((const FbLtv*)self)->h;
}

const FbIntegratorType fb_integrator_linear = {
    .name = "linear",
    .doc = "Radau IIA for linear structures: matrices factored once, no iterations",
    .orders = "5, 9, 13",
    .use =
        "structures of small rotations with loads and sliding masses that depend on time alone; "
        "other models are refused",
    .is_implicit = true,
    .has_residuals = true,
    .takes_fixed_steps = true,
    .needs_linear = true,
    .create = ltv_create,
    .destroy = ltv_destroy,
    .restart = ltv_restart,
    .step = ltv_step,
    .interpolate = ltv_interpolate,
    .stats = ltv_stats,
    .wanted_step = ltv_wanted_step,
    .remember = fb_ltv_remember,
    .is_dense_accurate = ltv_is_dense_accurate,
    .refine = ltv_refine,
};
