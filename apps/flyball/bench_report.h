// The output of `flyball bench`: a readable table, one JSON document, or a CSV file.
#ifndef FLYBALL_APP_BENCH_REPORT_H
#define FLYBALL_APP_BENCH_REPORT_H

#include "bench_cases.h"
#include "bench_measure.h"

typedef struct MeasureOutcome {
    double error;  // NaN: could not be measured
    double limit;  // NaN: none
    bool is_passed;
} MeasureOutcome;

typedef struct CaseOutcome {
    const BenchCase* bench_case;
    MeasureOutcome* measures;  // [bench_case->n_measures]
    int worst;                 // the measure with the largest error/limit
    bool is_passed;
    int exit_code;
    FbRunStats stats;  // its texts are not kept: see `integrator`
    char integrator[32];
    double load_s;
    char failure[FB_ERROR_TEXT];  // "" if it ran
} CaseOutcome;

void print_table_header(void);
void print_table_row(const CaseOutcome* outcome);
void print_table_end(const CaseOutcome* outcomes, int n);
int print_bench_document(const CaseOutcome* outcomes, int n);
FbStatus write_bench_csv(const char* path, const CaseOutcome* outcomes, int n, FbError* err);
int print_case_list(const Options* options, const BenchCases* cases);

#endif
