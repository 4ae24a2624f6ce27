// Travelling parts in the stepper for linear equations: at each stage their shares of M, C and K
// are matrices of a low rank, U B, and the stages, solved without them, are corrected exactly by a
// system as large as the sum of the ranks (theory manual, eqs. 5.59, 5.60).
#include <string.h>

#include "math/dense.h"
#include "solve/ltv.h"

enum { G = FB_MOVING, BLOCK = FB_MOVING * FB_MOVING };

static size_t bytes(int n) {
    return sizeof(double) * (size_t)n;
}

void fb_ltv_moving_init(FbLtv* s) {
    FbLtvMoving* m = &s->moving;
    FbArena* a = s->arena;
    int n = s->unknowns.n, stages = s->method.s, c = s->form.max_moving;
    int rows = stages * c * FB_MOVING_RANK, numbers = G * c;
    m->capacity = c;
    m->E = s->unknowns.Z ? FB_TAKE(a, double, numbers* n + 1) : NULL;
    m->shares = FB_TAKE(a, FbMovingShare, (stages + 1) * c + 1);
    m->motion = FB_TAKE(a, double, FB_LTV_KINDS* numbers + 1);
    m->force = FB_TAKE(a, double, 2 * numbers + 1);
    m->re = FB_TAKE(a, double, 2 * numbers * numbers + 1);
    m->system = FB_TAKE(a, double, rows* rows + 1);
    m->z = FB_TAKE(a, double, rows + 1);
    m->pivot = FB_TAKE(a, int, rows + 1);
    for (int f = 0; f < s->n_sets; f++) {
        FbLtvFactors* set = &s->sets[f];
        set->real = FB_TAKE(a, double, numbers* numbers + 1);
        for (int k = 0; k < FB_LTV_KINDS; k++) {
            set->response[k] = FB_TAKE(a, double, stages* stages* numbers* numbers + 1);
        }
        for (int k = 0; k <= s->method.n_pair; k++) {
            set->columns[k] = FB_TAKE(a, double, (k > 0 ? 2 : 1) * n * numbers + 1);
        }
    }
}

void fb_ltv_moving_restart(FbLtv* s) {
    FbLtvMoving* m = &s->moving;
    FbDynamics* d = s->base.dynamics;
    const FbLtvUnknowns* u = &s->unknowns;
    m->n = d->ops->find_moving(d, &m->groups);
    for (int f = 0; f < s->n_sets; f++) {
        s->sets[f].has_columns = false;
    }
    if (!u->Z) {
        return;
    }
    memset(m->E, 0, bytes(G * m->n * u->n));
    for (int g = 0; g < m->n; g++) {
        const FbMovingGroup* group = &m->groups[g];
        for (int k = 0; k < group->n; k++) {
            for (int e = 0; e < G * u->n; e++) {
                m->E[g * G * u->n + e] +=
                    group->F[G * k + e / u->n] * u->Z[(e % u->n) * u->n_v + group->v[k]];
            }
        }
    }
}

// out = E y; y is every `stride`-th number.
static void gather(const FbLtv* s, const double* y, int stride, double* out) {
    const FbLtvMoving* m = &s->moving;
    int n = s->unknowns.n;
    for (int i = 0; m->E && i < G * m->n; i++) {
        double sum = 0.0;
        for (int j = 0; j < n; j++) {
            sum += m->E[i * n + j] * y[stride * j];
        }
        out[i] = sum;
    }
    for (int g = 0; !m->E && g < m->n; g++) {
        const FbMovingGroup* group = &m->groups[g];
        double x[G] = {0};
        for (int k = 0; k < group->n; k++) {
            double value = y[stride * group->v[k]];
            for (int a = 0; a < G; a++) {
                x[a] += group->F[G * k + a] * value;
            }
        }
        memcpy(out + G * g, x, sizeof x);
    }
}

// y += E' x
static void scatter(const FbLtv* s, const double* x, double* y) {
    const FbLtvMoving* m = &s->moving;
    int n = s->unknowns.n;
    for (int i = 0; m->E && i < G * m->n; i++) {
        for (int j = 0; j < n; j++) {
            y[j] += m->E[i * n + j] * x[i];
        }
    }
    for (int g = 0; !m->E && g < m->n; g++) {
        const FbMovingGroup* group = &m->groups[g];
        for (int k = 0; k < group->n; k++) {
            for (int a = 0; a < G; a++) {
                y[group->v[k]] += group->F[G * k + a] * x[G * g + a];
            }
        }
    }
}

