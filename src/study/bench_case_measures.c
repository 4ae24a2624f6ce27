// Reads the measures of a case.yaml, and checks that each has what its kind needs.
#include <math.h>
#include <string.h>

#include "study/bench_reader.h"

const char* const fb_case_measure_names[FB_N_CASE_MEASURES] = {
    "rel-rms",           "rms",          "max-abs",          "of-range",
    "final-abs",         "energy-drift", "energy-spread",    "max-difference",
    "event-times",       "damping",      "damping-at-least", "order",
    "equilibrium",       "frequencies",  "eigenvalues",      "penalty-order",
    "linearization-time"};

static const char** read_texts(FbCaseReader* r, const FbEntry* entry, int* n) {
    const FbNode* list = entry->value;
    *n = list->kind == FB_NODE_LIST ? list->count : 0;
    const char** texts = FB_TAKE(r->arena, const char*, *n + 1);
    for (int i = 0; texts != NULL && i < *n; i++) {
        bool is_text = list->items[i]->kind == FB_NODE_SCALAR;
        texts[i] = is_text ? list->items[i]->text : "";
        if (!is_text) {
            fb_case_complain(r, list->items[i]->line, list->items[i]->col,
                             "strings are required in", entry->key);
        }
    }
    if (*n == 0) {
        fb_case_complain(r, entry->line, entry->col, "a list of strings is required for",
                         entry->key);
    }
    return texts;
}

static double* read_numbers(FbCaseReader* r, const FbEntry* entry, int* n) {
    const FbNode* list = entry->value;
    *n = list->kind == FB_NODE_LIST ? list->count : 0;
    double* numbers = FB_TAKE(r->arena, double, *n + 1);
    for (int i = 0; numbers != NULL && i < *n; i++) {
        numbers[i] = fb_case_parse_number(r, list->items[i], entry->key);
    }
    if (*n == 0) {
        fb_case_complain(r, entry->line, entry->col, "a list of numbers is required for",
                         entry->key);
    }
    return numbers;
}

static FbCaseMeasureKind read_kind(FbCaseReader* r, const FbEntry* entry) {
    const char* text = fb_case_read_text(r, entry);
    for (int k = 0; k < FB_N_CASE_MEASURES; k++) {
        if (strcmp(text, fb_case_measure_names[k]) == 0) {
            return (FbCaseMeasureKind)k;
        }
    }
    fb_case_complain(r, entry->value->line, entry->value->col, "unknown kind of measure", text);
    return FB_CASE_MAX_ABS;
}

static FbLinearMethod read_method(FbCaseReader* r, const FbEntry* entry) {
    const char* text = fb_case_read_text(r, entry);
    int method = fb_find_method(text);
    if (method < 0) {
        fb_case_complain(r, entry->value->line, entry->value->col, "unknown method", text);
    }
    return method < 0 ? FB_METHOD_INDEPENDENT : (FbLinearMethod)method;
}

static bool read_is_absolute(FbCaseReader* r, const FbEntry* entry) {
    const char* text = fb_case_read_text(r, entry);
    bool is_absolute = strcmp(text, "absolute") == 0;
    if (!is_absolute && strcmp(text, "joint") != 0) {
        fb_case_complain(r, entry->value->line, entry->value->col,
                         "expected joint or absolute, not", text);
    }
    return is_absolute;
}

static int read_count(FbCaseReader* r, const FbEntry* entry) {
    double number = fb_case_read_number(r, entry);
    if (!(number >= 1.0 && number <= 1e9 && number == floor(number))) {
        fb_case_complain(r, entry->line, entry->col, "an integer is required for", entry->key);
        return 1;
    }
    return (int)number;
}

