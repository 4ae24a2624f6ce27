// `flyball linearize`: linearizes a model by one method or by all, in joint or absolute
// coordinates, and classifies every eigenvalue.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "linear_report.h"
#include "lowest.h"
#include "operating.h"
#include "record/json_pair.h"
#include "run_report.h"
#include "terminal.h"

enum { MAX_RUNS = 2 * FB_N_METHODS };

typedef struct Work {
    const Options* options;
    bool has_method[FB_N_METHODS];
    bool wants_joint, wants_absolute, wants_all;
    FbExactValue exact[MAX_LIST];
    LoadedModel loaded;
    FbOperatingPoint* point;
    FbModel* absolute_model;
    FbOperatingPoint* absolute_point;
    MethodRun runs[MAX_RUNS];
    int n_runs;
} Work;

static int read_method(Work* w) {
    const char* name = w->options->method != NULL ? w->options->method : "independent";
    w->wants_all = strcmp(name, "all") == 0;
    int method = fb_find_method(name);
    if (method < 0 && !w->wants_all) {
        const char* names[FB_N_METHODS + 1] = {"all"};
        memcpy(names + 1, fb_method_names, sizeof fb_method_names);
        const char* close = fb_did_you_mean(name, names, FB_N_METHODS + 1);
        char hint[HINT_ROOM];
        return usage_error(
            w->options,
            "unknown method '%s'%s There are: independent, descriptor, ode, penalty, all", name,
            hint_of(close, ".", hint));
    }
    for (int m = 0; m < FB_N_METHODS; m++) {
        w->has_method[m] = w->wants_all || m == method;
    }
    return EXIT_OK;
}

static int read_coordinates(Work* w) {
    const char* name = w->options->coordinates != NULL ? w->options->coordinates : "joint";
    w->wants_joint = strcmp(name, "joint") == 0 || strcmp(name, "both") == 0;
    w->wants_absolute = strcmp(name, "absolute") == 0 || strcmp(name, "both") == 0;
    return w->wants_joint || w->wants_absolute
               ? EXIT_OK
               : usage_error(w->options,
                             "--coordinates is '%s'; it must be joint, absolute or both", name);
}

static int read_exact(Work* w) {
    for (int i = 0; i < w->options->exact.n; i++) {
        const char* text = w->options->exact.items[i];
        const char* comma = strchr(text, ',');
        FbExactValue* e = &w->exact[i];
        if (comma == NULL || !fb_parse_double(text, (size_t)(comma - text), &e->re) ||
            !fb_parse_double(comma + 1, strlen(comma + 1), &e->im) || !isfinite(e->re + e->im)) {
            return usage_error(w->options, "--exact is '%s'; it must be RE,IM in 1/s", text);
        }
    }
    return EXIT_OK;
}

static int make_absolute(Work* w) {
    FbError err;
    FbStatus status =
        fb_model_create_absolute(w->loaded.def, &w->absolute_model, w->loaded.diagnostics);
    if (status < 0) {
        status =
            fb_fail(&err, status, NULL, "absolute coordinates are not available for this model");
    } else {
        status =
            fb_operating_point_create_like(w->absolute_model, w->point, &w->absolute_point, &err);
    }
    return status < 0 ? report_failure(w->options, w->loaded.path, &err) : EXIT_OK;
}

static FbStatus execute(Work* w, FbOperatingPoint* point, MethodRun* run, FbError* err) {
    FbLinearOptions options = fb_linear_options_default();
    options.method = run->method;
    options.penalty = isnan(w->options->penalty) ? options.penalty : w->options->penalty;
    options.baumgarte_rate = isnan(w->options->baumgarte) ? 0.0 : w->options->baumgarte;
    FB_TRY(fb_linearization_create(point, &options, &run->linearization, err));
    FbStatus status = fb_linearization_run_repeatedly(run->linearization, run->repeat,
                                                      is_interrupted, &run->time_s, err);
    if (status == FB_OK && w->options->exact.n > 0) {
        status = fb_calc_spectrum_error(run->linearization, w->exact, w->options->exact.n,
                                        &run->error, err);
    }
    if (status < 0) {
        fb_linearization_destroy(run->linearization);
        run->linearization = NULL;
    }
    return status;
}

// If one of several methods fails, this is listed with the others; a single method that fails makes
// the command fail.
static int add_run(Work* w, bool is_absolute, FbLinearMethod method) {
    MethodRun* run = &w->runs[w->n_runs++];
    *run = (MethodRun){.method = method,
                       .coordinates = is_absolute ? "absolute" : "joint",
                       .model = is_absolute ? w->absolute_model : w->loaded.model,
                       .repeat = w->options->repeat > 0 ? w->options->repeat : 1,
                       .time_s = NAN,
                       .error = NAN};
    FbError err;
    FbStatus status = execute(w, is_absolute ? w->absolute_point : w->point, run, &err);
    if (status == FB_STOPPED) {
        print_note("interrupted");
        return EXIT_INTERRUPTED;
    }
    if (status < 0 && !(w->wants_all && err.status == FB_ERR_UNAVAILABLE)) {
        return report_failure(w->options, w->loaded.path, &err);
    }
    if (status < 0) {
        snprintf(run->failure, sizeof run->failure, "%s", err.text);
    }
    return EXIT_OK;
}

