// Carriages: the bodies '<slider>.carriage' that parts of a model are attached to, and the rows
// that keep them on their guides. A slider that nothing is attached to has none.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "compile/part_build.h"
#include "describe/slider_check.h"
#include "fem/guide_spline.h"

static const char CARRIAGE[] = ".carriage";

// A part refers to a body.
static void visit(FbBuilder* b, const char* name, const FbOrigin* origin, const char* key,
                  bool* is_needed) {
    if (!name) {
        return;
    }
    if (fb_def_find_body(b->def, origin->scope, name) == FB_NOT_FOUND) {
        int slider = fb_def_find_carriage(b->def, origin->scope, name);
        if (slider >= 0) {
            is_needed[slider] = true;
        }
        return;
    }
    int slider = fb_def_find_rail(b->def, origin->scope, name);
    if (slider >= 0) {
        fb_compile_error(b, FB_ERR_MODEL, origin, key,
                         "'%s' only measures how far slider '%s' is along its guide and does not "
                         "move with it; attach the part to '%s.carriage'",
                         name, b->def->sliders[slider].name, b->def->sliders[slider].name);
    }
}

typedef struct Visit {
    FbBuilder* b;
    const FbOrigin* origin;
    bool* is_needed;
} Visit;

static void visit_field(void* self, const FbField* field, const char* body, const char* joint) {
    Visit* v = self;
    (void)joint;
    visit(v->b, body, v->origin, field->key, v->is_needed);
}

static void visit_joints(FbBuilder* b, bool* is_needed) {
    const FbModelDef* def = b->def;
    for (int i = 0; i < def->n_joints; i++) {
        const FbJointDef* j = &def->joints[i];
        int slider = fb_def_find_carriage(def, NULL, j->name);
        if (slider >= 0 && def->sliders[slider].is_free) {
            continue;  // the slider's own
        }
        visit(b, j->has_frames ? j->frame_a.origin.body : j->body_a, &j->origin, "between",
              is_needed);
        visit(b, j->has_frames ? j->frame_b.origin.body : j->body_b, &j->origin, "between",
              is_needed);
    }
    for (int i = 0; i < def->n_beams; i++) {
        visit(b, def->beams[i].body_a, &def->beams[i].origin, NULL, is_needed);
        visit(b, def->beams[i].body_b, &def->beams[i].origin, NULL, is_needed);
    }
    for (int i = 0; i < def->n_sliders; i++) {
        visit(b, def->sliders[i].body, &def->sliders[i].origin, "body", is_needed);
    }
}

static void visit_others(FbBuilder* b, bool* is_needed) {
    const FbModelDef* def = b->def;
    for (int i = 0; i < def->n_constraints; i++) {
        const FbConstraintDef* c = def->constraints[i];
        Visit v = {b, &c->origin, is_needed};
        fb_type_visit_names(fb_def_constraint_type(def, c), c, visit_field, &v);
    }
    for (int i = 0; i < def->n_forces; i++) {
        const FbForceDef* f = def->forces[i];
        Visit v = {b, &f->origin, is_needed};
        fb_type_visit_names(fb_def_force_type(def, f), f, visit_field, &v);
    }
    for (int i = 0; i < def->n_sensors; i++) {
        const FbSensorDef* s = def->sensors[i];
        Visit v = {b, &s->origin, is_needed};
        fb_type_visit_names(fb_def_sensor_type(def, s), s, visit_field, &v);
    }
}

// Where a slider starts along its guide; what is wrong with its drive is reported later.
static double start_of(FbBuilder* b, const FbSliderDef* def) {
    if (def->is_free) {
        return def->position;
    }
    if (def->state) {
        int state = fb_compile_drive_state(b, def, "s");
        return state >= 0 ? b->def->states[state].initial : 0.0;
    }
    bool is_clear = !def->law != !def->expression;
    int law = is_clear ? fb_compile_law_of(b, def->law, def->expression, &def->origin) : -1;
    double value[3] = {0.0, 0.0, 0.0};
    if (law >= 0 && b->m->laws[law].type) {
        fb_law_calc(&b->m->laws[law], b->m->settings.start, value);
    }
    return value[0];
}

static FbVec3 drawn_place(const FbModelDef* def, const char* body) {
    int i = fb_def_find_body(def, NULL, body);
    return i >= 0 ? fb_vec3_from(def->bodies[i].position) : fb_vec3(0, 0, 0);
}

