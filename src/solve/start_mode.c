// A start displaced in an undamped vibration mode of the model at its start.
//
// With K and M at rest and the rows G of constraints, [K + s M  G'; G  0] (z, l) = (M x, 0) maps
// into what the constraints allow, and its subspace iteration finds the modes there
// (eqs. 7.8, 8.65); the shift s makes it solvable where something moves freely.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "math/linear.h"
#include "math/subspace.h"
#include "solve/operating_point.h"
#include "solve/point.h"

// Of the mean of K_jj/M_jj: small next to the lowest modes, large next to rounding.
static const double SHIFT = 1e-9;
// K may be unsymmetric by rounding only.
static const double ASYMMETRY = 1e-8;
enum { MAX_CORRECTIONS = 50 };

typedef struct Start {
    FbSystem* s;
    FbDynamics* d;
    const FbModel* model;
    const FbSettings* settings;
    FbArena* arena;
    FbPoint rest;  // as the start, without velocities
    int n, n_c, output;
    FbBlocks b;
    FbLinear* solver;
    double* room;     // [n + n_c]
    double* mode;     // [n]
    double* outputs;  // [n outputs]
    FbError* err;
} Start;

static FbStatus find_output(Start* st) {
    enum { MOST = 512 };
    const char *name = st->settings->start_output, *names[MOST];
    int n = fb_model_get_output_count(st->model);
    if (!name || !(fabs(st->settings->start_value) > 0.0)) {
        return fb_fail(st->err, FB_ERR_MODEL, NULL,
                       "simulation.start_mode needs 'start_output' and 'start_value' (not 0), "
                       "which define the amplitude of the mode");
    }
    st->output = fb_model_find_output(st->model, name);
    for (int i = 0; i < n && i < MOST; i++) {
        names[i] = fb_model_get_output_name(st->model, i);
    }
    const char* close = st->output < 0 ? fb_did_you_mean(name, names, n < MOST ? n : MOST) : NULL;
    return st->output >= 0
               ? FB_OK
               : fb_fail(st->err, FB_ERR_NAME, NULL,
                         "simulation.start_output: there is no output '%s'%s%s%s", name,
                         close ? "; did you mean '" : "", close ? close : "", close ? "'?" : "");
}

// K, M and G at rest; K with the constraint forces that act there.
static FbStatus calc_blocks(Start* st, const FbPoint* p) {
    FbSizes max = fb_system_get_max_sizes(st->s);
    fb_point_take(st->arena, &max, &st->rest);
    if (fb_arena_has_failed(st->arena)) {
        return fb_fail_memory(st->err);
    }
    fb_point_copy(&st->d->size, p, &st->rest);
    memset(st->rest.v, 0, sizeof(double) * (size_t)st->n);
    FbStatus status = st->d->ops->accelerations(st->d, &st->rest, st->err);
    if (status == FB_OK) {
        memset(st->rest.a, 0, sizeof(double) * (size_t)st->n);
        status = st->d->ops->jacobian(st->d, &st->rest, &st->b, st->err);
    }
    return status > 0
               ? fb_fail(st->err, FB_ERR_SINGULAR, NULL, "the stiffness at the start is not finite")
               : status;
}

static double calc_shift(const Start* st) {
    double sum = 0.0;
    int count = 0;
    for (int j = 0; j < st->n; j++) {
        int e = fb_pattern_index(st->b.vv, j, j);
        if (e >= 0 && st->b.M[e] > 0.0) {
            sum += fabs(st->b.K[e]) / st->b.M[e];
            count++;
        }
    }
    return sum > 0.0 ? SHIFT * sum / count : 1.0;
}

static FbStatus build_pattern(Start* st, FbPattern* out) {
    const FbPattern *vv = st->b.vv, *cv = st->b.cv;
    int n = st->n, size = n + st->n_c;
    FbPatternBuilder* builder = fb_pattern_builder_create(size, size);
    if (!builder) {
        return fb_fail_memory(st->err);
    }
    for (int col = 0; col < n; col++) {
        for (int e = vv->start[col]; e < vv->start[col + 1]; e++) {
            fb_pattern_builder_add(builder, vv->row[e], col);
        }
        for (int e = cv->start[col]; st->n_c > 0 && e < cv->start[col + 1]; e++) {
            fb_pattern_builder_add(builder, n + cv->row[e], col);
            fb_pattern_builder_add(builder, col, n + cv->row[e]);
        }
    }
    for (int c = 0; c < st->n_c; c++) {
        fb_pattern_builder_add(builder, n + c, n + c);
    }
    FbStatus status = fb_pattern_builder_finish(builder, st->arena, out, st->err);
    fb_pattern_builder_destroy(builder);
    return status;
}

