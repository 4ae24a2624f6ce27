// A benchmark case as its case.yaml describes it: model, settings, and measures with limits.
#ifndef FLYBALL_APP_BENCH_CASE_H
#define FLYBALL_APP_BENCH_CASE_H

#include "base/arena.h"
#include "flyball/model.h"
#include "linear_run.h"

typedef enum MeasureKind {
    MEASURE_REL_RMS,         // relative RMS against the reference
    MEASURE_MAX_ABS,         // largest difference to the reference
    MEASURE_FINAL_ABS,       // difference to the reference at its last time
    MEASURE_ENERGY_DRIFT,    // largest difference to the first sample
    MEASURE_MAX_DIFFERENCE,  // largest difference from another model, run with the same settings
    MEASURE_EVENT_TIMES,     // largest difference of the times of events to those of the reference
    MEASURE_DAMPING,         // difference of effective damping ratios to exact ones
    MEASURE_DAMPING_AT_LEAST,  // by how much effective damping ratios fall short of given ones
    MEASURE_ORDER,             // by how much the order of other measures' errors is another one
    // Of the linearization about the equilibrium; such a case is not simulated.
    MEASURE_EQUILIBRIUM,         // largest difference of outputs at the equilibrium to exact values
    MEASURE_FREQUENCIES,         // largest relative difference of natural frequencies
    MEASURE_EIGENVALUES,         // 2-norm of the differences of true eigenvalues to exact ones
    MEASURE_PENALTY_ORDER,       // by how much the error is not of the order 1/factor
    MEASURE_LINEARIZATION_TIME,  // s of all executions
    N_MEASURE_KINDS,
} MeasureKind;

extern const char* const measure_kind_names[N_MEASURE_KINDS];

typedef struct Measure {
    const char* name;
    MeasureKind kind;
    int run;               // of the case's runs, -1: the case's own model
    const char** outputs;  // [n_outputs]
    const char** columns;  // [n_outputs] of the reference
    int n_outputs;
    const char* reference;  // path, NULL: none
    const char* other;      // path of the other model, NULL: none
    double* skip_times;
    int n_skip_times;
    FbLinearMethod method;
    bool is_absolute;  // coordinates
    double* exact;     // of the outputs, or re and im of each eigenvalue
    double* cycles;    // of the damping ratio of each output
    int n_cycles;
    int points;  // of the curve at a peak, 0: as many as it likes
    int n_exact;
    double* factors;  // of the penalty method, or the fineness of the measures of an order
    int n_factors;
    const char** of;  // names of the measures whose order it is, [n_of]
    int n_of;
    int repeat;                 // executions
    double limit, tight_limit;  // NaN: none
} Measure;

// A further model of a case, or the same one with other parameters.
typedef struct CaseRun {
    const char* name;
    const char* model;      // path
    FbOverride* overrides;  // besides the case's own
    int n_overrides;
} CaseRun;

typedef struct BenchCase {
    FbArena* arena;  // owns everything below
    const char* name;
    const char* title;
    const char* source;
    const char* quantity;
    const char* model;  // path
    FbOverride* overrides;
    int n_overrides;
    double duration, sample;        // NaN: as in the model
    double tight_rtol, tight_atol;  // NaN: as by default
    CaseRun* runs;
    int n_runs;
    Measure* measures;
    int n_measures;
} BenchCase;

// Is it a linearization, and not a simulation? `run` as in Measure.
bool is_linear_run(const BenchCase* c, int run);
// Does a measure look at it?
bool has_measures(const BenchCase* c, int run);
// The case as it is for one of its runs: its model and parameters. Owns nothing.
BenchCase get_case_of_run(const BenchCase* c, int run);

// Reads FOLDER/case.yaml; its paths are relative to the folder. All errors go to `diagnostics`.
FbStatus read_bench_case(const char* folder, BenchCase* out, FbDiagnostics* diagnostics);
void free_bench_case(BenchCase* c);

#endif
