// The program of `make bench`: cost of the cases at their limits, ratios to hand-derived equations,
// linearization, growth with size.
//
// Usage: flyball_bench [OUTPUT.csv [SECTION]]     (default: bench.csv in the current folder, all
// sections)
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/blas.h"

// As the program does (docs/decisions/blas-threads.md); weak, because only the limit programs are
// linked with BLAS.
extern void openblas_set_num_threads(int n) __attribute__((weak));

static const struct {
    const char* name;
    int (*run)(const char* root, FbCsvWriter* csv);
} sections[] = {{"cases", bench_run_cases},        {"a05", bench_run_a05},
                {"linear", bench_run_linear},      {"growth", bench_run_growth},
                {"sliding", bench_run_sliding},    {"frame", bench_run_frame},
                {"newmark", bench_run_newmark},    {"modes", bench_run_modes},
                {"reduce", bench_run_reduce},      {"csv", bench_run_csv},
                {"process", bench_run_process},    {"peers", bench_run_peers},
                {"precision", bench_run_precision}};

static const char* table;  // its path

void bench_beside(const char* name, char* path, size_t size) {
    const char* slash = strrchr(table, '/');
    snprintf(path, size, "%.*s%s", slash != NULL ? (int)(slash + 1 - table) : 0, table, name);
}

int main(int argc, char** argv) {
    if (openblas_set_num_threads != NULL) {
        openblas_set_num_threads(1);
    }
    fb_blas_set_threads(1);
    if (argc > 3 || (argc >= 2 && argv[1][0] == '-')) {
        fprintf(stderr, "usage: flyball_bench [OUTPUT.csv [SECTION]]\n");
        return 2;
    }
    const char* path = table = argc >= 2 ? argv[1] : "bench.csv";
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
    int failures = 0;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        if (argc < 3 || strcmp(argv[2], sections[i].name) == 0) {
            failures += sections[i].run(FLYBALL_BENCH_ROOT, &csv);
        }
    }
    bench_print_summary(&csv);
    if (fb_csv_writer_close(&csv, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 4;
    }
    printf("\nWritten to %s\n", path);
    return failures > 0 ? 1 : 0;
}
