// Craig-Bampton reduction: static shapes of unit motions of the boundary, and the lowest modes with
// the boundary held (theory manual, section 8.9).
//
//   x = (x_b, x_i) = T (x_b, eta),  T = [I 0; Psi Phi],  Psi = -K_ii^-1 K_ib        (eq. 8.62)
//   M' = T' M T,  C' = T' C T,  K' = [K_bb + K_bi Psi  0; 0  diag(w^2)]            (eq. 8.63)
//
// Statics at the boundary is exact; frequencies come from above as modes are added.
#include "math/craig_bampton.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/blas.h"
#include "math/symmetric.h"

// Columns of T that are multiplied by a matrix at a time.
enum { COLUMNS = 8 };

typedef struct Reducer {
    const FbStructureMatrices* whole;
    FbReduced* out;
    FbArena* arena;
    int n, n_b, n_i;
    const int* boundary;
    int *b_of, *i_of;  // [n] index within the boundary or the inside, -1
    FbSparse k_ii, k_ib, m_ii;
    FbSymmetric* solver;
    double* psi;  // [n_i x n_b]
    double* phi;  // [n_i x n_modes]
    int* where;
    FbError* err;
} Reducer;

static FbStatus split(Reducer* r) {
    int n_i = 0;
    r->b_of = FB_TAKE(r->arena, int, r->n + 1);
    r->i_of = FB_TAKE(r->arena, int, r->n + 1);
    if (fb_arena_has_failed(r->arena)) {
        return fb_fail_memory(r->err);
    }
    for (int j = 0; j < r->n; j++) {
        r->b_of[j] = -1;
    }
    for (int b = 0; b < r->n_b; b++) {
        r->b_of[r->boundary[b]] = b;
    }
    for (int j = 0; j < r->n; j++) {
        r->i_of[j] = r->b_of[j] < 0 ? n_i++ : -1;
    }
    r->n_i = n_i;
    const FbStructureMatrices* w = r->whole;
    FB_TRY(fb_sparse_pick(&w->stiffness, r->i_of, n_i, r->i_of, n_i, r->arena, &r->k_ii, r->err));
    FB_TRY(
        fb_sparse_pick(&w->stiffness, r->i_of, n_i, r->b_of, r->n_b, r->arena, &r->k_ib, r->err));
    if (!w->mass.values) {  // not requested
        return FB_OK;
    }
    if (w->mass.pattern.row == w->stiffness.pattern.row) {
        r->m_ii.pattern = r->k_ii.pattern;
        return fb_sparse_pick_values(&w->mass, r->i_of, r->i_of, r->arena, &r->m_ii, r->err);
    }
    return fb_sparse_pick(&w->mass, r->i_of, n_i, r->i_of, n_i, r->arena, &r->m_ii, r->err);
}

static FbStatus fail_loose(Reducer* r, int inside) {
    for (int j = 0; j < r->n; j++) {
        if (r->i_of[j] == inside) {
            *r->where = j;
        }
    }
    return fb_fail(r->err, FB_ERR_SINGULAR, NULL,
                   "coordinate %d can move without stiffness while the boundary is held",
                   *r->where + 1);
}

// The held structure resists every motion, so that its matrix is definite.
static FbStatus factor(Reducer* r) {
    for (int j = 0; j < r->n_i; j++) {
        if (!(fb_sparse_get(&r->k_ii, j, j) > 0.0)) {
            return fail_loose(r, j);
        }
    }
    FB_TRY(fb_symmetric_create(&r->k_ii.pattern, &r->solver, r->err));
    memcpy(fb_symmetric_values(r->solver), r->k_ii.values,
           sizeof(double) * (size_t)fb_pattern_count(&r->k_ii.pattern));
    FbStatus status = fb_symmetric_factor(r->solver, FB_SYMMETRIC_DEFINITE);
    if (status == FB_ERR_MEMORY) {
        return fb_fail_memory(r->err);
    }
    if (status != FB_OK) {  // the other kind knows where
        fb_symmetric_factor(r->solver, FB_SYMMETRIC_INDEFINITE);
        int loose = fb_symmetric_get_zero(r->solver);
        return fail_loose(r, loose < 0 ? 0 : loose);
    }
    fb_symmetric_trim(r->solver);
    return FB_OK;
}

static FbStatus solve_inside(void* solver, int count, double* b) {
    return fb_symmetric_solve_many(solver, count, b);
}

