// Reports and motion files of runs, as commands write them.
#include "run_report.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "machine.h"

FbStatus init_report(ReportContext* context, const LoadedModel* loaded, FbReportOptions* out,
                     FbError* err) {
    describe_machine(context->machine, sizeof context->machine);
    describe_now(context->created, sizeof context->created);
    *out = fb_report_options_default();
    out->machine = context->machine;
    out->created = context->created;
    out->model_text = loaded->text;
    out->command = get_command_line();
    context->warnings =
        malloc(sizeof(char*) * (size_t)(fb_diagnostics_count(loaded->diagnostics) + 1));
    if (context->warnings == NULL) {
        return fb_fail_memory(err);
    }
    out->warnings = context->warnings;
    out->n_warnings = get_warnings(loaded->diagnostics, context->warnings);
    return FB_OK;
}

void free_report(ReportContext* context) {
    free(context->warnings);
    context->warnings = NULL;
}

FbStatus write_run_views(const LoadedModel* loaded, const FbResult* result, const RunViews* views,
                         FbError* err) {
    ReportContext context;
    FbReportOptions options;
    FbStatus status = init_report(&context, loaded, &options, err);
    options.certificate = views->certificate;
    options.damping = views->damping;
    options.failure = views->failure;
    options.overview = views->overview;
    if (status >= 0 && views->motion_path != NULL) {
        status = fb_report_write_motion(result, &options, views->motion_path, err);
    }
    if (status >= 0 && views->report_path != NULL) {
        status = fb_report_write_run(result, &options, views->report_path, err);
    }
    if (status >= 0 && views->gltf_path != NULL) {
        status = fb_report_write_gltf(result, &options, views->gltf_path, err);
    }
    free_report(&context);
    return status;
}

static bool copy_column(const FbSamples* table, int column, FbArena* arena,
                        FbReportReference* out) {
    double* times = FB_TAKE(arena, double, table->n_rows + 1);
    double* values = FB_TAKE(arena, double, table->n_rows + 1);
    for (int i = 0; times != NULL && values != NULL && i < table->n_rows; i++) {
        times[i] = fb_samples_get_time(table, i);
        values[i] = fb_samples_get_value(table, i, column);
    }
    out->times = times;
    out->values = values;
    out->n = table->n_rows;
    return times != NULL && values != NULL;
}

int find_references(const FbSamples* table, const char* const* outputs, int n_outputs,
                    FbArena* arena, FbReportReference** out) {
    FbReportReference* list = FB_TAKE(arena, FbReportReference, table->n_columns + 1);
    int n = 0;
    for (int c = 0; list != NULL && c < table->n_columns; c++) {
        for (int i = 0; i < n_outputs; i++) {
            if (strcmp(outputs[i], table->names[c]) == 0) {
                list[n].output = outputs[i];
                if (!copy_column(table, c, arena, &list[n++])) {
                    return -1;
                }
                break;
            }
        }
    }
    *out = list;
    return list != NULL ? n : -1;
}

const char* base_name(const char* path) {
    const char* slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

char* without_ending(FbArena* arena, const char* path, const char* ending) {
    size_t n = strlen(path), n_ending = strlen(ending);
    bool has_it = n > n_ending && strcmp(path + n - n_ending, ending) == 0;
    return fb_arena_text_n(arena, path, has_it ? n - n_ending : n);
}
