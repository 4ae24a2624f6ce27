// `flyball run`: assembles, simulates and records a model; prints a summary or one JSON document,
// or writes files.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "damping.h"
#include "load.h"
#include "read/read.h"
#include "run_files.h"
#include "run_report.h"
#include "solve/estimate.h"
#include "solve/stream.h"
#include "terminal.h"

// Output of a run besides its result; NULL: not requested.
typedef struct RunExtras {
    const FbCertificate* certificate;
    FbDamping* damping;
    const char* failure;
    const char* no_estimate;  // why errors were not estimated; "": not requested
    const char* key;          // of the run
    bool is_stopped;  // from outside, before its end: a signal that comes later does not matter
} RunExtras;

static bool has_poses(const Options* options) {
    return options->has_poses || options->report != NULL || options->gltf != NULL;
}

static FbRunOptions make_run_options(const Options* options, const FbModel* model,
                                     ProgressBar* bar) {
    FbRunOptions run = fb_run_options_default(model);
    FbSettings* s = &run.settings;
    s->duration = isnan(options->duration) ? s->duration : options->duration;
    s->sample = isnan(options->sample) ? s->sample : options->sample;
    if (!isnan(options->rtol)) {
        s->atol *= options->rtol / s->rtol;
        s->rtol = options->rtol;
    }
    s->atol = isnan(options->atol) ? s->atol : options->atol;
    s->max_step = isnan(options->max_step) ? s->max_step : options->max_step;
    s->step = isnan(options->step) ? s->step : options->step;
    s->spectral_radius =
        isnan(options->spectral_radius) ? s->spectral_radius : options->spectral_radius;
    s->integrator = options->integrator != NULL ? options->integrator : s->integrator;
    run.progress = show_progress;
    run.progress_self = bar;
    run.record_poses = has_poses(options) || options->vtu != NULL;
    return run;
}

static void print_statistics(const FbResult* result) {
    const FbRunStats* s = fb_result_get_stats(result);
    printf("time         %g ... %g s, %d samples\n", s->t_start, s->t_end,
           fb_result_get_row_count(result));
    bool is_asked = strcmp(s->integrator_reason, "asked for") == 0;
    printf("integrator   %s (%s%s), rtol %g, atol %g\n", s->integrator,
           is_asked ? "" : "auto: ", s->integrator_reason, s->rtol, s->atol);
    printf("steps        %ld, rejected %ld; evaluations %ld, Jacobians %ld, factorizations %ld\n",
           s->steps, s->rejected, s->rhs_evals, s->jacobian_evals, s->factorizations);
    printf("processor    %.4g s (wall %.4g s)\n", s->cpu_s, s->wall_s);
    printf("constraints  largest error %.2g\n", s->max_constraint_error);
    printf("energy       %.9g J at the start, %.9g J at the end, balance %.2g J\n", s->energy_start,
           s->energy_end, s->energy_balance);
}

// "..., up to t = 3.2 s, where the second run had cost half as much as the first"
static void print_range_of_estimate(const FbResult* result, const FbErrorEstimate* e) {
    double end = fb_result_get_stats(result)->t_end;
    bool is_whole = e->until >= end - 1e-9 * fabs(end);
    if (is_whole) {
        printf("\n");
    } else {
        printf(" up to t = %.3g s, where the second run had cost half as much as the first\n",
               e->until);
    }
}

static bool has_differences(const FbResult* result) {
    for (int c = 0; c < fb_result_get_column_count(result); c++) {
        if (fb_result_get_output_error(result, c) > 0.0) {
            return true;
        }
    }
    return false;
}

static void print_estimate(const FbResult* result, const char* missing) {
    const FbErrorEstimate* e = fb_result_get_error_estimate(result);
    if (e == NULL) {
        if (missing[0]) {
            printf("error        not estimated: %s; --accuracy certifies errors\n", missing);
        }
        return;
    }
    const char* worst = fb_model_get_output_name(fb_result_get_model(result), e->worst_output);
    if (isfinite(e->lost_from)) {
        printf("error        digits are lost from t = %.2g s on", e->lost_from);
        if (isfinite(e->tenfold_s)) {
            printf("; errors grow tenfold every %.2g s", e->tenfold_s);
        }
        printf("\n");
    } else if (worst != NULL) {
        printf("error        about %.1g of %s %s, less for the other outputs", e->relative,
               fb_estimate_describe_scale(result, e->worst_output), worst);
        print_range_of_estimate(result, e);
    } else {
        printf("error        %s", has_differences(result)
                                      ? "as large as the outputs move, compared with a second run "
                                        "with longer steps: they have no digits"
                                      : "no output differs in a second run with longer steps");
        print_range_of_estimate(result, e);
    }
}

