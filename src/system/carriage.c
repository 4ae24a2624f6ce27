// Carriages: bodies that rows keep on the guides of sliders, so that anything can be attached
// there.
//
//   g = (p - r,  y . t,  z . t,  z . u)                                              (eq. 9.32)
// with the place p and the axes x, y, z of the carriage, and the place r, the tangent t and the
// cross direction u of the guide at s (fem/guide_frame.h). In the linear consistent theory r lies
// back by the shortening D of the bent guide.
#include <string.h>

#include "fem/mat12.h"
#include "system/carriage.h"
#include "system/guide_spline.h"
#include "system/slider_state.h"

// The vector of the guide that each row compares with.
const int fb_carriage_vector[FB_CARRIAGE_ROWS] = {FB_GUIDE_PLACE,   FB_GUIDE_PLACE,
                                                  FB_GUIDE_PLACE,   FB_GUIDE_TANGENT,
                                                  FB_GUIDE_TANGENT, FB_GUIDE_CROSS};

void fb_carriages_take(FbSystem* s) {
    const FbModel* m = s->m;
    size_t n_v = (size_t)m->tree.n_v + 1, n_path = (size_t)m->max_port_path + 1;
    s->carriages = FB_TAKE(s->arena, FbCarriageState, m->n_carriages + 1);
    for (int i = 0; s->carriages && i < m->n_carriages; i++) {
        FbCarriageState* x = &s->carriages[i];
        x->guide_by_v = FB_TAKE(s->arena, double, FB_GUIDE_ROWS* n_path);
        x->guide_rate_by_v = FB_TAKE(s->arena, double, FB_GUIDE_ROWS* n_path);
        x->own_by_v = FB_TAKE(s->arena, double, 6 * n_path);
        x->G = FB_TAKE(s->arena, double, FB_CARRIAGE_ROWS* n_v);
        x->Gq = FB_TAKE(s->arena, double, FB_CARRIAGE_ROWS* n_v);
    }
    s->now = m->settings.start;
}

// s, s', s'' at the requested time; states of a drive as they were realized last.
static void realize_motion(FbSystem* s, const double* q, const double* v, int i) {
    const FbSlider* slider = &s->m->sliders[i];
    double law[3];
    if (slider->law >= 0) {
        fb_law_now(s, slider->law, s->now, law);
        s->motion[i] = s->is_parked ? (FbSliderMotion){law[0], 0.0, 0.0}
                                    : (FbSliderMotion){law[0], law[1], law[2]};
    } else if (slider->coordinate_v >= 0) {
        s->motion[i] =
            (FbSliderMotion){q[slider->coordinate_q], v ? v[slider->coordinate_v] : 0.0, 0.0};
    }
}

void fb_carriages_set_states(FbSystem* s, const double* x) {
    for (int i = 0; i < s->m->n_carriages; i++) {
        const FbSlider* slider = &s->m->sliders[s->m->carriages[i].slider];
        if (slider->command >= 0) {
            s->motion[s->m->carriages[i].slider].s = x[slider->state_s];
            s->motion[s->m->carriages[i].slider].ds = x[slider->state_v];
        }
    }
}

FbStatus fb_system_check_linear(const FbSystem* s, FbError* err) {
    for (int i = 0; i < s->m->n_carriages; i++) {
        const FbSlider* slider = &s->m->sliders[s->m->carriages[i].slider];
        if (slider->command >= 0) {
            return fb_fail(err, FB_ERR_MODEL, &slider->place,
                           "the equations cannot be linearized: slider '%s' follows states and "
                           "carries other parts, so constraints depend on states; give it a law, "
                           "or `free: true` and an actuator on '%s.carriage'",
                           slider->name, slider->name);
        }
    }
    return FB_OK;
}

// The end of a beam whose section turns with a port; y is fixed in it.
static FbGuideEnd turned_end(const FbPort* port, FbVec3 local) {
    FbVec3 y = fb_mul3(&port->R, local), dy = fb_cross(port->w, y);
    FbVec3 ddy = fb_add(fb_cross(port->dw, y), fb_cross(port->w, dy));
    return (FbGuideEnd){.y = y, .dy = dy, .ddy = ddy, .arm = y, .w = port->w};
}

// A segment of a smooth guide: the field by its points, and the direction across by the turns of
// its ends, whose frames are those of the ground in the drawing.
static void calc_on_smooth(FbSystem* s, const FbCarriage* c, FbCarriageState* x) {
    const FbBeamElement* e = x->element;
    fb_beam_realize_ports(s, e, x->port);
    x->origin = e->end[0];
    fb_guide_spline_realize(s, e, x->field.e, x->field.de, x->field.dde);
    x->beam.end[0] = turned_end(&x->port[0], c->cross);
    x->beam.end[1] = turned_end(&x->port[1], c->cross);
}

