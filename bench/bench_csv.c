// Writing results: time per number of a CSV file of a million rows, next to printf with 17 digits.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"

enum { N_ROWS = 1000000, N_COLUMNS = 6 };

static double make_value(int row, int column) {
    return column == 0 ? 1e-3 * row : sin(1e-3 * row + column) / column;
}

// s for all rows by the writer of results; *bytes: the length of the file.
static double time_writer(const char* path, long* bytes) {
    FbCsvWriter csv;
    FbError err;
    *bytes = 0;
    double start = bench_cpu_time();
    if (fb_csv_writer_open(&csv, path, &err) < 0) {
        return NAN;
    }
    for (int r = 0; r < N_ROWS; r++) {
        for (int c = 0; c < N_COLUMNS; c++) {
            fb_csv_writer_add_number(&csv, make_value(r, c));
        }
        fb_csv_writer_end_row(&csv);
    }
    *bytes = ftell(csv.file);
    return fb_csv_writer_close(&csv, &err) < 0 ? NAN : bench_cpu_time() - start;
}

static double time_printf(const char* path) {
    double start = bench_cpu_time();
    FILE* file = fopen(path, "wb");
    if (file == NULL) {
        return NAN;
    }
    for (int r = 0; r < N_ROWS; r++) {
        for (int c = 0; c < N_COLUMNS; c++) {
            fprintf(file, c + 1 < N_COLUMNS ? "%.17g," : "%.17g\n", make_value(r, c));
        }
    }
    return fclose(file) == 0 ? bench_cpu_time() - start : NAN;
}

static double time_values(void) {
    volatile double sink = 0.0;
    double start = bench_cpu_time();
    for (int r = 0; r < N_ROWS; r++) {
        for (int c = 0; c < N_COLUMNS; c++) {
            sink = make_value(r, c);
        }
    }
    (void)sink;
    return bench_cpu_time() - start;
}

int bench_run_csv(const char* root, FbCsvWriter* csv) {
    (void)root;
    static const char path[] = "bench_rows.csv";
    long bytes;
    double values = time_values();
    double ours = time_writer(path, &bytes) - values, theirs = time_printf(path) - values;
    remove(path);
    double per_number = 1e9 / ((double)N_ROWS * N_COLUMNS);
    printf("\nA CSV file of %d rows of %d numbers (%.0f MB)\n", N_ROWS, N_COLUMNS,
           1e-6 * (double)bytes);
    printf("%-28s %8.0f ns a number\n", "shortest digits", ours * per_number);
    printf("%-28s %8.0f ns a number\n", "printf, 17 digits", theirs * per_number);
    bench_write(csv, "csv", "rows", "time per number", ours * per_number, "ns");
    bench_write(csv, "csv", "rows", "time per number by printf", theirs * per_number, "ns");
    bench_add_row((BenchRow){.work = "CSV, 1e6 rows of 6, a number",
                             .what = "100 ns",
                             .unit = "ns",
                             .ours = ours * per_number,
                             .other = 100.0,
                             .asked = 1.0});
    return isnan(ours) || isnan(theirs) ? 1 : 0;
}
