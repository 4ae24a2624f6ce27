// Forces of a description, resolved against the tree.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"

static bool path_from(FbBuilder* b, FbForce* e, int link_a, int link_b) {
    FbTerm term = {.kind = FB_TERM_SLIDE, .link_a = link_a, .link_b = link_b};
    bool is_ok = fb_term_find_path(&b->m->tree, &b->m->paths, &term);
    b->is_out_of_memory = b->is_out_of_memory || !is_ok;
    e->path = term.path;
    e->n_path = term.n_path;
    return is_ok;
}

static bool measure_distance(FbBuilder* b, const FbForceDef* def, FbForce* e) {
    if (!fb_compile_point(b, &def->a, &def->origin, "a", &e->a) ||
        !fb_compile_point(b, &def->b, &def->origin, "b", &e->b)) {
        return false;
    }
    FbTerm term = fb_term_between(FB_TERM_DISTANCE, &e->a, &e->b);
    e->measure = FB_MEASURE_DISTANCE;
    e->term = fb_compile_term(b, &term);
    return e->term >= 0;
}

static bool measure_coordinate(FbBuilder* b, const FbForceDef* def, FbForce* e) {
    int signal = fb_compile_coordinate(b, &def->coordinate, &def->origin, "joint", false);
    e->measure = FB_MEASURE_COORDINATE;
    e->term = signal >= 0 ? b->m->signals[signal].term : -1;
    return signal >= 0;
}

// Where the force acts.
static bool place_force(FbBuilder* b, const FbForceDef* def, FbForce* e) {
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
                                 "force '%s' acts on the ground, where it has no effect",
                                 def->name);
                return false;
            }
            return path_from(b, e, -1, e->a.link);
    }
    return false;
}

static bool compile_values(FbBuilder* b, const FbForceDef* def, FbForce* e) {
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
        bool is_length = fb_compile_acts_along_length(b, (int)(e - b->m->forces));
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
        bool is_length = fb_compile_acts_along_length(b, (int)(e - b->m->forces));
        if (!fb_compile_check_law(b, e->law, is_length ? "N" : "N*m", &def->origin, "law")) {
            return false;
        }
    }
    return e->law != -2;
}

static void copy_force_def(FbBuilder* b, const FbForceDef* def, FbForce* e) {
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
    FbForce* e = &b->m->forces[i];
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
    for (int i = 0; i < m->n_forces; i++) {
        compile_force(b, i);
    }
    // Expressions last: they may refer to any force, sensor or state.
    for (int i = 0; i < m->n_forces; i++) {
        FbForce* e = &m->forces[i];
        if (e->type) {
            compile_values(b, &b->def->forces[i], e);
            m->has_work = m->has_work || e->type->dissipation || e->type->wrench ||
                          e->function[0] >= 0 || e->law >= 0;
        }
    }
    for (int i = 0; i < m->n_rows; i++) {
        m->has_work = m->has_work || m->rows[i].law >= 0;
    }
    return FB_OK;
}
