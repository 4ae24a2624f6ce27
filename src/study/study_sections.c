// Sections of a study file: parameters with their ranges, settings, the search.
#include <math.h>
#include <string.h>

#include "describe/untyped_tables.h"
#include "read/field.h"
#include "study/distribution.h"
#include "study/study_tables.h"

const char* const fb_study_setting_names[FB_STUDY_N_SETTINGS] = {
    "duration", "sample", "rtol", "atol", "max_step", "integrator"};
const char* const fb_study_algorithm_names[] = {"cobyla", "bobyqa", "subplex",   "direct",
                                                "isres",  "crs2",   "multistart"};

// Columns of the table of results besides parameters and measures.
static const char* const reserved[] = {"point", "start",   "objective", "status",
                                       "steps", "message", "wall",      "study"};

bool fb_study_check_name(FbStudyReader* r, const FbEntry* e, const char* name) {
    const FbStudy* s = r->study;
    bool is_good = fb_name_is_valid(name) && !strchr(name, '.');
    if (!is_good) {
        fb_report(&r->base, FB_ERR_NAME, e->line, e->col,
                  "'%s' is not a valid name; use letters, digits and '_', starting with a letter",
                  name);
    }
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++) {
        if (strcmp(reserved[i], name) == 0) {
            fb_report(&r->base, FB_ERR_NAME, e->line, e->col,
                      "'%s' is already a column of the result table; choose another name", name);
            return false;
        }
    }
    for (int i = 0; i < s->n_parameters; i++) {
        if (strcmp(s->parameters[i].name, name) == 0) {
            fb_report(&r->base, FB_ERR_NAME, e->line, e->col,
                      "'%s' is a parameter of the study; choose another name", name);
            return false;
        }
    }
    for (int i = 0; i < s->n_measures; i++) {
        if (strcmp(s->measures[i].name, name) == 0) {
            fb_report(&r->base, FB_ERR_NAME, e->line, e->col,
                      "'%s' is already a measure; choose another name", name);
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
        if (fb_node_get(map, e->key) != e->value || !fb_study_check_name(r, e, e->key) ||
            !check_is_parameter(r, e)) {
            continue;
        }
        FbStudyParameter* p = &s->parameters[s->n_parameters];
        *p = (FbStudyParameter){.name = fb_arena_text(s->arena, e->key),
                                .low = NAN,
                                .high = NAN,
                                .start = NAN,
                                .place = {s->file, e->line, e->col}};
        if (!p->name) {
            return;  // the arena remembers that memory ran out
        }
        if (e->value->kind == FB_NODE_LIST) {
            read_list(r, e->value, p);
        } else {
            read_range(r, e->value, p);
        }
        s->n_parameters++;
    }
}

void fb_study_read_settings(FbStudyReader* r, const FbNode* map) {
    FbStudy* s = r->study;
    const char* keys[FB_STUDY_N_SETTINGS + 1] = {NULL};
    for (int i = 0; i < FB_STUDY_N_SETTINGS; i++) {
        keys[i] = fb_study_setting_names[i];
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
