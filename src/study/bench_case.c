// Reads case.yaml: every key is known or an error, with its place.
#include "study/bench_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "read/read.h"
#include "read/yaml.h"

const char* const fb_case_measure_names[FB_N_CASE_MEASURES] = {
    "rel-rms",        "max-abs",           "final-abs",   "energy-drift",
    "max-difference", "event-times",       "damping",     "damping-at-least",
    "order",          "equilibrium",       "frequencies", "eigenvalues",
    "penalty-order",  "linearization-time"};

typedef struct CaseReader {
    const char* folder;
    const char* file;
    FbArena* arena;
    FbDiagnostics* diagnostics;
} CaseReader;

static void complain(CaseReader* r, int line, int col, const char* message, const char* word) {
    FbPlace place = {r->file, line, col};
    fb_diagnose(r->diagnostics, FB_SEVERE, FB_ERR_SYNTAX, &place, "%s '%s'", message, word);
}

static const char* read_text(CaseReader* r, const FbEntry* entry) {
    if (entry->value->kind != FB_NODE_SCALAR || entry->value->is_null) {
        complain(r, entry->line, entry->col, "a string is required for", entry->key);
        return "";
    }
    return entry->value->text;
}

static const char* read_path(CaseReader* r, const FbEntry* entry) {
    const char* text = read_text(r, entry);
    return text[0] == '/' ? text : fb_arena_format(r->arena, "%s/%s", r->folder, text);
}

static double parse_number(CaseReader* r, const FbNode* node, const char* key) {
    double value = NAN;
    if (node->kind != FB_NODE_SCALAR || !fb_parse_double(node->text, strlen(node->text), &value) ||
        !isfinite(value)) {
        complain(r, node->line, node->col, "a number is required for", key);
        return NAN;
    }
    return value;
}

static double read_number(CaseReader* r, const FbEntry* entry) {
    return parse_number(r, entry->value, entry->key);
}

static const char** read_texts(CaseReader* r, const FbEntry* entry, int* n) {
    const FbNode* list = entry->value;
    *n = list->kind == FB_NODE_LIST ? list->count : 0;
    const char** texts = FB_TAKE(r->arena, const char*, *n + 1);
    for (int i = 0; texts != NULL && i < *n; i++) {
        bool is_text = list->items[i]->kind == FB_NODE_SCALAR;
        texts[i] = is_text ? list->items[i]->text : "";
        if (!is_text) {
            complain(r, list->items[i]->line, list->items[i]->col, "strings are required in",
                     entry->key);
        }
    }
    if (*n == 0) {
        complain(r, entry->line, entry->col, "a list of strings is required for", entry->key);
    }
    return texts;
}

static double* read_numbers(CaseReader* r, const FbEntry* entry, int* n) {
    const FbNode* list = entry->value;
    *n = list->kind == FB_NODE_LIST ? list->count : 0;
    double* numbers = FB_TAKE(r->arena, double, *n + 1);
    for (int i = 0; numbers != NULL && i < *n; i++) {
        numbers[i] = parse_number(r, list->items[i], entry->key);
    }
    if (*n == 0) {
        complain(r, entry->line, entry->col, "a list of numbers is required for", entry->key);
    }
    return numbers;
}

static FbCaseMeasureKind read_kind(CaseReader* r, const FbEntry* entry) {
    const char* text = read_text(r, entry);
    for (int k = 0; k < FB_N_CASE_MEASURES; k++) {
        if (strcmp(text, fb_case_measure_names[k]) == 0) {
            return (FbCaseMeasureKind)k;
        }
    }
    complain(r, entry->value->line, entry->value->col, "unknown kind of measure", text);
    return FB_CASE_MAX_ABS;
}

static FbLinearMethod read_method(CaseReader* r, const FbEntry* entry) {
    const char* text = read_text(r, entry);
    int method = fb_find_method(text);
    if (method < 0) {
        complain(r, entry->value->line, entry->value->col, "unknown method", text);
    }
    return method < 0 ? FB_METHOD_INDEPENDENT : (FbLinearMethod)method;
}

static bool read_is_absolute(CaseReader* r, const FbEntry* entry) {
    const char* text = read_text(r, entry);
    bool is_absolute = strcmp(text, "absolute") == 0;
    if (!is_absolute && strcmp(text, "joint") != 0) {
        complain(r, entry->value->line, entry->value->col, "expected joint or absolute, not", text);
    }
    return is_absolute;
}

