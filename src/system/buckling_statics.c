// Linear statics of the drawing under weight, loads and sliders: K u = f along the constraints
// (eq. 8.73).
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "system/buckling.h"

// Of the stiffness of a row or a coordinate: what keeps the matrix regular where rows are
// dependent, and what is far above rounding; and what rounding leaves to a coordinate that moves
// without stiffness.
static const double SOFT = 1e-12, NOT_FIRM = 2e-13;

static bool is_own(const FbModel* m, int v) {
    int joint = m->tree.links[m->tree.link_of_v[v]].joint;
    for (int i = 0; joint >= 0 && i < m->n_structures; i++) {
        if (!m->structures[i].is_nonlinear &&
            fb_is_part_of(m->joints[joint].name, m->structures[i].name)) {
            return true;
        }
    }
    return false;
}

static FbStatus take(FbBuckling* k, FbError* err) {
    int n_v = k->m->tree.n_v;
    k->own = FB_TAKE(k->arena, int, n_v + 1);
    k->v = FB_TAKE(k->arena, int, n_v + 1);
    k->load = FB_TAKE(k->arena, double, n_v + 1);
    k->along = FB_TAKE(k->arena, double, k->m->n_beams + 1);
    k->dq = FB_TAKE(k->arena, double, n_v + 1);
    k->u = FB_TAKE(k->arena, double, n_v + k->n_c + 1);
    k->at = FB_TAKE(k->arena, double, k->m->n_sliders + 1);
    k->mass = FB_TAKE(k->arena, double, k->m->n_sliders + 1);
    if (fb_arena_has_failed(k->arena)) {
        return fb_fail_memory(err);
    }
    for (int j = 0; j < n_v; j++) {
        k->own[j] = is_own(k->m, j) ? k->n : -1;
        if (k->own[j] >= 0) {
            k->v[k->n++] = j;
        }
    }
    return FB_OK;
}

static FbStatus build_solver(FbBuckling* k, FbError* err) {
    const FbPattern *vv = k->b.vv, *cv = k->b.cv;
    int size = k->n + k->n_c;
    FbPatternBuilder* builder = fb_pattern_builder_create(size, size);
    if (!builder) {
        return fb_fail_memory(err);
    }
    for (int c = 0; c < k->n; c++) {
        for (int e = vv->start[k->v[c]]; e < vv->start[k->v[c] + 1]; e++) {
            if (k->own[vv->row[e]] >= 0) {
                fb_pattern_builder_add(builder, k->own[vv->row[e]], c);
            }
        }
        for (int e = k->n_c ? cv->start[k->v[c]] : 0; k->n_c && e < cv->start[k->v[c] + 1]; e++) {
            fb_pattern_builder_add(builder, k->n + cv->row[e], c);
            fb_pattern_builder_add(builder, c, k->n + cv->row[e]);
        }
    }
    for (int i = k->n; i < size; i++) {
        fb_pattern_builder_add(builder, i, i);
    }
    FbStatus status = fb_pattern_builder_finish(builder, k->arena, &k->pattern, err);
    fb_pattern_builder_destroy(builder);
    FB_TRY(status);
    return fb_linear_create(&k->pattern, FB_LINEAR_AUTO, false, &k->solver, err);
}

// Places of K's entries among the structure's own coordinates.
static FbStatus pick_pattern(FbBuckling* k, FbError* err) {
    const FbPattern* vv = k->b.vv;
    if (k->n == vv->n_col) {
        k->pattern = *vv;
        return FB_OK;
    }
    FbPattern p = {.n_row = k->n, .n_col = k->n};
    p.start = FB_TAKE(k->arena, int, k->n + 1);
    p.row = FB_TAKE(k->arena, int, fb_pattern_count(vv) + 1);
    if (fb_arena_has_failed(k->arena)) {
        return fb_fail_memory(err);
    }
    int count = 0;
    for (int c = 0; c < k->n; c++) {  // own coordinates are in the order of all
        for (int e = vv->start[k->v[c]]; e < vv->start[k->v[c] + 1]; e++) {
            if (k->own[vv->row[e]] >= 0) {
                p.row[count++] = k->own[vv->row[e]];
            }
        }
        p.start[c + 1] = count;
    }
    k->pattern = p;
    return FB_OK;
}

