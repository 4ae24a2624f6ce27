// The output of `flyball bench`: a readable table, one JSON document, or a CSV file.
#ifndef FLYBALL_APP_BENCH_REPORT_H
#define FLYBALL_APP_BENCH_REPORT_H

#include "bench_cases.h"

typedef struct CaseOutcome {
    const FbBenchCase* bench_case;
    FbBenchInfo info;
    FbBenchRun* run;
    FbBenchOutcome outcome;  // of the run
    int exit_code;
    bool is_untimed;  // measured times are written as 0
} CaseOutcome;

void print_table_header(void);
void print_table_row(const CaseOutcome* outcome);
void print_table_end(const CaseOutcome* outcomes, int n);
int print_bench_document(const CaseOutcome* outcomes, int n);
FbStatus write_bench_csv(const char* path, const CaseOutcome* outcomes, int n, FbError* err);
int print_case_list(const Options* options, const BenchCases* cases);

#endif