static FbVec3 place_on_members(const FbBuilder* b, const FbSliderDef* def,
                               const FbGuideMember* members, double s) {
    FbVec3 from = {0, 0, 0}, to = {0, 0, 0};
    double length = 0.0;
    for (int i = 0; i < def->n_guide; i++) {
        for (int k = 0; k < members[i].n_beams && s >= length; k++) {
            int at = members[i].is_backwards ? members[i].n_beams - 1 - k : k;
            const FbBeamDef* beam = &b->def->beams[members[i].first_beam + at];
            s -= length;
            from = drawn_place(b->def, members[i].is_backwards ? beam->body_b : beam->body_a);
            to = drawn_place(b->def, members[i].is_backwards ? beam->body_a : beam->body_b);
            length = fb_norm(fb_sub(to, from));
        }
    }
    return length > 0.0 ? fb_axpy(s / length, fb_sub(to, from), from) : from;
}

// What is wrong with the guide is reported later.
static FbStatus place_on_spline(FbBuilder* b, const FbSliderDef* def, double s, FbVec3* place) {
    FbArena* arena = fb_arena_create();
    FbGuidePoints points;
    FbError err;
    fb_error_clear(&err);
    if (!arena) {
        return FB_ERR_MEMORY;
    }
    if (fb_slider_calc_points(b->def, def, arena, &points, &err) == FB_OK) {
        size_t n = (size_t)points.n;
        FbVec3* p = FB_TAKE(arena, FbVec3, n);
        double *knots = FB_TAKE(arena, double, n), *T = FB_TAKE(arena, double, n*n);
        for (size_t i = 0; p && i < n; i++) {
            int body = points.bodies[i];
            p[i] = body >= 0 ? fb_vec3_from(b->def->bodies[body].position) : fb_vec3(0, 0, 0);
        }
        if (p && knots && T && fb_guide_spline_calc(points.n, p, arena, knots, T)) {
            *place = fb_guide_spline_calc_place(points.n, p, knots, T, s, NULL);
        }
    }
    bool has_failed = fb_arena_has_failed(arena);
    fb_arena_destroy(arena);
    return has_failed ? FB_ERR_MEMORY : FB_OK;
}

static FbVec3 place_on_curve(FbBuilder* b, const FbSliderDef* def, double s) {
    FbCurve* curve;
    FbError err;
    FbVec3 c[4];
    fb_error_clear(&err);
    if (fb_curve_create(def->points, def->n_points, b->m->arena, &curve, &err) < 0) {
        return fb_vec3(0, 0, 0);
    }
    fb_curve_calc(curve, s, c);
    int body = fb_def_find_body(b->def, def->origin.scope, def->body);
    if (body < 0) {
        return c[0];
    }
    FbMat3 R = fb_mat3_from(b->def->bodies[body].rotation);
    return fb_add(fb_vec3_from(b->def->bodies[body].position), fb_mul3(&R, c[0]));
}

// Where the carriage is drawn: at the slider's place when it starts, parallel to the ground.
static FbStatus draw_carriage(FbBuilder* b, int slider, FbBodyDef* body) {
    const FbSliderDef* def = &b->def->sliders[slider];
    double s = start_of(b, def);
    FbVec3 place = {0, 0, 0};
    *body = fb_body_def_default();
    body->name = fb_arena_format(b->m->arena, "%s%s", def->name, CARRIAGE);
    body->origin = def->origin;
    if (def->is_through) {
        FB_TRY(place_on_spline(b, def, s, &place));
    } else if (def->n_guide > 0) {
        FbError err;
        fb_error_clear(&err);
        FbGuideMember* members = calloc((size_t)def->n_guide, sizeof(FbGuideMember));
        if (!members) {
            return FB_ERR_MEMORY;
        }
        if (fb_slider_calc_guide(b->def, def, members, &err) == FB_OK) {
            place = place_on_members(b, def, members, s);
        }
        free(members);
    } else if (def->n_points >= 2 && def->body) {
        place = place_on_curve(b, def, s);
    }
    fb_vec3_to(place, body->position);
    return body->name ? FB_OK : FB_ERR_MEMORY;
}

// The description with the carriages after its bodies; those of the file keep their numbers.
static FbStatus add_bodies(FbBuilder* b, const bool* is_needed, int n) {
    FbModel* m = b->m;
    FbModelDef* more = &b->extended;
    const FbModelDef* def = b->def;
    *more = *def;
    more->bodies = FB_TAKE(m->arena, FbBodyDef, def->n_bodies + n + 1);
    memset(&more->bodies_names, 0, sizeof(more->bodies_names));
    m->carriages = FB_TAKE(m->arena, FbCarriage, n + 1);
    if (!more->bodies || !m->carriages) {
        return FB_ERR_MEMORY;
    }
    memcpy(more->bodies, def->bodies, sizeof(FbBodyDef) * (size_t)def->n_bodies);
    for (int i = 0; i < def->n_sliders; i++) {
        if (is_needed[i]) {
            FB_TRY(draw_carriage(b, i, &more->bodies[more->n_bodies]));
            m->carriages[m->n_carriages++] = (FbCarriage){.slider = i, .body = more->n_bodies++};
        }
    }
    b->def = more;
    for (int i = 0; i < more->n_bodies; i++) {
        if (!fb_names_add(&more->bodies_names, more->bodies[i].name, i)) {
            return FB_ERR_MEMORY;
        }
    }
    return FB_OK;
}

