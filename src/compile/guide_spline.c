// Guides through nodes: the spline through the points that a slider passes, and the velocities that
// move it (theory manual, section 9.9).
#include "fem/guide_spline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compile/part_build.h"
#include "describe/slider_check.h"

static const double DEGREE = 3.14159265358979323846 / 180.0;
// Larger turns (rad) from one chord to the next: the nodes are not in order.
static const double SHARP = 60.0 * (3.14159265358979323846 / 180.0);
// A step that is this many times as long as both of its neighbours leaves a node out.
static const double GAP = 5.0;
// Points are the same place if they are closer than this part of the guide's length.
static const double SAME_PLACE = 1e-9;
// A guide is straight if no chord is turned by more (rad) against the line from its start to its
// end. The linear consistent theory neglects this angle against 1.
static const double STRAIGHT = 0.01;
// The nearest (sine) that the tangent may come to the direction across.
static const double LEAST_CLEARANCE = 0.05;

static const char* name_at(const FbModel* m, const FbGuideSpline* s, int i) {
    return s->bodies[i] >= 0 ? m->bodies[s->bodies[i]].name : "ground";
}

static double angle_between(FbVec3 u, FbVec3 v) {
    return atan2(fb_norm(fb_cross(u, v)), fb_dot(u, v));
}

static FbVec3 chord(const FbGuideSpline* s, int i) {
    return fb_sub(s->p_drawn[i + 1], s->p_drawn[i]);
}

// ---- Are the points in order? ----

static bool check_places(FbBuilder* b, const FbSliderDef* def, const FbGuideSpline* s) {
    double length = 0.0;
    for (int i = 0; i + 1 < s->n; i++) {
        length += fb_norm(chord(s, i));
    }
    for (int i = 0; i + 1 < s->n; i++) {
        if (!(fb_norm(chord(s, i)) > SAME_PLACE * length)) {
            fb_compile_error(b, FB_ERR_MODEL, &def->origin, "guide",
                             "the guide of slider '%s' passes '%s' and '%s', which are at the same "
                             "place; name one of them",
                             def->name, name_at(b->m, s, i), name_at(b->m, s, i + 1));
            return false;
        }
    }
    return true;
}

static bool check_turns(FbBuilder* b, const FbSliderDef* def, const FbGuideSpline* s) {
    for (int i = 1; i + 1 < s->n; i++) {
        double angle = angle_between(chord(s, i - 1), chord(s, i));
        if (!(angle < SHARP)) {
            fb_compile_error(b, FB_ERR_MODEL, &def->origin, "guide",
                             "the guide of slider '%s' turns by %.3g deg at '%s', which is more "
                             "than %g deg; name the nodes in the order of passing, and more of "
                             "them where the line is curved",
                             def->name, angle / DEGREE, name_at(b->m, s, i), SHARP / DEGREE);
            return false;
        }
    }
    return true;
}

static bool check_gaps(FbBuilder* b, const FbSliderDef* def, const FbGuideSpline* s) {
    for (int i = 0; i + 1 < s->n && s->n > 2; i++) {
        double own = fb_norm(chord(s, i)), near = 0.0;
        near = fmax(near, i > 0 ? fb_norm(chord(s, i - 1)) : 0.0);
        near = fmax(near, i + 2 < s->n ? fb_norm(chord(s, i + 1)) : 0.0);
        if (own > GAP * near) {
            fb_compile_error(b, FB_ERR_MODEL, &def->origin, "guide",
                             "the guide of slider '%s' has a gap of %.4g m from '%s' to '%s', more "
                             "than %g times the distance of the nodes next to it; name the nodes "
                             "in between",
                             def->name, own, name_at(b->m, s, i), name_at(b->m, s, i + 1), GAP);
            return false;
        }
    }
    return true;
}

// ---- What moves the points ----

// How a point moves: with nodes of linear structures, or by turns of other links.
typedef struct Carrier {
    bool is_linear, can_turn;
} Carrier;

