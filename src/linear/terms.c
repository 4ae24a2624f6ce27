// The blocks of the contract as dense matrices, and the directions that constraints allow.
#include <math.h>
#include <string.h>

#include "linear/linearization.h"

static void to_dense(const FbPattern* p, const double* values, double* out) {
    memset(out, 0, sizeof(double) * (size_t)p->n_row * (size_t)p->n_col);
    for (int col = 0; col < p->n_col; col++) {
        for (int e = p->start[col]; e < p->start[col + 1]; e++) {
            out[(size_t)col * (size_t)p->n_row + (size_t)p->row[e]] = values[e];
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
    return FB_OK;
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
