// Where the table of a saved run is, and what the document beside it says about it.
#include "record/run_document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sha256.h"
#include "read/read.h"
#include "read/yaml.h"
#include "record/csv.h"

static void copy_text(const FbNode* document, const char* key, char out[65]) {
    const FbNode* node = fb_node_get(document, key);
    if (node && node->kind == FB_NODE_SCALAR && !node->is_null) {
        snprintf(out, 65, "%s", node->text);
    }
}

static void take(FbRunDocument* out, const FbNode* document) {
    const FbNode* failure = fb_node_get(document, "failure");
    out->is_there = true;
    out->has_failure = failure && !failure->is_null;
    copy_text(document, "csv_sha256", out->csv_sha256);
    copy_text(document, "run_sha256", out->run_sha256);
}

void fb_run_document_read(FbRunDocument* out, const char* path) {
    char* text = NULL;
    size_t size;
    FbError ignored;
    *out = (FbRunDocument){.is_there = false};
    if (access(path, F_OK) != 0 || fb_read_file(path, &text, &size, &ignored) < 0) {
        return;
    }
    FbArena* arena = fb_arena_create();
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    if (arena && diagnostics) {
        const FbNode* document = fb_yaml_parse(text, size, path, arena, diagnostics);
        if (document && document->kind == FB_NODE_MAP &&
            fb_diagnostics_error_count(diagnostics) == 0) {
            take(out, document);
        }
    }
    fb_diagnostics_destroy(diagnostics);
    fb_arena_destroy(arena);
    free(text);
}

// The path without these endings, as far as it has them.
const char* fb_run_find_stem(FbArena* arena, const char* path) {
    static const char* const endings[] = {".part", ".csv", ".fbr", ".json", ".motion"};
    size_t n = strlen(path);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t size = strlen(endings[i]);
        n -= n > size && strncmp(path + n - size, endings[i], size) == 0 ? size : 0;
    }
    return fb_arena_text_n(arena, path, n);
}

const char* fb_run_find_table(FbArena* arena, const char* path) {
    static const char* const endings[] = {".csv", ".fbr", ".csv.part", ".fbr.part"};
    const char* stem = fb_run_find_stem(arena, path);
    if (!stem) {
        return NULL;
    }
    // Named in full, or the first one that is there.
    size_t given = strlen(path) - strlen(stem);
    for (size_t i = 0; i < 4; i++) {
        if (given > 0 && strcmp(path + strlen(stem), endings[i]) == 0) {
            return fb_arena_text(arena, path);
        }
    }
    for (size_t i = 0; i < 4; i++) {
        const char* table = fb_arena_format(arena, "%s%s", stem, endings[i]);
        if (!table || access(table, F_OK) == 0) {
            return table;
        }
    }
    return fb_arena_format(arena, "%s.csv", stem);
}

void fb_run_hash_table(const char* path, char out[65]) {
    char* text;
    size_t size;
    FbError ignored;
    out[0] = '\0';
    if (fb_read_result_file(path, &text, &size, &ignored) >= 0) {
        fb_sha256_hex(text, size, out);
        free(text);
    }
}