static FbMovingShare* shares_of(const FbLtv* s, int i) {
    return s->moving.shares + (i + 1) * s->moving.capacity;
}

static double dot(const double* a, const double* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

// What the motion of the drives costs, with the shares of stage i: added to the load s->full.
static void add_drives(FbLtv* s, double t, int i) {
    FbLtvUnknowns* u = &s->unknowns;
    const double* values[FB_LTV_KINDS] = {s->form.M, s->form.C, s->form.K};
    FbDynamics* d = s->base.dynamics;
    if (!u->Z) {
        return;
    }
    fb_ltv_unknowns_drive(u, d, t);
    for (int k = 0; k < FB_LTV_KINDS; k++) {
        fb_pattern_multiply(s->form.vv, values[k], 1.0, u->particular[k], s->full);
    }
    if (s->form.has_reaction) {
        d->ops->add_reaction(d, t, u->particular[2], s->full);
    }
    fb_ltv_add_full_share(s, i, u->particular[0], u->particular[1], u->particular[2], s->full);
}

void fb_ltv_add_full_share(const FbLtv* s, int i, const double* a, const double* v, const double* d,
                           double* r) {
    const double* motion[FB_LTV_KINDS] = {a, v, d};
    for (int g = 0; g < s->moving.n; g++) {
        const FbMovingGroup* group = &s->moving.groups[g];
        const FbMovingShare* share = &shares_of(s, i)[g];
        double force[G] = {0};
        for (int x = 0; x < FB_LTV_KINDS; x++) {
            double sum[G] = {0};
            for (int k = 0; k < group->n; k++) {
                for (int e = 0; e < G; e++) {
                    sum[e] += group->F[G * k + e] * motion[x][group->v[k]];
                }
            }
            for (int c = 0; c < share->rank; c++) {
                double z = dot(share->B[x][c], sum);
                for (int e = 0; e < G; e++) {
                    force[e] += share->U[c][e] * z;
                }
            }
        }
        for (int k = 0; k < group->n; k++) {
            r[group->v[k]] += dot(group->F + G * k, force);
        }
    }
}

void fb_ltv_share_calc(FbLtv* s, double t, int i, double* load) {
    FbDynamics* d = s->base.dynamics;
    s->stats.rhs_evals++;
    d->ops->calc_linear(d, t, s->full, shares_of(s, i));
    add_drives(s, t, i);
    fb_ltv_reduce(&s->unknowns, s->full, load);
}

void fb_ltv_share_pass(FbLtv* s) {
    memcpy(shares_of(s, -1), shares_of(s, s->method.s - 1),
           sizeof(FbMovingShare) * (size_t)s->moving.n);
}

void fb_ltv_share_add(FbLtv* s, int i, const double* a, const double* v, const double* y,
                      double* r) {
    FbLtvMoving* m = &s->moving;
    const FbMovingShare* shares = shares_of(s, i);
    const double* motion[FB_LTV_KINDS] = {a, v, y};
    if (m->n == 0) {
        return;
    }
    memset(m->force, 0, bytes(G * m->n));
    for (int x = 0; x < FB_LTV_KINDS; x++) {
        if (!motion[x]) {
            continue;
        }
        gather(s, motion[x], 1, m->motion);
        for (int g = 0; g < m->n; g++) {
            for (int c = 0; c < shares[g].rank; c++) {
                double z = dot(shares[g].B[x][c], m->motion + G * g);
                for (int e = 0; e < G; e++) {
                    m->force[G * g + e] += shares[g].U[c][e] * z;
                }
            }
        }
    }
    scatter(s, m->force, r);
}

static double complex shift_of(const FbRadauMethod* m, int k, double h) {
    return (k == 0 ? m->gamma0 : m->gamma[k - 1]) / h;
}

// Conjugate pairs count twice on the way back.
static double complex weight_back(const FbRadauMethod* m, int k, int i) {
    return k == 0 ? m->t0[i] : 2.0 * m->t[i][k - 1];
}

static double complex weight_into(const FbRadauMethod* m, int k, int i) {
    return k == 0 ? m->t0_inv[i] : m->t_inv[k - 1][i];
}

// The response at stage i to forces at stage j, of all three kinds, from system k: the real part of
// weights times the complex numbers of `count` entries.
static void add_response(FbLtv* s, FbLtvFactors* f, int k, const double* re, const double* im) {
    const FbRadauMethod* m = &s->method;
    int count = BLOCK * s->moving.n * s->moving.n;
    double complex shift = shift_of(m, k, f->h);
    for (int i = 0; i < m->s; i++) {
        for (int j = 0; j < m->s; j++) {
            double complex weight = weight_back(m, k, i) * weight_into(m, k, j);
            const double complex by_kind[FB_LTV_KINDS] = {weight * shift, weight, weight / shift};
            for (int x = 0; x < FB_LTV_KINDS; x++) {
                double* out = f->response[x] + (i * m->s + j) * count;
                double wr = creal(by_kind[x]), wi = cimag(by_kind[x]);
                for (int e = 0; e < count; e++) {
                    out[e] += wr * re[e] - wi * im[e];
                }
            }
        }
    }
}

void fb_ltv_calc_columns(FbLtv* s, FbLtvFactors* f) {
    FbLtvMoving* m = &s->moving;
    int n = s->unknowns.n, numbers = G * m->n, count = numbers * numbers;
    double *re = m->re, *im = re + count, *unit = m->force, *seen = m->motion;
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
            scatter(s, unit, s->b);
            for (int i = 0; i < n; i++) {
                column[stride * i] = s->b[i];
                column[stride * i + stride - 1] = stride > 1 ? 0.0 : s->b[i];
            }
            fb_linear_solve(f->system[k], column);
            for (int part = 0; part < stride; part++) {
                gather(s, column + part, stride, seen);
                for (int i = 0; i < numbers; i++) {
                    int block = (i / G) * m->n + j / G;
                    (part == 0 ? re : im)[BLOCK * block + G * (i % G) + j % G] = seen[i];
                }
            }
        }
        if (k == 0) {
            memcpy(f->real, re, bytes(count));
        }
        add_response(s, f, k, re, im);
    }
    f->has_columns = true;
}