static void calc_on_large(FbSystem* s, const FbCarriage* c, FbCarriageState* x) {
    const FbBeamElement* e = x->element;
    FbVec3 local = fb_mul3_transposed(&e->base.R_drawn, c->cross);
    fb_beam_realize_ports(s, e, x->port);
    x->origin = e->end[0];
    fb_field_calc(x->port, &x->field);
    fb_field_calc_derivatives(x->port, x->de_by_pose, NULL, NULL);
    x->beam.de_by_pose = x->de_by_pose;
    x->beam.end[0] = turned_end(&x->port[0], local);
    x->beam.end[1] = turned_end(&x->port[1], local);
}

// Small displacements d, d' and d'' (a: NULL: zero) from the drawing; accelerations minus gravity.
static void calc_on_linear(FbSystem* s, const double* q, const double* v, const FbCarriage* c,
                           FbCarriageState* x) {
    const FbBeamElement* e = x->element;
    FbBeamField* f = &x->field;
    double d[FB_BEAM_DOF] = {0}, rate[FB_BEAM_DOF] = {0};
    FbColumns ends = fb_beam_end_columns(e);
    fb_columns_add_displacement(s->m, &ends, q, d);
    if (v) {
        fb_columns_add_motion(&ends, v, rate);
    }
    x->origin = (FbLinkFrame){.link = -1, .p = e->p_drawn[0]};
    memset(f->de, 0, sizeof(f->de));
    memset(f->dde, 0, sizeof(f->dde));
    if (e->spline) {
        FbColumns field = fb_beam_field_columns(e);
        memcpy(f->e, e->e0, sizeof(f->e));
        fb_columns_add_displacement(s->m, &field, q, f->e);
        if (v) {
            fb_columns_add_motion(&field, v, f->de);
        }
    } else {
        fb_beam_calc_linear_field(e, f->J, f->e);
        fb_mat12_add_product(f->J, d, f->e);
        fb_mat12_add_product(f->J, rate, f->de);
    }
    for (int end = 0; end < 2; end++) {
        fb_vec3_to(fb_scale(-1.0, s->m->tree.gravity), f->dde + 6 * end);
        FbVec3 turn = fb_vec3_from(d + 6 * end + 3), w = fb_vec3_from(rate + 6 * end + 3);
        x->beam.end[end] = (FbGuideEnd){.y = fb_add(c->cross, fb_cross(turn, c->cross)),
                                        .dy = fb_cross(w, c->cross),
                                        .arm = c->cross};
    }
    x->beam.de_by_pose = NULL;
}

static void calc_guide(FbSystem* s, const double* q, const double* v, const FbCarriage* c,
                       FbCarriageState* x) {
    const FbSlider* slider = &s->m->sliders[c->slider];
    FbSliderMotion m = s->motion[c->slider];
    x->end[0] = &slider->on;
    x->end[1] = NULL;
    x->element = NULL;
    if (slider->n_pieces == 0) {
        x->motion = m;
        fb_port_realize(s, &slider->on, &x->port[0]);
        x->origin = slider->on;
        x->port[0].p = fb_vec3(0, 0, 0);
        memset(&x->port[1], 0, sizeof(x->port[1]));
        fb_guide_frame_of_curve(slider->curve, c->cross, &x->port[0], &m, &x->guide);
        return;
    }
    const FbGuidePiece* piece = &slider->pieces[fb_slider_piece(s, c->slider)];
    const FbBeamElement* e = x->element = piece->element;
    double sign = piece->is_reversed ? -1.0 : 1.0, along = m.s - piece->start;
    x->motion = (FbSliderMotion){piece->is_reversed ? e->beam.length - along : along, sign * m.ds,
                                 sign * m.dds};
    x->end[0] = &e->end[0];
    x->end[1] = &e->end[1];
    x->beam = (FbGuideBeam){.length = e->beam.length,
                            .sign = sign,
                            .e = x->field.e,
                            .de = x->field.de,
                            .dde = x->field.dde,
                            .J = e->spline ? NULL : x->field.J,
                            .is_smooth = e->spline != NULL};
    if (e->is_linear) {
        calc_on_linear(s, q, v, c, x);
    } else if (e->spline) {
        calc_on_smooth(s, c, x);
    } else {
        calc_on_large(s, c, x);
    }
    fb_guide_frame_of_beam(&x->beam, &x->motion, &x->guide);
}

