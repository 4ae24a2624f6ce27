// From a file name to a compiled model, with every error reported and the right exit code.
#include "load.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/sha256.h"
#include "read/read.h"
#include "record/json_pair.h"
#include "terminal.h"

int exit_code_of(FbStatus status) {
    switch (status) {
        case FB_OK:
        case FB_RETRY:
        case FB_STOPPED:
            return EXIT_OK;
        case FB_ERR_IO:
            return EXIT_FILE;
        case FB_ERR_SYNTAX:
        case FB_ERR_NAME:
        case FB_ERR_UNIT:
        case FB_ERR_RANGE:
        case FB_ERR_MODEL:
        case FB_ERR_ASSEMBLY:
            return EXIT_MODEL;
        case FB_ERR_ARGUMENT:
            return EXIT_USAGE;
        case FB_ERR_ACCURACY:
            return EXIT_LIMIT;
        case FB_ERR_MEMORY:
        case FB_ERR_SINGULAR:
        case FB_ERR_CONVERGENCE:
        case FB_ERR_UNAVAILABLE:
            return EXIT_COMPUTATION;
    }
    return EXIT_COMPUTATION;
}

int exit_code_of_run(const Options* options, FbStatus status) {
    bool is_integrator = status == FB_ERR_NAME || status == FB_ERR_UNAVAILABLE;
    return options->integrator != NULL && is_integrator ? EXIT_USAGE : exit_code_of(status);
}

static void begin_errors(Document* document, const char* model_path) {
    begin_document(document);
    fb_json_begin_object(&document->json);
    fb_json_pair_text(&document->json, "model", model_path);
    fb_json_key(&document->json, "errors");
    fb_json_begin_array(&document->json);
}

static void print_errors_document(Document* document) {
    fb_json_end_array(&document->json);
    fb_json_end_object(&document->json);
    print_document(document);
}

int report_error(const Options* options, const char* model_path, const FbError* err) {
    print_error(err);
    if (options->is_json) {
        Document document;
        begin_errors(&document, model_path);
        write_problem(&document.json, &err->place, err->text);
        print_errors_document(&document);
    }
    return exit_code_of_run(options, err->status);
}

int report_failure(const Options* options, const char* model_path, const FbError* err) {
    int code = report_error(options, model_path, err);
    return code == EXIT_MODEL && err->status != FB_ERR_ASSEMBLY ? EXIT_COMPUTATION : code;
}

// A part that is repeated or generated repeats its error. Beyond the first FIRST_SHOWN messages,
// those with a text that was shown SAME_SHOWN times are only counted.
enum { FIRST_SHOWN = 50, SAME_SHOWN = 3 };

static bool was_shown_often(const FbDiagnostics* list, int first, int index) {
    const FbDiagnostic* d = fb_diagnostics_get(list, index);
    int same = 0;
    for (int i = first; i < first + FIRST_SHOWN && same < SAME_SHOWN; i++) {
        same += strcmp(fb_diagnostics_get(list, i)->text, d->text) == 0;
    }
    return same == SAME_SHOWN;
}

void report_diagnostics(const Options* options, const LoadedModel* loaded, int first) {
    const FbDiagnostics* list = loaded->diagnostics;
    int n_left_out = 0;
    for (int i = first; i < fb_diagnostics_count(list); i++) {
        const FbDiagnostic* d = fb_diagnostics_get(list, i);
        if (d->severity != FB_SEVERE && options->is_quiet) {
            continue;
        }
        if (i >= first + FIRST_SHOWN && was_shown_often(list, first, i)) {
            n_left_out++;
        } else {
            print_diagnostic(d);
        }
    }
    if (n_left_out > 0) {
        print_note(
            "%s: %d further messages repeat texts above at other places; --json lists them all",
            loaded->path, n_left_out);
    }
}

// Is this a fault of a --set on the command line, and not of the file?
static bool is_override_error(const FbDiagnostic* d) {
    static const char option[] = "--set ";
    bool has_file = d->place.file != NULL && d->place.file[0] != '\0';
    return strncmp(has_file ? d->place.file : d->text, option, strlen(option)) == 0;
}

static void print_errors(const LoadedModel* loaded) {
    Document document;
    begin_errors(&document, loaded->path);
    for (int i = 0; i < fb_diagnostics_count(loaded->diagnostics); i++) {
        const FbDiagnostic* d = fb_diagnostics_get(loaded->diagnostics, i);
        if (d->severity == FB_SEVERE) {
            write_problem(&document.json, &d->place, d->text);
        }
    }
    print_errors_document(&document);
}