static FbStatus extend(FbBuilder* b) {
    bool* is_needed = calloc((size_t)b->def->n_sliders + 1, sizeof(bool));
    if (!is_needed) {
        return FB_ERR_MEMORY;
    }
    FbStatus status = FB_OK;
    if (b->def->n_sliders > 0) {
        visit_joints(b, is_needed);
        visit_others(b, is_needed);
        int n = 0;
        for (int i = 0; i < b->def->n_sliders; i++) {
            n += is_needed[i];
        }
        status = n > 0 ? add_bodies(b, is_needed, n) : FB_OK;
    }
    free(is_needed);
    return status;
}

// A direction that the tangent of a curve never has: the one that it is most nearly across.
static FbVec3 cross_of_curve(const FbSlider* slider) {
    enum { SAMPLES = 200, STEPS = 200 };
    FbVec3 c[4], first;
    fb_curve_calc(slider->curve, 0.0, c);
    first = c[1];
    FbVec3 u = fabs(first.z) < 0.9 ? fb_vec3(0, 0, 1) : fb_vec3(0, 1, 0);
    u = fb_axpy(-fb_dot(first, u), first, u);
    for (int step = 0; step < STEPS; step++) {  // power iteration on sum (1 - t t')
        FbVec3 next = {0, 0, 0};
        for (int i = 0; i <= SAMPLES; i++) {
            fb_curve_calc(slider->curve, slider->length * i / SAMPLES, c);
            next = fb_add(next, fb_axpy(-fb_dot(c[1], u), c[1], u));
        }
        u = fb_scale(1.0 / fb_norm(next), next);
    }
    return u;
}

// The nearest that the tangent comes to the cross direction: sine of the angle.
static double clearance(const FbSlider* slider, FbVec3 u) {
    enum { SAMPLES = 1000 };
    double least = 1.0;
    for (int i = 0; i <= SAMPLES; i++) {
        FbVec3 c[4];
        fb_curve_calc(slider->curve, slider->length * i / SAMPLES, c);
        least = fmin(least, fb_norm(fb_cross(c[1], u)));
    }
    return least;
}

