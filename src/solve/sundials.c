// The multistep methods of SUNDIALS: CVODE's BDF and Adams for y = (q, v, x, w) by forward dynamics
// (sundials_cvode.c), IDA's BDF for the residuals (sundials_ida.c).
//
// After each step the state is projected, y -> P(y), and the past of the multistep method moves
// along with it. SUNDIALS cannot do that: it integrates z = y - o, where the offset o changes at
// the ends of steps by P(y) - y, so that all its past values are shifted by the same vector and
// their differences, on which the method and its error estimate are based, stay smooth. (A shift of
// the last value alone, as by CVODE's own projection, is multiplied by the coefficients of the
// method and returns in the next steps; with a projection that itself stops at a small error this
// never dies out, and no step is short enough.)
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solve/failure.h"
#include "solve/point.h"
#include "solve/sundials_parts.h"

// Steps of radau are longer than those of methods of one evaluation each by about this. Leaps that
// are too short have stages next to the position that they should pass.
static const double MULTISTEP_REACH = 40.0;

void fb_sundials_keep_message(int code, const char* module, const char* function, char* text,
                              void* self) {
    FbSundials* s = self;
    (void)code, (void)module, (void)function;
    snprintf(s->message, sizeof s->message, "%s", text);
}

static void free_method(FbSundials* s) {
    if (s->memory) {
        s->package->destroy(s);
    }
    if (s->nonlinear) {
        SUNNonlinSolFree(s->nonlinear);
    }
    if (s->linear) {
        SUNLinSolFree(s->linear);
    }
    if (s->matrix_tag) {
        SUNMatDestroy(s->matrix_tag);
    }
    N_Vector* vectors[] = {&s->y, &s->y_rate, &s->is_differential};
    for (int i = 0; i < 3; i++) {
        if (*vectors[i]) {
            N_VDestroy(*vectors[i]);
        }
        *vectors[i] = NULL;
    }
    s->nonlinear = NULL;
    s->linear = NULL;
    s->matrix_tag = NULL;
}

static void sundials_destroy(FbIntegrator* self) {
    FbSundials* s = (FbSundials*)self;
    if (!s) {
        return;
    }
    fb_crossing_destroy(&s->crossing);
    free_method(s);
    if (s->context) {
        SUNContext_Free(&s->context);
    }
    fb_newton_matrix_destroy(s->matrix);
    fb_arena_destroy(s->arena);
    free(s);
}

static FbStatus allocate(FbSundials* s, FbError* err) {
    const FbDynamics* d = s->base.dynamics;
    FbArena* arena = fb_arena_create();
    if (!arena) {
        return fb_fail_memory(err);
    }
    fb_arena_destroy(s->arena);
    s->arena = arena;
    s->size = d->size;
    s->n = d->size.n_q + d->size.n_v + d->size.n_x + d->size.n_w;
    s->n += s->package->has_multipliers ? d->size.n_c : 0;
    fb_point_take(arena, &d->size, &s->at);
    fb_point_take(arena, &d->size, &s->work);
    s->offset = FB_TAKE(arena, double, s->n + 1);
    s->b = FB_TAKE(arena, double, d->size.n_v + d->size.n_x + d->size.n_c + 1);
    s->bxi = FB_TAKE(arena, double, d->size.n_v + 1);
    fb_weights_init(&s->weights, d, arena);
    s->weights.rounding_part = 0.05;  // CVODE refuses less
    return fb_arena_has_failed(arena) ? fb_fail_memory(err) : FB_OK;
}

// z = y = s->at
static void start_here(FbSundials* s) {
    FbPoint z = fb_sundials_view(s, s->at.t, N_VGetArrayPointer(s->y));
    fb_sundials_copy_state(s, &s->at, &z);
    memset(s->offset, 0, sizeof(double) * (size_t)s->n);
    s->package->start(s);
}

// SUNDIALS does not accept empty systems: without motion and states there is nothing to integrate.
static bool is_empty(const FbSundials* s) {
    return s->size.n_v + s->size.n_x == 0;
}

// New memory for the current sizes, starting at s->at.
static FbStatus create_method(FbSundials* s, FbError* err) {
    free_method(s);
    s->y = N_VNew_Serial(s->n, s->context);
    s->y_rate = N_VNew_Serial(s->n, s->context);
    s->is_differential = N_VNew_Serial(s->n, s->context);
    if (!s->y || !s->y_rate || !s->is_differential) {
        return fb_fail_memory(err);
    }
    start_here(s);
    return s->package->create(s) ? FB_OK
                                 : fb_fail(err, FB_ERR_MEMORY, NULL, "%s could not be set up: %s",
                                           s->package->name, s->message);
}

