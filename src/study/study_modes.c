// The section `modes` of a study file: the operating point of its measures, and the modes where the
// parameters have the model's own values.
#include <math.h>
#include <string.h>

#include "read/field.h"
#include "study/follow.h"
#include "study/point.h"
#include "study/study_tables.h"

static void read_steady(FbStudyReader* r, const FbNode* map) {
    FbStudyModes* modes = &r->study->modes;
    if (map->kind != FB_NODE_MAP || map->count == 0) {
        fb_report(&r->base, FB_ERR_SYNTAX, map->line, map->col,
                  "'steady' must be a map {joint: rate, ...}, but this is %s",
                  map->kind == FB_NODE_MAP ? "empty" : fb_node_describe(map));
        return;
    }
    FbStudyRate* rates = FB_TAKE(r->study->arena, FbStudyRate, map->count);
    modes->steady = rates;
    for (int i = 0; rates && i < map->count; i++) {
        const FbNode* node = map->entries[i].value;
        const char* text;
        if (fb_read_text(&r->base, node, "steady", &text)) {
            const char* kept = fb_arena_text(r->study->arena, text);
            const FbExpr* expr = kept ? fb_study_compile(r, kept, node->line, node->col) : NULL;
            if (expr) {
                rates[modes->n_steady++] =
                    (FbStudyRate){fb_arena_text(r->study->arena, map->entries[i].key), kept, expr};
            }
        }
    }
}

static void take_nominal(FbStudyReader* r) {
    FbStudy* s = r->study;
    double* nominal = FB_TAKE(s->arena, double, s->n_parameters + 1);
    s->modes.nominal = nominal;
    for (int i = 0; nominal && i < s->n_parameters; i++) {
        int k = fb_def_find_parameter(r->base.def, NULL, s->parameters[i].name);
        nominal[i] = k >= 0 ? r->base.def->parameters[k].value : NAN;
    }
}

void fb_study_read_modes(FbStudyReader* r, const FbNode* map) {
    static const FbNode empty = {.kind = FB_NODE_MAP, .line = 1, .col = 1};
    static const char* const others[] = {"steady", NULL};
    FbTable table = {"'modes'", fb_study_modes_table.fields, fb_study_modes_table.n_fields, others};
    const FbNode* node = map ? map : &empty;
    FbOrigin origin = {.place = {r->study->file, node->line, node->col}};
    bool is_good = fb_read_table(&r->base, node, &table, &r->study->modes, &origin);
    const FbNode* steady = is_good ? fb_node_get(node, "steady") : NULL;
    take_nominal(r);
    if (steady) {
        read_steady(r, steady);
        if (r->study->modes.is_initial) {
            fb_report(&r->base, FB_ERR_MODEL, steady->line, steady->col,
                      "'steady' is for equilibria; it cannot be combined with 'at: initial'");
        }
    }
}

// Each mode that is followed, once: two measures may be of the same.
static int keep_followed(FbStudyModes* modes, int* followed, int index) {
    for (int i = 0; i < modes->n_followed; i++) {
        if (followed[i] == index) {
            return i;
        }
    }
    followed[modes->n_followed] = index;
    return modes->n_followed++;
}

static void find_followed(FbStudyReader* r, const FbModeSet* set) {
    FbStudy* s = r->study;
    int* followed = FB_TAKE(s->arena, int, s->n_measures + 1);
    s->modes.followed = followed;
    for (int i = 0; followed && i < s->n_measures; i++) {
        FbStudyMeasure* m = &s->measures[i];
        if (!fb_measure_is_of_modes(m->kind) || m->kind == FB_STUDY_GROWTH_RATE) {
            continue;
        }
        int index = fb_study_find_mode(set, m->mode, m->counts_all);
        if (index < 0) {
            int n = 0;
            while (fb_study_find_mode(set, n + 1, m->counts_all) >= 0) {
                n++;
            }
            fb_report(
                &r->base, FB_ERR_RANGE, m->place.line, m->place.col,
                "the measure '%s' refers to %s %d, but the model has %d at its own parameters",
                m->name, m->counts_all ? "eigenvalue" : "mode", m->mode, n);
            return;
        }
        m->followed = keep_followed(&s->modes, followed, index);
    }
}

void fb_study_find_reference(FbStudyReader* r, const FbNode* map) {
    FbStudy* s = r->study;
    FbOperatingPoint* op = NULL;
    FbError err;
    for (int i = 0; i < s->n_measures; i++) {
        s->modes.has_modes |= fb_measure_is_of_modes(s->measures[i].kind);
        s->modes.has_outputs |= s->measures[i].kind == FB_STUDY_EQUILIBRIUM;
        s->modes.has_run |= s->measures[i].kind <= FB_STUDY_END_TIME;
    }
    bool is_used = s->modes.has_modes || s->modes.has_outputs;
    if (map && !is_used) {
        fb_report(&r->base, FB_ERR_MODEL, map->line, map->col,
                  "no measure needs 'modes': none is of an equilibrium or of modes");
    }
    if (!is_used || !s->modes.nominal || fb_diagnostics_status(r->base.diagnostics) != FB_OK) {
        return;
    }
    FbStatus status = fb_study_create_point(s, r->model, s->modes.nominal, &op, &err);
    if (status == FB_OK && s->modes.has_modes) {
        status = fb_study_create_modes(op, &s->modes.reference, &err);
    }
    fb_operating_point_destroy(op);
    if (status < 0 && ((s->modes.has_modes && s->modes.is_tracked) || status == FB_ERR_NAME)) {
        fb_report(&r->base, status, map ? map->line : 1, map ? map->col : 1,
                  "at the model's own parameters, from which modes are followed: %s", err.text);
    } else if (s->modes.reference && s->modes.is_tracked) {
        find_followed(r, s->modes.reference);
    }
}
