// A slider passes from one element of its guide to the next.
//
// The centre line is smooth there except for its stretch: dr/ds jumps where the axial force does,
// and so does the velocity of the mass along the guide. No force acts long enough to change the
// momenta of the coordinates, p = dT/dv, so the velocities jump a little (eqs. 9.29, 9.35); the
// actuator's impulse does the work that is then missing or left, and a free slider keeps its
// energy.
#include <math.h>
#include <string.h>

#include "system/guide_spline.h"
#include "system/slider_state.h"

// What N e' + s' N_s e and its derivative along the element give, dual to e.
static void momentum_of_field(const FbSliderMass* mass, double length, const FbSliderMotion* motion,
                              const double* e, const double* de, double* p) {
    double h[4][4];
    FbVec3 velocity = {0, 0, 0}, turn = {0, 0, 0};
    fb_field_calc_shapes(length, motion->s / length, h);
    for (int i = 0; i < 4; i++) {
        FbVec3 ei = fb_vec3_from(e + 3 * i), di = fb_vec3_from(de + 3 * i);
        velocity = fb_add(velocity, fb_axpy(h[0][i], di, fb_scale(motion->ds * h[1][i], ei)));
        turn = fb_add(turn, fb_axpy(h[1][i], di, fb_scale(motion->ds * h[2][i], ei)));
    }
    if (mass->is_transverse) {
        velocity = fb_axpy(-fb_dot(mass->axis, velocity), mass->axis, velocity);
        turn = fb_axpy(-fb_dot(mass->axis, turn), mass->axis, turn);
    }
    for (int i = 0; i < 4; i++) {
        fb_vec3_to(fb_add(fb_scale(mass->mass * h[0][i], velocity),
                          fb_scale(mass->rotary * h[1][i], turn)),
                   p + 3 * i);
    }
}

// Adds sign times the slider's momenta of all coordinates but its own.
static void add_momenta(FbSystem* s, const FbPoint* p, int i, double sign, double* out) {
    FbSliderState x;
    double m[FB_BEAM_DOF], ends[FB_BEAM_DOF] = {0};
    fb_slider_state_calc(s, p->q, p->v, s->zero_v, i, false, &x);
    const FbBeamElement* e = x.element;
    FbColumns c;
    if (x.is_field) {
        momentum_of_field(&x.slider->mass, e->beam.length, &x.local, x.e, x.de, m);
        c = fb_guide_field_columns(s, e, true);
    } else {
        FbBeamField field;
        fb_field_calc(x.port, &field);
        momentum_of_field(&x.slider->mass, e->beam.length, &x.local, field.e, field.de, ends);
        memset(m, 0, sizeof(m));
        fb_field_add_to_ends(x.port, ends, m);
        c = fb_ports_calc_columns(s, &e->base.path, x.end[0], x.end[1], true);
    }
    fb_columns_add_force(&c, sign, m, out);
}

static double energy_at(FbSystem* s, const FbPoint* p) {
    FbEnergies e;
    fb_system_calc_energies(s, p, &e);
    return e.kinetic + e.potential;
}

// The impulse along the guide that keeps the energy of a free slider: E(mu) is a parabola.
static void keep_energy(FbSystem* s, FbPoint* p, int v, double energy) {
    int n_v = s->dynamics.size.n_v, n = n_v + s->dynamics.size.n_c;
    double *x = s->kkt.rhs, *start = s->work_v[1];
    memset(x, 0, sizeof(double) * (size_t)n);
    x[v] = 1.0;
    fb_kkt_solve(s, x);
    memcpy(start, p->v, sizeof(double) * (size_t)n_v);
    double unit = 1e-3 * fmax(fabs(p->v[v]), 1e-6) / fmax(fabs(x[v]), 1e-30), E[3];
    double* step = s->work_v[0];
    memcpy(step, x, sizeof(double) * (size_t)n_v);
    for (int k = -1; k <= 1; k++) {
        for (int j = 0; j < n_v; j++) {
            p->v[j] = start[j] + k * unit * step[j];
        }
        E[k + 1] = energy_at(s, p) - energy;
    }
    double b = 0.5 * (E[2] - E[0]), c = 0.5 * (E[2] + E[0]) - E[1];
    double root = b * b - 4.0 * c * E[1];
    double mu = b != 0.0 && root >= 0.0 ? -2.0 * E[1] / (b + copysign(sqrt(root), b)) : 0.0;
    for (int j = 0; j < n_v; j++) {
        p->v[j] = start[j] + mu * unit * step[j];
    }
}

