// Equilibrium of a constrained system: where the constrained accelerations vanish, at rest or in
// steady motion.
//
// With a and lambda from forward dynamics, r(q, v, a, x, lambda) = 0; the Newton step asks r(q + d,
// v, 0, x + dx, lambda + dl) = 0 and c(q + d, v, x + dx) = 0 (eqs. 7.1, 7.2):
//   [K + mu M  G'  Rx; G  -e  0; Xq  0  Xx - sqrt(mu)] (d, dl, dx) = (M a, 0, -c).
// mu = 0 is Newton's method (with line search on the kinetic norm of a); a large mu is overdamped
// relaxation d = a/mu, which moves along the unbalanced force and so finds stable positions from
// afar. K + mu M with falling mu joins the two (pseudo-transient continuation).
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve/balance.h"

// Relative to the acting forces: what is asked, and what is accepted where rounding ends the
// progress.
static const double TARGET = 1e-15, ACCEPTED = 1e-12;
static const double MAX_MOVE = 0.3;  // rad, or m relative to the model's length, in one step
// Balanced as a position of the model's size can be, small displacements may still gain digits:
// down to this rounding of the acting forces, by steps that are small and halve the merit.
static const double ROUNDING = 1e-14, SMALL_MOVE = 1e-6, GAIN = 0.5;
// Relaxation: after steps shorter than this the next ones may be longer.
static const double SHORT_MOVE = 0.02, FASTER = 0.7;
enum { MAX_FULL = 15, MAX_NEWTON = 60, MAX_RELAXATION = 4000, MAX_HALVINGS = 12 };
// Load steps: the first one, the shortest, the iterations of each and the part of its load that may
// remain unbalanced in between.
static const double FIRST_LOAD = 0.5, LEAST_LOAD = 1.0 / 256, LOAD_ACCURACY = 0.2;
enum { MAX_LOADED = 6 };

// The longest move in a coordinate: rad, or m relative to the model's length.
static double calc_longest(const FbBalance* s) {
    double longest = 0.0;
    for (int j = 0; j < s->n; j++) {
        longest = fmax(longest, fabs(s->x[j]) / fb_model_displacement(s->op->model, j));
    }
    return longest;
}

static void limit_step(FbBalance* s) {
    double longest = calc_longest(s);
    for (int j = 0; longest > MAX_MOVE && j < s->n + s->n_c + s->n_x; j++) {
        s->x[j] *= MAX_MOVE / longest;
    }
}

// q = q_kept (+) x, back on the constraints, evaluated.
static FbStatus move(FbBalance* s, double factor, FbError* err) {
    FbPoint* p = &s->op->p;
    double* xi = s->unbalanced;  // overwritten by evaluate
    for (int j = 0; j < s->n; j++) {
        xi[j] = factor * s->x[j];
    }
    s->d->ops->plus(s->d, s->q_kept, xi, s->q_new);
    memcpy(p->q, s->q_new, sizeof(double) * (size_t)s->d->size.n_q);
    for (int i = 0; i < s->n_x; i++) {
        p->x[i] = s->state_kept[i] + factor * s->x[s->n + s->n_c + i];
    }
    fb_dynamics_tell_states(s->d, p->x);
    FbStatus status = s->d->ops->project_position(s->d, p->t, p->q, NULL, err);
    return status == FB_OK ? fb_balance_evaluate(s, err) : status;
}

static void keep(FbBalance* s) {
    memcpy(s->q_kept, s->op->p.q, sizeof(double) * (size_t)s->d->size.n_q);
    memcpy(s->state_kept, s->op->p.x, sizeof(double) * (size_t)s->n_x);
}

static FbStatus go_back(FbBalance* s, FbError* err) {
    memcpy(s->op->p.q, s->q_kept, sizeof(double) * (size_t)s->d->size.n_q);
    memcpy(s->op->p.x, s->state_kept, sizeof(double) * (size_t)s->n_x);
    return fb_balance_evaluate(s, err);
}

static double dot_unbalanced(const FbBalance* s) {
    double sum = 0.0;
    for (int j = 0; j < s->n; j++) {
        sum += s->x[j] * s->unbalanced[j];
    }
    return sum;
}

// The same where the search ends: nothing but the position is needed any more. Multipliers and what
// turns steadily belong to it.
static FbStatus end_back(FbBalance* s, double residual, FbError* err) {
    if (s->n_c > 0 || s->n_x > 0 || s->op->spins.n_spins > 0) {
        return go_back(s, err);
    }
    memcpy(s->op->p.q, s->q_kept, sizeof(double) * (size_t)s->d->size.n_q);
    s->residual = residual;
    s->is_current = false;
    return FB_OK;
}

