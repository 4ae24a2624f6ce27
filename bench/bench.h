// What the parts of the benchmark program share: loading and running models, timing, and the table
// of results.
#ifndef FLYBALL_BENCH_BENCH_H
#define FLYBALL_BENCH_BENCH_H

#include "flyball/flyball.h"
#include "record/csv.h"
#include "study/bench_measure.h"

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

// The worst error/limit of all measures of a case that have a limit.
FbStatus bench_judge(const FbBenchCase* c, const FbResult* result, double* error, double* limit,
                     FbError* err);

// The path of a file beside the table of results.
void bench_beside(const char* name, char* path, size_t size);

// Processor time of single evaluations at the start of a model, in s.
typedef struct BenchPhases {
    double residual, jacobian, accelerations;
} BenchPhases;
FbStatus bench_calc_phases(const FbModel* model, BenchPhases* out, FbError* err);

// A row of the table at the end: our figure beside the one of a limit program, or of a peer.
typedef struct BenchRow {
    const char *work, *what, *unit;
    double ours, other;
    double asked;         // ours over the limit at most; a peer over ours at least; NaN: nothing
    bool is_peer;         // else a limit
    const char* skipped;  // why there is no figure; NULL: there is
} BenchRow;
void bench_add_row(BenchRow row);  // its texts must stay
void bench_print_summary(FbCsvWriter* csv);

// The sections. `root` is the folder that holds bench/ and models/.
int bench_run_cases(const char* root, FbCsvWriter* csv);
int bench_run_a05(const char* root, FbCsvWriter* csv);
int bench_run_csv(const char* root, FbCsvWriter* csv);
int bench_run_growth(const char* root, FbCsvWriter* csv);
int bench_run_frame(const char* root, FbCsvWriter* csv);
int bench_run_newmark(const char* root, FbCsvWriter* csv);
int bench_run_modes(const char* root, FbCsvWriter* csv);
int bench_run_reduce(const char* root, FbCsvWriter* csv);
int bench_run_linear(const char* root, FbCsvWriter* csv);
int bench_run_sliding(const char* root, FbCsvWriter* csv);
int bench_run_precision(const char* root, FbCsvWriter* csv);
int bench_run_peers(const char* root, FbCsvWriter* csv);
int bench_run_process(const char* root, FbCsvWriter* csv);

#endif
