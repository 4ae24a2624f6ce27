// Forward dynamics with constraints: the system [M G'; G -e] (a, lambda), which projections share.
//
// The tiny e keeps the matrix regular where G momentarily loses rank; iterative refinement with the
// exact matrix removes its effect elsewhere (theory manual, eqs. 4.5-4.7).
#include <float.h>
#include <math.h>
#include <string.h>

#include "system/part.h"

// Relative to (G M^-1 G') of the row: for accelerations only against exact singularity; for
// projections larger, so that near a position where constraints become dependent rounding errors
// are not blown up into the directions that they barely hold.
static const double REGULARIZATION = 1e-13;
static const double PROJECTION_REGULARIZATION = 1e-8;
// Of a row's natural size (squared): it counts as at least that large where it vanishes.
static const double LEAST_SIZE = 1e-6;
// Corrections of the accelerations, and what one of them may change, of all, to be followed by
// another: more is a singular position.
enum { MAX_CORRECTIONS = 12 };
static const double CONTRACTION = 0.5;

static void fill_pattern(FbPatternBuilder* b, const FbPattern* vv, const FbPattern* cv, int n_v,
                         int n_c) {
    for (int col = 0; col < n_v; col++) {
        for (int i = vv->start[col]; i < vv->start[col + 1]; i++) {
            fb_pattern_builder_add(b, vv->row[i], col);
        }
        for (int i = cv->start[col]; i < cv->start[col + 1]; i++) {
            fb_pattern_builder_add(b, n_v + cv->row[i], col);
            fb_pattern_builder_add(b, col, n_v + cv->row[i]);
        }
    }
    for (int c = 0; c < n_c; c++) {
        fb_pattern_builder_add(b, n_v + c, n_v + c);
    }
}

static void fill_maps(FbKkt* kkt, const FbPattern* vv, const FbPattern* cv, int n_v, int n_c) {
    for (int col = 0; col < n_v; col++) {
        for (int i = vv->start[col]; i < vv->start[col + 1]; i++) {
            kkt->of_M[i] = fb_pattern_index(&kkt->pattern, vv->row[i], col);
        }
        for (int i = cv->start[col]; i < cv->start[col + 1]; i++) {
            kkt->of_G[i] = fb_pattern_index(&kkt->pattern, n_v + cv->row[i], col);
            kkt->of_Gt[i] = fb_pattern_index(&kkt->pattern, col, n_v + cv->row[i]);
        }
    }
    for (int c = 0; c < n_c; c++) {
        kkt->of_diagonal[c] = fb_pattern_index(&kkt->pattern, n_v + c, n_v + c);
    }
}

// Without rows the matrix is M.
static FbStatus build_pattern(FbSystem* s, FbError* err) {
    FbKkt* kkt = &s->kkt;
    int n_v = s->dynamics.size.n_v, n_c = s->dynamics.size.n_c, n = n_v + n_c;
    if (n_c == 0) {
        kkt->pattern = s->m->vv;
        return FB_OK;
    }
    FbPatternBuilder* builder = fb_pattern_builder_create(n, n);
    if (!builder) {
        return fb_fail_memory(err);
    }
    fill_pattern(builder, &s->m->vv, &s->cv, n_v, n_c);
    FbStatus status = fb_pattern_builder_finish(builder, s->row_arena, &kkt->pattern, err);
    fb_pattern_builder_destroy(builder);
    FB_TRY(status);
    kkt->of_M = FB_TAKE(s->row_arena, int, fb_pattern_count(&s->m->vv) + 1);
    return FB_OK;
}

