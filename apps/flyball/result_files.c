// A run that `flyball run -o` wrote: its table, its document and its motion, read back for reports
// and plots.
#include "result_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "model/read.h"
#include "model/yaml.h"
#include "terminal.h"

static double get_time(const void* self, int row) {
    return fb_samples_get_time(&((const SavedRun*)self)->table, row);
}

static double get_value(const void* self, int row, int output) {
    return fb_samples_get_value(&((const SavedRun*)self)->table, row, output);
}

static void add_table(SavedRun* run) {
    FbReportSource* r = &run->source;
    r->n_rows = run->table.n_rows;
    r->n_outputs = run->table.n_columns;
    r->output_names = run->table.names;
    r->output_units = run->table.units;
    r->self = run;
    r->get_time = get_time;
    r->get_value = get_value;
}

// A text of the document, NULL: none.
static const char* get_text(const FbNode* document, const char* key) {
    const FbNode* node = fb_node_get(document, key);
    bool is_there = node != NULL && node->kind == FB_NODE_SCALAR && !node->is_null;
    return is_there ? node->text : NULL;
}

static double get_number(const FbNode* map, const char* key) {
    const char* text = get_text(map, key);
    double value;
    return text != NULL && fb_parse_double(text, strlen(text), &value) ? value : NAN;
}

// What a key of the document is called in a report.
typedef struct Line {
    const char* key;
    const char* label;
    const char* unit;
} Line;

static void add_lines(FbPairs* pairs, FbArena* arena, const FbNode* document, const Line* lines) {
    for (; lines->key != NULL; lines++) {
        const char* text = get_text(document, lines->key);
        double value = get_number(document, lines->key);
        if (text != NULL && isnan(value)) {
            fb_pairs_add(pairs, arena, lines->label, "%s", text);
        } else if (text != NULL) {
            fb_pairs_add(pairs, arena, lines->label, "%.9g%s%s", value, lines->unit[0] ? " " : "",
                         lines->unit);
        }
    }
}

static void add_numbers(FbReportSource* r, FbArena* arena, const FbNode* document) {
    static const Line settings[] = {{"integrator", "integrator", ""},
                                    {"integrator_reason", "why", ""},
                                    {"rtol", "rtol", ""},
                                    {"atol", "atol", ""},
                                    {"t_start", "from", "s"},
                                    {"t_end", "to", "s"},
                                    {NULL, NULL, NULL}};
    static const Line statistics[] = {{"samples", "samples", ""},
                                      {"steps", "steps", ""},
                                      {"rejected", "rejected steps", ""},
                                      {"rhs_evals", "evaluations", ""},
                                      {"jacobian_evals", "Jacobians", ""},
                                      {"factorizations", "factorizations", ""},
                                      {"cpu_s", "processor time", "s"},
                                      {"wall_s", "wall time", "s"},
                                      {NULL, NULL, NULL}};
    static const Line checks[] = {
        {"energy_start", "energy at the start", "J"},
        {"energy_end", "energy at the end", "J"},
        {"energy_balance", "energy balance", "J"},
        {"max_constraint_error", "largest constraint error", "(m or rad)"},
        {NULL, NULL, NULL}};
    static const Line certificate[] = {{"reached", "reached", ""},
                                       {"message", "because", ""},
                                       {"target", "target", ""},
                                       {"estimate", "estimated error", ""},
                                       {"worst_output", "worst output", ""},
                                       {"runs", "runs", ""},
                                       {"contraction", "contraction", ""},
                                       {"cross_integrator", "second method", ""},
                                       {"cross_difference", "difference to it", ""},
                                       {NULL, NULL, NULL}};
    add_lines(&r->settings, arena, document, settings);
    add_lines(&r->statistics, arena, document, statistics);
    add_lines(&r->checks, arena, document, checks);
    static const Line estimate[] = {{"relative", "estimated error", "of the range of an output"},
                                    {"lost_from", "digits are lost from", "s on"},
                                    {NULL, NULL, NULL}};
    add_lines(&r->checks, arena, fb_node_get(document, "error_estimate"), estimate);
    add_lines(&r->certificate, arena, fb_node_get(document, "certificate"), certificate);
}

static void add_events(FbReportSource* r, FbArena* arena, const FbNode* document) {
    const FbNode* list = fb_node_get(document, "events");
    int n = list != NULL && list->kind == FB_NODE_LIST ? list->count : 0;
    FbReportEvent* events = FB_TAKE(arena, FbReportEvent, n + 1);
    for (int i = 0; events != NULL && i < n; i++) {
        const char* name = get_text(list->items[i], "name");
        double direction = get_number(list->items[i], "direction");
        events[i] = (FbReportEvent){name != NULL ? name : "", get_number(list->items[i], "t"),
                                    (direction > 0.0) - (direction < 0.0)};
    }
    r->events = events;
    r->n_events = n;
}

// A part of the document as JSON again.
static void write_node(FbJson* json, const FbNode* node) {
    double value;
    if (node->kind == FB_NODE_MAP) {
        fb_json_begin_object(json);
        for (int i = 0; i < node->count; i++) {
            fb_json_key(json, node->entries[i].key);
            write_node(json, node->entries[i].value);
        }
        fb_json_end_object(json);
    } else if (node->kind == FB_NODE_LIST) {
        fb_json_begin_array(json);
        for (int i = 0; i < node->count; i++) {
            write_node(json, node->items[i]);
        }
        fb_json_end_array(json);
    } else if (node->is_null && !node->is_quoted) {
        fb_json_null(json);
    } else if (!node->is_quoted && fb_parse_double(node->text, strlen(node->text), &value)) {
        fb_json_number(json, value);
    } else if (!node->is_quoted &&
               (strcmp(node->text, "true") == 0 || strcmp(node->text, "false") == 0)) {
        fb_json_bool(json, node->text[0] == 't');
    } else {
        fb_json_string(json, node->text);
    }
}