void fb_buckling_fill(const FbBuckling* k, double* values) {
    const FbPattern* vv = k->b.vv;
    int count = 0;
    for (int c = 0; c < k->n; c++) {
        for (int e = vv->start[k->v[c]]; e < vv->start[k->v[c] + 1]; e++) {
            int r = k->own[vv->row[e]];
            if (r >= 0) {
                values[count++] = k->b.K[e] * k->unit[r] * k->unit[c];
            }
        }
    }
}

// Is K - e definite? Then nothing moves without stiffness: rounding is far below e.
static FbStatus check_firm(const FbBuckling* k) {
    double* values = fb_symmetric_values(k->firm);
    fb_buckling_fill(k, values);
    for (int c = 0; c < k->n; c++) {
        int at = fb_pattern_index(&k->pattern, c, c);
        if (at < 0) {
            return FB_RETRY;
        }
        values[at] -= SOFT;
    }
    return fb_symmetric_factor(k->firm, FB_SYMMETRIC_DEFINITE);
}

// Large structures without constraints: the solvers of K, where that is firm, and of K + K_G.
// FB_RETRY, and none of them: not to be had so.
static FbStatus make_quick(FbBuckling* k, FbError* err) {
    FbSystem* s = k->system;
    if (k->n_c > 0 || k->n < FB_LEAST_QUICK) {
        return FB_RETRY;
    }
    FB_TRY(pick_pattern(k, err));
    FbSymmetric* like = s->analysed ? s->analysed : fb_linear_get_symmetric(s->kkt.solver);
    FB_TRY(fb_symmetric_create_like(&k->pattern, like, &k->firm, err));
    FbStatus status = check_firm(k);
    if (status == FB_OK) {
        fb_buckling_fill(k, fb_symmetric_values(k->firm));
        status = fb_symmetric_factor(k->firm, FB_SYMMETRIC_DEFINITE);
    }
    if (status == FB_OK) {
        status = fb_symmetric_create_like(&k->pattern, k->firm, &k->loaded, err);
    }
    if (status != FB_OK) {
        fb_symmetric_destroy(k->firm);
        k->firm = NULL;
    }
    return status < 0 ? fb_fail_memory(err) : status;
}

static FbStatus list_rows(FbBuckling* k, FbError* err) {
    const FbPattern* cv = k->b.cv;
    if (k->n_c == 0) {
        return FB_OK;
    }
    k->row_start = FB_TAKE(k->arena, int, k->n_c + 2);
    k->row_col = FB_TAKE(k->arena, int, fb_pattern_count(cv) + 1);
    k->row_value = FB_TAKE(k->arena, double, fb_pattern_count(cv) + 1);
    if (fb_arena_has_failed(k->arena)) {
        return fb_fail_memory(err);
    }
    int* next = k->row_start + 1;  // where row r continues; finally its end, the start of r + 1
    for (int c = 0; c < k->n; c++) {
        for (int e = cv->start[k->v[c]]; e < cv->start[k->v[c] + 1]; e++) {
            next[cv->row[e] + 1]++;
        }
    }
    for (int r = 1; r < k->n_c; r++) {
        next[r] += next[r - 1];
    }
    for (int c = 0; c < k->n; c++) {
        for (int e = cv->start[k->v[c]]; e < cv->start[k->v[c] + 1]; e++) {
            int at = next[cv->row[e]]++;
            k->row_col[at] = c;
            k->row_value[at] = k->b.G[e];
        }
    }
    return FB_OK;
}

// About 1/sqrt(x).
static double reciprocal_root(double x) {
    int exponent;
    frexp(x, &exponent);
    return ldexp(1.0, -(int)floor(0.5 * exponent));
}

