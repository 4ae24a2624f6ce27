// A run that was saved as files: its table, its document and its motion, read back for reports.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "read/read.h"
#include "read/yaml.h"
#include "record/csv.h"
#include "record/run_document.h"
#include "view/gltf.h"
#include "view/report.h"

struct FbSavedRun {
    FbArena* arena;
    const char* stem;  // path without .csv, .json or .motion.json
    const char* table_path;
    FbSamples table;
    char* motion;           // text of STEM.motion.json, NULL: there is none
    FbReportSource source;  // of the above
};

static double get_time(const void* self, int row) {
    return fb_samples_get_time(&((const FbSavedRun*)self)->table, row);
}

static double get_value(const void* self, int row, int output) {
    return fb_samples_get_value(&((const FbSavedRun*)self)->table, row, output);
}

static void add_table(FbSavedRun* run) {
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
                                       {"cross_difference", "difference from it", ""},
                                       {NULL, NULL, NULL}};
    add_lines(&r->settings, arena, document, settings);
    add_lines(&r->statistics, arena, document, statistics);
    add_lines(&r->checks, arena, document, checks);
    static const Line estimate[] = {{"lost_from", "digits are lost from", "s on"},
                                    {NULL, NULL, NULL}};
    const FbNode* found = fb_node_get(document, "error_estimate");
    double relative = get_number(found, "relative");
    const char* worst = get_text(found, "worst_output");
    const char* of = get_text(found, "relative_to");
    if (!isnan(relative)) {
        fb_pairs_add(&r->checks, arena, "estimated error", "%.2g of %s %s", relative,
                     of != NULL ? of : "the range of", worst != NULL ? worst : "an output");
    }
    add_lines(&r->checks, arena, found, estimate);
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

static void add_document(FbSavedRun* run, const FbNode* document) {
    FbReportSource* r = &run->source;
    r->file = get_text(document, "model");
    const char* title = get_text(document, "title");
    r->title = title != NULL ? title : r->title;
    r->sha256 = get_text(document, "model_sha256");
    const char* version = get_text(document, "version");
    r->version = version != NULL ? version : r->version;
    add_numbers(r, run->arena, document);
    add_events(r, run->arena, document);
    add_damping(r, run->arena, document);
    add_warnings(r, run->arena, document);
}

// Reads a file that need not be there; *text is NULL then, and the diagnostics have a note.
static FbStatus read_optional(const FbSavedRun* run, const char* ending, const char* note,
                              char** text, size_t* size, FbDiagnostics* diagnostics) {
    const char* path = fb_arena_format(run->arena, "%s%s", run->stem, ending);
    FbError err;
    *text = NULL;
    if (path == NULL) {
        fb_fail_memory(&err);
        fb_diagnose_error(diagnostics, &err);
        return FB_ERR_MEMORY;
    }
    if (access(path, F_OK) != 0) {
        fb_diagnose(diagnostics, FB_NOTE, FB_OK, NULL, "%s is missing: %s", path, note);
        return FB_OK;
    }
    FbStatus status = fb_read_file(path, text, size, &err);
    if (status < 0) {
        fb_diagnose_error(diagnostics, &err);
    }
    return status;
}

// Does the document say that it was written for a table with another content?
static bool is_of_another(const FbSavedRun* run, const FbNode* document) {
    const char* wanted = get_text(document, "csv_sha256");
    char digest[65];
    if (wanted == NULL) {
        return false;
    }
    fb_run_hash_table(run->table_path, digest);
    return strcmp(wanted, digest) != 0;
}

static FbStatus read_document(FbSavedRun* run, FbDiagnostics* diagnostics) {
    char* text;
    size_t size;
    FB_TRY(read_optional(run, ".json", "the report will have no statistics", &text, &size,
                         diagnostics));
    if (text == NULL) {
        return FB_OK;
    }
    int before = fb_diagnostics_error_count(diagnostics);
    const char* path = fb_arena_format(run->arena, "%s.json", run->stem);
    const FbNode* document =
        path != NULL ? fb_yaml_parse(text, size, path, run->arena, diagnostics) : NULL;
    free(text);
    if (fb_diagnostics_error_count(diagnostics) > before) {
        return FB_ERR_SYNTAX;
    }
    if (document != NULL && is_of_another(run, document)) {
        fb_diagnose(diagnostics, FB_WARNING, FB_OK, NULL,
                    "%s describes another table than %s, which was replaced or edited; it is "
                    "ignored",
                    path, run->table_path);
    } else if (document != NULL) {
        add_document(run, document);
    }
    return FB_OK;
}

