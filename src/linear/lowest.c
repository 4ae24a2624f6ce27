// What a list of the lowest modes contains: modes, velocities, shapes, shares of the bodies.
#include "linear/lowest.h"

#include <math.h>
#include <stdlib.h>

#include "math/vec3.h"

void fb_lowest_destroy(FbLowest* l) {
    if (l) {
        free(l->modes);
        free(l->velocities);
        free(l->parts);
        free(l->motions);
        free(l);
    }
}

int fb_lowest_get_count(const FbLowest* l) {
    return l->count;
}

const FbMode* fb_lowest_get_mode(const FbLowest* l, int index) {
    return index >= 0 && index < l->count ? &l->modes[index] : NULL;
}

void fb_lowest_get_info(const FbLowest* l, FbLowestInfo* info) {
    *info = l->info;
}

const double* fb_lowest_get_velocities(const FbLowest* l, int mode, int* n) {
    *n = l->n;
    bool is_there = mode >= 0 && mode < l->count;
    return is_there ? (const double*)(l->velocities + (size_t)mode * (size_t)l->n) : NULL;
}

void fb_lowest_calc_velocities(FbLowest* l, int mode, double** re, double** im) {
    *re = l->parts;
    *im = l->parts + l->n;
    for (int j = 0; j < l->n; j++) {
        double complex v = l->velocities[(size_t)mode * (size_t)l->n + (size_t)j];
        (*re)[j] = creal(v);
        (*im)[j] = cimag(v);
    }
}

FbStatus fb_lowest_calc_shape(FbLowest* l, int mode, int body, const double at[3], double re[3],
                              double im[3]) {
    FbOperatingPoint* op = l->point;
    if (mode < 0 || mode >= l->count || body < 0 || body >= op->model->n_bodies) {
        return FB_ERR_ARGUMENT;
    }
    if (l->moving != mode) {
        fb_lowest_calc_motions(l, mode, l->motions, l->motions + 6 * (size_t)op->model->n_bodies);
        l->moving = mode;
    }
    fb_linear_move_point(op, l->motions, body, at, re, im);
    return FB_OK;
}

void fb_lowest_calc_motions(FbLowest* l, int mode, double* re, double* im) {
    double *vr, *vi;
    fb_lowest_calc_velocities(l, mode, &vr, &vi);
    fb_system_calc_body_motions(l->point->system, l->point->p.q, vr, re);
    fb_system_calc_body_motions(l->point->system, l->point->p.q, vi, im);
}

FbOperatingPoint* fb_lowest_get_point(const FbLowest* l) {
    return l->point;
}

// All bodies of a real vector move in phase: either part of the velocities has all shares.
static void calc_real_energies(FbLowest* l, int mode, double* energies) {
    const FbMode* m = &l->modes[mode];
    double *vr, *vi;
    fb_lowest_calc_velocities(l, mode, &vr, &vi);
    fb_system_calc_body_energies(l->point->system, l->point->p.q,
                                 fabs(m->im) > fabs(m->re) ? vi : vr, energies);
}

static void divide_by_sum(int n, double* x) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += x[i];
    }
    for (int i = 0; i < n; i++) {
        x[i] = sum > 0.0 ? x[i] / sum : 0.0;
    }
}

FbStatus fb_lowest_calc_participation(FbLowest* l, int mode, double* fractions) {
    FbOperatingPoint* op = l->point;
    int n = op->model->n_bodies;
    if (mode < 0 || mode >= l->count) {
        return FB_ERR_ARGUMENT;
    }
    if (l->is_real) {
        calc_real_energies(l, mode, fractions);
        divide_by_sum(n, fractions);
        return FB_OK;
    }
    double* second = malloc(sizeof(double) * ((size_t)n + 1));
    if (!second) {
        return FB_ERR_MEMORY;
    }
    double *vr, *vi;
    fb_lowest_calc_velocities(l, mode, &vr, &vi);
    fb_system_calc_body_energies(op->system, op->p.q, vr, fractions);
    fb_system_calc_body_energies(op->system, op->p.q, vi, second);
    for (int b = 0; b < n; b++) {
        fractions[b] += second[b];
    }
    divide_by_sum(n, fractions);
    free(second);
    return FB_OK;
}
