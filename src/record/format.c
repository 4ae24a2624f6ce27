// The list of the file formats of results.
#include "record/format.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "solve/result.h"

static const FbResultFormat* const list[] = {&fb_format_csv, &fb_format_fbr, &fb_format_mat,
                                             &fb_format_npz, &fb_format_parquet};
enum { N_FORMATS = sizeof(list) / sizeof(list[0]) };

const char* fb_result_get_format(int index, const char** doc) {
    if (index < 0 || index >= N_FORMATS) {
        return NULL;
    }
    if (doc) {
        *doc = list[index]->doc;
    }
    return list[index]->name;
}

FbStatus fb_samples_write(const FbSamples* table, const char* format, const char* path,
                          FbError* err) {
    char names[256] = "";
    for (int i = 0; i < N_FORMATS; i++) {
        if (strcmp(list[i]->name, format) == 0) {
            return list[i]->write(table, path, err);
        }
        size_t used = strlen(names);
        snprintf(names + used, sizeof(names) - used, "%s%s", i > 0 ? ", " : "", list[i]->name);
    }
    return fb_fail(err, FB_ERR_NAME, NULL, "there is no result format '%s'; use one of %s", format,
                   names);
}

FbStatus fb_samples_of_model(FbSamples* table, const FbModel* model, FbError* err) {
    int n = fb_model_get_output_count(model);
    *table = (FbSamples){.arena = fb_arena_create(), .n_columns = n};
    table->names = table->arena ? FB_TAKE(table->arena, const char*, n + 1) : NULL;
    table->units = table->arena ? FB_TAKE(table->arena, const char*, n + 1) : NULL;
    if (!table->names || !table->units) {
        fb_samples_free(table);
        return fb_fail_memory(err);
    }
    for (int c = 0; c < n; c++) {
        table->names[c] = fb_model_get_output_name(model, c);
        table->units[c] = fb_model_get_output_unit(model, c);
    }
    return FB_OK;
}

FbStatus fb_result_write(const FbResult* result, const char* format, const char* path,
                         FbError* err) {
    FbSamples table;
    FB_TRY(fb_samples_of_model(&table, result->model, err));
    table.cells = result->rows;
    table.n_rows = result->n_row;
    FbStatus status = fb_samples_write(&table, format, path, err);
    table.cells = NULL;  // of the result
    fb_samples_free(&table);
    return status;
}
