// The settings with which the models of a benchmark case are run.
#ifndef FLYBALL_STUDY_BENCH_RUN_H
#define FLYBALL_STUDY_BENCH_RUN_H

#include "study/bench_case.h"

// The settings of the model, those of the case instead, and the options instead of these. Without
// a progress function.
FbRunOptions fb_bench_make_run_options(const FbBenchCase* c, const FbBenchOptions* options,
                                       const FbModel* model);

#endif