static FbStatus create(FbDynamics* d, const FbIntegratorOptions* o, const FbIntegratorType* type,
                       const FbSundialsPackage* package, FbIntegrator** out, FbError* err) {
    *out = NULL;
    FbSundials* s = calloc(1, sizeof *s);
    if (!s) {
        return fb_fail_memory(err);
    }
    s->base.type = type;
    s->base.dynamics = d;
    s->base.options = *o;
    s->is_bdf = type->is_implicit;
    s->package = package;
    FbStatus status =
        SUNContext_Create(NULL, &s->context) == 0 ? allocate(s, err) : fb_fail_memory(err);
    if (status != FB_OK) {
        sundials_destroy(&s->base);
        return status;
    }
    *out = &s->base;
    return FB_OK;
}

static FbStatus bdf_create(FbDynamics* d, const FbIntegratorOptions* o, FbIntegrator** out,
                           FbError* err) {
    return create(d, o, &fb_integrator_bdf, &fb_sundials_cvode, out, err);
}

static FbStatus adams_create(FbDynamics* d, const FbIntegratorOptions* o, FbIntegrator** out,
                             FbError* err) {
    return create(d, o, &fb_integrator_adams, &fb_sundials_cvode, out, err);
}

static FbStatus ida_create(FbDynamics* d, const FbIntegratorOptions* o, FbIntegrator** out,
                           FbError* err) {
    return create(d, o, &fb_integrator_ida, &fb_sundials_ida, out, err);
}

// h: the first step, 0: chosen.
static FbStatus reinit(FbSundials* s, double h, FbError* err) {
    start_here(s);
    s->stats.restarts++;
    s->before = s->stats;
    return s->package->restart(s, h)
               ? FB_OK
               : fb_fail(err, FB_ERR_CONVERGENCE, NULL, "%s could not restart at t = %.10g s: %s",
                         s->package->name, s->at.t, s->message);
}

// The same motion continues at p, with other rows: the history of q and v remains valid, only the
// matrix does not. Nor does that of IDA's multipliers, but they are only predicted from it, and
// Newton's iteration, for which they are linear, finds them at once.
static FbStatus go_on(FbSundials* s, const FbPoint* p, FbError* err) {
    fb_point_copy(&s->size, p, &s->at);
    FB_TRY(fb_crossing_go_on(&s->crossing, p, err));
    if (!s->is_bdf || !s->matrix || !(s->gamma > 0.0)) {
        return FB_OK;
    }
    FbStatus status = fb_sundials_realize_blocks(s, &s->at, err);
    return status == FB_OK ? fb_newton_matrix_factor(s->matrix, 0, 1.0 / s->gamma) : status;
}

static FbStatus sundials_restart(FbIntegrator* self, const FbPoint* p, FbError* err) {
    FbSundials* s = (FbSundials*)self;
    if (self->dynamics->keeps_motion && s->memory && s->stats.steps > 0 && s->at.t == p->t &&
        !is_empty(s) && fb_sizes_match(&s->size, &self->dynamics->size)) {
        return go_on(s, p, err);
    }
    bool is_new = !s->memory || !fb_sizes_match(&s->size, &self->dynamics->size);
    if (is_new && !fb_sizes_match(&s->size, &self->dynamics->size)) {
        FB_TRY(allocate(s, err));
    }
    fb_point_copy(&s->size, p, &s->at);
    fb_weights_restart(&s->weights, self->dynamics, &s->at);
    s->is_creeping = false;
    if (is_empty(s)) {
        return FB_OK;
    }
    FB_TRY(fb_crossing_restart(&s->crossing, self, &s->at, err));
    s->is_creeping = s->crossing.is_beside;
    if (!is_new) {
        return reinit(s, s->base.options.initial_step, err);
    }
    s->before = s->stats;
    FB_TRY(create_method(s, err));
    // The matrix is made now: steps should not have to ask for memory.
    FbStatus status = s->is_bdf ? fb_sundials_realize_blocks(s, &s->at, err) : FB_OK;
    return status < 0 ? status : FB_OK;
}

