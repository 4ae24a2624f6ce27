// The report of a linearized benchmark case: all methods in both sets of coordinates, with their
// errors and times.
#include "bench_methods.h"

#include <math.h>

#include "base/error.h"
#include "linear/spectrum.h"
#include "terminal.h"
#include "view/methods.h"
#include "view/thumbnail.h"

enum { MAX_RUNS = 2 * FB_N_METHODS, MAX_EXACT = 64 };

typedef struct Work {
    FbOperatingPoint *point, *absolute_point;
    FbModel* absolute_model;
    FbExactValue exact[MAX_EXACT];
    int n_exact, repeat;
    FbReportMethod runs[MAX_RUNS];
    char failures[MAX_RUNS][FB_ERROR_TEXT];
    int n_runs;
} Work;

// The exact values and the number of timed executions that the measures of the case name.
static void read_measures(Work* w, const FbBenchCase* c) {
    w->repeat = 1;
    for (int k = 0; k < c->n_measures; k++) {
        const FbCaseMeasure* m = &c->measures[k];
        if (m->kind == FB_CASE_LINEARIZATION_TIME && m->repeat > w->repeat) {
            w->repeat = m->repeat;
        }
        for (int i = 0; m->kind == FB_CASE_EIGENVALUES && w->n_exact == 0 && i < m->n_exact / 2 &&
                        i < MAX_EXACT;
             i++) {
            w->exact[i] = (FbExactValue){m->exact[2 * i], m->exact[2 * i + 1]};
        }
        if (m->kind == FB_CASE_EIGENVALUES && w->n_exact == 0) {
            w->n_exact = m->n_exact / 2 < MAX_EXACT ? m->n_exact / 2 : MAX_EXACT;
        }
    }
}

// Not every model has absolute coordinates; the others are shown without.
static FbStatus find_points(Work* w, const LoadedModel* loaded, FbError* err) {
    FbOperatingOptions at = fb_operating_options_default();
    at.kind = FB_AT_EQUILIBRIUM;
    FB_TRY(fb_operating_point_create(loaded->model, &at, &w->point, err));
    FbError ignored;
    if (fb_model_create_absolute(loaded->def, &w->absolute_model, loaded->diagnostics) >= 0 &&
        fb_operating_point_create_like(w->absolute_model, w->point, &w->absolute_point, &ignored) <
            0) {
        w->absolute_point = NULL;
    }
    return FB_OK;
}

static FbStatus execute(Work* w, FbOperatingPoint* point, FbLinearMethod method,
                        FbReportMethod* run, FbError* err) {
    FbLinearOptions options = fb_linear_options_default();
    options.method = method;
    FB_TRY(fb_linearization_create(point, &options, &run->l, err));
    FB_TRY(fb_linearization_run_repeatedly(run->l, w->repeat, is_interrupted, &run->time_s, err));
    return w->n_exact > 0 ? fb_calc_spectrum_error(run->l, w->exact, w->n_exact, &run->error, err)
                          : FB_OK;
}

// A method that fails is listed with its reason.
static void add_run(Work* w, FbOperatingPoint* point, FbLinearMethod method) {
    FbReportMethod* run = &w->runs[w->n_runs];
    *run = (FbReportMethod){.method = fb_method_names[method],
                            .coordinates = point == w->point ? "joint" : "absolute",
                            .error = NAN,
                            .time_s = NAN,
                            .repeat = w->repeat};
    FbError err = {0};
    if (execute(w, point, method, run, &err) != FB_OK) {
        fb_linearization_destroy(run->l);
        run->l = NULL;
        snprintf(w->failures[w->n_runs], FB_ERROR_TEXT, "%s", err.text);
        run->failure = w->failures[w->n_runs];
    }
    w->n_runs++;
}

FbStatus write_methods_page(const LoadedModel* loaded, const FbBenchCase* c,
                            const FbReportOptions* options, const char* path, char** thumbnail,
                            FbError* err) {
    Work w = {0};
    *thumbnail = NULL;
    read_measures(&w, c);
    FbStatus status = find_points(&w, loaded, err);
    for (int m = 0; m < FB_N_METHODS && status >= 0 && !is_interrupted(); m++) {
        add_run(&w, w.point, (FbLinearMethod)m);
        if (w.absolute_point != NULL) {
            add_run(&w, w.absolute_point, (FbLinearMethod)m);
        }
    }
    if (status >= 0) {
        status = fb_report_write_methods(w.runs, w.n_runs, options, path, err);
        *thumbnail = fb_thumbnail_create_at(w.point, THUMB_WIDTH, THUMB_HEIGHT);
    }
    for (int i = 0; i < w.n_runs; i++) {
        fb_linearization_destroy(w.runs[i].l);
    }
    fb_operating_point_destroy(w.absolute_point);
    fb_operating_point_destroy(w.point);
    fb_model_destroy(w.absolute_model);
    return status;
}
