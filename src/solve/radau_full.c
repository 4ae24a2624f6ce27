// Full Newton iteration for the stages of a Radau step, with the blocks evaluated at every stage.
//
// Where constraints become dependent for an instant (a parallelogram that passes through its flat
// position), a row of G changes sign inside the step and the simplified iteration, which freezes G
// at the step's start, cannot converge for any step that crosses. With A and h as in radau_newton.c
// the increments solve, for all stages i at once (eq. 5.8),
//
//   M_i da_i + sum_j (h A_ij C_i + h^2 (A^2)_ij K_i) da_j
//            + sum_j h A_ij Rx_i dk_j + G_i' dl_i            = -r_i
//   dk_i - sum_j (h A_ij Xv_i + h^2 (A^2)_ij Xq_i) da_j
//        - sum_j h A_ij Xx_i dk_j                            = -s_i
//   sum_j (A_ij G_i + h (A^2)_ij Gq_i) da_j                  = -gdot_i / h
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/linear.h"
#include "solve/radau.h"

enum { MAX_FULL_ITERATIONS = 10 };
// Increments that no longer shrink are taken for rounding noise below this part of the tolerance.
static const double NOISE = 1e-2;

// Work of the blocks of one stage and their share of the factorization, counted in residuals.
static const double FULL_WORK = 8.0;

struct FbRadauFull {
    FbArena* arena;
    FbPattern pattern;
    FbLinear* solver;
    int s, n_v, n_x, n_c, n;  // n: unknowns of one stage
    const FbPattern *vv, *cv;
    double* rhs;
};

void fb_radau_full_destroy(FbRadauFull* f) {
    if (f) {
        fb_linear_destroy(f->solver);
        fb_arena_destroy(f->arena);
        free(f);
    }
}

static void add_block(FbPatternBuilder* b, const FbPattern* p, int row0, int col0) {
    for (int col = 0; col < p->n_col; col++) {
        for (int e = p->start[col]; e < p->start[col + 1]; e++) {
            fb_pattern_builder_add(b, row0 + p->row[e], col0 + col);
        }
    }
}

static void add_full_block(FbPatternBuilder* b, int n_row, int n_col, int row0, int col0) {
    for (int i = 0; i < n_row; i++) {
        for (int j = 0; j < n_col; j++) {
            fb_pattern_builder_add(b, row0 + i, col0 + j);
        }
    }
}

static void add_stage_pair(const FbRadauFull* f, FbPatternBuilder* b, int i, int j) {
    int row = i * f->n, col = j * f->n;
    add_block(b, f->vv, row, col);
    add_full_block(b, f->n_v, f->n_x, row, col + f->n_v);
    add_full_block(b, f->n_x, f->n_v + f->n_x, row + f->n_v, col);
    add_block(b, f->cv, row + f->n_v + f->n_x, col);
    for (int v = 0; i == j && v < f->n_v; v++) {
        for (int e = f->cv->start[v]; e < f->cv->start[v + 1]; e++) {
            fb_pattern_builder_add(b, row + v, col + f->n_v + f->n_x + f->cv->row[e]);
        }
    }
}

static FbStatus create(FbRadau* r, const FbBlocks* blocks, int s, FbRadauFull** out, FbError* err) {
    FbRadauFull* f = calloc(1, sizeof *f);
    *out = f;
    if (!f || !(f->arena = fb_arena_create())) {
        return fb_fail_memory(err);
    }
    f->s = s;
    f->n_v = r->size.n_v;
    f->n_x = r->size.n_x;
    f->n_c = r->size.n_c;
    f->n = f->n_v + f->n_x + f->n_c;
    f->vv = blocks->vv;
    f->cv = blocks->cv;
    f->rhs = FB_TAKE(f->arena, double, s * f->n + 1);
    FbPatternBuilder* b = fb_pattern_builder_create(s * f->n, s * f->n);
    if (!b || !f->rhs) {
        fb_pattern_builder_destroy(b);
        return fb_fail_memory(err);
    }
    for (int i = 0; i < s; i++) {
        for (int j = 0; j < s; j++) {
            add_stage_pair(f, b, i, j);
        }
    }
    FbStatus status = fb_pattern_builder_finish(b, f->arena, &f->pattern, err);
    fb_pattern_builder_destroy(b);
    return status == FB_OK ? fb_linear_create(&f->pattern, FB_LINEAR_AUTO, false, &f->solver, err)
                           : status;
}

static bool fits(const FbRadauFull* f, const FbRadau* r, const FbBlocks* blocks, int s) {
    return f && f->solver && f->s == s && f->vv == blocks->vv && f->cv == blocks->cv &&
           f->n_v == r->size.n_v && f->n_x == r->size.n_x && f->n_c == r->size.n_c;
}

