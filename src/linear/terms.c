// The blocks of the contract as dense matrices, and the directions that constraints allow.
#include <assert.h>
#include <math.h>
#include <string.h>

#include "linear/linearization.h"

// Of a typical time of the motion: the step of the differences that follow G along it.
static const double SHORT = 2e-3;
// Of the largest entry times the rate of the motion: what differences leave of a constant.
static const double STEADY = 1e-9;

static void to_dense(const FbPattern* p, const double* values, double* out) {
    memset(out, 0, sizeof(double) * (size_t)p->n_row * (size_t)p->n_col);
    for (int col = 0; col < p->n_col; col++) {
        for (int e = p->start[col]; e < p->start[col + 1]; e++) {
            out[(size_t)col * (size_t)p->n_row + (size_t)p->row[e]] = values[e];
        }
    }
}

// Adds weight times G and Gq at the point moved along the motion for a time.
static FbStatus add_moved(FbLinearization* l, double time, double weight, FbError* err) {
    FbDynamics* d = l->op->dynamics;
    FbDenseBlocks* b = &l->b;
    FbPoint p = l->op->p;
    FbBlocks s;
    for (int j = 0; j < b->n; j++) {
        b->step[j] = time * p.v[j];
        b->moved_v[j] = p.v[j] + time * p.a[j];
    }
    d->ops->plus(d, p.q, b->step, b->moved_q);
    p.q = b->moved_q;
    p.v = b->moved_v;
    p.t += time;
    FB_TRY(d->ops->jacobian(d, &p, &s, err));
    for (int col = 0; col < b->n; col++) {
        for (int e = s.cv->start[col]; e < s.cv->start[col + 1]; e++) {
            size_t at = (size_t)col * (size_t)b->m + (size_t)s.cv->row[e];
            b->G_rate[at] += weight * s.G[e];
            b->Gq_rate[at] += weight * s.Gq[e];
        }
    }
    return FB_OK;
}

static double largest(const double* x, size_t n) {
    double most = 0.0;
    for (size_t i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

static void clear_noise(double* rate, size_t n, double size) {
    if (largest(rate, n) <= STEADY * size) {
        memset(rate, 0, sizeof(double) * n);
    }
}

// How G and Gq change along the motion: fourth-order differences over a short time; exactly zero in
// steady motion, where only rounding would remain of them.
static FbStatus take_rates(FbLinearization* l, FbError* err) {
    FbDenseBlocks* b = &l->b;
    const FbPoint* p = &l->op->p;
    size_t n = (size_t)b->n, size = (size_t)b->m * n;
    double rate = fmax(largest(p->v, n), sqrt(largest(p->a, n)));
    memset(b->G_rate, 0, sizeof(double) * size);
    memset(b->Gq_rate, 0, sizeof(double) * size);
    if (!(rate > 0.0)) {
        return FB_OK;
    }
    double h = SHORT / rate;
    static const double weights[4] = {8.0 / 12.0, -8.0 / 12.0, -1.0 / 12.0, 1.0 / 12.0};
    static const double steps[4] = {1.0, -1.0, 2.0, -2.0};
    for (int k = 0; k < 4; k++) {
        FbStatus status = add_moved(l, steps[k] * h, weights[k] / h, err);
        if (status != FB_OK) {
            return status < 0 ? status
                              : fb_fail(err, FB_ERR_SINGULAR, NULL,
                                        "the constraints cannot be satisfied along the motion");
        }
    }
    clear_noise(b->G_rate, size, rate * largest(b->G, size));
    clear_noise(b->Gq_rate, size, rate * rate * largest(b->G, size));
    return FB_OK;
}

// Steadily rotating parts are described in axes that rotate with them: dq' = dv - (w x) dq, and dv'
// becomes dv' + (w x) dv (eqs. 7.23, 7.24).
static void add_spins(FbLinearization* l) {
    FbDenseBlocks* b = &l->b;
    size_t n = (size_t)b->n;
    for (int i = 0; i < l->op->spins.n_entries; i++) {
        const FbSpinEntry* e = &l->op->spins.entries[i];
        assert(b->W);  // taken where there are entries
        b->W[(size_t)e->col * n + (size_t)e->row] = -e->value;
        for (size_t r = 0; r < n; r++) {
            b->C[(size_t)e->col * n + r] += b->M[(size_t)e->row * n + r] * e->value;
        }
    }
}

FbStatus fb_linear_take_blocks(FbLinearization* l, FbError* err) {
    FbDynamics* d = l->op->dynamics;
    FbDenseBlocks* b = &l->b;
    FbBlocks s;
    FbStatus status = d->ops->jacobian(d, &l->op->p, &s, err);
    if (status != FB_OK) {
        return status < 0 ? status
                          : fb_fail(err, FB_ERR_SINGULAR, NULL,
                                    "the derivatives at the operating point are not finite");
    }
    to_dense(s.vv, s.M, b->M);
    to_dense(s.vv, s.C, b->C);
    to_dense(s.vv, s.K, b->K);
    if (b->m > 0) {
        to_dense(s.cv, s.G, b->G);
        to_dense(s.cv, s.Gq, b->Gq);
    }
    size_t n = (size_t)b->n, n_x = (size_t)b->n_x;
    memcpy(b->Rx, s.Rx, sizeof(double) * n * n_x);
    memcpy(b->Xq, s.Xq, sizeof(double) * n * n_x);
    memcpy(b->Xv, s.Xv, sizeof(double) * n * n_x);
    memcpy(b->Xx, s.Xx, sizeof(double) * n_x * n_x);
    for (int i = 0; b->W && i < d->n_ball; i++) {
        // A tangent perturbation of an orientation that turns with body rates w obeys theta' = dw -
        // w x theta.
        int j = d->ball[i];
        const double* w = l->op->p.v + j;
        double block[3][3] = {{0, w[2], -w[1]}, {-w[2], 0, w[0]}, {w[1], -w[0], 0}};
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 3; c++) {
                b->W[(size_t)(j + c) * n + (size_t)(j + r)] = block[r][c];
            }
        }
    }
    add_spins(l);
    if (b->G_rate && l->op->spins.n_spins > 0) {  // seen from what turns, constraints stay
        memset(b->G_rate, 0, sizeof(double) * (size_t)b->m * n);
        memset(b->Gq_rate, 0, sizeof(double) * (size_t)b->m * n);
        return FB_OK;
    }
    return b->G_rate ? take_rates(l, err) : FB_OK;
}

