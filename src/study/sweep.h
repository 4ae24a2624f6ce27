// All points of a study's grid, on threads, with a table that can be resumed.
#ifndef FLYBALL_STUDY_SWEEP_H
#define FLYBALL_STUDY_SWEEP_H

#include "study/table.h"

// The outcome; `table` must be closed. `best` is a row of it or NULL.
typedef struct FbStudyOutcome {
    FbTrialTable table;
    int n_points;  // of this part
    int n_computed, n_kept, n_failed, n_infeasible;
    int n_others;  // rows of points that are not in the grid
    const FbTrial* best;
    const char* reason;  // search: why it ended
    int n_ahead;         // search: trials that had been begun before they were wanted
    double wall_s;
    bool has_ended_ranks;  // the other ranks know that nothing is left to do
} FbStudyOutcome;

// FB_STOPPED: `stop` requested it; the results so far are in the table. The outcome must be closed
// in any case.
FbStatus fb_sweep_run(const FbStudy* study, const FbStudyOptions* options, FbStudyOutcome* out,
                      FbError* err);

// The trials of a run as a table, for statistics.
const FbTrialTable* fb_study_run_get_table(const FbStudyRun* run);

// Is every parameter a list or a range with `n`, and are there not too many points?
FbStatus fb_sweep_check(const FbStudy* study, FbError* err);

#endif
