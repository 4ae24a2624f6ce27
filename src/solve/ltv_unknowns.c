// The unknowns of the stepper for linear equations: displacements, or where rows tie them what
// these leave free.
//
//   G' = Q R,  Q = (Q1 Z):  d = Z y - P g0(t),  P = Q1 R^-T,  lambda = -L r,  L = R^-1 Q1'  (5.57)
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "solve/ltv.h"

enum { MOST_DENSE = FB_LTV_MOST_DENSE };

// Householder's reflections of G' [n_v x n_c], column-major, applied to Q [n_v x n_v], which
// becomes the orthogonal factor; G' becomes R.
static void factor(int n_v, int n_c, double* Gt, double* Q, double* u) {
    memset(Q, 0, sizeof(double) * (size_t)n_v * (size_t)n_v);
    for (int i = 0; i < n_v; i++) {
        Q[i * n_v + i] = 1.0;
    }
    for (int c = 0; c < n_c; c++) {
        double* x = Gt + c * n_v;
        double size = 0.0, norm = 0.0;
        for (int i = c; i < n_v; i++) {
            size += x[i] * x[i];
        }
        double first = -copysign(sqrt(size), x[c]);
        memset(u, 0, sizeof(double) * (size_t)n_v);
        for (int i = c; i < n_v; i++) {
            u[i] = x[i] - (i == c ? first : 0.0);
            norm += u[i] * u[i];
        }
        if (!(norm > 0.0)) {
            continue;
        }
        for (int j = c; j < n_c; j++) {
            double* y = Gt + j * n_v;
            double sum = 0.0;
            for (int i = c; i < n_v; i++) {
                sum += u[i] * y[i];
            }
            for (int i = c; i < n_v; i++) {
                y[i] -= 2.0 * sum / norm * u[i];
            }
        }
        for (int r = 0; r < n_v; r++) {  // Q (1 - 2 u u'/norm), by rows of Q
            double sum = 0.0;
            for (int i = c; i < n_v; i++) {
                sum += Q[i * n_v + r] * u[i];
            }
            for (int i = c; i < n_v; i++) {
                Q[i * n_v + r] -= 2.0 * sum / norm * u[i];
            }
        }
    }
}

// P' = R^-1 Q1' = L
static void set_inverse(FbLtvUnknowns* u, const double* R, const double* Q) {
    int n_v = u->n_v, n_c = u->n_c;
    for (int j = 0; j < n_v; j++) {
        double* x = u->L + j * n_c;
        for (int c = n_c - 1; c >= 0; c--) {
            x[c] = Q[c * n_v + j];
            for (int k = c + 1; k < n_c; k++) {
                x[c] -= R[k * n_v + c] * x[k];
            }
            x[c] /= R[c * n_v + c];
        }
        for (int c = 0; c < n_c; c++) {
            u->P[c * n_v + j] = x[c];
        }
    }
}

static FbStatus reduce_rows(FbLtvUnknowns* u, const FbLinearForm* form, FbArena* arena,
                            FbError* err) {
    int n_v = u->n_v, n_c = u->n_c;
    double* Gt = FB_TAKE(arena, double, n_v* n_c);
    double* Q = FB_TAKE(arena, double, n_v* n_v);
    double* room = FB_TAKE(arena, double, n_v);
    u->P = FB_TAKE(arena, double, n_v* n_c);
    u->L = FB_TAKE(arena, double, n_v* n_c);
    if (fb_arena_has_failed(arena)) {
        return fb_fail_memory(err);
    }
    for (int j = 0; j < n_v; j++) {
        for (int k = form->cv->start[j]; k < form->cv->start[j + 1]; k++) {
            Gt[form->cv->row[k] * n_v + j] = form->G[k];
        }
    }
    factor(n_v, n_c, Gt, Q, room);
    for (int c = 0; c < n_c; c++) {
        if (Gt[c * n_v + c] == 0.0) {
            return fb_fail(err, FB_ERR_MODEL, NULL, "its constraints depend on one another");
        }
    }
    set_inverse(u, Gt, Q);
    u->Z = Q + n_c * n_v;
    return FB_OK;
}

