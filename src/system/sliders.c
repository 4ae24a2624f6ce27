// Sliders in the equations: where each is, and its forces and blocks on the traversed element.
#include <stdio.h>
#include <string.h>

#include "system/block.h"
#include "system/guide_spline.h"
#include "system/part.h"
#include "system/slider_state.h"

// f on the element's coordinates, and along the guide where the slider is free.
static void apply_forces(FbSystem* s, const FbSliderState* x) {
    const FbSlider* slider = x->slider;
    if (slider->coordinate_v >= 0) {
        s->k.tau[slider->coordinate_v] -= x->along;
    }
    if (x->is_linear) {
        FbColumns c = fb_beam_field_columns(x->element);
        fb_columns_add_force(&c, -1.0, x->f, s->k.tau);
        return;
    }
    if (x->is_field) {
        fb_guide_spline_push(s, x->element, x->f);
        return;
    }
    for (int side = 0; side < x->n_ends; side++) {
        fb_port_push(s, x->end[side], x->f + 6 * side);
    }
}

static void apply(FbSystem* s, const FbPoint* p, const double* a) {
    FbSliderState x;
    fb_sliders_realize(s, p);
    for (int i = 0; !s->has_no_sliders && i < s->m->n_sliders; i++) {
        fb_slider_state_calc(s, p->q, p->v, a, i, false, &x);
        apply_forces(s, &x);
        if (x.slider->mass.theory == FB_SLIDER_LINEAR_CONSISTENT) {
            fb_slider_apply_axial(s, p->q, i, &x);
        }
    }
}

static FbColumns columns_of(FbSystem* s, const FbSliderState* x, bool only_pose) {
    if (x->is_field) {
        return fb_guide_field_columns(s, x->element, only_pose);
    }
    const FbPortPath* path = x->element ? &x->element->base.path : &x->slider->path;
    return fb_ports_calc_columns(s, path, x->end[0], x->n_ends > 1 ? x->end[1] : NULL, only_pose);
}

// Forces that follow states of a feedback drive: into Rx, and through its acceleration command
// into everything that the command measures.
static void add_state_columns(FbSystem* s, const FbPoint* p, const FbSliderState* x,
                              const FbColumns* c, FbBlocks* b) {
    const FbSlider* slider = x->slider;
    size_t mark = s->scratch_used, n_v = (size_t)s->m->tree.n_v;
    double* row = fb_scratch_take(s, (size_t)c->n);
    const double* by[2] = {x->f_s, x->f_ds};
    int state[2] = {slider->state_s, slider->state_v};
    for (int i = 0; i < 2; i++) {
        fb_columns_project(c, by[i], row);
        for (int k = 0; k < c->n; k++) {
            b->Rx[(size_t)state[i] * n_v + (size_t)c->v[k]] += row[k];
        }
    }
    fb_columns_project(c, x->f_dds, row);
    for (int k = 0; k < c->n; k++) {
        row[k] = -row[k];  // the outer product is meant for applied forces
    }
    double d[2];
    fb_function_add_gradient(s, p, slider->command, 0.0, 0.0, 1.0, d, &s->gradient);
    fb_block_add_outer(s, c->v, row, c->n, &s->gradient, b);
    fb_gradient_clear(s, &s->gradient);
    s->scratch_used = mark;
}

static void add_free_blocks(FbSystem* s, const FbSliderState* x, const FbColumns* c, FbBlocks* b) {
    int v = x->slider->coordinate_v, at = fb_at(&s->m->vv, v, v);
    fb_columns_add_row(s, c, v, x->along_a, x->along_v, x->along_q, b);
    fb_columns_add_column(s, c, v, x->f_dds, x->f_ds, x->f_s, b);
    b->M[at] += x->along_dds;
    b->C[at] += x->along_ds;
    b->K[at] += x->along_s;
}

