// The axial reaction of a driven mass on a linear guide and its geometric stiffness (eq. 9.19): the
// actuator's force along the guide goes to the guide's start, so that the part between there and
// the mass is pressed or pulled by P = -m (s'' - g . t).
#include <string.h>

#include "system/port.h"
#include "system/slider_state.h"

// e - e0 + e0 of any element of the guide.
static void element_vector(const FbModel* m, const FbBeamElement* e, const double* q, double* out) {
    memcpy(out, e->e0, FB_BEAM_DOF * sizeof(double));
    FbColumns c = fb_beam_field_columns(e);
    fb_columns_add_displacement(m, &c, q, out);
}

static FbVec3 axis_of(const FbBeamElement* e) {
    return fb_element_axis(e);
}

// The tension per unit of s'' is -m; gravity along the piece adds.
static double tension(const FbSystem* s, int i, const FbGuidePiece* piece) {
    const FbSlider* slider = &s->m->sliders[i];
    FbVec3 t = axis_of(piece->element);
    double sign = piece->is_reversed ? -1.0 : 1.0;
    return -slider->mass.mass * (s->motion[i].dds - sign * fb_dot(s->m->tree.gravity, t));
}

// Geometric force of tension P in the part of piece k that lies before the mass.
void fb_slider_calc_piece_force(FbSystem* s, const double* q, int i, int k, double P, double* f,
                                double* matrix) {
    const FbSlider* slider = &s->m->sliders[i];
    const FbGuidePiece* piece = &slider->pieces[k];
    const FbBeamElement* e = piece->element;
    double L = e->beam.length, vector[FB_BEAM_DOF];
    element_vector(s->m, e, q, vector);
    memset(f, 0, FB_BEAM_DOF * sizeof(double));
    if (matrix) {
        memset(matrix, 0, FB_BEAM_DOF * FB_BEAM_DOF * sizeof(double));
    }
    if (k < fb_slider_piece(s, i)) {
        fb_field_add_axial(L, L, P, axis_of(e), vector, e->e0, f, matrix, NULL);
        return;
    }
    double along = s->motion[i].s - piece->start;
    if (!piece->is_reversed) {
        fb_field_add_axial(L, along, P, axis_of(e), vector, e->e0, f, matrix, NULL);
        return;
    }
    fb_field_add_axial(L, L, P, axis_of(e), vector, e->e0, f, matrix, NULL);
    fb_field_add_axial(L, L - along, -P, axis_of(e), vector, e->e0, f, matrix, NULL);
}

double fb_slider_calc_tension(const FbSystem* s, int i, int k) {
    return tension(s, i, &s->m->sliders[i].pieces[k]);
}

void fb_slider_calc_axial_force(FbSystem* s, const double* q, int i, int k, double f[FB_BEAM_DOF]) {
    fb_slider_calc_piece_force(s, q, i, k, tension(s, i, &s->m->sliders[i].pieces[k]), f, NULL);
}

void fb_slider_apply_axial(FbSystem* s, const double* q, int i, const FbSliderState* x) {
    int last = fb_slider_piece(s, i);
    for (int k = 0; k <= last; k++) {
        const FbBeamElement* e = x->slider->pieces[k].element;
        double f[FB_BEAM_DOF];
        fb_slider_calc_axial_force(s, q, i, k, f);
        FbColumns c = fb_beam_field_columns(e);
        fb_columns_add_force(&c, -1.0, f, s->k.tau);
    }
}

// The end of the loaded part moves.
void fb_slider_calc_end_force(FbSystem* s, const double* q, int i, double P,
                              double f[FB_BEAM_DOF]) {
    const FbGuidePiece* piece = &s->m->sliders[i].pieces[fb_slider_piece(s, i)];
    const FbBeamElement* e = piece->element;
    double vector[FB_BEAM_DOF], h[4][4], L = e->beam.length;
    double along = s->motion[i].s - piece->start;
    FbVec3 t = axis_of(e), slope = {0, 0, 0};
    element_vector(s->m, e, q, vector);
    fb_field_calc_shapes(L, (piece->is_reversed ? L - along : along) / L, h);
    for (int j = 0; j < 4; j++) {
        FbVec3 u = fb_sub(fb_vec3_from(vector + 3 * j), fb_vec3_from(e->e0 + 3 * j));
        slope = fb_axpy(h[1][j], u, slope);
    }
    slope = fb_axpy(-fb_dot(t, slope), t, slope);
    for (int j = 0; j < 4; j++) {
        fb_vec3_to(fb_scale(P * h[1][j], slope), f + 3 * j);
    }
}