static bool has_shortening(const FbSystem* s, const FbCarriage* c) {
    return s->m->sliders[c->slider].mass.theory == FB_SLIDER_LINEAR_CONSISTENT;
}

// r = N e - D t along the whole guide: D, D' and D'' move it.
static void add_shortening(FbSystem* s, const double* q, const double* v, const FbCarriage* c,
                           FbCarriageState* x) {
    FbVec3 t = s->m->sliders[c->slider].mass.axis;
    FbGuideFrame* g = &x->guide;
    int last = fb_slider_piece(s, c->slider);
    for (int k = 0; k <= last; k++) {
        FbShortening D;
        fb_slider_calc_shortening(s, q, v ? v : s->zero_v, s->zero_v, c->slider, k, &D);
        g->value[0] = fb_axpy(-D.value, t, g->value[0]);
        g->rate[0] = fb_axpy(-D.rate, t, g->rate[0]);
        g->acceleration[0] = fb_axpy(-D.acceleration, t, g->acceleration[0]);
        if (k == last) {
            g->by_s[0] = fb_axpy(-D.value_s, t, g->by_s[0]);
        }
    }
}

static void calc_rows(const FbCarriageState* x, double* error, double* rate, double* bias,
                      double* by_s) {
    const FbPort* own = &x->own[0];
    const FbGuideFrame* g = &x->guide;
    const FbVec3 apart[3] = {fb_sub(own->p, g->value[0]), fb_sub(own->v, g->rate[0]),
                             fb_sub(own->a, g->acceleration[0])};
    for (int r = 0; r < FB_CARRIAGE_ROWS; r++) {
        int k = fb_carriage_vector[r];
        FbVec3 b = x->axis[r], db = fb_cross(own->w, b);
        FbVec3 ddb = fb_add(fb_cross(own->dw, b), fb_cross(own->w, db));
        bool is_place = r < FB_CARRIAGE_TURN;
        error[r] = is_place ? fb_dot(b, apart[0]) : fb_dot(b, g->value[k]);
        rate[r] = is_place ? fb_dot(b, apart[1]) : fb_dot(db, g->value[k]) + fb_dot(b, g->rate[k]);
        bias[r] = is_place ? fb_dot(b, apart[2])
                           : fb_dot(ddb, g->value[k]) + 2.0 * fb_dot(db, g->rate[k]) +
                                 fb_dot(b, g->acceleration[k]);
        by_s[r] = (is_place ? -1.0 : 1.0) * fb_dot(b, g->by_s[k]);
    }
}

static void calc_state(FbSystem* s, const double* q, const double* v, int i) {
    const FbCarriage* c = &s->m->carriages[i];
    FbCarriageState* x = &s->carriages[i];
    calc_guide(s, q, v, c, x);
    if (has_shortening(s, c)) {
        add_shortening(s, q, v, c, x);
    }
    fb_port_realize(s, &c->frame, &x->own[0]);
    FbVec3 at = fb_link_point(&s->k, c->frame.link, c->frame.p);
    x->distance = fb_norm(x->own[0].p);
    x->own[0].p = fb_from_point(&s->k, x->origin.link, x->origin.p, c->frame.link, at);
    memset(&x->own[1], 0, sizeof(x->own[1]));
    for (int r = 0; r < 3; r++) {
        x->axis[r] = fb_vec3(r == 0, r == 1, r == 2);
        x->axis[FB_CARRIAGE_TURN + r] = fb_mat3_col(&x->own[0].R, r == 0 ? 1 : 2);
    }
}

// product += A [9 x 12] u
static void add_product(const double* A, const double* u, double* product) {
    for (int r = 0; r < FB_GUIDE_ROWS; r++) {
        product[r] += fb_dot12(A + r * FB_BEAM_DOF, u);
    }
}

FbColumns fb_carriage_guide_columns(FbSystem* s, const FbCarriage* c, const FbCarriageState* x,
                                    bool only_pose) {
    if (x->element && x->element->spline) {
        return fb_guide_field_columns(s, x->element, only_pose);
    }
    if (x->element && x->element->is_linear) {
        return fb_beam_end_columns(x->element);
    }
    const FbPortPath* path = x->element ? &x->element->base.path : &s->m->sliders[c->slider].path;
    return fb_ports_calc_columns(s, path, x->end[0], x->end[1], only_pose);
}

FbColumns fb_carriage_end_columns(FbSystem* s, const FbCarriageState* x, bool only_pose) {
    const FbBeamElement* e = x->element;
    if (!e || !e->spline) {
        return (FbColumns){0};
    }
    return e->is_linear
               ? fb_beam_end_columns(e)
               : fb_ports_calc_columns(s, &e->base.path, &e->end[0], &e->end[1], only_pose);
}