static void print_events(const FbResult* result) {
    enum { SHOWN = 20 };
    int n = fb_result_get_event_count(result);
    for (int e = 0; e < n && e < SHOWN; e++) {
        FbEventRecord event;
        fb_result_get_event(result, e, &event);
        printf("event        %s at t = %.12g s\n", event.name, event.t);
    }
    if (n > SHOWN) {
        printf("event        ... and %d more (--json lists all)\n", n - SHOWN);
    }
}

static void print_finals(const FbResult* result) {
    const FbModel* model = fb_result_get_model(result);
    int last = fb_result_get_row_count(result) - 1;
    if (last < 0 || fb_result_get_column_count(result) == 0) {
        return;
    }
    printf("\noutputs at t = %g s\n", fb_result_get_time(result, last));
    for (int c = 0; c < fb_result_get_column_count(result); c++) {
        printf("  %-24s %22.15g %s\n", fb_model_get_output_name(model, c),
               fb_result_get_value(result, last, c), fb_model_get_output_unit(model, c));
    }
}

static void print_summary(const FbResult* result, const char* no_estimate) {
    FbModelInfo info;
    fb_model_get_info(fb_result_get_model(result), &info);
    printf("model        %s\n", info.name);
    print_statistics(result);
    print_estimate(result, no_estimate);
    print_events(result);
    print_finals(result);
}

// The JSON document of the run, in a file beside the table, on stdout, or both.
static FbStatus write_document(const Options* options, const FbResult* result,
                               const FbRunRecord* record, bool is_stopped, RunFiles* files,
                               FbError* err) {
    char* document = NULL;
    FbStatus status = fb_result_json(result, record, &document, err);
    if (status == FB_OK && files->csv.length > 0 && !files->stays_part) {
        status = replace_results(files, document, is_stopped, err);
    }
    if (status == FB_OK && options->is_json) {
        print_whole_document(document);
    }
    fb_free(document);
    return status;
}

static FbStatus write_result(const Options* options, const LoadedModel* loaded,
                             const FbResult* result, const RunExtras* extras, RunFiles* files,
                             FbError* err) {
    if (files->csv.length > 0) {
        FB_TRY(fb_run_file_finish(&files->table, files->csv_sha256, err));
        files->stays_part = must_stay_part(files, extras->is_stopped);
    }
    const char** warnings =
        malloc(sizeof(char*) * (size_t)(fb_diagnostics_count(loaded->diagnostics) + 1));
    if (warnings == NULL) {
        return fb_fail_memory(err);
    }
    FbRunRecord record = {
        .model_path = loaded->path,
        .model_sha256 = loaded->sha256,
        .csv_path = files->stays_part ? files->table.part_path : files->csv.data,
        .csv_sha256 = files->csv.length > 0 ? files->csv_sha256 : NULL,
        .run_sha256 = extras->key,
        .load_s = loaded->load_s,
        .warnings = warnings,
        .n_warnings = get_warnings(loaded->diagnostics, warnings),
        .failure = extras->failure,
        .certificate = extras->certificate,
        .damping = extras->damping,
    };
    FbStatus status = write_document(options, result, &record, extras->is_stopped, files, err);
    if (status == FB_OK && files->other.length > 0 && !files->stays_part) {
        status = fb_result_write(result, options->format, files->other.data, err);
    }
    free(warnings);
    return status;
}

