// One run of a study: the model at a point, simulated and measured.
#ifndef FLYBALL_STUDY_TRIAL_H
#define FLYBALL_STUDY_TRIAL_H

#include "study/study.h"

enum { FB_N_TRIAL_STATUSES = FB_TRIAL_FAILED + 1 };

extern const char* const fb_trial_status_names[FB_N_TRIAL_STATUSES];

enum { FB_TRIAL_MESSAGE = 256 };  // room for the message of a trial

// Memory of a trial, freed with the arena.
FbTrial* fb_trial_create(const FbStudy* study, FbArena* arena);

// Runs at the parameters in trial->values. FB_STOPPED: it was stopped, and counts as not done. A
// failed run is not an error but a status of the trial.
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