int fb_radau_full_stages(const FbRadauFull* f) {
    return f ? f->s : 0;
}

FbStatus fb_radau_full_prepare(FbRadau* r, const FbBlocks* blocks, int s, FbError* err) {
    if (fits(r->full, r, blocks, s)) {
        return FB_OK;
    }
    fb_radau_full_destroy(r->full);
    return create(r, blocks, s, &r->full, err);
}

// values of one pattern's block, at (row0, col0), plus factor * from
static void add_values(const FbRadauFull* f, double* values, const FbPattern* p, const double* from,
                       double factor, int row0, int col0) {
    for (int col = 0; col < p->n_col && factor != 0.0; col++) {
        for (int e = p->start[col]; e < p->start[col + 1]; e++) {
            values[fb_pattern_index(&f->pattern, row0 + p->row[e], col0 + col)] += factor * from[e];
        }
    }
}

static void add_dense(const FbRadauFull* f, double* values, int n_row, int n_col,
                      const double* from, double factor, int row0, int col0) {
    for (int j = 0; j < n_col; j++) {
        for (int i = 0; i < n_row; i++) {
            values[fb_pattern_index(&f->pattern, row0 + i, col0 + j)] +=
                factor * from[(size_t)j * (size_t)n_row + (size_t)i];
        }
    }
}

// All rows of stage i from its blocks.
static void fill_stage(const FbRadauFull* f, const FbRadauMethod* m, double h, int i,
                       const FbBlocks* b, double* values) {
    int row = i * f->n, n_v = f->n_v, n_x = f->n_x;
    for (int j = 0; j < m->s; j++) {
        double a = m->A[i][j], a2 = 0.0;
        int col = j * f->n;
        for (int k = 0; k < m->s; k++) {
            a2 += m->A[i][k] * m->A[k][j];
        }
        add_values(f, values, f->vv, b->M, i == j ? 1.0 : 0.0, row, col);
        add_values(f, values, f->vv, b->C, h * a, row, col);
        add_values(f, values, f->vv, b->K, h * h * a2, row, col);
        add_values(f, values, f->cv, b->G, a, row + n_v + n_x, col);
        add_values(f, values, f->cv, b->Gq, h * a2, row + n_v + n_x, col);
        if (n_x > 0) {
            add_dense(f, values, n_v, n_x, b->Rx, h * a, row, col + n_v);
            add_dense(f, values, n_x, n_v, b->Xv, -h * a, row + n_v, col);
            add_dense(f, values, n_x, n_v, b->Xq, -h * h * a2, row + n_v, col);
            add_dense(f, values, n_x, n_x, b->Xx, -h * a, row + n_v, col + n_v);
        }
    }
    for (int k = 0; k < n_x; k++) {
        values[fb_pattern_index(&f->pattern, row + n_v + k, row + n_v + k)] += 1.0;
    }
    for (int v = 0; v < n_v; v++) {
        for (int e = f->cv->start[v]; e < f->cv->start[v + 1]; e++) {
            values[fb_pattern_index(&f->pattern, row + v, row + n_v + n_x + f->cv->row[e])] +=
                b->G[e];
        }
    }
}

// The unknowns and rows of every stage in units.
static void scale_values(const FbRadauFull* f, const double* unit, double* values) {
    for (int j = 0; j < f->pattern.n_col; j++) {
        for (int k = f->pattern.start[j]; k < f->pattern.start[j + 1]; k++) {
            values[k] *= unit[f->pattern.row[k] % f->n] * unit[j % f->n];
        }
    }
}

static void scale_vector(const FbRadauFull* f, const double* unit, double* x) {
    for (int i = 0; i < f->s * f->n; i++) {
        x[i] *= unit[i % f->n];
    }
}

