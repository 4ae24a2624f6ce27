// Radau IIA of orders 5, 9 and 13 for the contract in residual form, with adaptive step and order:
// the steps.
//
// Step control, order selection and the reuse of Jacobians follow Hairer & Wanner, Stiff
// differential equations solved by Radau methods, J. Comput. Appl. Math. 111 (1999); constraints
// are solved at velocity level at the stages (index 2) and positions are projected after each step,
// Hairer, Lubich & Roche (1989).
#include "solve/radau.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/failure.h"
#include "solve/fixed_step.h"
#include "solve/point.h"
#include "solve/radau_travel.h"

static const double MAX_TURN = 2.0;       // rad in one step: the chart of a ball joint ends at 2 pi
enum { MAX_LEAPS = 5 };                   // tried from one point
static const int MAX_FAILURES = 60;       // of one step
static const int MAX_FIXED_FAILURES = 3;  // with the current blocks, with new ones
// Work of a Jacobian and of one factored system, counted in residuals, for comparing orders.
static const double JACOBIAN_WORK = 4.0, FACTOR_WORK = 0.7;

static double first_step(const FbRadau* r) {
    const FbIntegratorOptions* o = &r->base.options;
    if (o->fixed_step > 0.0) {
        return o->fixed_step;
    }
    if (o->initial_step > 0.0) {
        return o->initial_step;
    }
    return fb_weights_first_step(&r->weights, r->base.dynamics, o->rtol, &r->at, r->x_rate);
}

// The stages for which the full iteration may be needed: leaps take the highest order, and steps of
// fixed length cannot be shortened instead. 0: never.
static int full_stages(const FbRadau* r) {
    const FbIntegratorOptions* o = &r->base.options;
    if (!(o->fixed_step > 0.0) && (r->size.n_c == 0 || o->order != 0)) {
        return 0;
    }
    return r->methods[o->fixed_step > 0.0 ? r->method : FB_RADAU_METHODS - 1].s;
}

// Blocks at the start of the step; the matrix is rebuilt where their patterns changed.
static FbStatus realize_jacobian(FbRadau* r, FbError* err) {
    FbDynamics* d = r->base.dynamics;
    FbBlocks blocks;
    memset(&blocks, 0, sizeof blocks);
    FbStatus status = fb_radau_calc_blocks(r, &blocks, err);
    if (status != FB_OK) {
        return status;
    }
    if (r->matrix && !fb_newton_matrix_fits(r->matrix, d, &blocks)) {
        fb_newton_matrix_destroy(r->matrix);
        fb_radau_full_destroy(r->full);
        r->matrix = NULL;
        r->full = NULL;
    }
    if (!r->matrix) {
        FB_TRY(fb_newton_matrix_create(d, &blocks, FB_RADAU_MAX_PAIRS, &r->matrix, err));
        r->slow_system = 0;
        if (d->is_stiff) {
            FB_TRY(fb_newton_matrix_add_real(r->matrix, &r->slow_system, err));
        }
    }
    if (full_stages(r) > 0) {
        FB_TRY(fb_radau_full_prepare(r, &blocks, full_stages(r), err));
    }
    fb_newton_matrix_set_blocks(r->matrix, &blocks, r->at.v);
    fb_array_copy(r->q_blocks, r->at.q, r->size.n_q);
    FB_TRY(fb_radau_travel_begin(r, err));
    r->stats.jacobian_evals++;
    r->work_done += JACOBIAN_WORK;
    r->has_jacobian = true;
    r->is_jacobian_fresh = true;
    r->h_factored = 0.0;
    r->is_slow_factored = false;
    return FB_OK;
}

// All memory is taken at a restart: steps should not have to ask for any.
static FbStatus finish_restart(FbRadau* r, FbError* err) {
    r->stats.restarts++;
    FbStatus status = realize_jacobian(r, err);
    return status < 0 ? status : FB_OK;
}

