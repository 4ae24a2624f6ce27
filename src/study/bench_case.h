// A benchmark case as its case.yaml describes it: model, settings, and measures with limits.
#ifndef FLYBALL_STUDY_BENCH_CASE_H
#define FLYBALL_STUDY_BENCH_CASE_H

#include "base/arena.h"
#include "flyball/bench.h"
#include "linear/spectrum.h"

typedef enum FbCaseMeasureKind {
    FB_CASE_REL_RMS,         // relative RMS against the reference
    FB_CASE_RMS,             // RMS against the reference
    FB_CASE_MAX_ABS,         // largest difference to the reference
    FB_CASE_OF_RANGE,        // largest difference over the range of the reference
    FB_CASE_FINAL_ABS,       // difference to the reference at its last time
    FB_CASE_ENERGY_DRIFT,    // largest difference to the first sample
    FB_CASE_ENERGY_SPREAD,   // range of the samples in percent of the first one
    FB_CASE_MAX_DIFFERENCE,  // largest difference from another model, run with the same settings
    FB_CASE_EVENT_TIMES,     // largest difference of the times of events to those of the reference
    FB_CASE_DAMPING,         // difference of effective damping ratios to exact ones
    FB_CASE_DAMPING_AT_LEAST,  // by how much effective damping ratios fall short of given ones
    FB_CASE_ORDER,             // by how much the order of other measures' errors differs
    // Of the linearization about the equilibrium; such a case is not simulated.
    FB_CASE_EQUILIBRIUM,         // largest difference of outputs at the equilibrium to exact values
    FB_CASE_FREQUENCIES,         // largest relative difference of natural frequencies
    FB_CASE_EIGENVALUES,         // 2-norm of the differences of true eigenvalues to exact ones
    FB_CASE_PENALTY_ORDER,       // by how much the error is not of the order 1/factor
    FB_CASE_LINEARIZATION_TIME,  // s of all executions
    FB_N_CASE_MEASURES,
} FbCaseMeasureKind;

extern const char* const fb_case_measure_names[FB_N_CASE_MEASURES];

typedef struct FbCaseMeasure {
    const char* name;
    FbCaseMeasureKind kind;
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
    int points;  // of the curve at a peak, 0: the default number
    int n_exact;
    double* factors;  // of the penalty method, or the fineness of the measures of an order
    int n_factors;
    const char** of;  // names of the measures whose order it is, [n_of]
    int n_of;
    int repeat;                 // executions
    double limit, tight_limit;  // NaN: none
} FbCaseMeasure;

// A further model of a case, or the same one with other parameters.
typedef struct FbCaseRun {
    const char* name;
    const char* model;      // path
    FbOverride* overrides;  // besides the case's own
    int n_overrides;
} FbCaseRun;

struct FbBenchCase {
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
    FbCaseRun* runs;
    int n_runs;
    FbCaseMeasure* measures;
    int n_measures;
};

// Is it a linearization, and not a simulation? `run` as in FbCaseMeasure.
bool fb_case_is_linear(const FbBenchCase* c, int run);
// Does a measure look at it?
bool fb_case_has_measures(const FbBenchCase* c, int run);
// The case as it is for one of its runs: its model and parameters. Owns nothing.
FbBenchCase fb_case_of_run(const FbBenchCase* c, int run);

#endif