static void count(FbSundials* s) {
    FbSundialsCounts c = {0};
    s->package->count(s, &c);
    s->stats.steps = s->before.steps + c.steps;
    s->stats.rejected = s->before.rejected + c.rejected;
    s->stats.newton_iterations = s->before.newton_iterations + (s->is_bdf ? c.iterations : 0);
    s->stats.newton_failures = s->before.newton_failures + c.failures;
    s->stats.min_step = s->stats.min_step > 0.0 ? fmin(s->stats.min_step, c.h) : c.h;
    s->stats.max_step_taken = fmax(s->stats.max_step_taken, c.h);
    s->stats.max_order = c.order > s->stats.max_order ? c.order : s->stats.max_order;
    s->wanted = c.next;
}

static FbStatus fail_step(FbSundials* s, FbError* err) {
    if (s->failure < 0) {
        if (err) {
            *err = s->error;
        }
        return s->failure;
    }
    if (s->has_no_value) {
        return fb_fail_step(&s->base, s->at.t, s->wanted, true, -1, "integrator 'radau'", err);
    }
    return fb_fail(err, FB_ERR_CONVERGENCE, NULL,
                   "%s: stopped at t = %.10g s (%s). Look for a jump or a singular position there, "
                   "or try a looser rtol or "
                   "integrator 'radau'",
                   s->base.type->name, s->at.t, s->message);
}

// SUNDIALS continues with steps that no longer change t; a few of them in a row count as a failure.
static bool is_stuck(FbSundials* s, double t, double t_limit) {
    static const int MAX_TINY = 20;
    bool is_tiny = t - s->at.t <= 8.0 * DBL_EPSILON * fabs(t) && t < t_limit;
    s->tiny_steps = is_tiny ? s->tiny_steps + 1 : 0;
    return s->tiny_steps > MAX_TINY;
}

// o = P(y) - z from now on.
static void shift(FbSundials* s) {
    FbPoint z = fb_sundials_view(s, s->at.t, N_VGetArrayPointer(s->y)),
            o = fb_sundials_view(s, s->at.t, s->offset);
    for (int i = 0; i < s->size.n_q; i++) {
        o.q[i] = s->at.q[i] - z.q[i];
    }
    for (int j = 0; j < s->size.n_v; j++) {
        o.v[j] = s->at.v[j] - z.v[j];
    }
}

static void rest(FbSundials* s, double t) {
    s->stats.steps++;
    s->stats.max_step_taken = fmax(s->stats.max_step_taken, t - s->at.t);
    s->at.t = t;
}

// Errors and failed iterations before the last accepted step.
static long count_failures(const FbSundials* s) {
    return s->stats.rejected + s->stats.newton_failures;
}

// The next point, with its accelerations, in s->work. One that has none (the last correction
// left the domain) is tried again from s->at with shorter first steps. FB_RETRY: no step is left.
static FbStatus find_next(FbSundials* s, double t_limit, double* t) {
    for (int failures = 0; failures < FB_SUNDIALS_FAILURES; failures++) {
        if (!s->package->step(s, t_limit, t) || is_stuck(s, *t, t_limit)) {
            return s->failure < 0 ? s->failure : FB_RETRY;
        }
        FbStatus status = fb_sundials_realize(s, *t, s->y, &s->work);
        if (status != FB_RETRY) {
            return status;
        }
        double h = 0.25 * (*t - s->at.t);
        count(s);
        if (!(h > 4.0 * DBL_EPSILON * fabs(s->at.t)) || reinit(s, h, &s->error) != FB_OK) {
            return FB_RETRY;
        }
    }
    return FB_RETRY;
}

// One step of its own. FB_RETRY: it cannot continue.
static FbStatus own_step(FbSundials* s, double t_limit) {
    double t = s->at.t;
    s->failure = FB_OK;
    // Steps too short to change t are so because of what failed before them.
    s->has_no_value = s->has_no_value && s->tiny_steps > 0;
    snprintf(s->message, sizeof s->message, "the step became too small");
    FbStatus status = find_next(s, t_limit, &t);
    if (status != FB_OK) {
        return status;
    }
    double h = t - s->at.t;
    long failures = count_failures(s);
    fb_point_copy(&s->size, &s->work, &s->at);
    count(s);
    shift(s);
    fb_weights_accept(&s->weights, s->base.dynamics, &s->at);
    bool has_failed = count_failures(s) > failures;
    s->crossing.is_beside = has_failed && fb_crossing_is_beside(&s->crossing, &s->at);
    s->is_creeping = has_failed && (s->crossing.is_beside || fb_crossing_is_near(&s->crossing, h));
    fb_crossing_follow(&s->crossing, s->at.t, h);
    return FB_OK;
}