static void add_blocks(FbSystem* s, const FbPoint* p, FbBlocks* b) {
    FbSliderState x;
    fb_sliders_realize(s, p);
    for (int i = 0; !s->has_no_sliders && i < s->m->n_sliders; i++) {
        fb_slider_state_calc(s, p->q, p->v, p->a, i, true, &x);
        FbColumns c = columns_of(s, &x, false);
        fb_columns_add(s, &c, x.M, x.C, x.K, b);
        if (x.is_field && !x.is_linear) {
            fb_guide_spline_add_geometric(s, x.element, x.f, b->K);
        } else if (!x.is_linear) {
            fb_ports_add_geometric(s, x.element ? &x.element->base.path : &x.slider->path, x.end[0],
                                   x.n_ends > 1 ? x.end[1] : NULL, x.f, b->K);
        }
        if (x.slider->coordinate_v >= 0) {
            add_free_blocks(s, &x, &c, b);
        }
        if (x.slider->command >= 0 && !s->are_drives_parked) {
            add_state_columns(s, p, &x, &c, b);
        }
        if (x.slider->mass.theory == FB_SLIDER_LINEAR_CONSISTENT) {
            fb_slider_add_axial_blocks(s, p, i, &x, b);
        }
    }
}

// The element under each slider, and its own coordinate where it is free.
static void mark_touched(FbSystem* s, bool* touched) {
    for (int i = 0; !s->has_no_sliders && i < s->m->n_sliders; i++) {
        const FbSlider* slider = &s->m->sliders[i];
        const FbPortPath* path = &slider->path;
        if (slider->n_pieces > 0) {
            path = fb_field_path(slider->pieces[fb_slider_piece(s, i)].element);
        }
        for (int k = 0; k < path->n; k++) {
            touched[path->v[k]] = true;
        }
        if (slider->coordinate_v >= 0) {
            touched[slider->coordinate_v] = true;
        }
    }
}

static void add_mass(FbSystem* s, const double* q, double* M) {
    FbSliderState x;
    FbBlocks b = {.M = M};
    for (int i = 0; i < s->m->n_sliders; i++) {
        const FbSlider* slider = &s->m->sliders[i];
        if (slider->coordinate_q >= 0) {
            s->motion[i].s = q[slider->coordinate_q];
        }
        fb_slider_state_calc(s, q, s->zero_v, s->zero_v, i, true, &x);
        FbColumns c = columns_of(s, &x, true);
        fb_columns_add(s, &c, x.M, NULL, NULL, &b);
        int v = slider->coordinate_v;
        if (v >= 0) {
            fb_columns_add_row(s, &c, v, x.along_a, NULL, NULL, &b);
            fb_columns_add_column(s, &c, v, x.f_dds, NULL, NULL, &b);
            M[fb_at(&s->m->vv, v, v)] += x.along_dds;
        }
    }
}

static void add_energies(FbSystem* s, const FbPoint* p, double* kinetic, double* potential) {
    FbSliderState x;
    fb_sliders_realize(s, p);
    for (int i = 0; i < s->m->n_sliders; i++) {
        FbAxial axial = {0};
        fb_slider_state_calc(s, p->q, p->v, s->zero_v, i, false, &x);
        if (x.slider->mass.theory == FB_SLIDER_LINEAR_CONSISTENT) {
            fb_slider_calc_axial(s, p->q, p->v, s->zero_v, i, &axial);
        }
        FbVec3 position = fb_add(x.origin, x.position);
        *kinetic += x.kinetic + axial.kinetic;
        *potential += axial.potential - x.slider->mass.mass * fb_dot(s->m->tree.gravity, position);
    }
}