// psi = -K_ii^-1 K_ib
static FbStatus calc_static_shapes(Reducer* r) {
    const FbPattern* p = &r->k_ib.pattern;
    r->psi = FB_TAKE(r->arena, double, (size_t)r->n_i*(size_t)r->n_b + 1);
    if (!r->psi) {
        return fb_fail_memory(r->err);
    }
    for (int b = 0; b < r->n_b && r->n_i > 0; b++) {
        double* x = r->psi + (size_t)b * (size_t)r->n_i;
        for (int e = p->start[b]; e < p->start[b + 1]; e++) {
            x[p->row[e]] = -r->k_ib.values[e];
        }
    }
    if (r->n_i == 0 || r->n_b == 0) {
        return FB_OK;
    }
    FbStatus status = fb_symmetric_solve_many(r->solver, r->n_b, r->psi);
    return status == FB_OK ? FB_OK : fb_fail_memory(r->err);
}

// Column c of T, [n].
static void fill_column(const Reducer* r, int c, double* x) {
    const double* inside = c < r->n_b ? r->psi + (size_t)c * (size_t)r->n_i
                                      : r->phi + (size_t)(c - r->n_b) * (size_t)r->n_i;
    for (int j = 0; j < r->n; j++) {
        x[j] = r->i_of[j] >= 0 ? inside[r->i_of[j]] : r->b_of[j] == c ? 1.0 : 0.0;
    }
}

// T' Y into out [n_boundary + n_modes, for each of `count` columns of Y]; inside [n_i x count].
static void project(const Reducer* r, int count, const double* Y, double* inside, double* out) {
    int n = r->out->n, n_b = r->n_b, n_i = r->n_i;
    for (int k = 0; k < count; k++) {
        const double* y = Y + (size_t)k * (size_t)r->n;
        for (int j = 0; j < r->n; j++) {
            if (r->i_of[j] >= 0) {
                inside[(size_t)k * (size_t)n_i + (size_t)r->i_of[j]] = y[j];
            }
        }
    }
    fb_blas_multiply_transposed(n_b, count, n_i, r->psi, n_i, inside, n_i, out, n);
    fb_blas_multiply_transposed(n - n_b, count, n_i, r->phi, n_i, inside, n_i, out + n_b, n);
    for (int k = 0; k < count; k++) {
        for (int b = 0; b < n_b; b++) {
            out[(size_t)k * (size_t)n + (size_t)b] +=
                Y[(size_t)k * (size_t)r->n + (size_t)r->boundary[b]];
        }
    }
}

static void mirror(int n, double* a) {
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < j; i++) {
            double mean = 0.5 * (a[j * n + i] + a[i * n + j]);
            a[j * n + i] = a[i * n + j] = mean;
        }
    }
}

// T' A T
static FbStatus project_matrix(const Reducer* r, const FbSparse* a, double** out) {
    size_t n = (size_t)r->out->n, rows = (size_t)r->n;
    double* x = malloc(3 * sizeof(double) * COLUMNS * (rows + 1));
    *out = FB_TAKE(r->arena, double, n* n + 1);
    if (!x || !*out) {
        free(x);
        return fb_fail_memory(r->err);
    }
    double *y = x + COLUMNS * rows, *inside = y + COLUMNS * rows;
    for (int first = 0; first < r->out->n; first += COLUMNS) {
        int left = r->out->n - first, count = left < COLUMNS ? left : COLUMNS;
        for (int k = 0; k < count; k++) {
            fill_column(r, first + k, x + (size_t)k * rows);
        }
        fb_sparse_multiply_symmetric(a, count, x, y);
        project(r, count, y, inside, *out + (size_t)first * n);
    }
    mirror(r->out->n, *out);
    free(x);
    return FB_OK;
}

// T' F of the loads.
static FbStatus project_loads(const Reducer* r) {
    const FbStructureMatrices* w = r->whole;
    double* inside = malloc(sizeof(double) * ((size_t)r->n_i + 1));
    r->out->loads = FB_TAKE(r->arena, double, (size_t)r->out->n*(size_t)w->n_loads + 1);
    if (!inside || !r->out->loads) {
        free(inside);
        return fb_fail_memory(r->err);
    }
    for (int l = 0; l < w->n_loads; l++) {
        project(r, 1, w->loads + (size_t)l * (size_t)r->n, inside,
                r->out->loads + (size_t)l * (size_t)r->out->n);
    }
    free(inside);
    return FB_OK;
}