FbStatus fb_kkt_create(FbSystem* s, FbError* err) {
    FbKkt* kkt = &s->kkt;
    int n_v = s->dynamics.size.n_v, n_c = s->dynamics.size.n_c, n = n_v + n_c;
    memset(kkt, 0, sizeof(*kkt));
    if (s->m->is_deep) {
        return FB_OK;  // no rows, and accelerations by articulated bodies
    }
    FB_TRY(build_pattern(s, err));
    kkt->of_G = FB_TAKE(s->row_arena, int, fb_pattern_count(&s->cv) + 1);
    kkt->of_Gt = FB_TAKE(s->row_arena, int, fb_pattern_count(&s->cv) + 1);
    kkt->of_diagonal = FB_TAKE(s->row_arena, int, n_c + 1);
    kkt->scale = FB_TAKE(s->row_arena, double, n + 1);
    kkt->rhs = FB_TAKE(s->row_arena, double, n + 1);
    kkt->correction = FB_TAKE(s->row_arena, double, 2 * n + 1);
    kkt->q = FB_TAKE(s->row_arena, double, s->dynamics.size.n_q + 1);
    if (fb_arena_has_failed(s->row_arena)) {
        return fb_fail_memory(err);
    }
    if (n_c > 0) {
        fill_maps(kkt, &s->m->vv, &s->cv, n_v, n_c);
    }
    return fb_linear_create(&kkt->pattern, FB_LINEAR_SYMMETRIC, false, &kkt->solver, err);
}

void fb_system_get_patterns(const FbSystem* s, const FbPattern** vv, const FbPattern** cv) {
    *vv = &s->m->vv;
    *cv = &s->cv;
}

const FbLinear* fb_system_get_mass_solver(const FbSystem* s) {
    return s->m->n_rows == 0 ? s->kkt.solver : NULL;
}

void fb_kkt_destroy(FbSystem* s) {
    fb_linear_destroy(s->kkt.solver);
    s->kkt.solver = NULL;
}

void fb_kkt_reset(FbSystem* s) {
    s->kkt.is_factored = s->kkt.is_projection = s->kkt.was_regular = s->kkt.has_constant = false;
    fb_linear_reset(s->kkt.solver);
}

// About 1/sqrt(x), as a power of two so that scaling does not round.
static double reciprocal_root(double x) {
    int exponent;
    frexp(x, &exponent);
    return ldexp(1.0, -(int)floor(0.5 * exponent));
}

// Velocities count by their inertia, rows by what their units come to then; not by the entries of G
// as they are, which vanish where constraints become dependent.
static void calc_scale(FbSystem* s) {
    const FbModel* m = s->m;
    int n_v = s->dynamics.size.n_v, n_c = s->dynamics.size.n_c;
    double *scale = s->kkt.scale, *size = scale + n_v;
    memset(size, 0, sizeof(double) * (size_t)n_c);
    for (int col = 0; col < n_v; col++) {
        double mass = s->blocks.M[fb_at(&m->vv, col, col)], unit = m->unit_v[col];
        double natural = m->mass * (m->length / unit) * (m->length / unit);
        scale[col] = reciprocal_root(mass > 0.0 ? mass : natural);
        double share = scale[col] / unit * (scale[col] / unit);
        for (int i = s->cv.start[col]; i < s->cv.start[col + 1]; i++) {
            size[s->cv.row[i]] += share;
        }
    }
    for (int c = 0; c < n_c; c++) {
        double unit = m->rows[s->active[c]].unit;
        size[c] = size[c] > 0.0 ? reciprocal_root(size[c] * unit * unit) : 1.0;
    }
}

// The scaled matrix; `regularization` is relative to (G M^-1 G') of each row, but at least to a
// small part of its natural size.
static void fill_values(FbSystem* s, double regularization) {
    const FbBlocks* b = &s->blocks;
    const FbKkt* kkt = &s->kkt;
    const double* scale = kkt->scale;
    int n_v = s->dynamics.size.n_v, n_c = s->dynamics.size.n_c;
    double* values = fb_linear_values(kkt->solver);
    memset(values, 0, sizeof(double) * (size_t)fb_pattern_count(&kkt->pattern));
    for (int col = 0; col < n_v; col++) {
        for (int i = s->m->vv.start[col]; i < s->m->vv.start[col + 1]; i++) {
            int at = kkt->of_M ? kkt->of_M[i] : i;
            values[at] = b->M[i] * scale[s->m->vv.row[i]] * scale[col];
        }
        for (int i = s->cv.start[col]; i < s->cv.start[col + 1]; i++) {
            int c = s->cv.row[i];
            double g = b->G[i] * scale[n_v + c] * scale[col];
            values[kkt->of_G[i]] = values[kkt->of_Gt[i]] = g;
            values[kkt->of_diagonal[c]] += g * g;
        }
    }
    for (int c = 0; c < n_c; c++) {
        double* diagonal = &values[kkt->of_diagonal[c]];
        *diagonal = -regularization * fmax(*diagonal, LEAST_SIZE);
    }
}