static bool is_zero(int n, const double* values) {
    for (int i = 0; i < n; i++) {
        if (values[i] != 0.0) {
            return false;
        }
    }
    return true;
}

// Z' A Z
static double* reduce_matrix(const FbLtvUnknowns* u, const FbLinearForm* form, const double* values,
                             FbArena* arena) {
    int n = u->n, n_v = u->n_v;
    double* out = FB_TAKE(arena, double, n* n + 1);
    for (int j = 0; out && j < n; j++) {
        memset(u->work, 0, sizeof(double) * (size_t)n_v);
        fb_pattern_multiply(form->vv, values, 1.0, u->Z + j * n_v, u->work);
        fb_ltv_reduce(u, u->work, out + j * n);
    }
    return out;
}

void fb_ltv_set_rows(FbLtvUnknowns* u, FbArena* arena) {
    u->Zt = FB_TAKE(arena, double, u->n * u->n_v + 1);
    for (int j = 0; u->Zt && j < u->n * u->n_v; j++) {
        u->Zt[j % u->n_v * u->n + j / u->n_v] = u->Z[j];
    }
}

FbStatus fb_ltv_unknowns_init(FbLtvUnknowns* u, const FbLinearForm* form, const FbSizes* size,
                              FbArena* arena, FbError* err) {
    *u = (FbLtvUnknowns){.n_v = size->n_v, .n_c = size->n_c, .has_drives = form->has_drives};
    u->n = u->n_v - u->n_c;
    u->has_damping = !is_zero(fb_pattern_count(form->vv), form->C);
    u->work = FB_TAKE(arena, double, u->n_v + 1);
    for (int k = 0; k < FB_LTV_KINDS; k++) {
        u->offset[k] = FB_TAKE(arena, double, u->n_c + 1);
        u->particular[k] = FB_TAKE(arena, double, u->n_v + 1);
    }
    if (u->n_c == 0) {
        u->pattern = *form->vv;
        u->M = form->M;
        u->C = form->C;
        u->K = form->K;
        return fb_arena_has_failed(arena) ? fb_fail_memory(err) : FB_OK;
    }
    if (u->n_v > MOST_DENSE) {
        return fb_fail(err, FB_ERR_MODEL, NULL,
                       "it has constraints and %d coordinates (at most %d)", u->n_v, MOST_DENSE);
    }
    if (u->n <= 0) {
        return fb_fail(err, FB_ERR_MODEL, NULL, "its constraints leave nothing free");
    }
    FB_TRY(reduce_rows(u, form, arena, err));
    FB_TRY(fb_pattern_full(u->n, u->n, arena, &u->pattern, err));
    fb_ltv_set_rows(u, arena);
    if (fb_arena_has_failed(arena)) {
        return fb_fail_memory(err);
    }
    u->M = reduce_matrix(u, form, form->M, arena);
    u->C = reduce_matrix(u, form, form->C, arena);
    u->K = reduce_matrix(u, form, form->K, arena);
    u->W = u->Z;
    return fb_arena_has_failed(arena) ? fb_fail_memory(err) : FB_OK;
}

void fb_ltv_unknowns_drive(FbLtvUnknowns* u, FbDynamics* d, double t) {
    if (u->n_c == 0) {
        return;
    }
    d->ops->calc_offsets(d, t, u->offset[2], u->offset[1], u->offset[0]);
    for (int k = 0; k < FB_LTV_KINDS; k++) {
        memset(u->particular[k], 0, sizeof(double) * (size_t)u->n_v);
        for (int c = 0; c < u->n_c; c++) {
            double x = u->offset[k][c];
            for (int j = 0; x != 0.0 && j < u->n_v; j++) {
                u->particular[k][j] -= u->P[c * u->n_v + j] * x;
            }
        }
    }
}