static void print_certificate(const FbResult* result, const FbCertificate* c) {
    const char* worst = fb_model_get_output_name(fb_result_get_model(result), c->worst_output);
    if (c->is_reached) {
        printf(
            "\naccuracy     certified: error of all outputs below %.2g of their largest values "
            "(requested: %.2g)\n",
            c->estimate, c->target);
    } else {
        printf("\naccuracy     NOT certified (requested: %.2g): %s\n", c->target, c->message);
        if (isfinite(c->difference)) {
            printf("             the last two runs differ by %.2g\n", c->difference);
        }
    }
    if (worst) {
        printf("             worst: %s\n", worst);
    }
    printf("             by %d runs, the last at rtol %.2g", c->n_runs, c->rtol);
    if (c->has_cross_check) {
        printf("; %s at rtol %.2g differs by %.2g", c->cross_integrator, c->cross_rtol,
               c->cross_difference);
    }
    printf("\n");
}

// The printed text: the summary (not when only files were requested quietly) and where the files
// are.
static void tell_people(const Options* options, const FbResult* result, const RunExtras* extras,
                        const RunFiles* files) {
    bool has_files = files->csv.length > 0;
    if (!options->is_json && !(has_files && options->is_quiet)) {
        print_summary(result, extras->no_estimate);
        if (extras->damping) {
            print_damping(extras->damping);
        }
        if (extras->certificate) {
            print_certificate(result, extras->certificate);
        }
    }
    if (!options->is_quiet) {
        for (int w = 0; w < fb_result_get_warning_count(result); w++) {
            print_warning("%s", fb_result_get_warning(result, w));
        }
        if (has_files && files->stays_part) {
            print_note("wrote %s; %s is still the earlier, complete result", files->table.part_path,
                       files->csv.data);
        } else if (has_files) {
            bool has_motion = files->has_motion;
            print_note("wrote %s%s %s%s%s", files->csv.data, has_motion ? "," : " and",
                       files->json.data, has_motion ? " and " : "",
                       has_motion ? files->motion.data : "");
        }
        if (files->other.length > 0 && !files->stays_part) {
            print_note("wrote %s", files->other.data);
        }
        if (files->report != NULL) {
            print_note("wrote %s", files->report);
        }
        if (options->gltf != NULL) {
            print_note("wrote %s", options->gltf);
        }
    }
}

// An interrupted or failed run keeps what it has, and says so.
static int tell_end(const Options* options, const FbResult* result, bool is_stopped,
                    FbStatus status, const FbError* err) {
    const FbRunStats* s = fb_result_get_stats(result);
    int n_rows = fb_result_get_row_count(result);
    const char* where = options->output != NULL ? "written" : "shown";
    if (is_stopped) {
        print_note("interrupted at t = %g s; the %d samples computed so far are kept and %s%s",
                   s->t_end, n_rows, where,
                   options->output != NULL ? "; --resume continues the run" : "");
        return EXIT_INTERRUPTED;
    }
    if (status < 0) {
        print_error(err);
        print_note("the %d samples computed so far are kept and %s", n_rows, where);
    }
    // The model was good enough to start with; a slider that leaves its guide is a failed run.
    int code = exit_code_of(status);
    return code == EXIT_MODEL ? EXIT_COMPUTATION : code;
}

// The requested vibration; a warning if the run is too short for it.
static FbDamping* examine_vibration(const Options* options, const FbResult* result,
                                    const FbDampingDef* def) {
    FbDamping* damping = NULL;
    FbError err;
    if (def == NULL) {
        return NULL;
    }
    if (fb_damping_create(result, def, &damping, &err) < 0) {
        print_warning("%s", err.text);
    } else if (!damping->is_complete && !options->is_quiet) {
        print_warning("%s shows %d full cycles%s; simulate longer", def->output, damping->n_cycles,
                      def->cycles > 0 ? ", fewer than requested" : "");
    }
    return damping;
}

static FbStatus write_fields(const Options* options, const FbResult* result, FbError* err) {
    int n_frames, n_rows = fb_result_get_row_count(result);
    FB_TRY(fb_result_write_fields(result, options->vtu, &n_frames, err));
    if (!options->is_quiet) {
        print_note("wrote %d of %d samples as VTU files into %s", n_frames, n_rows, options->vtu);
    }
    return FB_OK;
}