static int run_methods(Work* w) {
    note_size(w->options, w->point);
    int code = w->wants_absolute ? make_absolute(w) : EXIT_OK;
    for (int m = 0; m < FB_N_METHODS && code == EXIT_OK; m++) {
        if (w->has_method[m] && w->wants_joint) {
            code = add_run(w, false, (FbLinearMethod)m);
        }
        if (w->has_method[m] && w->wants_absolute && code == EXIT_OK) {
            code = add_run(w, true, (FbLinearMethod)m);
        }
    }
    return code;
}

// The matrices are always those of the independent method in joint coordinates.
static FbStatus save_matrices(Work* w, FbError* err) {
    FbLinearOptions options = fb_linear_options_default();
    FbLinearization* l = NULL;
    FbStatus status = fb_linearization_create(w->point, &options, &l, err);
    if (status >= 0) {
        status = fb_linearization_run(l, err);
    }
    if (status >= 0) {
        status = write_matrices(w->options->matrices, l, err);
    }
    fb_linearization_destroy(l);
    return status;
}

static FbStatus save_report(Work* w, FbError* err) {
    FbReportMethod methods[MAX_RUNS];
    ReportContext context;
    FbReportOptions options;
    FbStatus status = init_report(&context, &w->loaded, &options, err);
    for (int i = 0; i < w->n_runs; i++) {
        methods[i] = report_method(&w->runs[i]);
    }
    if (status >= 0) {
        status = fb_report_write_methods(methods, w->n_runs, &options, w->options->report, err);
    }
    free_report(&context);
    return status;
}

static FbStatus save_files(Work* w, FbError* err) {
    const Options* o = w->options;
    if (o->report != NULL) {
        FB_TRY(save_report(w, err));
    }
    if (o->output != NULL) {
        FB_TRY(write_solution(o->output, o, &w->loaded, w->point, w->runs, w->n_runs, err));
    }
    if (o->matrices != NULL) {
        FB_TRY(save_matrices(w, err));
    }
    if (!o->is_quiet && o->output != NULL) {
        print_note("wrote %s", o->output);
    }
    if (!o->is_quiet && o->report != NULL) {
        print_note("wrote %s", o->report);
    }
    if (!o->is_quiet && o->matrices != NULL) {
        print_note("wrote M, C, K, A, B, Cy, D and names.json to %s", o->matrices);
    }
    return FB_OK;
}

static int print_linear_document(const Work* w) {
    Document document;
    begin_document(&document);
    fb_json_begin_object(&document.json);
    fb_json_pair_text(&document.json, "model", w->loaded.path);
    fb_json_pair_text(&document.json, "model_sha256", w->loaded.sha256);
    fb_json_pair_text(&document.json, "version", fb_version());
    fb_json_pair_number(&document.json, "load_s", w->loaded.load_s);
    write_point(&document.json, w->options, w->point);
    write_methods(&document.json, w->runs, w->n_runs);
    fb_json_end_object(&document.json);
    return print_document(&document);
}

static int print_answer(Work* w) {
    FbError err;
    if (save_files(w, &err) < 0) {
        return report_failure(w->options, w->loaded.path, &err);
    }
    note_drift(w->options, w->point);
    if (w->options->is_json) {
        return print_linear_document(w);
    }
    FbModelInfo info;
    fb_model_get_info(w->loaded.model, &info);
    printf("model        %s\n", info.name);
    print_point(w->options, w->point, FEW_COORDINATES);
    print_methods(w->runs, w->n_runs);
    return EXIT_OK;
}

static void free_work(Work* w) {
    for (int i = 0; i < w->n_runs; i++) {
        fb_linearization_destroy(w->runs[i].linearization);
    }
    fb_operating_point_destroy(w->absolute_point);
    fb_operating_point_destroy(w->point);
    fb_model_destroy(w->absolute_model);
    free_model(&w->loaded);
}

int cmd_linearize(const Options* options) {
    Work w = {.options = options};
    int code = read_method(&w);
    code = code == EXIT_OK ? read_coordinates(&w) : code;
    code = code == EXIT_OK ? read_exact(&w) : code;
    code = code == EXIT_OK ? load_model(options, options->operands[0], &w.loaded) : code;
    code = code == EXIT_OK ? find_operating_point(options, &w.loaded, &w.point) : code;
    code = code == EXIT_OK ? run_methods(&w) : code;
    code = code == EXIT_OK ? print_answer(&w) : code;
    free_work(&w);
    return code;
}
