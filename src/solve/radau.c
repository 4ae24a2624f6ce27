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
#include <stdlib.h>
#include <string.h>

#include "solve/point.h"

static const double SAFETY = 0.9;
static const double MAX_GROWTH = 8.0, MAX_SHRINK = 5.0;
static const double KEEP_LOW = 1.0,
                    KEEP_HIGH = 1.2;  // steps that would change by less are kept: no factorization
static const double THETA_JACOBIAN = 1e-2;  // a slower contraction asks for a new Jacobian
static const double THETA_UP = 0.2, THETA_DOWN = 0.8;
static const double THETA_GOOD =
    0.3;  // steps grow only as far as the contraction (about proportional to h) stays here
static const double MAX_TURN = 2.0;  // rad in one step: the chart of a ball joint ends at 2 pi
static const int MAX_FAILURES = 60;  // of one step
// Work of a Jacobian and of one factored system, counted in residuals, for comparing orders.
static const double JACOBIAN_WORK = 4.0, FACTOR_WORK = 0.7;

static void take_step(FbArena* a, const FbSizes* n, FbCollocation* c) {
    enum { S = FB_RADAU_MAX_STAGES };
    c->method = NULL;
    fb_point_take(a, n, &c->start);
    fb_point_take(a, n, &c->end);
    c->x_rate = FB_TAKE(a, double, n->n_x + 1);
    c->a = FB_TAKE(a, double, S * n->n_v + 1);
    c->xi_rate = FB_TAKE(a, double, S * n->n_v + 1);
    c->x_rates = FB_TAKE(a, double, S * n->n_x + 1);
    c->lambda = FB_TAKE(a, double, S * n->n_c + 1);
    c->power = FB_TAKE(a, double, S * n->n_w + 1);
    c->xi_end = FB_TAKE(a, double, n->n_v + 1);
    c->xi_rate_end = FB_TAKE(a, double, n->n_v + 1);
    c->xi_acc_end = FB_TAKE(a, double, n->n_v + 1);
}

static void take_work(FbRadau* r) {
    enum { S = FB_RADAU_MAX_STAGES };
    FbArena* a = r->arena;
    const FbSizes* n = &r->size;
    r->V = FB_TAKE(a, double, S * n->n_v + 1);
    r->xi = FB_TAKE(a, double, S * n->n_v + 1);
    r->x = FB_TAKE(a, double, S * n->n_x + 1);
    r->R = FB_TAKE(a, double, S * n->n_v + 1);
    r->P = FB_TAKE(a, double, S * n->n_v + 1);
    r->S = FB_TAKE(a, double, S * n->n_x + 1);
    r->D = FB_TAKE(a, double, S * n->n_c + 1);
    r->b = FB_TAKE(a, double, 2 * (n->n_v + n->n_x + n->n_c) + 2);
    r->bxi = FB_TAKE(a, double, 2 * n->n_v + 2);
    r->error_v = FB_TAKE(a, double, n->n_v + 1);
    r->error_xi = FB_TAKE(a, double, n->n_v + 1);
    r->error_x = FB_TAKE(a, double, n->n_x + 1);
    r->q_stage = FB_TAKE(a, double, n->n_q + 1);
    r->work_q = FB_TAKE(a, double, n->n_q + 1);
    r->work = FB_TAKE(a, double, n->n_v + n->n_x + 1);
    r->lambda_before = FB_TAKE(a, double, S * n->n_c + 1);
    r->x_rate = FB_TAKE(a, double, n->n_x + 1);
}

// All arrays for the present sizes of the dynamics.
static FbStatus allocate(FbRadau* r, FbError* err) {
    FbArena* arena = fb_arena_create();
    if (!arena) {
        return fb_fail_memory(err);
    }
    fb_arena_destroy(r->arena);
    r->arena = arena;
    r->size = r->base.dynamics->size;
    for (int i = 0; i < 3; i++) {
        take_step(arena, &r->size, &r->steps[i]);
    }
    take_work(r);
    fb_point_take(arena, &r->size, &r->at);
    fb_weights_init(&r->weights, r->base.dynamics, arena);
    if (fb_arena_has_failed(arena)) {
        return fb_fail_memory(err);
    }
    r->now = &r->steps[0];
    r->last = &r->steps[1];
    r->spare = &r->steps[2];
    return FB_OK;
}