static FbStatus factor(Start* st) {
    const FbPattern *vv = st->b.vv, *cv = st->b.cv;
    double shift = calc_shift(st);
    FbPattern* pattern = FB_TAKE(st->arena, FbPattern, 1);
    if (!pattern) {
        return fb_fail_memory(st->err);
    }
    FB_TRY(build_pattern(st, pattern));
    FB_TRY(fb_linear_create(pattern, FB_LINEAR_AUTO, false, &st->solver, st->err));
    double* values = fb_linear_values(st->solver);
    memset(values, 0, sizeof(double) * (size_t)fb_pattern_count(pattern));
    for (int col = 0; col < st->n; col++) {
        for (int e = vv->start[col]; e < vv->start[col + 1]; e++) {
            values[fb_pattern_index(pattern, vv->row[e], col)] = st->b.K[e] + shift * st->b.M[e];
        }
        for (int e = cv->start[col]; st->n_c > 0 && e < cv->start[col + 1]; e++) {
            int row = st->n + cv->row[e];
            values[fb_pattern_index(pattern, row, col)] = st->b.G[e];
            values[fb_pattern_index(pattern, col, row)] = st->b.G[e];
        }
    }
    FbStatus status = fb_linear_factor(st->solver);
    return status > 0 ? fb_fail(st->err, FB_ERR_SINGULAR, NULL,
                                "the stiffness at the start is singular; simulation.start_mode "
                                "needs a model that vibrates")
                      : status;
}

static FbStatus solve(void* self, int count, double* b) {
    Start* st = self;
    for (int k = 0; k < count; k++, b += st->n) {
        memcpy(st->room, b, sizeof(double) * (size_t)st->n);
        memset(st->room + st->n, 0, sizeof(double) * (size_t)st->n_c);
        fb_linear_solve(st->solver, st->room);
        memcpy(b, st->room, sizeof(double) * (size_t)st->n);
    }
    return FB_OK;
}

static FbStatus check_symmetric(const Start* st) {
    FbSparse K = {*st->b.vv, st->b.K};
    int row, col;
    double asymmetry = fb_sparse_asymmetry(&K, &row, &col);
    return asymmetry <= ASYMMETRY
               ? FB_OK
               : fb_fail(st->err, FB_ERR_MODEL, NULL,
                         "simulation.start_mode needs a symmetric stiffness, but follower forces "
                         "at '%s' make it unsymmetric (by %.2g)",
                         st->d->ops->name_of_velocity(st->d, row), asymmetry);
}

static FbStatus calc_mode(Start* st) {
    int wanted = st->settings->start_mode, rank = st->n - st->n_c;
    FbSparse mass = {*st->b.vv, st->b.M};
    if (wanted > rank) {
        return fb_fail(st->err, FB_ERR_RANGE, NULL,
                       "simulation.start_mode is %d, but the model has only %d modes", wanted,
                       rank);
    }
    double* squares = FB_TAKE(st->arena, double, wanted);
    double* vectors = FB_TAKE(st->arena, double, (size_t)wanted*(size_t)st->n);
    st->room = FB_TAKE(st->arena, double, st->n + st->n_c + 1);
    if (fb_arena_has_failed(st->arena)) {
        return fb_fail_memory(st->err);
    }
    FB_TRY(factor(st));
    FbError found = {.status = FB_OK};
    FbStatus status = fb_subspace_modes(&mass, solve, st, rank, wanted, squares, vectors, &found);
    st->mode = vectors + (size_t)(wanted - 1) * (size_t)st->n;
    if (status == FB_ERR_MEMORY) {
        return fb_fail_memory(st->err);
    }
    if (status < 0) {
        return fb_fail(st->err, found.status, NULL,
                       "mode %d for the start was not found: %.300s; the model must be stable "
                       "where it starts",
                       wanted, found.text);
    }
    return FB_OK;
}

