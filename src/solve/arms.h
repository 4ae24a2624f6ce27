// Which of two methods continues: a decision by measured work, without clocks and integrators.
//
// Both methods solve the same problem to the same tolerance, so a stretch computed by either of
// them is valid, and trying the other one costs only the difference of their work. The one that
// waits is tried when enough work has been done that a trial costs little, or earlier when there is
// a hint that it may pay; the one with less work per simulated second continues.
#ifndef FLYBALL_SOLVE_ARMS_H
#define FLYBALL_SOLVE_ARMS_H

#include <stdbool.h>

enum { FB_ARM_EXPLICIT, FB_ARM_IMPLICIT, FB_ARMS };

typedef struct FbArmSums {
    double work, time;
    int steps;
} FbArmSums;

typedef struct FbArms {
    int active;                  // the arm that makes the next step
    bool is_trial;               // ... to be judged
    double trial_cost[FB_ARMS];  // expected work of a trial
    double work;                 // of both, all so far
    double due;                  // at this work the other one is tried
    double last;                 // work when the last trial ended
    int changes;                 // trials that paid
    int failures;                // trials in a row that did not, and earlier changes
    FbArmSums recent, usual;     // of the active one: fading, and slowly fading
    double waiting_rate;         // work per second of the one that waits during a trial
    FbArmSums trial, judged;     // since its start, and since it is up to speed
} FbArms;

typedef enum FbArmsAnswer {
    FB_ARMS_GO_ON,
    FB_ARMS_TRY,   // the other one takes over on trial
    FB_ARMS_KEEP,  // the trial paid off: it continues
    FB_ARMS_BACK,  // it did not: the other one continues
} FbArmsAnswer;

void fb_arms_init(FbArms* a, int first, const double trial_cost[FB_ARMS]);
// The active one made a step of length dt with this work; `has_hint`: the other one may be better
// now.
FbArmsAnswer fb_arms_step(FbArms* a, double work, double dt, bool has_hint);
// It made a step whose work says nothing about either: the next trial waits as long as if there had
// been no such step, and measuring starts again.
void fb_arms_skip(FbArms* a, double work);
// The active one cannot continue; the other one has to.
void fb_arms_fail(FbArms* a);

#endif
