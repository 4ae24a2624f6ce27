// Crossing positions where constraints become dependent: watching the steps, and radau's part.
#include "solve/crossing.h"

#include <math.h>
#include <stdio.h>

#include "solve/point.h"
#include "solve/radau.h"

static const double KEEP = 0.97;  // of the longest step, after each shorter one
static const double SHORT = 0.1;  // of the longest: a step that short has met something
static const double SAME = 1e-3;  // of the longest: a restart so close after a step continues
static const double BACK = 0.3;   // of the longest: where radau's steps are that long it is over

// Where the leverage (5.23) of the multipliers is this many times as large as at the best
// restart so far, they are beside their pole (5.6).
static const double POLE = 30.0;

static void judge_start(FbCrossing* c, const FbPoint* p) {
    double leverage = fb_radau_calc_leverage(c->radau, p);
    bool has_least = c->least_leverage > 0.0;
    c->is_beside = has_least && c->longest > 0.0 && leverage > POLE * c->least_leverage;
    c->least_leverage = has_least && leverage > 0.0 ? fmin(c->least_leverage, leverage) : leverage;
}

static FbStatus create_radau(FbCrossing* c, const FbIntegrator* method, FbError* err) {
    FbIntegratorOptions o = method->options;
    double looser = c->looser > 0.0 ? c->looser : 1.0;
    o.rtol *= looser;
    o.atol *= looser;
    o.order = 0;
    o.initial_step = 0.0;
    return fb_integrator_radau.create(method->dynamics, &o, &c->radau, err);
}

FbStatus fb_crossing_restart(FbCrossing* c, const FbIntegrator* method, const FbPoint* p,
                             FbError* err) {
    bool goes_on = p->t >= c->t_before && p->t - c->t_last <= SAME * c->longest;
    c->longest = goes_on ? c->longest : 0.0;
    c->since = 0.0;
    c->is_active = c->is_over = c->is_beside = false;
    c->method = method->type->name;
    if (method->dynamics->size.n_c == 0 || method->options.fixed_step > 0.0) {
        return FB_OK;
    }
    if (!c->radau) {
        FB_TRY(create_radau(c, method, err));
    }
    if (!fb_sizes_match(&c->size, &method->dynamics->size)) {
        c->size = method->dynamics->size;
        c->least_leverage = 0.0;
        FB_TRY(c->radau->type->restart(c->radau, p, err));
    }
    judge_start(c, p);
    return FB_OK;
}

FbStatus fb_crossing_go_on(FbCrossing* c, const FbPoint* p, FbError* err) {
    return c->is_active ? c->radau->type->restart(c->radau, p, err) : FB_OK;
}

void fb_crossing_destroy(FbCrossing* c) {
    fb_integrator_radau.destroy(c->radau);
    c->radau = NULL;
}

void fb_crossing_expect(FbCrossing* c, double longest) {
    c->longest = c->since = longest;
}

void fb_crossing_follow(FbCrossing* c, double t, double h) {
    c->t_before = t - h;
    c->t_last = t;
    c->longest = fmax(h, KEEP * c->longest);
    c->since = fmax(h, KEEP * c->since);
}

bool fb_crossing_is_near(const FbCrossing* c, double h) {
    return c->radau && c->radau->dynamics->size.n_c > 0 && h < SHORT * c->since;
}

bool fb_crossing_is_beside(const FbCrossing* c, const FbPoint* p) {
    return c->radau && c->least_leverage > 0.0 &&
           fb_radau_calc_leverage(c->radau, p) > POLE * c->least_leverage;
}

static void note(FbCrossing* c, double t) {
    c->t_first = c->count == 0 ? t : c->t_first;
    c->count++;
    char more[40] = "";
    if (c->count > 1) {
        snprintf(more, sizeof more, " (and %d more times)", c->count - 1);
    }
    snprintf(
        c->warning, sizeof c->warning,
        "%s came close to a position with dependent constraints at t = %.6g s%s; radau crossed it",
        c->method, c->t_first, more);
}

FbStatus fb_crossing_begin(FbCrossing* c, const FbPoint* p, double reach, FbError* err) {
    FB_TRY(c->radau->type->restart(c->radau, p, err));
    fb_radau_expect_step(c->radau, reach * c->longest);
    c->is_active = true;
    c->is_over = false;
    c->t_begin = p->t;
    if (c->is_beside) {
        note(c, p->t);
    }
    return FB_OK;
}

static void add_stats(FbIntegratorStats* to, const FbIntegratorStats* now,
                      const FbIntegratorStats* before) {
    to->steps += now->steps - before->steps;
    to->rejected += now->rejected - before->rejected;
    to->rhs_evals += now->rhs_evals - before->rhs_evals;
    to->jacobian_evals += now->jacobian_evals - before->jacobian_evals;
    to->factorizations += now->factorizations - before->factorizations;
    to->matrices += now->matrices - before->matrices;
    to->stages += now->stages - before->stages;
    to->newton_iterations += now->newton_iterations - before->newton_iterations;
    to->newton_failures += now->newton_failures - before->newton_failures;
}

FbStatus fb_crossing_step(FbCrossing* c, double t_limit, FbPoint* p, FbIntegratorStats* stats,
                          FbError* err) {
    FbIntegrator* s = c->radau;
    FbIntegratorStats before = *s->type->stats(s);
    long leaps = fb_radau_count_leaps(s);
    double t = p->t;
    FB_TRY(s->type->step(s, t_limit, p, err));
    add_stats(stats, s->type->stats(s), &before);
    c->t_before = t;
    c->t_last = p->t;
    bool has_leapt = fb_radau_count_leaps(s) > leaps;
    if (has_leapt && !c->is_beside) {
        note(c, t);
    }
    c->is_beside = false;
    c->is_over = has_leapt ||
                 (p->t >= c->t_begin + c->longest && s->type->wanted_step(s) >= BACK * c->longest);
    return FB_OK;
}

FbStatus fb_crossing_interpolate(FbCrossing* c, double t, FbPoint* p) {
    return fb_radau_refine(c->radau, t, p);
}

void fb_crossing_end(FbCrossing* c) {
    c->is_active = false;
    c->since = 0.0;
}

const char* fb_crossing_warning(const FbCrossing* c) {
    const char* worse = c->radau ? c->radau->type->warning(c->radau) : NULL;
    return worse ? worse : c->count > 0 ? c->warning : NULL;
}