// Coordinates count by their own stiffness, or, where they have none, by what the stiffest would
// have of it; rows by what their entries come to then.
static FbStatus fill_units(FbBuckling* k, FbError* err) {
    const FbPattern* cv = k->b.cv;
    double most = 0.0;
    k->unit = FB_TAKE(k->arena, double, k->n + k->n_c + 1);
    if (!k->unit) {
        return fb_fail_memory(err);
    }
    for (int c = 0; c < k->n; c++) {
        double size = fb_model_displacement(k->m, k->v[c]);
        int e = fb_pattern_index(k->b.vv, k->v[c], k->v[c]);
        k->unit[c] = e >= 0 ? fabs(k->b.K[e]) : 0.0;
        most = fmax(most, k->unit[c] * size * size);
    }
    for (int c = 0; c < k->n; c++) {
        double size = fb_model_displacement(k->m, k->v[c]), own = k->unit[c];
        own = own > 0.0 ? own : most / (size * size);
        k->unit[c] = own > 0.0 ? reciprocal_root(own) : 1.0;
        for (int e = k->n_c ? cv->start[k->v[c]] : 0; k->n_c && e < cv->start[k->v[c] + 1]; e++) {
            double* row = &k->unit[k->n + cv->row[e]];
            *row = fmax(*row, fabs(k->b.G[e]) * k->unit[c]);
        }
    }
    for (int i = k->n; i < k->n + k->n_c; i++) {
        k->unit[i] = k->unit[i] > 0.0 ? reciprocal_root(k->unit[i] * k->unit[i]) : 1.0;
    }
    return FB_OK;
}

// *is_firm false: something moves without stiffness, which is reported elsewhere.
static FbStatus factor(FbBuckling* k, bool* is_firm, FbError* err) {
    const FbPattern *vv = k->b.vv, *cv = k->b.cv, *p = &k->pattern;
    double* values = fb_linear_values(k->solver);
    memset(values, 0, sizeof(double) * (size_t)fb_pattern_count(p));
    for (int c = 0; c < k->n; c++) {
        for (int e = vv->start[k->v[c]]; e < vv->start[k->v[c] + 1]; e++) {
            int r = k->own[vv->row[e]];
            if (r >= 0) {
                values[fb_pattern_index(p, r, c)] = k->b.K[e] * k->unit[r] * k->unit[c];
            }
        }
        for (int e = k->n_c ? cv->start[k->v[c]] : 0; k->n_c && e < cv->start[k->v[c] + 1]; e++) {
            int r = k->n + cv->row[e];
            double value = k->b.G[e] * k->unit[c] * k->unit[r];
            values[fb_pattern_index(p, r, c)] = values[fb_pattern_index(p, c, r)] = value;
        }
    }
    for (int i = k->n; i < k->n + k->n_c; i++) {
        values[fb_pattern_index(p, i, i)] = -SOFT;
    }
    FbStatus status = fb_linear_factor(k->solver);
    *is_firm = status == FB_OK && fb_linear_rcond(k->solver) > NOT_FIRM;
    return status < 0 ? fb_fail_memory(err) : FB_OK;
}

const FbBeamElement* fb_buckling_element_of(const FbBuckling* k, int i, double* along) {
    const FbSlider* slider = &k->m->sliders[i];
    if (!fb_slider_is_on_linear(slider)) {
        return NULL;
    }
    int at = slider->n_pieces - 1;
    while (at > 0 && k->at[i] < slider->pieces[at].start) {
        at--;
    }
    const FbGuidePiece* piece = &slider->pieces[at];
    const FbBeamElement* e = piece->element;
    double x = fmin(fmax(k->at[i] - piece->start, 0.0), e->beam.length);
    *along = piece->is_reversed ? e->beam.length - x : x;
    return e;
}

FbVec3 fb_buckling_weight(const FbBuckling* k, const FbSlider* slider, const FbBeamElement* e) {
    FbVec3 g = k->m->tree.gravity, axis = fb_mat3_col(&e->base.R_drawn, 0);
    return slider->coordinate_v >= 0 ? fb_axpy(-fb_dot(axis, g), axis, g) : g;
}

static void add_slider_load(FbBuckling* k, int i) {
    double along, h[4][4];
    const FbBeamElement* e = fb_buckling_element_of(k, i, &along);
    if (!e) {
        return;
    }
    FbVec3 force = fb_scale(k->mass[i], fb_buckling_weight(k, &k->m->sliders[i], e));
    fb_field_calc_shapes(e->beam.length, along / e->beam.length, h);
    const FbPortPath* path = fb_field_path(e);
    for (int c = 0; c < path->n; c++) {
        int row = k->own[path->v[c]];
        for (int j = 0; row >= 0 && j < 4; j++) {
            k->u[row] += h[0][j] * fb_dot(fb_vec3_from(e->EJ0 + c * FB_BEAM_DOF + 3 * j), force);
        }
    }
}

