// One slider at one point: element, motion along it, and forces brought to the element's ends.
#include "system/slider_state.h"

#include <string.h>

#include "fem/mat12.h"
#include "system/guide_spline.h"

// s, s', s'' along the whole guide.
FbSliderMotion fb_slider_motion(FbSystem* s, const FbPoint* p, const FbSlider* slider) {
    if (slider->law >= 0) {
        double law[3];
        fb_law_now(s, slider->law, p->t, law);
        return s->is_parked ? (FbSliderMotion){law[0], 0.0, 0.0}
                            : (FbSliderMotion){law[0], law[1], law[2]};
    }
    if (slider->command >= 0 && s->are_drives_parked) {
        return (FbSliderMotion){p->x[slider->state_s], 0.0, 0.0};
    }
    if (slider->command >= 0) {
        return (FbSliderMotion){p->x[slider->state_s], p->x[slider->state_v],
                                fb_function_calc(s, p, slider->command, 0.0, 0.0)};
    }
    return (FbSliderMotion){p->q[slider->coordinate_q], p->v[slider->coordinate_v], 0.0};
}

void fb_sliders_realize(FbSystem* s, const FbPoint* p) {
    for (int i = 0; i < s->m->n_sliders; i++) {
        s->motion[i] = fb_slider_motion(s, p, &s->m->sliders[i]);
    }
}

// Where the sliders start: before there is a point, for the mass that they give to the drawing.
void fb_sliders_draw(FbSystem* s) {
    const FbModel* m = s->m;
    for (int i = 0; i < m->n_sliders; i++) {
        const FbSlider* slider = &m->sliders[i];
        double law[3] = {0.0, 0.0, 0.0};
        if (slider->law >= 0) {
            fb_law_now(s, slider->law, m->settings.start, law);
        } else if (slider->command >= 0) {
            law[0] = m->states[slider->state_s].initial;
            law[1] = m->states[slider->state_v].initial;
        } else {
            law[0] = m->q_drawn[slider->coordinate_q];
        }
        s->motion[i] = (FbSliderMotion){law[0], law[1], law[2]};
    }
}

void fb_system_park_sliders(FbSystem* s) {
    s->is_parked = true;
}

bool fb_system_get_law_of_slider(const FbSystem* s, int i, double t, double motion[3]) {
    if (i < 0 || i >= s->m->n_sliders || s->m->sliders[i].law < 0) {
        return false;
    }
    fb_law_now(s, s->m->sliders[i].law, t, motion);
    return true;
}

void fb_system_calc_slides(FbSystem* s, const FbPoint* p, double* slides) {
    fb_sliders_realize(s, p);
    for (int i = 0; i < s->m->n_sliders; i++) {
        slides[i] = s->motion[i].s;
    }
}

static double piece_length(const FbSlider* slider, int piece) {
    return slider->pieces[piece].element->beam.length;
}

// Of the guide's length: s and a border are one place, rounding apart.
static const double AT_BORDER = 1e-12;

// The piece that holds s; at a border the one that the slider moves into.
static int locate(const FbSlider* slider, const FbSliderMotion* motion) {
    int lo = 0, hi = slider->n_pieces - 1;
    while (lo < hi) {
        int middle = (lo + hi + 1) / 2;
        double start = slider->pieces[middle].start, near = AT_BORDER * slider->length;
        bool is_beyond = motion->s > start + near ||
                         (motion->s > start - near &&
                          (motion->ds > 0.0 || (motion->ds == 0.0 && motion->dds >= 0.0)));
        if (is_beyond) {
            lo = middle;
        } else {
            hi = middle - 1;
        }
    }
    return lo;
}

int fb_slider_piece(const FbSystem* s, int i) {
    return s->piece[i] >= 0 ? s->piece[i] : locate(&s->m->sliders[i], &s->motion[i]);
}

void fb_sliders_begin(FbSystem* s, const FbPoint* p) {
    fb_sliders_realize(s, p);
    for (int i = 0; i < s->m->n_sliders; i++) {
        const FbSlider* slider = &s->m->sliders[i];
        s->piece[i] = slider->n_pieces > 0 ? locate(slider, &s->motion[i]) : 0;
        s->largest_share[i] = 0.0;
    }
}