// Digits of displacements that are small next to the model: the last steps of Newton's method.
static FbStatus polish(FbBalance* s, FbError* err) {
    for (int i = 0; i < MAX_NEWTON && s->fraction > ROUNDING && !fb_balance_is_rounding(s); i++) {
        double before = s->merit, residual = s->residual;
        keep(s);
        if (!fb_balance_solve(s, 0.0) || !(calc_longest(s) <= SMALL_MOVE)) {
            return FB_OK;
        }
        FbStatus status = move(s, 1.0, err);
        s->op->info.iterations++;
        if (status < 0) {
            return status;
        }
        if (status != FB_OK || !(s->merit < GAIN * before)) {
            status = end_back(s, residual, err);
            return status < 0 ? status : FB_OK;
        }
    }
    return FB_OK;
}

// Beams that bend are stiff along their axis: the unbalanced forces rise for a step before they
// vanish, and a line search would take tiny steps along the bend. So a few whole steps are tried
// first, as long as they go along the unbalanced force; FB_RETRY: back where it began.
static FbStatus newton_in_full(FbBalance* s, FbError* err) {
    FbPoint* p = &s->op->p;
    FbStatus status = FB_OK;
    memcpy(s->q_first, p->q, sizeof(double) * (size_t)s->d->size.n_q);
    memcpy(s->x_first, p->x, sizeof(double) * (size_t)s->n_x);
    for (int i = 0; i < MAX_FULL && status == FB_OK; i++) {
        keep(s);
        bool is_along =
            fb_balance_solve(s, 0.0) && (i > 0 || s->has_control || dot_unbalanced(s) > 0.0);
        if (!is_along) {
            break;
        }
        limit_step(s);
        status = move(s, 1.0, err);
        s->op->info.iterations++;
        if (status == FB_OK && s->residual <= ACCEPTED) {
            return FB_OK;
        }
    }
    memcpy(p->q, s->q_first, sizeof(double) * (size_t)s->d->size.n_q);
    memcpy(p->x, s->x_first, sizeof(double) * (size_t)s->n_x);
    status = status < 0 ? status : fb_balance_evaluate(s, err);
    return status == FB_OK ? FB_RETRY : status;
}

// What is unbalanced besides the load that is held back, as an energy of displacements of the
// model's size.
static double calc_loaded(const FbBalance* s) {
    double sum = 0.0;
    for (int j = 0; j < s->n; j++) {
        double energy = s->unit[j] * (s->unbalanced[j] - s->held * s->load[j]);
        sum += energy * energy;
    }
    return sqrt(sum);
}

static FbStatus balance_load(FbBalance* s, double accepted, FbError* err) {
    FbStatus status = FB_OK;
    for (int i = 0; i < MAX_LOADED && status == FB_OK; i++) {
        keep(s);
        if (!fb_balance_solve(s, 0.0)) {
            return FB_RETRY;
        }
        limit_step(s);
        status = move(s, 1.0, err);
        s->op->info.iterations++;
        if (status == FB_OK && calc_loaded(s) <= accepted) {
            return FB_OK;
        }
    }
    return status < 0 ? status : FB_RETRY;
}

// Beams under loads that bend them far: what is unbalanced in the drawing acts in steps, each
// balanced by whole Newton steps from the one before, r(q) = h r(q_0) with h from 1 to 0
// (section 7.1). FB_RETRY: back where it began.
static FbStatus load_in_steps(FbBalance* s, FbError* err) {
    FbPoint* p = &s->op->p;
    size_t q_size = sizeof(double) * (size_t)s->d->size.n_q;
    memcpy(s->load, s->unbalanced, sizeof(double) * (size_t)s->n);
    memcpy(s->q_first, p->q, q_size);
    double whole = calc_loaded(s), step = FIRST_LOAD, reached = 1.0;
    FbStatus status = FB_OK;
    while (status == FB_OK && reached > 0.0 && step >= LEAST_LOAD) {
        memcpy(s->q_begin, p->q, q_size);
        s->held = fmax(reached - step, 0.0);
        status = balance_load(s, LOAD_ACCURACY * step * whole, err);
        if (status == FB_OK) {
            reached = s->held;
            step *= 2.0;
        } else if (status > 0) {
            memcpy(p->q, s->q_begin, q_size);
            step *= 0.25;
            status = fb_balance_evaluate(s, err);
        }
    }
    s->held = 0.0;
    if (status != FB_OK || reached == 0.0) {
        return status;
    }
    memcpy(p->q, s->q_first, q_size);
    status = fb_balance_evaluate(s, err);
    return status == FB_OK ? FB_RETRY : status;
}

// Newton with line search; FB_RETRY: no progress any more.
static FbStatus newton(FbBalance* s, FbError* err) {
    for (int i = 0; i < MAX_NEWTON; i++) {
        double before = s->merit, residual = s->residual;
        if (s->residual <= TARGET) {
            return polish(s, err);
        }
        keep(s);
        // A step against the unbalanced force heads for an unstable position: relaxation finds a
        // stable one instead.
        // (Feedback through states balances what would otherwise fall, so nothing is rejected
        // there.)
        if (!fb_balance_solve(s, 0.0) ||
            (s->residual > 1e-6 && !s->has_control && dot_unbalanced(s) < 0.0)) {
            return FB_RETRY;
        }
        limit_step(s);
        bool is_better = false;
        double factor = 1.0;
        for (int k = 0; k < MAX_HALVINGS && !is_better; k++, factor *= 0.5) {
            FbStatus status = move(s, factor, err);
            if (status < 0) {
                return status;
            }
            is_better = status == FB_OK && s->merit < (1.0 - 1e-4 * factor) * before;
        }
        s->op->info.iterations++;
        if (!is_better) {
            FbStatus status = go_back(s, err);
            return status < 0 ? status : residual <= ACCEPTED ? FB_OK : FB_RETRY;
        }
    }
    return s->residual <= ACCEPTED ? FB_OK : FB_RETRY;
}

