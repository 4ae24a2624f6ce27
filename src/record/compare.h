// Error norms of a computed series against a reference at exactly the reference's times.
#ifndef FLYBALL_RECORD_COMPARE_H
#define FLYBALL_RECORD_COMPARE_H

#include "base/error.h"

// Values at strictly increasing times; element i stands at [i * stride].
typedef struct FbSeries {
    const char* name;  // for messages
    const double* times;
    const double* values;
    int time_stride, value_stride;
    int n;
} FbSeries;

// Two times are the same where they differ by no more than this: samples are not interpolated.
#define FB_SAME_TIME 1e-9  // s

typedef struct FbCompareOptions {
    const double* excluded_times;  // samples of the reference that are left out (known outliers)
    int n_excluded;
    double until;  // s: later samples of the reference are left out; INFINITY: none
} FbCompareOptions;

typedef struct FbErrorNorms {
    double relative_rms;  // sqrt(mean(((x - ref) / ref)^2)); infinite where a reference value is 0
                          // and missed
    double rms;           // sqrt(mean((x - ref)^2)), unit of the series
    double max;           // largest |x - ref|
    double max_time;      // s: where
    double final;         // |x - ref| at the last compared time
    int n;                // samples compared
} FbErrorNorms;

FbCompareOptions fb_compare_options_default(void);

// Every reference time must be among the series' times (FB_ERR_ARGUMENT otherwise); other times of
// the series do not count.
FbStatus fb_compare(const FbSeries* series, const FbSeries* reference,
                    const FbCompareOptions* options, FbErrorNorms* out, FbError* err);

#endif
