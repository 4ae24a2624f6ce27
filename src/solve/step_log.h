// The steps of a run, and the steps of a companion that follows them (theory manual, section 6.5).
#ifndef FLYBALL_SOLVE_STEP_LOG_H
#define FLYBALL_SOLVE_STEP_LOG_H

#include <stdbool.h>

enum { FB_STEP_LOG_NODES = 4096 };

// Ends of steps. Where there are more of them than room, every second one is dropped: an interval
// then stands for `stride` steps.
typedef struct FbStepLog {
    int n, stride, waiting;
    double t[FB_STEP_LOG_NODES];
    signed char order[FB_STEP_LOG_NODES];  // of the step that ends there
} FbStepLog;

void fb_step_log_start(FbStepLog* log, double t);
void fb_step_log_add(FbStepLog* log, double t, int order);

// A companion takes steps that are several times as long, by a factor that depends on the order.
typedef struct FbStepPlan {
    const FbStepLog* log;
    double stretch;  // times the usual factor
    double hurry;    // ... and more where the work would not suffice; 0 is 1
    int at;          // interval of the last answer
} FbStepPlan;

// How many steps of this order one step of a companion replaces.
double fb_step_plan_ratio(int order, double stretch);
// The length of the companion's step from t on, and the order of the run's step there.
double fb_step_plan_next(FbStepPlan* plan, double t, int* order);
// This part of the work that the companion may do is done: are its steps long enough?
void fb_step_plan_hurry(FbStepPlan* plan, double part);
// The steps of the run up to t, and those of a companion that keeps to its plan.
double fb_step_log_count(const FbStepLog* log, double t);
double fb_step_plan_count(const FbStepPlan* plan, double t);

#endif