static Carrier find_carrier(const FbModel* m, int link) {
    Carrier c = {false, false};
    for (int l = link; l >= 0; l = m->tree.links[l].parent) {
        const FbLink* own = &m->tree.links[l];
        bool is_node = own->joint >= 0 && m->is_linear_node[own->joint];
        bool slides = own->kind == FB_LINK_FIXED || own->kind == FB_LINK_SLIDE ||
                      own->kind == FB_LINK_TRANSLATE3;
        bool is_large = own->joint >= 0 && m->is_node[own->joint] && !is_node;
        c.is_linear |= is_node;
        c.can_turn |= (!slides && !is_node) || (is_large && own->n_v > 0);
    }
    return c;
}

// Small displacements as soon as one point has them; then all must.
static void set_kind(FbBuilder* b, const FbSliderDef* def, FbGuideSpline* s) {
    int linear = -1, turning = -1;
    for (int i = 0; i < s->n; i++) {
        Carrier c = find_carrier(b->m, s->points[i].link);
        linear = linear < 0 && c.is_linear ? i : linear;
        turning = turning < 0 && c.can_turn ? i : turning;
    }
    s->is_linear = linear >= 0;
    if (linear >= 0 && turning >= 0) {
        fb_compile_error(b, FB_ERR_MODEL, &def->origin, "guide",
                         "the guide of slider '%s' passes '%s', whose displacements are small, and "
                         "'%s', which can turn far; pass nodes of one kind, or give the structure "
                         "of beams `theory: linear` or `theory: nonlinear`",
                         def->name, name_at(b->m, s, linear), name_at(b->m, s, turning));
    }
}

static FbStatus find_path(FbBuilder* b, FbGuideSpline* s) {
    FbModel* m = b->m;
    size_t n = (size_t)s->n, n_v = (size_t)m->tree.n_v + 1;
    bool* marks = calloc(n_v * n, sizeof(bool));
    s->path.v = FB_TAKE(m->arena, int, n_v);
    if (!marks || !s->path.v) {
        free(marks);
        return FB_ERR_MEMORY;
    }
    for (size_t i = 0; i < n; i++) {
        for (int l = s->points[i].link; l >= 0; l = m->tree.links[l].parent) {
            for (int j = 0; j < m->tree.links[l].n_v; j++) {
                marks[(size_t)(m->tree.links[l].v0 + j) * n + i] = true;
            }
        }
    }
    for (int j = 0; j < m->tree.n_v; j++) {
        if (memchr(marks + (size_t)j * n, 1, n)) {
            s->path.v[s->path.n++] = j;
        }
    }
    s->moves = FB_TAKE(m->arena, bool, (size_t)s->path.n* n + 1);
    for (int k = 0; s->moves && k < s->path.n; k++) {
        memcpy(s->moves + (size_t)k * n, marks + (size_t)s->path.v[k] * n, n);
    }
    free(marks);
    m->max_port_path = s->path.n > m->max_port_path ? s->path.n : m->max_port_path;
    return s->moves ? FB_OK : FB_ERR_MEMORY;
}

// ---- The line ----

static FbVec3 tangent_at(const FbGuideSpline* s, int i) {
    FbVec3 t = {0, 0, 0};
    for (int j = 0; j < s->n; j++) {
        t = fb_axpy(s->tangents[(size_t)i * (size_t)s->n + (size_t)j],
                    fb_sub(s->p_drawn[j], s->p_drawn[i]), t);
    }
    return t;
}

static bool is_straight(const FbGuideSpline* s) {
    FbVec3 whole = fb_sub(s->p_drawn[s->n - 1], s->p_drawn[0]);
    for (int i = 0; i + 1 < s->n; i++) {
        if (!(angle_between(whole, chord(s, i)) <= STRAIGHT)) {
            return false;
        }
    }
    return true;
}