static FbStatus radau_restart(FbIntegrator* self, const FbPoint* p, FbError* err) {
    FbRadau* r = (FbRadau*)self;
    FbDynamics* d = self->dynamics;
    if (!fb_sizes_match(&r->size, &d->size)) {
        FB_TRY(fb_radau_allocate(r, err));
    }
    bool goes_on = d->keeps_motion && r->last->method && r->at.t == p->t;
    fb_point_copy(&r->size, p, &r->at);
    if (r->size.n_x > 0) {
        d->ops->state_rates(d, &r->at, r->x_rate);
    }
    if (goes_on) {
        r->last->is_lambda_good = false;  // they belong to other rows
        return finish_restart(r, err);
    }
    fb_weights_restart(&r->weights, d, &r->at);
    double guess = first_step(r);
    r->h = r->stats.steps > 0 ? fmax(guess, 0.1 * r->h) : guess;
    if (self->options.fixed_step > 0.0) {
        r->h = guess;
    }
    r->method = self->options.order == 13 ? 2 : self->options.order == 9 ? 1 : 0;
    if (r->size.n_c > 0) {
        r->form = (FbRadauForm){.is_solved = false};  // rows may have become dependent
    }
    r->last->method = NULL;
    r->has_jacobian = false;
    r->h_factored = 0.0;
    r->h_before = 0.0;
    r->eta = 1.0;
    r->theta = 0.0;
    r->slow_theta = FB_RADAU_SLOW;
    r->is_first = true;
    r->was_rejected = r->was_inaccurate = false;
    r->steps_since_change = r->failures = 0;
    r->h_limit = 0.0;
    return finish_restart(r, err);
}

static double limit_turns(const FbRadau* r, double h) {
    const FbDynamics* d = r->base.dynamics;
    for (int b = 0; b < d->n_ball; b++) {
        const double* w = r->at.v + d->ball[b];
        double rate = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
        if (rate * h > MAX_TURN) {
            h = MAX_TURN / rate;
        }
    }
    return h;
}

// The trial step: the requested size, but never beyond t_limit and without leaving a tiny rest
// before it.
static double choose_step(const FbRadau* r, double t_limit, bool* is_last) {
    double rest = t_limit - r->at.t, h = r->h;
    if (r->base.options.max_step > 0.0) {
        h = fmin(h, r->base.options.max_step);
    }
    h = limit_turns(r, h);
    *is_last = h * (r->is_led ? FB_LED_LONGER : 1.0 + 1e-4) >= rest;
    if (*is_last) {
        return rest;
    }
    return !r->is_led && 1.8 * h > rest ? 0.5 * rest : h;
}

// Steps of a fixed length end on their grid, or where the chart of a ball joint ends.
static double choose_fixed_step(const FbRadau* r, double t_limit, bool* is_last) {
    double t_end, h = limit_turns(r, r->base.options.fixed_step);
    h = fb_fixed_step(h, r->at.t, t_limit, &t_end);
    *is_last = t_end == t_limit;
    return h;
}

static void begin(FbRadau* r, double h, double t_end) {
    FbCollocation* c = r->now;
    if (!r->is_known[r->method]) {
        fb_radau_method_init(&r->methods[r->method], 3 + 2 * r->method);
        r->is_known[r->method] = true;
    }
    c->method = &r->methods[r->method];
    c->t = r->at.t;
    c->h = h;
    fb_point_copy(&r->size, &r->at, &c->start);
    fb_array_copy(c->x_rate, r->x_rate, r->size.n_x);
    c->end.t = t_end;
}

static FbStatus prepare_matrix(FbRadau* r, double h, FbError* err) {
    if (!r->has_jacobian) {
        FbStatus status = realize_jacobian(r, err);
        if (status != FB_OK) {
            return status;
        }
    }
    // Parts of the time to a sample have equal lengths, rounding apart.
    static const double SAME = 1e-9;
    bool is_same = fabs(r->h_factored - h) <= SAME * h;
    if (!is_same || r->method_factored != r->method) {
        r->work_done += FACTOR_WORK * (1 + r->methods[r->method].n_pair);
        return fb_radau_factor(r, h);
    }
    return FB_OK;
}

