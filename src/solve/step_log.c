// The steps of a run, and the steps of a companion that follows them (theory manual, section 6.5).
#include "solve/step_log.h"

#include <math.h>

// A longer step of a higher order has an error that grows faster.
static const double RATIO_5 = 4.5, RATIO_8 = 2.7, RATIO_9 = 3.2, RATIO_13 = 2.6;
// A step that begins so close to the end of one of the run's (relative) begins at that end.
static const double SAME = 1e-3;

void fb_step_log_start(FbStepLog* log, double t) {
    log->n = 1;
    log->stride = 1;
    log->waiting = 0;
    log->t[0] = t;
    log->order[0] = 0;
}

static void thin_out(FbStepLog* log) {
    int n = 1;
    for (int i = 2; i < log->n; i += 2) {
        log->t[n] = log->t[i];
        log->order[n++] = log->order[i];
    }
    log->n = n;
    log->stride *= 2;
}

void fb_step_log_add(FbStepLog* log, double t, int order) {
    if (!(t > log->t[log->n - 1]) || ++log->waiting < log->stride) {
        return;
    }
    log->waiting = 0;
    log->t[log->n] = t;
    log->order[log->n++] = (signed char)order;
    if (log->n == FB_STEP_LOG_NODES) {
        log->waiting = (log->n - 1) % 2 == 0 ? 0 : log->stride;
        thin_out(log);
    }
}

double fb_step_plan_ratio(int order, double stretch) {
    double usual = order <= 5 ? RATIO_5 : order <= 8 ? RATIO_8 : order <= 9 ? RATIO_9 : RATIO_13;
    return stretch * usual;
}

void fb_step_plan_hurry(FbStepPlan* plan, double part) {
    static const double FIRST = 0.2, LATE = 1.1, MOST = 1.25;
    if (!plan->log) {
        return;
    }
    double done = (plan->at + 1.0) / plan->log->n;
    plan->hurry = done > FIRST ? fmin(fmax(part / done / LATE, 1.0), MOST) : 1.0;
}

static double part_before(const FbStepLog* log, int i, double t) {
    return fmin(fmax((t - log->t[i]) / (log->t[i + 1] - log->t[i]), 0.0), 1.0);
}

double fb_step_log_count(const FbStepLog* log, double t) {
    double sum = 0.0;
    for (int i = 0; i + 1 < log->n; i++) {
        sum += log->stride * part_before(log, i, t);
    }
    return sum;
}

double fb_step_plan_count(const FbStepPlan* plan, double t) {
    const FbStepLog* log = plan->log;
    double sum = 0.0;
    for (int i = 0; i + 1 < log->n; i++) {
        sum += log->stride * part_before(log, i, t) /
               fb_step_plan_ratio(log->order[i + 1], plan->stretch);
    }
    return sum;
}

// Each interval of the log counts as stride/ratio steps of the companion; the next step ends where
// these add up to one.
double fb_step_plan_next(FbStepPlan* plan, double t, int* order) {
    const FbStepLog* log = plan->log;
    double rest = 1.0, from = t, stretch = plan->stretch * fmax(plan->hurry, 1.0);
    int i = plan->at;
    while (i + 2 < log->n && log->t[i + 1] - t <= SAME * (log->t[i + 1] - log->t[i])) {
        i++;
    }
    plan->at = i;
    *order = log->n > 1 ? log->order[i + 1] : 0;
    for (; i + 1 < log->n; i++) {
        double length = log->t[i + 1] - log->t[i];
        double count = log->stride / fb_step_plan_ratio(log->order[i + 1], stretch);
        double part = fmax(log->t[i + 1] - from, 0.0) / length * count;
        if (part >= rest) {
            return from + rest / count * length - t;
        }
        rest -= part;
        from = fmax(from, log->t[i + 1]);
    }
    return log->t[log->n - 1] - t;
}
