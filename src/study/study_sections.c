// Sections of a study file: parameters with their ranges, measures, settings, the search.
#include <math.h>
#include <string.h>

#include "describe/untyped_tables.h"
#include "read/field.h"
#include "study/distribution.h"
#include "study/study_tables.h"

static const char* const setting_names[FB_STUDY_N_SETTINGS] = {
    "duration", "sample", "rtol", "atol", "max_step", "integrator"};
const char* const fb_study_algorithm_names[] = {"cobyla", "bobyqa", "subplex",   "direct",
                                                "isres",  "crs2",   "multistart"};

// Columns of the table of results besides parameters and measures.
static const char* const reserved[] = {"point", "start",   "objective", "status",
                                       "steps", "message", "wall",      "study"};

static bool check_name(FbStudyReader* r, const FbEntry* e) {
    const FbStudy* s = r->study;
    bool is_good = fb_name_is_valid(e->key) && !strchr(e->key, '.');
    if (!is_good) {
        fb_report(&r->base, FB_ERR_NAME, e->line, e->col,
                  "'%s' is not a valid name; use letters, digits and '_', starting with a letter",
                  e->key);
    }
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++) {
        if (strcmp(reserved[i], e->key) == 0) {
            fb_report(&r->base, FB_ERR_NAME, e->line, e->col,
                      "'%s' is already a column of the result table; choose another name", e->key);
            return false;
        }
    }
    for (int i = 0; i < s->n_parameters; i++) {
        if (strcmp(s->parameters[i].name, e->key) == 0) {
            fb_report(&r->base, FB_ERR_NAME, e->line, e->col,
                      "'%s' is a parameter of the study; choose another name", e->key);
            return false;
        }
    }
    return is_good;
}

static bool check_is_parameter(FbStudyReader* r, const FbEntry* e) {
    const FbModelDef* def = r->base.def;
    if (fb_def_find_parameter(def, NULL, e->key) >= 0) {
        for (int i = 0; i < r->study->n_overrides; i++) {
            if (strcmp(r->study->overrides[i].name, e->key) == 0) {
                fb_report(&r->base, FB_ERR_NAME, e->line, e->col,
                          "the parameter '%s' is set to '%s' for all runs and cannot vary", e->key,
                          r->study->overrides[i].value);
                return false;
            }
        }
        return true;
    }
    const char* names[256];
    int n = 0;
    for (; n < def->n_parameters && n < 256; n++) {
        names[n] = def->parameters[n].name;
    }
    char hint[128];
    fb_suggest(e->key, names, n, hint);
    fb_report(&r->base, FB_ERR_NAME, e->line, e->col, "the model has no parameter '%s'%s", e->key,
              hint);
    return false;
}

// Value i of n between the ends, which are met exactly.
static double grid_value(const FbStudyParameter* p, int i) {
    if (i == 0 || p->n == 1) {
        return p->low;
    }
    if (i == p->n - 1) {
        return p->high;
    }
    double x = (double)i / (p->n - 1);
    return p->is_log ? p->low * pow(p->high / p->low, x) : p->low + (p->high - p->low) * x;
}

static void check_range(FbStudyReader* r, const FbNode* node, FbStudyParameter* p) {
    if (!(p->low < p->high)) {
        fb_report(&r->base, FB_ERR_RANGE, node->line, node->col,
                  "the range of '%s' goes from %g to %g; 'from' must be below 'to'", p->name,
                  p->low, p->high);
    } else if (p->is_log && !(p->low > 0.0)) {
        fb_report(&r->base, FB_ERR_RANGE, node->line, node->col,
                  "the range of '%s' begins at %g; with 'scale: log' it must be above 0", p->name,
                  p->low);
    }
    if (isnan(p->start)) {
        p->start = p->is_log ? sqrt(p->low * p->high) : 0.5 * (p->low + p->high);
    } else if (!(p->start >= p->low && p->start <= p->high)) {
        const FbNode* start = fb_node_get(node, "start");
        fb_report(&r->base, FB_ERR_RANGE, start->line, start->col,
                  "start is %g; it must be between %g and %g", p->start, p->low, p->high);
    }
}