int report_errors(const Options* options, const LoadedModel* loaded, FbStatus status) {
    report_diagnostics(options, loaded, 0);
    if (options->is_json) {
        print_errors(loaded);
    }
    int n_errors = fb_diagnostics_error_count(loaded->diagnostics);
    int n_override_errors = 0;
    for (int i = 0; i < fb_diagnostics_count(loaded->diagnostics); i++) {
        const FbDiagnostic* d = fb_diagnostics_get(loaded->diagnostics, i);
        n_override_errors += d->severity == FB_SEVERE && is_override_error(d);
    }
    if (n_errors == 0) {
        print_note("%s: %s", loaded->path, fb_status_text(status));
    } else if (n_errors > 1 && !options->is_quiet) {
        print_note("%s: %d errors", loaded->path, n_errors);
    }
    return n_errors > 0 && n_override_errors == n_errors ? EXIT_USAGE : exit_code_of(status);
}

static FbStatus compile(const Options* options, const char* text, size_t size,
                        FbStatus (*add)(FbModelDef*, FbError*), LoadedModel* loaded) {
    bool is_drawn = options->report != NULL || options->has_poses || options->gltf != NULL;
    FbReadOptions read_options = {.overrides = options->overrides,
                                  .n_overrides = options->n_overrides,
                                  .size_limit = options->size_limit,
                                  .meshes = options->vtu ? FB_MESH_WHOLE
                                            : is_drawn   ? FB_MESH_SURFACE
                                                         : FB_MESH_DROPPED};
    FbStatus status = fb_model_def_read_text(text, size, loaded->path, &read_options, &loaded->def,
                                             loaded->diagnostics);
    FbError err;
    if (status == FB_OK && add != NULL && (status = add(loaded->def, &err)) < 0) {
        fb_diagnose_error(loaded->diagnostics, &err);
    }
    if (status == FB_OK) {
        status = fb_model_create(loaded->def, &loaded->model, loaded->diagnostics);
    }
    return status;
}

// Longer model files are not copied into reports.
enum { MAX_SHOWN_TEXT = 300000 };

int load_model(const Options* options, const char* path, LoadedModel* loaded) {
    return load_model_with(options, path, NULL, loaded);
}

int load_model_with(const Options* options, const char* path,
                    FbStatus (*add)(FbModelDef*, FbError*), LoadedModel* loaded) {
    *loaded = (LoadedModel){.path = path};
    double start = fb_clock_wall_s();
    loaded->diagnostics = fb_diagnostics_create();
    if (loaded->diagnostics == NULL) {
        print_note("out of memory");
        return EXIT_COMPUTATION;
    }
    char* text;
    size_t size;
    FbError err;
    if (fb_read_file(path, &text, &size, &err) < 0) {
        return report_error(options, path, &err);
    }
    fb_sha256_hex(text, size, loaded->sha256);
    FbStatus status = compile(options, text, size, add, loaded);
    loaded->text = size <= MAX_SHOWN_TEXT ? text : NULL;
    if (loaded->text == NULL) {
        free(text);
    }
    loaded->load_s = fb_clock_wall_s() - start;
    if (status < 0) {
        return report_errors(options, loaded, status);
    }
    report_diagnostics(options, loaded, 0);
    return EXIT_OK;
}

void free_model(LoadedModel* loaded) {
    fb_model_destroy(loaded->model);
    fb_model_def_destroy(loaded->def);
    fb_diagnostics_destroy(loaded->diagnostics);
    free(loaded->text);
    *loaded = (LoadedModel){0};
}

int get_warnings(const FbDiagnostics* diagnostics, const char** texts) {
    int n = 0;
    for (int i = 0; i < fb_diagnostics_count(diagnostics); i++) {
        const FbDiagnostic* d = fb_diagnostics_get(diagnostics, i);
        if (d->severity == FB_WARNING) {
            texts[n++] = d->text;
        }
    }
    return n;
}

// A failed search is not reported here: the next step encounters the same error.
void warn_of_mechanisms(const Options* options, LoadedModel* loaded) {
    FbError err;
    int n = fb_diagnostics_count(loaded->diagnostics);
    fb_model_check_structures(loaded->model, loaded->diagnostics, &err);
    report_diagnostics(options, loaded, n);
}
