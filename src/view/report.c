// Writes a report: the viewer with the data as JSON in its middle.
#include "view/report.h"

#include <stdarg.h>
#include <string.h>

#include "base/input_file.h"
#include "model/model.h"
#include "record/json_pair.h"
#include "view/template.h"

// Above this many recorded values single precision (7 digits) has to suffice, so that the file
// stays small enough to send and to open.
enum { MAX_F64_VALUES = 350000 };

void fb_pairs_add(FbPairs* pairs, FbArena* arena, const char* key, const char* format, ...) {
    char value[512];
    va_list args;
    va_start(args, format);
    vsnprintf(value, sizeof value, format, args);
    va_end(args);
    if (pairs->n < (int)(sizeof pairs->items / sizeof pairs->items[0])) {
        pairs->items[pairs->n++] = (FbPair){key, fb_arena_text(arena, value)};
    }
}

FbReportSource fb_report_source(const char* kind) {
    return (FbReportSource){.kind = kind, .version = fb_version()};
}

static int count_role(const FbModel* m, FbDrawnRole role) {
    int n = 0;
    for (int b = 0; b < m->n_bodies; b++) {
        n += m->drawing.bodies[b].role == role;
    }
    return n;
}

void fb_report_add_model(FbReportSource* source, FbArena* arena, const FbModel* m) {
    source->model = m;
    source->name = m->name;
    source->file = m->file;
    source->sha256 = m->sha256[0] != '\0' ? m->sha256 : NULL;
    source->title = m->title != NULL ? m->title : m->name;
    FbPairs* p = &source->summary;
    int n_nodes = count_role(m, FB_DRAWN_NODE);
    int n_hidden = count_role(m, FB_DRAWN_CARRIAGE) + count_role(m, FB_DRAWN_ROW);
    fb_pairs_add(p, arena, "bodies", "%d", m->n_bodies - n_nodes - n_hidden);
    if (n_nodes > 0) {
        fb_pairs_add(p, arena, "nodes of structures", "%d", n_nodes);
    }
    if (m->n_beams > 0) {
        fb_pairs_add(p, arena, "members", "%d with %d elements", m->n_members, m->n_beams);
    }
    if (m->n_sliders > 0) {
        fb_pairs_add(p, arena, "sliders", "%d", m->n_sliders);
    }
    fb_pairs_add(p, arena, "joints", "%d", m->n_joints);
    fb_pairs_add(p, arena, "loops", "%d", m->n_loops);
    fb_pairs_add(p, arena, "constraints", "%d", m->n_constraints);
    fb_pairs_add(p, arena, "forces", "%d", m->n_forces);
    fb_pairs_add(p, arena, "coordinates", "%d", m->tree.n_v);
    fb_pairs_add(p, arena, "constraint equations", "%d", m->n_rows);
    if (m->n_states > 0) {
        fb_pairs_add(p, arena, "states", "%d", m->n_states);
    }
}

void fb_report_add_options(FbReportSource* source, const FbReportOptions* o) {
    source->title = o->title != NULL ? o->title : source->title;
    source->references = o->references;
    source->n_references = o->n_references;
    source->measures = o->measures;
    source->n_measures = o->n_measures;
    source->failure = o->failure;
    source->origin = o->source;
    source->created = o->created;
    source->machine = o->machine;
    source->model_text = o->model_text;
    source->command = o->command;
    source->overview = o->overview;
}

FbReportOptions fb_report_options_default(void) {
    return (FbReportOptions){0};
}

static void write_pair(FbJson* json, const char* key, const char* value) {
    fb_json_begin_array(json);
    fb_json_string(json, key);
    fb_json_string(json, value);
    fb_json_end_array(json);
}

// The lines of a table, preceded by one that states its origin.
static void write_pairs(FbJson* json, const char* key, const FbPairs* pairs, const char* origin) {
    fb_json_key(json, key);
    fb_json_begin_array(json);
    if (origin != NULL) {
        write_pair(json, "source", origin);
    }
    for (int i = 0; i < pairs->n; i++) {
        write_pair(json, pairs->items[i].key, pairs->items[i].value);
    }
    fb_json_end_array(json);
}

static void write_path(FbJson* json, const char* key, const char* path) {
    char shown[4096];
    bool fits = path != NULL && strlen(path) < sizeof shown;
    if (fits) {
        strcpy(shown, path);
        fb_path_simplify(shown);
    }
    fb_json_pair_text(json, key, fits ? shown : path);
}