// Blocks at all stages, the matrix and its factors.
static FbStatus factor_stages(FbRadau* r, FbCollocation* c) {
    FbDynamics* d = r->base.dynamics;
    const FbRadauMethod* m = c->method;
    FbError err;
    double* values = NULL;
    for (int i = 0; i < m->s; i++) {
        FbBlocks b;
        fb_radau_plus(r, c->start.q, r->xi + i * r->size.n_v, r->q_stage);
        FbPoint p = {.t = c->t + m->c[i] * c->h,
                     .q = r->q_stage,
                     .v = r->V + i * r->size.n_v,
                     .a = c->a + i * r->size.n_v,
                     .x = r->x + i * r->size.n_x,
                     .lambda = c->lambda + i * r->size.n_c};
        FbStatus status = d->ops->jacobian(d, &p, &b, &err);
        r->stats.jacobian_evals++;
        r->work_done += FULL_WORK;
        if (status == FB_OK) {
            status = fb_radau_full_prepare(r, &b, m->s, &err);
        }
        if (status != FB_OK) {
            return status;
        }
        if (i == 0) {
            values = fb_linear_values(r->full->solver);
            memset(values, 0, sizeof(double) * (size_t)fb_pattern_count(&r->full->pattern));
        }
        fill_stage(r->full, m, c->h, i, &b, values);
    }
    assert(values);  // every method has stages
    r->stats.factorizations++;
    scale_values(r->full, fb_newton_matrix_units(r->matrix), values);
    return fb_linear_factor(r->full->solver);
}

static void apply_increment(FbRadau* r, FbCollocation* c) {
    FbRadauFull* f = r->full;
    const FbRadauMethod* m = c->method;
    int n_v = f->n_v, n_x = f->n_x, n_c = f->n_c;
    for (int i = 0; i < m->s; i++) {
        double* b = f->rhs + i * f->n;
        for (int k = 0; k < n_v; k++) {
            b[k] = -r->R[i * n_v + k];
        }
        for (int k = 0; k < n_x; k++) {
            b[n_v + k] = -r->S[i * n_x + k];
        }
        for (int k = 0; k < n_c; k++) {
            b[n_v + n_x + k] = -r->D[i * n_c + k] / c->h;
        }
    }
    const double* unit = fb_newton_matrix_units(r->matrix);
    scale_vector(f, unit, f->rhs);
    fb_linear_solve(f->solver, f->rhs);
    scale_vector(f, unit, f->rhs);
    for (int i = 0; i < m->s; i++) {
        const double* b = f->rhs + i * f->n;
        for (int k = 0; k < n_v; k++) {
            c->a[i * n_v + k] += b[k];
        }
        for (int k = 0; k < n_x; k++) {
            c->x_rates[i * n_x + k] += b[n_v + k];
        }
        for (int k = 0; k < n_c; k++) {
            c->lambda[i * n_c + k] += b[n_v + n_x + k];
        }
    }
}

FbStatus fb_radau_full_newton(FbRadau* r, FbCollocation* c, FbNewtonReport* report) {
    double tolerance = fb_radau_newton_tolerance(r), before = INFINITY;
    const FbDynamics* d = r->base.dynamics;
    report->shrink = 0.5;
    for (int k = 1; k <= MAX_FULL_ITERATIONS; k++) {
        report->iterations = k;
        FbStatus status = fb_radau_evaluate(r, c);
        if (status == FB_OK) {
            status = factor_stages(r, c);
        }
        if (status != FB_OK) {
            return status;
        }
        apply_increment(r, c);
        fb_radau_update_stages(r, c, &report->worst);
        for (int i = 0; d->n_ball > 0 && i < c->method->s; i++) {
            int at = i * r->size.n_v;
            d->ops->chart_rate(d, r->xi + at, r->V + at, c->xi_rate + at);
        }
        if (d->n_ball > 0) {
            FbWorst ignored;
            fb_radau_update_stages(r, c, &ignored);
        }
        r->stats.newton_iterations++;
        double size = report->worst.value;
        if (size <= tolerance || (k > 1 && size < 1.0 && size * size / before < tolerance)) {
            report->is_full = c->is_lambda_good = true;
            report->theta = 0.3;  // as an honest guess for the next steps: they should not grow now
            return FB_OK;
        }
        if (k > 2 && !(size < 0.5 * before)) {
            report->is_full = c->is_lambda_good = true;
            report->theta = 0.3;
            return size < NOISE ? FB_OK : FB_RETRY;  // rounding, blown up by a nearly singular G,
                                                     // ends the convergence
        }
        before = size;
    }
    return FB_RETRY;
}

// Memory for as many stages as there were is taken when loading.
void fb_radau_full_remember(FbRadau* r, FbMemory* m) {
    int own = r->full ? r->full->s : 0, s = own;
    fb_memory_index(m, &s, 0, FB_RADAU_MAX_STAGES);
    if (m->is_loading && !m->has_failed && s != own && s > 0 && r->full) {
        FbError ignored;
        FbBlocks patterns = {.vv = r->full->vv, .cv = r->full->cv};
        m->has_failed = fb_radau_full_prepare(r, &patterns, s, &ignored) < 0;
    }
    m->has_failed = m->has_failed || s != (r->full ? r->full->s : 0);
    if (r->full && !m->has_failed) {
        fb_linear_remember(r->full->solver, m);
    }
}
