// Forces of a description, resolved against the tree.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compile/part_build.h"
#include "describe/def_copy.h"

static bool path_from(FbBuilder* b, FbForce* e, int link_a, int link_b) {
    FbTerm term = {.kind = FB_TERM_SLIDE, .link_a = link_a, .link_b = link_b};
    bool is_ok = fb_term_find_path(&b->m->tree, &b->m->paths, &term);
    b->is_out_of_memory = b->is_out_of_memory || !is_ok;
    e->path = term.path;
    e->n_path = term.n_path;
    return is_ok;
}

// An end of a force: a point, the origin of a frame, or the body alone of a torque.
typedef struct End {
    const char* key;
    FbPointDef point;
    const FbFrameDef* frame;  // NULL: a point
} End;

// The ends of a force by its fields, as its type has them; returns how many there are.
static int find_ends(const FbTypeInfo* type, const void* part, End ends[2]) {
    int n = 0;
    for (int i = 0; i < type->n_fields && n < 2; i++) {
        const FbField* f = &type->fields[i];
        const void* at = (const char*)part + f->offset;
        ends[n] = (End){.key = f->key};
        if (f->kind == FB_FIELD_POINT) {
            ends[n++].point = *(const FbPointDef*)at;
        } else if (f->kind == FB_FIELD_BODY) {
            ends[n++].point.body = *(const char* const*)at;
        } else if (f->kind == FB_FIELD_FRAME) {
            ends[n].frame = at;
            ends[n++].point = ((const FbFrameDef*)at)->origin;
        }
    }
    return n;
}

static bool compile_end(FbBuilder* b, const FbForceDef* def, const End* end, FbLinkFrame* out) {
    return end->frame ? fb_compile_frame(b, end->frame, &def->origin, end->key, out)
                      : fb_compile_point(b, &end->point, &def->origin, end->key, out);
}

const FbCoordinateDef* fb_compile_force_coordinate(const FbTypeInfo* type, const FbForceDef* def) {
    const FbField* f = fb_type_field(type, FB_FIELD_COORDINATE);
    const FbCoordinateDef* c =
        f ? (const FbCoordinateDef*)(const void*)((const char*)def + f->offset) : NULL;
    return c && c->joint ? c : NULL;
}

static bool measure_distance(FbBuilder* b, FbForce* e) {
    FbTerm term = fb_term_between(FB_TERM_DISTANCE, &e->a, &e->b);
    e->measure = FB_MEASURE_DISTANCE;
    e->term = fb_compile_term(b, &term);
    return e->term >= 0;
}

static bool measure_coordinate(FbBuilder* b, const FbForceDef* def, FbForce* e) {
    const FbField* f = fb_type_field(&e->type->info, FB_FIELD_COORDINATE);
    const FbCoordinateDef* c = (const FbCoordinateDef*)(const void*)((const char*)def + f->offset);
    int signal = fb_compile_coordinate(b, c, &def->origin, f->key, false);
    e->measure = FB_MEASURE_COORDINATE;
    e->term = signal >= 0 ? b->m->signals[signal].term : -1;
    return signal >= 0;
}

static bool measure_body(FbBuilder* b, const FbForceDef* def, const char* key, FbForce* e) {
    if (e->a.link < 0) {
        fb_compile_error(b, FB_ERR_MODEL, &def->origin, key,
                         "force '%s' acts on the ground, where it has no effect", def->name);
        return false;
    }
    return path_from(b, e, -1, e->a.link);
}

// Where the force acts: its ends, and what it measures between them.
static bool place_force(FbBuilder* b, const FbForceDef* def, FbForce* e) {
    End ends[2] = {{0}};
    bool is_coordinate =
        e->measure == FB_MEASURE_COORDINATE || (e->measure == FB_MEASURE_COORDINATE_OR_DISTANCE &&
                                                fb_compile_force_coordinate(&e->type->info, def));
    if (is_coordinate) {
        return measure_coordinate(b, def, e);
    }
    int n = find_ends(&e->type->info, def, ends);
    if (!compile_end(b, def, &ends[0], &e->a) || (n > 1 && !compile_end(b, def, &ends[1], &e->b))) {
        return false;
    }
    if (e->measure == FB_MEASURE_FRAMES) {
        return path_from(b, e, e->a.link, e->b.link);
    }
    bool is_between =
        e->measure == FB_MEASURE_DISTANCE || e->measure == FB_MEASURE_COORDINATE_OR_DISTANCE;
    return is_between ? measure_distance(b, e) : measure_body(b, def, ends[0].key, e);
}

static bool compile_vector(FbBuilder* b, const FbForceDef* def, const FbField* f, FbForce* e) {
    const char* const* texts = (const char* const*)(const void*)((const char*)def + f->offset);
    FbUse use = {.is_for_dynamics = true, .result = fb_quantity_of_unit(f->unit)};
    for (int i = 0; i < 3; i++) {
        e->function[i] =
            fb_compile_function(b, texts[i] ? texts[i] : "0", &def->origin, f->key, use);
        if (e->function[i] < 0) {
            return false;
        }
    }
    return true;
}

// Along what the force measures.
static bool compile_scalar(FbBuilder* b, const FbForceDef* def, const FbField* f, FbForce* e) {
    const char* text = *(const char* const*)(const void*)((const char*)def + f->offset);
    if (!text) {
        return true;
    }
    bool is_length = fb_compile_acts_along_length(b, (int)(e - b->m->forces));
    const char* unit = is_length ? "N" : "N*m";
    if (f->kind == FB_FIELD_LAW) {
        e->law = fb_compile_law_of(b, text, NULL, &def->origin);
        return fb_compile_check_law(b, e->law, fb_quantity_of_unit(unit), &def->origin, f->key) &&
               e->law != -2;
    }
    FbUse use = {.is_for_dynamics = true,
                 .has_measure = true,
                 .measure = fb_quantity_of_unit(is_length ? "m" : "rad"),
                 .result = fb_quantity_of_unit(unit)};
    e->function[0] = fb_compile_function(b, text, &def->origin, f->key, use);
    return e->function[0] >= 0;
}

