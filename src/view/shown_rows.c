// The rows of outputs that a report shows: all, or a choice that keeps the extremes of every
// output, so that a file of a long run opens and no peak is missing.
#include <math.h>

#include "view/report.h"

// Samples and values; a page with more opens slowly, and no screen shows them. With these a file
// stays below 8 MB.
enum { MOST_ROWS = 200000, MOST_VALUES = 800000 };

static int most_rows(const FbReportSource* r) {
    int n = MOST_VALUES / (1 + r->n_outputs);
    return n < MOST_ROWS ? n : MOST_ROWS;
}

static void keep_extremes(const FbReportSource* r, int output, int begin, int end, bool* is_kept) {
    int low = -1, high = -1;
    double least = INFINITY, most = -INFINITY;
    for (int i = begin; i < end; i++) {
        double value = r->get_value(r->self, i, output);
        if (value < least) {
            least = value;
            low = i;
        }
        if (value > most) {
            most = value;
            high = i;
        }
    }
    if (low >= 0) {
        is_kept[low] = is_kept[high] = true;
    }
}

// Of each of equal parts the first row, the last, and those where an output is least or largest.
static void keep_rows(const FbReportSource* r, bool* is_kept) {
    int n_parts = most_rows(r) / (2 * r->n_outputs + 2);
    n_parts = n_parts > 0 ? n_parts : 1;
    for (int p = 0; p < n_parts; p++) {
        int begin = (int)((long long)p * r->n_rows / n_parts);
        int end = (int)((long long)(p + 1) * r->n_rows / n_parts);
        is_kept[begin] = is_kept[end - 1] = true;
        for (int i = 0; i < r->n_outputs; i++) {
            keep_extremes(r, i, begin, end, is_kept);
        }
    }
}

FbStatus fb_report_choose_rows(FbReportSource* r, FbArena* arena, FbError* err) {
    r->shown_rows = NULL;
    r->n_shown = r->n_rows;
    if (r->n_rows <= most_rows(r)) {
        return FB_OK;
    }
    bool* is_kept = FB_TAKE(arena, bool, r->n_rows);
    int* rows = FB_TAKE(arena, int, r->n_rows);
    if (!is_kept || !rows) {
        return fb_fail_memory(err);
    }
    keep_rows(r, is_kept);
    r->n_shown = 0;
    for (int i = 0; i < r->n_rows; i++) {
        if (is_kept[i]) {
            rows[r->n_shown++] = i;
        }
    }
    r->shown_rows = rows;
    fb_pairs_add(&r->statistics, arena, "samples shown",
                 "%d of %d, with the extremes of every output", r->n_shown, r->n_rows);
    return FB_OK;
}
