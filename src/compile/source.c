// A model file that is read and parsed once, for descriptions with other values of its parameters.
#include <stdlib.h>

#include "base/error.h"
#include "compile/type_set.h"
#include "read/kept.h"
#include "read/read.h"

struct FbSource {
    FbArena* arena;
    FbParsedModel parsed;
};

void fb_source_destroy(FbSource* source) {
    if (source) {
        fb_kept_destroy(source->parsed.kept);
        fb_arena_destroy(source->arena);
        free(source);
    }
}

static FbStatus parse(FbSource* source, const char* text, size_t size, const char* file,
                      FbDiagnostics* diagnostics) {
    const char* name = fb_arena_text(source->arena, file ? file : "model");
    FbStatus status = name ? fb_check_format(text, size, name, diagnostics) : FB_ERR_MEMORY;
    if (status == FB_OK &&
        !fb_parse_model(text, size, name, source->arena, &source->parsed, diagnostics)) {
        status = FB_ERR_SYNTAX;
    }
    if (status == FB_OK && !(source->parsed.kept = fb_kept_create())) {
        status = FB_ERR_MEMORY;
    }
    return fb_arena_has_failed(source->arena) ? FB_ERR_MEMORY : status;
}

void fb_source_get_counts(const FbSource* source, FbSourceCounts* counts) {
    FbKept* kept = source->parsed.kept;
    *counts = (FbSourceCounts){0};
    fb_kept_get_counts(kept, &counts->structures_made, &counts->structures_taken);
    fb_tape_store_get_counts(fb_kept_get_tapes(kept), &counts->formulas_made,
                             &counts->formulas_taken);
}

FbStatus fb_source_read_text(const char* text, size_t size, const char* file_name, FbSource** out,
                             FbDiagnostics* diagnostics) {
    FbSource* source = calloc(1, sizeof *source);
    *out = NULL;
    FbStatus status = FB_ERR_MEMORY;
    if (source && (source->arena = fb_arena_create())) {
        status = parse(source, text, size, file_name, diagnostics);
    }
    if (status == FB_OK) {
        *out = source;
        return FB_OK;
    }
    if (status == FB_ERR_MEMORY) {
        fb_diagnose(diagnostics, FB_SEVERE, FB_ERR_MEMORY, NULL, "out of memory");
    }
    fb_source_destroy(source);
    return status;
}

FbStatus fb_source_read_file(const char* path, FbSource** out, FbDiagnostics* diagnostics) {
    char* text = NULL;
    size_t size = 0;
    *out = NULL;
    FB_TRY(fb_read_file_or_diagnose(path, &text, &size, diagnostics));
    FbStatus status = fb_source_read_text(text, size, path, out, diagnostics);
    free(text);
    return status;
}

FbStatus fb_source_create_def(const FbSource* source, const FbReadOptions* options,
                              FbModelDef** out, FbDiagnostics* diagnostics) {
    return fb_read_parsed(&source->parsed, options, fb_types(), out, diagnostics);
}
