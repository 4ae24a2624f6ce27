// The files of a run that `flyball run -o` wrote, with the references that they are compared with.
#include "result_files.h"

#include <string.h>

#include "base/error.h"
#include "record/run_document.h"
#include "terminal.h"

static int init(SavedFiles* out) {
    *out = (SavedFiles){.arena = fb_arena_create()};
    if (out->arena == NULL) {
        print_note("out of memory");
        return EXIT_COMPUTATION;
    }
    return EXIT_OK;
}

int read_saved_run(const Options* options, const char* path, SavedFiles* out) {
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    if (diagnostics == NULL) {
        print_note("out of memory");
        return EXIT_COMPUTATION;
    }
    int code = init(out);
    if (code != EXIT_OK) {
        fb_diagnostics_destroy(diagnostics);
        return code;
    }
    FbStatus status = fb_saved_run_read(path, &out->run, diagnostics);
    for (int i = 0; i < fb_diagnostics_count(diagnostics); i++) {
        const FbDiagnostic* d = fb_diagnostics_get(diagnostics, i);
        if (d->severity != FB_NOTE) {
            print_diagnostic(d);
        } else if (!options->is_quiet) {
            print_note("%s", d->text);
        }
    }
    fb_diagnostics_destroy(diagnostics);
    if (status >= 0) {
        out->table = fb_saved_run_get_table(out->run);
        out->stem = fb_saved_run_get_stem(out->run);
    }
    return exit_code_of(status);
}

int read_saved_table(const char* path, SavedFiles* out) {
    int code = init(out);
    if (code != EXIT_OK) {
        return code;
    }
    out->stem = fb_run_find_stem(out->arena, path);
    const char* table = out->stem != NULL ? fb_run_find_table(out->arena, path) : NULL;
    FbError err;
    FbStatus status =
        table != NULL ? fb_samples_read_csv(&out->own_table, table, &err) : fb_fail_memory(&err);
    out->table = &out->own_table;
    if (status < 0) {
        print_error(&err);
    }
    return exit_code_of(status);
}

void free_saved_files(SavedFiles* files) {
    fb_samples_free(&files->own_table);
    fb_saved_run_destroy(files->run);
    fb_arena_destroy(files->arena);
    *files = (SavedFiles){0};
}

int compare_with(const SavedFiles* other, SavedFiles* files) {
    FbReportReference* list = NULL;
    int n = find_references(other->table, files->table->names, files->table->n_columns,
                            files->arena, &list);
    files->beside = other->run;
    files->references = list;
    files->n_references = n > 0 ? n : 0;
    return n < 0 ? EXIT_COMPUTATION : EXIT_OK;
}

int read_references(const Options* options, SavedFiles* files) {
    if (options->reference == NULL) {
        return EXIT_OK;
    }
    FbSamples table = {0};
    FbError err;
    FbStatus status = fb_samples_read_csv(&table, options->reference, &err);
    if (status < 0) {
        print_error(&err);
        return exit_code_of(status);
    }
    FbReportReference* list = NULL;
    int n =
        find_references(&table, files->table->names, files->table->n_columns, files->arena, &list);
    fb_samples_free(&table);
    files->references = list;
    files->n_references = n > 0 ? n : 0;
    if (n == 0) {
        print_note("%s: no column has the name of an output of %s.csv", options->reference,
                   files->stem);
        return EXIT_USAGE;
    }
    return n < 0 ? EXIT_COMPUTATION : EXIT_OK;
}
