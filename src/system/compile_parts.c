// Laws, states, forces and events of a description, resolved against the tree.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "system/compile.h"

// Laws know parameters and time only; their expressions are compiled by the law itself.
typedef struct LawResolver {
    FbBuilder* b;
    const char* scope;
} LawResolver;

static int resolve_for_law(void* self, const char* name, FbNumber* found) {
    LawResolver* r = self;
    if (strcmp(name, "t") == 0) {
        found->quantity = fb_quantity_of_unit("s");
        return 0;
    }
    int i = fb_def_find_parameter(r->b->def, r->scope, name);
    if (i < 0) {
        return FB_NAME_UNKNOWN;
    }
    const FbParameter* p = &r->b->def->parameters[i];
    *found = (FbNumber){p->value, p->quantity};
    return FB_NAME_CONSTANT;
}

static int add_law(FbBuilder* b, const FbLawDef* def) {
    FbModel* m = b->m;
    if (!fb_grow((void**)&m->laws, &m->laws_capacity, m->n_laws, sizeof(FbLaw))) {
        b->is_out_of_memory = true;
        return -2;
    }
    LawResolver r = {b, def->origin.scope};
    FbError err;
    fb_error_clear(&err);
    memset(&m->laws[m->n_laws], 0, sizeof(FbLaw));
    if (fb_law_build(def, resolve_for_law, &r, m->arena, &m->laws[m->n_laws], &err) < 0) {
        if (err.place.line == 0) {
            err.place = def->origin.place;
        }
        fb_diagnose_error(b->diagnostics, &err);
        return -2;
    }
    m->laws[m->n_laws].name = fb_arena_text(m->arena, def->name);
    return m->n_laws++;
}

FbStatus fb_compile_laws(FbBuilder* b) {
    for (int i = 0; i < b->def->n_laws; i++) {
        if (add_law(b, &b->def->laws[i]) < 0) {
            // Keep the numbering of the description, so that later references stay right while
            // errors are collected.
            if (!fb_grow((void**)&b->m->laws, &b->m->laws_capacity, b->m->n_laws, sizeof(FbLaw))) {
                return FB_ERR_MEMORY;
            }
            memset(&b->m->laws[b->m->n_laws++], 0, sizeof(FbLaw));
        }
    }
    return FB_OK;
}

int fb_compile_law_of(FbBuilder* b, const char* law, const char* expression,
                      const FbOrigin* origin) {
    if (law && expression) {
        fb_compile_error(b, FB_ERR_MODEL, origin, "value",
                         "give either a law or a value, not both");
        return -2;
    }
    if (law) {
        int i = fb_def_find_law(b->def, origin->scope, law);
        if (i < 0) {
            fb_compile_error(b, FB_ERR_NAME, origin, "law", "there is no law '%s'", law);
            return -2;
        }
        return i;
    }
    if (!expression) {
        return -1;
    }
    FbLawDef def = fb_law_def_default();
    def.name = "value";
    def.type = "expression";
    def.expression = expression;
    def.origin = *origin;
    return add_law(b, &def);
}

FbStatus fb_compile_states(FbBuilder* b) {
    FbModel* m = b->m;
    m->n_states = b->def->n_states;
    m->states = FB_TAKE(m->arena, FbState1, m->n_states + 1);
    m->n_sensors = b->def->n_sensors;
    m->sensors = FB_TAKE(m->arena, FbSensor, m->n_sensors + 1);
    m->n_elements = b->def->n_forces;
    m->elements = FB_TAKE(m->arena, FbElement, m->n_elements + 1);
    if (fb_arena_has_failed(m->arena)) {
        return FB_ERR_MEMORY;
    }
    for (int i = 0; i < m->n_states; i++) {
        m->states[i].name = fb_arena_text(m->arena, b->def->states[i].name);
        m->states[i].initial = b->def->states[i].initial;
    }
    return FB_OK;
}

static FbStatus compile_state_rates(FbBuilder* b) {
    for (int i = 0; i < b->m->n_states; i++) {
        const FbStateDef* def = &b->def->states[i];
        if (!isfinite(def->initial)) {
            fb_compile_error(b, FB_ERR_RANGE, &def->origin, "initial",
                             "the initial value of state '%s' is not a finite number", def->name);
        }
        FbQuantity rate =
            fb_quantity_times(fb_quantity_of_unit(def->unit), fb_quantity_of_unit("s"), -1.0);
        b->m->states[i].function =
            fb_compile_function(b, def->rate ? def->rate : "0", &def->origin, "rate",
                                (FbUse){.is_for_dynamics = true, .result = rate});
    }
    return FB_OK;
}