// The keys of a linearization; false: none of them.
static bool read_linear_entry(FbCaseReader* r, const FbEntry* e, FbCaseMeasure* m) {
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

static int find_run(FbCaseReader* r, const FbEntry* e, const FbBenchCase* c) {
    const char* name = fb_case_read_text(r, e);
    for (int i = 0; i < c->n_runs; i++) {
        if (strcmp(c->runs[i].name, name) == 0) {
            return i;
        }
    }
    fb_case_complain(r, e->value->line, e->value->col, "before its measures the case needs a run",
                     name);
    return -1;
}

static void read_measure_entry(FbCaseReader* r, const FbEntry* e, const FbBenchCase* c,
                               FbCaseMeasure* m, int* n_columns) {
    if (read_linear_entry(r, e, m)) {
        return;
    }
    if (strcmp(e->key, "name") == 0) {
        m->name = fb_case_read_text(r, e);
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
        m->reference = fb_case_read_path(r, e);
    } else if (strcmp(e->key, "other") == 0) {
        m->other = fb_case_read_path(r, e);
    } else if (strcmp(e->key, "skip_times") == 0) {
        m->skip_times = read_numbers(r, e, &m->n_skip_times);
    } else if (strcmp(e->key, "limit") == 0) {
        m->limit = fb_case_read_number(r, e);
    } else if (strcmp(e->key, "tight_limit") == 0) {
        m->tight_limit = fb_case_read_number(r, e);
    } else {
        fb_case_complain(r, e->line, e->col, "unknown key", e->key);
    }
}

static void check_linear_measure(FbCaseReader* r, const FbNode* node, const FbCaseMeasure* m) {
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
        fb_case_complain(
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

static void check_order(FbCaseReader* r, const FbNode* node, const FbCaseMeasure* m) {
    if (m->name == NULL || m->n_of < 2 || m->n_factors != m->n_of || m->n_exact != 1) {
        fb_case_complain(
            r, node->line, node->col,
            "name, of (two or more measures), one factor per measure and a single exact value "
            "are required in measures of kind",
            fb_case_measure_names[m->kind]);
    }
}

static void check_measure(FbCaseReader* r, const FbNode* node, const FbCaseMeasure* m,
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
        fb_case_complain(
            r, node->line, node->col,
            "one exact value and one number of cycles per output are required in measure",
            m->name != NULL ? m->name : "");
    }
    if (!is_complete) {
        fb_case_complain(
            r, node->line, node->col,
            "name, kind, output and reference (or other) are required in every item of",
            "measures");
    } else if (wants_reference && n_columns != m->n_outputs) {
        fb_case_complain(r, node->line, node->col, "one column per output is required in measure",
                         m->name);
    }
}

static void read_measure(FbCaseReader* r, const FbNode* node, const FbBenchCase* c,
                         FbCaseMeasure* m) {
    *m = (FbCaseMeasure){.limit = NAN, .tight_limit = NAN, .repeat = 1, .run = -1};
    int n_columns = 0;
    for (int i = 0; node->kind == FB_NODE_MAP && i < node->count; i++) {
        read_measure_entry(r, &node->entries[i], c, m, &n_columns);
    }
    check_measure(r, node, m, n_columns);
}

void fb_case_read_measures(FbCaseReader* r, const FbEntry* entry, FbBenchCase* c) {
    const FbNode* list = entry->value;
    int n = list->kind == FB_NODE_LIST ? list->count : 0;
    c->measures = FB_TAKE(r->arena, FbCaseMeasure, n + 1);
    for (int i = 0; c->measures != NULL && i < n; i++) {
        const FbCaseMeasure* m = &c->measures[i];
        read_measure(r, list->items[i], c, &c->measures[i]);
        c->n_measures++;
        if (m->kind != FB_CASE_ORDER && is_linear_kind(m->kind) != fb_case_is_linear(c, m->run)) {
            fb_case_complain(
                r, list->items[i]->line, list->items[i]->col,
                "a model is either simulated or linearized, so this case cannot have a "
                "measure of kind",
                fb_case_measure_names[m->kind]);
        }
    }
}
