// The measures of a study file: what they are of, and which of them one line becomes.
#include <math.h>
#include <string.h>

#include "read/field.h"
#include "study/point.h"
#include "study/study_tables.h"

static void check_output(FbStudyReader* r, const FbNode* node, FbStudyMeasure* m) {
    int column = fb_model_find_output(r->model, m->output);
    if (column >= 0) {
        m->unit = m->kind == FB_STUDY_DAMPING
                      ? ""
                      : fb_arena_text(r->study->arena, fb_model_get_output_unit(r->model, column));
        return;
    }
    const char* names[256];
    int n = 0;
    for (; n < fb_model_get_output_count(r->model) && n < 256; n++) {
        names[n] = fb_model_get_output_name(r->model, n);
    }
    char hint[128];
    fb_suggest(m->output, names, n, hint);
    const FbNode* at = fb_node_get(node, "output");
    fb_report(&r->base, FB_ERR_NAME, at->line, at->col, "the model records no output '%s'%s",
              m->output, hint);
}

// Which keys measures of modes need, and others must not have.
static void check_modes(FbStudyReader* r, const FbNode* node, const FbStudyMeasure* m) {
    const FbNode *mode = fb_node_get(node, "mode"), *modes = fb_node_get(node, "modes");
    const FbNode* given = mode ? mode : modes;
    bool has_number = fb_measure_is_of_modes(m->kind) && m->kind != FB_STUDY_GROWTH_RATE;
    if (given && !has_number) {
        fb_report(&r->base, FB_ERR_MODEL, given->line, given->col,
                  "'%s' is for frequency, damping_ratio, real, imaginary and eigenvalue",
                  mode ? "mode" : "modes");
    } else if (has_number && (mode != NULL) == (modes != NULL)) {
        fb_report(&r->base, FB_ERR_MODEL, node->line, node->col,
                  "the measure '%s' needs either 'mode', the number of a mode, or 'modes', how "
                  "many of them",
                  m->name);
    }
    for (int i = 0; fb_measure_is_of_point(m->kind) && i < 2; i++) {
        const char* key = i == 0 ? "from" : "to";
        const FbNode* at = fb_node_get(node, key);
        if (at) {
            fb_report(&r->base, FB_ERR_MODEL, at->line, at->col,
                      "'%s' is for measures of a run; an operating point has no time", key);
        }
    }
}

static void check_measure(FbStudyReader* r, const FbNode* node, FbStudyMeasure* m) {
    bool is_damping = m->kind == FB_STUDY_DAMPING;
    bool is_free = m->kind == FB_STUDY_END_TIME || fb_measure_is_of_modes(m->kind);
    const FbNode *cycles = fb_node_get(node, "cycles"), *about = fb_node_get(node, "about");
    const FbNode* other = cycles ? cycles : about;
    if (!m->output && !is_free) {
        fb_report(&r->base, FB_ERR_MODEL, node->line, node->col,
                  "the measure '%s' needs 'output': a recorded output of the model", m->name);
    } else if (m->output && is_free) {
        fb_report(&r->base, FB_ERR_MODEL, node->line, node->col,
                  "the measure '%s' is %s and has no 'output'", m->name,
                  m->kind == FB_STUDY_END_TIME ? "the end time of the run" : "of modes");
    } else if (m->output) {
        check_output(r, node, m);
    }
    check_modes(r, node, m);
    if (other && !is_damping) {
        fb_report(&r->base, FB_ERR_MODEL, other->line, other->col,
                  "'%s' is only for measures of damping", cycles ? "cycles" : "about");
    }
    if (!(m->from < m->to)) {
        fb_report(&r->base, FB_ERR_RANGE, node->line, node->col,
                  "the measure '%s' covers %g s to %g s; 'from' must be below 'to'", m->name,
                  m->from, m->to);
    }
}

static const char* unit_of(int kind) {
    switch (kind) {
        case FB_STUDY_END_TIME:
            return "s";
        case FB_STUDY_FREQUENCY:
            return "Hz";
        case FB_STUDY_REAL:
        case FB_STUDY_GROWTH_RATE:
            return "1/s";
        case FB_STUDY_IMAGINARY:
            return "rad/s";
        default:
            return "";
    }
}

