// Forces of structures on the links that carry them, instead of along the coordinates: what the
// reactions of joints are made of (eq. 8.39).
//
// The linear theory states its equations along coordinates; a clamped node has none, and yet its
// joint holds the beam. Everything that beams and sliders put along coordinates is taken
// back there and pushed on the links. Loads of beams with large rotations are treated alike.
#include <string.h>

#include "fem/mat12.h"
#include "system/carriage.h"
#include "system/slider_state.h"

static void multiply(const double* A, const double* x, double factor, double* out) {
    for (int i = 0; i < FB_DOF; i++) {
        for (int j = 0; j < FB_DOF; j++) {
            out[i] += factor * A[i * FB_DOF + j] * x[j];
        }
    }
}

// The element resists with f, which was applied as -columns' f.
static void move(FbSystem* s, const FbBeamElement* e, const FbColumns* c, const double* f) {
    FbPort port[2];
    fb_columns_add_force(c, 1.0, f, s->k.tau);
    fb_beam_realize_ports(s, e, port);
    for (int side = 0; side < 2; side++) {
        fb_port_push(s, &e->end[side], f + 6 * side);
    }
}

// Forces dual to the field of a linear element, brought to its ends.
static void move_field(FbSystem* s, const FbBeamElement* e, const double* f) {
    double E[FB_DOF * FB_DOF], e0[FB_DOF], at_ends[FB_DOF];
    fb_beam_calc_linear_field(e, E, e0);
    fb_mat12_mul_transposed(E, f, at_ends);
    FbColumns c = fb_beam_end_columns(e);
    move(s, e, &c, at_ends);
}

// M a + C v + K d and the weight of one element.
static void move_linear(FbSystem* s, const FbPoint* p, const double* a, const FbBeamElement* e) {
    double A[FB_DOF * FB_DOF], f[FB_DOF] = {0}, x[FB_DOF] = {0}, rate[FB_DOF] = {0};
    FbVec3 up = fb_scale(-1.0, s->m->tree.gravity);
    FbColumns c = fb_beam_end_columns(e);
    fb_vec3_to(up, x);
    fb_vec3_to(up, x + 6);
    fb_columns_add_motion(&c, a, x);
    fb_columns_add_motion(&c, p->v, rate);
    fb_beam_calc_mass(&e->beam, A);
    fb_beam_turn_matrix(&e->R_drawn, A);
    multiply(A, x, 1.0, f);
    multiply(A, rate, e->beam.alpha, f);
    memset(x, 0, sizeof(x));
    fb_columns_add_displacement(s->m, &c, p->q, x);
    fb_beam_calc_stiffness(&e->beam, A);
    fb_beam_turn_matrix(&e->R_drawn, A);
    multiply(A, x, 1.0, f);
    multiply(A, rate, e->beam.beta, f);
    move(s, e, &c, f);
}

static void move_load(FbSystem* s, const FbPoint* p, const FbBeamElement* e) {
    FbPort port[2];
    double f[FB_DOF], at_ends[FB_DOF];
    fb_beam_calc_load(s, p, e, f);
    if (e->is_linear) {
        move_field(s, e, f);
        return;
    }
    FbBeamField field;
    fb_beam_realize_ports(s, e, port);
    fb_field_calc(port, &field);
    fb_mat12_mul_transposed(field.J, f, at_ends);
    FbColumns c = fb_ports_calc_columns(s, &e->path, &e->end[0], &e->end[1], true);
    move(s, e, &c, at_ends);
}

static void move_slider(FbSystem* s, const FbPoint* p, const double* a, int i) {
    FbSliderState x;
    fb_slider_state_calc(s, p->q, p->v, a, i, false, &x);
    if (!x.is_linear) {
        return;
    }
    move_field(s, x.element, x.f);
    if (x.slider->mass.theory == FB_SLIDER_LINEAR_CONSISTENT) {
        for (int k = 0; k <= fb_slider_piece(s, i); k++) {
            double f[FB_DOF];
            fb_slider_calc_axial_force(s, p->q, i, k, f);
            move_field(s, &s->m->beams[x.slider->pieces[k].beam], f);
        }
    }
}

void fb_carriages_move_to_links(FbSystem* s, const double* q) {
    for (int i = 0; i < s->m->n_carriages; i++) {
        const FbCarriageState* x = &s->carriages[i];
        const FbSlider* slider = &s->m->sliders[s->m->carriages[i].slider];
        if (!x->element || !x->element->is_linear) {
            continue;
        }
        FbVec3 guide[FB_GUIDE_VECTORS];
        double f[FB_DOF], own[6], pull = fb_carriage_calc_pull(s, i);
        FbColumns c = fb_beam_end_columns(x->element);
        fb_carriage_calc_forces(x, guide, own);
        fb_guide_frame_calc_ends(&x->guide, guide, f);
        move(s, x->element, &c, f);
        for (int k = 0; pull != 0.0 && k <= fb_slider_piece(s, s->m->carriages[i].slider); k++) {
            fb_slider_calc_piece_force(s, q, s->m->carriages[i].slider, k, pull, f, NULL);
            move_field(s, &s->m->beams[slider->pieces[k].beam], f);
        }
    }
}

void fb_beams_move_to_links(FbSystem* s, const FbPoint* p, const double* a) {
    const FbModel* m = s->m;
    for (int i = 0; i < m->n_beams; i++) {
        const FbBeamElement* e = &m->beams[i];
        if (e->is_linear) {
            move_linear(s, p, a, e);
        }
        if (fb_beam_has_load(e)) {
            move_load(s, p, e);
        }
    }
}

void fb_sliders_move_to_links(FbSystem* s, const FbPoint* p, const double* a) {
    for (int i = 0; i < s->m->n_sliders; i++) {
        move_slider(s, p, a, i);
    }
}
