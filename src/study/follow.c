// Continuation of modes along the straight line from the model's own parameters to those of a trial
// (section 11.8 of the theory).
//
// A step is good if every mode is found again without doubt and no two eigenvalues have come close
// in it; others are shortened. So two modes whose frequencies approach and veer are distinguished
// from two that cross, down to 1/4096 of the way. Each trial begins at the same point, so it
// depends on no other.
#include "study/follow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/trial.h"
#include "study/variant.h"

static const double LEAST_STEP = 1.0 / 4096.0;
// Two modes that change places in a least step cross if they hardly change otherwise: those that
// veer in a width w are this much different at a distance of 7 w.
static const double CROSSING = 0.98;
// Steps that fail are shortened to this part, which does not come upon special values as a half
// does.
static const double SHORTER = 0.6180339887498949;

FbStatus fb_study_create_point(const FbStudy* s, const FbModel* model, const double* parameters,
                               FbOperatingPoint** out, FbError* err) {
    FbOperatingOptions options = fb_operating_options_default();
    const FbStudyModes* modes = &s->modes;
    FbSteadyRate* rates = calloc((size_t)modes->n_steady + 1, sizeof *rates);
    double* work = calloc(s->work_size + 1, sizeof *work);
    *out = NULL;
    FbStatus status = rates && work ? FB_OK : fb_fail_memory(err);
    for (int i = 0; status == FB_OK && i < modes->n_steady; i++) {
        rates[i] = (FbSteadyRate){modes->steady[i].joint,
                                  fb_study_eval(modes->steady[i].expr, parameters, work)};
    }
    options.kind = modes->is_initial ? FB_AT_INITIAL : FB_AT_EQUILIBRIUM;
    options.steady = rates;
    options.n_steady = modes->n_steady;
    if (status == FB_OK) {
        status = fb_operating_point_create(model, &options, out, err);
    }
    free(rates);
    free(work);
    return status;
}

FbStatus fb_study_create_modes(FbOperatingPoint* op, FbModeSet** out, FbError* err) {
    FbLinearOptions options = fb_linear_options_default();
    FbLinearization* l = NULL;
    *out = NULL;
    FbStatus status = fb_linearization_create(op, &options, &l, err);
    if (status == FB_OK) {
        status = fb_linearization_run(l, err);
    }
    if (status == FB_OK) {
        status = fb_mode_set_create(l, out, err);
    }
    fb_linearization_destroy(l);
    return status;
}

int fb_study_find_mode(const FbModeSet* set, int number, bool counts_all) {
    for (int i = 0; i < fb_mode_set_count(set); i++) {
        const FbMode* m = fb_mode_set_get(set, i);
        bool counts = m->class_ == FB_MODE_PHYSICAL && (counts_all || m->im >= 0.0);
        if (counts && --number == 0) {
            return i;
        }
    }
    return -1;
}

// The parameters at a part of the way.
static void move(const FbStudy* s, const double* end, double at, double* out) {
    for (int i = 0; i < s->n_parameters; i++) {
        double a = s->modes.nominal[i], b = end[i];
        bool is_log = s->parameters[i].is_log && a > 0.0 && b > 0.0;
        out[i] = is_log ? a * pow(b / a, at) : a + at * (b - a);
    }
}

static FbStatus create_at(const FbStudy* s, const double* parameters, FbModeSet** out,
                          FbError* err) {
    char message[FB_TRIAL_MESSAGE];
    FbModel* model = NULL;
    FbOperatingPoint* op = NULL;
    *out = NULL;
    FbStatus status = fb_variant_create(s, parameters, &model, message, sizeof message);
    if (status < 0) {
        status = fb_fail(err, status, NULL, "%s", message);
    }
    if (status == FB_OK) {
        status = fb_study_create_point(s, model, parameters, &op, err);
    }
    if (status == FB_OK) {
        status = fb_study_create_modes(op, out, err);
    }
    fb_operating_point_destroy(op);
    fb_model_destroy(model);
    return status;
}

// Where it is: the modes at the part `at` of the way.
typedef struct Walk {
    const FbStudy* study;
    const double* end;
    const FbModeSet* last;  // at the end of the way
    const FbModeSet* here;
    FbModeSet* owned;  // `here`, where it is to be destroyed
    double at, step;
    double* parameters;  // [n_parameters] scratch
    int *found, *next;   // [n_followed]
} Walk;

// Tries the next step: *is_done if it was taken.
static FbStatus try_step(Walk* w, FbFollowed* out, bool* is_done, FbError* err) {
    const FbStudy* s = w->study;
    double to = w->at + w->step >= 1.0 - 0.5 * LEAST_STEP ? 1.0 : w->at + w->step;
    bool is_least = w->step <= LEAST_STEP;
    FbModeSet* created = NULL;
    FbModeMatch match = {0};
    *is_done = false;
    move(s, w->end, to, w->parameters);
    FbStatus status = to < 1.0 ? create_at(s, w->parameters, &created, err) : FB_OK;
    const FbModeSet* set = to < 1.0 ? created : w->last;
    if (status < 0) {
        return is_least || status == FB_ERR_MEMORY ? status : FB_OK;
    }
    status = fb_mode_set_match(w->here, set, w->found, s->modes.n_followed, w->next, &match, err);
    // Where modes meet on the way, none could be distinguished from the other beyond it.
    bool is_lost = status == FB_OK && match.has_met && to < 1.0;
    match.is_clear &= !is_lost;
    is_least = is_lost ? w->step <= LEAST_STEP / 64.0 : is_least;
    *is_done = status == FB_OK && (is_least || (match.is_clear && !match.has_crossed));
    if (!*is_done) {
        fb_mode_set_destroy(created);
        return status;
    }
    bool is_doubtful = !match.is_clear || (match.has_crossed && match.worst < CROSSING);
    if (is_doubtful && (!out->is_uncertain || match.worst < out->worst)) {
        *out = (FbFollowed){true, match.worst, to, out->n_steps};
    }
    memcpy(w->found, w->next, sizeof(int) * (size_t)s->modes.n_followed);
    fb_mode_set_destroy(w->owned);
    w->owned = created;
    w->here = set;
    w->at = to;
    return FB_OK;
}

static FbStatus walk(Walk* w, const FbStop* stop, FbFollowed* out, FbError* err) {
    while (w->at < 1.0) {
        bool is_done;
        if (stop && stop->is_wanted(stop->self)) {
            return FB_STOPPED;
        }
        FB_TRY(try_step(w, out, &is_done, err));
        out->n_steps++;
        w->step *= is_done ? 2.0 : SHORTER;
        w->step = fmin(w->step, 1.0 - w->at);
    }
    return FB_OK;
}

FbStatus fb_study_follow(const FbStudy* s, const double* parameters, const FbModeSet* end,
                         const FbStop* stop, int* found, FbFollowed* out, FbError* err) {
    size_t n = (size_t)s->modes.n_followed;
    Walk w = {.study = s,
              .end = parameters,
              .last = end,
              .here = s->modes.reference,
              .step = 1.0,
              .parameters = calloc((size_t)s->n_parameters + 1, sizeof(double)),
              .found = found,
              .next = calloc(n + 1, sizeof(int))};
    *out = (FbFollowed){.worst = 1.0};
    memcpy(found, s->modes.followed, sizeof(int) * n);
    FbStatus status = w.parameters && w.next ? walk(&w, stop, out, err) : fb_fail_memory(err);
    fb_mode_set_destroy(w.owned);
    free(w.parameters);
    free(w.next);
    return status;
}
