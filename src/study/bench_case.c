// Reads case.yaml: every key is known or an error, with its place.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "read/read.h"
#include "study/bench_reader.h"

void fb_case_complain(FbCaseReader* r, int line, int col, const char* message, const char* word) {
    FbPlace place = {r->file, line, col};
    fb_diagnose(r->diagnostics, FB_SEVERE, FB_ERR_SYNTAX, &place, "%s '%s'", message, word);
}

const char* fb_case_read_text(FbCaseReader* r, const FbEntry* entry) {
    if (entry->value->kind != FB_NODE_SCALAR || entry->value->is_null) {
        fb_case_complain(r, entry->line, entry->col, "a string is required for", entry->key);
        return "";
    }
    return entry->value->text;
}

const char* fb_case_read_path(FbCaseReader* r, const FbEntry* entry) {
    const char* text = fb_case_read_text(r, entry);
    return text[0] == '/' ? text : fb_arena_format(r->arena, "%s/%s", r->folder, text);
}

double fb_case_parse_number(FbCaseReader* r, const FbNode* node, const char* key) {
    double value = NAN;
    if (node->kind != FB_NODE_SCALAR || !fb_parse_double(node->text, strlen(node->text), &value) ||
        !isfinite(value)) {
        fb_case_complain(r, node->line, node->col, "a number is required for", key);
        return NAN;
    }
    return value;
}

double fb_case_read_number(FbCaseReader* r, const FbEntry* entry) {
    return fb_case_parse_number(r, entry->value, entry->key);
}

FbBenchCase fb_case_of_run(const FbBenchCase* c, int run) {
    FbBenchCase view = *c;
    if (run >= 0) {
        view.model = c->runs[run].model;
        view.overrides = c->runs[run].overrides;
        view.n_overrides = c->runs[run].n_overrides;
    }
    return view;
}

// Adds the parameters of the entry to the existing ones.
static void read_overrides(FbCaseReader* r, const FbEntry* entry, FbOverride** overrides,
                           int* n_overrides) {
    const FbNode* map = entry->value;
    int n = map->kind == FB_NODE_MAP ? map->count : 0;
    FbOverride* all = FB_TAKE(r->arena, FbOverride, *n_overrides + n + 1);
    if (all == NULL) {
        return;  // the arena knows
    }
    for (int i = 0; i < *n_overrides; i++) {
        all[i] = (*overrides)[i];
    }
    for (int i = 0; i < n; i++) {
        all[(*n_overrides)++] =
            (FbOverride){map->entries[i].key, fb_case_read_text(r, &map->entries[i])};
    }
    *overrides = all;
}

static void read_run(FbCaseReader* r, const FbEntry* entry, const FbBenchCase* c, FbCaseRun* run) {
    *run = (FbCaseRun){entry->key, c->model, c->overrides, c->n_overrides};
    for (int i = 0; entry->value->kind == FB_NODE_MAP && i < entry->value->count; i++) {
        const FbEntry* e = &entry->value->entries[i];
        if (strcmp(e->key, "model") == 0) {
            *run = (FbCaseRun){.name = entry->key,
                               .model = fb_case_read_path(r, e)};  // its own parameters
        } else if (strcmp(e->key, "set") == 0) {
            read_overrides(r, e, &run->overrides, &run->n_overrides);
        } else {
            fb_case_complain(r, e->line, e->col, "unknown key", e->key);
        }
    }
}

// They take the case's model and its parameters from the keys before them.
static void read_runs(FbCaseReader* r, const FbEntry* entry, FbBenchCase* c) {
    int n = entry->value->kind == FB_NODE_MAP ? entry->value->count : 0;
    c->runs = FB_TAKE(r->arena, FbCaseRun, n + 1);
    for (int i = 0; c->runs != NULL && i < n; i++) {
        read_run(r, &entry->value->entries[i], c, &c->runs[i]);
        c->n_runs++;
    }
    if (n == 0 || c->model == NULL) {
        fb_case_complain(r, entry->line, entry->col, "a map, after a model, is required for",
                         entry->key);
    }
}

static void read_tight(FbCaseReader* r, const FbEntry* entry, FbBenchCase* c) {
    for (int i = 0; entry->value->kind == FB_NODE_MAP && i < entry->value->count; i++) {
        const FbEntry* e = &entry->value->entries[i];
        if (strcmp(e->key, "rtol") == 0) {
            c->tight_rtol = fb_case_read_number(r, e);
        } else if (strcmp(e->key, "atol") == 0) {
            c->tight_atol = fb_case_read_number(r, e);
        } else {
            fb_case_complain(r, e->line, e->col, "unknown key", e->key);
        }
    }
}