// Counts the borders passed: piece number plus fraction, continuous in s.
double fb_slider_count(const FbSystem* s, int i) {
    const FbSlider* slider = &s->m->sliders[i];
    if (slider->n_pieces == 0) {
        return s->motion[i].s / slider->length;
    }
    int k = locate(slider, &s->motion[i]);
    return k + (s->motion[i].s - slider->pieces[k].start) / piece_length(slider, k);
}

// Changes its sign where the slider leaves its piece, and keeps it when the next one is taken. A
// little beyond the border, so that a slider that starts there, or stops at an end of its guide,
// has not left.
double fb_slider_calc_root(FbSystem* s, const FbPoint* p, int i) {
    const double beyond = 1e-10, beyond_end = 4e-9;  // of a piece; ends: of the guide
    const FbSlider* slider = &s->m->sliders[i];
    s->motion[i] = fb_slider_motion(s, p, slider);
    int n = slider->n_pieces > 0 ? slider->n_pieces : 1;
    int piece = slider->n_pieces > 0 ? fb_slider_piece(s, i) : 0;
    double start = slider->n_pieces > 0 ? slider->pieces[piece].start : 0.0;
    double length = slider->n_pieces > 0 ? piece_length(slider, piece) : slider->length;
    double end = beyond_end * slider->length / length;
    double x = (s->motion[i].s - start) / length;
    double inside = (x + (piece == 0 ? end : beyond)) * (1.0 - x + (piece == n - 1 ? end : beyond));
    return piece % 2 ? -inside : inside;
}

// Motion along the element itself; a reversed piece is travelled from B to A.
static FbSliderMotion local_motion(const FbSystem* s, int i, const FbSliderState* x, double dds) {
    FbSliderMotion m = s->motion[i];
    double along = m.s - x->piece->start;
    if (x->piece->is_reversed) {
        return (FbSliderMotion){x->element->beam.length - along, -m.ds, -dds};
    }
    return (FbSliderMotion){along, m.ds, dds};
}

static void copy_scalars(const FbSliderForces* o, double sign, FbSliderState* x) {
    x->along = sign * o->along;
    x->along_s = o->along_s;
    x->along_ds = o->along_ds;
    x->along_dds = o->along_dds;
    x->contact = o->contact;
    x->position = o->position;
    x->velocity = o->velocity;
    x->kinetic = o->kinetic;
}

// Derivatives with respect to s' and so on where the piece is travelled backwards: both the
// direction of s and of the force along it turn round, so that second powers stay.
static void turn_round(double sign, FbSliderState* x) {
    for (int i = 0; i < FB_BEAM_DOF; i++) {
        x->f_s[i] *= sign;
        x->f_ds[i] *= sign;
        x->f_dds[i] *= sign;
        x->along_q[i] *= sign;
        x->along_v[i] *= sign;
        x->along_a[i] *= sign;
    }
}

// e and e' by displacements from the drawing.
static FbColumns realize_linear_field(FbSystem* s, const double* q, const double* v,
                                      FbSliderState* x) {
    FbColumns c = fb_beam_field_columns(x->element);
    memset(x->de, 0, sizeof(x->de));
    memcpy(x->e, x->element->e0, sizeof(x->e));
    x->origin = x->element->p_drawn[0];
    fb_columns_add_displacement(s->m, &c, q, x->e);
    fb_columns_add_motion(&c, v, x->de);
    return c;
}

// e, e', e'' and the place they count from: in the linear theory by displacements from the drawing.
static void realize_field(FbSystem* s, const double* q, const double* v, const double* a,
                          FbSliderState* x, double dde[FB_BEAM_DOF]) {
    const FbBeamElement* e = x->element;
    if (!x->is_linear) {
        x->origin = fb_guide_spline_realize(s, e, x->e, x->de, dde);
        return;
    }
    FbColumns c = realize_linear_field(s, q, v, x);
    memset(dde, 0, sizeof(x->de));
    fb_columns_add_motion(&c, a, dde);
    for (int end = 0; end < FB_BEAM_DOF; end += 6) {
        fb_vec3_to(fb_sub(fb_vec3_from(dde + end), s->m->tree.gravity), dde + end);
    }
}