static void swap_rows(FbNullspace* s, int i, int j) {
    for (int c = 0; i != j && c < s->n; c++) {
        double t = s->work[c * s->m + i];
        s->work[c * s->m + i] = s->work[c * s->m + j];
        s->work[c * s->m + j] = t;
    }
}

// Gauss-Jordan elimination with complete pivoting; columns are compared after scaling with
// 1/sqrt(M_jj). The rows are independent (the system chose them so); N_dependent =
// -(G_dependent)^-1 G_independent (eq. 7.3).
void fb_nullspace_calc(FbNullspace* s, const double* rows, int ld, const double* M) {
    int n = s->n, m = s->m;
    if (n <= 0) {
        return;
    }
    for (int c = 0; c < n; c++) {
        double mass = M[(size_t)c * (size_t)n + (size_t)c];
        s->scale[c] = mass > 0.0 ? 1.0 / sqrt(mass) : 1.0;
        for (int r = 0; r < m; r++) {
            s->work[c * m + r] = rows[(size_t)c * (size_t)ld + (size_t)r];
        }
    }
    bool* is_dependent = (bool*)(s->dependent + m);  // n flags behind the indices
    memset(is_dependent, 0, sizeof(bool) * (size_t)n);
    for (int k = 0; k < m; k++) {
        int row = k, col = 0;
        double best = -1.0;
        for (int c = 0; c < n; c++) {
            for (int r = k; !is_dependent[c] && r < m; r++) {
                double x = fabs(s->work[c * m + r]) * s->scale[c];
                if (x > best) {
                    best = x;
                    row = r;
                    col = c;
                }
            }
        }
        swap_rows(s, k, row);
        is_dependent[col] = true;
        s->dependent[k] = col;
        double inverse = 1.0 / s->work[col * m + k];
        for (int c = 0; c < n; c++) {
            s->work[c * m + k] *= inverse;
        }
        for (int r = 0; r < m; r++) {
            double f = s->work[col * m + r];
            for (int c = 0; r != k && f != 0.0 && c < n; c++) {
                s->work[c * m + r] -= f * s->work[c * m + k];
            }
        }
    }
    memset(s->N, 0, sizeof(double) * (size_t)n * (size_t)s->f);
    int at = 0;
    for (int c = 0; c < n; c++) {
        if (is_dependent[c]) {
            continue;
        }
        s->independent[at] = c;
        s->N[(size_t)at * (size_t)n + (size_t)c] = 1.0;
        for (int k = 0; k < m; k++) {
            s->N[(size_t)at * (size_t)n + (size_t)s->dependent[k]] = -s->work[c * m + k];
        }
        at++;
    }
}
