// Step and order control of the Radau integrator: Gustafsson's predictive controller, and a choice
// of order that compares work.
#include <math.h>
#include <stdio.h>

#include "solve/point.h"
#include "solve/radau.h"

static const double SAFETY = 0.9;
static const double MAX_GROWTH = 8.0, MAX_SHRINK = 5.0;
static const double KEEP_LOW = 1.0,
                    KEEP_HIGH = 1.2;  // steps that would change by less are kept: no factorization
static const double THETA_JACOBIAN = 1e-2;  // a slower contraction asks for a new Jacobian
static const double THETA_UP = 0.2, THETA_DOWN = 0.8;
static const double THETA_GOOD =
    0.3;  // steps grow only as far as the contraction (about proportional to h) stays here
// So much longer steps would do for the error. The solved form costs forward dynamics, several
// residuals of a tape: with these a shorter step is tried first.
static const double HELD_UP = 2.0, HELD_UP_TAPE = 8.0;

// Steps after a failed iteration are shorter than the one that failed; how fast that is forgotten,
// eq. (5.22).
static const double LIMIT_START = 0.8, LIMIT_GROWTH = 1.15, LIMIT_THETA = 3e-3;
// This many failures of one step lower the order, for this many steps.
static const int MANY_FAILURES = 2;
static const long BLOCK = 5;

static void lower_method(FbRadau* r, int method) {
    r->method = method;
    r->steps_since_change = 0;
    r->h_before = 0.0;
}

// Newton did not converge: first a new Jacobian, then a smaller step; a lower order where high ones
// keep failing.
void fb_radau_handle_failure(FbRadau* r, const FbNewtonReport* report, double h) {
    r->stats.newton_failures++;
    r->eta = 1.0;
    if (!r->is_jacobian_fresh) {
        r->has_jacobian = false;
        return;
    }
    bool is_dear = r->base.dynamics->has_tapes && r->failures == 0;
    if (!r->has_no_value && !is_dear && fb_radau_try_form(r, 1.0)) {
        return;
    }
    fb_radau_judge_form(r, 1.0);
    r->h = h * report->shrink;
    r->was_rejected = true;
    r->failures++;
    r->h_limit = LIMIT_START * h;
    if (r->base.options.order == 0 && r->method > 0 && r->failures % MANY_FAILURES == 0) {
        r->records[r->method].blocked_until = r->stats.steps + BLOCK;
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

void fb_radau_reject(FbRadau* r, double h, double err, int iterations) {
    r->stats.rejected++;
    r->h = r->is_first && r->stats.steps == 0 ? 0.1 * h
                                              : next_step(r, h, fmin(err, 1e30), iterations, false);
    r->was_rejected = r->was_inaccurate = true;
    if (!r->is_jacobian_fresh) {
        r->has_jacobian = false;
    }
}

// The lower method with the least work per simulated second so far, or the current one.
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
    static const double DEARER = 1.1;  // less is not worth a change
    FbOrderRecord* record = &r->records[r->method];
    double rate = r->work_done / h;
    record->rate = r->steps_since_change < 2 ? rate : 0.7 * record->rate + 0.3 * rate;
    r->steps_since_change++;
    if (r->base.options.order != 0 || r->base.options.fixed_step > 0.0 || r->is_led) {
        return;
    }
    int cheapest = cheapest_below(r);
    if (r->steps_since_change % TRIAL == 0 && record->rate > DEARER * r->records[cheapest].rate) {
        record->block = record->block < MAX_BLOCK ? record->block + 1 : record->block;
        record->blocked_until = r->stats.steps + (10L << record->block);
        lower_method(r, cheapest);
        return;
    }
    if (r->method > 0 && r->theta >= THETA_DOWN) {
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

// Steps that shrink to nothing next to a position with dependent constraints do not find the way
// across; which branch they follow is a matter of rounding.
static void note_creeping(FbRadau* r, double h) {
    static const double CREEP = 1e-7;  // of the longest step
    if (r->size.n_c > 0 && h < CREEP * r->stats.max_step_taken && r->warning[0] == '\0') {
        snprintf(r->warning, sizeof r->warning,
                 "at t = %.9g s steps had to shrink to %.1e s: if constraints become dependent "
                 "there, the motion may have continued on another branch",
                 r->at.t, h);
    }
}

void fb_radau_accept(FbRadau* r, double h, double err, int iterations, bool is_last) {
    FbCollocation* c = r->now;
    FbIntegratorStats* stats = &r->stats;
    stats->steps++;
    stats->stages += c->method->s;
    stats->min_step = stats->min_step > 0.0 ? fmin(stats->min_step, h) : h;
    stats->max_step_taken = fmax(stats->max_step_taken, h);
    if (!is_last) {
        note_creeping(r, h);
    }
    int order = 2 * c->method->s - 1;
    stats->max_order = order > stats->max_order ? order : stats->max_order;
    stats->last_order = order;
    fb_point_copy(&r->size, &c->end, &r->at);
    fb_weights_accept(&r->weights, r->base.dynamics, &r->at);
    fb_array_copy(r->x_rate, c->x_rates + (c->method->s - 1) * r->size.n_x, r->size.n_x);
    double wanted =
        r->base.options.fixed_step > 0.0 ? r->h : next_step(r, h, err, iterations, true);
    if (r->was_rejected) {
        wanted = fmin(wanted, h);
    }
    fb_radau_judge_form(r, r->theta);
    if (r->theta > 0.0 && !(r->base.options.fixed_step > 0.0)) {
        double good = h * fmax(0.5, THETA_GOOD / r->theta);
        double held_up = r->base.dynamics->has_tapes ? HELD_UP_TAPE : HELD_UP;
        if (wanted > held_up * good && !is_last) {
            fb_radau_try_form(r, r->theta);
        }
        wanted = fmin(wanted, good);
    }
    if (r->h_limit > 0.0) {
        wanted = fmin(wanted, fmax(r->h_limit, h));
        r->h_limit *= r->theta > 0.0 ? fmax(LIMIT_GROWTH, LIMIT_THETA / r->theta) : LIMIT_GROWTH;
    }
    double ratio = wanted / h;
    bool is_jacobian_good = r->theta <= THETA_JACOBIAN;
    r->has_jacobian = r->has_jacobian && is_jacobian_good;
    // A step cut short by the limit says little about the step size requested before.
    if (!(is_last && r->h > wanted && ratio >= 1.0)) {
        r->h = is_jacobian_good && ratio >= KEEP_LOW && ratio <= KEEP_HIGH ? h : wanted;
    }
    r->h_before = h;
    r->error_before = fmax(1e-2, err);
    choose_order(r, h, ratio);
    r->work_done = 0.0;  // what samples inside this step cost counts for the next
    r->is_jacobian_fresh = false;
    r->is_first = r->was_rejected = r->was_inaccurate = false;
    r->failures = 0;
    FbCollocation* old = r->last;
    r->last = c;
    r->now = old;
}
