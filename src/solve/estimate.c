// The error of a run, from its differences from a companion (theory manual, section 6.5).
#include "solve/estimate.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "solve/companion.h"
#include "solve/result.h"

// Errors that are this large a part of the range of an output have no digits left.
static const double LOST_DIGITS = 0.1;
static const double SAME_TIME = 1e-12;
// An output whose range is below this part of its size is measured by its size.
static const double CONSTANT = 1e-3;
// The range of an output that consists only of error grows with the tolerance.
static const double NOISE = 3.0;
// Of the largest output in the same unit: what is left where larger numbers cancel, after many
// steps.
static const double ROUNDING = 1e4 * DBL_EPSILON;
// Rounding errors of the steps add up at random; per step, of the range.
static const double STEP_ROUNDING = 16.0 * DBL_EPSILON;

double fb_estimate_loss(int n, const double* t, const double* difference, double factor,
                        double* tenfold) {
    int lost = 0;
    *tenfold = INFINITY;
    while (lost < n && difference[lost] <= LOST_DIGITS) {
        lost++;
    }
    if (lost == n) {
        return INFINITY;
    }
    // How long the companion's error took to grow by the factor: the run has as long from here.
    int first = lost;
    while (first > 0 && difference[first - 1] > 0.0 &&
           difference[first] > difference[lost] / factor) {
        first--;
    }
    double growth = log(difference[lost] / difference[first]), time = t[lost] - t[first];
    if (!(growth > 0.0) || !(time > 0.0)) {
        return t[lost];
    }
    *tenfold = time / growth * log(10.0);
    return t[lost] + log(factor) * time / growth;
}

typedef struct Pair {
    const FbResult *run, *other;
    int n_row;               // that both have
    int *in_run, *in_other;  // [n_row + 1] where each has it
    double factor, growth;   // of their errors, at the safe end and as it is
    double* sizes;           // [n_column + 1] largest value of each output
    double* times;           // [n_row + 1]
    double* rising;          // [n_row + 1] largest relative difference of any output so far
    bool* is_skipped;        // [n_row + 1] an event happened in one of them only
} Pair;

static bool is_same_time(double t, double u, double span) {
    return fabs(t - u) <= SAME_TIME * fmax(span, fmax(fabs(t), fabs(u)));
}

static double end_of(const FbResult* r) {
    return fb_result_get_time(r, r->n_row - 1);
}

// Rows at the same times. The companion may leave some out, and its last one may be elsewhere.
static void line_up(Pair* p) {
    int n = p->run->n_row, m = p->other->n_row;
    double span = fb_result_get_time(p->run, n - 1) - fb_result_get_time(p->run, 0);
    p->n_row = 0;
    for (int i = 0, j = 0; i < n && j < m;) {
        double t = fb_result_get_time(p->run, i), u = fb_result_get_time(p->other, j);
        if (is_same_time(t, u, span)) {
            p->in_run[p->n_row] = i++;
            p->in_other[p->n_row] = j++;
            p->times[p->n_row++] = t;
        } else if (t < u) {
            i++;
        } else {
            j++;
        }
    }
}

// Samples between the times of the same event in both runs say when it happened, not how far the
// motion is off.
static void skip_events(Pair* p) {
    int n = p->run->n_event < p->other->n_event ? p->run->n_event : p->other->n_event;
    for (int e = 0; e < n; e++) {
        double t = p->run->events[e].t, u = p->other->events[e].t;
        for (int i = 0;
             i < p->n_row && strcmp(p->run->events[e].name, p->other->events[e].name) == 0; i++) {
            p->is_skipped[i] |= p->times[i] >= fmin(t, u) && p->times[i] <= fmax(t, u);
        }
    }
}

static void get_range(const FbResult* r, const int* rows, int n_row, int c, double* range,
                      double* size) {
    double lo = INFINITY, hi = -INFINITY;
    for (int i = 0; i < n_row; i++) {
        double value = fb_result_get_value(r, rows ? rows[i] : i, c);
        lo = fmin(lo, value);
        hi = fmax(hi, value);
    }
    *range = hi - lo;
    *size = fmax(fabs(lo), fabs(hi));
}

static double difference_at(const Pair* p, int i, int c) {
    double x = fb_result_get_value(p->run, p->in_run[i], c);
    double y = fb_result_get_value(p->other, p->in_other[i], c);
    double d = x == y || (isnan(x) && isnan(y)) || p->is_skipped[i] ? 0.0 : fabs(x - y);
    return isnan(d) ? INFINITY : d;
}

