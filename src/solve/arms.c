// Which of two methods continues, by measured work (theory manual, section 5.10).
#include "solve/arms.h"

#include <math.h>
#include <string.h>

static const double RECENT = 0.85, USUAL = 0.98;  // what is left of the sums after each step
static const int MEASURED = 8;                    // steps before anything is judged
// Steps that count as getting up to speed, and steps of a whole trial.
static const int WARM_UP[FB_ARMS] = {3, 6}, LENGTH[FB_ARMS] = {9, 14};
static const double PAYS = 0.75;     // of the waiting one's work
static const double PATIENCE = 7.0;  // times the cost of a trial lies between two
static const double EXPECTED = 1.5;  // ... if its steps cost 1/1.5 of the active one's or more
static const double HINTED = 2.0;    // ... with a hint
static const double OVERRUN = 2.0;   // times the expected work: the trial is over
static const double CLEARLY = 0.5, LONGER = 3.0;  // trials that pay less are so much longer
static const double COLLAPSE = 4.0;  // times the usual work per second is a hint by itself
static const int MAX_FAILURES = 12;

static double rate_of(const FbArmSums* s) {
    return s->time > 0.0 ? s->work / s->time : INFINITY;
}

static void add(FbArmSums* s, double fade, double work, double dt) {
    s->work = fade * s->work + work;
    s->time = fade * s->time + dt;
    s->steps++;
}

static int other(const FbArms* a) {
    return 1 - a->active;
}

// The work between two trials, in costs of one. A method whose steps cost much less than those of
// the active one is the better bet, and tried sooner.
static double patience(const FbArms* a) {
    double step[FB_ARMS];
    for (int i = 0; i < FB_ARMS; i++) {
        step[i] = a->trial_cost[i] / LENGTH[i];
    }
    return PATIENCE * fmin(1.0, EXPECTED * step[other(a)] / step[a->active]);
}

// The next trial waits for twice as much work after each that did not pay.
static void plan_next(FbArms* a) {
    a->last = a->work;
    a->due = a->work + patience(a) * ldexp(a->trial_cost[other(a)], a->failures);
    memset(&a->recent, 0, sizeof a->recent);
    memset(&a->usual, 0, sizeof a->usual);
}

void fb_arms_init(FbArms* a, int first, const double trial_cost[FB_ARMS]) {
    memset(a, 0, sizeof *a);
    a->active = first;
    memcpy(a->trial_cost, trial_cost, sizeof a->trial_cost);
    plan_next(a);
}

// The work per second of the trial relative to that of the one that waits.
static double calc_ratio(const FbArms* a) {
    const FbArmSums* seen = a->judged.steps > 0 ? &a->judged : &a->trial;
    return rate_of(seen) / a->waiting_rate;
}

// Where both cost nearly the same, few steps show the course of the motion rather than the methods,
// and rounding would decide: then the trial is longer.
static bool is_over(const FbArms* a) {
    double ratio = calc_ratio(a), parts = (double)a->trial.steps / LENGTH[a->active];
    bool is_close = ratio > CLEARLY && ratio < 1.0;
    double most = is_close ? LONGER : 1.0;
    return parts >= most || a->trial.work > OVERRUN * most * a->trial_cost[a->active];
}

static FbArmsAnswer judge(FbArms* a) {
    bool pays = calc_ratio(a) < PAYS;
    a->is_trial = false;
    if (pays) {
        // Methods that take turns cost nearly the same.
        a->changes = a->changes < MAX_FAILURES ? a->changes + 1 : a->changes;
        a->failures = a->changes - 1;
        plan_next(a);
        return FB_ARMS_KEEP;
    }
    a->active = other(a);
    a->failures = a->failures < MAX_FAILURES ? a->failures + 1 : a->failures;
    plan_next(a);
    return FB_ARMS_BACK;
}

static bool has_collapsed(const FbArms* a) {
    return rate_of(&a->recent) > COLLAPSE * rate_of(&a->usual);
}

static bool is_due(const FbArms* a, bool has_hint) {
    if (a->recent.steps < MEASURED) {
        return false;
    }
    double hinted = a->last + HINTED * ldexp(a->trial_cost[other(a)], a->failures);
    return a->work >= a->due || ((has_hint || has_collapsed(a)) && a->work >= hinted);
}

// What the trial has to beat. A motion may be easy now and hard a little later, which is no merit
// of a method: unless the equations have become harder for good, the easier stretch counts.
static double calc_waiting_rate(const FbArms* a, bool has_hint) {
    double recent = rate_of(&a->recent);
    return has_hint || has_collapsed(a) ? recent : fmin(recent, rate_of(&a->usual));
}

FbArmsAnswer fb_arms_step(FbArms* a, double work, double dt, bool has_hint) {
    a->work += work;
    if (a->is_trial) {
        add(&a->trial, 1.0, work, dt);
        if (a->trial.steps > WARM_UP[a->active]) {
            add(&a->judged, 1.0, work, dt);
        }
        return is_over(a) ? judge(a) : FB_ARMS_GO_ON;
    }
    add(&a->recent, RECENT, work, dt);
    add(&a->usual, USUAL, work, dt);
    if (!is_due(a, has_hint)) {
        return FB_ARMS_GO_ON;
    }
    a->waiting_rate = calc_waiting_rate(a, has_hint);
    a->active = other(a);
    a->is_trial = true;
    memset(&a->trial, 0, sizeof a->trial);
    memset(&a->judged, 0, sizeof a->judged);
    return FB_ARMS_TRY;
}

void fb_arms_skip(FbArms* a, double work) {
    a->work += work;
    a->due += work;
    a->last += work;
    memset(&a->recent, 0, sizeof a->recent);
    memset(&a->usual, 0, sizeof a->usual);
}

void fb_arms_fail(FbArms* a) {
    a->active = other(a);
    a->is_trial = false;
    a->failures = a->failures < MAX_FAILURES ? a->failures + 1 : a->failures;
    plan_next(a);
}
