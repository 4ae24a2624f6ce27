// Functionals of an output over its samples (eq. 11.7): ends, extrema, means by the trapezoidal
// rule, damping.
#include "study/measure.h"

#include <math.h>

#include "flyball/damping.h"

// Sums over the samples between `from` and `to`.
typedef struct Sums {
    int n;
    double first_t, last_t, last;
    double min, max;
    double integral, square;  // of y and y^2
} Sums;

static void add_sample(Sums* s, double t, double y) {
    if (s->n == 0) {
        s->first_t = t;
        s->min = s->max = y;
    } else {
        double h = t - s->last_t;
        s->integral += 0.5 * h * (s->last + y);
        s->square += 0.5 * h * (s->last * s->last + y * y);
        s->min = fmin(s->min, y);
        s->max = fmax(s->max, y);
    }
    s->last_t = t;
    s->last = y;
    s->n++;
}

static FbStatus sum_up(const FbStudyMeasure* m, const FbResult* result, int column, Sums* s,
                       FbError* err) {
    *s = (Sums){0};
    for (int i = 0; i < fb_result_get_row_count(result); i++) {
        double t = fb_result_get_time(result, i);
        if (t >= m->from && t <= m->to) {
            add_sample(s, t, fb_result_get_value(result, i, column));
        }
    }
    if (s->n == 0) {
        return fb_fail(err, FB_ERR_RANGE, NULL,
                       "measure '%s': no sample between %g s and %g s; the run ended at %g s",
                       m->name, m->from, m->to, fb_result_get_stats(result)->t_end);
    }
    return FB_OK;
}

// The mean of a single sample is the sample.
static double mean_of(const Sums* s, double integral, double alone) {
    return s->n > 1 ? integral / (s->last_t - s->first_t) : alone;
}

static double pick(int kind, const Sums* s) {
    switch (kind) {
        case FB_STUDY_MAX:
            return s->max;
        case FB_STUDY_MIN:
            return s->min;
        case FB_STUDY_RMS:
            return sqrt(mean_of(s, s->square, s->last * s->last));
        case FB_STUDY_MEAN:
            return mean_of(s, s->integral, s->last);
        case FB_STUDY_MAX_ABS:
            return fmax(fabs(s->max), fabs(s->min));
        case FB_STUDY_PEAK_TO_PEAK:
            return s->max - s->min;
        default:
            return s->last;
    }
}

static FbStatus calc_damping(const FbStudyMeasure* m, const FbResult* result, double* out,
                             FbError* err) {
    FbDampingDef def = fb_damping_def_default();
    def.output = m->output;
    def.cycles = m->cycles;
    def.about = m->about;
    FbDamping* damping;
    FB_TRY(fb_damping_create(result, &def, &damping, err));
    *out = damping->ratio;
    FbStatus status = FB_OK;
    if (!damping->is_complete) {
        status = fb_fail(err, FB_ERR_RANGE, NULL,
                         "measure '%s': %s shows %d full cycles%s; simulate longer", m->name,
                         m->output, damping->n_cycles, m->cycles ? ", fewer than requested" : "");
    }
    fb_damping_destroy(damping);
    return status;
}

FbStatus fb_measure_calc(const FbStudyMeasure* m, const FbResult* result, double* out,
                         FbError* err) {
    if (m->kind == FB_STUDY_END_TIME) {
        *out = fb_result_get_stats(result)->t_end;
        return FB_OK;
    }
    if (m->kind == FB_STUDY_DAMPING) {
        return calc_damping(m, result, out, err);
    }
    int column = fb_model_find_output(fb_result_get_model(result), m->output);
    if (column < 0) {
        return fb_fail(err, FB_ERR_NAME, NULL, "measure '%s': the model records no output '%s'",
                       m->name, m->output);
    }
    Sums sums;
    FB_TRY(sum_up(m, result, column, &sums, err));
    *out = pick(m->kind, &sums);
    return FB_OK;
}
