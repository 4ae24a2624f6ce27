// The rows, events and statistics of a run, in memory.
#include "solve/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/model.h"

FbStatus fb_result_create(const FbModel* model, int n_row, FbResult** out, FbError* err) {
    *out = NULL;
    FbResult* result = calloc(1, sizeof *result);
    if (!result) {
        return fb_fail_memory(err);
    }
    result->model = model;
    result->n_column = fb_model_get_output_count(model);
    size_t row_size = sizeof(double) * (size_t)(1 + result->n_column);
    result->is_ambiguous = calloc((size_t)result->n_column + 1, sizeof(bool));
    result->limits = calloc((size_t)(result->n_column + 1) * FB_RESULT_LIMITS, sizeof(int));
    result->log = malloc(sizeof *result->log);
    result->inputs = calloc((size_t)fb_model_get_input_count(model) + 1, sizeof(double));
    if (!result->is_ambiguous || !result->inputs || !result->limits || !result->log ||
        !fb_grow((void**)&result->rows, &result->row_capacity, n_row, row_size)) {
        fb_result_destroy(result);
        return fb_fail_memory(err);
    }
    *out = result;
    return FB_OK;
}

static size_t pose_row_length(const FbResult* result) {
    return 7 * (size_t)result->n_body + (size_t)result->n_slider + 2 * (size_t)result->n_mesh;
}

static size_t pose_row_size(const FbResult* result) {
    return sizeof(double) * pose_row_length(result);
}

FbStatus fb_result_keep_poses(FbResult* result, int n_row, FbError* err) {
    const FbModel* m = result->model;
    result->n_body = m->drawing.n_numbered;
    result->n_slider = m->n_sliders;
    for (int i = 0; i < m->n_superelements; i++) {
        result->n_mesh += m->superelements[i].mesh ? m->superelements[i].n : 0;
    }
    if (pose_row_size(result) > 0 &&
        !fb_grow((void**)&result->poses, &result->pose_capacity, n_row, pose_row_size(result))) {
        return fb_fail_memory(err);
    }
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
    free(result->is_ambiguous);
    free(result->inputs);
    free(result->limits);
    free(result->poses);
    free(result->log);
    free(result->output_errors);
    free(result->output_scales);
    free(result);
}

const double* fb_result_row(const FbResult* result, int r) {
    return result->rows + (size_t)(r - result->first_row) * (size_t)(1 + result->n_column);
}

void fb_result_forget_rows(FbResult* result) {
    int last = result->n_row - 1;
    if (last > result->first_row) {
        memcpy(result->rows, fb_result_row(result, last),
               sizeof(double) * (size_t)(1 + result->n_column));
        result->first_row = last;
    }
}

double* fb_result_add_row(FbResult* result, double t) {
    size_t row_size = sizeof(double) * (size_t)(1 + result->n_column);
    int n_kept = result->n_row - result->first_row;
    if (!fb_grow((void**)&result->rows, &result->row_capacity, n_kept, row_size)) {
        return NULL;
    }
    if (result->poses && !fb_grow((void**)&result->poses, &result->pose_capacity, result->n_row,
                                  pose_row_size(result))) {
        return NULL;
    }
    double* row = result->rows + (size_t)n_kept * (size_t)(1 + result->n_column);
    row[0] = t;
    result->n_row++;
    return row + 1;
}

void fb_result_drop_row(FbResult* result) {
    result->n_row--;
}

// Of the bodies in the picture; the next ones are the places of sliders.
static double* pose_of(const FbResult* result, int row, int number) {
    return result->poses + (size_t)row * pose_row_length(result) + 7 * (size_t)number;
}

double* fb_result_last_poses(FbResult* result) {
    return result->poses && result->n_row > 0 ? pose_of(result, result->n_row - 1, 0) : NULL;
}

double* fb_result_last_slides(FbResult* result) {
    double* poses = fb_result_last_poses(result);
    return poses ? poses + 7 * result->n_body : NULL;
}