// How the geometric forces of piece k follow the states of a feedback drive.
static void add_drive(FbSystem* s, const FbPoint* p, int i, int k, const FbSliderState* x,
                      const FbColumns* c, FbBlocks* b) {
    const FbSlider* slider = x->slider;
    size_t mark = s->scratch_used, n_v = (size_t)s->m->tree.n_v;
    double f[FB_BEAM_DOF], d[2], *row = fb_scratch_take(s, (size_t)c->n);
    fb_slider_calc_piece_force(s, p->q, i, k, slider->mass.mass, f,
                               NULL);  // minus d f/ds'': outer() subtracts
    fb_columns_project(c, f, row);
    fb_function_add_gradient(s, p, slider->command, 0.0, 0.0, 1.0, d, &s->gradient);
    fb_block_add_outer(s, c->v, row, c->n, &s->gradient, b);
    fb_gradient_clear(s, &s->gradient);
    if (&slider->pieces[k] == x->piece) {
        fb_slider_calc_end_force(s, p->q, i, tension(s, i, x->piece), f);
        fb_columns_project(c, f, row);
        for (int j = 0; j < c->n; j++) {
            b->Rx[(size_t)slider->state_s * n_v + (size_t)c->v[j]] += row[j];
        }
    }
    s->scratch_used = mark;
}

void fb_slider_add_axial_blocks(FbSystem* s, const FbPoint* p, int i, const FbSliderState* x,
                                FbBlocks* b) {
    int last = fb_slider_piece(s, i);
    for (int k = 0; k <= last; k++) {
        const FbGuidePiece* piece = &x->slider->pieces[k];
        const FbBeamElement* e = piece->element;
        double f[FB_BEAM_DOF], matrix[FB_BEAM_DOF * FB_BEAM_DOF];
        FbColumns c = fb_beam_field_columns(e);
        fb_slider_calc_piece_force(s, p->q, i, k, tension(s, i, piece), f, matrix);
        fb_columns_add_stiffness(s, &c, matrix, b);
        if (x->slider->command >= 0 && !s->are_drives_parked) {
            add_drive(s, p, i, k, x, &c, b);
        }
    }
}

// e' and e'' of an element; gravity does not bend it here.
static void element_motion(const FbBeamElement* e, const double* v, const double* a, double* de,
                           double* dde) {
    memset(de, 0, FB_BEAM_DOF * sizeof(double));
    memset(dde, 0, FB_BEAM_DOF * sizeof(double));
    FbColumns c = fb_beam_field_columns(e);
    fb_columns_add_motion(&c, v, de);
    fb_columns_add_motion(&c, a, dde);
}

// By how much the part of piece k before the mass shortens.
void fb_slider_calc_shortening(FbSystem* s, const double* q, const double* v, const double* a,
                               int i, int k, FbShortening* out) {
    const FbGuidePiece* piece = &s->m->sliders[i].pieces[k];
    const FbBeamElement* e = piece->element;
    double vector[FB_BEAM_DOF], de[FB_BEAM_DOF], dde[FB_BEAM_DOF], L = e->beam.length;
    const FbSliderMotion *m = &s->motion[i], whole = {L, 0.0, 0.0};
    double along = m->s - piece->start;
    bool is_last = k == fb_slider_piece(s, i);
    FbSliderMotion part = {along, m->ds, m->dds}, rest = {L - along, -m->ds, -m->dds};
    element_vector(s->m, e, q, vector);
    element_motion(e, v, a, de, dde);
    fb_field_calc_shortening(L, is_last && !piece->is_reversed ? &part : &whole, axis_of(e), vector,
                             de, dde, e->e0, out);
    if (is_last && piece->is_reversed) {
        FbShortening after;
        fb_field_calc_shortening(L, &rest, axis_of(e), vector, de, dde, e->e0, &after);
        out->value -= after.value;
        out->rate -= after.rate;
        out->acceleration -= after.acceleration;
        out->value_s = after.value_s;  // the part before grows as the rest gets shorter
        for (int j = 0; j < FB_BEAM_DOF; j++) {
            out->value_e[j] -= after.value_e[j];
            out->acceleration_de[j] -= after.acceleration_de[j];
        }
    }
}

// What the shortening adds to the actuator's force, the kinetic and the potential energy
// (eqs. 9.18, 9.19).
void fb_slider_calc_axial(FbSystem* s, const double* q, const double* v, const double* a, int i,
                          FbAxial* out) {
    const FbSlider* slider = &s->m->sliders[i];
    int last = fb_slider_piece(s, i);
    double mass = slider->mass.mass;
    *out = (FbAxial){0};
    for (int k = 0; k <= last; k++) {
        const FbGuidePiece* piece = &slider->pieces[k];
        FbVec3 t = axis_of(piece->element);
        double sign = piece->is_reversed ? -1.0 : 1.0;
        FbShortening D;
        fb_slider_calc_shortening(s, q, v, a, i, k, &D);
        out->shortening += D.value;
        out->shortening_rate += D.rate;
        out->along -= mass * D.acceleration;
        out->along += k == last ? tension(s, i, piece) * D.value_s : 0.0;
        out->kinetic -= mass * s->motion[i].ds * D.rate;
        out->potential += mass * sign * fb_dot(s->m->tree.gravity, t) * D.value;
    }
}
