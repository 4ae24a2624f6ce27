// Measures the errors of a benchmark run against references, energy and other models.
#include "study/bench_measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "flyball/compare.h"
#include "flyball/damping.h"

// One output of a result, copied into rows of (time, value).
static FbStatus copy_output(const FbResult* result, const char* name, double** rows,
                            FbSeries* series, FbError* err) {
    *rows = NULL;
    int column = fb_model_find_output(fb_result_get_model(result), name);
    if (column < 0) {
        return fb_fail(err, FB_ERR_NAME, NULL, "the model has no output '%s'", name);
    }
    int n = fb_result_get_row_count(result);
    double* data = malloc(sizeof(double) * 2 * (size_t)(n + 1));
    if (data == NULL) {
        return fb_fail_memory(err);
    }
    for (int i = 0; i < n; i++) {
        data[2 * i] = fb_result_get_time(result, i);
        data[2 * i + 1] = fb_result_get_value(result, i, column);
    }
    *rows = data;
    *series = (FbSeries){.name = name,
                         .times = data,
                         .values = data + 1,
                         .time_stride = 2,
                         .value_stride = 2,
                         .n = n};
    return FB_OK;
}

static double pick_norm(FbCaseMeasureKind kind, const FbErrorNorms* norms) {
    switch (kind) {
        case FB_CASE_REL_RMS:
            return norms->relative_rms;
        case FB_CASE_RMS:
            return norms->rms;
        case FB_CASE_FINAL_ABS:
            return norms->final;
        default:
            return norms->max;
    }
}

// The larger one, where NaN is larger than any number.
static double larger(double a, double b) {
    return isnan(a) || a > b ? a : b;
}

// The difference between the largest and the smallest value.
static double calc_range(const FbSeries* series) {
    double least = INFINITY, most = -INFINITY;
    for (int i = 0; i < series->n; i++) {
        double value = series->values[i * series->value_stride];
        least = fmin(least, value);
        most = larger(value, most);
    }
    return most - least;
}

static FbStatus compare_with_table(const FbCaseMeasure* m, const FbSeries* series, int k,
                                   const FbSamples* table, double* error, FbError* err) {
    int column = fb_samples_find(table, m->columns[k]);
    if (column < 0) {
        FbPlace place = {.file = m->reference, .line = 1};
        return fb_fail(err, FB_ERR_NAME, &place, "there is no column '%s'", m->columns[k]);
    }
    int width = table->n_columns + 1;
    FbSeries reference = {.name = m->reference,
                          .times = table->cells,
                          .values = table->cells + 1 + column,
                          .time_stride = width,
                          .value_stride = width,
                          .n = table->n_rows};
    FbCompareOptions options = fb_compare_options_default();
    options.excluded_times = m->skip_times;
    options.n_excluded = m->n_skip_times;
    FbErrorNorms norms;
    FB_TRY(fb_compare(series, &reference, &options, &norms, err));
    *error = pick_norm(m->kind, &norms);
    if (m->kind == FB_CASE_OF_RANGE) {
        *error /= calc_range(&reference);
    }
    return FB_OK;
}

static FbStatus compare_with_result(const FbSeries* series, const char* output,
                                    const FbResult* other, double* error, FbError* err) {
    double* rows;
    FbSeries reference = {0};
    FB_TRY(copy_output(other, output, &rows, &reference, err));
    FbCompareOptions options = fb_compare_options_default();
    FbErrorNorms norms;
    FbStatus status = fb_compare(series, &reference, &options, &norms, err);
    free(rows);
    if (status == FB_OK) {
        *error = norms.max;
    }
    return status;
}

static double calc_drift(const FbSeries* series) {
    double drift = 0.0;
    for (int i = 0; i < series->n; i++) {
        drift = larger(fabs(series->values[2 * i] - series->values[0]), drift);
    }
    return drift;
}