static int finish_run(const Options* options, const LoadedModel* loaded, const FbResult* result,
                      RunExtras* extras, RunFiles* files, FbStatus status,
                      const FbError* run_error) {
    extras->is_stopped = status == FB_STOPPED && is_interrupted();
    extras->failure = status < 0 ? run_error->text : extras->is_stopped ? "interrupted" : NULL;
    const FbCertificate* certificate = extras->certificate;
    FbError err;
    FbStatus written = write_result(options, loaded, result, extras, files, &err);
    bool has_motion = files->has_motion && files->csv.length > 0 && !files->stays_part;
    if (written >= 0 && (files->report != NULL || has_motion || options->gltf != NULL)) {
        RunViews views = {.certificate = certificate,
                          .damping = extras->damping,
                          .failure = extras->failure,
                          .report_path = files->report,
                          .gltf_path = options->gltf,
                          .motion_path = has_motion ? files->motion.data : NULL};
        written = write_run_views(loaded, result, &views, &err);
    }
    if (written >= 0 && options->vtu != NULL) {
        written = write_fields(options, result, &err);
    }
    if (written < 0) {
        print_error(&err);
        return exit_code_of(written);
    }
    tell_people(options, result, extras, files);
    int code = tell_end(options, result, extras->is_stopped, status, run_error);
    return code == EXIT_OK && certificate && !certificate->is_reached ? EXIT_LIMIT : code;
}

// Errors are estimated on request, or if it takes little time; if that fails, `missing` says why.
static void estimate_error(const Options* options, const FbRunOptions* run, FbStatus status,
                           FbResult* result, FbError* missing) {
    static const double LITTLE_S = 1.5;
    bool is_wanted = options->has_estimate || fb_result_get_stats(result)->cpu_s < LITTLE_S;
    if (status < 0 || is_interrupted() || options->has_no_estimate || !is_wanted ||
        fb_result_get_row_count(result) < 2 || fb_result_get_column_count(result) == 0) {
        return;
    }
    FbRunOptions companion = *run;
    if (!options->has_estimate) {
        companion.progress = NULL;
    }
    if (fb_result_estimate_error(result, &companion, missing) >= 0) {
        missing->text[0] = '\0';
    } else if (options->has_estimate) {
        print_warning("the errors could not be estimated: %s", missing->text);
    }
}

// Rows, or poses with them, that something needs all of at the end.
static bool needs_all_rows(const Options* options, const FbDampingDef* vibration) {
    bool is_other = options->format != NULL && strcmp(options->format, "fbr") != 0;
    return has_poses(options) || options->vtu != NULL || is_other || options->has_estimate ||
           vibration != NULL || !isnan(options->accuracy);
}

// A certified run is one of several: its rows are written when it is known which.
static FbStatus certify(const Options* options, const FbModel* model, const FbRunOptions* run,
                        RunFiles* files, FbResult** result, FbCertificate* certificate,
                        FbError* err) {
    FbStatus status =
        fb_simulate_accurately(model, run, options->accuracy, result, certificate, err);
    if (*result != NULL && files->csv.length > 0) {
        FbError write_error;
        FbStatus written = fb_run_file_write_result(&files->table, *result, &write_error);
        if (written < 0) {
            *err = write_error;
            return written;
        }
    }
    return status;
}

static FbStatus simulate(const FbModel* model, const FbRunOptions* run, bool keeps_rows,
                         RunFiles* files, FbResult** result, FbError* err) {
    const FbRunFile* table = &files->table;
    FbStreaming how = {.sink = files->csv.length > 0 ? &table->sink : NULL,
                       .keeps_rows = keeps_rows,
                       .state = table->state,
                       .state_size = table->state_size,
                       .rows = table->before.cells,
                       .n_rows = table->before.n_rows};
    return fb_simulate_streaming(model, run, &how, result, err);
}

// The disk is full, or the like: what was written stays.
static int tell_write_failure(const RunFiles* files, const FbError* err) {
    print_error(err);
    if (files->table.has_part_name) {
        print_note("the rows so far are in %s; --resume continues the run", files->table.part_path);
    }
    return EXIT_FILE;
}

static int print_saved_document(const RunFiles* files) {
    char* text;
    size_t size;
    FbError err;
    FbStatus status = fb_read_result_file(files->json.data, &text, &size, &err);
    if (status < 0) {
        print_error(&err);
        return exit_code_of(status);
    }
    print_whole_document(text);
    free(text);
    return EXIT_OK;
}

