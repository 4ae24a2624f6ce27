// One search of an optimization: the objective and constraints that the method sees, trial by
// trial.
#ifndef FLYBALL_STUDY_OPTIMIZE_SEARCH_H
#define FLYBALL_STUDY_OPTIMIZE_SEARCH_H

#include <pthread.h>

#include "study/sweep.h"
#include "study/trial_pool.h"

// What the searches of all starts share.
typedef struct FbOptimizer {
    const FbStudy* study;
    const FbStudyOptions* options;
    FbStudyOutcome* out;
    double start_s;
    pthread_mutex_t lock;  // of the table and the counts
    bool has_pool;         // others run the trials; otherwise each search itself
    FbTrialPool pool;
} FbOptimizer;

// The search from start number `job`, in any thread. `self`: an FbOptimizer.
FbStatus fb_optimize_search(void* self, int job, FbError* err);

// Does the method draw or divide several points at a time, so that the next trials can be known
// before the values of the last ones (theory 11.6)?
bool fb_optimize_can_look_ahead(int algorithm);

#endif
