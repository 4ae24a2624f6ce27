// The program of `make bench`: cost of the cases at their limits, ratios to hand-derived equations,
// linearization, growth with size.
//
// Usage: flyball_bench [OUTPUT.csv]     (default: bench.csv in the current folder)
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

// As the program does (docs/decisions/blas-threads.md).
extern void openblas_set_num_threads(int n) __attribute__((weak));

int main(int argc, char** argv) {
    if (openblas_set_num_threads != NULL) {
        openblas_set_num_threads(1);
    }
    if (argc > 2 || (argc == 2 && argv[1][0] == '-')) {
        fprintf(stderr, "usage: flyball_bench [OUTPUT.csv]\n");
        return 2;
    }
    const char* path = argc == 2 ? argv[1] : "bench.csv";
    FbCsvWriter csv;
    FbError err;
    if (fb_csv_writer_open(&csv, path, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 4;
    }
    const char* const header[] = {"section", "case", "quantity", "value", "unit"};
    for (int i = 0; i < 5; i++) {
        fb_csv_writer_add_text(&csv, header[i]);
    }
    fb_csv_writer_end_row(&csv);
    int failures = bench_run_cases(FLYBALL_BENCH_ROOT, &csv);
    failures += bench_run_a05(FLYBALL_BENCH_ROOT, &csv);
    failures += bench_run_linear(FLYBALL_BENCH_ROOT, &csv);
    failures += bench_run_growth(FLYBALL_BENCH_ROOT, &csv);
    failures += bench_run_frame(FLYBALL_BENCH_ROOT, &csv);
    if (fb_csv_writer_close(&csv, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 4;
    }
    printf("\nWritten to %s\n", path);
    return failures > 0 ? 1 : 0;
}
