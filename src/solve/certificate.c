// Runs with a certified global error: the tolerance is tightened until the outputs no longer change
// by more than was asked, and another method confirms them.
//
// The difference between a run and a tighter one measures the error of the looser one; as long as
// tightening reduces the differences, it bounds that of the tighter one, which is returned. Two
// runs of one method could share a systematic error; a last run by a method of another kind
// (explicit against implicit) would show it (theory manual, section 6.4).
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "flyball/simulate.h"

static const double FIRST_RTOL = 1e-5, LAST_RTOL = 1e-13;
static const double TIGHTER = 1.0 / 30.0;  // from run to run
static const double ATOL_PART = 1e-2;      // atol relative to rtol
// The error must fall by at least this when the tolerance falls by 30; below, rounding or chaos
// rules.
static const double FALLING = 0.5;
// A method that does not suit the model may take this many times the steps before its check is
// given up.
enum { MORE_STEPS = 300 };

// The largest difference of any output at a common sample, relative to the output's largest value
// in both, or as it is where that value itself is below the target (an energy that should be zero).
static double distance(const FbResult* a, const FbResult* b, double target, int* worst) {
    int rows = fb_result_get_row_count(a), n = fb_result_get_column_count(a);
    rows = fb_result_get_row_count(b) < rows ? fb_result_get_row_count(b) : rows;
    double largest = 0.0;
    *worst = -1;
    for (int c = 0; c < n; c++) {
        double size = 0.0, difference = 0.0;
        for (int r = 0; r < rows; r++) {
            double x = fb_result_get_value(a, r, c), y = fb_result_get_value(b, r, c);
            bool is_same_time = fabs(fb_result_get_time(a, r) - fb_result_get_time(b, r)) <=
                                1e-9 * (1.0 + fabs(fb_result_get_time(a, r)));
            size = fmax(size, fmax(fabs(x), fabs(y)));
            difference = is_same_time ? fmax(difference, fabs(x - y)) : difference;
        }
        double relative = size > target ? difference / size : difference;
        if (relative > largest) {
            largest = relative;
            *worst = c;
        }
    }
    return largest;
}

static FbStatus run_at(const FbModel* model, const FbRunOptions* options, double rtol,
                       const char* integrator, FbResult** out, FbError* err) {
    FbRunOptions o = *options;
    o.settings.rtol = rtol;
    o.settings.atol = ATOL_PART * rtol;
    if (integrator) {
        o.settings.integrator = integrator;
    }
    return fb_simulate(model, &o, out, err);
}

// A method of another kind than the one used: implicit against explicit.
static const char* other_kind(const char* integrator) {
    return strcmp(integrator, "radau") == 0 ? "dop853" : "radau";
}

static void cross_check(const FbModel* model, const FbRunOptions* options, const FbResult* result,
                        FbCertificate* c) {
    FbResult* other = NULL;
    FbError err;
    int worst;
    const FbRunStats* stats = fb_result_get_stats(result);
    FbRunOptions limited = *options;
    limited.settings.max_steps = MORE_STEPS * (int)fmin((double)stats->steps, 1e6) + 10000;
    c->cross_integrator = other_kind(stats->integrator);
    FbStatus status = run_at(model, &limited, c->rtol, c->cross_integrator, &other, &err);
    c->has_cross_check = status == FB_OK || (status == FB_STOPPED && other);
    c->cross_difference = c->has_cross_check ? distance(result, other, c->target, &worst) : NAN;
    fb_result_destroy(other);
}

FbStatus fb_simulate_accurately(const FbModel* model, const FbRunOptions* options, double accuracy,
                                FbResult** out, FbCertificate* certificate, FbError* err) {
    *out = NULL;
    *certificate = (FbCertificate){.target = accuracy,
                                   .estimate = INFINITY,
                                   .contraction = NAN,
                                   .cross_difference = NAN,
                                   .worst_output = -1};
    if (!(accuracy > 0.0)) {
        return fb_fail(err, FB_ERR_ARGUMENT, NULL, "the accuracy is %g; it must be > 0", accuracy);
    }
    FbCertificate* c = certificate;
    FbResult* last = NULL;
    FbStatus status = FB_OK;
    for (double rtol = fmin(FIRST_RTOL, accuracy); rtol >= LAST_RTOL && !c->is_reached;
         rtol *= TIGHTER) {
        FbResult* next = NULL;
        status = run_at(model, options, rtol, NULL, &next, err);
        c->n_runs++;
        if (status < 0) {
            // What the last tolerance gave is still good; a failure at the first is the caller's.
            fb_result_destroy(last ? next : NULL);
            *out = last ? last : next;
            return last ? FB_OK : status;
        }
        if (last) {
            double before = c->estimate;
            c->estimate = distance(last, next, accuracy, &c->worst_output);
            c->contraction = isfinite(before) && before > 0.0 ? c->estimate / before : NAN;
            bool is_falling =
                isnan(c->contraction) ? c->estimate <= 0.01 * accuracy : c->contraction < FALLING;
            c->is_reached = c->estimate <= accuracy && (is_falling || c->estimate == 0.0);
        }
        fb_result_destroy(last);
        last = next;
        c->rtol = rtol;
        c->atol = ATOL_PART * rtol;
    }
    *out = last;
    if (c->is_reached) {
        cross_check(model, options, last, c);
        c->is_reached = !c->has_cross_check || c->cross_difference <= accuracy;
    }
    return status;
}