// Relaxation until Newton's method takes over from nearby.
static FbStatus relax(FbBalance* s, FbError* err) {
    double mu = s->swiftest / 0.05 + DBL_MIN;  // a first step of 0.05
    double start = s->merit;
    for (int i = 0; i < MAX_RELAXATION; i++) {
        if (s->residual < 1e-6 || s->merit < 1e-5 * start) {
            return FB_OK;
        }
        double before = s->merit;
        keep(s);
        // The step must go along the unbalanced force, not against it: otherwise it heads for an
        // unstable position.
        bool is_good = fb_balance_solve(s, mu) && dot_unbalanced(s) > 0.0;
        double faster = is_good && s->n_x == 0 && calc_longest(s) < SHORT_MOVE ? FASTER : 1.0;
        if (is_good) {
            limit_step(s);
            FbStatus status = move(s, 1.0, err);
            if (status < 0) {
                return status;
            }
            is_good = status == FB_OK && s->merit < 10.0 * before;
        }
        s->op->info.relaxations++;
        if (is_good) {
            mu *= faster * fmax(0.3, fmin(1.5, s->merit / before));
            continue;
        }
        mu *= 4.0;
        FbStatus status = go_back(s, err);
        if (status != FB_OK) {
            return status;
        }
    }
    return FB_RETRY;
}

static bool has_bending(const FbModel* m) {
    bool has_any = false;
    for (int i = 0; i < m->n_structures; i++) {
        has_any |= m->structures[i].is_nonlinear;
    }
    return has_any;
}

static FbStatus report(const FbBalance* s, FbError* err) {
    if (s->worst_state >= 0) {
        return fb_fail(err, FB_ERR_CONVERGENCE, NULL,
                       "no equilibrium found: the state '%s', on which forces depend, keeps "
                       "changing by %.4g per second",
                       s->op->model->states[s->worst_state].name, s->state_rate[s->worst_state]);
    }
    return fb_fail(err, FB_ERR_CONVERGENCE, NULL,
                   "no equilibrium found: at '%s' a force of %.4g (N or N m, %.2g of the acting "
                   "forces) remains unbalanced. Check that the model can come to rest (supports, "
                   "springs, gravity), or draw it closer to its equilibrium%s",
                   s->d->ops->name_of_velocity(s->d, s->worst), s->unbalanced[s->worst],
                   s->residual,
                   has_bending(s->op->model)
                       ? ": a rope drawn straight between its ends has no lateral stiffness, so "
                         "draw it with some sag, or simulate it with damping until it comes to rest"
                       : "");
}

// What the last evaluation says about the point, where the point would be measured likewise.
static void keep_measure(const FbBalance* s) {
    FbOperatingPoint* op = s->op;
    op->is_measured = s->is_current && s->n_x == 0 && !op->is_turning && op->spins.n_spins == 0;
    op->info.residual = s->residual;
    op->info.force_scale = s->scale / op->model->length;
}

FbStatus fb_find_equilibrium(FbOperatingPoint* op, FbError* err) {
    FbBalance s = {.op = op,
                   .d = op->dynamics,
                   .n = op->dynamics->size.n_v,
                   .n_c = op->dynamics->size.n_c,
                   .n_x = op->keeps_states ? 0 : op->dynamics->size.n_x,
                   .worst_state = -1};
    if (s.n == 0) {
        return FB_OK;
    }
    s.arena = fb_arena_create();
    if (!s.arena) {
        return fb_fail_memory(err);
    }
    fb_system_get_patterns(op->system, &s.b.vv, &s.b.cv);
    FbStatus status = fb_balance_build(&s, err);
    if (status == FB_OK) {
        status = fb_balance_evaluate(&s, err);
    }
    if (status == FB_OK && has_bending(op->model) && s.residual > ACCEPTED) {
        FbStatus whole = newton_in_full(&s, err);
        if (whole == FB_RETRY && s.n_x == 0) {
            whole = load_in_steps(&s, err);
        }
        status = whole < 0 ? whole : FB_OK;
    }
    for (int round = 0; round < 3 && status == FB_OK; round++) {
        status = newton(&s, err);
        if (status != FB_RETRY) {
            break;
        }
        status = relax(&s, err);
    }
    if (status >= 0 && !(s.residual <= ACCEPTED)) {
        status = report(&s, err);
    }
    keep_measure(&s);
    fb_linear_destroy(s.solver);
    fb_arena_destroy(s.arena);
    return status > 0 ? FB_OK : status;
}