// K_bb + K_bi Psi and the squares of the frequencies: what T' K T is without rounding.
static FbStatus calc_stiffness(const Reducer* r) {
    int n = r->out->n;
    const FbPattern* p = &r->whole->stiffness.pattern;
    double* k = r->out->stiffness = FB_TAKE(r->arena, double, (size_t)n*(size_t)n + 1);
    if (!k) {
        return fb_fail_memory(r->err);
    }
    for (int b = 0; b < r->n_b; b++) {
        int col = r->boundary[b];
        for (int e = p->start[col]; e < p->start[col + 1]; e++) {
            if (r->b_of[p->row[e]] >= 0) {
                k[b * n + r->b_of[p->row[e]]] += r->whole->stiffness.values[e];
            }
        }
        const FbPattern* ib = &r->k_ib.pattern;
        const double* psi = r->psi + (size_t)b * (size_t)r->n_i;
        for (int c = 0; c < r->n_b; c++) {
            for (int e = ib->start[c]; e < ib->start[c + 1]; e++) {
                k[b * n + c] += r->k_ib.values[e] * psi[ib->row[e]];
            }
        }
    }
    mirror(n, k);
    for (int i = 0; i < r->out->n_modes; i++) {
        k[(size_t)(r->n_b + i) * (size_t)(n + 1)] = r->out->squares[i];
    }
    return FB_OK;
}

static FbStatus calc_modes(Reducer* r, int n_modes, FbModesMethod method) {
    FbReduced* out = r->out;
    int massive = 0;
    for (int j = 0; j < r->n_i; j++) {
        massive += fb_sparse_get(&r->m_ii, j, j) > 0.0;
    }
    out->n_modes = n_modes < 0 || n_modes > massive ? massive : n_modes;
    out->n = out->n_boundary + out->n_modes;
    r->phi = FB_TAKE(r->arena, double, (size_t)r->n_i*(size_t)out->n_modes + 1);
    out->squares = FB_TAKE(r->arena, double, out->n_modes + 1);
    if (fb_arena_has_failed(r->arena)) {
        return fb_fail_memory(r->err);
    }
    return fb_lowest_modes(&r->k_ii, &r->m_ii, solve_inside, r->solver, method, out->n_modes,
                           out->squares, r->phi, r->err);
}

// The static response of the inside to a force, and what the modes leave out of it (eq. 12.18): x
// and z of n_i entries.
static void calc_left_out(const Reducer* r, const double* force, double* x, double* z) {
    for (int j = 0; j < r->n; j++) {
        if (r->i_of[j] >= 0) {
            x[r->i_of[j]] = force[j];
        }
    }
    fb_symmetric_solve(r->solver, x);
    memcpy(z, x, sizeof(double) * (size_t)r->n_i);
    for (int m = 0; m < r->out->n_modes; m++) {
        const double* phi = r->phi + (size_t)m * (size_t)r->n_i;
        double share = 0.0;
        for (int j = 0; j < r->n; j++) {
            share += r->i_of[j] >= 0 ? phi[r->i_of[j]] * force[j] : 0.0;
        }
        for (int i = 0; i < r->n_i; i++) {
            z[i] -= share / r->out->squares[m] * phi[i];
        }
    }
}

static double dot_inside(const Reducer* r, const double* row, const double* x) {
    double sum = 0.0;
    for (int j = 0; j < r->n; j++) {
        sum += r->i_of[j] >= 0 ? row[j] * x[r->i_of[j]] : 0.0;
    }
    return sum;
}

static FbStatus calc_residuals(const Reducer* r) {
    const FbStructureMatrices* w = r->whole;
    int n_forces = w->n_loads - w->n_recovered;
    size_t n = (size_t)r->n, n_i = (size_t)r->n_i;
    r->out->left_out = FB_TAKE(r->arena, double, n_forces + 1);
    r->out->residual = FB_TAKE(r->arena, double, (size_t)n_forces*(size_t)w->n_recovered + 1);
    double* x = malloc(sizeof(double) * 2 * (n_i + 1));
    if (!x || fb_arena_has_failed(r->arena)) {
        free(x);
        return fb_fail_memory(r->err);
    }
    for (int f = 0; f < n_forces && n_i > 0; f++) {
        const double* force = w->loads + (size_t)f * n;
        double* z = x + n_i;
        calc_left_out(r, force, x, z);
        double whole = dot_inside(r, force, x), left = dot_inside(r, force, z);
        r->out->left_out[f] = whole > 0.0 ? fmax(left / whole, 0.0) : 0.0;
        for (int k = 0; k < w->n_recovered; k++) {
            const double* row = w->loads + (size_t)(n_forces + k) * n;
            r->out->residual[k * n_forces + f] = dot_inside(r, row, z);
        }
    }
    free(x);
    return FB_OK;
}

