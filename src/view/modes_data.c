// Shapes of modes: motions of the bodies that belong to an eigenvector, scaled for pictures.
#include "view/modes_data.h"

#include <string.h>

#include "model/model.h"

int fb_modes_get_count(const FbModesData* d) {
    return d->all ? fb_linearization_get_mode_count(d->all) : fb_lowest_get_count(d->lowest);
}

const FbMode* fb_modes_get_mode(const FbModesData* d, int mode) {
    return d->all ? fb_linearization_get_mode(d->all, mode) : fb_lowest_get_mode(d->lowest, mode);
}

void fb_modes_calc_velocities(const FbModesData* d, int mode, double** re, double** im) {
    if (d->all) {
        fb_linearization_calc_velocities(d->all, mode, re, im);
    } else {
        fb_lowest_calc_velocities(d->lowest, mode, re, im);
    }
}

// What the solver knows are velocities where the eigenvalue is not zero.
void fb_modes_calc_shape(const FbModesData* d, int mode, int n_bodies) {
    const FbMode* m = fb_modes_get_mode(d, mode);
    double complex lambda = CMPLX(m->re, m->im);
    bool is_velocity = !m->is_infinite && lambda != 0.0;
    if (d->all) {
        fb_linearization_calc_motions(d->all, mode, d->re, d->im);
    } else {
        fb_lowest_calc_motions(d->lowest, mode, d->re, d->im);
    }
    for (int i = 0; i < 6 * n_bodies; i++) {
        d->shape[i] = CMPLX(d->re[i], d->im[i]) / (is_velocity ? lambda : 1.0);
    }
}

double complex fb_modes_find_factor(const FbModesData* d) {
    const FbModel* m = d->op->model;
    double complex largest = 0.0;
    for (int i = 0; i < 6 * m->n_bodies; i++) {
        double complex x = d->shape[i] * (i % 6 < 3 ? 1.0 : m->length);
        bool is_shown = m->drawing.number[i / 6] >= 0;
        largest = is_shown && cabs(x) > cabs(largest) ? x : largest;
    }
    for (int i = 0; largest == 0.0 && i < 6 * m->n_bodies; i++) {
        largest = cabs(d->shape[i]) > cabs(largest) ? d->shape[i] : largest;
    }
    return cabs(largest) > 0.0 ? m->length / largest : 0.0;
}

void fb_modes_pick_shape(const FbModesData* d, double complex factor) {
    const FbModel* m = d->op->model;
    for (int i = 0; i < 6 * m->n_bodies; i++) {
        int number = m->drawing.number[i / 6];
        if (number >= 0) {
            d->shape[6 * number + i % 6] = factor * d->shape[i];
        }
    }
}

FbStatus fb_modes_init(FbModesData* d, FbArena* arena, FbError* err) {
    const FbModel* m = d->op->model;
    int n = m->n_bodies;
    d->poses = FB_TAKE(arena, double, 7 * n + 1);
    d->re = FB_TAKE(arena, double, 6 * n + 1);
    d->im = FB_TAKE(arena, double, 6 * n + 1);
    d->shape = FB_TAKE(arena, double complex, 6 * n + 1);
    d->fractions = FB_TAKE(arena, double, n + 1);
    d->slides = FB_TAKE(arena, double, m->n_sliders + 1);
    d->member = FB_TAKE(arena, int, n + 1);
    d->of_member = FB_TAKE(arena, double, m->n_members + 1);
    d->of_mesh = FB_TAKE(arena, double, m->n_superelements + 1);
    d->mesh_of = FB_TAKE(arena, int, n + 1);
    d->shown = FB_TAKE(arena, int, FB_MOST_MESH_MODES);
    d->factors = FB_TAKE(arena, double complex, FB_MOST_MESH_MODES);
    d->shown_of = FB_TAKE(arena, int, fb_modes_get_count(d) + 1);
    if (fb_arena_has_failed(arena)) {
        return fb_fail_memory(err);
    }
    for (int b = 0; b < n; b++) {
        d->member[b] = d->mesh_of[b] = -1;
    }
    for (int i = 0; i < m->n_superelements; i++) {
        for (int k = 0; k < m->superelements[i].n; k++) {
            int body = m->superelements[i].body[k];
            if (body >= 0 && m->drawing.bodies[body].role == FB_DRAWN_ROW) {
                d->mesh_of[body] = i;
            }
        }
    }
    for (int i = m->n_members - 1; i >= 0; i--) {
        for (int e = 2 * m->members[i].first; e < 2 * (m->members[i].first + m->members[i].n);
             e++) {
            int body = m->beams[e / 2].body[e % 2];
            if (body >= 0 && m->drawing.bodies[body].role == FB_DRAWN_NODE) {
                d->member[body] = i;
            }
        }
    }
    fb_system_calc_poses(d->op->system, d->op->p.q, d->poses);
    fb_system_calc_slides(d->op->system, &d->op->p, d->slides);
    return FB_OK;
}
