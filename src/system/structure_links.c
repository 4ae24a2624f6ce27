// Forces of structures on the links that carry them, instead of along the coordinates: the basis of
// the reactions of joints (eq. 8.39).
//
// The linear theory states its equations along coordinates; a clamped node has none, and yet its
// joint holds the beam. Everything that beams and sliders put along coordinates is taken
// back there and pushed on the links: of elements in linear_structures.c, of loads, sliders and
// carriages here. Loads of beams with large rotations are treated in the same way.
#include "fem/mat12.h"
#include "system/carriage.h"
#include "system/guide_spline.h"
#include "system/slider_state.h"

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
    double E[FB_BEAM_DOF * FB_BEAM_DOF], e0[FB_BEAM_DOF], at_ends[FB_BEAM_DOF];
    if (e->spline) {
        FbColumns field = fb_beam_field_columns(e);
        fb_columns_add_force(&field, 1.0, f, s->k.tau);
        fb_guide_spline_push(s, e, f);
        return;
    }
    fb_beam_calc_linear_field(e, E, e0);
    fb_mat12_mul_transposed(E, f, at_ends);
    FbColumns c = fb_beam_end_columns(e);
    move(s, e, &c, at_ends);
}

static void move_load(FbSystem* s, const FbPoint* p, const FbBeamElement* e) {
    FbPort port[2];
    double f[FB_BEAM_DOF], at_ends[FB_BEAM_DOF];
    fb_beam_calc_load(s, p, e, f);
    if (e->is_linear) {
        move_field(s, e, f);
        return;
    }
    FbBeamField field;
    fb_beam_realize_ports(s, e, port);
    fb_field_calc(port, &field);
    fb_mat12_mul_transposed(field.J, f, at_ends);
    FbColumns c = fb_ports_calc_columns(s, &e->base.path, &e->end[0], &e->end[1], true);
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
            double f[FB_BEAM_DOF];
            fb_slider_calc_axial_force(s, p->q, i, k, f);
            move_field(s, x.slider->pieces[k].element, f);
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
        double f[FB_BEAM_DOF], own[6], pull = fb_carriage_calc_pull(s, i);
        FbColumns c = fb_beam_end_columns(x->element);
        fb_carriage_calc_forces(x, guide, own);
        fb_guide_frame_calc_ends(&x->guide, guide, f);
        if (x->element->spline) {
            move_field(s, x->element, f);
            fb_guide_frame_calc_moments(&x->guide, guide, f);
        }
        move(s, x->element, &c, f);
        for (int k = 0; pull != 0.0 && k <= fb_slider_piece(s, s->m->carriages[i].slider); k++) {
            fb_slider_calc_piece_force(s, q, s->m->carriages[i].slider, k, pull, f, NULL);
            move_field(s, slider->pieces[k].element, f);
        }
    }
}

void fb_beams_move_to_links(FbSystem* s, const FbPoint* p, const double* a) {
    (void)a;
    for (int i = 0; i < s->m->n_beams; i++) {
        if (fb_beam_has_load(&s->m->beams[i])) {
            move_load(s, p, &s->m->beams[i]);
        }
    }
}

void fb_sliders_move_to_links(FbSystem* s, const FbPoint* p, const double* a) {
    for (int i = 0; i < s->m->n_sliders; i++) {
        move_slider(s, p, a, i);
    }
}