// Have linear structures alone inertia? Then their constant matrix is M.
static bool has_constant_mass(const FbModel* m) {
    bool is_constant = m->linear_M && m->n_rows == 0 && m->n_sliders == 0;
    for (int i = 0; is_constant && i < m->n_beams; i++) {
        is_constant = m->beams[i].is_linear;
    }
    for (int l = 0; is_constant && l < m->tree.n_link; l++) {
        is_constant = !m->tree.links[l].has_mass;
    }
    return is_constant;
}

// Needs the position (and the terms of the active rows) realized at q.
FbStatus fb_kkt_factor(FbSystem* s, const double* q, bool is_projection, FbError* err) {
    FbBlocks* b = &s->blocks;
    FbKkt* kkt = &s->kkt;
    if (kkt->has_constant) {
        kkt->is_factored = true;
        kkt->is_projection = is_projection;
        memcpy(kkt->q, q, sizeof(double) * (size_t)s->dynamics.size.n_q);
        return FB_OK;
    }
    memset(b->M, 0, sizeof(double) * (size_t)fb_pattern_count(&s->m->vv));
    memset(b->G, 0, sizeof(double) * (size_t)fb_pattern_count(&s->cv));
    fb_tree_add_mass_matrix(&s->m->tree, &s->k, &s->m->vv, b->M);
    fb_parts_add_mass(s, q, b->M);
    fb_rows_add_blocks(s, NULL, b);
    calc_scale(s);
    fill_values(s, is_projection ? PROJECTION_REGULARIZATION : REGULARIZATION);
    memcpy(kkt->q, q, sizeof(double) * (size_t)s->dynamics.size.n_q);
    FbStatus status = fb_linear_factor(kkt->solver);
    kkt->is_factored = status == FB_OK;
    kkt->is_projection = is_projection;
    kkt->has_constant = kkt->is_factored && has_constant_mass(s->m);
    return kkt->is_factored ? FB_OK : fb_system_fail_factor(s, status, kkt->solver, err);
}

void fb_kkt_solve(FbSystem* s, double* x) {
    int n = s->dynamics.size.n_v + s->dynamics.size.n_c;
    const double* scale = s->kkt.scale;
    for (int i = 0; i < n; i++) {
        x[i] *= scale[i];
    }
    fb_linear_solve(s->kkt.solver, x);
    for (int i = 0; i < n; i++) {
        x[i] *= scale[i];
    }
}

// rest -= K x with the matrix without regularization.
static void subtract_product(FbSystem* s, const double* x, double* rest) {
    int n_v = s->dynamics.size.n_v;
    const double* M = s->kkt.has_constant ? s->m->linear_M : s->blocks.M;
    fb_pattern_multiply(&s->m->vv, M, -1.0, x, rest);
    fb_pattern_multiply_transposed(&s->cv, s->blocks.G, -1.0, x + n_v, rest);
    fb_pattern_multiply(&s->cv, s->blocks.G, -1.0, x, rest + n_v);
}

// Adds a correction; returns its size, of that of the solution, in scaled unknowns.
static double add_correction(const FbSystem* s, const double* correction, double* x) {
    double size = 0.0, change = 0.0;
    for (int i = 0; i < s->dynamics.size.n_v + s->dynamics.size.n_c; i++) {
        change = fmax(change, fabs(correction[i]) / s->kkt.scale[i]);
        x[i] += correction[i];
        size = fmax(size, fabs(x[i]) / s->kkt.scale[i]);
    }
    return size > 0.0 ? change / size : 0.0;
}

// Solves with refinement against the matrix without regularization; `x` [n_v + n_c] holds the right
// side, then the solution. One correction is enough except where light bodies hold heavy ones
// together: the regularization then is not small against what G M^-1 G' has in that direction, and
// each correction removes all but the part that it found.
void fb_kkt_solve_refined(FbSystem* s, double* x) {
    int n = s->dynamics.size.n_v + s->dynamics.size.n_c;
    double *rest = s->kkt.correction, *correction = rest + n, before = CONTRACTION;
    memcpy(rest, x, sizeof(double) * (size_t)n);
    fb_kkt_solve(s, x);
    subtract_product(s, x, rest);
    for (int i = 0; i < MAX_CORRECTIONS; i++) {
        memcpy(correction, rest, sizeof(double) * (size_t)n);
        fb_kkt_solve(s, correction);
        double part = add_correction(s, correction, x);
        if (part * part < DBL_EPSILON || !(part < CONTRACTION * before)) {
            break;
        }
        before = part;
        subtract_product(s, correction, rest);
    }
}