static void calc_on_field(FbSystem* s, const double* q, const double* v, const double* a,
                          const FbSliderMotion* motion, bool has_blocks, double sign,
                          FbSliderState* x) {
    double dde[FB_BEAM_DOF];
    FbSliderForces o;
    realize_field(s, q, v, a, x, dde);
    fb_slider_calc(&x->slider->mass, x->element->beam.length, x->e, x->de, dde, s->m->tree.gravity,
                   motion, has_blocks, &o);
    memcpy(x->f, o.f, sizeof(x->f));
    memcpy(x->coriolis, o.coriolis, sizeof(x->coriolis));
    copy_scalars(&o, sign, x);
    if (has_blocks) {
        memcpy(x->M, o.f_dde, sizeof(x->M));
        memcpy(x->C, o.f_de, sizeof(x->C));
        memcpy(x->K, o.f_e, sizeof(x->K));
        memcpy(x->f_s, o.f_s, sizeof(x->f_s));
        memcpy(x->f_ds, o.f_ds, sizeof(x->f_ds));
        memcpy(x->f_dds, o.f_dds, sizeof(x->f_dds));
        memcpy(x->along_q, o.along_e, sizeof(x->along_q));
        memcpy(x->along_v, o.along_de, sizeof(x->along_v));
        memcpy(x->along_a, o.along_dde, sizeof(x->along_a));
        turn_round(sign, x);
    }
}

// The equation along the guide by the poses and motions of the ends, as fb_field_add_force does it
// for forces.
static void bring_along_to_ends(const FbBeamField* field, const FbSliderForces* o,
                                FbSliderState* x) {
    double de_q[FB_BEAM_DOF * FB_BEAM_DOF], dde_q[FB_BEAM_DOF * FB_BEAM_DOF],
        dde_v[FB_BEAM_DOF * FB_BEAM_DOF];
    fb_field_calc_derivatives(x->port, de_q, dde_q, dde_v);
    fb_mat12_mul_transposed(field->J, o->along_dde, x->along_a);
    for (int j = 0; j < FB_BEAM_DOF; j++) {
        x->along_q[j] = x->along_v[j] = 0.0;
        for (int i = 0; i < FB_BEAM_DOF; i++) {
            int at = i * FB_BEAM_DOF + j;
            x->along_v[j] += o->along_de[i] * field->J[at] + o->along_dde[i] * dde_v[at];
            x->along_q[j] += o->along_e[i] * field->J[at] + o->along_de[i] * de_q[at] +
                             o->along_dde[i] * dde_q[at];
        }
    }
}

static void bring_to_ends(const FbBeamField* field, const FbSliderForces* o, bool has_blocks,
                          FbSliderState* x) {
    FbPortForces out;
    FbFieldForce force = {.f = o->f, .f_e = o->f_e, .f_de = o->f_de, .f_dde = o->f_dde};
    memset(&out, 0, has_blocks ? sizeof(out) : sizeof(out.f));
    fb_field_add_force(x->port, &force, has_blocks, &out);
    memcpy(x->f, out.f, sizeof(x->f));
    if (!has_blocks) {
        return;
    }
    memcpy(x->M, out.M, sizeof(x->M));
    memcpy(x->C, out.C, sizeof(x->C));
    memcpy(x->K, out.K, sizeof(x->K));
    fb_mat12_mul_transposed(field->J, o->f_s, x->f_s);
    fb_mat12_mul_transposed(field->J, o->f_ds, x->f_ds);
    fb_mat12_mul_transposed(field->J, o->f_dds, x->f_dds);
    if (x->slider->coordinate_v >= 0) {
        bring_along_to_ends(field, o, x);
    }
}

static void calc_nonlinear(FbSystem* s, const FbSliderMotion* motion, bool has_blocks, double sign,
                           FbSliderState* x) {
    const FbBeamElement* e = x->element;
    FbBeamField field;
    FbSliderForces o;
    x->end[0] = &e->end[0];
    x->end[1] = &e->end[1];
    x->n_ends = 2;
    x->origin = fb_beam_realize_ports(s, e, x->port);
    fb_field_calc(x->port, &field);
    fb_slider_calc(&x->slider->mass, e->beam.length, field.e, field.de, field.dde,
                   s->m->tree.gravity, motion, has_blocks, &o);
    fb_mat12_mul_transposed(field.J, o.coriolis, x->coriolis);
    copy_scalars(&o, sign, x);
    bring_to_ends(&field, &o, has_blocks, x);
    if (has_blocks) {
        turn_round(sign, x);
    }
}

