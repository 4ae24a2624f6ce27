// Section forces of one beam element: elastic and damping forces at its ends, and loads, weight and
// inertia between them (eqs. 8.20, 8.21, 8.22).
#include <string.h>

#include "fem/mat12.h"
#include "system/carriage.h"
#include "system/slider_state.h"

// One section: the end forces of its element, what acts between the ends, and the end that the
// balance is made with.
typedef struct Section {
    const FbBeamElement* e;
    double at;
    FbMat3 R;
    double f[FB_BEAM_DOF];
    FbBeamLoad load;
    double E[FB_BEAM_DOF * FB_BEAM_DOF];  // linear theory
    double shape[FB_BEAM_DOF];            // linear theory: displacements of the field
    bool from_b;
} Section;

// Force per length against the motion of the field: -mu (r'' - g + alpha r').
static void resist_motion(const FbBeam* beam, const double* de, const double* dde, double* p) {
    for (int i = 0; !beam->is_lumped && i < FB_BEAM_DOF; i++) {
        p[i] = -beam->mass_per_length * (dde[i] + beam->alpha * de[i]);
    }
}

// The rotary inertia of large rotations, which the element has at its ends, counts as a moment per
// length that is linear between them.
static void spread_turning(const FbBeam* beam, const FbPort port[2], Section* x) {
    FbPortForces out;
    FbBeam rotary = *beam;
    rotary.mass_per_length = 0.0;
    memset(out.f, 0, sizeof(out.f));
    fb_beam_add_inertia(&rotary, port, false, &out, NULL, NULL);
    x->load.couple[0] = fb_scale(-2.0 / beam->length, fb_vec3_from(out.f + 3));
    x->load.couple[2] = fb_scale(-2.0 / beam->length, fb_vec3_from(out.f + 9));
    x->load.couple[1] = fb_scale(0.5, fb_add(x->load.couple[0], x->load.couple[2]));
}

// Lumped masses sit at the nodes, outside all sections.
static void begin_large(FbSystem* s, Section* x) {
    FbPort port[2];
    FbPortForces out;
    FbBeamField field;
    const FbBeam* beam = &x->e->beam;
    memset(out.f, 0, sizeof(out.f));
    fb_beam_realize_ports(s, x->e, port);
    fb_beam_add_elastic(beam, port, false, &out, NULL, NULL);
    if (!beam->is_lumped) {
        fb_beam_add_inertia(beam, port, false, &out, NULL, NULL);
        spread_turning(beam, port, x);
    }
    fb_field_calc(port, &field);
    memcpy(x->f, out.f, sizeof(x->f));
    memcpy(x->load.e, field.e, sizeof(field.e));
    resist_motion(beam, field.de, field.dde, x->load.p);
    x->R = fb_beam_calc_section_axes(port, x->at);
}

// Rotary inertia of the sections, a moment per length.
static void resist_turning(const FbBeam* beam, const double* v, const double* a, Section* x) {
    double de[FB_BEAM_DOF] = {0}, dde[FB_BEAM_DOF] = {0};
    const FbMat3* R = &x->e->base.R_drawn;
    const double j[3] = {beam->inertia_x, beam->inertia_y, beam->inertia_z};
    fb_mat12_add_product(x->E, v, de);
    fb_mat12_add_product(x->E, a, dde);
    for (int i = 0; !beam->is_lumped && i < 3; i++) {
        FbVec3 rate = fb_beam_calc_rotation(beam->length, R, v, de, 0.5 * i);
        FbVec3 turn = fb_beam_calc_rotation(beam->length, R, a, dde, 0.5 * i);
        turn = fb_mul3_transposed(R, fb_axpy(beam->alpha, rate, turn));
        FbVec3 m = fb_vec3(-j[0] * turn.x, -j[1] * turn.y, -j[2] * turn.z);
        x->load.couple[i] = fb_mul3(R, m);
    }
}