// Does output c differ by as much as it moves from the start on? Then it is rounding (an angle that
// should be zero); what chaos does to an output takes longer, and what rests at first (friction
// that holds for a while) has digits later.
static bool is_rounding(const Pair* p, int c) {
    enum { EARLY = 5 };
    double first = fb_result_get_value(p->run, 0, c), moved = 0.0;
    int n_noisy = 0, n_clear = 0;
    for (int i = 1; i < p->n_row; i++) {
        double d = difference_at(p, i, c);
        moved = fmax(moved, fabs(fb_result_get_value(p->run, p->in_run[i], c) - first));
        if (d == 0.0) {
            continue;
        }
        bool is_clear = d <= LOST_DIGITS * moved;
        if (is_clear && n_noisy < EARLY) {
            return false;
        }
        n_noisy += !is_clear;
        n_clear += is_clear;
    }
    return n_noisy > n_clear;
}

static double largest_difference(const Pair* p, int c) {
    double largest = 0.0;
    for (int i = 0; i < p->n_row; i++) {
        largest = fmax(largest, difference_at(p, i, c));
    }
    return largest;
}

// Is output c, of this size, what larger ones in the same unit leave where they cancel? Small
// motion that has digits is not: both runs agree on how it changes.
static bool is_cancelled(const Pair* p, int c, double size, double range) {
    const FbModel* m = fb_result_get_model(p->run);
    const char* unit = fb_model_get_output_unit(m, c);
    double largest = 0.0;
    for (int i = 0; i < p->run->n_column && unit && unit[0]; i++) {
        const char* own = fb_model_get_output_unit(m, i);
        if (own && strcmp(own, unit) == 0 && isfinite(p->sizes[i])) {
            largest = fmax(largest, p->sizes[i]);
        }
    }
    return size <= ROUNDING * largest && largest_difference(p, c) > LOST_DIGITS * range;
}

// What errors of output c are relative to; NaN: to nothing, for the output is only error.
static double scale_of(const Pair* p, int c) {
    double range, size, common, other_range, other_size;
    get_range(p->run, NULL, p->run->n_row, c, &range, &size);
    if (is_cancelled(p, c, size, range)) {
        return NAN;
    }
    get_range(p->run, p->in_run, p->n_row, c, &common, &other_size);
    get_range(p->other, p->in_other, p->n_row, c, &other_range, &other_size);
    if (range > CONSTANT * size) {
        return other_range > NOISE * fmax(common, DBL_EPSILON * range) || is_rounding(p, c) ? NAN
                                                                                            : range;
    }
    return size > 0.0 ? size : NAN;
}

static void add_output(Pair* p, int c, double scale) {
    double largest = 0.0;
    for (int i = 0; i < p->n_row && isfinite(scale); i++) {
        largest = fmax(largest, difference_at(p, i, c) / scale);
        p->rising[i] = fmax(p->rising[i], largest);
    }
}

// Both runs move output c, measured by its size, by the same small amount and differ by as much:
// the motion has no digits in either, and the difference has not grown with the tolerance.
static bool is_saturated(const Pair* p, int c, double scale) {
    double range, other_range, size, largest = largest_difference(p, c);
    get_range(p->run, p->in_run, p->n_row, c, &range, &size);
    get_range(p->other, p->in_other, p->n_row, c, &other_range, &size);
    return largest < LOST_DIGITS * scale && largest > LOST_DIGITS * range &&
           other_range <= NOISE * range;
}

// The error of output c at the end: its largest difference while the companion has digits, by the
// factor; grown on from there where it loses them.
static double error_of(const Pair* p, int c, double scale, double tenfold) {
    double largest = 0.0, grown = 1.0;
    for (int i = 0; i < p->n_row; i++) {
        if (p->rising[i] > LOST_DIGITS) {
            double time = end_of(p->run) - p->times[i];
            grown = isfinite(tenfold) ? pow(10.0, time / tenfold) : INFINITY;
            largest = fmax(largest, fmin(difference_at(p, i, c), scale));
            break;
        }
        largest = fmax(largest, difference_at(p, i, c));
    }
    double rounding = STEP_ROUNDING * sqrt((double)p->run->stats.steps + 1.0);
    double factor = is_saturated(p, c, scale) ? 1.0 : p->factor;
    double error = fmax(largest / factor, isfinite(scale) ? rounding * scale : 0.0);
    return error * grown > scale ? scale : error * grown;
}