double* fb_result_last_meshes(FbResult* result) {
    double* slides = fb_result_last_slides(result);
    return slides && result->n_mesh > 0 ? slides + result->n_slider : NULL;
}

const double* fb_result_get_mesh(const FbResult* result, int row, int superelement,
                                 bool is_velocity) {
    const FbModel* m = result->model;
    if (!result->poses || row < 0 || row >= result->n_row || superelement >= m->n_superelements ||
        !m->superelements[superelement].mesh) {
        return NULL;
    }
    size_t at = (size_t)result->n_slider + (is_velocity ? (size_t)result->n_mesh : 0);
    for (int i = 0; i < superelement; i++) {
        at += m->superelements[i].mesh ? (size_t)m->superelements[i].n : 0;
    }
    return pose_of(result, row, result->n_body) + at;
}

// A quaternion and its negative are the same rotation: the one nearer to the row before is kept.
void fb_result_join_quaternions(FbResult* result) {
    for (int b = 0; result->poses && result->n_row > 1 && b < result->n_body; b++) {
        const double* before = pose_of(result, result->n_row - 2, b) + 3;
        double* now = pose_of(result, result->n_row - 1, b) + 3;
        double dot =
            before[0] * now[0] + before[1] * now[1] + before[2] * now[2] + before[3] * now[3];
        for (int i = 0; dot < 0.0 && i < 4; i++) {
            now[i] = -now[i];
        }
    }
}

bool fb_result_get_pose(const FbResult* result, int row, int body, double position[3],
                        double quaternion[4]) {
    const FbModel* m = result->model;
    if (!result->poses || row < 0 || row >= result->n_row || body < 0 || body >= m->n_bodies ||
        m->drawing.number[body] < 0) {
        return false;
    }
    const double* pose = pose_of(result, row, m->drawing.number[body]);
    memcpy(position, pose, 3 * sizeof(double));
    memcpy(quaternion, pose + 3, 4 * sizeof(double));
    return true;
}

bool fb_result_get_slide(const FbResult* result, int row, int slider, double* s) {
    if (!result->poses || row < 0 || row >= result->n_row || slider < 0 ||
        slider >= result->n_slider) {
        return false;
    }
    *s = pose_of(result, row, result->n_body)[slider];
    return true;
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

// Cell 0 of a row is its time; NaN outside the table.
static double cell_of(const FbResult* result, int row, int cell) {
    if (row < result->first_row || row >= result->n_row || cell < 0 || cell > result->n_column) {
        return NAN;
    }
    return fb_result_row(result, row)[cell];
}

double fb_result_get_time(const FbResult* result, int row) {
    return cell_of(result, row, 0);
}

double fb_result_get_value(const FbResult* result, int row, int column) {
    return column < 0 ? NAN : cell_of(result, row, 1 + column);
}

void fb_result_copy_column(const FbResult* result, int column, double* values) {
    if (column < -1 || column >= result->n_column) {
        return;
    }
    for (int i = 0; i < result->n_row; i++) {
        values[i] = cell_of(result, i, column + 1);
    }
}

const FbRunStats* fb_result_get_stats(const FbResult* result) {
    return &result->stats;
}

bool fb_result_is_unique(const FbResult* result, int column) {
    return column < 0 || column >= result->n_column || !result->is_ambiguous[column];
}

const FbAssembly* fb_result_get_assembly(const FbResult* result) {
    return &result->assembly;
}

int fb_result_get_event_count(const FbResult* result) {
    return result->n_event;
}

bool fb_result_get_event(const FbResult* result, int index, FbEventRecord* record) {
    bool is_there = index >= 0 && index < result->n_event;
    *record = is_there ? result->events[index] : (FbEventRecord){0};
    return is_there;
}

int fb_result_get_warning_count(const FbResult* result) {
    return result->n_warning;
}

const char* fb_result_get_warning(const FbResult* result, int index) {
    return index >= 0 && index < result->n_warning ? result->warnings[index] : NULL;
}