static void begin_linear(FbSystem* s, const FbPoint* p, Section* x) {
    const FbBeam* beam = &x->e->beam;
    double A[FB_BEAM_DOF * FB_BEAM_DOF], d[FB_BEAM_DOF] = {0}, v[FB_BEAM_DOF] = {0},
                                         a[FB_BEAM_DOF] = {0};
    double de[FB_BEAM_DOF] = {0}, dde[FB_BEAM_DOF] = {0};
    FbColumns c = fb_beam_end_columns(x->e);
    fb_columns_add_displacement(s->m, &c, p->q, d);
    fb_columns_add_motion(&c, p->v, v);
    fb_columns_add_motion(&c, p->a, a);
    fb_beam_calc_linear_field(x->e, x->E, x->load.e);
    fb_mat12_add_product(x->E, d, x->shape);
    resist_turning(beam, v, a, x);
    for (int end = 0; end < FB_BEAM_DOF; end += 6) {
        fb_vec3_to(fb_sub(fb_vec3_from(a + end), s->m->tree.gravity), a + end);
    }
    fb_mat12_add_product(x->E, v, de);
    fb_mat12_add_product(x->E, a, dde);
    resist_motion(beam, de, dde, x->load.p);
    for (int i = 0; i < FB_BEAM_DOF; i++) {
        d[i] += beam->beta * v[i];
        a[i] += beam->alpha * v[i];
    }
    fb_beam_calc_stiffness(beam, A);
    fb_beam_turn_matrix(&x->e->base.R_drawn, A);
    fb_mat12_add_product(A, d, x->f);
    if (!beam->is_lumped) {
        fb_beam_calc_mass(beam, A);
        fb_beam_turn_matrix(&x->e->base.R_drawn, A);
        fb_mat12_add_product(A, a, x->f);
    }
    x->R = x->e->base.R_drawn;
}

// Forces dual to the field, brought to the ends.
static void add_field_force(FbSystem* s, const double* f, Section* x) {
    double at_ends[FB_BEAM_DOF] = {0};
    if (x->e->is_linear) {
        fb_mat12_mul_transposed(x->E, f, at_ends);
    } else {
        FbPort port[2];
        fb_beam_realize_ports(s, x->e, port);
        fb_field_add_to_ends(port, f, at_ends);
    }
    for (int i = 0; i < FB_BEAM_DOF; i++) {
        x->f[i] += at_ends[i];
    }
}

static void add_line_load(FbSystem* s, const FbPoint* p, Section* x) {
    double f[FB_BEAM_DOF];
    fb_beam_calc_load(s, p, x->e, f);
    add_field_force(s, f, x);
    FbVec3 q = fb_scale(-2.0 / x->e->beam.length, fb_vec3_from(f));  // (eq. 8.33)
    for (int end = 0; end < FB_BEAM_DOF; end += 6) {
        fb_vec3_to(fb_add(fb_vec3_from(x->load.p + end), q), x->load.p + end);
    }
}

// Is slider i on the element now? Then its place, from end A.
static bool is_carried(const FbSystem* s, const Section* x, int i, double* place) {
    const FbSlider* slider = &s->m->sliders[i];
    if (slider->n_pieces == 0) {
        return false;
    }
    const FbGuidePiece* piece = &slider->pieces[fb_slider_piece(s, i)];
    double along = s->motion[i].s - piece->start;
    *place = piece->is_reversed ? x->e->beam.length - along : along;
    return piece->element == x->e;
}

// The balance is made with the part that carries no slider.
static bool is_from_b(const FbSystem* s, const Section* x) {
    bool has_before = false, has_beyond = false;
    for (int i = 0; i < s->m->n_sliders; i++) {
        double place;
        if (is_carried(s, x, i, &place)) {
            has_before = has_before || place < x->at * x->e->beam.length;
            has_beyond = has_beyond || place >= x->at * x->e->beam.length;
        }
    }
    return has_before && !has_beyond;
}