int fb_carriage_find_end(const FbColumns* ends, int v) {
    for (int k = 0; k < ends->n; k++) {
        if (ends->v[k] == v) {
            return k;
        }
    }
    return -1;
}

// dg/dq of the guide's column F and of the carriage's column (dp, dphi).
static double guide_entry(const FbCarriageState* x, int r, const double* F) {
    double dot = fb_dot(x->axis[r], fb_vec3_from(F + 3 * fb_carriage_vector[r]));
    return r < FB_CARRIAGE_TURN ? -dot : dot;
}
static double own_entry(const FbCarriageState* x, int r, const double* u) {
    return r < FB_CARRIAGE_TURN ? fb_dot(x->axis[r], fb_vec3_from(u))
                                : fb_dot(fb_cross(fb_vec3_from(u + 3), x->axis[r]),
                                         x->guide.value[fb_carriage_vector[r]]);
}

static void add_shortening_gradient(FbSystem* s, const double* q, const FbCarriage* c,
                                    FbCarriageState* x, size_t n_v) {
    const FbSlider* slider = &s->m->sliders[c->slider];
    FbVec3 t = slider->mass.axis;
    for (int k = 0; k <= fb_slider_piece(s, c->slider); k++) {
        FbColumns field = fb_beam_field_columns(slider->pieces[k].element);
        double f[FB_BEAM_DOF];
        fb_slider_calc_piece_force(s, q, c->slider, k, 1.0, f, NULL);  // dD/de
        for (int j = 0; j < field.n; j++) {
            double D = fb_dot12(f, field.pose + j * FB_BEAM_DOF);
            for (int r = 0; r < FB_CARRIAGE_TURN; r++) {
                x->G[(size_t)r * n_v + (size_t)field.v[j]] += fb_dot(x->axis[r], t) * D;
            }
        }
    }
}

static void calc_gradient(FbSystem* s, const double* q, int i) {
    const FbCarriage* c = &s->m->carriages[i];
    FbCarriageState* x = &s->carriages[i];
    size_t n_v = (size_t)s->m->tree.n_v;
    int own = s->m->sliders[c->slider].coordinate_v;
    memset(x->G, 0, sizeof(double) * FB_CARRIAGE_ROWS * n_v);
    FbColumns guide = fb_carriage_guide_columns(s, c, x, true);
    FbColumns ends = fb_carriage_end_columns(s, x, true);
    for (int k = 0; k < guide.n; k++) {
        double* F = x->guide_by_v + FB_GUIDE_ROWS * k;
        int end = fb_carriage_find_end(&ends, guide.v[k]);
        memset(F, 0, FB_GUIDE_ROWS * sizeof(double));
        add_product(x->guide.by_pose, guide.pose + k * FB_BEAM_DOF, F);
        if (end >= 0) {
            add_product(x->guide.by_ends, ends.pose + end * FB_BEAM_DOF, F);
        }
        for (int r = 0; r < FB_CARRIAGE_ROWS; r++) {
            x->G[(size_t)r * n_v + (size_t)guide.v[k]] += guide_entry(x, r, F);
        }
    }
    FbColumns body = fb_ports_calc_columns(s, &c->path, &c->frame, NULL, true);
    for (int k = 0; k < body.n; k++) {
        double* u = x->own_by_v + 6 * k;
        memcpy(u, body.pose + k * FB_BEAM_DOF, 6 * sizeof(double));
        for (int r = 0; r < FB_CARRIAGE_ROWS; r++) {
            x->G[(size_t)r * n_v + (size_t)body.v[k]] += own_entry(x, r, u);
        }
    }
    for (int r = 0; own >= 0 && r < FB_CARRIAGE_ROWS; r++) {
        x->G[(size_t)r * n_v + (size_t)own] += x->by_s[r];
    }
    if (has_shortening(s, c)) {
        add_shortening_gradient(s, q, c, x, n_v);
    }
}

void fb_carriages_realize(FbSystem* s, const double* q, const double* v) {
    for (int i = 0; i < s->m->n_carriages; i++) {
        FbCarriageState* x = &s->carriages[i];
        realize_motion(s, q, v, s->m->carriages[i].slider);
        calc_state(s, q, v, i);
        calc_rows(x, x->error, x->rate, x->bias, x->by_s);
        calc_gradient(s, q, i);
    }
}