// Forces are few as a rule: by rows of Z.
void fb_ltv_reduce(const FbLtvUnknowns* u, const double* x, double* out) {
    if (!u->Z) {
        memcpy(out, x, sizeof(double) * (size_t)u->n);
        return;
    }
    memset(out, 0, sizeof(double) * (size_t)u->n);
    for (int j = 0; j < u->n_v; j++) {
        for (int i = 0; x[j] != 0.0 && i < u->n; i++) {
            out[i] += u->Zt[j * u->n + i] * x[j];
        }
    }
}

void fb_ltv_reduce_motion(const FbLtvUnknowns* u, const double* x, double* out) {
    if (!u->W) {
        memcpy(out, x, sizeof(double) * (size_t)u->n);
        return;
    }
    for (int i = 0; i < u->n; i++) {
        double sum = 0.0;
        for (int j = 0; j < u->n_v; j++) {
            sum += u->W[i * u->n_v + j] * x[j];
        }
        out[i] = sum;
    }
}

void fb_ltv_expand_all(const FbLtvUnknowns* u, int count, const double* const* y,
                       double* const* out) {
    for (int k = 0; !u->Z && k < count; k++) {
        memcpy(out[k], y[k], sizeof(double) * (size_t)u->n);
    }
    if (!u->Z) {
        return;
    }
    fb_dense_multiply(count, u->n_v, u->n, u->Z, y, 1, out);
}

void fb_ltv_expand(const FbLtvUnknowns* u, const double* y, double* out) {
    fb_ltv_expand_all(u, 1, &y, &out);
}

void fb_ltv_multiply(const FbLtvUnknowns* u, const double* matrix, const double* x, double* out) {
    for (int i = 0; u->is_modal && i < u->n; i++) {
        out[i] += matrix[i] * x[i];
    }
    if (!u->is_modal) {
        fb_pattern_multiply(&u->pattern, matrix, 1.0, x, out);
    }
}

void fb_ltv_set_point(FbLtv* s, const double* y, const double* v, const double* a, FbPoint* p) {
    FbLtvUnknowns* u = &s->unknowns;
    fb_ltv_unknowns_drive(u, s->base.dynamics, p->t);
    const double* motion[3] = {y, v, a};
    double* const full[3] = {p->q, p->v, p->a};
    fb_ltv_expand_all(u, a ? 3 : 2, motion, full);
    for (int j = 0; j < u->n_v; j++) {
        p->q[j] += s->form.origin[j];
    }
    for (int j = 0; u->n_c > 0 && j < u->n_v; j++) {
        p->q[j] += u->particular[2][j];
        p->v[j] += u->particular[1][j];
        if (a) {
            p->a[j] += u->particular[0][j];
        }
    }
}

void fb_ltv_set_multipliers(FbLtv* s, int i, FbPoint* p) {
    const FbLtvUnknowns* u = &s->unknowns;
    FbDynamics* d = s->base.dynamics;
    double *r = s->full, *x = u->work;
    if (u->n_c == 0) {
        return;
    }
    d->ops->calc_linear(d, p->t, r, s->spare);
    for (int j = 0; j < u->n_v; j++) {
        x[j] = p->q[j] - s->form.origin[j];
    }
    const double* values[FB_LTV_KINDS] = {s->form.M, s->form.C, s->form.K};
    const double* motion[FB_LTV_KINDS] = {p->a, p->v, x};
    for (int k = 0; k < FB_LTV_KINDS; k++) {
        fb_pattern_multiply(s->form.vv, values[k], 1.0, motion[k], r);
    }
    fb_ltv_add_full_share(s, i, p->a, p->v, x, r);
    if (s->form.has_reaction) {
        d->ops->add_reaction(d, p->t, x, r);
    }
    for (int c = 0; c < u->n_c; c++) {
        double sum = 0.0;
        for (int j = 0; j < u->n_v; j++) {
            sum += u->L[j * u->n_c + c] * r[j];
        }
        p->lambda[c] = -sum;
    }
}
