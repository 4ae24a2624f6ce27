// Benchmark cases: a model, its settings, and measures of its error with their limits, as a folder
// with a case.yaml describes them. What `flyball bench` does (bench/cases/README.md).
#ifndef FLYBALL_BENCH_H
#define FLYBALL_BENCH_H

#include "flyball/study.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- The cases of a folder ----

// The names of the cases of a folder.
typedef struct FbBenchList FbBenchList;

// Lists the sub-folders of `folder` that have a case.yaml, in the order of their names. There may
// be none. FB_ERR_IO: the folder cannot be read.
FB_API FbStatus fb_bench_list_read(const char* folder, FbBenchList** out, FbError* err);
// Frees a list; NULL is allowed.
FB_API void fb_bench_list_destroy(FbBenchList* list);
// How many cases there are.
FB_API int fb_bench_list_get_count(const FbBenchList* list);
// The name of a case's folder. NULL: no such index.
FB_API const char* fb_bench_list_get_name(const FbBenchList* list, int index);

// ---- A case ----

// A benchmark case. It never changes.
typedef struct FbBenchCase FbBenchCase;

// What a case consists of.
typedef struct FbBenchInfo {
    const char* name;
    const char* title;
    const char* source;      // of the problem and its reference; NULL: not given
    const char* quantity;    // what its errors are errors of
    const char* model_path;  // of the model file
    int n_measures;
    bool is_linear;  // the model is linearized about its equilibrium, not simulated
    uint64_t reserved[8];
} FbBenchInfo;

// Reads case.yaml in a folder; its paths are relative to the folder. Models and references are read
// when the case is run. All errors go to `diagnostics`; *out is NULL if there was one.
FB_API FbStatus fb_bench_case_read(const char* folder, FbBenchCase** out,
                                   FbDiagnostics* diagnostics);
// Frees a case, after its runs; NULL is allowed.
FB_API void fb_bench_case_destroy(FbBenchCase* bench_case);
// Fills *info.
FB_API void fb_bench_case_get_info(const FbBenchCase* bench_case, FbBenchInfo* info);

// ---- Runs of a case ----

// How to run a case. Start from fb_bench_options_default().
typedef struct FbBenchOptions {
    bool is_tight;           // tight tolerances and limits of the case, where it has them
    const char* integrator;  // NULL: that of the model
    double rtol;             // NaN: that of the case
    double atol;             // NaN: that of the case, or in proportion to rtol
    // Values of parameters for all models of the case, after its own.
    const FbOverride* overrides;
    int n_overrides;
    // As in FbRunOptions, for each simulation: false stops the run of the case. NULL: none.
    bool (*progress)(void* self, const FbProgress* progress);
    void* progress_self;  // handed to `progress`
    FbStop stop;          // asked between simulations and measures; {0}: runs to the end
    uint64_t reserved[8];
} FbBenchOptions;

// A case that was run, with its errors.
typedef struct FbBenchRun FbBenchRun;

// What came out.
typedef struct FbBenchOutcome {
    FbStatus status;         // the first failure, or FB_STOPPED; FB_OK: all was measured
    bool is_within;          // it was run, and all measures are within their limits
    int worst;               // index of the measure that is closest to its limit or beyond it
    const char* worst_name;  // of that measure
    double error;            // of that measure; NaN: it could not be measured
    double limit;            // of that measure; NaN: none
    double load_s;           // s: reading and compiling models
    FbRunStats stats;        // sums over all simulations and linearizations; settings are those of
                             // the first. No integrator (""): nothing was simulated
    const char* failure;     // "": it ran
    const char* failed_model;  // path of a model that could not be read; NULL: none
    uint64_t reserved[8];
} FbBenchOutcome;

// One error of a case.
typedef struct FbBenchMeasure {
    const char* name;
    const char* kind;  // as in case.yaml: "rel-rms", "max-abs", ...
    double error;      // NaN: could not be measured
    double limit;      // NaN: none
    bool is_within;    // the error is not above the limit, or was measured and has none
    uint64_t reserved[4];
} FbBenchMeasure;

// The tolerances and limits of the case, no progress function.
FB_API FbBenchOptions fb_bench_options_default(void);
// Runs the models of a case and measures whatever can be measured. The case must outlive *out,
// which holds what was measured before a failure or stop (NULL only if memory ran out). Messages of
// models, and all failures, go to `diagnostics`; the first one is returned. FB_STOPPED: `progress`
// or `stop` requested it. FB_ERR_ARGUMENT: there is no such integrator. A limit that is exceeded is
// no failure: see `is_within`.
FB_API FbStatus fb_bench_case_run(const FbBenchCase* bench_case, const FbBenchOptions* options,
                                  FbBenchRun** out, FbDiagnostics* diagnostics);
// Frees a run; NULL is allowed.
FB_API void fb_bench_run_destroy(FbBenchRun* run);
// Fills *outcome. Its texts live as long as the run.
FB_API void fb_bench_run_get_outcome(const FbBenchRun* run, FbBenchOutcome* outcome);
// Fills *measure, 0 <= index < n_measures; empty ({0}) for another index.
FB_API void fb_bench_run_get_measure(const FbBenchRun* run, int index, FbBenchMeasure* measure);

#ifdef __cplusplus
}
#endif
#endif