static void write_model(FbJson* json, const FbReportSource* r) {
    fb_json_key(json, "model");
    fb_json_begin_object(json);
    fb_json_pair_text(json, "name", r->name);
    write_path(json, "file", r->file);
    fb_json_pair_text(json, "sha256", r->sha256);
    fb_json_pair_text(json, "text", r->model_text);
    write_pairs(json, "summary", &r->summary, r->origin);
    fb_json_end_object(json);
}

static void write_warnings(FbJson* json, const FbReportSource* r) {
    fb_json_key(json, "warnings");
    fb_json_begin_array(json);
    if (r->failure != NULL) {
        char text[FB_ERROR_TEXT + 64];
        snprintf(text, sizeof text, "The run ended early: %s", r->failure);
        fb_json_string(json, text);
    }
    for (int i = 0; i < r->n_warnings; i++) {
        fb_json_string(json, r->warnings[i]);
    }
    fb_json_end_array(json);
}

static void write_measures(FbJson* json, const FbReportSource* r) {
    fb_json_key(json, "errors_vs_reference");
    fb_json_begin_array(json);
    for (int i = 0; i < r->n_measures; i++) {
        const FbReportMeasure* m = &r->measures[i];
        fb_json_begin_object(json);
        fb_json_pair_text(json, "name", m->name);
        fb_json_pair_number(json, "error", m->error);
        fb_json_pair_number(json, "limit", m->limit);
        fb_json_pair_bool(json, "pass", m->is_passed);
        fb_json_end_object(json);
    }
    fb_json_end_array(json);
}

static void write_certificate(FbJson* json, const FbPairs* lines) {
    fb_json_key(json, "certificate");
    if (lines->n == 0) {
        fb_json_null(json);
        return;
    }
    fb_json_begin_object(json);
    for (int i = 0; i < lines->n; i++) {
        fb_json_pair_text(json, lines->items[i].key, lines->items[i].value);
    }
    fb_json_end_object(json);
}

static void write_numbers(FbStream* s, const FbReportSource* r) {
    FbJson* json = &s->json;
    fb_json_pair_integer(json, "format", 1);
    fb_json_pair_text(json, "kind", r->kind);
    fb_json_pair_text(json, "title", r->title);
    write_model(json, r);
    fb_json_pair_text(json, "version", r->version);
    fb_json_pair_text(json, "created", r->created);
    fb_json_pair_text(json, "machine", r->machine);
    fb_json_pair_text(json, "command", r->command);
    fb_json_pair_text(json, "overview", r->overview);
    write_pairs(json, "settings", &r->settings, NULL);
    write_pairs(json, "statistics", &r->statistics, NULL);
    write_pairs(json, "checks", &r->checks, NULL);
    fb_json_pair_text(json, "ended_early", r->failure);
    write_warnings(json, r);
    write_measures(json, r);
    write_certificate(json, &r->certificate);
    fb_stream_flush(s);
}

static int shown_row(const FbReportSource* r, int i) {
    return r->shown_rows != NULL ? r->shown_rows[i] : i;
}

static double get_row_time(const void* self, int i) {
    const FbReportSource* r = self;
    return r->get_time(r->self, shown_row(r, i));
}

typedef struct OutputColumn {
    const FbReportSource* source;
    int output;
} OutputColumn;

static double get_row_value(const void* self, int i) {
    const OutputColumn* c = self;
    return c->source->get_value(c->source->self, shown_row(c->source, i), c->output);
}

static void write_outputs(FbStream* s, const FbReportSource* r) {
    bool is_f32 = (double)r->n_shown * (1.0 + r->n_outputs) > MAX_F64_VALUES;
    fb_stream_array(s, "time", r->n_shown, get_row_time, r, FB_NUMBER_F64);
    fb_json_key(&s->json, "outputs");
    fb_json_begin_array(&s->json);
    for (int i = 0; i < r->n_outputs; i++) {
        OutputColumn column = {r, i};
        fb_json_begin_object(&s->json);
        fb_json_pair_text(&s->json, "name", r->output_names[i]);
        fb_json_pair_text(&s->json, "unit", r->output_units[i]);
        fb_stream_array(s, "values", r->n_shown, get_row_value, &column,
                        is_f32 ? FB_NUMBER_F32 : FB_NUMBER_F64);
        fb_json_end_object(&s->json);
    }
    fb_json_end_array(&s->json);
}