static FbStatus give_up(FbRadau* r, double h, const FbNewtonReport* report, FbError* err) {
    return fb_fail_step(&r->base, r->at.t, h, r->has_no_value, report->worst.index,
                        "a looser rtol or another integrator", err);
}

// The full iteration. Multipliers of a start close to their pole (5.6) are no guess for the stages
// beyond it: where they mislead, it begins without any.
static FbStatus solve_full(FbRadau* r, FbCollocation* c, FbNewtonReport* report) {
    fb_radau_predict(r, r->last, c);
    FbStatus status = fb_radau_full_newton(r, c, report);
    if (status == FB_RETRY) {
        fb_radau_predict(r, r->last, c);
        memset(c->lambda, 0, sizeof(double) * (size_t)(c->method->s * r->size.n_c));
        status = fb_radau_full_newton(r, c, report);
    }
    return status;
}

// Solves the step of length h. FB_OK: r->now holds a result that passed the error test.
static FbStatus try_step(FbRadau* r, double h, FbNewtonReport* report, double* error,
                         FbError* err) {
    FbCollocation* c = r->now;
    FbStatus status = prepare_matrix(r, h, err);
    r->has_no_value = false;
    if (status == FB_OK) {
        fb_radau_predict(r, r->last, c);
        fb_radau_set_weights(r, c);
        report->is_full = false;
        status = fb_radau_newton(r, c, report);
        r->theta_tried = status == FB_OK ? report->theta : fmax(report->theta, 1.0);
        // Steps of fixed length cannot be shortened instead.
        bool may_be_full = r->is_leaping || r->base.options.fixed_step > 0.0;
        if (status == FB_RETRY && may_be_full) {
            status = solve_full(r, c, report);
        }
    }
    if (status != FB_OK) {
        if (status == FB_RETRY) {
            fb_radau_handle_failure(r, report, h);
        }
        return status;
    }
    r->theta = report->theta;
    fb_radau_set_weights(r, c);
    *error = 0.0;
    if (!(r->base.options.fixed_step > 0.0)) {
        report->worst = fb_radau_error(r, c, r->is_first || r->was_inaccurate);
        *error = report->worst.value;
    }
    if (!(*error < (r->is_led ? FB_LED_ERROR : 1.0))) {
        fb_radau_reject(r, h, *error, report->iterations);
        return FB_RETRY;
    }
    fb_radau_take_end(r, c);
    fb_radau_calc_quadratures(r, c);
    status = fb_radau_project_end(r, c, err);
    if (status == FB_RETRY) {
        r->h = 0.5 * h;
        r->has_no_value = r->was_rejected = true;
    }
    return status;
}

// Steps that keep shrinking because the simplified iteration contracts badly for every length are
// creeping up to a position where constraints become dependent. The way across is one long step of
// high order, whose stages lie well apart from it, solved by the full iteration.
static bool should_leap(const FbRadau* r) {
    static const double SHORT = 0.15;  // of the longest recent step
    static const double SLOW = 0.25;   // contraction
    // Bars that turn fast in the midst of long steps contract badly, too, but not at short lengths.
    double short_h = (fb_radau_turns(r) ? SHORT * SHORT : SHORT) * r->h_recent;
    return r->size.n_c > 0 && r->base.options.order == 0 && r->theta_tried > SLOW &&
           r->h < short_h && r->failures != 1;
}

