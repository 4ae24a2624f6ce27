// The settings with which the models of a benchmark case are run.
#ifndef FLYBALL_STUDY_BENCH_RUN_H
#define FLYBALL_STUDY_BENCH_RUN_H

#include "base/error.h"
#include "study/bench_case.h"

struct FbBenchRun {
    const FbBenchCase* bench_case;
    FbBenchMeasure* measures;  // [n_measures]
    FbBenchOutcome outcome;
    char integrator[32];  // of the outcome's statistics
    char failure[FB_ERROR_TEXT];
    char* failed_path;  // of a run that was read from bytes: its failed_model
};

// A run that has not been measured yet. NULL: out of memory.
FbBenchRun* fb_bench_run_create(const FbBenchCase* c, const FbBenchOptions* options);

// The settings of the model, those of the case instead, and the options instead of these. Without
// a progress function.
FbRunOptions fb_bench_make_run_options(const FbBenchCase* c, const FbBenchOptions* options,
                                       const FbModel* model);

#endif
