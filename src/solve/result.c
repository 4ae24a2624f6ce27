// The rows, events and statistics of a run, in memory.
#include "solve/result.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"

FbStatus fb_result_create(const FbModel* model, int n_row, FbResult** out, FbError* err) {
    *out = NULL;
    FbResult* result = calloc(1, sizeof *result);
    if (!result) {
        return fb_fail_memory(err);
    }
    result->model = model;
    result->n_column = fb_model_get_output_count(model);
    size_t row_size = sizeof(double) * (size_t)(1 + result->n_column);
    if (!fb_grow((void**)&result->rows, &result->row_capacity, n_row, row_size)) {
        fb_result_destroy(result);
        return fb_fail_memory(err);
    }
    *out = result;
    return FB_OK;
}

void fb_result_destroy(FbResult* result) {
    if (!result) {
        return;
    }
    for (int i = 0; i < result->n_event; i++) {
        free((double*)result->events[i].outputs);
    }
    for (int i = 0; i < result->n_warning; i++) {
        free(result->warnings[i]);
    }
    free(result->events);
    free(result->warnings);
    free(result->rows);
    free(result);
}

double* fb_result_add_row(FbResult* result, double t) {
    size_t row_size = sizeof(double) * (size_t)(1 + result->n_column);
    if (!fb_grow((void**)&result->rows, &result->row_capacity, result->n_row, row_size)) {
        return NULL;
    }
    double* row = result->rows + (size_t)result->n_row * (size_t)(1 + result->n_column);
    row[0] = t;
    result->n_row++;
    return row + 1;
}

void fb_result_drop_row(FbResult* result) {
    result->n_row--;
}

double* fb_result_add_event(FbResult* result, const char* name, double t, int direction) {
    if (!fb_grow((void**)&result->events, &result->event_capacity, result->n_event,
                 sizeof *result->events)) {
        return NULL;
    }
    double* values = calloc((size_t)result->n_column + 1, sizeof(double));
    if (values) {
        result->events[result->n_event++] = (FbEventRecord){name, t, direction, values};
    }
    return values;
}

FbStatus fb_result_add_warning(FbResult* result, const char* text, FbError* err) {
    size_t size = strlen(text) + 1;
    char* copy = malloc(size);
    if (!copy || !fb_grow((void**)&result->warnings, &result->warning_capacity, result->n_warning,
                          sizeof(char*))) {
        free(copy);
        return fb_fail_memory(err);
    }
    memcpy(copy, text, size);
    result->warnings[result->n_warning++] = copy;
    return FB_OK;
}

const FbModel* fb_result_get_model(const FbResult* result) {
    return result->model;
}

int fb_result_get_row_count(const FbResult* result) {
    return result->n_row;
}

int fb_result_get_column_count(const FbResult* result) {
    return result->n_column;
}

static const double* row_of(const FbResult* result, int row) {
    return result->rows + (size_t)row * (size_t)(1 + result->n_column);
}

double fb_result_get_time(const FbResult* result, int row) {
    return row_of(result, row)[0];
}

double fb_result_get_value(const FbResult* result, int row, int column) {
    return row_of(result, row)[1 + column];
}

const FbRunStats* fb_result_get_stats(const FbResult* result) {
    return &result->stats;
}

const FbAssembly* fb_result_get_assembly(const FbResult* result) {
    return &result->assembly;
}

int fb_result_get_event_count(const FbResult* result) {
    return result->n_event;
}

void fb_result_get_event(const FbResult* result, int index, FbEventRecord* record) {
    *record = result->events[index];
}

int fb_result_get_warning_count(const FbResult* result) {
    return result->n_warning;
}

const char* fb_result_get_warning(const FbResult* result, int index) {
    return result->warnings[index];
}