static void add_damping(FbReportSource* r, FbArena* arena, const FbNode* document) {
    const FbNode* node = fb_node_get(document, "damping");
    FbText text;
    FbJson json;
    if (node == NULL || node->kind != FB_NODE_MAP) {
        return;
    }
    fb_text_init(&text);
    fb_json_init(&json, &text, false);
    write_node(&json, node);
    r->damping = text.has_failed ? NULL : fb_arena_text(arena, text.data);
    fb_text_free(&text);
}

static void add_warnings(FbReportSource* r, FbArena* arena, const FbNode* document) {
    const FbNode* list = fb_node_get(document, "warnings");
    int n = list != NULL && list->kind == FB_NODE_LIST ? list->count : 0;
    const char** warnings = FB_TAKE(arena, const char*, n + 1);
    r->n_warnings = 0;
    for (int i = 0; warnings != NULL && i < n; i++) {
        if (list->items[i]->kind == FB_NODE_SCALAR) {
            warnings[r->n_warnings++] = list->items[i]->text;
        }
    }
    r->warnings = warnings;
    r->failure = get_text(document, "failure");
}

static int add_document(SavedRun* run, const char* path, const char* text, size_t size) {
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    if (diagnostics == NULL) {
        print_note("out of memory");
        return EXIT_COMPUTATION;
    }
    const FbNode* document = fb_yaml_parse(text, size, path, run->arena, diagnostics);
    int code = EXIT_OK;
    for (int i = 0; i < fb_diagnostics_count(diagnostics); i++) {
        print_diagnostic(fb_diagnostics_get(diagnostics, i));
        code = EXIT_MODEL;
    }
    fb_diagnostics_destroy(diagnostics);
    if (code == EXIT_OK && document != NULL) {
        FbReportSource* r = &run->source;
        r->file = get_text(document, "model");
        r->sha256 = get_text(document, "model_sha256");
        const char* version = get_text(document, "version");
        r->version = version != NULL ? version : r->version;
        add_numbers(r, run->arena, document);
        add_events(r, run->arena, document);
        add_damping(r, run->arena, document);
        add_warnings(r, run->arena, document);
    }
    return code;
}

static int read_document(const Options* options, SavedRun* run) {
    const char* path = fb_arena_format(run->arena, "%s.json", run->stem);
    char* text;
    size_t size;
    FbError err;
    if (path == NULL || access(path, F_OK) != 0) {
        if (!options->is_quiet) {
            print_note("%s.json is not there: the report will have no statistics", run->stem);
        }
        return EXIT_OK;
    }
    if (fb_read_file(path, &text, &size, &err) < 0) {
        print_error(&err);
        return exit_code_of(err.status);
    }
    int code = add_document(run, path, text, size);
    free(text);
    return code;
}

static int read_motion(const Options* options, SavedRun* run) {
    const char* path = fb_arena_format(run->arena, "%s.motion.json", run->stem);
    FbError err;
    if (path == NULL || access(path, F_OK) != 0) {
        if (!options->is_quiet) {
            print_note(
                "%s.motion.json is not there: no animation ('flyball run -o DIR --poses' "
                "writes it)",
                run->stem);
        }
        return EXIT_OK;
    }
    FbStatus status = fb_read_file(path, &run->motion, &run->source.motion_size, &err);
    if (status >= 0) {
        run->source.motion = run->motion;
        status = fb_motion_check(run->motion, run->source.motion_size, path, &err);
    }
    if (status < 0) {
        print_error(&err);
    }
    return exit_code_of(status);
}

static const char* find_stem(FbArena* arena, const char* path) {
    const char* stem = without_ending(arena, path, ".csv");
    stem = stem != NULL ? without_ending(arena, stem, ".json") : NULL;
    return stem != NULL ? without_ending(arena, stem, ".motion") : NULL;
}

int read_saved_run(const Options* options, const char* path, SavedRun* out) {
    *out = (SavedRun){.arena = fb_arena_create(), .source = fb_report_source("run")};
    out->stem = out->arena != NULL ? find_stem(out->arena, path) : NULL;
    const char* table = out->stem != NULL ? fb_arena_format(out->arena, "%s.csv", out->stem) : NULL;
    if (table == NULL) {
        print_note("out of memory");
        return EXIT_COMPUTATION;
    }
    FbError err;
    FbStatus status = fb_samples_read_csv(&out->table, table, &err);
    if (status < 0) {
        print_error(&err);
        return exit_code_of(status);
    }
    out->source.name = out->source.title = base_name(out->stem);
    add_table(out);
    if (strcmp(options->command->name, "plot") == 0) {
        return EXIT_OK;
    }
    int code = read_document(options, out);
    return code == EXIT_OK ? read_motion(options, out) : code;
}

void free_saved_run(SavedRun* run) {
    fb_samples_free(&run->table);
    free(run->motion);
    fb_arena_destroy(run->arena);
    *run = (SavedRun){0};
}

int read_references(const Options* options, SavedRun* run) {
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
    int n = find_references(&table, run->table.names, run->table.n_columns, run->arena, &list);
    fb_samples_free(&table);
    run->source.references = list;
    run->source.n_references = n > 0 ? n : 0;
    if (n == 0) {
        print_note("%s: no column has the name of an output of %s.csv", options->reference,
                   run->stem);
        return EXIT_USAGE;
    }
    return n < 0 ? EXIT_COMPUTATION : EXIT_OK;
}