static int run_loaded(const Options* options, const LoadedModel* loaded, RunFiles* files,
                      const FbDampingDef* vibration) {
    FbModelInfo info;
    fb_model_get_info(loaded->model, &info);
    ProgressBar bar;
    init_progress(&bar, info.name, options->is_quiet);
    FbRunOptions run = make_run_options(options, loaded->model, &bar);
    char key[65];
    fb_run_key(loaded->model, &run, key);
    if (options->is_resume && is_complete(files, key)) {
        print_note("%s is complete: nothing to continue", files->csv.data);
        return options->is_json ? print_saved_document(files) : EXIT_OK;
    }
    FbResult* result = NULL;
    FbError err;
    FbCertificate certificate;
    bool is_certified = !isnan(options->accuracy);
    bool keeps_rows = needs_all_rows(options, vibration);
    FbStatus status = open_table(options, loaded->model, keeps_rows, files, &err);
    if (status == FB_OK) {
        status = is_certified
                     ? certify(options, loaded->model, &run, files, &result, &certificate, &err)
                     : simulate(loaded->model, &run, keeps_rows, files, &result, &err);
    }
    FbError missing = {0};
    if (result != NULL && !is_certified) {
        estimate_error(options, &run, status, result, &missing);
    }
    end_progress(&bar);
    int code;
    if (result == NULL) {
        code = report_error(options, loaded->path, &err);
    } else if (files->table.has_failed) {
        code = tell_write_failure(files, &err);
    } else {
        RunExtras extras = {.certificate = is_certified ? &certificate : NULL,
                            .no_estimate = missing.text,
                            .key = key,
                            .damping = examine_vibration(options, result, vibration)};
        code = finish_run(options, loaded, result, &extras, files, status, &err);
        fb_damping_destroy(extras.damping);
    }
    fb_result_destroy(result);
    return code;
}

// `list`: all of them with what reads them, for the message.
static bool is_format(const char* name, char* list, size_t size) {
    const char *format, *doc;
    bool is_known = false;
    list[0] = '\0';
    for (int i = 0; (format = fb_result_get_format(i, &doc)) != NULL; i++) {
        size_t used = strlen(list);
        is_known = is_known || strcmp(format, name) == 0;
        snprintf(list + used, size - used, "%s%s (%s)", i > 0 ? ", " : "", format, doc);
    }
    return is_known;
}

int cmd_run(const Options* options) {
    if (!isnan(options->accuracy) && (!isnan(options->rtol) || !isnan(options->atol))) {
        return usage_error(options, "--accuracy chooses the tolerances; remove --rtol and --atol");
    }
    if (options->has_poses && options->output == NULL) {
        return usage_error(options, "--poses writes into the output folder; give one with -o");
    }
    if (options->format != NULL && options->output == NULL) {
        return usage_error(options, "--format writes into the output folder; give one with -o");
    }
    if (options->is_resume && options->output == NULL) {
        return usage_error(options,
                           "--resume continues a run in the output folder; give it with "
                           "-o");
    }
    if (options->is_resume &&
        (has_poses(options) || options->vtu != NULL || !isnan(options->accuracy))) {
        return usage_error(options,
                           "--resume has the rows of the run so far, not its poses; "
                           "remove --report, --poses, --gltf, --vtu and --accuracy");
    }
    char formats[256];
    if (options->format != NULL && !is_format(options->format, formats, sizeof(formats))) {
        return usage_error(options, "there is no result format '%s'; use one of: %s",
                           options->format, formats);
    }
    LoadedModel loaded;
    int code = load_model(options, options->operands[0], &loaded);
    char name[256];
    FbDampingDef asked;
    const FbDampingDef* vibration = NULL;
    if (code == EXIT_OK) {
        code = choose_damping(options, loaded.model, name, &asked, &vibration);
    }
    if (code == EXIT_OK) {
        RunFiles files;
        FbError err;
        if (prepare_files(options, loaded.model, has_poses(options), &files, &err) < 0) {
            code = report_error(options, loaded.path, &err);
        } else {
            code = run_loaded(options, &loaded, &files, vibration);
        }
        free_files(&files);
    }
    free_model(&loaded);
    return code;
}