// At p the accelerations are not determined. Where they were before, or where p itself is not
// finite, it is a trial point far off; else the model is to blame.
static FbStatus fail_at(FbSystem* s, const FbPoint* p, int velocity, FbError* err) {
    bool is_finite = fb_is_finite(p->q, s->m->tree.n_q) && fb_is_finite(p->v, s->m->tree.n_v);
    if (s->kkt.was_regular || !is_finite) {
        fb_system_explain(s, p, velocity);
        return FB_RETRY;
    }
    return fb_system_fail_singular(s, velocity, err);
}

static FbStatus tree_accelerations(FbSystem* s, FbPoint* p, FbError* err) {
    fb_tree_clear_forces(&s->m->tree, &s->k);
    fb_parts_apply(s, p, s->zero_v);
    int bad = fb_tree_calc_accelerations(&s->m->tree, &s->k, p->a);
    if (bad >= 0) {
        return fail_at(s, p, bad, err);
    }
    s->kkt.was_regular = true;
    return FB_OK;
}

// g'' = G a + bias; the bias has the terms' own part and the law's second derivative.
static double row_bias(const FbSystem* s, int r, double t) {
    const FbRow* row = &s->m->rows[r];
    double sum = row->carriage ? s->carriages[row->carriage - 1].bias[row->component] : 0.0;
    for (int i = row->term; i < row->term + row->n_terms; i++) {
        sum += s->m->terms[i].factor *
               fb_term_calc_acceleration_bias(&s->m->terms[i], &s->k, &s->term[i]);
    }
    if (row->law >= 0) {
        double law[3];
        fb_law_now(s, row->law, t, law);
        sum -= law[2];
    }
    return sum;
}

FbStatus fb_system_accelerations(FbDynamics* d, FbPoint* p, FbError* err) {
    FbSystem* s = fb_system_of(d);
    int n_v = d->size.n_v, n_c = d->size.n_c;
    if (!fb_slides_solve(s, p)) {
        return FB_RETRY;
    }
    fb_turns_predict(s, p->t);
    fb_system_realize(s, p->q, p->v, NULL);
    FbStatus status;
    if (n_c == 0 && !s->m->has_structures) {
        status = tree_accelerations(s, p, err);
    } else {
        double* x = s->kkt.rhs;
        fb_parts_realize(s, p);
        fb_rows_realize(s, p->q, p->v, true);
        status = fb_kkt_factor(s, p->q, false, err);
        fb_tree_realize_acceleration(&s->m->tree, s->zero_v, &s->k);
        fb_tree_clear_forces(&s->m->tree, &s->k);
        fb_parts_apply(s, p, s->zero_v);
        fb_tree_calc_residual(&s->m->tree, &s->k, x);
        fb_carriages_calc_bias(s, p);
        for (int c = 0; c < n_c; c++) {
            x[n_v + c] = row_bias(s, s->active[c], p->t);
        }
        for (int i = 0; i < n_v + n_c; i++) {
            x[i] = -x[i];
        }
        if (status == FB_OK) {
            fb_kkt_solve_refined(s, x);
            memcpy(p->a, x, sizeof(double) * (size_t)n_v);
            memcpy(p->lambda, x + n_v, sizeof(double) * (size_t)n_c);
            s->kkt.was_regular = true;
        } else if (status == FB_ERR_SINGULAR) {
            return fail_at(s, p, fb_linear_bad_column(s->kkt.solver), err);
        }
    }
    if (status == FB_OK && !fb_is_finite(p->a, n_v)) {
        fb_system_explain(s, p, -1);
        return FB_RETRY;
    }
    return status;
}

bool fb_kkt_is_at(const FbSystem* s, const double* q) {
    return s->kkt.is_factored && !s->kkt.is_projection &&
           memcmp(s->kkt.q, q, sizeof(double) * (size_t)s->dynamics.size.n_q) == 0;
}