static void calc_on_curve(FbSystem* s, const FbSliderMotion* motion, bool has_blocks,
                          FbSliderState* x) {
    const FbSlider* slider = x->slider;
    FbCurveForces o;
    x->n_ends = 1;
    x->end[0] = &slider->on;
    fb_port_realize(s, &slider->on, &x->port[0]);
    x->origin = x->port[0].p;
    x->port[0].p = fb_vec3(0, 0, 0);
    memset(&x->port[1], 0, sizeof(x->port[1]));
    memset(&o.port, 0, sizeof(o.port));  // the second end stays empty
    fb_curve_slider_calc(&slider->mass, slider->curve, &x->port[0], motion, has_blocks, &o);
    memset(x->f, 0, sizeof(x->f));
    memset(x->coriolis, 0, sizeof(x->coriolis));
    memcpy(x->f, o.port.f, 6 * sizeof(double));
    x->along = o.along;
    x->along_s = o.along_s;
    x->along_ds = o.along_ds;
    x->along_dds = o.along_dds;
    x->contact = o.contact;
    x->position = o.position;
    x->velocity = o.velocity;
    x->kinetic = o.kinetic;
    if (!has_blocks) {
        return;
    }
    memcpy(x->M, o.port.M, sizeof(x->M));
    memcpy(x->C, o.port.C, sizeof(x->C));
    memcpy(x->K, o.port.K, sizeof(x->K));
    double* to[6] = {x->f_s, x->f_ds, x->f_dds, x->along_q, x->along_v, x->along_a};
    const double* from[6] = {o.f_s,        o.f_ds,           o.f_dds,
                             o.along_pose, o.along_velocity, o.along_acceleration};
    for (int i = 0; i < 6; i++) {
        memset(to[i], 0, FB_BEAM_DOF * sizeof(double));
        memcpy(to[i], from[i], 6 * sizeof(double));
    }
}

// Where on its guide slider i is; false: on a curve.
static bool find_place(FbSystem* s, const double* a, int i, FbSliderState* x) {
    const FbSlider* slider = &s->m->sliders[i];
    double dds = slider->coordinate_v >= 0 ? a[slider->coordinate_v] : s->motion[i].dds;
    s->motion[i].dds = dds;
    x->slider = slider;
    x->element = NULL;
    x->piece = NULL;
    x->is_linear = x->is_field = false;
    if (slider->n_pieces == 0) {
        return false;
    }
    x->piece = &slider->pieces[fb_slider_piece(s, i)];
    x->element = x->piece->element;
    x->is_linear = x->element->is_linear;
    x->is_field = x->is_linear || x->element->spline;
    x->local = local_motion(s, i, x, dds);
    return true;
}

void fb_slider_state_calc(FbSystem* s, const double* q, const double* v, const double* a, int i,
                          bool has_blocks, FbSliderState* x) {
    if (!find_place(s, a, i, x)) {
        FbSliderMotion m = s->motion[i];
        calc_on_curve(s, &m, has_blocks, x);
        return;
    }
    double sign = x->piece->is_reversed ? -1.0 : 1.0;
    if (x->is_field) {
        calc_on_field(s, q, v, a, &x->local, has_blocks, sign, x);
    } else {
        calc_nonlinear(s, &x->local, has_blocks, sign, x);
    }
}

void fb_slider_state_calc_along(FbSystem* s, const FbPoint* p, int i, FbSliderState* x) {
    if (!find_place(s, p->a, i, x) || !x->is_linear ||
        !fb_slider_has_quick_parts(&x->slider->mass)) {
        fb_slider_state_calc(s, p->q, p->v, p->a, i, false, x);
        return;
    }
    realize_linear_field(s, p->q, p->v, x);
    double along = fb_slider_calc_along(&x->slider->mass, x->element->beam.length, x->e, x->de,
                                        s->m->tree.gravity, &x->local);
    x->along = x->piece->is_reversed ? -along : along;
}
