// Multipliers of all rows: where rows are redundant, the smallest ones that give the same forces.
//
// Rows count by their units, and so do velocities, so that forces and moments compare at every
// size. The rows in use are independent, G_c' = Q R; each dropped row is a combination of them,
// g_d = G_c' w_d. Multipliers (y, w_d . y) of the rows in use and the dropped ones give the forces
// of lambda where (I + sum w_d w_d') y = lambda, and are then those of least norm (theory manual,
// eq. 4.14). All in memory taken beforehand, because outputs are calculated between steps.
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "system/work.h"

// Above this many rows the smallest multipliers are not looked for (dense factorizations would take
// too long): dropped rows then have none.
enum { MAX_ROWS = 600 };
// Of a row's length: with less left the rows in use are dependent here, and nothing can be shared
// out.
static const double DEPENDENT = 1e-10;

FbStatus fb_multipliers_create(FbSystem* s, FbError* err) {
    size_t n_v = (size_t)s->m->tree.n_v, n_c = (size_t)s->dynamics.size.n_c;
    size_t n = (size_t)s->m->n_rows;
    FbLeastNorm* least = &s->least;
    memset(least, 0, sizeof(*least));
    least->is_needed = s->m->needs_accelerations && n_c < n && n <= MAX_ROWS;
    if (!least->is_needed) {
        return FB_OK;
    }
    least->Q = FB_TAKE(s->row_arena, double, n_v* n_c + 1);
    least->R = FB_TAKE(s->row_arena, double, n_c* n_c + 1);
    least->S = FB_TAKE(s->row_arena, double, n_c* n_c + 1);
    least->w = FB_TAKE(s->row_arena, double, n_c*(n - n_c) + 1);
    least->y = FB_TAKE(s->row_arena, double, n_c + 1);
    return fb_arena_has_failed(s->row_arena) ? fb_fail_memory(err) : FB_OK;
}

static double dot(int n, const double* a, const double* b) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

// The gradient of a row in units of the row and of the velocities.
static void scaled_gradient(FbSystem* s, int row, double* g) {
    int n_v = s->m->tree.n_v;
    memset(g, 0, sizeof(double) * (size_t)n_v);
    fb_row_add_gradient(s, row, g);
    for (int j = 0; j < n_v; j++) {
        g[j] *= s->m->unit_v[j] / s->m->rows[row].unit;
    }
}

// Gram-Schmidt, twice for full accuracy; false where the rows are dependent.
static bool factor_rows(FbSystem* s) {
    FbLeastNorm* least = &s->least;
    int n_v = s->m->tree.n_v, n_c = s->dynamics.size.n_c;
    memset(least->R, 0, sizeof(double) * (size_t)n_c * (size_t)n_c);
    for (int c = 0; c < n_c; c++) {
        double *q = least->Q + (size_t)c * (size_t)n_v, *r = least->R + (size_t)c * (size_t)n_c;
        scaled_gradient(s, s->active[c], q);
        double length = sqrt(dot(n_v, q, q));
        for (int k = 0; k < 2 * c; k++) {
            const double* other = least->Q + (size_t)(k % c) * (size_t)n_v;
            double f = dot(n_v, other, q);
            r[k % c] += f;
            for (int j = 0; j < n_v; j++) {
                q[j] -= f * other[j];
            }
        }
        r[c] = sqrt(dot(n_v, q, q));
        if (!(r[c] > DEPENDENT * length)) {
            return false;
        }
        for (int j = 0; j < n_v; j++) {
            q[j] /= r[c];
        }
    }
    return true;
}

// w = R^-1 Q' g of a dropped row, added to S.
static void express_row(FbSystem* s, int row, double* w) {
    const FbLeastNorm* least = &s->least;
    int n_v = s->m->tree.n_v, n_c = s->dynamics.size.n_c;
    double* g = s->work_v[1];
    scaled_gradient(s, row, g);
    for (int c = n_c - 1; c >= 0; c--) {
        w[c] = dot(n_v, least->Q + (size_t)c * (size_t)n_v, g);
        for (int k = c + 1; k < n_c; k++) {
            w[c] -= least->R[(size_t)k * (size_t)n_c + (size_t)c] * w[k];
        }
        w[c] /= least->R[(size_t)c * (size_t)n_c + (size_t)c];
    }
    for (int c = 0; c < n_c; c++) {
        for (int k = 0; k < n_c; k++) {
            least->S[(size_t)k * (size_t)n_c + (size_t)c] += w[c] * w[k];
        }
    }
}

static void express_rows(FbSystem* s) {
    const FbLeastNorm* least = &s->least;
    int n_c = s->dynamics.size.n_c, dropped = 0;
    memset(least->S, 0, sizeof(double) * (size_t)n_c * (size_t)n_c);
    for (int c = 0; c < n_c; c++) {
        least->S[(size_t)c * (size_t)n_c + (size_t)c] = 1.0;
    }
    for (int r = 0; r < s->m->n_rows; r++) {
        if (s->slot_of_row[r] < 0) {
            express_row(s, r, least->w + (size_t)dropped++ * (size_t)n_c);
        }
    }
}

bool fb_multipliers_express(FbSystem* s) {
    if (!s->least.is_needed || !factor_rows(s)) {
        return false;
    }
    express_rows(s);
    return true;
}

static void share_out(FbSystem* s, const double* lambda) {
    const FbLeastNorm* least = &s->least;
    int n_c = s->dynamics.size.n_c, dropped = 0;
    for (int c = 0; c < n_c; c++) {
        least->y[c] = lambda[c] * s->m->rows[s->active[c]].unit;
    }
    if (fb_cholesky_factor(n_c, least->S) >= 0) {
        return;
    }
    fb_cholesky_solve(n_c, least->S, least->y);
    for (int r = 0; r < s->m->n_rows; r++) {
        int slot = s->slot_of_row[r];
        double y = slot >= 0 ? least->y[slot]
                             : dot(n_c, least->w + (size_t)dropped++ * (size_t)n_c, least->y);
        s->all_lambda[r] = y / s->m->rows[r].unit;
    }
}

void fb_system_calc_all_lambda(FbSystem* s, const FbPoint* p) {
    for (int r = 0; r < s->m->n_rows; r++) {
        s->all_lambda[r] = s->slot_of_row[r] >= 0 ? p->lambda[s->slot_of_row[r]] : 0.0;
    }
    if (fb_multipliers_express(s)) {
        share_out(s, p->lambda);
    }
}