static void read_range(FbStudyReader* r, const FbNode* node, FbStudyParameter* p) {
    if (fb_node_get(node, "distribution")) {
        fb_study_read_distribution(r, node, p);
        if (p->is_distribution && p->distribution == FB_DISTRIBUTION_UNIFORM) {
            check_range(r, node, p);
        }
        return;
    }
    FbTable table = {"a range of a parameter", fb_study_range_table.fields,
                     fb_study_range_table.n_fields, NULL};
    FbOrigin origin = {.place = {r->study->file, node->line, node->col}};
    if (!fb_read_table(&r->base, node, &table, p, &origin)) {
        return;
    }
    check_range(r, node, p);
    double* values = FB_TAKE(r->study->arena, double, p->n + 1);
    for (int i = 0; values && i < p->n; i++) {
        values[i] = grid_value(p, i);
    }
    p->values = values;
}

static void read_list(FbStudyReader* r, const FbNode* node, FbStudyParameter* p) {
    double *values = FB_TAKE(r->study->arena, double, node->count + 1),
           *sums = FB_TAKE(r->study->arena, double, node->count + 1);
    p->is_list = true;
    p->distribution = FB_DISTRIBUTION_CHOICE;
    p->n = node->count;
    for (int i = 0; sums && i < node->count; i++) {
        sums[i] = i + 1.0;
    }
    p->weights = sums;
    p->low = INFINITY;
    p->high = -INFINITY;
    for (int i = 0; values && i < node->count; i++) {
        if (fb_read_number(&r->base, node->items[i], p->name, "", &values[i])) {
            p->low = fmin(p->low, values[i]);
            p->high = fmax(p->high, values[i]);
        }
        for (int k = 0; k < i; k++) {
            if (values[k] == values[i]) {
                fb_report(&r->base, FB_ERR_RANGE, node->items[i]->line, node->items[i]->col,
                          "the value %g of '%s' occurs twice", values[i], p->name);
            }
        }
    }
    if (node->count == 0) {
        fb_report(&r->base, FB_ERR_RANGE, node->line, node->col, "the list of '%s' is empty",
                  p->name);
    }
    p->values = values;
}

void fb_study_read_parameters(FbStudyReader* r, const FbNode* map) {
    FbStudy* s = r->study;
    if (!map || map->kind != FB_NODE_MAP || map->count == 0) {
        const FbPlace place =
            map ? (FbPlace){s->file, map->line, map->col} : (FbPlace){s->file, 1, 1};
        fb_report(&r->base, FB_ERR_MODEL, place.line, place.col,
                  "a study needs 'parameters': a map of names of the model's parameters to "
                  "{from: ..., to: ..., n: ...}, to {distribution: ...} or to lists of values");
        return;
    }
    s->parameters = FB_TAKE(s->arena, FbStudyParameter, map->count);
    for (int i = 0; s->parameters && i < map->count; i++) {
        const FbEntry* e = &map->entries[i];
        if (fb_node_get(map, e->key) != e->value || !check_name(r, e) ||
            !check_is_parameter(r, e)) {
            continue;
        }
        FbStudyParameter* p = &s->parameters[s->n_parameters];
        *p = (FbStudyParameter){.name = fb_arena_text(s->arena, e->key),
                                .low = NAN,
                                .high = NAN,
                                .start = NAN,
                                .place = {s->file, e->line, e->col}};
        if (e->value->kind == FB_NODE_LIST) {
            read_list(r, e->value, p);
        } else {
            read_range(r, e->value, p);
        }
        s->n_parameters++;
    }
}

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