static void add_momenta(FbSystem* s, const FbPoint* p, FbMomenta* sums) {
    FbVec3 first = {0, 0, 0};
    FbSliderState x;
    fb_sliders_realize(s, p);
    for (int i = 0; i < s->m->n_sliders; i++) {
        double m = s->m->sliders[i].mass.mass;
        fb_slider_state_calc(s, p->q, p->v, s->zero_v, i, false, &x);
        FbVec3 momentum = fb_scale(m, x.velocity), position = fb_add(x.origin, x.position);
        first = fb_axpy(m, position, first);
        sums->mass += m;
        sums->momentum = fb_add(sums->momentum, momentum);
        sums->angular_momentum = fb_add(sums->angular_momentum, fb_cross(position, momentum));
    }
    sums->first_moment = fb_add(sums->first_moment, first);
}

// Zero for a free slider: its drive is a separate force.
static double actuator_force(FbSystem* s, const FbPoint* p, int i, const FbSliderState* x) {
    FbAxial axial = {0};
    if (x->slider->mass.theory == FB_SLIDER_LINEAR_CONSISTENT) {
        fb_slider_calc_axial(s, p->q, p->v, p->a, i, &axial);
    }
    return x->slider->coordinate_v >= 0 ? 0.0 : x->along + axial.along;
}

// The actuator's work: force along the guide times speed (eq. 9.16).
static void add_powers(FbSystem* s, const FbPoint* p, double* supplied, double* dissipated) {
    (void)dissipated;
    FbSliderState x;
    fb_sliders_realize(s, p);
    for (int i = 0; i < s->m->n_sliders; i++) {
        fb_slider_state_calc_along(s, p, i, &x);
        *supplied += actuator_force(s, p, i, &x) * s->motion[i].ds;
    }
}

// The axial reaction is a sum along the guide.
static bool has_far_powers(const FbSystem* s) {
    return fb_sliders_have_reaction(s->m);
}

// E of an element whose forces are dual to e: how e follows the displacements and turns of its
// ends. A segment of a smooth guide stands for a beam without mass; its axes follow its chord.
static void calc_ends_of_field(const FbSliderState* x, double E[FB_BEAM_DOF * FB_BEAM_DOF]) {
    const FbBeamElement* e = x->element;
    double e0[FB_BEAM_DOF];
    FbVec3 zero = {0, 0, 0}, chord = fb_sub(fb_vec3_from(x->e + 6), fb_vec3_from(x->e));
    FbMat3 R = e->base.R_drawn;
    if (!x->is_linear) {
        FbVec3 along = fb_scale(1.0 / fb_norm(chord), chord), y = fb_mat3_col(&R, 1);
        FbVec3 z = fb_cross(along, y);
        z = fb_scale(1.0 / fb_norm(z), z);
        y = fb_cross(z, along);
        R = (FbMat3){{{along.x, y.x, z.x}, {along.y, y.y, z.y}, {along.z, y.z, z.z}}};
    }
    fb_field_calc_linear(&e->beam, &R, zero, chord, E, e0);
}

// Force or moment of f_c at the element's ends; the linear theory has it dual to e.
static double coriolis_at_end(const FbSliderState* x, int component) {
    if (!x->is_field) {
        return x->coriolis[component];
    }
    double E[FB_BEAM_DOF * FB_BEAM_DOF], sum = 0.0;
    calc_ends_of_field(x, E);
    for (int i = 0; i < FB_BEAM_DOF; i++) {
        sum += E[i * FB_BEAM_DOF + component] * x->coriolis[i];
    }
    return sum;
}

// E' A E, or J' A J, of a matrix dual to the field.
static double congruent(const double* A, const double* E, int row, int col) {
    double sum = 0.0;
    for (int i = 0; i < FB_BEAM_DOF; i++) {
        for (int j = 0; j < FB_BEAM_DOF; j++) {
            sum += E[i * FB_BEAM_DOF + row] * A[i * FB_BEAM_DOF + j] * E[j * FB_BEAM_DOF + col];
        }
    }
    return sum;
}