void fb_buckling_solve(FbBuckling* k) {
    memset(k->u, 0, sizeof(double) * (size_t)(k->n + k->n_c));
    memcpy(k->u, k->load, sizeof(double) * (size_t)k->n);
    for (int i = 0; i < k->m->n_sliders; i++) {
        add_slider_load(k, i);
    }
    for (int i = 0; i < k->n; i++) {
        k->u[i] *= k->unit[i];
    }
    if (k->firm) {
        fb_symmetric_solve(k->firm, k->u);
    } else {
        fb_linear_solve(k->solver, k->u);
    }
    for (int i = 0; i < k->n; i++) {
        k->u[i] *= k->unit[i];
    }
    for (int j = 0; j < k->m->tree.n_v; j++) {
        k->dq[j] = k->own[j] >= 0 ? k->u[k->own[j]] : 0.0;
    }
}

// Weight and load of elements along their axes, which the tension changes by from end to end.
static void find_loads_along(FbBuckling* k, const FbPoint* p) {
    for (int i = 0; i < k->m->n_beams; i++) {
        const FbBeamElement* e = &k->m->beams[i];
        FbVec3 q = fb_scale(e->beam.mass_per_length, k->m->tree.gravity);
        if (e->is_linear && fb_beam_has_load(e)) {
            double f[FB_BEAM_DOF];  // half of what resists the load, at each end (eq. 8.33)
            fb_beam_calc_load(k->system, p, e, f);
            q = fb_axpy(-2.0 / e->beam.length, fb_vec3_from(f), q);
        }
        k->along[i] = e->is_linear ? fb_dot(fb_mat3_col(&e->base.R_drawn, 0), q) : 0.0;
    }
}

// Forces and stiffness of the drawing at rest, without sliders.
static FbStatus calc_statics(FbBuckling* k, double t, double* x, FbBlocks* b, FbError* err) {
    FbSystem* s = k->system;
    FbPoint p = {.t = t,
                 .q = k->m->q_drawn,
                 .v = s->zero_v,
                 .a = s->zero_v,
                 .x = x,
                 .lambda = s->ahead.lambda};
    bool was_held = s->is_held;
    memset(p.lambda, 0, sizeof(double) * (size_t)k->m->n_rows);
    s->is_held = s->has_no_sliders = true;
    FbStatus status =
        s->dynamics.ops->residual(&s->dynamics, &p, s->work_v[0], s->ahead.x, s->all_lambda);
    for (int i = 0; i < k->n; i++) {
        k->load[i] = -s->work_v[0][k->v[i]];
    }
    find_loads_along(k, &p);
    status = status == FB_OK ? s->dynamics.ops->jacobian(&s->dynamics, &p, b, err) : status;
    s->is_held = was_held;
    s->has_no_sliders = false;
    return status;
}

static bool is_loaded(const FbBuckling* k) {
    FbVec3 g = k->m->tree.gravity;
    double sum = k->m->n_sliders > 0 ? fb_dot(g, g) : 0.0;
    for (int i = 0; i < k->n; i++) {
        sum += fabs(k->load[i]);
    }
    return sum > 0.0;
}

FbStatus fb_buckling_prepare(FbBuckling* k, const FbPoint* p, bool* is_ready, FbError* err) {
    *is_ready = false;
    FB_TRY(take(k, err));
    if (k->n == 0 || k->n > FB_MOST_EXAMINED) {
        return FB_OK;
    }
    FbStatus status = calc_statics(k, p->t, p->x, &k->b, err);
    if (status != FB_OK) {
        return status < 0 ? status : FB_OK;  // the run will meet it, and say more
    }
    if (!is_loaded(k)) {
        return FB_OK;
    }
    FB_TRY(list_rows(k, err));
    FB_TRY(fill_units(k, err));
    status = make_quick(k, err);
    *is_ready = status == FB_OK;
    if (status <= 0) {
        return status;
    }
    FB_TRY(build_solver(k, err));
    return factor(k, is_ready, err);
}