// Axes of the carriage in the drawing: x along the guide, the cross direction in the plane x-y.
static bool calc_axes(FbBuilder* b, FbCarriage* c, FbMat3* axes) {
    const FbSlider* slider = &b->m->sliders[c->slider];
    const FbSliderDef* def = &b->def->sliders[c->slider];
    FbVec3 x = slider->mass.axis, across;
    if (slider->n_pieces > 0) {
        const FbGuideSpline* line = slider->spline;
        c->cross = across = fb_mat3_col(&slider->pieces[0].element->base.R_drawn, 1);
        if (line && !line->is_straight) {
            fb_guide_spline_calc_place(line->n, line->p_drawn, line->knots, line->tangents,
                                       start_of(b, def), &x);
            x = fb_scale(1.0 / fb_norm(x), x);
        }
    } else {
        FbVec3 curve[4];
        int body = fb_def_find_body(b->def, def->origin.scope, def->body);
        FbMat3 R = body >= 0 ? b->m->bodies[body].R_GB : fb_mat3_identity();
        c->cross = cross_of_curve(slider);
        if (clearance(slider, c->cross) < 0.05) {
            fb_compile_error(b, FB_ERR_MODEL, &def->origin, "points",
                             "the guide of slider '%s' turns in all directions of space, so no "
                             "upward direction can be defined for what is attached to it; split "
                             "the guide, or attach nothing to '%s%s'",
                             def->name, def->name, CARRIAGE);
            return false;
        }
        fb_curve_calc(slider->curve, start_of(b, def), curve);
        x = fb_mul3(&R, curve[1]);
        across = fb_mul3(&R, c->cross);
    }
    FbVec3 z = fb_cross(x, across);
    z = fb_scale(1.0 / fb_norm(z), z);
    FbVec3 y = fb_cross(z, x);
    *axes = (FbMat3){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
    return true;
}

// The velocities that its rows may depend on: of the body, of every piece of the guide, its own.
static FbStatus collect(FbBuilder* b, FbCarriage* c) {
    FbModel* m = b->m;
    const FbSlider* slider = &m->sliders[c->slider];
    bool* is_used = calloc((size_t)m->tree.n_v + 1, sizeof(bool));
    if (!is_used) {
        return FB_ERR_MEMORY;
    }
    for (int k = -1; k < (slider->n_pieces > 0 ? slider->n_pieces : 1); k++) {
        const FbPortPath* path = k < 0                  ? &c->path
                                 : slider->n_pieces > 0 ? fb_field_path(slider->pieces[k].element)
                                                        : &slider->path;
        for (int j = 0; j < path->n; j++) {
            is_used[path->v[j]] = true;
        }
    }
    if (slider->coordinate_v >= 0) {
        is_used[slider->coordinate_v] = true;
    }
    c->v = FB_TAKE(m->arena, int, m->tree.n_v + 1);
    for (int v = 0; c->v && v < m->tree.n_v; v++) {
        if (is_used[v]) {
            c->v[c->n++] = v;
        }
    }
    free(is_used);
    return c->v ? FB_OK : FB_ERR_MEMORY;
}

static bool is_below(const FbTree* tree, int link, int top) {
    while (link >= 0 && link != top) {
        link = tree->links[link].parent;
    }
    return link == top;
}

static FbStatus compile_carriage(FbBuilder* b, int i) {
    static const char* const TEXTS[FB_CARRIAGE_ROWS] = {
        "place along x",      "place along y",      "place along z",
        "sideways direction", "vertical direction", "rotation about the guide"};
    FbModel* m = b->m;
    FbCarriage* c = &m->carriages[i];
    FbMat3 axes;
    m->sliders[c->slider].carriage = i;
    if (!(m->sliders[c->slider].length > 0.0) || !calc_axes(b, c, &axes)) {
        return FB_OK;
    }
    FbFrameDef frame = {.origin = {.body = b->def->bodies[c->body].name}};
    memcpy(frame.rotation, axes.m, sizeof(frame.rotation));
    FbOrigin origin = b->def->sliders[c->slider].origin;
    origin.scope = NULL;
    if (!fb_compile_frame(b, &frame, &origin, NULL, &c->frame)) {
        return FB_OK;
    }
    FB_TRY(fb_compile_port_path(b, &c->frame, 1, &c->path));
    for (int r = 0; r < FB_CARRIAGE_ROWS; r++) {
        FbRow row = {.term = m->n_terms,
                     .law = -1,
                     .is_holonomic = true,
                     .owner = c->slider,
                     .carriage = i + 1,
                     .component = r,
                     .text = TEXTS[r]};
        if (fb_compile_row(b, &row) < 0) {
            return FB_ERR_MEMORY;
        }
    }
    const FbLink* ball = &m->tree.links[c->frame.link];
    for (int l = 0; ball->joint < 0 && l < m->tree.n_link; l++) {
        c->mass += is_below(&m->tree, l, c->frame.link) ? m->tree.links[l].mass : 0.0;
    }
    return FB_OK;
}

static FbStatus build(FbBuilder* b) {
    for (int i = 0; i < b->m->n_carriages; i++) {
        FB_TRY(compile_carriage(b, i));
    }
    return FB_OK;
}

// After the drives of their sliders.
static FbStatus connect(FbBuilder* b) {
    for (int i = 0; i < b->m->n_carriages; i++) {
        FB_TRY(collect(b, &b->m->carriages[i]));
    }
    return FB_OK;
}

static void add_pair(FbPatternBuilder* p, const FbPortPath* rows, const FbPortPath* cols) {
    for (int i = 0; i < rows->n; i++) {
        for (int j = 0; j < cols->n; j++) {
            fb_pattern_builder_add(p, rows->v[i], cols->v[j]);
            fb_pattern_builder_add(p, cols->v[j], rows->v[i]);
        }
    }
}

static void add_pattern(const FbBuilder* b, FbPatternBuilder* p) {
    const FbModel* m = b->m;
    for (int i = 0; i < m->n_carriages; i++) {
        const FbCarriage* c = &m->carriages[i];
        FbSlider* slider = &m->sliders[c->slider];
        FbPortPath own = {.n = slider->coordinate_v >= 0, .v = &slider->coordinate_v};
        add_pair(p, &c->path, &c->path);
        add_pair(p, &c->path, &own);
        for (int k = 0; k < (slider->n_pieces > 0 ? slider->n_pieces : 1); k++) {
            add_pair(
                p, &c->path,
                slider->n_pieces > 0 ? fb_field_path(slider->pieces[k].element) : &slider->path);
        }
    }
}

static void draw(FbBuilder* b) {
    for (int i = 0; i < b->m->n_carriages; i++) {
        b->m->drawing.bodies[b->m->carriages[i].body].role = FB_DRAWN_CARRIAGE;
    }
}

const FbPartBuild fb_build_carriages = {
    .kind = &fb_part_sliders,
    .extend = extend,
    .build = build,
    .connect = connect,
    .draw = draw,
    .add_pattern = add_pattern,
};
