// Studies: many runs of one model with other values of its parameters, as a sweep over a grid or as
// a search for the best, with a resumable table of all runs. What `flyball sweep` and
// `flyball optimize` do (docs/guide/studies.md).
#ifndef FLYBALL_STUDY_H
#define FLYBALL_STUDY_H

#include "flyball/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- The study ----

// A study file and its model. It never changes, and any number of threads may share it.
typedef struct FbStudy FbStudy;

// What a study consists of.
typedef struct FbStudyInfo {
    const char* file;  // path, as it was read
    const char* name;
    const char* title;       // NULL: none
    const char* model_path;  // of the model file
    const char* sha256;      // 64 digits, of everything that a row of results depends on
    int n_parameters;
    int n_measures;
    int n_constraints;
    const char* objective;  // expression; NULL: none
    bool is_maximum;        // the objective is maximized
    const char* algorithm;  // of a search
    int n_starts;           // of a search
    long n_points;          // of the grid; 0: a parameter has no values for one; -1: too many
    uint64_t reserved[8];
} FbStudyInfo;

// Reads a study file and its model, which is compiled once to check names. `overrides`
// [n_overrides] are fixed for all runs, as `set` in the file. All errors and warnings go to
// `diagnostics`; *out is NULL if there was an error.
FB_API FbStatus fb_study_read(const char* path, const FbOverride* overrides, int n_overrides,
                              FbStudy** out, FbDiagnostics* diagnostics);
// Frees a study, after its runs; NULL is allowed.
FB_API void fb_study_destroy(FbStudy* study);
// The JSON Schema (2020-12) of the study file; free *out with fb_free().
FB_API FbStatus fb_study_schema_json(char** out, FbError* err);
// The reference manual of the study file in Markdown; free *out with fb_free().
FB_API FbStatus fb_study_schema_markdown(char** out, FbError* err);
// Fills *info.
FB_API void fb_study_get_info(const FbStudy* study, FbStudyInfo* info);
// The name of a parameter. NULL: no such index.
FB_API const char* fb_study_get_parameter_name(const FbStudy* study, int index);
// The name of a measure. NULL: no such index.
FB_API const char* fb_study_get_measure_name(const FbStudy* study, int index);
// The unit of a measure, "" if it has none or it is not known. NULL: no such index.
FB_API const char* fb_study_get_measure_unit(const FbStudy* study, int index);
// The command that runs the model at these parameters, [n_parameters] in SI units; free *out with
// fb_free().
FB_API FbStatus fb_study_command(const FbStudy* study, const double* parameters, char** out,
                                 FbError* err);
// FB_OK if every parameter has values for a grid and the grid is not too large.
FB_API FbStatus fb_study_check_sweep(const FbStudy* study, FbError* err);
// FB_OK if there is an objective and every parameter has a range.
FB_API FbStatus fb_study_check_optimize(const FbStudy* study, FbError* err);
// Whether this build has an optimization library.
FB_API bool fb_study_can_optimize(void);

// ---- Runs of a study ----

// How a trial ended.
typedef enum FbTrialStatus {
    FB_TRIAL_OK,          // measured, and all constraints are met
    FB_TRIAL_INFEASIBLE,  // measured, but a constraint is violated
    FB_TRIAL_FAILED,      // could not be read, simulated or measured
} FbTrialStatus;

// One run of the model.
typedef struct FbTrial {
    int start;  // of which start of a search, from 0
    int point;  // of the grid or of that search, from 0; -1: a row of the table that is not in the
                // grid
    double* values;    // [n_parameters + n_measures] SI units; measures are NaN if it failed
    double objective;  // NaN: none, or it failed
    FbTrialStatus status;
    char* message;  // why it failed; "": it did not
    long steps;     // of the integrator
    double wall_s;  // that it took
} FbTrial;

// Progress of a sweep or a search.
typedef struct FbStudyProgress {
    int n_done;   // with those that were in the table before
    int n_total;  // 0: not known
    int n_kept;   // that were in the table before
    int n_failed;
    double best;    // objective; NaN: none yet
    double wall_s;  // spent so far
} FbStudyProgress;

// A query made while a study runs.
typedef struct FbStop {
    bool (*is_wanted)(
        void* self);  // true: stop as soon as possible; asked from any thread; NULL: never
    void* self;       // handed to it
} FbStop;

// How to run a study. Start from fb_study_options_default().
typedef struct FbStudyOptions {
    const char* path;  // of the table (CSV). Existing rows are kept and not run again
    int n_threads;     // 0: as many as there are processors
    bool is_retry;     // run failed points again
    int part;          // sweep: point i belongs to part i mod n_parts
    int n_parts;       // sweep: 1: all points
    FbStop stop;       // {0}: runs to the end
    // From the calling thread, about ten times a second; NULL: none.
    void (*progress)(void* self, const FbStudyProgress* progress);
    void* progress_self;  // handed to `progress`
    // sweep: tables of parts, [n_joined] paths, whose rows are taken over first; NULL: none.
    const char* const* joined;
    int n_joined;
    bool is_join_only;  // sweep: run nothing, only join
    bool is_untimed;    // 0 in the column `wall`, so that equal studies give equal files
    // Other processes that take part, which only the program has; NULL: none.
    struct FbRanks* ranks;
    uint64_t reserved[5];
} FbStudyOptions;

// A sweep or search that was run, with its trials.
typedef struct FbStudyRun FbStudyRun;

// What came out.
typedef struct FbStudyRunInfo {
    const char* path;  // of the table
    int n_points;      // of this part of the grid, or trials of the search
    int n_computed;    // now
    int n_kept;        // that were in the table before
    int n_failed;
    int n_infeasible;
    int n_others;        // rows of the table that are not in the grid; they are kept
    const char* reason;  // search: why it ended
    long steps;          // of all trials
    double wall_s;       // that it took
    uint64_t reserved[8];
} FbStudyRunInfo;

// All points on all processors, with a table at `path`.
FB_API FbStudyOptions fb_study_options_default(const char* path);
// Runs all points of the grid that the table does not have, on threads, and writes the table. The
// study must outlive *out, which also holds what was done before a failure or stop (NULL only if it
// could not begin). FB_STOPPED: `stop` requested it; run it again to resume. A failed point is not
// a failure of the sweep: its row says why.
FB_API FbStatus fb_study_sweep(const FbStudy* study, const FbStudyOptions* options,
                               FbStudyRun** out, FbError* err);
// Searches for the best point. As above; a search is deterministic, so that one that was stopped
// resumes from its table. FB_ERR_CONVERGENCE: no start could be run; FB_ERR_UNAVAILABLE: this build
// has no optimization library.
FB_API FbStatus fb_study_optimize(const FbStudy* study, const FbStudyOptions* options,
                                  FbStudyRun** out, FbError* err);
// Frees the run and its trials; NULL is allowed.
FB_API void fb_study_run_destroy(FbStudyRun* run);
// Fills *info.
FB_API void fb_study_run_get_info(const FbStudyRun* run, FbStudyRunInfo* info);
// How many trials there are: the rows of the table.
FB_API int fb_study_run_get_trial_count(const FbStudyRun* run);
// A trial, in the order of the table. NULL: no such index.
FB_API const FbTrial* fb_study_run_get_trial(const FbStudyRun* run, int index);
// The trial with the best objective among those that meet all constraints. NULL: none, or no
// objective.
FB_API const FbTrial* fb_study_run_get_best(const FbStudyRun* run);

#ifdef __cplusplus
}
#endif
#endif