static FbStatus read_motion(FbSavedRun* run, FbDiagnostics* diagnostics) {
    FbError err;
    FB_TRY(read_optional(run, ".motion.json",
                         "no animation ('flyball run -o DIR --poses' writes it)", &run->motion,
                         &run->source.motion_size, diagnostics));
    if (run->motion == NULL) {
        return FB_OK;
    }
    const char* path = fb_arena_format(run->arena, "%s.motion.json", run->stem);
    run->source.motion = run->motion;
    FbStatus status = path != NULL
                          ? fb_motion_check(run->motion, run->source.motion_size, path, &err)
                          : fb_fail_memory(&err);
    if (status < 0) {
        fb_diagnose_error(diagnostics, &err);
    }
    return status;
}

static FbStatus read_table(FbSavedRun* run, FbDiagnostics* diagnostics) {
    FbError err;
    FbStatus status = fb_samples_read_csv(&run->table, run->table_path, &err);
    if (status < 0) {
        fb_diagnose_error(diagnostics, &err);
        return status;
    }
    const char* slash = strrchr(run->stem, '/');
    run->source.name = run->source.title = slash != NULL ? slash + 1 : run->stem;
    add_table(run);
    return FB_OK;
}

FbStatus fb_saved_run_read(const char* path, FbSavedRun** out, FbDiagnostics* diagnostics) {
    *out = NULL;
    FbSavedRun* run = calloc(1, sizeof *run);
    if (run != NULL) {
        run->arena = fb_arena_create();
        run->stem = run->arena != NULL ? fb_run_find_stem(run->arena, path) : NULL;
        run->table_path = run->stem != NULL ? fb_run_find_table(run->arena, path) : NULL;
    }
    if (run == NULL || run->table_path == NULL) {
        fb_saved_run_destroy(run);
        fb_diagnose(diagnostics, FB_SEVERE, FB_ERR_MEMORY, NULL, "out of memory");
        return FB_ERR_MEMORY;
    }
    run->source = fb_report_source("run");
    FbStatus status = read_table(run, diagnostics);
    // Document and motion belong to complete tables.
    bool is_part = fb_samples_is_part(run->table_path);
    if (status == FB_OK && is_part) {
        run->source.failure = "the run was not finished";
        fb_diagnose(diagnostics, FB_NOTE, FB_OK, NULL,
                    "%s is the table of a run that was not finished: %d rows", run->table_path,
                    run->table.n_rows);
    }
    status = status == FB_OK && !is_part ? read_document(run, diagnostics) : status;
    status = status == FB_OK && !is_part ? read_motion(run, diagnostics) : status;
    if (status != FB_OK) {
        fb_saved_run_destroy(run);
        return status;
    }
    *out = run;
    return FB_OK;
}

void fb_saved_run_destroy(FbSavedRun* run) {
    if (run != NULL) {
        fb_samples_free(&run->table);
        free(run->motion);
        fb_arena_destroy(run->arena);
        free(run);
    }
}

const FbSamples* fb_saved_run_get_table(const FbSavedRun* run) {
    return &run->table;
}

const char* fb_saved_run_get_stem(const FbSavedRun* run) {
    return run->stem;
}

static FbStatus add_beside(FbReportSource* source, const FbSavedRun* other, FbError* err) {
    if (other == NULL) {
        return FB_OK;
    }
    if (other->motion == NULL || source->motion == NULL) {
        FbPlace place = {.file = other->motion == NULL ? other->table_path : source->name};
        return fb_fail(err, FB_ERR_MODEL, &place,
                       "the motion of this run was not saved, so two cannot be drawn together; "
                       "'flyball run -o DIR --poses' saves it");
    }
    source->beside = other->motion;
    source->beside_size = other->source.motion_size;
    source->beside_name = other->source.name;
    return FB_OK;
}

FbStatus fb_report_write_saved(const FbSavedRun* run, const FbReportOptions* options,
                               const char* path, FbError* err) {
    if (fb_arena_has_failed(run->arena)) {
        return fb_fail_memory(err);
    }
    FbReportSource source = run->source;
    fb_report_add_options(&source, options);
    FB_TRY(add_beside(&source, options->beside, err));
    source.failure = options->failure != NULL ? options->failure : run->source.failure;
    return fb_report_write(&source, path, err);
}

FbStatus fb_saved_run_write_gltf(const FbSavedRun* run, const char* title, const char* path,
                                 FbError* err) {
    const FbReportSource* source = &run->source;
    if (!run->motion) {
        FbPlace place = {.file = run->table_path};
        return fb_fail(
            err, FB_ERR_MODEL, &place,
            "the motion of this run was not saved; 'flyball run -o DIR --poses' saves it");
    }
    const char* file = fb_arena_format(run->arena, "%s.motion.json", run->stem);
    return file ? fb_gltf_write_motion(run->motion, source->motion_size,
                                       title ? title : source->title, file, path, err)
                : fb_fail_memory(err);
}

FbStatus fb_report_check_path(const char* path, FbError* err) {
    return fb_new_file_check(path, err);
}