// Form 1 has no N_s in its energy: nothing jumps, unless the slider carries other parts.
static bool is_form_1(const FbSlider* slider) {
    return slider->mass.theory == FB_SLIDER_FORM_1A || slider->mass.theory == FB_SLIDER_FORM_1B;
}

// p+ (v+) = p- (v-): M (v+ - v-) = p-(v-) - p+(v-), with the constraints of the new element.
static FbStatus pass_border(FbSystem* s, FbPoint* p, int i, int next, FbError* err) {
    int n_v = s->dynamics.size.n_v, n = n_v + s->dynamics.size.n_c,
        own = s->m->sliders[i].coordinate_v;
    double *jump = s->work_v[0], before = energy_at(s, p);
    bool has_momenta = !is_form_1(&s->m->sliders[i]) && !s->m->sliders[i].spline;
    memset(jump, 0, sizeof(double) * (size_t)n_v);
    if (has_momenta) {
        add_momenta(s, p, i, 1.0, jump);
    }
    s->piece[i] = next;
    if (has_momenta) {
        add_momenta(s, p, i, -1.0, jump);
    }
    fb_turns_predict(s, p->t);
    fb_rows_realize(s, p->q, p->v, true);
    FB_TRY(fb_kkt_factor(s, p->q, false, err));
    double* x = s->kkt.rhs;
    memcpy(x, jump, sizeof(double) * (size_t)n_v);
    for (int c = n_v; c < n; c++) {  // carriages have other velocities on the new element
        x[c] = -fb_row_calc_rate(s, s->active[c - n_v], p->t);
    }
    fb_kkt_solve(s, x);
    for (int j = 0; j < n_v; j++) {
        p->v[j] += x[j];
    }
    if (own >= 0) {
        keep_energy(s, p, own, before);
    } else if (s->m->has_work) {
        p->w[0] += energy_at(s, p) - before;
    }
    return FB_OK;
}

FbStatus fb_slider_cross(FbSystem* s, FbPoint* p, int i, FbError* err) {
    const FbSlider* slider = &s->m->sliders[i];
    s->motion[i] = fb_slider_motion(s, p, slider);
    // A run may start at a border, where rounding can look like a crossing.
    const FbSliderMotion* motion = &s->motion[i];
    int border = (int)floor(fb_slider_count(s, i) + 0.5),
        n = slider->n_pieces > 0 ? slider->n_pieces : 1;
    bool is_forward = motion->ds > 0.0 || (motion->ds == 0.0 && motion->dds >= 0.0);
    int next = is_forward ? border : border - 1;
    if (next < 0 || next >= n) {
        return fb_fail(err, FB_ERR_MODEL, &slider->place,
                       "slider '%s' leaves its guide at t = %.6g s: s = %.6g m, and the guide ends "
                       "at %.6g m; change its law, or make the guide longer",
                       slider->name, p->t, motion->s, next < 0 ? 0.0 : slider->length);
    }
    if (next == s->piece[i]) {
        return FB_OK;
    }
    if ((is_form_1(slider) || slider->spline) && slider->carriage < 0) {
        s->piece[i] = next;  // a smooth guide has no jump in N_s and N_ss either
        return FB_OK;
    }
    fb_system_realize(s, p->q, p->v, NULL);
    fb_sliders_realize(s, p);
    return pass_border(s, p, i, next, err);
}