static double get_element(const void* self, int i) {
    return ((const double*)self)[i];
}

static void write_references(FbStream* s, const FbReportSource* r) {
    fb_json_key(&s->json, "references");
    fb_json_begin_array(&s->json);
    for (int i = 0; i < r->n_references; i++) {
        const FbReportReference* ref = &r->references[i];
        fb_json_begin_object(&s->json);
        fb_json_pair_text(&s->json, "output", ref->output);
        fb_stream_array(s, "time", ref->n, get_element, ref->times, FB_NUMBER_F64);
        fb_stream_array(s, "values", ref->n, get_element, ref->values, FB_NUMBER_F64);
        fb_json_end_object(&s->json);
    }
    fb_json_end_array(&s->json);
}

static void write_events(FbStream* s, const FbReportSource* r) {
    fb_json_key(&s->json, "events");
    fb_json_begin_array(&s->json);
    for (int i = 0; i < r->n_events; i++) {
        fb_json_begin_object(&s->json);
        fb_json_pair_text(&s->json, "name", r->events[i].name);
        fb_json_pair_number(&s->json, "t", r->events[i].t);
        fb_json_pair_integer(&s->json, "direction", r->events[i].direction);
        fb_json_end_object(&s->json);
        fb_stream_flush(s);
    }
    fb_json_end_array(&s->json);
}

// The pairs of a motion that was written before: the text between its braces.
static void splice_motion(FbStream* s, const char* text, size_t size) {
    size_t begin = 0, end = size;
    while (begin < end && text[begin] != '"') {
        begin++;
    }
    while (end > begin && text[end - 1] != '}') {
        end--;
    }
    if (end < begin + 2) {
        return;
    }
    fb_text_add(&s->text, ",");
    fb_stream_flush_all(s);
    fb_stream_json_text(s, text + begin, end - 1 - begin);
}

static void write_beside(FbStream* s, const FbReportSource* r) {
    if (r->beside != NULL) {
        fb_json_key(&s->json, "beside");
        fb_json_begin_object(&s->json);
        fb_json_pair_text(&s->json, "title", r->beside_name);
        splice_motion(s, r->beside, r->beside_size);
        fb_json_end_object(&s->json);
    }
}

// Written elsewhere as one object, and inserted unchanged.
static void write_damping(FbStream* s, const FbReportSource* r) {
    if (r->damping != NULL) {
        fb_json_key(&s->json, "damping");
        s->json.is_after_key = false;
        fb_text_add(&s->text, r->damping);
    }
}

static FbStatus write_document(FbStream* s, const FbReportSource* r, FbError* err) {
    FbStatus status = FB_OK;
    fb_json_begin_object(&s->json);
    write_numbers(s, r);
    write_outputs(s, r);
    write_references(s, r);
    write_events(s, r);
    write_damping(s, r);
    write_beside(s, r);
    if (r->write_more != NULL) {
        status = r->write_more(s, r, err);
    }
    if (r->motion != NULL) {
        splice_motion(s, r->motion, r->motion_size);
    } else {
        fb_drawing_write(s, r);
    }
    fb_json_end_object(&s->json);
    return status;
}

static void write_parts(FbStream* s, const FbTemplatePart* parts) {
    for (; parts->size > 0; parts++) {
        fb_stream_raw(s, parts->bytes, parts->size);
    }
}

static FbStatus write_file(const FbReportSource* source, const char* path, FbError* err) {
    FbStream s;
    FB_TRY(fb_stream_open(&s, path, err));
    write_parts(&s, fb_template_head);
    FbStatus status = write_document(&s, source, err);
    fb_stream_flush_all(&s);
    write_parts(&s, fb_template_tail);
    return fb_stream_close(&s, status, err);
}

FbStatus fb_report_write(const FbReportSource* source, const char* path, FbError* err) {
    FbReportSource shown = *source;
    FbArena* arena = fb_arena_create();
    if (arena == NULL) {
        return fb_fail_memory(err);
    }
    FbStatus status = fb_report_choose_rows(&shown, arena, err);
    if (status == FB_OK && shown.motion == NULL) {
        status = fb_drawing_prepare(&shown, arena, err);
    }
    status = status == FB_OK ? write_file(&shown, path, err) : status;
    fb_arena_destroy(arena);
    return status;
}