// Radau takes over where the method cannot or should not continue.
static FbStatus cross(FbSundials* s, double t_limit, FbError* err) {
    FbCrossing* c = &s->crossing;
    if (!c->is_active) {
        FB_TRY(fb_crossing_begin(c, &s->at, MULTISTEP_REACH, err));
    }
    s->is_creeping = false;
    FB_TRY(fb_crossing_step(c, t_limit, &s->at, &s->stats, err));
    fb_weights_accept(&s->weights, s->base.dynamics, &s->at);
    return FB_OK;
}

static FbStatus sundials_step(FbIntegrator* self, double t_limit, FbPoint* p, FbError* err) {
    FbSundials* s = (FbSundials*)self;
    FbCrossing* c = &s->crossing;
    if (is_empty(s)) {
        rest(s, t_limit);
        fb_point_copy(&s->size, &s->at, p);
        return FB_OK;
    }
    if (c->is_active && c->is_over) {
        FB_TRY(reinit(s, s->base.options.initial_step, err));
        fb_crossing_end(c);
    }
    FbStatus status = c->is_active || s->is_creeping ? FB_RETRY : own_step(s, t_limit);
    if (status == FB_RETRY && c->radau) {
        status = cross(s, t_limit, err);
    } else if (status != FB_OK) {
        status = fail_step(s, err);
    }
    fb_point_copy(&s->size, &s->at, p);
    return status;
}

static FbStatus sundials_interpolate(FbIntegrator* self, double t, FbPoint* p) {
    FbSundials* s = (FbSundials*)self;
    N_Vector y = s->y;
    if (is_empty(s)) {
        fb_sundials_copy_state(s, &s->at, p);
        p->t = t;
        return FB_OK;
    }
    if (s->crossing.is_active) {
        return fb_crossing_interpolate(&s->crossing, t, p);
    }
    if (!s->package->interpolate(s, t, y)) {
        return FB_ERR_ARGUMENT;
    }
    p->t = t;
    fb_sundials_copy_shifted(s, t, y, p);
    return FB_OK;
}

static const FbIntegratorStats* sundials_stats(const FbIntegrator* self) {
    return &((const FbSundials*)self)->stats;
}

static double sundials_wanted_step(const FbIntegrator* self) {
    const FbSundials* s = (const FbSundials*)self;
    FbIntegrator* radau = s->crossing.radau;
    return s->crossing.is_active ? radau->type->wanted_step(radau) : s->wanted;
}

static const char* sundials_warning(const FbIntegrator* self) {
    return fb_crossing_warning(&((const FbSundials*)self)->crossing);
}

const FbIntegratorType fb_integrator_bdf = {
    .name = "bdf",
    .doc = "CVODE's BDF of orders 1 to 5 (implicit): stiff forces, for comparison",
    .orders = "1 to 5",
    .use = "comparison with other programs; stiff forces at low accuracy",
    .is_implicit = true,
    .create = bdf_create,
    .destroy = sundials_destroy,
    .restart = sundials_restart,
    .step = sundials_step,
    .interpolate = sundials_interpolate,
    .stats = sundials_stats,
    .wanted_step = sundials_wanted_step,
    .warning = sundials_warning,
};

const FbIntegratorType fb_integrator_adams = {
    .name = "adams",
    .doc = "CVODE's Adams methods of orders 1 to 12 (fixed point): nonstiff motion, for comparison",
    .orders = "1 to 12",
    .use = "comparison with other programs; smooth motion, evaluations that are expensive",
    .is_implicit = false,
    .create = adams_create,
    .destroy = sundials_destroy,
    .restart = sundials_restart,
    .step = sundials_step,
    .interpolate = sundials_interpolate,
    .stats = sundials_stats,
    .wanted_step = sundials_wanted_step,
    .warning = sundials_warning,
};

const FbIntegratorType fb_integrator_ida = {
    .name = "ida",
    .doc =
        "IDA's BDF of orders 1 to 5 for the residuals (implicit): stiff forces and loops, for "
        "comparison",
    .orders = "1 to 5",
    .use =
        "comparison with other programs; stiff forces, structures and loops at low accuracy; not "
        "where dry friction sticks",
    .is_implicit = true,
    .has_residuals = true,
    .create = ida_create,
    .destroy = sundials_destroy,
    .restart = sundials_restart,
    .step = sundials_step,
    .interpolate = sundials_interpolate,
    .stats = sundials_stats,
    .wanted_step = sundials_wanted_step,
    .warning = sundials_warning,
};