static void compile_values(FbBuilder* b, const FbForceDef* def, FbForce* e) {
    const FbTypeInfo* type = &e->type->info;
    bool is_ok = true;
    for (int i = 0; is_ok && i < type->n_fields; i++) {
        const FbField* f = &type->fields[i];
        if (f->kind == FB_FIELD_EXPR3) {
            is_ok = compile_vector(b, def, f, e);
        } else if (f->kind == FB_FIELD_EXPRESSION || f->kind == FB_FIELD_LAW) {
            is_ok = compile_scalar(b, def, f, e);
        }
    }
}

// The model's own copy, which knows where the force was written, but not where each field was.
static bool copy_def(FbBuilder* b, const FbForceDef* def, FbForce* e) {
    FbForceDef* copy = fb_copy_part(b->m->arena, NULL, &e->type->info, sizeof *def, def);
    if (!copy) {
        b->is_out_of_memory = true;
        return false;
    }
    copy->origin.fields = NULL;
    copy->origin.n_fields = 0;
    e->def = copy;
    e->rest = e->type->rest ? *(const double*)((const char*)copy + e->type->rest) : NAN;
    e->in_body_frame =
        e->type->in_body_frame && *(const bool*)((const char*)copy + e->type->in_body_frame);
    return true;
}

static void compile_force(FbBuilder* b, int i) {
    const FbForceDef* def = b->def->forces[i];
    FbForce* e = &b->m->forces[i];
    e->name = fb_arena_text(b->m->arena, def->name);
    e->place = def->origin.place;
    e->place.file = fb_arena_text(b->m->arena, def->origin.place.file);
    e->term = e->law = e->function[0] = e->function[1] = e->function[2] = -1;
    e->type = def->type ? fb_force_type_find(def->type) : NULL;
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
    if (copy_def(b, def, e)) {
        place_force(b, def, e);
    }
}

static FbStatus connect(FbBuilder* b) {
    FbModel* m = b->m;
    for (int i = 0; i < m->n_forces; i++) {
        compile_force(b, i);
    }
    // Expressions last: they may refer to any force, sensor or state.
    for (int i = 0; i < m->n_forces; i++) {
        FbForce* e = &m->forces[i];
        if (e->type) {
            compile_values(b, b->def->forces[i], e);
            m->has_work = m->has_work || e->type->dissipation || e->type->wrench ||
                          e->function[0] >= 0 || e->law >= 0;
        }
    }
    for (int i = 0; i < m->n_rows; i++) {
        m->has_work = m->has_work || m->rows[i].law >= 0;
    }
    return FB_OK;
}

// The two points that a force acts between; false: it acts elsewhere.
static bool draw_ends(FbBuilder* b, const FbForce* e, int force, FbDrawnPair* out) {
    const FbForceDef* def = b->def->forces[force];
    End ends[2];
    return find_ends(&e->type->info, def, ends) == 2 &&
           fb_draw_pair(b, &ends[0].point, &ends[1].point, &def->origin, out);
}

// Forces between two points are springs in the picture, those between two frames bushings.
static void draw(FbBuilder* b) {
    FbModel* m = b->m;
    FbDrawing* d = &m->drawing;
    for (int i = 0; i < m->n_forces; i++) {
        const FbForce* e = &m->forces[i];
        bool is_spring = e->measure == FB_MEASURE_DISTANCE;
        int* n = is_spring ? &d->n_springs : &d->n_bushings;
        FbDrawnPair* pair = is_spring ? &d->springs[*n] : &d->bushings[*n];
        if ((is_spring || e->measure == FB_MEASURE_FRAMES) && draw_ends(b, e, i, pair)) {
            pair->name = e->name;
            pair->type = e->type->info.name;
            (*n)++;
        }
    }
}

static void add_entries(const FbModel* m, FbPatternBuilder* p, const FbForce* e) {
    int path = e->path, n_path = e->n_path;
    const int* rows = m->paths.v + path;
    if (e->term >= 0) {
        const FbTerm* term = &m->terms[e->term];
        path = term->path;
        n_path = term->n_path;
        rows = m->paths.v + path;
        if (term->kind == FB_TERM_COORDINATE) {
            fb_pattern_builder_add(p, term->coordinate_v, term->coordinate_v);
            rows = &term->coordinate_v;
            path = n_path = 0;
        }
    }
    fb_pattern_add_path(m, p, path, n_path);
    int n_rows =
        n_path > 0 ? n_path : (e->term >= 0 && m->terms[e->term].kind == FB_TERM_COORDINATE);
    for (int f = 0; f < 3; f++) {
        fb_pattern_add_function(m, p, rows, n_rows, e->function[f]);
    }
}

static void add_pattern(const FbBuilder* b, FbPatternBuilder* p) {
    for (int i = 0; i < b->m->n_forces; i++) {
        add_entries(b->m, p, &b->m->forces[i]);
    }
}

static void add_users(const FbModel* m, FbUsers* u) {
    for (int i = 0; i < m->n_forces; i++) {
        fb_users_add_terms(u, m->forces[i].term, 1);
        for (int f = 0; f < 3; f++) {
            fb_users_add_function(u, m->forces[i].function[f]);
        }
    }
}

const FbPartBuild fb_build_forces = {
    .kind = &fb_part_forces,
    .connect = connect,
    .draw = draw,
    .add_pattern = add_pattern,
    .add_users = add_users,
};