// A direction across the guide: up, or y along a vertical line; of a curved one the direction that
// its tangents are most nearly across.
static FbVec3 find_across(const FbGuideSpline* s) {
    enum { STEPS = 200 };
    FbVec3 x = chord(s, 0), z = {0, 0, 1};
    x = fb_scale(1.0 / fb_norm(x), x);
    FbVec3 u = fb_norm(fb_cross(x, z)) > 1e-6 ? z : fb_vec3(0, 1, 0);
    u = fb_axpy(-fb_dot(x, u), x, u);
    for (int step = 0; step < STEPS && !s->is_straight; step++) {
        FbVec3 next = {0, 0, 0};
        for (int i = 0; i < s->n; i++) {
            FbVec3 t = tangent_at(s, i);
            t = fb_scale(1.0 / fb_norm(t), t);
            next = fb_add(next, fb_axpy(-fb_dot(t, u), t, u));
        }
        u = fb_scale(1.0 / fb_norm(next), next);
    }
    return fb_scale(1.0 / fb_norm(u), u);
}

static bool check_across(FbBuilder* b, const FbSliderDef* def, const FbGuideSpline* s, FbVec3 u) {
    for (int i = 0; i + 1 < s->n; i++) {
        FbVec3 t = chord(s, i);
        if (fb_norm(fb_cross(t, u)) < LEAST_CLEARANCE * fb_norm(t)) {
            fb_compile_error(b, FB_ERR_MODEL, &def->origin, "guide",
                             "the guide of slider '%s' turns in all directions of space; split it",
                             def->name);
            return false;
        }
    }
    return true;
}

static FbStatus add_segment(FbBuilder* b, FbSlider* slider, int k, FbVec3 across) {
    FbGuideSpline* s = slider->spline;
    FbBeamElement* e = &s->segments[k];
    FbVec3 along = chord(s, k);
    e->name =
        fb_arena_format(b->m->arena, "%s ... %s", name_at(b->m, s, k), name_at(b->m, s, k + 1));
    e->is_linear = s->is_linear;
    e->spline = s;
    e->segment = k;
    e->place = slider->place;
    e->load[0] = e->load[1] = e->load[2] = -1;
    e->area = e->edge_y = e->edge_z = e->torsion_modulus = NAN;
    e->beam.length = s->knots[k + 1] - s->knots[k];
    for (int i = 0; i < 2; i++) {
        e->body[i] = s->bodies[k + i];
        e->end[i] = s->points[k + i];
        e->p_drawn[i] = s->p_drawn[k + i];
    }
    e->base.R_drawn = fb_compile_element_axes(fb_scale(1.0 / fb_norm(along), along), across);
    fb_compile_beam_base(e);
    slider->pieces[slider->n_pieces++] =
        (FbGuidePiece){.element = e, .beam = -1, .start = s->knots[k]};
    return e->name ? fb_compile_port_path(b, e->end, 2, &e->base.path) : FB_ERR_MEMORY;
}

static FbStatus draw_line(FbBuilder* b, const FbSliderDef* def, FbSlider* slider) {
    FbGuideSpline* s = slider->spline;
    FbArena* scratch = fb_arena_create();
    bool is_done =
        scratch && fb_guide_spline_calc(s->n, s->p_drawn, scratch, s->knots, s->tangents);
    fb_arena_destroy(scratch);
    if (!is_done) {
        return FB_ERR_MEMORY;
    }
    s->is_straight = is_straight(s);
    FbVec3 across = find_across(s);
    for (int k = 0; check_across(b, def, s, across) && k + 1 < s->n; k++) {
        FB_TRY(add_segment(b, slider, k, across));
        slider->length = s->knots[k + 1];
    }
    return FB_OK;
}

