// Measures of an operating point: outputs, eigenvalues of modes, the growth of the fastest.
#include "study/point.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/follow.h"

bool fb_measure_is_of_modes(int kind) {
    return kind >= FB_STUDY_FREQUENCY && kind <= FB_STUDY_EIGENVALUE;
}

bool fb_measure_is_of_point(int kind) {
    return kind == FB_STUDY_EQUILIBRIUM || fb_measure_is_of_modes(kind);
}

static double growth_rate(const FbModeSet* set) {
    double largest = -INFINITY;
    for (int i = 0; i < fb_mode_set_count(set); i++) {
        const FbMode* m = fb_mode_set_get(set, i);
        largest = m->class_ == FB_MODE_PHYSICAL ? fmax(largest, m->re) : largest;
    }
    return isfinite(largest) ? largest : 0.0;  // nothing but free motions
}

static double pick(int kind, const FbMode* mode) {
    switch (kind) {
        case FB_STUDY_FREQUENCY:
            return mode->frequency_hz;
        case FB_STUDY_DAMPING_RATIO:
            return mode->damping_ratio;
        case FB_STUDY_REAL:
            return mode->re;
        default:
            return mode->im;
    }
}

static FbStatus fill_outputs(const FbStudy* s, const FbModel* model, FbOperatingPoint* op,
                             double* values, FbError* err) {
    double* outputs = malloc(sizeof *outputs * ((size_t)fb_model_get_output_count(model) + 1));
    FbStatus status =
        outputs ? fb_operating_point_calc_outputs(op, outputs, err) : fb_fail_memory(err);
    for (int i = 0; status == FB_OK && i < s->n_measures; i++) {
        const FbStudyMeasure* m = &s->measures[i];
        if (m->kind == FB_STUDY_EQUILIBRIUM) {
            int column = fb_model_find_output(model, m->output);
            values[s->n_parameters + i] = column >= 0 ? outputs[column] : NAN;
        }
    }
    free(outputs);
    return status;
}

// found[n_followed]: where the followed modes are in the set.
static FbStatus fill_modes(const FbStudy* s, const FbModeSet* set, const int* found, double* values,
                           FbError* err) {
    for (int i = 0; i < s->n_measures; i++) {
        const FbStudyMeasure* m = &s->measures[i];
        double* out = &values[s->n_parameters + i];
        if (m->kind == FB_STUDY_GROWTH_RATE) {
            *out = growth_rate(set);
        } else if (fb_measure_is_of_modes(m->kind)) {
            int index = s->modes.is_tracked ? found[m->followed]
                                            : fb_study_find_mode(set, m->mode, m->counts_all);
            const FbMode* mode = fb_mode_set_get(set, index);
            if (!mode) {
                return fb_fail(err, FB_ERR_RANGE, NULL, "measure '%s': there is no mode %d here",
                               m->name, m->mode);
            }
            *out = pick(m->kind, mode) + 0.0;  // -0 is 0
        }
    }
    return FB_OK;
}

static FbStatus measure_modes(const FbStudy* s, FbOperatingPoint* op, const FbStop* stop,
                              double* values, char* note, size_t size, FbError* err) {
    FbModeSet* set = NULL;
    FbFollowed followed = {.worst = 1.0};
    int* found = calloc((size_t)s->modes.n_followed + 1, sizeof *found);
    FbStatus status = found ? fb_study_create_modes(op, &set, err) : fb_fail_memory(err);
    if (status == FB_OK && s->modes.is_tracked && s->modes.n_followed > 0) {
        status = fb_study_follow(s, values, set, stop, found, &followed, err);
    }
    if (status == FB_OK) {
        status = fill_modes(s, set, found, values, err);
    }
    if (status == FB_OK && followed.is_uncertain) {
        snprintf(note, size,
                 "modes are uncertain: match %.2g at %.4g of the way from the model's own values",
                 followed.worst, followed.at);
    }
    fb_mode_set_destroy(set);
    free(found);
    return status;
}

FbStatus fb_point_measure(const FbStudy* s, const FbModel* model, const FbStop* stop,
                          double* values, char* note, size_t size, FbError* err) {
    FbOperatingPoint* op = NULL;
    FbStatus status = fb_study_create_point(s, model, values, &op, err);
    if (status == FB_OK && s->modes.has_outputs) {
        status = fill_outputs(s, model, op, values, err);
    }
    if (status == FB_OK && s->modes.has_modes) {
        status = measure_modes(s, op, stop, values, note, size, err);
    }
    fb_operating_point_destroy(op);
    return status;
}
