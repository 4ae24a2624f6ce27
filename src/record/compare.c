// Error norms: relative RMS e = sqrt(1/n sum ((x_i - r_i)/r_i)^2), RMS, maximum and final
// difference.
#include "record/compare.h"

#include <math.h>

FbCompareOptions fb_compare_options_default(void) {
    return (FbCompareOptions){.until = INFINITY};
}

static double time_at(const FbSeries* s, int i) {
    return s->times[(size_t)i * (size_t)s->time_stride];
}

static double value_at(const FbSeries* s, int i) {
    return s->values[(size_t)i * (size_t)s->value_stride];
}

static bool is_excluded(const FbCompareOptions* options, double t) {
    if (t > options->until + FB_SAME_TIME) {
        return true;
    }
    for (int i = 0; i < options->n_excluded; i++) {
        if (fabs(options->excluded_times[i] - t) <= FB_SAME_TIME) {
            return true;
        }
    }
    return false;
}

// Takes one difference in; the squares are divided by n at the end.
static void add_sample(FbErrorNorms* norms, double t, double x, double r) {
    double d = fabs(x - r);
    double relative = d == 0.0 ? 0.0 : d / fabs(r);
    norms->relative_rms += relative * relative;
    norms->rms += d * d;
    if (!isnan(norms->max) && !(d <= norms->max)) {  // the first NaN stays
        norms->max = d;
        norms->max_time = t;
    }
    norms->final = d;
    norms->n++;
}

static FbStatus fail_no_sample(const FbSeries* series, const FbSeries* reference, double t,
                               FbError* err) {
    return fb_fail(err, FB_ERR_ARGUMENT, NULL,
                   "%s has no sample at t = %.10g s, where the reference %s has one; choose "
                   "duration and sample "
                   "interval so that both have the same times",
                   series->name, t, reference->name);
}

FbStatus fb_compare(const FbSeries* series, const FbSeries* reference,
                    const FbCompareOptions* options, FbErrorNorms* out, FbError* err) {
    FbErrorNorms norms = {.max = 0.0};
    int i = 0;
    for (int k = 0; k < reference->n; k++) {
        double t = time_at(reference, k);
        if (is_excluded(options, t)) {
            continue;
        }
        while (i < series->n && time_at(series, i) < t - FB_SAME_TIME) {
            i++;
        }
        if (i == series->n || !(fabs(time_at(series, i) - t) <= FB_SAME_TIME)) {
            return fail_no_sample(series, reference, t, err);
        }
        add_sample(&norms, t, value_at(series, i), value_at(reference, k));
    }
    if (norms.n == 0) {
        return fb_fail(err, FB_ERR_ARGUMENT, NULL, "the reference %s has no sample to compare with",
                       reference->name);
    }
    norms.relative_rms = sqrt(norms.relative_rms / norms.n);
    norms.rms = sqrt(norms.rms / norms.n);
    *out = norms;
    return FB_OK;
}