// A leap whose end or one of whose stages comes too close to the position fails: then another
// length is tried, the shortest last, for it may end in front of the position.
static void prepare_leap(FbRadau* r, int trial) {
    static const double LENGTH[MAX_LEAPS] = {0.6, 0.3, 0.9, 0.45, 0.15};  // of the longest of late
    if (r->form
            .is_solved) {  // it has no full iteration, and nothing to solve at the position itself
        r->form = (FbRadauForm){.blocked_until = r->stats.steps + 1, .block = r->form.block};
        r->has_jacobian = false;
    }
    r->method = FB_RADAU_METHODS - 1;
    r->h = LENGTH[trial] * r->h_recent;
    r->h_before = 0.0;
    r->steps_since_change = 0;
}

// A leap to the end of the run, where a singular position lies just before that, ends or has stages
// too close to the position. One that reaches well beyond the end passes it, and leads the shorter
// one. The present pieces of all functions are defined beyond the end, too; where they are not,
// this leap fails like any other. (At other limits this does not help: the next step would have to
// start next to the position.)
static FbStatus leap_beyond(FbRadau* r, double t_limit, FbNewtonReport* report, double* error,
                            FbError* err) {
    double h = limit_turns(r, r->h);
    begin(r, h, r->at.t + h);
    FbStatus status = try_step(r, h, report, error, err);
    return status == FB_OK ? fb_radau_shorten_leap(r, t_limit, err) : status;
}

static FbStatus radau_step(FbIntegrator* self, double t_limit, FbPoint* p, FbError* err) {
    FbRadau* r = (FbRadau*)self;
    FbNewtonReport report = {.shrink = 0.5, .worst = {0.0, -1}};
    int leaps = 0;
    // The step size requested by the controller next to a jump or a pole is no reason to give up;
    // failures are.
    double least = 4.0 * DBL_EPSILON * fabs(r->at.t);
    r->h = fmax(r->h, 16.0 * least);
    bool is_fixed = self->options.fixed_step > 0.0;
    for (int failures = 0; failures < (is_fixed ? MAX_FIXED_FAILURES : MAX_FAILURES); failures++) {
        bool is_last;
        r->is_leaping = leaps < MAX_LEAPS && should_leap(r);
        if (r->is_leaping) {
            prepare_leap(r, leaps++);
        }
        double error, wanted = r->h;
        double h =
            is_fixed ? choose_fixed_step(r, t_limit, &is_last) : choose_step(r, t_limit, &is_last);
        if (!(h > least) && !is_last) {
            break;
        }

        FbStatus status;
        if (r->is_leaping && is_last && wanted > h && leaps > 1 && t_limit == self->options.end) {
            status = leap_beyond(r, t_limit, &report, &error, err);
        } else {
            begin(r, h, is_last ? t_limit : r->at.t + h);
            status = try_step(r, h, &report, &error, err);
        }
        if (status < 0) {
            return status;
        }
        if (status == FB_OK) {
            r->h_recent = fmax(h, 0.97 * r->h_recent);
            r->leaps += r->is_leaping && report.is_full;
            fb_radau_finish_dense(r, r->now);
            fb_radau_accept(r, h, error, report.iterations, is_last);
            fb_point_copy(&r->size, &r->at, p);
            return FB_OK;
        }
    }
    fb_point_copy(&r->size, &r->at, p);
    if (is_fixed) {
        return fb_fail_fixed_step(self, r->at.t, r->has_no_value, report.worst.index, err);
    }
    return give_up(r, r->h, &report, err);
}

static FbStatus radau_interpolate(FbIntegrator* self, double t, FbPoint* p) {
    FbRadau* r = (FbRadau*)self;
    if (!r->last->method) {
        return FB_ERR_ARGUMENT;
    }
    fb_radau_interpolate(r, r->last, t, p);
    return FB_OK;
}

static const FbIntegratorStats* radau_stats(const FbIntegrator* self) {
    return &((const FbRadau*)self)->stats;
}

static double radau_wanted_step(const FbIntegrator* self) {
    return ((const FbRadau*)self)->h;
}