static bool path_from(FbBuilder* b, FbElement* e, int link_a, int link_b) {
    FbTerm term = {.kind = FB_TERM_SLIDE, .link_a = link_a, .link_b = link_b};
    bool is_ok = fb_term_find_path(&b->m->tree, &b->m->paths, &term);
    b->is_out_of_memory = b->is_out_of_memory || !is_ok;
    e->path = term.path;
    e->n_path = term.n_path;
    return is_ok;
}

static bool measure_distance(FbBuilder* b, const FbForceDef* def, FbElement* e) {
    if (!fb_compile_point(b, &def->a, &def->origin, "a", &e->a) ||
        !fb_compile_point(b, &def->b, &def->origin, "b", &e->b)) {
        return false;
    }
    FbTerm term = fb_term_between(FB_TERM_DISTANCE, &e->a, &e->b);
    e->measure = FB_MEASURE_DISTANCE;
    e->term = fb_compile_term(b, &term);
    return e->term >= 0;
}

static bool measure_coordinate(FbBuilder* b, const FbForceDef* def, FbElement* e) {
    int signal = fb_compile_coordinate(b, &def->coordinate, &def->origin, "joint", false);
    e->measure = FB_MEASURE_COORDINATE;
    e->term = signal >= 0 ? b->m->signals[signal].term : -1;
    return signal >= 0;
}

// Where the force acts.
static bool place_force(FbBuilder* b, const FbForceDef* def, FbElement* e) {
    switch (e->type->measure) {
        case FB_MEASURE_DISTANCE:
            return measure_distance(b, def, e);
        case FB_MEASURE_COORDINATE:
            return measure_coordinate(b, def, e);
        case FB_MEASURE_COORDINATE_OR_DISTANCE:
            return def->coordinate.joint ? measure_coordinate(b, def, e)
                                         : measure_distance(b, def, e);
        case FB_MEASURE_FRAMES:
            return fb_compile_frame(b, &def->frame_a, &def->origin, "a", &e->a) &&
                   fb_compile_frame(b, &def->frame_b, &def->origin, "b", &e->b) &&
                   path_from(b, e, e->a.link, e->b.link);
        case FB_MEASURE_POINT_FORCE:
        case FB_MEASURE_POINT_TORQUE:
            if (!fb_compile_point(b, &def->a, &def->origin, "point", &e->a)) {
                return false;
            }
            if (e->a.link < 0) {
                fb_compile_error(b, FB_ERR_MODEL, &def->origin, "point",
                                 "force '%s' acts on the ground, where it does nothing", def->name);
                return false;
            }
            return path_from(b, e, -1, e->a.link);
    }
    return false;
}

static bool compile_values(FbBuilder* b, const FbForceDef* def, FbElement* e) {
    bool is_vector =
        e->type->measure == FB_MEASURE_POINT_FORCE || e->type->measure == FB_MEASURE_POINT_TORQUE;
    for (int i = 0; is_vector && i < 3; i++) {
        bool is_force = e->type->measure == FB_MEASURE_POINT_FORCE;
        FbUse use = {.is_for_dynamics = true,
                     .result = fb_quantity_of_unit(is_force ? "N" : "N*m")};
        e->function[i] = fb_compile_function(b, def->vector[i] ? def->vector[i] : "0", &def->origin,
                                             "value", use);
        if (e->function[i] < 0) {
            return false;
        }
    }
    if (def->expression) {
        const char* key = fb_origin_place(&def->origin, "force").line != def->origin.place.line
                              ? "force"
                              : "value";
        key =
            fb_origin_place(&def->origin, "torque").line != def->origin.place.line ? "torque" : key;
        bool is_length = fb_compile_acts_along_length(b, (int)(e - b->m->elements));
        FbUse use = {.is_for_dynamics = true,
                     .has_measure = true,
                     .measure = fb_quantity_of_unit(is_length ? "m" : "rad"),
                     .result = fb_quantity_of_unit(is_length ? "N" : "N*m")};
        e->function[0] = fb_compile_function(b, def->expression, &def->origin, key, use);
        if (e->function[0] < 0) {
            return false;
        }
    }
    if (def->law) {
        e->law = fb_compile_law_of(b, def->law, NULL, &def->origin);
        bool is_length = fb_compile_acts_along_length(b, (int)(e - b->m->elements));
        if (!fb_compile_check_law(b, e->law, is_length ? "N" : "N*m", &def->origin, "law")) {
            return false;
        }
    }
    return e->law != -2;
}

