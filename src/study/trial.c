// One run of a study: model, simulation, operating point, measures, constraints.
#include "study/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "study/measure.h"
#include "study/point.h"
#include "study/variant.h"

const char* const fb_trial_status_names[FB_N_TRIAL_STATUSES] = {"ok", "infeasible", "failed"};

FbTrial* fb_trial_create(const FbStudy* study, FbArena* arena) {
    FbTrial* t = FB_TAKE(arena, FbTrial, 1);
    double* values = FB_TAKE(arena, double, study->n_parameters + study->n_measures);
    char* message = FB_TAKE(arena, char, FB_TRIAL_MESSAGE);
    if (!t || !values || !message) {
        return NULL;
    }
    for (int i = 0; i < study->n_measures; i++) {
        values[study->n_parameters + i] = NAN;
    }
    *t = (FbTrial){.values = values, .message = message, .objective = NAN};
    return t;
}

// A message occupies one line of a table.
static void set_failure(FbTrial* t, const char* text) {
    t->status = FB_TRIAL_FAILED;
    snprintf(t->message, FB_TRIAL_MESSAGE, "%.*s", FB_TRIAL_MESSAGE - 1, text);
    for (char* c = t->message; *c; c++) {
        *c = *c == '\n' || *c == '\r' ? ' ' : *c;
    }
}

static FbStatus read_model(const FbStudy* s, FbTrial* t, FbModel** model) {
    char text[FB_ERROR_TEXT + 256];
    FbStatus status = fb_variant_create(s, t->values, model, text, sizeof text);
    if (status < 0) {
        set_failure(t, text);
    }
    return status;
}

static FbRunOptions make_options(const FbStudy* s, const FbModel* model) {
    FbRunOptions options = fb_run_options_default(model);
    FbSettings* to = &options.settings;
    const FbSettings* from = &s->settings;
    const bool* has = s->has_setting;
    to->duration = has[0] ? from->duration : to->duration;
    to->sample = has[1] ? from->sample : to->sample;
    to->atol = has[3] ? from->atol : has[2] ? to->atol * from->rtol / to->rtol : to->atol;
    to->rtol = has[2] ? from->rtol : to->rtol;
    to->max_step = has[4] ? from->max_step : to->max_step;
    to->integrator = has[5] ? from->integrator : to->integrator;
    return options;
}

static bool may_go_on(void* self, const FbProgress* progress) {
    (void)progress;
    const FbStop* stop = self;
    return !stop->is_wanted(stop->self);
}

double fb_trial_calc_violation(const FbStudy* s, int c, const double* values, double* work,
                               double* scale) {
    double lhs = fb_study_eval(s->constraints[c].lhs, values, work);
    double rhs = fb_study_eval(s->constraints[c].rhs, values, work);
    *scale = fmax(fabs(lhs), fabs(rhs));
    return lhs - rhs;
}

static void check_constraints(const FbStudy* s, FbTrial* t, double* work) {
    for (int c = 0; c < s->n_constraints; c++) {
        double scale, excess = fb_trial_calc_violation(s, c, t->values, work, &scale);
        if (!(excess <= FB_TRIAL_CONSTRAINT_TOLERANCE * scale)) {
            t->status = FB_TRIAL_INFEASIBLE;
            snprintf(t->message, FB_TRIAL_MESSAGE, "%.180s is violated by %.6g",
                     s->constraints[c].text, excess);
            return;
        }
    }
}

// Measures in their order, then constraints and the objective.
static FbStatus measure(const FbStudy* s, const FbResult* result, FbTrial* t, double* work,
                        FbError* err) {
    for (int i = 0; i < s->n_measures; i++) {
        const FbStudyMeasure* m = &s->measures[i];
        double* out = &t->values[s->n_parameters + i];
        if (m->kind == FB_STUDY_EXPRESSION) {
            *out = fb_study_eval(m->expr, t->values, work);
        } else if (!fb_measure_is_of_point(m->kind)) {
            FB_TRY(fb_measure_calc(m, result, out, err));
        }
        if (!isfinite(*out)) {
            return fb_fail(err, FB_ERR_RANGE, NULL, "measure '%s' is %g", m->name, *out);
        }
    }
    check_constraints(s, t, work);
    if (s->objective_expr) {
        t->objective = fb_study_eval(s->objective_expr, t->values, work);
        if (!isfinite(t->objective)) {
            return fb_fail(err, FB_ERR_RANGE, NULL, "the objective %s is %g", s->objective,
                           t->objective);
        }
    }
    return FB_OK;
}

// FB_STOPPED: it was stopped. *result: NULL where no measure needs a run.
static FbStatus simulate(const FbStudy* s, const FbModel* model, const FbStop* stop, FbTrial* t,
                         FbResult** result, FbError* err) {
    *result = NULL;
    if (!s->modes.has_run) {
        return FB_OK;
    }
    FbRunOptions options = make_options(s, model);
    options.progress = stop ? may_go_on : NULL;
    options.progress_self = (void*)stop;
    FbStatus status = fb_simulate(model, &options, result, err);
    t->steps = *result ? fb_result_get_stats(*result)->steps : 0;
    bool is_stopped = stop && stop->is_wanted(stop->self);
    return is_stopped ? FB_STOPPED : status < 0 ? status : FB_OK;  // events end runs, too
}

static FbStatus run_and_measure(const FbStudy* s, const FbModel* model, const FbStop* stop,
                                FbTrial* t, double* work) {
    FbResult* result;
    FbError err;
    FbStatus status = simulate(s, model, stop, t, &result, &err);
    if (status >= 0 && status != FB_STOPPED && (s->modes.has_outputs || s->modes.has_modes)) {
        status = fb_point_measure(s, model, stop, t->values, t->message, FB_TRIAL_MESSAGE, &err);
    }
    if (status >= 0 && status != FB_STOPPED) {
        status = measure(s, result, t, work, &err);
    }
    if (status < 0) {
        set_failure(t, err.text);
    }
    fb_result_destroy(result);
    return status == FB_STOPPED ? FB_STOPPED : FB_OK;
}

static void forget_measures(const FbStudy* s, FbTrial* t) {
    for (int i = 0; i < s->n_measures; i++) {
        t->values[s->n_parameters + i] = NAN;
    }
    t->objective = NAN;
}

FbStatus fb_trial_run(const FbStudy* s, const FbStop* stop, FbTrial* t, FbError* err) {
    double start = fb_clock_wall_s();
    FbModel* model = NULL;
    double* work = calloc(s->work_size + 1, sizeof *work);
    if (!work) {
        return fb_fail_memory(err);
    }
    t->status = FB_TRIAL_OK;
    t->message[0] = '\0';
    FbStatus read = read_model(s, t, &model);
    FbStatus status = read == FB_ERR_MEMORY ? fb_fail_memory(err) : FB_OK;
    if (read == FB_OK) {
        status = run_and_measure(s, model, stop, t, work);
    }
    if (t->status == FB_TRIAL_FAILED) {
        forget_measures(s, t);
    }
    fb_model_destroy(model);
    free(work);
    t->wall_s = fb_clock_wall_s() - start;
    return status;
}

bool fb_trial_is_better(const FbStudy* s, const FbTrial* a, const FbTrial* b) {
    if (!a || a->status != FB_TRIAL_OK || isnan(a->objective)) {
        return false;
    }
    if (!b) {
        return true;
    }
    if (a->objective != b->objective) {
        return s->is_maximum ? a->objective > b->objective : a->objective < b->objective;
    }
    return a->start != b->start ? a->start < b->start : a->point < b->point;
}
