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
    MEASURE_MAX_DIFFERENCE,  // largest difference to another model, run with the same settings
    MEASURE_EVENT_TIMES,     // largest difference of the times of events to those of the reference
    MEASURE_DAMPING,         // difference of effective damping ratios to exact ones
    // Of the linearization about the equilibrium; such a case is not simulated.
    MEASURE_EQUILIBRIUM,         // largest difference of outputs at the equilibrium to exact values
    MEASURE_EIGENVALUES,         // 2-norm of the differences of true eigenvalues to exact ones
    MEASURE_PENALTY_ORDER,       // by how much the error is not of the order 1/factor
    MEASURE_LINEARIZATION_TIME,  // s of all executions
    N_MEASURE_KINDS,
} MeasureKind;

extern const char* const measure_kind_names[N_MEASURE_KINDS];

typedef struct Measure {
    const char* name;
    MeasureKind kind;
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
    int n_exact;
    double* factors;  // of the penalty method
    int n_factors;
    int repeat;                 // executions
    double limit, tight_limit;  // NaN: none
} Measure;

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
    Measure* measures;
    int n_measures;
} BenchCase;

// Is the case a linearization, and not a run?
bool is_linear_case(const BenchCase* c);

// Reads FOLDER/case.yaml; its paths are relative to the folder. All errors go to `diagnostics`.
FbStatus read_bench_case(const char* folder, BenchCase* out, FbDiagnostics* diagnostics);
void free_bench_case(BenchCase* c);

#endif
