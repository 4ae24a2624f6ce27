// The table at the end of `make bench`: each work beside its limit or its peer, as ratios measured
// in this run.
#include <math.h>
#include <stdio.h>

#include "bench.h"

enum { MOST_ROWS = 48 };

// Filled by the sections; the program has one thread.
static BenchRow rows[MOST_ROWS];
static int n_rows;

void bench_add_row(BenchRow row) {
    if (n_rows < MOST_ROWS) {
        rows[n_rows++] = row;
    }
}

// Ours over a limit; a peer over ours.
static double calc_ratio(const BenchRow* r) {
    return r->is_peer ? r->other / r->ours : r->ours / r->other;
}

static const char* verdict(const BenchRow* r, double ratio) {
    if (isnan(r->asked) || isnan(ratio)) {
        return "";
    }
    return (r->is_peer ? ratio >= r->asked : ratio <= r->asked) ? "yes" : "no";
}

void bench_print_summary(FbCsvWriter* csv) {
    if (n_rows == 0) {
        return;
    }
    printf("\n%-46s %12s %12s  %-38s %9s %9s %s\n", "work", "ours", "other", "", "ratio", "asked",
           "kept");
    for (int i = 0; i < n_rows; i++) {
        const BenchRow* r = &rows[i];
        char asked[32] = "";
        double ratio = calc_ratio(r);
        if (!isnan(r->asked)) {
            snprintf(asked, sizeof asked, "%s %g", r->is_peer ? ">=" : "<=", r->asked);
        }
        if (r->skipped != NULL) {
            printf("%-46s %12s %12s  %-38s skipped: %s\n", r->work, "", "", r->what, r->skipped);
            continue;
        }
        printf("%-46s %9.4g %-2s %9.4g %-2s  %-38s %9.3g %9s %s\n", r->work, r->ours, r->unit,
               r->other, r->unit, r->what, ratio, asked, verdict(r, ratio));
        bench_write(csv, "summary", r->work, r->what, ratio, "");
    }
}