static void conclude(Pair* p, FbResult* result) {
    FbErrorEstimate* e = &result->estimate;
    skip_events(p);
    for (int c = 0; c < result->n_column; c++) {
        double range;
        get_range(p->run, NULL, p->run->n_row, c, &range, &p->sizes[c]);
    }
    for (int c = 0; c < result->n_column; c++) {
        result->output_scales[c] = scale_of(p, c);
        add_output(p, c, result->output_scales[c]);
    }
    double loss = fb_estimate_loss(p->n_row, p->times, p->rising, p->growth, &e->tenfold_s);
    e->lost_from = loss <= end_of(p->run) ? loss : NAN;
    e->relative = 0.0;
    for (int c = 0; c < result->n_column; c++) {
        double scale = result->output_scales[c];
        result->output_errors[c] = error_of(p, c, scale, e->tenfold_s);
        double relative = result->output_errors[c] / scale;
        if (relative > e->relative) {
            e->relative = relative;
            e->worst_output = c;
        }
    }
}

static FbStatus take_arrays(FbResult* result, Pair* p, FbError* err) {
    size_t n = (size_t)result->n_row + 1, m = (size_t)result->n_column + 1;
    free(result->output_errors);
    free(result->output_scales);
    result->output_errors = calloc(m, sizeof(double));
    result->output_scales = calloc(m, sizeof(double));
    p->sizes = calloc(m, sizeof(double));
    p->times = calloc(n, sizeof(double));
    p->in_run = calloc(n, sizeof(int));
    p->in_other = calloc(n, sizeof(int));
    p->rising = calloc(n, sizeof(double));
    p->is_skipped = calloc(n, sizeof(bool));
    bool is_good = result->output_errors && result->output_scales && p->sizes && p->times &&
                   p->in_run && p->in_other && p->rising && p->is_skipped;
    return is_good ? FB_OK : fb_fail_memory(err);
}

static FbStatus compare(FbResult* result, const FbCompanion* c, FbError* err) {
    Pair p = {.run = result, .other = c->result, .factor = c->factor, .growth = c->growth};
    FbStatus status = take_arrays(result, &p, err);
    if (status == FB_OK) {
        line_up(&p);
        conclude(&p, result);
        result->has_estimate = true;
    }
    free(p.sizes);
    free(p.times);
    free(p.in_run);
    free(p.in_other);
    free(p.rising);
    free(p.is_skipped);
    return status;
}

FbStatus fb_result_estimate_error(FbResult* result, const FbRunOptions* options, FbError* err) {
    FbCompanion c;
    if (result->n_row < 2) {
        return fb_fail(err, FB_ERR_ARGUMENT, NULL, "the run has fewer than two rows");
    }
    if (result->first_row > 0) {
        return fb_fail(err, FB_ERR_ARGUMENT, NULL,
                       "the first rows of the run are not in memory any more");
    }
    FB_TRY(fb_companion_run(result, options, &c, err));
    result->estimate = (FbErrorEstimate){.until = c.t_end,
                                         .factor = c.factor,
                                         .cost = c.cost,
                                         .rtol = fb_result_get_stats(c.result)->rtol,
                                         .cpu_s = fb_result_get_stats(c.result)->cpu_s,
                                         .worst_output = -1};
    FbStatus status = compare(result, &c, err);
    fb_result_destroy(c.result);
    return status;
}

const FbErrorEstimate* fb_result_get_error_estimate(const FbResult* result) {
    return result->has_estimate ? &result->estimate : NULL;
}

double fb_result_get_output_error(const FbResult* result, int column) {
    return result->has_estimate && column >= 0 && column < result->n_column
               ? result->output_errors[column]
               : NAN;
}

const char* fb_estimate_describe_scale(const FbResult* result, int column) {
    double range = 0.0, size = 0.0;
    if (column >= 0 && column < result->n_column) {
        get_range(result, NULL, result->n_row, column, &range, &size);
    }
    return range > CONSTANT * size ? "the range of" : "the value of";
}

double fb_result_get_output_scale(const FbResult* result, int column) {
    return result->has_estimate && column >= 0 && column < result->n_column
               ? result->output_scales[column]
               : NAN;
}