// C_e dual to the field: m s' d(N'N)/ds, and with N_s of the rotary inertia (eq. 9.13).
static void coriolis_matrix(const FbSliderState* x, double A[FB_BEAM_DOF * FB_BEAM_DOF]) {
    const FbSliderMass* mass = &x->slider->mass;
    double h[4][4], t[3];
    fb_field_calc_shapes(x->element->beam.length, x->local.s / x->element->beam.length, h);
    fb_vec3_to(mass->axis, t);
    for (int i = 0; i < FB_BEAM_DOF; i++) {
        for (int j = 0; j < FB_BEAM_DOF; j++) {
            int a = i / 3, b = j / 3;
            double across = (i % 3 == j % 3) - (mass->is_transverse ? t[i % 3] * t[j % 3] : 0.0);
            double H = mass->mass * (h[0][a] * h[1][b] + h[1][a] * h[0][b]) +
                       mass->rotary * (h[1][a] * h[2][b] + h[2][a] * h[1][b]);
            A[i * FB_BEAM_DOF + j] = x->local.ds * H * across;
        }
    }
}

// An entry of M_e = M_beam + m N'N or of C_e, by displacements of the element's ends in ground
// axes.
static double matrix_entry(FbSystem* s, const FbPoint* p, int i, int component) {
    FbSliderState x;
    FbBeamField field;
    double A[FB_BEAM_DOF * FB_BEAM_DOF], own[FB_BEAM_DOF * FB_BEAM_DOF] = {0};
    bool is_mass = component < FB_SLIDER_CORIOLIS_MATRIX;
    int at = component - (is_mass ? FB_SLIDER_MASS_MATRIX : FB_SLIDER_CORIOLIS_MATRIX);
    int row = at / FB_BEAM_DOF, col = at % FB_BEAM_DOF;
    fb_slider_state_calc(s, p->q, p->v, p->a, i, is_mass, &x);
    const FbBeamElement* e = x.element;
    if (x.is_field) {
        calc_ends_of_field(&x, field.J);
        if (!e->spline) {
            fb_beam_calc_mass(&e->beam, own);
            fb_beam_turn_matrix(&e->base.R_drawn, own);
        }
    } else {
        fb_field_calc(x.port, &field);
        fb_beam_add_mass(&e->beam, x.port, own);
    }
    if (is_mass) {
        return own[at] + (x.is_field ? congruent(x.M, field.J, row, col) : x.M[at]);
    }
    coriolis_matrix(&x, A);
    return congruent(A, field.J, row, col);
}

static double calc_signal(FbSystem* s, const FbPoint* p, const FbSignal* signal) {
    int i = signal->index, component = signal->component;
    FbSliderState x;
    int carriage = s->m->sliders[i].carriage;
    fb_sliders_realize(s, p);
    if (component >= FB_SLIDER_MASS_MATRIX) {
        return matrix_entry(s, p, i, component);
    }
    fb_slider_state_calc(s, p->q, p->v, p->a, i, false, &x);
    double force = actuator_force(s, p, i, &x);
    if (carriage >= 0) {  // with its load
        x.contact = fb_add(x.contact, fb_carriage_calc_contact(s, carriage));
        force += x.slider->coordinate_v >= 0 ? 0.0 : fb_carriage_calc_along(s, carriage);
    }
    const FbSliderMotion* motion = &s->motion[i];
    if (x.slider->mass.theory == FB_SLIDER_LINEAR_CONSISTENT) {  // back by the shortening (9.17)
        FbAxial axial;
        fb_slider_calc_axial(s, p->q, p->v, p->a, i, &axial);
        x.position = fb_axpy(-axial.shortening, x.slider->mass.axis, x.position);
        x.velocity = fb_axpy(-axial.shortening_rate, x.slider->mass.axis, x.velocity);
    }
    FbVec3 position = fb_add(x.origin, x.position);
    const double vectors[9] = {x.contact.x, x.contact.y,  x.contact.z,  position.x,  position.y,
                               position.z,  x.velocity.x, x.velocity.y, x.velocity.z};
    switch (component) {
        case FB_SLIDER_ACCELERATION:
            return motion->dds;
        case FB_SLIDER_FORCE:
            return force;
        case FB_SLIDER_POWER:
            return force * motion->ds;
        case FB_SLIDER_KINETIC:
            return x.kinetic;
        default:
            return component >= FB_SLIDER_CORIOLIS
                       ? coriolis_at_end(&x, component - FB_SLIDER_CORIOLIS)
                       : vectors[component - FB_SLIDER_CONTACT_X];
    }
}