static int read_count(CaseReader* r, const FbEntry* entry) {
    double number = read_number(r, entry);
    if (!(number >= 1.0 && number <= 1e9 && number == floor(number))) {
        complain(r, entry->line, entry->col, "an integer is required for", entry->key);
        return 1;
    }
    return (int)number;
}

// The keys of a linearization; false: none of them.
static bool read_linear_entry(CaseReader* r, const FbEntry* e, FbCaseMeasure* m) {
    if (strcmp(e->key, "method") == 0) {
        m->method = read_method(r, e);
    } else if (strcmp(e->key, "coordinates") == 0) {
        m->is_absolute = read_is_absolute(r, e);
    } else if (strcmp(e->key, "exact") == 0) {
        m->exact = read_numbers(r, e, &m->n_exact);
    } else if (strcmp(e->key, "cycles") == 0) {
        m->cycles = read_numbers(r, e, &m->n_cycles);
    } else if (strcmp(e->key, "factors") == 0) {
        m->factors = read_numbers(r, e, &m->n_factors);
    } else if (strcmp(e->key, "points") == 0) {
        m->points = read_count(r, e);
    } else if (strcmp(e->key, "repeat") == 0) {
        m->repeat = read_count(r, e);
    } else {
        return false;
    }
    return true;
}

static int find_run(CaseReader* r, const FbEntry* e, const FbBenchCase* c) {
    const char* name = read_text(r, e);
    for (int i = 0; i < c->n_runs; i++) {
        if (strcmp(c->runs[i].name, name) == 0) {
            return i;
        }
    }
    complain(r, e->value->line, e->value->col, "before its measures the case needs a run", name);
    return -1;
}

static void read_measure_entry(CaseReader* r, const FbEntry* e, const FbBenchCase* c,
                               FbCaseMeasure* m, int* n_columns) {
    if (read_linear_entry(r, e, m)) {
        return;
    }
    if (strcmp(e->key, "name") == 0) {
        m->name = read_text(r, e);
    } else if (strcmp(e->key, "run") == 0) {
        m->run = find_run(r, e, c);
    } else if (strcmp(e->key, "of") == 0) {
        m->of = read_texts(r, e, &m->n_of);
    } else if (strcmp(e->key, "kind") == 0) {
        m->kind = read_kind(r, e);
    } else if (strcmp(e->key, "output") == 0) {
        m->outputs = read_texts(r, e, &m->n_outputs);
    } else if (strcmp(e->key, "columns") == 0) {
        m->columns = read_texts(r, e, n_columns);
    } else if (strcmp(e->key, "reference") == 0) {
        m->reference = read_path(r, e);
    } else if (strcmp(e->key, "other") == 0) {
        m->other = read_path(r, e);
    } else if (strcmp(e->key, "skip_times") == 0) {
        m->skip_times = read_numbers(r, e, &m->n_skip_times);
    } else if (strcmp(e->key, "limit") == 0) {
        m->limit = read_number(r, e);
    } else if (strcmp(e->key, "tight_limit") == 0) {
        m->tight_limit = read_number(r, e);
    } else {
        complain(r, e->line, e->col, "unknown key", e->key);
    }
}

static void check_linear_measure(CaseReader* r, const FbNode* node, const FbCaseMeasure* m) {
    bool is_even = m->n_exact > 0 && m->n_exact % 2 == 0;
    bool is_complete = m->name != NULL;
    switch (m->kind) {
        case FB_CASE_EQUILIBRIUM:
            is_complete = is_complete && m->n_outputs > 0 && m->n_exact == m->n_outputs;
            break;
        case FB_CASE_FREQUENCIES:
            is_complete = is_complete && m->n_exact > 0;
            break;
        case FB_CASE_EIGENVALUES:
            is_complete = is_complete && is_even;
            break;
        case FB_CASE_PENALTY_ORDER:
            is_complete = is_complete && is_even && m->n_factors > 1;
            break;
        default:
            break;
    }
    if (!is_complete) {
        complain(
            r, node->line, node->col,
            "name, exact (one value per output or frequency, or re and im per eigenvalue) and, for "
            "the order of the penalty method, factors are required in measures of kind",
            fb_case_measure_names[m->kind]);
    }
}