// The groups' accelerations, velocities and displacements at stage i in s->w, into m->motion.
static void gather_motion(FbLtv* s, double h, int i) {
    FbLtvMoving* m = &s->moving;
    const FbRadauMethod* method = &s->method;
    int numbers = G * m->n;
    double *re = m->force, *im = re + numbers;
    memset(m->motion, 0, bytes(FB_LTV_KINDS * numbers));
    for (int k = 0; k <= method->n_pair; k++) {
        int stride = k > 0 ? 2 : 1;
        double complex shift = shift_of(method, k, h), weight = weight_back(method, k, i);
        const double complex by_kind[FB_LTV_KINDS] = {weight * shift, weight, weight / shift};
        memset(im, 0, bytes(numbers));
        for (int part = 0; part < stride; part++) {
            gather(s, s->w[k] + part, stride, part == 0 ? re : im);
        }
        for (int x = 0; x < FB_LTV_KINDS; x++) {
            double wr = creal(by_kind[x]), wi = cimag(by_kind[x]);
            for (int e = 0; e < numbers; e++) {
                m->motion[x * numbers + e] += wr * re[e] - wi * im[e];
            }
        }
    }
}

static int rank_of(const FbLtv* s, int i) {
    int rank = 0;
    for (int g = 0; g < s->moving.n; g++) {
        rank += shares_of(s, i)[g].rank;
    }
    return rank;
}

// B_i response U_j of one pair of groups into `out`, whose columns are `size` apart.
static void set_block(const FbMovingShare* to, const FbMovingShare* from,
                      const double* const response[FB_LTV_KINDS], int size, double* out) {
    int kinds = to->has_places ? 3 : 2;
    for (int c = 0; c < from->rank; c++) {
        const double* u = from->U[c];
        double sums[FB_MOVING_RANK] = {0};
        for (int x = 0; x < kinds; x++) {
            const double* H = response[x];
            const double motion[G] = {dot(H, u), dot(H + G, u), dot(H + 2 * G, u),
                                      dot(H + 3 * G, u)};
            for (int r = 0; r < to->rank; r++) {
                sums[r] += dot(to->B[x][r], motion);
            }
        }
        for (int r = 0; r < to->rank; r++) {
            out[c * size + r] = sums[r];
        }
    }
}