static void read_case_entry(FbCaseReader* r, const FbEntry* e, FbBenchCase* c) {
    if (strcmp(e->key, "case") == 0) {
        c->name = fb_case_read_text(r, e);
    } else if (strcmp(e->key, "title") == 0) {
        c->title = fb_case_read_text(r, e);
    } else if (strcmp(e->key, "source") == 0) {
        c->source = fb_case_read_text(r, e);
    } else if (strcmp(e->key, "quantity") == 0) {
        c->quantity = fb_case_read_text(r, e);
    } else if (strcmp(e->key, "model") == 0) {
        c->model = fb_case_read_path(r, e);
    } else if (strcmp(e->key, "set") == 0) {
        read_overrides(r, e, &c->overrides, &c->n_overrides);
    } else if (strcmp(e->key, "runs") == 0) {
        read_runs(r, e, c);
    } else if (strcmp(e->key, "duration") == 0) {
        c->duration = fb_case_read_number(r, e);
    } else if (strcmp(e->key, "sample") == 0) {
        c->sample = fb_case_read_number(r, e);
    } else if (strcmp(e->key, "measures") == 0) {
        fb_case_read_measures(r, e, c);
    } else if (strcmp(e->key, "tight") == 0) {
        read_tight(r, e, c);
    } else {
        fb_case_complain(r, e->line, e->col, "unknown key", e->key);
    }
}

static void read_document(FbCaseReader* r, const char* text, size_t size, FbBenchCase* c) {
    const FbNode* root = fb_yaml_parse(text, size, r->file, r->arena, r->diagnostics);
    for (int i = 0; root != NULL && root->kind == FB_NODE_MAP && i < root->count; i++) {
        read_case_entry(r, &root->entries[i], c);
    }
    if (c->name == NULL || c->title == NULL || c->quantity == NULL || c->model == NULL ||
        c->n_measures == 0) {
        fb_case_complain(r, 1, 1, "case, title, quantity, model and measures are required in every",
                         "case.yaml");
    }
}

static FbStatus read_case(const char* folder, FbBenchCase* c, FbDiagnostics* diagnostics) {
    const char* file = fb_arena_format(c->arena, "%s/case.yaml", folder);
    if (file == NULL) {
        return FB_ERR_MEMORY;
    }
    FbCaseReader r = {
        .folder = folder, .file = file, .arena = c->arena, .diagnostics = diagnostics};
    int n_errors = fb_diagnostics_error_count(diagnostics);
    char* text;
    size_t size;
    FbError err;
    FbStatus status = fb_read_file(file, &text, &size, &err);
    if (status < 0) {
        fb_diagnose_error(diagnostics, &err);
        return status;
    }
    read_document(&r, text, size, c);
    free(text);
    if (fb_arena_has_failed(c->arena)) {
        return FB_ERR_MEMORY;
    }
    bool is_good = fb_diagnostics_error_count(diagnostics) == n_errors;
    return is_good ? FB_OK : fb_diagnostics_status(diagnostics);
}

FbStatus fb_bench_case_read(const char* folder, FbBenchCase** out, FbDiagnostics* diagnostics) {
    *out = NULL;
    FbArena* arena = fb_arena_create();
    FbBenchCase* c = arena != NULL ? FB_TAKE(arena, FbBenchCase, 1) : NULL;
    if (c == NULL) {
        fb_arena_destroy(arena);
        fb_diagnose(diagnostics, FB_SEVERE, FB_ERR_MEMORY, NULL, "out of memory");
        return FB_ERR_MEMORY;
    }
    *c = (FbBenchCase){
        .arena = arena, .duration = NAN, .sample = NAN, .tight_rtol = NAN, .tight_atol = NAN};
    FbStatus status = read_case(folder, c, diagnostics);
    if (status < 0) {
        fb_bench_case_destroy(c);
        return status;
    }
    *out = c;
    return FB_OK;
}

void fb_bench_case_destroy(FbBenchCase* c) {
    if (c != NULL) {
        fb_arena_destroy(c->arena);
    }
}

void fb_bench_case_get_info(const FbBenchCase* c, FbBenchInfo* info) {
    *info = (FbBenchInfo){.name = c->name,
                          .title = c->title,
                          .source = c->source,
                          .quantity = c->quantity,
                          .model_path = c->model,
                          .n_measures = c->n_measures,
                          .is_linear = fb_case_is_linear(c, -1)};
}
