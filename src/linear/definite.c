// Stability without eigenvalues: a position of rest is stable where the stiffness is positive
// definite along the constraints and the damping takes energy (eq. 7.22).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "flyball/linear.h"
#include "math/sparse.h"
#include "solve/operating_point.h"

// Of the diagonal: pivots of the stiffness below it count as none; what rounding may take from
// damping; and how far both may be from symmetric.
static const double MARGIN = 1e-13, NO_DAMPING = 1e-10, SYMMETRIC = 1e-8;
// Stiffness of the rows of constraints, relative to that of the coordinates they hold.
static const double PENALTY = 100.0;

typedef struct Check {
    FbOperatingPoint* op;
    FbArena* arena;
    FbBlocks b;
    int n, n_c;
    FbTriplet* list;
    int n_list, capacity;
    bool is_out_of_memory;
} Check;

static void add(Check* c, int row, int col, double value) {
    if (!fb_grow((void**)&c->list, &c->capacity, c->n_list, sizeof(FbTriplet))) {
        c->is_out_of_memory = true;
        return;
    }
    c->list[c->n_list++] = (FbTriplet){row, col, value};
}

static void add_symmetric(Check* c, const double* values) {
    const FbPattern* vv = c->b.vv;
    c->n_list = 0;
    for (int j = 0; j < c->n; j++) {
        for (int e = vv->start[j]; e < vv->start[j + 1]; e++) {
            add(c, vv->row[e], j, 0.5 * values[e]);
            add(c, j, vv->row[e], 0.5 * values[e]);
        }
    }
}

static double stiffness_of(const Check* c, int j) {
    int e = fb_pattern_index(c->b.vv, j, j);
    return e >= 0 ? c->b.K[e] : 0.0;
}

// G by rows.
typedef struct Rows {
    int *start, *col;
    double* value;
} Rows;

static bool sort_rows(Check* c, Rows* rows) {
    const FbPattern* cv = c->b.cv;
    int count = c->n_c > 0 ? fb_pattern_count(cv) : 0;
    rows->start = FB_TAKE(c->arena, int, c->n_c + 2);
    rows->col = FB_TAKE(c->arena, int, count + 1);
    rows->value = FB_TAKE(c->arena, double, count + 1);
    if (fb_arena_has_failed(c->arena)) {
        return false;
    }
    for (int e = 0; e < count; e++) {
        rows->start[cv->row[e] + 2]++;
    }
    for (int r = 1; r < c->n_c; r++) {
        rows->start[r + 1] += rows->start[r];
    }
    for (int j = 0; count > 0 && j < c->n; j++) {
        for (int e = cv->start[j]; e < cv->start[j + 1]; e++) {
            int at = rows->start[cv->row[e] + 1]++;
            rows->col[at] = j;
            rows->value[at] = c->b.G[e];
        }
    }
    return true;
}

// K + G' rho G is positive definite for some rho if and only if K is where G x = 0.
static void add_rows(Check* c, const Rows* rows) {
    for (int r = 0; r < c->n_c; r++) {
        double size = 0.0, stiffness = 0.0;
        for (int i = rows->start[r]; i < rows->start[r + 1]; i++) {
            double square = rows->value[i] * rows->value[i];
            size += square;
            stiffness += square * fabs(stiffness_of(c, rows->col[i]));
        }
        double rho = size > 0.0 ? PENALTY * stiffness / (size * size) : 0.0;
        for (int i = rows->start[r]; i < rows->start[r + 1]; i++) {
            for (int k = rows->start[r]; k < rows->start[r + 1]; k++) {
                add(c, rows->col[i], rows->col[k], rho * rows->value[i] * rows->value[k]);
            }
        }
    }
}

// FB_RETRY: no. A definite matrix has no coordinate without stiffness.
static FbStatus check_list(Check* c, double tolerance, bool is_strict, FbError* err) {
    FbSparse T;
    int where;
    double value;
    if (c->is_out_of_memory) {
        return fb_fail_memory(err);
    }
    FB_TRY(fb_sparse_from_triplets(c->n, c->n, c->list, (size_t)c->n_list, c->arena, &T, err));
    for (int j = 0; is_strict && j < c->n; j++) {
        if (!(fb_sparse_get(&T, j, j) > 0.0)) {
            return FB_RETRY;
        }
    }
    return fb_sparse_check_semidefinite(&T, tolerance, &where, &value, err);
}

static bool is_symmetric(const Check* c, double* values) {
    FbSparse A = {*c->b.vv, values};
    int row, col;
    return fb_sparse_asymmetry(&A, &row, &col) <= SYMMETRIC;
}

static bool is_at_rest(const FbOperatingPoint* op) {
    const FbSizes* size = &op->dynamics->size;
    double fastest = 0.0;
    for (int j = 0; j < size->n_v; j++) {
        fastest = fmax(fastest, fabs(op->p.v[j]));
    }
    return op->info.is_equilibrium && fastest == 0.0 && size->n_x == 0 && size->n_g == size->n_c;
}

static FbStatus check(Check* c, FbError* err) {
    Rows rows;
    FbDynamics* d = c->op->dynamics;
    FB_TRY(d->ops->jacobian(d, &c->op->p, &c->b, err));
    if (!is_symmetric(c, c->b.K) || !is_symmetric(c, c->b.C)) {
        return FB_RETRY;
    }
    if (!sort_rows(c, &rows)) {
        return fb_fail_memory(err);
    }
    add_symmetric(c, c->b.K);
    add_rows(c, &rows);
    FbStatus status = check_list(c, -MARGIN, true, err);
    if (status == FB_OK) {
        add_symmetric(c, c->b.C);
        status = check_list(c, NO_DAMPING, false, err);
    }
    return status;
}

FbStatus fb_operating_point_check_stable(FbOperatingPoint* point, bool* is_stable, FbError* err) {
    const FbSizes* size = &point->dynamics->size;
    Check c = {.op = point, .n = size->n_v, .n_c = size->n_c};
    *is_stable = false;
    if (!is_at_rest(point)) {
        return FB_OK;
    }
    c.arena = fb_arena_create();
    FbStatus status = c.arena ? check(&c, err) : fb_fail_memory(err);
    *is_stable = status == FB_OK;
    free(c.list);
    fb_arena_destroy(c.arena);
    return status > 0 ? FB_OK : status;
}