static FbStatus take(FbModel* m, FbSlider* slider, const FbGuidePoints* points) {
    FbGuideSpline* s = slider->spline = FB_TAKE(m->arena, FbGuideSpline, 1);
    size_t n = (size_t)points->n;
    if (!s) {
        return FB_ERR_MEMORY;
    }
    s->n = points->n;
    s->bodies = points->bodies;
    s->points = FB_TAKE(m->arena, FbLinkFrame, n);
    s->p_drawn = FB_TAKE(m->arena, FbVec3, n);
    s->knots = FB_TAKE(m->arena, double, n);
    s->tangents = FB_TAKE(m->arena, double, n* n);
    s->segments = FB_TAKE(m->arena, FbBeamElement, n);
    slider->pieces = FB_TAKE(m->arena, FbGuidePiece, n);
    return fb_arena_has_failed(m->arena) ? FB_ERR_MEMORY : FB_OK;
}

FbStatus fb_compile_guide_spline(FbBuilder* b, const FbSliderDef* def, FbSlider* slider) {
    FbModel* m = b->m;
    FbGuidePoints points;
    FbError err;
    fb_error_clear(&err);
    FbStatus status = fb_slider_calc_points(b->def, def, m->arena, &points, &err);
    if (status < 0) {
        fb_diagnose_error(b->diagnostics, &err);
        return status == FB_ERR_MEMORY ? status : FB_OK;
    }
    FB_TRY(take(m, slider, &points));
    FbGuideSpline* s = slider->spline;
    FbMat3 ground = fb_mat3_identity();
    for (int i = 0; i < s->n; i++) {
        s->points[i] = fb_compile_end_frame(m, s->bodies[i], &ground);
        s->p_drawn[i] = s->bodies[i] >= 0 ? m->bodies[s->bodies[i]].p_GB : fb_vec3(0, 0, 0);
    }
    if (!check_places(b, def, s) || !check_turns(b, def, s) || !check_gaps(b, def, s)) {
        return FB_OK;
    }
    set_kind(b, def, s);
    FB_TRY(find_path(b, s));
    return draw_line(b, def, slider);
}

// ---- Linear theory: e = e0 + E J0 (q - q_drawn) ----

// The four vectors of e are sums of the points' positions, or displacements, with these factors.
static void add_point(const FbGuideSpline* s, const FbBeamElement* e, int j, FbVec3 x, double* to) {
    const double* T = s->tangents + (size_t)e->segment * (size_t)s->n + (size_t)j;
    const double factor[4] = {j == e->segment, e->beam.length * T[0], j == e->segment + 1,
                              e->beam.length * T[s->n]};
    for (int i = 0; i < 4; i++) {
        fb_vec3_to(fb_axpy(factor[i], x, fb_vec3_from(to + 3 * i)), to + 3 * i);
    }
}

static FbStatus calc_fields(FbModel* m, const FbKinematics* k, FbGuideSpline* s, FbBeamElement* e) {
    size_t n = (size_t)s->n;
    e->EJ0 = FB_TAKE(m->arena, double, (size_t)s->path.n* FB_BEAM_DOF + 1);
    e->base.J0 = FB_TAKE(m->arena, double, (size_t)e->base.path.n* FB_BEAM_DOF + 1);
    if (!e->EJ0 || !e->base.J0) {
        return FB_ERR_MEMORY;
    }
    fb_element_calc_columns(k, &e->base, e->base.J0);
    for (size_t j = 0; j < n; j++) {
        FbVec3 at = fb_link_point(k, s->points[j].link, s->points[j].p);
        add_point(s, e, (int)j, fb_sub(s->p_drawn[j], e->p_drawn[0]), e->e0);
        for (size_t c = 0; c < (size_t)s->path.n; c++) {
            if (s->moves[c * n + j]) {
                FbVec3 u = fb_column_at(k, s->path.v[c], at).lin;
                add_point(s, e, (int)j, u, e->EJ0 + c * FB_BEAM_DOF);
            }
        }
    }
    return FB_OK;
}

FbStatus fb_compile_guide_fields(FbModel* m, const FbKinematics* k) {
    for (int i = 0; i < m->n_sliders; i++) {
        FbGuideSpline* s = m->sliders[i].spline;
        for (int e = 0; s && s->is_linear && e + 1 < s->n; e++) {
            FB_TRY(calc_fields(m, k, s, &s->segments[e]));
        }
    }
    return FB_OK;
}
