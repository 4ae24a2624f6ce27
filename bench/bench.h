// What the parts of the benchmark program share: loading and running models, timing, and the table
// of results.
#ifndef FLYBALL_BENCH_BENCH_H
#define FLYBALL_BENCH_BENCH_H

#include "flyball/flyball.h"
#include "record/csv.h"

double bench_cpu_time(void);                 // s of this process
double bench_median(double* values, int n);  // sorts the values
// The slope of log(y) over log(x) by least squares.
double bench_exponent(const double* x, const double* y, int n);

// Reads and compiles a model; what is wrong goes to stderr, and NULL comes back.
FbModel* bench_load(const char* path, const FbOverride* overrides, int n_overrides);

typedef struct BenchRun {
    double duration, sample;  // s; NaN: as in the model
    double rtol, atol;        // NaN: as in the model
    const char* integrator;   // NULL: as in the model
} BenchRun;

// Runs the whole simulation; *cpu_s (may be NULL) receives its processor time with assembly. *out
// is NULL if it failed.
FbStatus bench_simulate(const FbModel* model, const BenchRun* run, FbResult** out, double* cpu_s,
                        FbError* err);

// One row of the CSV file: section, case, quantity, value, unit.
void bench_write(FbCsvWriter* csv, const char* section, const char* name, const char* quantity,
                 double value, const char* unit);

// Processor time of single evaluations at the start of a model, in s.
typedef struct BenchPhases {
    double residual, jacobian, accelerations;
} BenchPhases;
FbStatus bench_calc_phases(const FbModel* model, BenchPhases* out, FbError* err);

// The sections. `root` is the folder that holds bench/ and models/.
int bench_run_cases(const char* root, FbCsvWriter* csv);
int bench_run_a05(const char* root, FbCsvWriter* csv);
int bench_run_csv(const char* root, FbCsvWriter* csv);
int bench_run_growth(const char* root, FbCsvWriter* csv);
int bench_run_frame(const char* root, FbCsvWriter* csv);
int bench_run_newmark(const char* root, FbCsvWriter* csv);
int bench_run_modes(const char* root, FbCsvWriter* csv);
int bench_run_linear(const char* root, FbCsvWriter* csv);
int bench_run_sliding(const char* root, FbCsvWriter* csv);

#endif