static void radau_destroy(FbIntegrator* self) {
    FbRadau* r = (FbRadau*)self;
    if (!r) {
        return;
    }
    fb_newton_matrix_destroy(r->matrix);
    fb_radau_full_destroy(r->full);
    fb_arena_destroy(r->arena);
    free(r);
}

static FbStatus radau_create(FbDynamics* d, const FbIntegratorOptions* o, FbIntegrator** out,
                             FbError* err) {
    *out = NULL;
    if (o->order != 0 && o->order != 5 && o->order != 9 && o->order != 13) {
        return fb_fail(err, FB_ERR_RANGE, NULL,
                       "order %d of radau; it must be 0 (adaptive), 5, 9 or 13", o->order);
    }
    FbRadau* r = calloc(1, sizeof *r);
    if (!r) {
        return fb_fail_memory(err);
    }
    r->base.type = &fb_integrator_radau;
    r->base.dynamics = d;
    r->base.options = *o;
    for (int i = 0; i < FB_RADAU_METHODS; i++) {
        fb_radau_method_init(&r->methods[i], 3 + 2 * i);
    }
    FbStatus status = allocate(r, err);
    if (status != FB_OK) {
        radau_destroy(&r->base);
        return status;
    }
    *out = &r->base;
    return FB_OK;
}

static bool has_same_sizes(const FbSizes* a, const FbSizes* b) {
    return a->n_q == b->n_q && a->n_v == b->n_v && a->n_x == b->n_x && a->n_w == b->n_w &&
           a->n_c == b->n_c;
}

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

static FbStatus radau_restart(FbIntegrator* self, const FbPoint* p, FbError* err) {
    FbRadau* r = (FbRadau*)self;
    FbDynamics* d = self->dynamics;
    if (!has_same_sizes(&r->size, &d->size)) {
        FB_TRY(allocate(r, err));
    }
    fb_point_copy(&r->size, p, &r->at);
    if (r->size.n_x > 0) {
        d->ops->state_rates(d, &r->at, r->x_rate);
    }
    fb_weights_restart(&r->weights, d, &r->at);
    double guess = first_step(r);
    r->h = r->stats.steps > 0 ? fmax(guess, 0.1 * r->h) : guess;
    if (self->options.fixed_step > 0.0) {
        r->h = guess;
    }
    r->method = self->options.order == 13 ? 2 : self->options.order == 9 ? 1 : 0;
    r->last->method = NULL;
    r->has_jacobian = false;
    r->h_factored = 0.0;
    r->h_before = 0.0;
    r->eta = 1.0;
    r->theta = 0.0;
    r->is_first = true;
    r->was_rejected = false;
    r->steps_since_change = 0;
    r->stats.restarts++;
    return FB_OK;
}

