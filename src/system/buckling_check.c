// Is a loaded linear structure stable? K + K_G must be positive, with the geometric stiffness of
// the axial forces N (eq. 8.74)
//   K_G = sum_e J0' E' int N(x) N_x' Q N_x dx E J0.
#include <math.h>
#include <stdlib.h>

#include "fem/mat12.h"
#include "system/buckling.h"

static const double PENALTY = 1e6;         // of constraints, next to stiffnesses
static const double SEMIDEFINITE = 1e-13;  // of the diagonal: what is not counted as negative

// EA times the mean stretch of an element.
static double mean_tension(const FbBuckling* k, const FbBeamElement* e) {
    FbVec3 axis = fb_mat3_col(&e->base.R_drawn, 0);
    double stretch = 0.0;
    for (int c = 0; c < e->base.path.n; c++) {
        const double* d = e->base.J0 + c * FB_BEAM_DOF;
        FbVec3 apart = fb_sub(fb_vec3_from(d + 6), fb_vec3_from(d));
        stretch += fb_dot(axis, apart) * k->dq[e->base.path.v[c]];
    }
    return e->beam.EA * stretch / e->beam.length;
}

static FbStatus add_entry(FbBuckling* k, int row, int col, double value, FbError* err) {
    if (k->n_list == k->capacity) {
        size_t more = 2 * k->capacity + 256;
        FbTriplet* list = realloc(k->list, sizeof(FbTriplet) * more);
        if (!list) {
            return fb_fail_memory(err);
        }
        k->list = list;
        k->capacity = more;
    }
    k->list[k->n_list++] = (FbTriplet){row, col, value};
    return FB_OK;
}

// Adds to the matrix of `loaded`, or to the list.
static FbStatus add_to(FbBuckling* k, int row, int col, double value, FbError* err) {
    if (!k->is_quick) {
        return add_entry(k, row, col, value, err);
    }
    int at = fb_pattern_index(&k->pattern, row, col);
    if (at >= 0) {
        fb_symmetric_values(k->loaded)[at] += value * k->unit[row] * k->unit[col];
    }
    k->is_quick = at >= 0;
    return FB_OK;
}

// J0' E' A E J0 with A [12 x 12] dual to the field.
static FbStatus add_element(FbBuckling* k, const FbBeamElement* e, const double* A, FbError* err) {
    for (int c = 0; c < e->base.path.n; c++) {
        int col = k->own[e->base.path.v[c]];
        double y[FB_BEAM_DOF] = {0};
        if (col < 0) {
            continue;
        }
        fb_mat12_add_product(A, e->EJ0 + c * FB_BEAM_DOF, y);
        for (int r = 0; r < e->base.path.n; r++) {
            int row = k->own[e->base.path.v[r]];
            if (row >= 0) {
                FB_TRY(add_to(k, row, col, fb_dot12(e->EJ0 + r * FB_BEAM_DOF, y), err));
            }
        }
    }
    return FB_OK;
}

// The tension jumps by the axial load F of a slider at x: N - F x/L behind it and N + F (1 - x/L)
// before it, with the mean N of the element. The load along it is one of many small jumps; their
// sum is a polynomial of degree 5 in x, for which three of them, in Gauss's places, are exact.
static FbStatus add_geometric(FbBuckling* k, const FbBeamElement* e, FbError* err) {
    static const double GAUSS_PLACE[] = {0.11270166537925831, 0.5, 0.88729833462074169};
    static const double GAUSS_WEIGHT[] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
    double L = e->beam.length, mean = mean_tension(k, e), f[FB_BEAM_DOF],
           A[FB_BEAM_DOF * FB_BEAM_DOF] = {0};
    double spread = k->along[e - k->m->beams] * L;
    FbVec3 axis = fb_mat3_col(&e->base.R_drawn, 0);
    for (int i = 0; spread != 0.0 && i < 3; i++) {
        double F = GAUSS_WEIGHT[i] * spread, x = GAUSS_PLACE[i];
        mean -= F * x;
        fb_field_add_axial(L, x * L, F, axis, e->e0, e->e0, f, A, NULL);
    }
    for (int i = 0; i < k->m->n_sliders; i++) {
        double x;
        if (fb_buckling_element_of(k, i, &x) != e) {
            continue;
        }
        double F = k->mass[i] * fb_dot(axis, fb_buckling_weight(k, &k->m->sliders[i], e));
        mean -= F * x / L;
        fb_field_add_axial(L, x, F, axis, e->e0, e->e0, f, A, NULL);
    }
    fb_field_add_axial(L, L, mean, axis, e->e0, e->e0, f, A, NULL);
    return add_element(k, e, A, err);
}