static bool is_linear_kind(FbCaseMeasureKind kind) {
    return kind >= FB_CASE_EQUILIBRIUM;
}

static const FbCaseMeasure* first_measure(const FbBenchCase* c, int run) {
    for (int i = 0; i < c->n_measures; i++) {
        if (c->measures[i].run == run && c->measures[i].kind != FB_CASE_ORDER) {
            return &c->measures[i];
        }
    }
    return NULL;
}

bool fb_case_has_measures(const FbBenchCase* c, int run) {
    return first_measure(c, run) != NULL;
}

bool fb_case_is_linear(const FbBenchCase* c, int run) {
    const FbCaseMeasure* first = first_measure(c, run);
    return first != NULL && is_linear_kind(first->kind);
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

static void check_order(CaseReader* r, const FbNode* node, const FbCaseMeasure* m) {
    if (m->name == NULL || m->n_of < 2 || m->n_factors != m->n_of || m->n_exact != 1) {
        complain(r, node->line, node->col,
                 "name, of (two or more measures), one factor per measure and a single exact value "
                 "are required in measures of kind",
                 fb_case_measure_names[m->kind]);
    }
}

static void check_measure(CaseReader* r, const FbNode* node, const FbCaseMeasure* m,
                          int n_columns) {
    if (is_linear_kind(m->kind)) {
        check_linear_measure(r, node, m);
        return;
    }
    if (m->kind == FB_CASE_ORDER) {
        check_order(r, node, m);
        return;
    }
    bool wants_reference = m->kind <= FB_CASE_FINAL_ABS || m->kind == FB_CASE_EVENT_TIMES;
    bool is_complete = m->name != NULL && m->n_outputs > 0 &&
                       (!wants_reference || m->reference != NULL) &&
                       (m->kind != FB_CASE_MAX_DIFFERENCE || m->other != NULL);
    bool is_damping = m->kind == FB_CASE_DAMPING || m->kind == FB_CASE_DAMPING_AT_LEAST;
    if (is_damping && (m->n_exact != m->n_outputs || m->n_cycles != m->n_outputs)) {
        complain(r, node->line, node->col,
                 "one exact value and one number of cycles per output are required in measure",
                 m->name != NULL ? m->name : "");
    }
    if (!is_complete) {
        complain(r, node->line, node->col,
                 "name, kind, output and reference (or other) are required in every item of",
                 "measures");
    } else if (wants_reference && n_columns != m->n_outputs) {
        complain(r, node->line, node->col, "one column per output is required in measure", m->name);
    }
}

static void read_measure(CaseReader* r, const FbNode* node, const FbBenchCase* c,
                         FbCaseMeasure* m) {
    *m = (FbCaseMeasure){.limit = NAN, .tight_limit = NAN, .repeat = 1, .run = -1};
    int n_columns = 0;
    for (int i = 0; node->kind == FB_NODE_MAP && i < node->count; i++) {
        read_measure_entry(r, &node->entries[i], c, m, &n_columns);
    }
    check_measure(r, node, m, n_columns);
}

static void read_measures(CaseReader* r, const FbEntry* entry, FbBenchCase* c) {
    const FbNode* list = entry->value;
    int n = list->kind == FB_NODE_LIST ? list->count : 0;
    c->measures = FB_TAKE(r->arena, FbCaseMeasure, n + 1);
    for (int i = 0; c->measures != NULL && i < n; i++) {
        const FbCaseMeasure* m = &c->measures[i];
        read_measure(r, list->items[i], c, &c->measures[i]);
        c->n_measures++;
        if (m->kind != FB_CASE_ORDER && is_linear_kind(m->kind) != fb_case_is_linear(c, m->run)) {
            complain(r, list->items[i]->line, list->items[i]->col,
                     "a model is either simulated or linearized, so this case cannot have a "
                     "measure of kind",
                     fb_case_measure_names[m->kind]);
        }
    }
}

// Adds the parameters of the entry to the existing ones.
static void read_overrides(CaseReader* r, const FbEntry* entry, FbOverride** overrides,
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
        all[(*n_overrides)++] = (FbOverride){map->entries[i].key, read_text(r, &map->entries[i])};
    }
    *overrides = all;
}