static void check_measure(FbStudyReader* r, const FbNode* node, FbStudyMeasure* m) {
    bool is_damping = m->kind == FB_STUDY_DAMPING, is_time = m->kind == FB_STUDY_END_TIME;
    const FbNode *cycles = fb_node_get(node, "cycles"), *about = fb_node_get(node, "about");
    const FbNode* other = cycles ? cycles : about;
    if (!m->output && !is_time) {
        fb_report(&r->base, FB_ERR_MODEL, node->line, node->col,
                  "the measure '%s' needs 'output': a recorded output of the model", m->name);
    } else if (m->output && is_time) {
        fb_report(&r->base, FB_ERR_MODEL, node->line, node->col,
                  "the measure '%s' is the end time of the run and has no 'output'", m->name);
    } else if (m->output) {
        check_output(r, node, m);
    }
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
        m->unit = m->kind == FB_STUDY_END_TIME ? "s" : "";
        check_measure(r, node, m);
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
    s->measures = FB_TAKE(s->arena, FbStudyMeasure, map->count);
    for (int i = 0; s->measures && i < map->count; i++) {
        const FbEntry* e = &map->entries[i];
        if (fb_node_get(map, e->key) != e->value || !check_name(r, e)) {
            continue;
        }
        FbStudyMeasure* m = &s->measures[s->n_measures];
        *m = (FbStudyMeasure){
            .name = fb_arena_text(s->arena, e->key), .unit = "", .from = -INFINITY, .to = INFINITY};
        read_measure(r, e->value, m);
        r->n_known_measures = ++s->n_measures;
    }
}

void fb_study_read_settings(FbStudyReader* r, const FbNode* map) {
    FbStudy* s = r->study;
    const char* keys[FB_STUDY_N_SETTINGS + 1] = {NULL};
    for (int i = 0; i < FB_STUDY_N_SETTINGS; i++) {
        keys[i] = setting_names[i];
    }
    if (!map || !fb_check_keys(&r->base, map, "simulation", keys)) {
        return;
    }
    for (int i = 0; i < FB_STUDY_N_SETTINGS; i++) {
        const FbNode* node = fb_node_get(map, keys[i]);
        const FbField* field =
            fb_field_find(fb_settings_table.fields, fb_settings_table.n_fields, keys[i]);
        s->has_setting[i] = node && field && fb_read_field(&r->base, field, node, &s->settings);
    }
    s->settings.integrator = fb_arena_text(s->arena, s->settings.integrator);
}

bool fb_study_takes_constraints(int algorithm) {
    return algorithm == FB_STUDY_COBYLA || algorithm == FB_STUDY_ISRES;
}

static bool is_local(int algorithm) {
    return algorithm == FB_STUDY_COBYLA || algorithm == FB_STUDY_BOBYQA ||
           algorithm == FB_STUDY_SUBPLEX;
}

static void check_search(FbStudyReader* r, const FbNode* map) {
    FbStudy* s = r->study;
    FbStudySearch* search = &s->search;
    const FbNode *algorithm = fb_node_get(map, "algorithm"), *starts = fb_node_get(map, "starts");
    if (search->algorithm == FB_STUDY_MULTISTART) {
        search->algorithm = FB_STUDY_SUBPLEX;
        search->starts = starts ? search->starts : 8;
    }
    // Neither is a default, so that both are written.
    if (algorithm && s->n_constraints > 0 && search->algorithm == FB_STUDY_BOBYQA) {
        fb_report(&r->base, FB_ERR_MODEL, algorithm->line, algorithm->col,
                  "bobyqa does not support constraints; all other methods do");
    }
    if (starts && search->starts > 1 && !is_local(search->algorithm)) {
        fb_report(&r->base, FB_ERR_MODEL, starts->line, starts->col,
                  "%s searches the whole range; 'starts' is only for cobyla, bobyqa and subplex",
                  fb_study_algorithm_names[search->algorithm]);
    }
}

void fb_study_read_search(FbStudyReader* r, const FbNode* map) {
    static const FbNode empty = {.kind = FB_NODE_MAP, .line = 1, .col = 1};
    FbStudy* s = r->study;
    FbTable table = {"'optimize'", fb_study_search_table.fields, fb_study_search_table.n_fields,
                     NULL};
    const FbNode* node = map ? map : &empty;
    FbOrigin origin = {.place = {s->file, node->line, node->col}};
    s->search_place = origin.place;
    if (fb_read_table(&r->base, node, &table, &s->search, &origin) && map) {
        check_search(r, map);
    }
}