// How fast the output changes along the mode.
static FbStatus calc_slope(Start* st, double* slope) {
    const char* name = st->settings->start_output;
    double* by_q = FB_TAKE(st->arena, double, 2 * st->n + st->d->size.n_x + 1);
    double size = 0.0;
    *slope = 0.0;
    if (!by_q) {
        return fb_fail_memory(st->err);
    }
    if (!fb_system_calc_output_gradient(st->s, &st->rest, st->output, by_q, by_q + st->n,
                                        by_q + 2 * st->n)) {
        return fb_fail(st->err, FB_ERR_MODEL, NULL,
                       "simulation.start_output '%s' does not depend on positions alone; use a "
                       "position, an angle or a coordinate",
                       name);
    }
    for (int j = 0; j < st->n; j++) {
        *slope += by_q[j] * st->mode[j];
        size += fabs(by_q[j] * st->mode[j]);
    }
    return fabs(*slope) > 1e-9 * size
               ? FB_OK
               : fb_fail(st->err, FB_ERR_MODEL, NULL,
                         "mode %d does not move the output '%s'; name another one",
                         st->settings->start_mode, name);
}

static FbStatus measure(Start* st, const FbPoint* p, double* value) {
    FB_TRY(fb_system_calc_outputs(st->s, p, st->outputs, st->err));
    *value = st->outputs[st->output];
    return FB_OK;
}

// Displaces by a multiple of the mode until the output has changed as asked; constraints bend the
// way.
static FbStatus displace(Start* st, FbPoint* p) {
    double slope, before, value, c = 0.0, wanted = st->settings->start_value, error = INFINITY;
    double* xi = st->room;
    st->outputs = FB_TAKE(st->arena, double, fb_model_get_output_count(st->model) + 1);
    if (!st->outputs) {
        return fb_fail_memory(st->err);
    }
    FB_TRY(calc_slope(st, &slope));
    FB_TRY(measure(st, &st->rest, &before));
    for (int i = 0; i < MAX_CORRECTIONS && !(fabs(error) <= 1e-13 * fabs(wanted)); i++) {
        c += (i == 0 ? wanted : error) / slope;
        for (int j = 0; j < st->n; j++) {
            xi[j] = c * st->mode[j];
        }
        st->d->ops->plus(st->d, st->rest.q, xi, p->q);
        if (st->n_c > 0) {
            fb_dynamics_tell_states(st->d, p->x);
            FB_TRY(st->d->ops->project_position(st->d, p->t, p->q, NULL, st->err));
        }
        FB_TRY(measure(st, p, &value));
        error = wanted - (value - before);
    }
    // Positions are large next to a displacement; rounding may keep the last digits away.
    return fabs(error) <= 1e-9 * fabs(wanted) + 1e-14 * fabs(before)
               ? FB_OK
               : fb_fail(
                     st->err, FB_ERR_CONVERGENCE, NULL,
                     "no multiple of mode %d changes the output '%s' by %g; choose a smaller value",
                     st->settings->start_mode, st->settings->start_output, wanted);
}

FbStatus fb_start_in_mode(FbSystem* s, const FbModel* model, const FbSettings* settings, FbPoint* p,
                          FbAssembly* assembly, FbError* err) {
    FbDynamics* d = fb_system_get_dynamics(s);
    Start st = {.s = s,
                .d = d,
                .model = model,
                .settings = settings,
                .arena = fb_arena_create(),
                .n = d->size.n_v,
                .n_c = d->size.n_c,
                .err = err};
    FbStatus status = st.arena ? find_output(&st) : fb_fail_memory(err);
    fb_system_freeze(s, true);
    status = status == FB_OK ? calc_blocks(&st, p) : status;
    status = status == FB_OK ? check_symmetric(&st) : status;
    status = status == FB_OK ? calc_mode(&st) : status;
    status = status == FB_OK ? displace(&st, p) : status;
    fb_system_freeze(s, false);
    fb_linear_destroy(st.solver);
    fb_arena_destroy(st.arena);
    return status == FB_OK ? fb_system_assemble_at(s, p, assembly, err) : status;
}
