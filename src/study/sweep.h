// All points of a study's grid, on threads, with a table that can be gone on with.
#ifndef FLYBALL_STUDY_SWEEP_H
#define FLYBALL_STUDY_SWEEP_H

#include "study/table.h"

// How far a sweep or a search is.
typedef struct FbStudyProgress {
    int n_done, n_total;  // with those that were there before; total 0: not known
    int n_kept;           // that were there before
    int n_failed;
    double best;  // objective; NaN: none yet
    double wall_s;
} FbStudyProgress;

typedef struct FbStudyOptions {
    const char* path;  // of the table
    int n_threads;     // 0: as many as there are processors
    bool is_retry;     // failed points again
    int part, n_parts;  // sweep: point i belongs to part i mod n_parts; 0, 1: all
    FbStop stop;        // asked from any thread
    // From the calling thread, about ten times a second; may be NULL.
    void (*progress)(void* self, const FbStudyProgress* progress);
    void* progress_self;
} FbStudyOptions;

// What came out; `table` must be closed. `best` is a row of it or NULL.
typedef struct FbStudyOutcome {
    FbTrialTable table;
    int n_points;  // of this part
    int n_computed, n_kept, n_failed, n_infeasible;
    int n_others;  // rows of points that are not in the grid
    const FbTrial* best;
    const char* reason;  // search: why it ended
    double wall_s;
} FbStudyOutcome;

// FB_STOPPED: `stop` wanted it; what was done is in the table. The outcome must be closed in any
// case.
FbStatus fb_sweep_run(const FbStudy* study, const FbStudyOptions* options, FbStudyOutcome* out,
                      FbError* err);

// Is every parameter a list or a range with `n`, and are there not too many points?
FbStatus fb_sweep_check(const FbStudy* study, FbError* err);

#endif
