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

static double complex shift_of(const FbRadauMethod* m, int k, double h) {
    return (k == 0 ? m->gamma0 : m->gamma[k - 1]) / h;
}

// 1/z without the care that a division takes for overflow.
static double complex reciprocal(double complex z) {
    return conj(z) / (creal(z) * creal(z) + cimag(z) * cimag(z));
}

// Conjugate pairs count twice on the way back.
static double complex weight_back(const FbRadauMethod* m, int k, int i) {
    return k == 0 ? m->t0[i] : 2.0 * m->t[i][k - 1];
}

static double complex weight_into(const FbRadauMethod* m, int k, int i) {
    return k == 0 ? m->t0_inv[i] : m->t_inv[k - 1][i];
}

// The motion of all three kinds at all stages by forces at all stages, from system k: the real part
// of weights times the complex numbers [force][number].
FB_WIDE static void add_response(FbLtv* s, FbLtvFactors* f, int k, const double* re,
                                 const double* im) {
    const FbRadauMethod* m = &s->method;
    int numbers = G * s->moving.n;
    int kinds = f->has_places ? 3 : 2;
    double complex shift = shift_of(m, k, f->h), inverse = reciprocal(shift);
    for (int i = 0; i < m->s; i++) {
        for (int j = 0; j < m->s; j++) {
            double complex weight = weight_back(m, k, i) * weight_into(m, k, j);
            const double complex by_kind[FB_LTV_KINDS] = {weight * shift, weight, weight * inverse};
            for (int x = 0; x < kinds; x++) {
                double wr = creal(by_kind[x]), wi = cimag(by_kind[x]);
                for (int force = 0; force < numbers; force++) {
                    double* restrict out =
                        f->response[x] + ((j * numbers + force) * m->s + i) * numbers;
                    const double* restrict r = re + force * numbers;
                    const double* restrict q = im + force * numbers;
                    for (int e = 0; e < numbers; e++) {
                        out[e] += wr * r[e] - wi * q[e];
                    }
                }
            }
        }
    }
}

static void calc_columns(FbLtv* s, FbLtvFactors* f) {
    FbLtvMoving* m = &s->moving;
    int n = s->unknowns.n, numbers = G * m->n, count = numbers * numbers;
    double *re = m->re, *im = re + count, *unit = m->force;
    f->has_places = m->has_places;
    for (int x = 0; x < FB_LTV_KINDS; x++) {
        memset(f->response[x], 0, bytes(s->method.s * s->method.s * count));
    }
    for (int k = 0; k <= s->method.n_pair; k++) {
        int stride = k > 0 ? 2 : 1;
        memset(im, 0, bytes(count));
        for (int j = 0; j < numbers; j++) {
            double* column = f->columns[k] + j * stride * n;
            memset(unit, 0, bytes(numbers));
            unit[j] = 1.0;
            memset(s->b, 0, bytes(n));
            fb_ltv_scatter(s, unit, s->b);
            for (int i = 0; i < n; i++) {
                column[stride * i] = s->b[i];
                column[stride * i + stride - 1] = stride > 1 ? 0.0 : s->b[i];
            }
            fb_ltv_system_solve(s, f, k, column);
            for (int part = 0; part < stride; part++) {
                fb_ltv_gather(s, column + part, stride, (part == 0 ? re : im) + j * numbers);
            }
        }
        if (k == 0) {
            memcpy(f->real, re, bytes(count));
        }
        add_response(s, f, k, re, im);
    }
    f->has_columns = true;
}

// The changes `w` as seen by the groups, behind the start of the motion.
static void gather_changes(FbLtv* s, double* const w[], const FbLtvStages* start) {
    FbLtvMoving* m = &s->moving;
    int numbers = G * m->n;
    double* out = m->seen;
    const double* motion[FB_LTV_KINDS] = {start ? start->a : NULL, start ? start->v : NULL,
                                          start ? start->y : NULL};
    for (int x = 0; x < FB_LTV_KINDS; x++, out += numbers) {
        if (start) {
            fb_ltv_gather(s, motion[x], 1, out);
        } else {
            memset(out, 0, bytes(numbers));
        }
    }
    for (int k = 0; k <= s->method.n_pair; k++) {
        for (int part = 0; part < (k > 0 ? 2 : 1); part++, out += numbers) {
            fb_ltv_gather(s, w[k] + part, k > 0 ? 2 : 1, out);
        }
    }
}

// Accelerations, velocities and displacements, [3][n], at stage i from vectors of n numbers: those
// of the start, and of the changes.
FB_WIDE static void combine(const FbLtv* s, double h, int i, int n, const double* vectors,
                            double* motion) {
    const FbRadauMethod* m = &s->method;
    const double *a = vectors, *v = a + n, *y = v + n, *w = y + n;
    double* restrict out = motion;
    double dt = m->c[i] * h;
    for (int e = 0; e < n; e++) {
        motion[e] = a[e];
        motion[n + e] = v[e] + dt * a[e];
        motion[2 * n + e] = y[e] + dt * (v[e] + 0.5 * dt * a[e]);
    }
    for (int k = 0; k <= m->n_pair; k++) {
        double complex shift = shift_of(m, k, h), weight = weight_back(m, k, i);
        const double complex by_kind[FB_LTV_KINDS] = {weight * shift, weight,
                                                      weight * reciprocal(shift)};
        const double* im = k > 0 ? w + n : w;
        for (int x = 0; x < FB_LTV_KINDS; x++) {
            double wr = creal(by_kind[x]), wi = k > 0 ? cimag(by_kind[x]) : 0.0;
            for (int e = 0; e < n; e++) {
                out[x * n + e] -= wr * w[e] - wi * im[e];
            }
        }
        w += (k > 0 ? 2 : 1) * n;
    }
}