// Blocks at the start of the step; the matrix is rebuilt where their patterns changed.
static FbStatus realize_jacobian(FbRadau* r, FbError* err) {
    FbDynamics* d = r->base.dynamics;
    FbBlocks blocks;
    memset(&blocks, 0, sizeof blocks);
    FbStatus status = d->ops->jacobian(d, &r->at, &blocks, err);
    if (status != FB_OK) {
        return status;
    }
    if (r->matrix && !fb_newton_matrix_fits(r->matrix, d, &blocks)) {
        fb_newton_matrix_destroy(r->matrix);
        r->matrix = NULL;
    }
    if (!r->matrix) {
        FB_TRY(fb_newton_matrix_create(d, &blocks, FB_RADAU_MAX_PAIRS, &r->matrix, err));
    }
    fb_newton_matrix_set_blocks(r->matrix, &blocks, r->at.v);
    r->stats.jacobian_evals++;
    r->work_done += JACOBIAN_WORK;
    r->has_jacobian = true;
    r->is_jacobian_fresh = true;
    r->h_factored = 0.0;
    return FB_OK;
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

// The step that is tried: what is wanted, but never beyond t_limit and without a tiny rest before
// it.
static double choose_step(const FbRadau* r, double t_limit, bool* is_last) {
    double rest = t_limit - r->at.t, h = r->h;
    if (r->base.options.max_step > 0.0) {
        h = fmin(h, r->base.options.max_step);
    }
    h = limit_turns(r, h);
    *is_last = h * (1.0 + 1e-4) >= rest;
    if (*is_last) {
        return rest;
    }
    bool is_fixed = r->base.options.fixed_step > 0.0;
    return !is_fixed && 1.8 * h > rest ? 0.5 * rest : h;
}

static void begin(FbRadau* r, double h, double t_end) {
    FbCollocation* c = r->now;
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
    if (r->h_factored != h || r->method_factored != r->method) {
        r->work_done += FACTOR_WORK * (1 + r->methods[r->method].n_pair);
        return fb_radau_factor(r, h);
    }
    return FB_OK;
}

static void lower_method(FbRadau* r, int method) {
    r->method = method;
    r->steps_since_change = 0;
    r->h_before = 0.0;
}

// Newton did not converge: first a new Jacobian, then a smaller step; a lower order where high ones
// keep failing.
static void handle_newton_failure(FbRadau* r, const FbNewtonReport* report, double h) {
    r->stats.newton_failures++;
    r->eta = 1.0;
    if (!r->is_jacobian_fresh) {
        r->has_jacobian = false;
        return;
    }
    r->h = h * report->shrink;
    r->was_rejected = true;
    // With constraints a slow contraction says little about the order (see accept): long steps pass
    // singular positions best.
    if (r->base.options.order == 0 && r->method > 0 && r->size.n_c == 0) {
        r->records[r->method].blocked_until = r->stats.steps + 20;
        lower_method(r, r->method - 1);
    }
}

// Gustafsson's predictive controller; err is the error of the step just made with h.
static double next_step(FbRadau* r, double h, double err, int iterations, bool is_accepted) {
    int s = r->methods[r->method].s, max_iterations = 7 + (s - 3) * 5 / 2;
    double exponent = 1.0 / (s + 1.0);
    double safety = SAFETY * (2 * max_iterations + 1) / (2 * max_iterations + iterations);
    err = fmax(err, 1e-10);
    double quotient = fmax(1.0 / MAX_GROWTH, fmin(MAX_SHRINK, pow(err, exponent) / safety));
    if (is_accepted && r->h_before > 0.0) {
        double predicted = r->h_before / h * pow(err * err / r->error_before, exponent) / SAFETY;
        quotient = fmax(quotient, fmax(1.0 / MAX_GROWTH, fmin(MAX_SHRINK, predicted)));
    }
    return h / quotient;
}

static void reject(FbRadau* r, double h, double err, int iterations) {
    r->stats.rejected++;
    r->h = r->is_first && r->stats.steps == 0 ? 0.1 * h
                                              : next_step(r, h, fmin(err, 1e30), iterations, false);
    r->was_rejected = true;
    if (!r->is_jacobian_fresh) {
        r->has_jacobian = false;
    }
}

static void calc_quadratures(FbRadau* r, FbCollocation* c) {
    FbDynamics* d = r->base.dynamics;
    const FbRadauMethod* m = c->method;
    int n_v = r->size.n_v, n_w = r->size.n_w;
    for (int i = 0; i < m->s && n_w > 0; i++) {
        fb_radau_plus(r, c->start.q, r->xi + i * n_v, r->q_stage);
        FbPoint p = {.t = i == m->s - 1 ? c->end.t : c->t + m->c[i] * c->h,
                     .q = r->q_stage,
                     .v = r->V + i * n_v,
                     .a = c->a + i * n_v,
                     .x = r->x + i * r->size.n_x,
                     .lambda = c->lambda + i * r->size.n_c};
        d->ops->powers(d, &p, c->power + i * n_w);
    }
    for (int k = 0; k < n_w; k++) {
        double sum = 0.0;
        for (int i = 0; i < m->s; i++) {
            sum += m->A[m->s - 1][i] * c->power[i * n_w + k];
        }
        c->end.w[k] = c->start.w[k] + c->h * sum;
    }
}

// Fills c->end from the last stage (the method is stiffly accurate).
static void take_end(FbRadau* r, FbCollocation* c) {
    int last = c->method->s - 1, n_v = r->size.n_v;
    fb_radau_plus(r, c->start.q, r->xi + last * n_v, c->end.q);
    fb_array_copy(c->end.v, r->V + last * n_v, n_v);
    fb_array_copy(c->end.a, c->a + last * n_v, n_v);
    fb_array_copy(c->end.x, r->x + last * r->size.n_x, r->size.n_x);
    fb_array_copy(c->end.lambda, c->lambda + last * r->size.n_c, r->size.n_c);
}

// How far the projection moved the end, in error weights.
static double projection_size(FbRadau* r, const FbCollocation* c) {
    const FbDynamics* d = r->base.dynamics;
    FbWorst moved = {0.0, -1};
    int n_v = r->size.n_v, last = c->method->s - 1;
    if (d->n_ball > 0) {
        d->ops->minus(d, c->end.q, r->work_q, r->work);
    } else {
        for (int k = 0; k < n_v; k++) {
            r->work[k] = c->end.q[k] - r->work_q[k];
        }
    }
    fb_weights_norm(n_v, r->weights.xi, r->work, 0, &moved);
    for (int k = 0; k < n_v; k++) {
        r->work[k] = c->end.v[k] - r->V[last * n_v + k];
    }
    fb_weights_norm(n_v, r->weights.v, r->work, 0, &moved);
    return moved.value;
}

// Projects the end; the accelerations of the last stage stay valid unless the projection moved it
// noticeably.
static FbStatus project_end(FbRadau* r, FbCollocation* c, FbError* err) {
    static const double NOTICEABLE = 1e-2;  // of the tolerance
    FbDynamics* d = r->base.dynamics;
    if (!d->ops->project_position && !d->ops->project_velocity) {
        return FB_OK;
    }
    fb_array_copy(r->work_q, c->end.q, r->size.n_q);
    if (d->ops->project_position) {
        FbStatus status = d->ops->project_position(d, c->end.t, c->end.q, NULL, err);
        if (status != FB_OK) {
            return status;
        }
    }
    if (d->ops->project_velocity) {
        FbStatus status = d->ops->project_velocity(d, c->end.t, c->end.q, c->end.v, NULL, err);
        if (status != FB_OK) {
            return status;
        }
    }
    if (projection_size(r, c) > NOTICEABLE || !c->is_lambda_good) {
        r->stats.rhs_evals++;
        return d->ops->accelerations(d, &c->end, err);
    }
    return FB_OK;
}

// The lower method with the least work per simulated second so far, or the present one.
static int cheapest_below(const FbRadau* r) {
    int best = r->method;
    for (int m = 0; m < r->method; m++) {
        double rate = r->records[m].rate;
        best = rate > 0.0 && rate < r->records[best].rate ? m : best;
    }
    return best;
}

// Raises the order where Newton contracts fast, and goes back where that did not pay: compares work
// per simulated second.
static void choose_order(FbRadau* r, double h, double ratio) {
    static const long TRIAL = 8, FIRST_WAIT = 2, MAX_BLOCK = 8;
    FbOrderRecord* record = &r->records[r->method];
    double rate = r->work_done / h;
    record->rate = r->steps_since_change < 2 ? rate : 0.7 * record->rate + 0.3 * rate;
    r->steps_since_change++;
    if (r->base.options.order != 0) {
        return;
    }
    int cheapest = cheapest_below(r);
    if (r->steps_since_change % TRIAL == 0 && record->rate > r->records[cheapest].rate) {
        record->block = record->block < MAX_BLOCK ? record->block + 1 : record->block;
        record->blocked_until = r->stats.steps + (10L << record->block);
        lower_method(r, cheapest);
        return;
    }
    if (r->method > 0 && r->theta >= THETA_DOWN && r->size.n_c == 0) {
        lower_method(r, r->method - 1);
        return;
    }
    bool is_tight = r->base.options.rtol <= 1e-5;
    bool fits_samples = !(r->base.options.sample > 0.0) || h < 2.0 * r->base.options.sample;
    bool is_steady = ratio < 1.5 && ratio > 0.7;
    if (r->method + 1 < FB_RADAU_METHODS && r->theta <= THETA_UP && is_tight && fits_samples &&
        is_steady && r->steps_since_change > FIRST_WAIT &&
        r->stats.steps >= r->records[r->method + 1].blocked_until) {
        r->method++;
        r->steps_since_change = 0;
        r->h_before = 0.0;
    }
}

static void accept(FbRadau* r, double h, double err, int iterations, bool is_last) {
    FbCollocation* c = r->now;
    FbIntegratorStats* stats = &r->stats;
    stats->steps++;
    stats->min_step = stats->min_step > 0.0 ? fmin(stats->min_step, h) : h;
    stats->max_step_taken = fmax(stats->max_step_taken, h);
    int order = 2 * c->method->s - 1;
    stats->max_order = order > stats->max_order ? order : stats->max_order;
    fb_point_copy(&r->size, &c->end, &r->at);
    fb_weights_accept(&r->weights, r->base.dynamics, &r->at);
    fb_array_copy(r->x_rate, c->x_rates + (c->method->s - 1) * r->size.n_x, r->size.n_x);
    double wanted =
        r->base.options.fixed_step > 0.0 ? r->h : next_step(r, h, err, iterations, true);
    if (r->was_rejected) {
        wanted = fmin(wanted, h);
    }
    // Not with constraints: where they come close to being dependent the contraction slows down for
    // every step length, and creeping up to that position is the worst choice: the full iteration
    // takes over there.
    if (r->theta > 0.0 && r->size.n_c == 0 && !(r->base.options.fixed_step > 0.0)) {
        wanted = fmin(wanted, h * fmax(0.5, THETA_GOOD / r->theta));
    }
    double ratio = wanted / h;
    bool is_jacobian_good = r->theta <= THETA_JACOBIAN;
    r->has_jacobian = r->has_jacobian && is_jacobian_good;
    // A step cut short by the limit says little against the step that was wanted before it.
    if (!(is_last && r->h > wanted && ratio >= 1.0)) {
        r->h = is_jacobian_good && ratio >= KEEP_LOW && ratio <= KEEP_HIGH ? h : wanted;
    }
    r->h_before = h;
    r->error_before = fmax(1e-2, err);
    choose_order(r, h, ratio);
    r->work_done = 0.0;  // what samples inside this step cost counts for the next
    r->is_jacobian_fresh = false;
    r->is_first = r->was_rejected = false;
    FbCollocation* old = r->last;
    r->last = c;
    r->now = old;
}

static FbStatus give_up(FbRadau* r, double h, const FbNewtonReport* report, FbError* err) {
    const char* part = fb_weights_name(r->base.dynamics, report->worst.index);
    return fb_fail(err, FB_ERR_CONVERGENCE, NULL,
                   "radau: at t = %.10g s the step had to shrink to %.3g s; the largest error is "
                   "in %s. Look for a "
                   "jump or a singular position there, or try a looser rtol or another integrator",
                   r->at.t, h, part);
}

// Solves the step of length h. FB_OK: r->now holds a result that passed the error test.
static FbStatus try_step(FbRadau* r, double h, FbNewtonReport* report, double* error,
                         FbError* err) {
    FbCollocation* c = r->now;
    FbStatus status = prepare_matrix(r, h, err);
    if (status == FB_OK) {
        fb_radau_predict(r, r->last, c);
        fb_radau_set_weights(r, c);
        report->is_full = false;
        status = fb_radau_newton(r, c, report);
        if (status == FB_RETRY && r->is_jacobian_fresh && r->size.n_c > 0) {
            fb_radau_predict(r, r->last, c);
            status = fb_radau_full_newton(r, c, report);
        }
    }
    if (status != FB_OK) {
        if (status == FB_RETRY) {
            handle_newton_failure(r, report, h);
        }
        return status;
    }
    r->theta = report->theta;
    fb_radau_set_weights(r, c);
    *error = 0.0;
    if (!(r->base.options.fixed_step > 0.0)) {
        report->worst = fb_radau_error(r, c, r->is_first || r->was_rejected);
        *error = report->worst.value;
    }
    if (!(*error < 1.0)) {
        reject(r, h, *error, report->iterations);
        return FB_RETRY;
    }
    take_end(r, c);
    calc_quadratures(r, c);
    status = project_end(r, c, err);
    if (status == FB_RETRY) {
        r->h = 0.5 * h;
        r->was_rejected = true;
    }
    return status;
}

static FbStatus radau_step(FbIntegrator* self, double t_limit, FbPoint* p, FbError* err) {
    FbRadau* r = (FbRadau*)self;
    FbNewtonReport report = {.shrink = 0.5, .worst = {0.0, -1}};
    for (int failures = 0; failures < MAX_FAILURES; failures++) {
        bool is_last;
        double h = choose_step(r, t_limit, &is_last), error;
        if (!(h > 4.0 * DBL_EPSILON * fabs(r->at.t)) && !is_last) {
            break;
        }
        begin(r, h, is_last ? t_limit : r->at.t + h);
        FbStatus status = try_step(r, h, &report, &error, err);
        if (status < 0) {
            return status;
        }
        if (status == FB_OK) {
            fb_radau_finish_dense(r, r->now);
            accept(r, h, error, report.iterations, is_last);
            fb_point_copy(&r->size, &r->at, p);
            return FB_OK;
        }
    }
    fb_point_copy(&r->size, &r->at, p);
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

// A step of its own from the last start to t: as accurate as the steps, and its start values are
// nearly exact.
static FbStatus radau_refine(FbIntegrator* self, double t, FbPoint* p) {
    FbRadau* r = (FbRadau*)self;
    FbCollocation *last = r->last, *c = r->spare;
    if (!last->method) {
        return FB_ERR_ARGUMENT;
    }
    int method = r->method;
    double eta = r->eta;
    bool is_fresh = r->is_jacobian_fresh;
    FbNewtonReport report;
    r->is_jacobian_fresh = true;
    r->method = (last->method->s - 3) / 2;
    c->method = last->method;
    c->t = last->t;
    c->h = t - last->t;
    fb_point_copy(&r->size, &last->start, &c->start);
    fb_array_copy(c->x_rate, last->x_rate, r->size.n_x);
    c->end.t = t;
    FbStatus status = c->h > 0.0 ? fb_radau_factor(r, c->h) : FB_RETRY;
    if (status == FB_OK) {
        fb_radau_predict(r, last, c);
        fb_radau_set_weights(r, c);
        status = fb_radau_newton(r, c, &report);
        if (status == FB_RETRY && r->size.n_c > 0) {
            fb_radau_predict(r, last, c);
            status = fb_radau_full_newton(r, c, &report);
        }
    }
    if (status == FB_OK) {
        take_end(r, c);
        calc_quadratures(r, c);
        fb_point_copy(&r->size, &c->end, p);
    } else {
        fb_radau_interpolate(r, last, t, p);
    }
    r->method = method;
    r->eta = eta;
    r->is_jacobian_fresh = is_fresh;
    return status < 0 ? status : FB_OK;
}

static const FbIntegratorStats* radau_stats(const FbIntegrator* self) {
    return &((const FbRadau*)self)->stats;
}

static double radau_wanted_step(const FbIntegrator* self) {
    return ((const FbRadau*)self)->h;
}

static bool radau_is_dense_accurate(const FbIntegrator* self) {
    const FbRadau* r = (const FbRadau*)self;
    return r->methods[r->method].s == 3 && (!r->last->method || r->last->method->s == 3);
}

const FbIntegratorType fb_integrator_radau = {
    .name = "radau",
    .doc = "Radau IIA of orders 5, 9, 13 (implicit): stiff forces, loops, high accuracy",
    .is_implicit = true,
    .create = radau_create,
    .destroy = radau_destroy,
    .restart = radau_restart,
    .step = radau_step,
    .interpolate = radau_interpolate,
    .stats = radau_stats,
    .wanted_step = radau_wanted_step,
    .is_dense_accurate = radau_is_dense_accurate,
    .refine = radau_refine,
};