static void copy_force_def(FbBuilder* b, const FbForceDef* def, FbElement* e) {
    e->name = fb_arena_text(b->m->arena, def->name);
    e->def = *def;
    e->def.name = e->name;
    e->def.type = NULL;
    e->def.expression = e->def.law = NULL;
    e->def.vector[0] = e->def.vector[1] = e->def.vector[2] = NULL;
    e->def.a.body = e->def.a.point = e->def.b.body = e->def.b.point = NULL;
    e->def.coordinate.joint = NULL;
    memset(&e->def.origin, 0, sizeof(e->def.origin));
    e->place = def->origin.place;
    e->place.file = fb_arena_text(b->m->arena, def->origin.place.file);
    e->rest = def->rest;
}

static void compile_force(FbBuilder* b, int i) {
    const FbForceDef* def = &b->def->forces[i];
    FbElement* e = &b->m->elements[i];
    copy_force_def(b, def, e);
    e->term = e->law = e->function[0] = e->function[1] = e->function[2] = -1;
    e->type = fb_force_type_find(def->type);
    if (!e->type) {
        fb_compile_error(b, FB_ERR_NAME, &def->origin, "type", "force '%s' has unknown type '%s'",
                         def->name, def->type ? def->type : "");
        return;
    }
    e->measure = e->type->measure;
    FbError err;
    fb_error_clear(&err);
    if (e->type->check && e->type->check(def, &err) < 0) {
        if (err.place.line == 0) {
            err.place = def->origin.place;
        }
        fb_diagnose_error(b->diagnostics, &err);
        return;
    }
    place_force(b, def, e);
}

FbStatus fb_compile_forces(FbBuilder* b) {
    FbModel* m = b->m;
    for (int i = 0; i < m->n_elements; i++) {
        compile_force(b, i);
    }
    // Expressions last: they may refer to any force, sensor or state.
    for (int i = 0; i < m->n_elements; i++) {
        FbElement* e = &m->elements[i];
        if (e->type) {
            compile_values(b, &b->def->forces[i], e);
            m->has_work = m->has_work || e->type->dissipation || e->type->wrench ||
                          e->function[0] >= 0 || e->law >= 0;
        }
    }
    for (int i = 0; i < m->n_rows; i++) {
        m->has_work = m->has_work || m->rows[i].law >= 0;
    }
    return compile_state_rates(b);
}

static void compile_event(FbBuilder* b, int i) {
    const FbEventDef* def = &b->def->events[i];
    FbEvent* e = &b->m->events[i];
    *e = (FbEvent){.name = fb_arena_text(b->m->arena, def->name),
                   .direction = def->direction,
                   .action = def->action,
                   .law = -1,
                   .to = -1,
                   .max_count = def->max_count};
    e->function = fb_compile_function(b, def->expression ? def->expression : "0", &def->origin,
                                      "when", (FbUse){.is_for_dynamics = true});
    if (def->action != FB_EVENT_SWITCH) {
        return;
    }
    e->law = fb_def_find_law(b->def, def->origin.scope, def->law ? def->law : "");
    e->to = fb_def_find_law(b->def, def->origin.scope, def->to ? def->to : "");
    if (e->law < 0) {
        fb_compile_error(b, FB_ERR_NAME, &def->origin, "law",
                         "event '%s' switches law '%s', which does not exist", def->name,
                         def->law ? def->law : "");
    }
    if (e->to < 0) {
        fb_compile_error(b, FB_ERR_NAME, &def->origin, "to",
                         "event '%s' switches to law '%s', which does not exist", def->name,
                         def->to ? def->to : "");
    }
}

FbStatus fb_compile_events(FbBuilder* b) {
    FbModel* m = b->m;
    m->n_events = b->def->n_events;
    m->events = FB_TAKE(m->arena, FbEvent, m->n_events + 1);
    if (!m->events) {
        return FB_ERR_MEMORY;
    }
    for (int i = 0; i < m->n_events; i++) {
        compile_event(b, i);
    }
    return FB_OK;
}