static void take(FbSystem* s) {
    size_t n = (size_t)s->m->n_sliders;
    s->piece = FB_TAKE(s->arena, int, n);
    s->motion = FB_TAKE(s->arena, FbSliderMotion, n);
    s->slider_low = FB_TAKE(s->arena, double, n);
    s->slider_high = FB_TAKE(s->arena, double, n);
    s->largest_share = FB_TAKE(s->arena, double, n);
    for (size_t i = 0; s->piece && i < n; i++) {
        s->piece[i] = -1;
    }
    fb_carriages_take(s);
}

static void remember(FbSystem* s, FbMemory* m) {
    int n = s->m->n_sliders;
    for (int i = 0; i < n; i++) {
        int n_pieces = s->m->sliders[i].n_pieces;
        fb_memory_index(m, &s->piece[i], -1, n_pieces > 0 ? n_pieces - 1 : 0);
    }
    fb_memory_doubles(m, s->slider_low, n);
    fb_memory_doubles(m, s->slider_high, n);
    fb_memory_doubles(m, s->largest_share, n);
    FB_REMEMBER(m, s->now);
}

// Leaving a piece of the guide: the borders between its elements, and its ends.
static void calc_roots(FbSystem* s, const FbPoint* p, double* values) {
    for (int i = 0; i < s->m->n_sliders; i++) {
        values[i] = fb_slider_calc_root(s, p, i);
    }
}

static FbStatus cross(FbSystem* s, FbPoint* p, int root, bool* has_changed, bool* stop,
                      FbError* err) {
    *has_changed = true;
    (void)stop;
    return fb_slider_cross(s, p, root, err);
}

static int count(const FbModel* m) {
    return m->n_sliders;
}

// A couple of form 1 that the guide gives way to as far as its elements are short (eq. 9.44).
static void write_note(const FbSystem* s, int i, char* text, size_t size) {
    static const double SMALL = 0.01;
    const FbSlider* slider = &s->m->sliders[i];
    if (!(s->largest_share[i] > SMALL)) {
        return;
    }
    snprintf(text, size,
             "slider '%s': the couple of form 1 makes its mass up to %.2g %% heavier than with "
             "guide elements of twice the length, and shorter ones make it worse: form 1 has no "
             "limit on a guide that shears (theory manual, 9.10); use %s, or %s",
             slider->name, 100.0 * s->largest_share[i],
             slider->coordinate_v >= 0 ? "convective" : "linear_consistent or convective",
             slider->spline ? "pass fewer nodes" : "fewer elements, or members without shear");
}

const FbPartKind fb_part_sliders = {
    .name = "slider",
    .count = count,
    .has_inertia = true,
    .take = take,
    .remember = remember,
    .draw = fb_sliders_draw,
    .begin = fb_sliders_begin,
    .realize = fb_sliders_realize,
    .apply = apply,
    .move_to_links = fb_sliders_move_to_links,
    .add_blocks = add_blocks,
    .add_mass = add_mass,
    .mark_touched = mark_touched,
    .check_linear = fb_sliders_check_linear,
    .add_energies = add_energies,
    .add_momenta = add_momenta,
    .add_powers = add_powers,
    .has_far_powers = has_far_powers,
    .calc_signal = calc_signal,
    .count_roots = count,
    .calc_roots = calc_roots,
    .cross = cross,
    .check = fb_sliders_check_limits,
    .count_notes = count,
    .write_note = write_note,
};