// All blocks between stage i, whose rows begin at `row`, and stage j.
static void set_blocks(FbLtv* s, const FbLtvFactors* f, int i, int j, int row, int col, int size) {
    FbLtvMoving* m = &s->moving;
    const FbMovingShare *to = shares_of(s, i), *from = shares_of(s, j);
    int at = (i * s->method.s + j) * BLOCK * m->n * m->n;
    for (int b = 0; b < m->n; b++) {
        for (int a = 0, r = row; a < m->n; a++) {
            int block = at + BLOCK * (a * m->n + b);
            const double* const response[FB_LTV_KINDS] = {
                f->response[0] + block, f->response[1] + block, f->response[2] + block};
            set_block(&to[a], &from[b], response, size, m->system + col * size + r);
            r += to[a].rank;
        }
        col += from[b].rank;
    }
}

// z of all stages, eq. (5.59): s->w is the solution without shares.
static FbStatus solve_forces(FbLtv* s, const FbLtvFactors* f, int size) {
    FbLtvMoving* m = &s->moving;
    int numbers = G * m->n;
    for (int i = 0, row = 0; i < s->method.s; i++) {
        const FbMovingShare* shares = shares_of(s, i);
        gather_motion(s, f->h, i);
        for (int j = 0, col = 0; j < s->method.s; j++) {
            set_blocks(s, f, i, j, row, col, size);
            col += rank_of(s, j);
        }
        for (int g = 0; g < m->n; g++) {
            for (int c = 0; c < shares[g].rank; c++) {
                m->z[row] = 0.0;
                for (int x = 0; x < FB_LTV_KINDS; x++) {
                    m->z[row] += dot(shares[g].B[x][c], m->motion + x * numbers + G * g);
                }
                row++;
            }
        }
    }
    for (int i = 0; i < size; i++) {
        m->system[i * size + i] += 1.0;
    }
    if (fb_lu_factor(size, m->system, m->pivot) >= 0) {
        return FB_RETRY;
    }
    fb_lu_solve(size, m->system, m->pivot, m->z);
    return FB_OK;
}

// w -= columns (re + i im)
static void subtract_columns(FbLtv* s, const FbLtvFactors* f, int k, const double* re,
                             const double* im) {
    int n = s->unknowns.n;
    double* w = s->w[k];
    for (int j = 0; j < G * s->moving.n; j++) {
        const double* column = f->columns[k] + j * (k > 0 ? 2 : 1) * n;
        for (int i = 0; i < n && k == 0; i++) {
            w[i] -= column[i] * re[j];
        }
        for (int i = 0; i < n && k > 0; i++) {
            w[2 * i] -= column[2 * i] * re[j] - column[2 * i + 1] * im[j];
            w[2 * i + 1] -= column[2 * i] * im[j] + column[2 * i + 1] * re[j];
        }
    }
}

FbStatus fb_ltv_correct_stages(FbLtv* s, FbLtvFactors* f) {
    FbLtvMoving* m = &s->moving;
    int size = 0;
    for (int i = 0; i < s->method.s; i++) {
        size += rank_of(s, i);
    }
    FbStatus status = size > 0 ? solve_forces(s, f, size) : FB_OK;
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
                const FbMovingShare* share = &shares_of(s, i)[g];
                for (int c = 0; c < share->rank; c++, row++) {
                    for (int e = 0; e < G; e++) {
                        double x = share->U[c][e] * m->z[row];
                        re[G * g + e] += wr * x;
                        im[G * g + e] += wi * x;
                    }
                }
            }
        }
        subtract_columns(s, f, k, re, im);
    }
    return FB_OK;
}

// x -= A^-1 U (1 + B A^-1 U)^-1 B x, B = s B_M + B_C + B_K / s.
FbStatus fb_ltv_correct_real(FbLtv* s, FbLtvFactors* f, double* x) {
    FbLtvMoving* m = &s->moving;
    FbMovingShare* shares = shares_of(s, -1);
    int n = s->unknowns.n, size = rank_of(s, -1), col = 0, row = 0;
    double sigma = s->method.gamma0 / f->h;
    const double factor[FB_LTV_KINDS] = {sigma, 1.0, 1.0 / sigma};
    if (size == 0) {
        return FB_OK;
    }
    gather(s, x, 1, m->motion);
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
                const double* response = f->real + BLOCK * (a * m->n + b);
                for (int c = 0; c < shares[b].rank; c++, col++) {
                    double motion[G];
                    for (int e = 0; e < G; e++) {
                        motion[e] = dot(response + G * e, shares[b].U[c]);
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
