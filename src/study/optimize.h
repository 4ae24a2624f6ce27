// The best point of a study by search, with a table of all trials from which it can be resumed.
#ifndef FLYBALL_STUDY_OPTIMIZE_H
#define FLYBALL_STUDY_OPTIMIZE_H

#include "study/sweep.h"

// As fb_sweep_run. A trial that the table has is not run again; since the methods are
// deterministic, a stopped search resumes where it was. FB_ERR_CONVERGENCE: no start could be run.
FbStatus fb_optimize_run(const FbStudy* study, const FbStudyOptions* options, FbStudyOutcome* out,
                         FbError* err);

// Is there an objective, and has every parameter a range?
FbStatus fb_optimize_check(const FbStudy* study, FbError* err);

// Parameters from and to the unit cube (eq. 11.8), and the point where search `start` begins.
void fb_optimize_from_unit(const FbStudy* study, const double* x, double* parameters);
void fb_optimize_get_start(const FbStudy* study, int start, double* x);

#endif
