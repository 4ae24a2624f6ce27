// Which of two methods continues, by measured work (theory manual, section 5.10).
#include "solve/arms.h"

#include <math.h>
#include <string.h>

static const double RECENT = 0.85, USUAL = 0.98;  // what is left of the sums after each step
static const int MEASURED = 8;                    // steps before anything is judged
// Steps that count as getting up to speed, and steps of a whole trial.
static const int WARM_UP[FB_ARMS] = {3, 6}, LENGTH[FB_ARMS] = {9, 14};
static const double PAYS = 0.85;     // of the waiting one's work
static const double PATIENCE = 7.0;  // times the cost of a trial lies between two
static const double HINTED = 2.0;    // ... with a hint
static const double OVERRUN = 2.0;   // times the expected work: the trial is over
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

// The next trial waits for twice as much work after each that did not pay.
static void plan_next(FbArms* a) {
    a->last = a->work;
    a->due = a->work + PATIENCE * ldexp(a->trial_cost[other(a)], a->failures);
    memset(&a->recent, 0, sizeof a->recent);
    memset(&a->usual, 0, sizeof a->usual);
}

void fb_arms_init(FbArms* a, int first, const double trial_cost[FB_ARMS],
                  const double bias[FB_ARMS]) {
    memset(a, 0, sizeof *a);
    a->active = first;
    memcpy(a->trial_cost, trial_cost, sizeof a->trial_cost);
    memcpy(a->bias, bias, sizeof a->bias);
    plan_next(a);
}

static FbArmsAnswer judge(FbArms* a) {
    const FbArmSums* seen = a->judged.steps > 0 ? &a->judged : &a->trial;
    bool pays = a->bias[a->active] * rate_of(seen) < PAYS * a->bias[other(a)] * a->waiting_rate;
    a->is_trial = false;
    if (pays) {
        a->failures = 0;
        plan_next(a);
        return FB_ARMS_KEEP;
    }
    a->active = other(a);
    a->failures = a->failures < MAX_FAILURES ? a->failures + 1 : a->failures;
    plan_next(a);
    return FB_ARMS_BACK;
}

static bool is_due(const FbArms* a, bool has_hint) {
    if (a->recent.steps < MEASURED) {
        return false;
    }
    bool has_collapsed = rate_of(&a->recent) > COLLAPSE * rate_of(&a->usual);
    double hinted = a->last + HINTED * ldexp(a->trial_cost[other(a)], a->failures);
    return a->work >= a->due || ((has_hint || has_collapsed) && a->work >= hinted);
}

FbArmsAnswer fb_arms_step(FbArms* a, double work, double dt, bool has_hint) {
    a->work += work;
    if (a->is_trial) {
        add(&a->trial, 1.0, work, dt);
        if (a->trial.steps > WARM_UP[a->active]) {
            add(&a->judged, 1.0, work, dt);
        }
        bool is_over = a->trial.steps >= LENGTH[a->active] ||
                       a->trial.work > OVERRUN * a->trial_cost[a->active];
        return is_over ? judge(a) : FB_ARMS_GO_ON;
    }
    add(&a->recent, RECENT, work, dt);
    add(&a->usual, USUAL, work, dt);
    if (!is_due(a, has_hint)) {
        return FB_ARMS_GO_ON;
    }
    a->waiting_rate = rate_of(&a->recent);
    a->active = other(a);
    a->is_trial = true;
    memset(&a->trial, 0, sizeof a->trial);
    memset(&a->judged, 0, sizeof a->judged);
    return FB_ARMS_TRY;
}

void fb_arms_fail(FbArms* a) {
    a->active = other(a);
    a->is_trial = false;
    a->failures = a->failures < MAX_FAILURES ? a->failures + 1 : a->failures;
    plan_next(a);
}