static FbStatus reduce(Reducer* r, int n_modes, FbModesMethod method) {
    const FbStructureMatrices* w = r->whole;
    FB_TRY(split(r));
    if (r->n_i > 0) {
        FB_TRY(factor(r));
    }
    FB_TRY(calc_static_shapes(r));
    FB_TRY(calc_modes(r, n_modes, method));
    FB_TRY(project_matrix(r, &w->mass, &r->out->mass));
    FB_TRY(calc_stiffness(r));
    if (w->damping.values) {
        FB_TRY(project_matrix(r, &w->damping, &r->out->damping));
    }
    r->out->b_of = r->b_of;
    r->out->i_of = r->i_of;
    r->out->psi = r->psi;
    r->out->phi = r->phi;
    r->out->n_inside = r->n_i;
    FB_TRY(project_loads(r));
    return calc_residuals(r);
}

FbStatus fb_craig_bampton(const FbStructureMatrices* whole, const int* boundary, int n_boundary,
                          int n_modes, FbModesMethod method, FbArena* arena, FbReduced* out,
                          int* where, FbError* err) {
    *out = (FbReduced){.n_boundary = n_boundary};
    *where = -1;
    Reducer r = {.whole = whole,
                 .out = out,
                 .arena = arena,
                 .n = whole->mass.pattern.n_col,
                 .n_b = n_boundary,
                 .boundary = boundary,
                 .where = where,
                 .err = err};
    FbStatus status = reduce(&r, n_modes, method);
    fb_symmetric_destroy(r.solver);
    return status;
}

double fb_reduced_get(const FbReduced* r, int row, int coordinate) {
    if (r->i_of[row] < 0) {
        return r->b_of[row] == coordinate ? 1.0 : 0.0;
    }
    size_t n = (size_t)r->n_inside, i = (size_t)r->i_of[row];
    return coordinate < r->n_boundary ? r->psi[(size_t)coordinate * n + i]
                                      : r->phi[(size_t)(coordinate - r->n_boundary) * n + i];
}

static void follow(const Reducer* r, const double* x_b, double* x) {
    const FbPattern* p = &r->k_ib.pattern;
    double* inside = r->psi;
    assert(p->start && r->b_of);  // after reduce()
    memset(inside, 0, sizeof(double) * ((size_t)r->n_i + 1));
    for (int b = 0; b < r->n_b; b++) {
        for (int e = p->start[b]; e < p->start[b + 1]; e++) {
            inside[p->row[e]] -= r->k_ib.values[e] * x_b[b];
        }
    }
    if (r->n_i > 0) {
        fb_symmetric_solve(r->solver, inside);
    }
    for (int j = 0; j < r->n; j++) {
        x[j] = r->b_of[j] >= 0 ? x_b[r->b_of[j]] : inside[r->i_of[j]];
    }
}

FbStatus fb_follow_boundary(const FbSparse* stiffness, const int* boundary, int n_boundary,
                            const double* x_b, int count, double* x, FbError* err) {
    FbStructureMatrices whole = {.stiffness = *stiffness};
    int where;
    Reducer r = {.whole = &whole,
                 .arena = fb_arena_create(),
                 .n = stiffness->pattern.n_col,
                 .n_b = n_boundary,
                 .boundary = boundary,
                 .where = &where,
                 .err = err};
    FbStatus status = r.arena ? split(&r) : fb_fail_memory(err);
    if (status == FB_OK && r.n_i > 0) {
        status = factor(&r);
    }
    if (status == FB_OK && !(r.psi = FB_TAKE(r.arena, double, r.n_i + 1))) {
        status = fb_fail_memory(err);
    }
    for (int c = 0; status == FB_OK && c < count; c++) {
        follow(&r, x_b + (size_t)c * (size_t)n_boundary, x + (size_t)c * (size_t)r.n);
    }
    fb_symmetric_destroy(r.solver);
    fb_arena_destroy(r.arena);
    return status;
}