static void read_measure(FbStudyReader* r, const FbNode* node, FbStudyMeasure* m) {
    FbStudy* s = r->study;
    const char* text;
    if (node->kind == FB_NODE_SCALAR) {
        m->kind = FB_STUDY_EXPRESSION;
        if (fb_read_text(&r->base, node, m->name, &text)) {
            m->text = fb_arena_text(s->arena, text);
            m->expr = m->text ? fb_study_compile(r, m->text, node->line, node->col) : NULL;
        }
        return;
    }
    FbTable table = {"a measure", fb_study_measure_table.fields, fb_study_measure_table.n_fields,
                     NULL};
    FbOrigin origin = {.place = {s->file, node->line, node->col}};
    if (fb_read_table(&r->base, node, &table, m, &origin)) {
        m->output = fb_arena_text(s->arena, m->output);
        m->unit = unit_of(m->kind);
        check_measure(r, node, m);
    }
}

// How many measures an entry may become; a wrong value is reported later.
static int count_measures(const FbNode* node) {
    const FbNode* modes = node->kind == FB_NODE_MAP ? fb_node_get(node, "modes") : NULL;
    bool has_text = modes && modes->kind == FB_NODE_SCALAR && modes->text;
    return modes && !(has_text && strlen(modes->text) <= 2) ? 2 * FB_STUDY_MAX_MODES
           : modes                                          ? 2 * 99
                                                            : 2;
}

// The copy of a measure for mode `number`, of a kind: f -> f2, or s -> s2_re.
static void add_copy(FbStudyReader* r, const FbEntry* e, FbStudyMeasure m, int number, int kind,
                     const char* ending) {
    FbStudy* s = r->study;
    m.group = m.name;
    m.name = m.n_modes > 0 ? fb_arena_format(s->arena, "%s%d%s", m.name, number, ending)
                           : fb_arena_format(s->arena, "%s%s", m.name, ending);
    m.mode = number;
    m.counts_all = m.kind == FB_STUDY_EIGENVALUE;
    m.kind = kind;
    m.unit = unit_of(kind);
    if (m.name && fb_study_check_name(r, e, m.name)) {
        s->measures[s->n_measures] = m;
        r->n_known_measures = ++s->n_measures;
    }
}

// One entry may stand for several modes, and an eigenvalue for two numbers.
static void add_measure(FbStudyReader* r, const FbEntry* e, const FbStudyMeasure* m) {
    FbStudy* s = r->study;
    bool is_pair = m->kind == FB_STUDY_EIGENVALUE;
    if (!is_pair && m->n_modes == 0) {
        s->measures[s->n_measures] = *m;
        r->n_known_measures = ++s->n_measures;
        return;
    }
    int first = m->n_modes > 0 ? 1 : m->mode, last = m->n_modes > 0 ? m->n_modes : m->mode;
    for (int i = first; i <= last; i++) {
        add_copy(r, e, *m, i, is_pair ? FB_STUDY_REAL : m->kind, is_pair ? "_re" : "");
        if (is_pair) {
            add_copy(r, e, *m, i, FB_STUDY_IMAGINARY, "_im");
        }
    }
}

void fb_study_read_measures(FbStudyReader* r, const FbNode* map) {
    FbStudy* s = r->study;
    if (!map || map->kind != FB_NODE_MAP || map->count == 0) {
        fb_report(&r->base, FB_ERR_MODEL, map ? map->line : 1, map ? map->col : 1,
                  "a study needs 'measures': a map of names to {output: ..., of: ...} or to "
                  "expressions");
        return;
    }
    size_t most = 1;
    for (int i = 0; i < map->count; i++) {
        most += (size_t)count_measures(map->entries[i].value);
    }
    s->measures = FB_TAKE(s->arena, FbStudyMeasure, most);
    for (int i = 0; s->measures && i < map->count; i++) {
        const FbEntry* e = &map->entries[i];
        if (fb_node_get(map, e->key) != e->value || !fb_study_check_name(r, e, e->key)) {
            continue;
        }
        FbStudyMeasure m = {.name = fb_arena_text(s->arena, e->key),
                            .unit = "",
                            .from = -INFINITY,
                            .to = INFINITY,
                            .place = {s->file, e->line, e->col}};
        if (!m.name) {
            return;  // the arena remembers that memory ran out
        }
        int n_before = fb_diagnostics_count(r->base.diagnostics);
        read_measure(r, e->value, &m);
        bool is_good = fb_diagnostics_count(r->base.diagnostics) == n_before;
        m.n_modes = is_good ? m.n_modes : 0;
        m.kind = is_good || m.kind != FB_STUDY_EIGENVALUE ? m.kind : FB_STUDY_REAL;
        add_measure(r, e, &m);
    }
}