// Velocities inside a step of order 5 have order 4: enough for loose tolerances only. Inner forces
// of structures are differences that multiply errors of places by their stiffness, and
// accelerations at the ends of a step, which the interpolation meets, hold vibrations that it
// passes over.
static bool radau_is_dense_accurate(const FbIntegrator* self) {
    static const double LOOSE = 1e-6;
    const FbRadau* r = (const FbRadau*)self;
    return self->options.rtol >= LOOSE && !self->dynamics->is_stiff &&
           r->methods[r->method].s == 3 && (!r->last->method || r->last->method->s == 3);
}

// Existing factors are reused if they are approximately right.
static void radau_lead(FbIntegrator* self, double h, int order) {
    static const double FITS = 0.1;  // of the length
    FbRadau* r = (FbRadau*)self;
    int method = order >= 13 ? 2 : order >= 9 ? 1 : 0;
    // Lengths at which Newton's iteration failed are not tried again in every step.
    h = r->h_limit > 0.0 ? fmin(h, r->h_limit) : h;
    bool fits = fabs(h - r->h_factored) <= FITS * h && r->method_factored == method;
    r->h = fits && r->has_jacobian ? r->h_factored : h;
    r->h_before = method == r->method ? r->h_before : 0.0;
    r->method = method;
    r->is_led = true;
}

double fb_radau_calc_leverage(FbIntegrator* self, const FbPoint* p) {
    static const double ROUNDING = 1e-10;  // of all other forces: less says nothing
    FbRadau* r = (FbRadau*)self;
    FbDynamics* d = self->dynamics;
    double *with = r->R, *without = r->R + r->size.n_v;
    double multiplier = 0.0, force = 0.0, other = 0.0;
    FbPoint free = *p;
    free.lambda = r->lambda_before;
    memset(free.lambda, 0, sizeof(double) * (size_t)r->size.n_c);
    if (d->ops->residual(d, p, with, r->S, r->D) != FB_OK ||
        d->ops->residual(d, &free, without, r->S, r->D) != FB_OK) {
        return 0.0;
    }
    for (int i = 0; i < r->size.n_c; i++) {
        multiplier = fmax(multiplier, fabs(p->lambda[i]) * (d->c_scale ? d->c_scale[i] : 1.0));
    }
    for (int j = 0; j < r->size.n_v; j++) {
        double unit = d->q_scale ? d->q_scale[j] : 1.0;
        force = fmax(force, fabs(with[j] - without[j]) * unit);
        other = fmax(other, fabs(without[j]) * unit);
    }
    return force > ROUNDING * other ? multiplier / force : 0.0;
}

void fb_radau_expect_step(FbIntegrator* self, double h) {
    ((FbRadau*)self)->h_recent = h;
}

long fb_radau_count_leaps(const FbIntegrator* self) {
    return ((const FbRadau*)self)->leaps;
}

static const char* radau_warning(const FbIntegrator* self) {
    const FbRadau* r = (const FbRadau*)self;
    return r->warning[0] ? r->warning : r->coarse[0] ? r->coarse : NULL;
}

const FbIntegratorType fb_integrator_radau = {
    .name = "radau",
    .doc = "Radau IIA of orders 5, 9, 13 (implicit): stiff forces, loops, high accuracy",
    .orders = "5, 9, 13",
    .use =
        "stiff forces, structures and loops at high accuracy; steps across positions where "
        "constraints become dependent",
    .is_implicit = true,
    .has_residuals = true,
    .takes_fixed_steps = true,
    .create = fb_radau_create,
    .destroy = fb_radau_destroy,
    .restart = radau_restart,
    .step = radau_step,
    .interpolate = radau_interpolate,
    .stats = radau_stats,
    .wanted_step = radau_wanted_step,
    .is_dense_accurate = radau_is_dense_accurate,
    .lead = radau_lead,
    .refine = fb_radau_refine,
    .remember = fb_radau_remember,
    .warning = radau_warning,
};