static int rank_of(const FbLtv* s, int i) {
    int rank = 0;
    for (int g = 0; g < s->moving.n; g++) {
        rank += fb_ltv_shares(s, i)[g].rank;
    }
    return rank;
}

// One column of the system: what a unit of force c of group b at stage j makes of the forces of all
// groups at all stages.
FB_WIDE static void set_column(FbLtv* s, const FbLtvFactors* f, int j, int b, int c,
                               double* column) {
    FbLtvMoving* m = &s->moving;
    int stages = s->method.s, numbers = G * m->n, count = stages * numbers;
    int kinds = f->has_places ? 3 : 2;
    const double* U = fb_ltv_shares(s, j)[b].U[c];
    for (int x = 0; x < kinds; x++) {
        const double* restrict H = f->response[x] + (j * numbers + G * b) * count;
        double* restrict out = m->reached + x * count;
        double u0 = U[0], u1 = U[1], u2 = U[2], u3 = U[3];
        for (int e = 0; e < count; e++) {
            out[e] =
                (H[e] * u0 + H[count + e] * u1) + (H[2 * count + e] * u2 + H[3 * count + e] * u3);
        }
    }
    for (int i = 0; i < stages; i++) {
        const FbMovingShare* to = fb_ltv_shares(s, i);
        const double* reached = m->reached + i * numbers;
        for (int a = 0; a < m->n; a++, reached += G) {
            for (int r = 0; r < to[a].rank; r++) {
                double sum = dot(to[a].B[0][r], reached) + dot(to[a].B[1][r], reached + count);
                *column++ = to[a].has_places ? sum + dot(to[a].B[2][r], reached + 2 * count) : sum;
            }
        }
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

// w += columns (re + i im)
FB_WIDE static void add_columns(FbLtv* s, const FbLtvFactors* f, int k, const double* re,
                                const double* im) {
    int n = s->unknowns.n;
    double* restrict w = s->w[k];
    for (int j = 0; j < G * s->moving.n; j++) {
        const double* restrict column = f->columns[k] + j * (k > 0 ? 2 : 1) * n;
        for (int i = 0; i < n && k == 0; i++) {
            w[i] += column[i] * re[j];
        }
        for (int i = 0; i < n && k > 0; i++) {
            w[2 * i] += column[2 * i] * re[j] - column[2 * i + 1] * im[j];
            w[2 * i + 1] += column[2 * i] * im[j] + column[2 * i + 1] * re[j];
        }
    }
}

// The responses, once per factorization and element; those of displacements where shares have them.
static void ensure_columns(FbLtv* s, FbLtvFactors* f) {
    FbLtvMoving* m = &s->moving;
    for (int i = 0; i < s->method.s * m->n; i++) {
        m->has_places |= fb_ltv_shares(s, i / m->n)[i % m->n].has_places;
    }
    if (!f->has_columns || (m->has_places && !f->has_places)) {
        calc_columns(s, f);
    }
}

FbStatus fb_ltv_correct_stages(FbLtv* s, FbLtvFactors* f, const FbLtvStages* start) {
    FbLtvMoving* m = &s->moving;
    ensure_columns(s, f);
    int size = 0;
    for (int i = 0; i < s->method.s; i++) {
        size += rank_of(s, i);
    }
    FbStatus status = size > 0 ? solve_forces(s, f, start, size) : FB_OK;
    if (status != FB_OK || size == 0) {
        return status;
    }
    double *re = m->force, *im = re + G * m->n;
    for (int k = 0; k <= s->method.n_pair; k++) {
        memset(re, 0, bytes(2 * G * m->n));
        for (int i = 0, row = 0; i < s->method.s; i++) {
            double complex weight = weight_into(&s->method, k, i);
            double wr = creal(weight), wi = cimag(weight);
            for (int g = 0; g < m->n; g++) {
                const FbMovingShare* share = &fb_ltv_shares(s, i)[g];
                for (int c = 0; c < share->rank; c++, row++) {
                    for (int e = 0; e < G; e++) {
                        double x = share->U[c][e] * m->z[row];
                        re[G * g + e] += wr * x;
                        im[G * g + e] += wi * x;
                    }
                }
            }
        }
        add_columns(s, f, k, re, im);
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
    fb_ltv_gather(s, x, 1, m->motion);
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

void fb_ltv_near_begin(FbLtv* s, const FbLtvStages* c) {
    FbLtvMoving* m = &s->moving;
    const double* start[FB_LTV_KINDS] = {c->a, c->v, c->y};
    double* out = m->near_seen;
    int n = s->unknowns.n;
    if (!m->near_of_y) {
        return;
    }
    for (int x = 0; x < FB_LTV_KINDS; x++, out += m->n_near) {
        fb_ltv_multiply_columns(m->n_near, n, m->near_of_y, start[x], 1, out);
    }
    for (int k = 0; k <= s->method.n_pair; k++) {
        int stride = k > 0 ? 2 : 1;
        for (int part = 0; part < stride; part++, out += m->n_near) {
            fb_ltv_multiply_columns(m->n_near, n, m->near_of_y, c->change[k] + part, stride, out);
        }
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
