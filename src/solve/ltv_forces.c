// The forces of travelling parts in the stepper for linear equations: at each stage their shares of
// M, C and K are matrices of a low rank, U B, and the stages, solved without them, are corrected
// exactly by a system as large as the sum of the ranks (theory manual, eqs. 5.59, 5.60).
#include <string.h>

#include "base/wide.h"
#include "math/dense.h"
#include "solve/ltv.h"

enum { G = FB_MOVING };

static size_t bytes(int n) {
    return sizeof(double) * (size_t)n;
}

static double dot(const double* a, const double* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

// The changes `w` as seen by the groups, behind the start of the motion.
static void gather_changes(FbLtv* s, double* const w[], const FbLtvStages* start) {
    FbLtvMoving* m = &s->moving;
    int numbers = G * m->n;
    double* out = m->seen;
    const double* motion[FB_LTV_KINDS] = {start ? start->a : NULL, start ? start->v : NULL,
                                          start ? start->y : NULL};
    if (start) {
        fb_ltv_gather(s, FB_LTV_KINDS, motion, 1, out);
    } else {
        memset(out, 0, bytes(FB_LTV_KINDS * numbers));
    }
    out += FB_LTV_KINDS * numbers;
    for (int k = 0; k <= s->method.n_pair; k++) {
        int parts = k > 0 ? 2 : 1;
        const double* const part[2] = {w[k], w[k] + 1};
        fb_ltv_gather(s, parts, part, parts, out);
        out += parts * numbers;
    }
}

// Accelerations, velocities and displacements, [3][n], at stage i from vectors of n numbers: those
// of the start, and of the changes.
static void combine(const FbLtv* s, double h, int i, int n, const double* vectors, double* motion) {
    enum { MOST = FB_LTV_KINDS + 2 * FB_LTV_SYSTEMS };
    const FbRadauMethod* m = &s->method;
    double dt = m->c[i] * h;
    double weights[FB_LTV_KINDS][MOST] = {
        {1.0, 0.0, 0.0}, {dt, 1.0, 0.0}, {0.5 * dt * dt, dt, 1.0}};
    int count = FB_LTV_KINDS;
    for (int k = 0; k <= m->n_pair; k++) {
        double complex shift = fb_ltv_shift(m, k, h), weight = fb_ltv_weight_back(m, k, i);
        const double complex by_kind[FB_LTV_KINDS] = {weight * shift, weight,
                                                      weight * fb_ltv_reciprocal(shift)};
        for (int x = 0; x < FB_LTV_KINDS; x++) {
            weights[x][count] = -creal(by_kind[x]);
            weights[x][count + 1] = cimag(by_kind[x]);
        }
        count += k > 0 ? 2 : 1;
    }
    const double* const by[FB_LTV_KINDS] = {weights[0], weights[1], weights[2]};
    double* const out[FB_LTV_KINDS] = {motion, motion + n, motion + 2 * n};
    fb_dense_multiply(FB_LTV_KINDS, n, count, vectors, by, 1, out);
}

static int rank_of(const FbLtv* s, int i) {
    int rank = 0;
    for (int g = 0; g < s->moving.n; g++) {
        rank += fb_ltv_shares(s, i)[g].rank;
    }
    return rank;
}

// One column of the system: what a unit of force c of group b at stage j makes of the forces of all
// groups at all stages. `kinds` is a constant at each call, so that loops are unrolled.
static inline void set_column_of(int kinds, const FbLtv* s, const FbLtvFactors* f, int j, int b,
                                 int c, double* column) {
    const FbLtvMoving* m = &s->moving;
    int numbers = G * m->n, count = s->method.s * numbers, at = (j * numbers + G * b) * count;
    const FbFour* U = (const FbFour*)fb_ltv_shares(s, j)[b].U[c];
    double u0 = (*U)[0], u1 = (*U)[1], u2 = (*U)[2], u3 = (*U)[3];
    const FbMovingShare* to = fb_ltv_shares(s, 0);
    for (int i = 0; i < s->method.s; i++, to += m->capacity) {
        for (int a = 0; a < m->n; a++, at += G) {
            FbFour reached[FB_LTV_KINDS] = {{0.0}};
            for (int x = 0; x < kinds; x++) {
                const double* H = f->response[x] + at;
                reached[x] =
                    (*(const FbFour*)H * u0 + *(const FbFour*)(H + count) * u1) +
                    (*(const FbFour*)(H + 2 * count) * u2 + *(const FbFour*)(H + 3 * count) * u3);
            }
            for (int r = 0; r < to[a].rank; r++) {
                FbFour sum = *(const FbFour*)to[a].B[0][r] * reached[0];
                for (int x = 1; x < kinds; x++) {
                    sum += *(const FbFour*)to[a].B[x][r] * reached[x];
                }
                *column++ = (sum[0] + sum[1]) + (sum[2] + sum[3]);
            }
        }
    }
}

FB_WIDE static void set_column(const FbLtv* s, const FbLtvFactors* f, int j, int b, int c,
                               double* column) {
    if (f->has_places) {
        set_column_of(FB_LTV_KINDS, s, f, j, b, c, column);
    } else {
        set_column_of(FB_LTV_KINDS - 1, s, f, j, b, c, column);
    }
}

// z of all stages, eq. (5.59): s->w is the solution without shares.
static FbStatus solve_forces(FbLtv* s, const FbLtvFactors* f, const FbLtvStages* start, int size) {
    FbLtvMoving* m = &s->moving;
    int numbers = G * m->n;
    gather_changes(s, s->w, start);
    for (int i = 0, row = 0; i < s->method.s; i++) {
        const FbMovingShare* shares = fb_ltv_shares(s, i);
        combine(s, f->h, i, numbers, m->seen, m->motion);
        for (int g = 0; g < m->n; g++) {
            for (int c = 0; c < shares[g].rank; c++, row++) {
                m->z[row] = 0.0;
                for (int x = 0; x < FB_LTV_KINDS; x++) {
                    m->z[row] += dot(shares[g].B[x][c], m->motion + x * numbers + G * g);
                }
                set_column(s, f, i, g, c, m->system + row * size);
                m->system[row * size + row] += 1.0;
            }
        }
    }
    if (fb_lu_factor(size, m->system, m->pivot) >= 0) {
        return FB_RETRY;
    }
    fb_lu_solve(size, m->system, m->pivot, m->z);
    return FB_OK;
}

// The forces U z of all stages in terms of system k: re + i im = sum_i T^-1_ki U_i z_i.
FB_WIDE static void transform_forces(const FbLtv* s, int k, double* re, double* im) {
    const FbLtvMoving* m = &s->moving;
    const double* z = m->z;
    memset(re, 0, bytes(G * m->n));
    memset(im, 0, bytes(G * m->n));
    for (int i = 0; i < s->method.s; i++) {
        const FbMovingShare* share = fb_ltv_shares(s, i);
        double complex weight = fb_ltv_weight_into(&s->method, k, i);
        for (int g = 0; g < m->n; g++, share++) {
            FbFour *sum_re = (FbFour*)(re + G * g), *sum_im = (FbFour*)(im + G * g);
            for (int c = 0; c < share->rank; c++) {
                FbFour x = *(const FbFour*)share->U[c] * *z++;
                *sum_re += x * creal(weight);
                *sum_im += x * cimag(weight);
            }
        }
    }
}

// w += columns (re + i im), `force` = (re, im)
static void add_columns(FbLtv* s, const FbLtvFactors* f, int k, const double* force) {
    int parts = k > 0 ? 2 : 1, n = parts * s->unknowns.n;
    double *w = s->w[k], *change = s->moving.change;
    fb_dense_multiply(1, n, parts * G * s->moving.n, f->columns[k], &force, 1, &change);
    for (int i = 0; i < n; i++) {
        w[i] += change[i];
    }
}

FbStatus fb_ltv_correct_stages(FbLtv* s, FbLtvFactors* f, const FbLtvStages* start) {
    FbLtvMoving* m = &s->moving;
    fb_ltv_responses_ensure(s, f);
    int size = 0;
    for (int i = 0; i < s->method.s; i++) {
        size += rank_of(s, i);
    }
    FbStatus status = size > 0 ? solve_forces(s, f, start, size) : FB_OK;
    if (status != FB_OK || size == 0) {
        return status;
    }
    for (int k = 0; k <= s->method.n_pair; k++) {
        transform_forces(s, k, m->force, m->force + G * m->n);
        add_columns(s, f, k, m->force);
    }
    return FB_OK;
}

// x -= A^-1 U (1 + B A^-1 U)^-1 B x, B = s B_M + B_C + B_K / s.
FbStatus fb_ltv_correct_real(FbLtv* s, FbLtvFactors* f, double* x) {
    FbLtvMoving* m = &s->moving;
    FbMovingShare* shares = fb_ltv_shares(s, -1);
    int n = s->unknowns.n, size = rank_of(s, -1), col = 0, row = 0;
    double sigma = s->method.gamma0 / f->h;
    const double factor[FB_LTV_KINDS] = {sigma, 1.0, 1.0 / sigma};
    if (size == 0) {
        return FB_OK;
    }
    const double* const motion_of_x = x;
    fb_ltv_gather(s, 1, &motion_of_x, 1, m->motion);
    for (int a = 0; a < m->n; a++) {
        for (int r = 0; r < shares[a].rank; r++, row++) {
            double B[G] = {0};
            for (int k = 0; k < FB_LTV_KINDS; k++) {
                for (int e = 0; e < G; e++) {
                    B[e] += factor[k] * shares[a].B[k][r][e];
                }
            }
            m->z[row] = dot(B, m->motion + G * a);
            col = 0;
            for (int b = 0; b < m->n; b++) {
                for (int c = 0; c < shares[b].rank; c++, col++) {
                    double motion[G] = {0};
                    for (int e = 0; e < G * G; e++) {
                        motion[e % G] += f->real[(G * b + e / G) * G * m->n + G * a + e % G] *
                                         shares[b].U[c][e / G];
                    }
                    m->system[col * size + row] = dot(B, motion) + (col == row ? 1.0 : 0.0);
                }
            }
        }
    }
    if (fb_lu_factor(size, m->system, m->pivot) >= 0) {
        return FB_RETRY;
    }
    fb_lu_solve(size, m->system, m->pivot, m->z);
    memset(m->force, 0, bytes(G * m->n));
    row = 0;
    for (int g = 0; g < m->n; g++) {
        for (int c = 0; c < shares[g].rank; c++, row++) {
            for (int e = 0; e < G; e++) {
                m->force[G * g + e] += shares[g].U[c][e] * m->z[row];
            }
        }
    }
    for (int j = 0; j < G * m->n; j++) {
        for (int i = 0; i < n; i++) {
            x[i] -= f->columns[0][j * n + i] * m->force[j];
        }
    }
    return FB_OK;
}

static void multiply_near(const FbLtv* s, int count, const double* const* y, int stride,
                          double* out) {
    const FbLtvMoving* m = &s->moving;
    double* to[FB_DENSE_MOST_VECTORS];
    for (int k = 0; k < count; k++) {
        to[k] = out + k * m->n_near;
    }
    fb_dense_multiply(count, m->n_near, s->unknowns.n, m->near_of_y, y, stride, to);
}

void fb_ltv_near_begin(FbLtv* s, const FbLtvStages* c) {
    FbLtvMoving* m = &s->moving;
    const double* start[FB_LTV_KINDS] = {c->a, c->v, c->y};
    double* out = m->near_seen;
    if (!m->near_of_y) {
        return;
    }
    multiply_near(s, FB_LTV_KINDS, start, 1, out);
    out += FB_LTV_KINDS * m->n_near;
    for (int k = 0; k <= s->method.n_pair; k++) {
        int parts = k > 0 ? 2 : 1;
        const double* const part[2] = {c->change[k], c->change[k] + 1};
        multiply_near(s, parts, part, parts, out);
        out += parts * m->n_near;
    }
}

void fb_ltv_near_set(FbLtv* s, const FbLtvStages* c, int i, FbPoint* p) {
    FbLtvMoving* m = &s->moving;
    int n = m->n_near;
    double* motion = m->near_motion;
    if (m->near_of_y) {
        combine(s, c->h, i, n, m->near_seen, motion);
    }
    for (int e = 0; e < n; e++) {
        int j = m->near[e], at = i * s->unknowns.n + j;
        p->a[j] = m->near_of_y ? motion[e] : c->A[at];
        p->v[j] = m->near_of_y ? motion[n + e] : c->V[at];
        p->q[j] = s->form.origin[j] + (m->near_of_y ? motion[2 * n + e] : c->Y[at]);
    }
}