void fb_carriages_calc_bias(FbSystem* s, const FbPoint* p) {
    for (int i = 0; i < s->m->n_carriages; i++) {
        FbCarriageState* x = &s->carriages[i];
        const FbSlider* slider = &s->m->sliders[s->m->carriages[i].slider];
        if (slider->coordinate_v >= 0) {
            s->motion[s->m->carriages[i].slider].dds = 0.0;  // it is one of the accelerations
        }
        calc_state(s, p->q, p->v, i);
        calc_rows(x, x->error, x->rate, x->bias, x->by_s);
    }
}

void fb_carriages_clear(FbSystem* s) {
    for (int i = 0; i < s->m->n_carriages; i++) {
        memset(s->carriages[i].lambda, 0, sizeof(s->carriages[i].lambda));
    }
}

void fb_carriage_calc_forces(const FbCarriageState* x, FbVec3 guide[FB_GUIDE_VECTORS],
                             double own[6]) {
    FbVec3 zero = {0, 0, 0}, moment = zero;
    for (int k = 0; k < FB_GUIDE_VECTORS; k++) {
        guide[k] = zero;
    }
    for (int r = 0; r < FB_CARRIAGE_ROWS; r++) {
        int k = fb_carriage_vector[r];
        double lambda = x->lambda[r];
        guide[k] = fb_axpy(r < FB_CARRIAGE_TURN ? -lambda : lambda, x->axis[r], guide[k]);
        if (r >= FB_CARRIAGE_TURN) {
            moment = fb_axpy(lambda, fb_cross(x->axis[r], x->guide.value[k]), moment);
        }
    }
    fb_vec3_to(fb_scale(-1.0, guide[FB_GUIDE_PLACE]), own);
    fb_vec3_to(moment, own + 3);
}

// G' lambda at the ends of the element, which resists with it (eq. 9.33).
static void push_guide(FbSystem* s, FbCarriageState* x, const FbVec3* guide) {
    const FbBeamElement* e = x->element;
    double f[FB_BEAM_DOF], moments[FB_BEAM_DOF];
    fb_guide_frame_calc_ends(&x->guide, guide, f);
    if (e && e->is_linear) {
        FbColumns c = e->spline ? fb_beam_field_columns(e) : fb_beam_end_columns(e);
        FbColumns ends = fb_carriage_end_columns(s, x, true);
        fb_columns_add_force(&c, -1.0, f, s->k.tau);
        fb_guide_frame_calc_moments(&x->guide, guide, moments);
        fb_columns_add_force(&ends, -1.0, moments, s->k.tau);
        return;
    }
    if (e && e->spline) {
        fb_guide_spline_push(s, e, f);
        fb_guide_frame_calc_moments(&x->guide, guide, f);
    }
    for (int side = 0; side < 2 && x->end[side]; side++) {
        fb_port_push(s, x->end[side], f + 6 * side);
    }
}

double fb_carriage_calc_pull(const FbSystem* s, int i) {
    const FbCarriageState* x = &s->carriages[i];
    FbVec3 t = s->m->sliders[s->m->carriages[i].slider].mass.axis;
    return has_shortening(s, &s->m->carriages[i]) ? fb_dot(t, fb_vec3_from(x->lambda)) : 0.0;
}

void fb_carriages_push(FbSystem* s, const double* q) {
    for (int i = 0; i < s->m->n_carriages; i++) {
        const FbCarriage* c = &s->m->carriages[i];
        const FbSlider* slider = &s->m->sliders[c->slider];
        FbCarriageState* x = &s->carriages[i];
        FbVec3 guide[FB_GUIDE_VECTORS];
        double own[6], pull = fb_carriage_calc_pull(s, i);
        fb_carriage_calc_forces(x, guide, own);
        push_guide(s, x, guide);
        fb_port_push(s, &c->frame, own);
        if (slider->coordinate_v >= 0) {
            s->k.tau[slider->coordinate_v] -= fb_carriage_calc_along(s, i);
        }
        for (int k = 0; pull != 0.0 && k <= fb_slider_piece(s, c->slider); k++) {
            double f[FB_BEAM_DOF];
            FbColumns field = fb_beam_field_columns(slider->pieces[k].element);
            fb_slider_calc_piece_force(s, q, c->slider, k, pull, f, NULL);
            fb_columns_add_force(&field, -1.0, f, s->k.tau);
        }
    }
}

double fb_carriage_calc_along(const FbSystem* s, int i) {
    const FbCarriageState* x = &s->carriages[i];
    double sum = 0.0;
    for (int r = 0; r < FB_CARRIAGE_ROWS; r++) {
        sum += x->lambda[r] * x->by_s[r];
    }
    return sum;
}

FbVec3 fb_carriage_calc_contact(const FbSystem* s, int i) {
    return fb_vec3_from(s->carriages[i].lambda);
}
