// One run of a study: the model at a point, simulated and measured.
#ifndef FLYBALL_STUDY_TRIAL_H
#define FLYBALL_STUDY_TRIAL_H

#include "study/study.h"

typedef enum FbTrialStatus {
    FB_TRIAL_OK,
    FB_TRIAL_INFEASIBLE,  // measured, but a constraint is violated
    FB_TRIAL_FAILED,      // could not be read, simulated or measured
    FB_N_TRIAL_STATUSES,
} FbTrialStatus;

extern const char* const fb_trial_status_names[FB_N_TRIAL_STATUSES];

enum { FB_TRIAL_MESSAGE = 256 };

typedef struct FbTrial {
    int start, point;  // of which start of a search (0: the first), and which point of it
    double* values;    // [n_parameters + n_measures]; measures are NaN where it failed
    double objective;  // NaN: none, or failed
    FbTrialStatus status;
    char* message;  // [FB_TRIAL_MESSAGE]; "" where all is well
    long steps;
    double wall_s;
} FbTrial;

// Asked from the thread of the run; true: stop as soon as possible.
typedef struct FbStop {
    bool (*is_wanted)(void* self);
    void* self;
} FbStop;

// Memory of a trial, freed with the arena.
FbTrial* fb_trial_create(const FbStudy* study, FbArena* arena);

// Runs at the parameters in trial->values. FB_STOPPED: it was stopped, and counts as not done. A
// run that fails is no error, but a status of the trial.
FbStatus fb_trial_run(const FbStudy* study, const FbStop* stop, FbTrial* trial, FbError* err);

// lhs - rhs of constraint c at measured values, and the larger of their absolute values.
double fb_trial_calc_violation(const FbStudy* study, int c, const double* values, double* work,
                               double* scale);

// A constraint counts as met within this part of its two sides: what a search that ends on the
// border reaches.
#define FB_TRIAL_CONSTRAINT_TOLERANCE 1e-6

// Is a better than b? Failed and infeasible ones never are; b may be NULL.
bool fb_trial_is_better(const FbStudy* study, const FbTrial* a, const FbTrial* b);

#endif
