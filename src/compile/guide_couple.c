// Form 1 applies a couple to the guide (theory manual, section 9.10): how much the slope under it
// depends on the distance of the guide's nodes.
//
// With the compliance A of the linear structures, c_0 = N_s A N_s' is the slope under a unit couple
// at a point, and c_1, c_2 those of pairs of forces one and two elements to either side (eq. 9.45).
// On a thin beam c_0 - c_1 halves with the elements; on a body that shears it doubles.
#include <math.h>
#include <string.h>

#include "compile/part_build.h"
#include "math/linear.h"

enum {
    MOST_COORDINATES = 20000,  // larger models are not examined
    MOST_PLACES = 12,          // along a guide
    REACH = 2                  // elements to either side of a place
};
// Of the largest K/M of a coordinate: keeps structures regular that are free to move. It changes
// the slopes by what is common to all, which their differences do not contain.
static const double SHIFT = 1e-10;

typedef struct Compliance {
    const FbModel* m;
    FbLinear* solver;
    double* unit;   // [n_v] 1/sqrt of the diagonal
    double *g, *u;  // [n_v]
} Compliance;

static bool has_form_1(const FbSlider* slider) {
    FbSliderTheory theory = slider->mass.theory;
    return (theory == FB_SLIDER_FORM_1A || theory == FB_SLIDER_FORM_1B) &&
           slider->n_pieces > 2 * REACH && slider->pieces[0].element->is_linear;
}

static double find_shift(const FbModel* m) {
    double most = 0.0;
    for (int j = 0; j < m->tree.n_v; j++) {
        int at = fb_pattern_index(&m->vv, j, j);
        if (at >= 0 && m->linear_M[at] > 0.0) {
            most = fmax(most, m->linear_K[at] / m->linear_M[at]);
        }
    }
    return SHIFT * most;
}

// Coordinates of nothing linear get a 1 on the diagonal. FB_RETRY: singular all the same.
static FbStatus factor(Compliance* c) {
    const FbModel* m = c->m;
    const FbPattern* vv = &m->vv;
    double *values = fb_linear_values(c->solver), shift = find_shift(m);
    for (int j = 0; j < m->tree.n_v; j++) {
        int at = fb_pattern_index(vv, j, j);
        double own = at >= 0 ? m->linear_K[at] + shift * m->linear_M[at] : 0.0;
        c->unit[j] = own > 0.0 ? 1.0 / sqrt(own) : 1.0;
    }
    for (int col = 0; col < m->tree.n_v; col++) {
        for (int e = vv->start[col]; e < vv->start[col + 1]; e++) {
            double x = m->linear_K[e] + shift * m->linear_M[e];
            values[e] = x * c->unit[vv->row[e]] * c->unit[col];
            values[e] += vv->row[e] == col && !(x > 0.0) ? 1.0 : 0.0;
        }
    }
    return fb_linear_factor(c->solver);
}

// g += factor times the row of N, or of N_s, along `direction` at the length s of the guide.
static void add_row(const Compliance* c, const FbSlider* slider, double s, bool is_slope,
                    double factor, FbVec3 direction) {
    int k = slider->n_pieces - 1;
    while (k > 0 && s < slider->pieces[k].start) {
        k--;
    }
    const FbGuidePiece* piece = &slider->pieces[k];
    const FbBeamElement* e = piece->element;
    double L = e->beam.length, x = s - piece->start, h[4][4];
    factor *= is_slope && piece->is_reversed ? -1.0 : 1.0;
    fb_field_calc_shapes(L, (piece->is_reversed ? L - x : x) / L, h);
    const FbPortPath* path = fb_field_path(e);
    for (int i = 0; i < path->n; i++) {
        for (int j = 0; j < 4; j++) {
            FbVec3 column = fb_vec3_from(e->EJ0 + (size_t)i * FB_BEAM_DOF + 3 * (size_t)j);
            c->g[path->v[i]] += factor * h[is_slope][j] * fb_dot(column, direction);
        }
    }
}

// g' A g; clears g.
static double calc_slope(Compliance* c) {
    size_t n = (size_t)c->m->tree.n_v;
    double sum = 0.0;
    for (size_t j = 0; j < n; j++) {
        c->u[j] = c->g[j] * c->unit[j];
    }
    fb_linear_solve(c->solver, c->u);
    for (size_t j = 0; j < n; j++) {
        sum += c->g[j] * c->unit[j] * c->u[j];
    }
    memset(c->g, 0, n * sizeof(double));
    return sum;
}

// c_0 - c_1 across the middle of piece k, where it exceeds c_1 - c_2; otherwise 0.
static double calc_excess(Compliance* c, const FbSlider* slider, int k, FbVec3 across) {
    const FbGuidePiece* piece = &slider->pieces[k];
    double h = piece->element->beam.length, s = piece->start + 0.5 * h, slope[REACH + 1];
    double before = s - slider->pieces[k - REACH].start;
    const FbGuidePiece* last = &slider->pieces[k + REACH];
    double reach = fmin(before, last->start + last->element->beam.length - s) / REACH;
    for (int i = 0; i <= REACH; i++) {
        double d = fmin(h, reach) * i;
        if (i == 0) {
            add_row(c, slider, s, true, 1.0, across);
        } else {
            add_row(c, slider, s + d, false, 0.5 / d, across);
            add_row(c, slider, s - d, false, -0.5 / d, across);
        }
        slope[i] = calc_slope(c);
    }
    return slope[0] - slope[1] > slope[1] - slope[2] ? slope[0] - slope[1] : 0.0;
}

static void examine(Compliance* c, FbSlider* slider) {
    int n = slider->n_pieces - 2 * REACH, places = n < MOST_PLACES ? n : MOST_PLACES;
    for (int i = 0; i < places; i++) {
        int k = REACH + (int)((i + 0.5) * n / places);
        const FbMat3* R = &slider->pieces[k].element->base.R_drawn;
        for (int axis = 1; axis < 3; axis++) {
            double excess = calc_excess(c, slider, k, fb_mat3_col(R, axis));
            slider->couple_slope = fmax(slider->couple_slope, excess);
        }
    }
}

FbStatus fb_compile_guide_couples(FbModel* m, FbError* err) {
    bool is_asked = false;
    for (int i = 0; i < m->n_sliders; i++) {
        is_asked = is_asked || has_form_1(&m->sliders[i]);
    }
    if (!is_asked || m->tree.n_v > MOST_COORDINATES) {
        return FB_OK;
    }
    FbArena* arena = fb_arena_create();
    size_t n = (size_t)m->tree.n_v;
    Compliance c = {.m = m,
                    .unit = arena ? FB_TAKE(arena, double, n) : NULL,
                    .g = arena ? FB_TAKE(arena, double, n) : NULL,
                    .u = arena ? FB_TAKE(arena, double, n) : NULL};
    FbStatus status = arena && !fb_arena_has_failed(arena)
                          ? fb_linear_create(&m->vv, FB_LINEAR_SYMMETRIC, false, &c.solver, err)
                          : fb_fail_memory(err);
    status = status == FB_OK ? factor(&c) : status;
    for (int i = 0; status == FB_OK && i < m->n_sliders; i++) {
        if (has_form_1(&m->sliders[i])) {
            examine(&c, &m->sliders[i]);
        }
    }
    fb_linear_destroy(c.solver);
    fb_arena_destroy(arena);
    return status < 0 ? status : FB_OK;
}