static void add_slider(FbSystem* s, const FbPoint* p, int i, Section* x) {
    double place;
    if (!is_carried(s, x, i, &place)) {
        return;
    }
    FbSliderState state;
    fb_slider_state_calc(s, p->q, p->v, p->a, i, false, &state);
    if (state.is_linear) {
        add_field_force(s, state.f, x);
    } else {
        for (int k = 0; k < FB_BEAM_DOF; k++) {
            x->f[k] += state.f[k];
        }
    }
    int carriage = s->m->sliders[i].carriage;
    if (carriage >= 0) {  // its load
        FbVec3 guide[FB_GUIDE_VECTORS];
        double own[6], f[FB_BEAM_DOF];
        fb_carriage_calc_forces(&s->carriages[carriage], guide, own);
        fb_guide_frame_calc_ends(&s->carriages[carriage].guide, guide, f);
        for (int k = 0; k < FB_BEAM_DOF; k++) {
            x->f[k] += f[k];
        }
        state.contact = fb_add(state.contact, fb_carriage_calc_contact(s, carriage));
    }
    if (!x->from_b && place < x->at * x->e->beam.length) {  // sliders on both sides
        FbVec3 M = fb_cross(fb_sub(state.position, fb_vec3_from(x->load.e)), state.contact);
        fb_vec3_to(fb_add(fb_vec3_from(x->f), state.contact), x->f);
        fb_vec3_to(fb_add(fb_vec3_from(x->f + 3), M), x->f + 3);
    }
}

// The axial reaction of a driven slider on a line that is bent: per length its moment is w' x P t.
static void add_axial(FbSystem* s, const FbPoint* p, int i, Section* x) {
    const FbSlider* slider = &s->m->sliders[i];
    int last = fb_slider_piece(s, i);
    FbVec3 t = fb_mat3_col(&x->e->base.R_drawn, 0);
    for (int k = 0; k <= last; k++) {
        const FbGuidePiece* piece = &slider->pieces[k];
        if (piece->element != x->e) {
            continue;
        }
        double f[FB_BEAM_DOF], P = fb_slider_calc_tension(s, i, k);
        P += slider->carriage >= 0 ? fb_carriage_calc_pull(s, slider->carriage) : 0.0;
        fb_slider_calc_piece_force(s, p->q, i, k, P, f, NULL);
        add_field_force(s, f, x);
        for (int at = 0; at < 3 && (k < last || x->from_b == piece->is_reversed); at++) {
            double h[4][4];
            FbVec3 slope = {0, 0, 0};
            fb_field_calc_shapes(x->e->beam.length, 0.5 * at, h);
            for (int j = 0; j < 4; j++) {
                slope = fb_axpy(h[1][j], fb_vec3_from(x->shape + 3 * j), slope);
            }
            x->load.couple[at] = fb_axpy(P, fb_cross(slope, t), x->load.couple[at]);
        }
    }
}

void fb_beam_calc_section(FbSystem* s, const FbPoint* p, const FbBeamElement* e, double at,
                          double forces[6]) {
    Section x = {.e = e, .at = at, .load.length = e->beam.length};
    fb_sliders_realize(s, p);
    x.from_b = is_from_b(s, &x);
    if (e->is_linear) {
        begin_linear(s, p, &x);
    } else {
        begin_large(s, &x);
    }
    if (fb_beam_has_load(e)) {
        add_line_load(s, p, &x);
    }
    for (int i = 0; i < s->m->n_sliders; i++) {
        add_slider(s, p, i, &x);
        if (s->m->sliders[i].mass.theory == FB_SLIDER_LINEAR_CONSISTENT) {
            add_axial(s, p, i, &x);
        }
    }
    fb_beam_calc_section_forces(&x.load, &x.R, x.f, at, x.from_b, forces);
}
