// Masses that travel along linear guides by laws of time: what they touch, their loads and their
// shares of M, C and K (theory manual, eqs. 5.55, 5.56).
#include <math.h>
#include <string.h>

#include "system/part.h"
#include "system/port.h"
#include "system/slider_state.h"

// Directions in which the field of a guide does not move, of those in which it does.
static const double STILL = 1e-12;

int fb_sliders_count_groups(const FbModel* m) {
    return 3 * m->n_sliders;
}

bool fb_sliders_have_reaction(const FbModel* m) {
    for (int i = 0; i < m->n_sliders; i++) {
        if (m->sliders[i].mass.theory == FB_SLIDER_LINEAR_CONSISTENT) {
            return true;
        }
    }
    return false;
}

static const FbGuidePiece* piece_of(const FbSystem* s, int i) {
    return &s->m->sliders[i].pieces[fb_slider_piece(s, i)];
}

// F of the element's velocities along axis c of its section; returns its largest entry.
static double set_field(const FbBeamElement* e, int c, double* F) {
    FbVec3 axis = fb_mat3_col(&e->base.R_drawn, c);
    double largest = 0.0;
    for (int k = 0; k < fb_field_path(e)->n; k++) {
        for (int a = 0; a < FB_MOVING; a++) {
            double x = fb_dot(axis, fb_vec3_from(e->EJ0 + FB_BEAM_DOF * k + 3 * a));
            F[FB_MOVING * k + a] = x;
            largest = fmax(largest, fabs(x));
        }
    }
    return largest;
}

// The directions that count: all, or those across the guide, where its field moves in them at all.
static int find_directions(const FbSystem* s, int i, double* F, int axes[3]) {
    const FbBeamElement* e = piece_of(s, i)->element;
    double size[3], largest = 0.0;
    int n = 0;
    for (int c = 0; c < 3; c++) {
        size[c] = set_field(e, c, F);
        largest = fmax(largest, size[c]);
    }
    for (int c = s->m->sliders[i].mass.is_transverse ? 1 : 0; c < 3; c++) {
        if (size[c] > STILL * largest) {
            axes[n++] = c;
        }
    }
    return n;
}

int fb_sliders_find_groups(FbSystem* s, FbMovingGroup* groups, double* room) {
    int count = 0;
    for (int i = 0; i < s->m->n_sliders; i++) {
        const FbBeamElement* e = piece_of(s, i)->element;
        const FbPortPath* path = fb_field_path(e);
        int axes[3], n = find_directions(s, i, room, axes);
        s->linear.first_group[i] = count;
        for (int k = 0; k < n; k++) {
            set_field(e, axes[k], room);
            groups[count++] = (FbMovingGroup){path->n, path->v, room};
            room += FB_MOVING * path->n;
        }
    }
    s->linear.first_group[s->m->n_sliders] = count;
    return count;
}

static FbSliderMotion local_motion(const FbSystem* s, int i, const FbGuidePiece* piece) {
    const FbSliderMotion* m = &s->motion[i];
    double along = m->s - piece->start, length = piece->element->beam.length;
    return piece->is_reversed ? (FbSliderMotion){length - along, -m->ds, -m->dds}
                              : (FbSliderMotion){along, m->ds, m->dds};
}

static void copy_factors(const FbSliderFactors* f, FbMovingShare* out) {
    out->rank = f->rank;
    out->has_places = f->has_places;
    memcpy(out->U, f->U, sizeof out->U);
    memcpy(out->B, f->B, sizeof out->B);
}

// The force of the mass, dual to e, on a guide at rest.
static void calc_load(const FbSliderMass* mass, const FbBeamElement* e, FbVec3 g,
                      const FbSliderMotion* motion, double f[FB_BEAM_DOF]) {
    double rest[FB_BEAM_DOF] = {0}, lifted[FB_BEAM_DOF] = {0};
    FbSliderForces o;
    if (fb_slider_has_quick_parts(mass)) {
        fb_slider_calc_weight(mass, e->beam.length, motion->s, g, f);
        return;
    }
    fb_vec3_to(fb_scale(-1.0, g), lifted);
    fb_vec3_to(fb_scale(-1.0, g), lifted + 6);
    fb_slider_calc(mass, e->beam.length, e->e0, rest, lifted, g, motion, false, &o);
    memcpy(f, o.f, sizeof o.f);
}

void fb_sliders_add_linear(FbSystem* s, const FbPoint* p, double* load, FbMovingShare* shares) {
    FbVec3 g = s->m->tree.gravity;
    fb_sliders_realize(s, p);
    for (int i = 0; i < s->m->n_sliders; i++) {
        const FbSlider* slider = &s->m->sliders[i];
        const FbGuidePiece* piece = piece_of(s, i);
        const FbBeamElement* e = piece->element;
        FbSliderMotion motion = local_motion(s, i, piece);
        double at_rest[FB_BEAM_DOF];
        FbSliderFactors f;
        FbColumns columns = fb_beam_field_columns(e);
        calc_load(&slider->mass, e, g, &motion, at_rest);
        fb_columns_add_force(&columns, 1.0, at_rest, load);
        fb_slider_calc_factors(&slider->mass, e->beam.length, &motion, &f);
        for (int k = s->linear.first_group[i]; k < s->linear.first_group[i + 1]; k++) {
            copy_factors(&f, &shares[k]);
        }
    }
}

// The geometric stiffness of the axial reaction, eq. (9.19).
void fb_sliders_add_reaction(FbSystem* s, const FbPoint* p, double* r) {
    fb_sliders_realize(s, p);
    for (int i = 0; i < s->m->n_sliders; i++) {
        const FbSlider* slider = &s->m->sliders[i];
        int last = fb_slider_piece(s, i);
        for (int k = 0; slider->mass.theory == FB_SLIDER_LINEAR_CONSISTENT && k <= last; k++) {
            double f[FB_BEAM_DOF];
            FbColumns columns = fb_beam_field_columns(slider->pieces[k].element);
            fb_slider_calc_axial_force(s, p->q, i, k, f);
            fb_columns_add_force(&columns, 1.0, f, r);
        }
    }
}
