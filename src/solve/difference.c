// Comparing the outputs of two runs of one model, sample by sample.
#include "solve/difference.h"

#include <math.h>

// Sample times are the same numbers in all runs; ends at events are not.
static const double SAME_TIME = 1e-12;  // of the duration and of the time

static double span_of(const FbResult* r) {
    int n = fb_result_get_row_count(r);
    return n > 0 ? fb_result_get_time(r, n - 1) - fb_result_get_time(r, 0) : 0.0;
}

static bool is_same_time(double t, double u, double span) {
    return fabs(t - u) <= SAME_TIME * fmax(span, fmax(fabs(t), fabs(u)));
}

// The rows that both have at the same times, counted from the start.
static int count_common(const FbResult* a, const FbResult* b, double span) {
    int n = fb_result_get_row_count(a), m = fb_result_get_row_count(b), i = 0;
    while (i < n && i < m &&
           is_same_time(fb_result_get_time(a, i), fb_result_get_time(b, i), span)) {
        i++;
    }
    return i;
}

static void compare(double x, double y, double* size, double* difference) {
    double d = x == y || (isnan(x) && isnan(y)) ? 0.0 : fabs(x - y);
    *difference = fmax(*difference, isnan(d) ? INFINITY : d);
    *size = fmax(*size, fmax(fabs(x), fabs(y)));
}

// A small output that consists only of rounding (an energy that should be zero) has no relative
// error: differences between runs are judged in absolute terms.
static double relate(double difference, double size, double target) {
    static const double NOISE = 1e-2;
    bool is_noise = size <= target && difference > NOISE * size;
    return difference == 0.0 ? 0.0 : is_noise ? difference : difference / size;
}

double fb_result_difference(const FbResult* a, const FbResult* b, double target, int* worst) {
    int n = fb_result_get_row_count(a), m = fb_result_get_row_count(b);
    double span = fmax(span_of(a), span_of(b)), largest = 0.0;
    int common = count_common(a, b, span);
    *worst = -1;
    if (n == 0 || m == 0) {
        return INFINITY;
    }
    bool has_other_end = common < n || common < m;
    if (has_other_end) {
        double t = fb_result_get_time(a, n - 1), u = fb_result_get_time(b, m - 1);
        largest = span > 0.0 ? fabs(t - u) / span : 0.0;
    }
    for (int c = 0; c < fb_result_get_column_count(a); c++) {
        double size = 0.0, difference = 0.0;
        for (int i = 0; i < common; i++) {
            compare(fb_result_get_value(a, i, c), fb_result_get_value(b, i, c), &size, &difference);
        }
        if (has_other_end) {
            compare(fb_result_get_value(a, n - 1, c), fb_result_get_value(b, m - 1, c), &size,
                    &difference);
        }
        double relative = relate(difference, size, target);
        if (relative > largest) {
            largest = relative;
            *worst = c;
        }
    }
    return largest;
}
