// Constraints of a Gauss step: the step is taken between two points beside the constraints, which
// equal multipliers connect with its ends (theory manual, eq. 5.52). So it stays symmetric.
//
// Hairer, Symmetric projection methods for differential equations on manifolds, BIT 40 (2000).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve/gauss.h"
#include "solve/point.h"

// The directions D G' of the rows at one point; D weighs coordinates by their inertia.
typedef struct Directions {
    double *D, *G;  // [n_v], [count cv]
} Directions;

struct FbGaussRows {
    FbArena* arena;
    FbPattern cv;  // of G
    Directions start, end;
    double *mu, *nu;          // [n_c] multipliers of positions and velocities
    double *zero_v, *zero_c;  // blocks that are left out, [count vv], [count cv]
    double* zero_x;
    double* M;  // [count vv] 1/D on the diagonal
    FbNewtonMatrix* matrix;
    double *b, *shift, *g, *r, *c;
};

void fb_gauss_rows_destroy(FbGaussRows* r) {
    if (r) {
        fb_newton_matrix_destroy(r->matrix);
        fb_arena_destroy(r->arena);
        free(r);
    }
}

static void take_arrays(FbGaussRows* r, const FbSizes* n, const FbBlocks* blocks) {
    FbArena* a = r->arena;
    int vv = fb_pattern_count(blocks->vv), cv = fb_pattern_count(blocks->cv);
    Directions* both[] = {&r->start, &r->end};
    for (int i = 0; i < 2; i++) {
        both[i]->D = FB_TAKE(a, double, n->n_v + 1);
        both[i]->G = FB_TAKE(a, double, cv + 1);
    }
    r->mu = FB_TAKE(a, double, n->n_c + 1);
    r->nu = FB_TAKE(a, double, n->n_c + 1);
    r->zero_v = FB_TAKE(a, double, vv + 1);
    r->zero_c = FB_TAKE(a, double, cv + 1);
    r->zero_x = FB_TAKE(a, double, (n->n_v + n->n_x) * n->n_x + 1);
    r->M = FB_TAKE(a, double, vv + 1);
    r->b = FB_TAKE(a, double, n->n_v + n->n_x + n->n_c + 1);
    r->shift = FB_TAKE(a, double, n->n_v + 1);
    r->g = FB_TAKE(a, double, n->n_c + 1);
    r->r = FB_TAKE(a, double, n->n_v + 1);
    r->c = FB_TAKE(a, double, n->n_x + 1);
    r->cv = *blocks->cv;
    r->cv.start = FB_TAKE(a, int, n->n_v + 1);
    r->cv.row = FB_TAKE(a, int, cv + 1);
    if (!fb_arena_has_failed(a)) {
        memcpy(r->cv.start, blocks->cv->start, sizeof(int) * (size_t)(n->n_v + 1));
        memcpy(r->cv.row, blocks->cv->row, sizeof(int) * (size_t)cv);
    }
}

// D is 1/M_jj; coordinates without inertia of their own have the largest.
static void calc_weights(const FbBlocks* blocks, int n_v, double* D) {
    double most = 0.0;
    for (int j = 0; j < n_v; j++) {
        int k = fb_pattern_index(blocks->vv, j, j);
        D[j] = k >= 0 ? fabs(blocks->M[k]) : 0.0;
        most = fmax(most, D[j]);
    }
    for (int j = 0; j < n_v; j++) {
        D[j] = 1.0 / (D[j] > 0.0 ? D[j] : most > 0.0 ? most : 1.0);
    }
}

// Memory for these rows, as if it were new; that of the same rows is used again.
static FbStatus renew(FbGauss* s, const FbBlocks* blocks, FbError* err) {
    FbDynamics* d = s->base.dynamics;
    FbGaussRows* r = s->rows;
    if (r->matrix && fb_newton_matrix_fits(r->matrix, d, blocks)) {
        memset(r->mu, 0, sizeof(double) * (size_t)s->size.n_c);
        memset(r->nu, 0, sizeof(double) * (size_t)s->size.n_c);
        return FB_OK;
    }
    fb_newton_matrix_destroy(r->matrix);
    fb_arena_destroy(r->arena);
    *r = (FbGaussRows){.arena = fb_arena_create()};
    if (!r->arena) {
        return fb_fail_memory(err);
    }
    take_arrays(r, &s->size, blocks);
    return fb_arena_has_failed(r->arena) ? fb_fail_memory(err)
                                         : fb_newton_matrix_create(d, blocks, 0, &r->matrix, err);
}

// The blocks at p with nothing but G and 1/D.
static FbStatus calc_directions(FbGauss* s, const FbPoint* p, bool is_new, Directions* to,
                                FbError* err) {
    FbDynamics* d = s->base.dynamics;
    FbGaussRows* r = s->rows;
    FbBlocks blocks;
    memset(&blocks, 0, sizeof blocks);
    FbStatus status = d->ops->jacobian(d, p, &blocks, err);
    s->stats.jacobian_evals++;
    if (status != FB_OK) {
        return status;
    }
    if (is_new) {
        FB_TRY(renew(s, &blocks, err));
    }
    calc_weights(&blocks, s->size.n_v, to->D);
    fb_array_copy(to->G, blocks.G, fb_pattern_count(&r->cv));
    for (int j = 0; j < s->size.n_v; j++) {
        int k = fb_pattern_index(blocks.vv, j, j);
        if (k >= 0) {
            r->M[k] = 1.0 / to->D[j];
        }
    }
    blocks.M = r->M;
    blocks.C = blocks.K = r->zero_v;
    blocks.Gq = r->zero_c;
    blocks.Rx = blocks.Xq = blocks.Xv = blocks.Xx = r->zero_x;
    memset(r->r, 0, sizeof(double) * (size_t)s->size.n_v);
    fb_newton_matrix_set_blocks(r->matrix, &blocks, r->r);
    s->stats.factorizations++;
    return fb_newton_matrix_factor(r->matrix, 0, 1.0);
}