static FbStatus add_stiffness(FbBuckling* k, FbError* err) {
    const FbPattern* vv = k->b.vv;
    for (int c = 0; c < k->n; c++) {
        for (int e = vv->start[k->v[c]]; e < vv->start[k->v[c] + 1]; e++) {
            int r = k->own[vv->row[e]];
            if (r >= 0) {  // half of it here, half at the mirror image
                FB_TRY(add_entry(k, r, c, 0.5 * k->b.K[e], err));
                FB_TRY(add_entry(k, c, r, 0.5 * k->b.K[e], err));
            }
        }
    }
    return FB_OK;
}

// PENALTY G' G, rows in their units
static FbStatus add_constraints(FbBuckling* k, FbError* err) {
    const FbPattern* cv = k->b.cv;
    for (int a = 0; k->n_c > 0 && a < k->n; a++) {
        for (int e = cv->start[k->v[a]]; e < cv->start[k->v[a] + 1]; e++) {
            for (int i = k->row_start[cv->row[e]]; i < k->row_start[cv->row[e] + 1]; i++) {
                double unit = k->unit[k->n + cv->row[e]];
                double value = PENALTY * unit * unit * k->b.G[e] * k->row_value[i];
                FB_TRY(add_entry(k, a, k->row_col[i], value, err));
            }
        }
    }
    return FB_OK;
}

static FbStatus add_all_geometric(FbBuckling* k, FbError* err) {
    for (int i = 0; i < k->m->n_beams; i++) {
        if (k->m->beams[i].is_linear) {
            FB_TRY(add_geometric(k, &k->m->beams[i], err));
        }
    }
    return FB_OK;
}

// True where K + K_G has a Cholesky factorization; false: look closer.
static FbStatus check_quickly(FbBuckling* k, bool* is_stable, FbError* err) {
    double* values = fb_symmetric_values(k->loaded);
    *is_stable = false;
    k->is_quick = true;
    fb_buckling_fill(k, values);
    FB_TRY(add_all_geometric(k, err));
    if (!k->is_quick) {
        return FB_OK;
    }
    k->is_quick = false;
    for (int c = 0; c < k->n; c++) {
        values[fb_pattern_index(&k->pattern, c, c)] *= 1.0 + SEMIDEFINITE;
    }
    FbStatus status = fb_symmetric_factor(k->loaded, FB_SYMMETRIC_DEFINITE);
    *is_stable = status == FB_OK;
    return status < 0 ? fb_fail_memory(err) : FB_OK;
}

static FbStatus check_closely(FbBuckling* k, bool* is_stable, FbError* err) {
    FbArena* arena = fb_arena_create();
    FbSparse T;
    double value;
    int where;
    if (!arena) {
        return fb_fail_memory(err);
    }
    k->n_list = 0;
    FbStatus status = add_stiffness(k, err);
    status = status == FB_OK ? add_all_geometric(k, err) : status;
    status = status == FB_OK ? add_constraints(k, err) : status;
    for (size_t i = 0; i < k->n_list; i++) {
        k->list[i].value *= k->unit[k->list[i].row] * k->unit[k->list[i].col];
    }
    if (status == FB_OK) {
        status = fb_sparse_from_triplets(k->n, k->n, k->list, k->n_list, arena, &T, err);
    }
    if (status == FB_OK) {
        status = fb_sparse_check_semidefinite(&T, SEMIDEFINITE, &where, &value, err);
    }
    *is_stable = status == FB_OK;
    fb_arena_destroy(arena);
    return status > 0 ? FB_OK : status;
}

FbStatus fb_buckling_check(FbBuckling* k, bool* is_stable, FbError* err) {
    fb_buckling_solve(k);
    *is_stable = false;
    if (k->loaded) {
        FB_TRY(check_quickly(k, is_stable, err));
    }
    return *is_stable ? FB_OK : check_closely(k, is_stable, err);
}