// |zeta_n - exact| of output k, or what it falls short of it.
static FbStatus compare_damping(const FbCaseMeasure* m, int k, const FbResult* result,
                                double* error, FbError* err) {
    FbDampingDef def = fb_damping_def_default();
    def.output = m->outputs[k];
    def.cycles = (int)m->cycles[k];
    def.points = m->points;
    FbDamping* damping;
    FB_TRY(fb_damping_create(result, &def, &damping, err));
    double short_of = m->exact[k] - damping->ratio;
    *error = m->kind == FB_CASE_DAMPING_AT_LEAST ? fmax(short_of, 0.0) : fabs(short_of);
    fb_damping_destroy(damping);
    return FB_OK;
}

// |t - reference| of the events with the name of output k: as many as there are ones in its column.
static FbStatus compare_events(const FbCaseMeasure* m, int k, const FbResult* result,
                               const FbSamples* table, double* error, FbError* err) {
    int column = fb_samples_find(table, m->columns[k]), row = 0;
    if (column < 0) {
        FbPlace place = {.file = m->reference, .line = 1};
        return fb_fail(err, FB_ERR_NAME, &place, "there is no column '%s'", m->columns[k]);
    }
    *error = 0.0;
    for (int i = 0; i < fb_result_get_event_count(result); i++) {
        FbEventRecord event;
        fb_result_get_event(result, i, &event);
        if (strcmp(event.name, m->outputs[k]) != 0) {
            continue;
        }
        while (row < table->n_rows && fb_samples_get_value(table, row, column) == 0.0) {
            row++;
        }
        *error = row < table->n_rows
                     ? larger(fabs(event.t - fb_samples_get_time(table, row++)), *error)
                     : INFINITY;
    }
    for (; row < table->n_rows; row++) {
        *error = fb_samples_get_value(table, row, column) == 0.0 ? *error : INFINITY;
    }
    return FB_OK;
}

static FbStatus measure_output(const FbCaseMeasure* m, int k, const FbResult* result,
                               const FbResult* other, const FbSamples* table, double* error,
                               FbError* err) {
    double* rows;
    FbSeries series = {0};
    if (m->kind == FB_CASE_EVENT_TIMES) {
        return compare_events(m, k, result, table, error, err);
    }
    if (m->kind == FB_CASE_DAMPING || m->kind == FB_CASE_DAMPING_AT_LEAST) {
        return compare_damping(m, k, result, error, err);
    }
    FB_TRY(copy_output(result, m->outputs[k], &rows, &series, err));
    FbStatus status = FB_OK;
    if (m->kind == FB_CASE_ENERGY_DRIFT) {
        *error = calc_drift(&series);
    } else if (m->kind == FB_CASE_ENERGY_SPREAD) {
        *error = series.n > 0 ? 100.0 * calc_range(&series) / fabs(series.values[0]) : NAN;
    } else if (m->kind == FB_CASE_MAX_DIFFERENCE) {
        status = compare_with_result(&series, m->outputs[k], other, error, err);
    } else {
        status = compare_with_table(m, &series, k, table, error, err);
    }
    free(rows);
    return status;
}

FbStatus fb_case_calc_measure(const FbCaseMeasure* m, const FbResult* result, const FbResult* other,
                              double* error, FbError* err) {
    FbSamples table = {0};
    FbStatus status = m->reference != NULL ? fb_samples_read_csv(&table, m->reference, err) : FB_OK;
    *error = 0.0;
    for (int k = 0; status == FB_OK && k < m->n_outputs; k++) {
        double e = NAN;
        status = measure_output(m, k, result, other, &table, &e, err);
        *error = larger(e, *error);
    }
    fb_samples_free(&table);
    return status;
}

double fb_case_calc_order(const FbCaseMeasure* m, const double* errors) {
    double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0, n = m->n_of;
    for (int i = 0; i < m->n_of; i++) {
        double x = log(m->factors[i]), y = log(errors[i]);
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
    return fabs(-slope - m->exact[0]);
}