FbStatus fb_gauss_rows_restart(FbGauss* s, FbError* err) {
    s->rows = s->rows ? s->rows : calloc(1, sizeof *s->rows);
    if (!s->rows) {
        return fb_fail_memory(err);
    }
    FbStatus status = calc_directions(s, &s->at, true, &s->rows->start, err);
    return status < 0 ? status : FB_OK;
}

// out = D G' multipliers
static void calc_shift(const FbGaussRows* r, const Directions* at, const double* multipliers,
                       int n_v, double* out) {
    for (int j = 0; j < n_v; j++) {
        double sum = 0.0;
        for (int k = r->cv.start[j]; k < r->cv.start[j + 1]; k++) {
            sum += at->G[k] * multipliers[r->cv.row[k]];
        }
        out[j] = at->D[j] * sum;
    }
}

static void move(FbGauss* s, const Directions* at, FbPoint* from, FbPoint* to) {
    FbGaussRows* r = s->rows;
    const FbDynamics* d = s->base.dynamics;
    int n_v = s->size.n_v;
    calc_shift(r, at, r->mu, n_v, r->shift);
    if (d->n_ball > 0) {
        d->ops->plus(d, from->q, r->shift, s->q_stage);
        fb_array_copy(to->q, s->q_stage, s->size.n_q);
    } else {
        for (int k = 0; k < n_v; k++) {
            to->q[k] = from->q[k] + r->shift[k];
        }
    }
    calc_shift(r, at, r->nu, n_v, r->shift);
    for (int k = 0; k < n_v; k++) {
        to->v[k] = from->v[k] + r->shift[k];
    }
}

void fb_gauss_rows_move_start(FbGauss* s) {
    fb_point_copy(&s->size, &s->at, &s->from);
    move(s, &s->rows->start, &s->at, &s->from);
}

FbStatus fb_gauss_rows_look(FbGauss* s, FbError* err) {
    fb_array_copy(s->end.a, s->a + (s->method.s - 1) * s->size.n_v, s->size.n_v);
    fb_array_copy(s->end.lambda, s->lambda + (s->method.s - 1) * s->size.n_c, s->size.n_c);
    return calc_directions(s, &s->end, false, &s->rows->end, err);
}

// Half of the error of the rows is corrected at this end of the step, half at the other one.
static void correct(FbGauss* s, const double* inverse_weights, double* multipliers,
                    FbWorst* change) {
    FbGaussRows* r = s->rows;
    int n_v = s->size.n_v, first = n_v + s->size.n_x;
    memset(r->b, 0, sizeof(double) * (size_t)first);
    for (int i = 0; i < s->size.n_c; i++) {
        r->b[first + i] = -0.5 * r->g[i];
    }
    fb_newton_matrix_solve(r->matrix, 0, r->b, NULL);
    fb_weights_norm_v(&s->weights, n_v, inverse_weights, r->b, change);
    for (int i = 0; i < s->size.n_c; i++) {
        multipliers[i] -= r->b[first + i];
    }
}

FbStatus fb_gauss_rows_move_end(FbGauss* s, double* change) {
    FbDynamics* d = s->base.dynamics;
    FbGaussRows* r = s->rows;
    FbWorst worst = {0.0, -1};
    move(s, &r->end, &s->end, &s->end);
    fb_dynamics_tell_states(d, s->end.x);
    memset(r->g, 0, sizeof(double) * (size_t)s->size.n_c);
    FbStatus status = d->ops->position_error(d, s->end.t, s->end.q, r->g);
    if (status != FB_OK) {
        return status;
    }
    correct(s, s->weights.xi, r->mu, &worst);
    status = d->ops->residual(d, &s->end, r->r, r->c, r->g);
    s->stats.rhs_evals++;
    if (status != FB_OK) {
        return status;
    }
    correct(s, s->weights.v, r->nu, &worst);
    *change = worst.value;
    return FB_OK;
}

void fb_gauss_rows_accept(FbGauss* s) {
    Directions old = s->rows->start;
    s->rows->start = s->rows->end;
    s->rows->end = old;
}

void fb_gauss_rows_remember(FbGauss* s, FbMemory* m) {
    FbGaussRows* r = s->rows;
    fb_memory_doubles(m, r->start.D, s->size.n_v);
    fb_memory_doubles(m, r->start.G, fb_pattern_count(&r->cv));
    fb_memory_doubles(m, r->mu, s->size.n_c);
    fb_memory_doubles(m, r->nu, s->size.n_c);
    fb_newton_matrix_remember(r->matrix, m);
}