static void read_run(CaseReader* r, const FbEntry* entry, const FbBenchCase* c, FbCaseRun* run) {
    *run = (FbCaseRun){entry->key, c->model, c->overrides, c->n_overrides};
    for (int i = 0; entry->value->kind == FB_NODE_MAP && i < entry->value->count; i++) {
        const FbEntry* e = &entry->value->entries[i];
        if (strcmp(e->key, "model") == 0) {
            *run = (FbCaseRun){.name = entry->key, .model = read_path(r, e)};  // its own parameters
        } else if (strcmp(e->key, "set") == 0) {
            read_overrides(r, e, &run->overrides, &run->n_overrides);
        } else {
            complain(r, e->line, e->col, "unknown key", e->key);
        }
    }
}

// They take the case's model and its parameters from the keys before them.
static void read_runs(CaseReader* r, const FbEntry* entry, FbBenchCase* c) {
    int n = entry->value->kind == FB_NODE_MAP ? entry->value->count : 0;
    c->runs = FB_TAKE(r->arena, FbCaseRun, n + 1);
    for (int i = 0; c->runs != NULL && i < n; i++) {
        read_run(r, &entry->value->entries[i], c, &c->runs[i]);
        c->n_runs++;
    }
    if (n == 0 || c->model == NULL) {
        complain(r, entry->line, entry->col, "a map, after a model, is required for", entry->key);
    }
}

static void read_tight(CaseReader* r, const FbEntry* entry, FbBenchCase* c) {
    for (int i = 0; entry->value->kind == FB_NODE_MAP && i < entry->value->count; i++) {
        const FbEntry* e = &entry->value->entries[i];
        if (strcmp(e->key, "rtol") == 0) {
            c->tight_rtol = read_number(r, e);
        } else if (strcmp(e->key, "atol") == 0) {
            c->tight_atol = read_number(r, e);
        } else {
            complain(r, e->line, e->col, "unknown key", e->key);
        }
    }
}

static void read_case_entry(CaseReader* r, const FbEntry* e, FbBenchCase* c) {
    if (strcmp(e->key, "case") == 0) {
        c->name = read_text(r, e);
    } else if (strcmp(e->key, "title") == 0) {
        c->title = read_text(r, e);
    } else if (strcmp(e->key, "source") == 0) {
        c->source = read_text(r, e);
    } else if (strcmp(e->key, "quantity") == 0) {
        c->quantity = read_text(r, e);
    } else if (strcmp(e->key, "model") == 0) {
        c->model = read_path(r, e);
    } else if (strcmp(e->key, "set") == 0) {
        read_overrides(r, e, &c->overrides, &c->n_overrides);
    } else if (strcmp(e->key, "runs") == 0) {
        read_runs(r, e, c);
    } else if (strcmp(e->key, "duration") == 0) {
        c->duration = read_number(r, e);
    } else if (strcmp(e->key, "sample") == 0) {
        c->sample = read_number(r, e);
    } else if (strcmp(e->key, "measures") == 0) {
        read_measures(r, e, c);
    } else if (strcmp(e->key, "tight") == 0) {
        read_tight(r, e, c);
    } else {
        complain(r, e->line, e->col, "unknown key", e->key);
    }
}

static void read_document(CaseReader* r, const char* text, size_t size, FbBenchCase* c) {
    const FbNode* root = fb_yaml_parse(text, size, r->file, r->arena, r->diagnostics);
    for (int i = 0; root != NULL && root->kind == FB_NODE_MAP && i < root->count; i++) {
        read_case_entry(r, &root->entries[i], c);
    }
    if (c->name == NULL || c->title == NULL || c->quantity == NULL || c->model == NULL ||
        c->n_measures == 0) {
        complain(r, 1, 1, "case, title, quantity, model and measures are required in every",
                 "case.yaml");
    }
}

static FbStatus read_case(const char* folder, FbBenchCase* c, FbDiagnostics* diagnostics) {
    const char* file = fb_arena_format(c->arena, "%s/case.yaml", folder);
    if (file == NULL) {
        return FB_ERR_MEMORY;
    }
    CaseReader r = {.folder = folder, .file = file, .arena = c->arena, .diagnostics = diagnostics};
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
