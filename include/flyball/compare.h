// Tables of samples and how far a computed series is from a reference: what `flyball bench`
// measures.
#ifndef FLYBALL_COMPARE_H
#define FLYBALL_COMPARE_H

#include "flyball/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Values at strictly increasing times. It owns nothing.
typedef struct FbSeries {
    const char* name;               // for messages
    const double* times;            // s, sample i at [i * time_stride]
    const double* values;           // sample i at [i * value_stride]
    int time_stride, value_stride;  // 1 in plain arrays
    int n;                          // samples
} FbSeries;

// Two times are the same if they differ by no more than this, s: samples are not interpolated.
#define FB_SAME_TIME 1e-9

// What is compared.
typedef struct FbCompareOptions {
    const double* excluded_times;  // [n_excluded] s: samples of the reference that are ignored
                                   // (known outliers)
    int n_excluded;
    double until;  // s: later samples of the reference are ignored; INFINITY: none
    uint64_t reserved[4];
} FbCompareOptions;

// Differences between a series x and a reference r.
typedef struct FbErrorNorms {
    double relative_rms;  // sqrt(mean(((x - r) / r)^2)); INFINITY where a reference value is 0 and
                          // missed
    double rms;           // sqrt(mean((x - r)^2)), unit of the series
    double max;           // the largest |x - r|
    double max_time;      // s: where that is
    double final;         // |x - r| at the last compared time
    int n;                // samples compared
    uint64_t reserved[4];
} FbErrorNorms;

// All samples.
FB_API FbCompareOptions fb_compare_options_default(void);
// Compares at the times of the reference, each of which must be among those of the series
// (FB_ERR_ARGUMENT otherwise).
FB_API FbStatus fb_compare(const FbSeries* series, const FbSeries* reference,
                           const FbCompareOptions* options, FbErrorNorms* out, FbError* err);

// A table of samples that was read from a file: times and named columns.
typedef struct FbSamples {
    struct FbArena* arena;  // owns names and units
    int n_rows;
    int n_columns;       // without time
    const char** names;  // [n_columns]
    const char** units;  // [n_columns], "" where the header has none
    double* cells;       // [n_rows x (1 + n_columns)], time first
    int cells_capacity;  // of the reader
    uint64_t reserved[4];
} FbSamples;

// Reads a CSV table whose first column is the time, as fb_result_write_csv() writes it. Fills
// *table, which the caller frees; on failure it is empty, and *err has line and column.
FB_API FbStatus fb_samples_read_csv(FbSamples* table, const char* path, FbError* err);
// Frees what a table holds, and empties it.
FB_API void fb_samples_free(FbSamples* table);
// The index of the column with this name; -1: none.
FB_API int fb_samples_find(const FbSamples* table, const char* name);
// The time of a row, s; the row must be there.
FB_API double fb_samples_get_time(const FbSamples* table, int row);
// A value in SI units; row and column must be there.
FB_API double fb_samples_get_value(const FbSamples* table, int row, int column);
// A column as a series that points into the table; an empty one if there is no such column.
FB_API FbSeries fb_samples_get_series(const FbSamples* table, int column);

#ifdef __cplusplus
}
#endif
#endif
