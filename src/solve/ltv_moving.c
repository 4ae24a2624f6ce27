// What travelling parts touch, and their shares of M, C and K, in the stepper for linear equations
// (theory manual, eqs. 5.55, 5.56).
#include <string.h>

#include "math/dense.h"
#include "solve/ltv.h"

enum { G = FB_MOVING };

static size_t bytes(int n) {
    return sizeof(double) * (size_t)n;
}

// Vectors of the motion: of the start, and of the changes, complex ones as two.
static int count_vectors(const FbLtv* s) {
    return FB_LTV_KINDS + 1 + 2 * s->method.n_pair;
}

void fb_ltv_moving_init(FbLtv* s) {
    FbLtvMoving* m = &s->moving;
    FbArena* a = s->arena;
    int n = s->unknowns.n, stages = s->method.s, c = s->form.max_moving;
    int rows = stages * c * FB_MOVING_RANK, numbers = G * c;
    memset(m, 0, sizeof *m);
    m->capacity = c;
    if (s->unknowns.Z) {
        m->E = FB_TAKE(a, double, numbers* n + 1);
        m->Et = FB_TAKE(a, double, numbers* n + 1);
    }
    m->shares = FB_TAKE(a, FbMovingShare, (stages + 1) * c + 1);
    m->motion = FB_TAKE(a, double, FB_LTV_KINDS* numbers + 1);
    m->force = FB_TAKE(a, double, 2 * numbers + 1);
    m->re = FB_TAKE(a, double, 2 * numbers * numbers + 1);
    m->change = FB_TAKE(a, double, 2 * n + 1);
    m->seen = FB_TAKE(a, double, count_vectors(s) * numbers + 1);
    m->system = FB_TAKE(a, double, rows* rows + 1);
    m->z = FB_TAKE(a, double, rows + 1);
    m->pivot = FB_TAKE(a, int, rows + 1);
    m->near = FB_TAKE(a, int, s->unknowns.n_v + 1);
    if (s->form.has_near_powers && s->unknowns.Z) {
        m->near_of_y = FB_TAKE(a, double, n * s->unknowns.n_v + 1);
        m->near_seen = FB_TAKE(a, double, count_vectors(s) * s->unknowns.n_v + 1);
        m->near_motion = FB_TAKE(a, double, FB_LTV_KINDS * s->unknowns.n_v + 1);
    }
    for (int f = 0; f < s->n_sets; f++) {
        FbLtvFactors* set = &s->sets[f];
        set->real = FB_TAKE(a, double, numbers* numbers + 1);
        for (int k = 0; k < FB_LTV_KINDS; k++) {
            set->response[k] = FB_TAKE(a, double, stages* stages* numbers* numbers + 1);
        }
        for (int k = 0; k <= s->method.n_pair; k++) {
            set->columns[k] = FB_TAKE(a, double, (k > 0 ? 4 : 1) * n * numbers + 1);
        }
    }
}

static void set_numbers_of_y(FbLtv* s) {
    FbLtvMoving* m = &s->moving;
    const FbLtvUnknowns* u = &s->unknowns;
    memset(m->E, 0, bytes(G * m->n * u->n));
    for (int g = 0; g < m->n; g++) {
        const FbMovingGroup* group = &m->groups[g];
        for (int k = 0; k < group->n; k++) {
            const double* row = u->Zt + group->v[k] * u->n;
            for (int e = 0; e < G; e++) {
                double f = group->F[G * k + e];
                for (int j = 0; f != 0.0 && j < u->n; j++) {
                    m->E[(g * G + e) * u->n + j] += f * row[j];
                }
            }
        }
    }
    for (int i = 0; i < G * m->n; i++) {
        for (int j = 0; j < u->n; j++) {
            m->Et[j * G * m->n + i] = m->E[i * u->n + j];
        }
    }
}

// What the groups touch, each velocity once.
static void find_near(FbLtv* s) {
    FbLtvMoving* m = &s->moving;
    const FbLtvUnknowns* u = &s->unknowns;
    m->n_near = 0;
    for (int g = 0; g < m->n; g++) {
        for (int k = 0; k < m->groups[g].n; k++) {
            int v = m->groups[g].v[k], at = 0;
            for (; at < m->n_near && m->near[at] != v; at++) {
            }
            m->near[at] = v;
            m->n_near += at == m->n_near;
        }
    }
    for (int j = 0; m->near_of_y && j < u->n; j++) {
        for (int i = 0; i < m->n_near; i++) {
            m->near_of_y[j * m->n_near + i] = u->Zt[m->near[i] * u->n + j];
        }
    }
}

void fb_ltv_moving_restart(FbLtv* s) {
    FbLtvMoving* m = &s->moving;
    FbDynamics* d = s->base.dynamics;
    m->n = d->ops->find_moving(d, &m->groups);
    for (int f = 0; f < s->n_sets; f++) {
        s->sets[f].has_columns = false;
    }
    if (s->form.has_near_powers) {
        find_near(s);
    }
    if (m->E) {
        set_numbers_of_y(s);
    }
}

// out = E y of vectors without a matrix E.
static void gather_groups(const FbLtvMoving* m, const double* y, int stride, double* out) {
    for (int g = 0; g < m->n; g++) {
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

void fb_ltv_gather(const FbLtv* s, int count, const double* const* y, int stride, double* out) {
    const FbLtvMoving* m = &s->moving;
    double* to[FB_DENSE_MOST_VECTORS];
    for (int k = 0; k < count; k++) {
        to[k] = out + k * G * m->n;
        if (!m->E) {
            gather_groups(m, y[k], stride, to[k]);
        }
    }
    if (m->E) {
        fb_dense_multiply(count, G * m->n, s->unknowns.n, m->Et, y, stride, to);
    }
}

// y += E' x
void fb_ltv_scatter(const FbLtv* s, const double* x, double* y) {
    const FbLtvMoving* m = &s->moving;
    int n = s->unknowns.n;
    for (int i = 0; m->E && i < G * m->n; i++) {
        const double* restrict row = m->E + i * n;
        double* restrict out = y;
        for (int j = 0; j < n; j++) {
            out[j] += row[j] * x[i];
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

FbMovingShare* fb_ltv_shares(const FbLtv* s, int i) {
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
    if (u->n_c == 0) {
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
        const FbMovingShare* share = &fb_ltv_shares(s, i)[g];
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

bool fb_ltv_share_calc(FbLtv* s, double t, int i, double* load) {
    FbDynamics* d = s->base.dynamics;
    s->stats.rhs_evals++;
    d->ops->calc_linear(d, t, s->full, fb_ltv_shares(s, i));
    add_drives(s, t, i);
    for (int j = 0; j < s->size.n_v; j++) {
        if (s->full[j] != 0.0) {
            fb_ltv_reduce(&s->unknowns, s->full, load);
            return true;
        }
    }
    return false;
}

void fb_ltv_share_pass(FbLtv* s) {
    memcpy(fb_ltv_shares(s, -1), fb_ltv_shares(s, s->method.s - 1),
           sizeof(FbMovingShare) * (size_t)s->moving.n);
}

void fb_ltv_share_add(FbLtv* s, int i, const double* a, const double* v, const double* y,
                      double* r) {
    FbLtvMoving* m = &s->moving;
    const FbMovingShare* shares = fb_ltv_shares(s, i);
    const double* motion[FB_LTV_KINDS] = {a, v, y};
    if (m->n == 0) {
        return;
    }
    memset(m->force, 0, bytes(G * m->n));
    for (int x = 0; x < FB_LTV_KINDS; x++) {
        if (!motion[x]) {
            continue;
        }
        fb_ltv_gather(s, 1, &motion[x], 1, m->motion);
        for (int g = 0; g < m->n; g++) {
            for (int c = 0; c < shares[g].rank; c++) {
                double z = dot(shares[g].B[x][c], m->motion + G * g);
                for (int e = 0; e < G; e++) {
                    m->force[G * g + e] += shares[g].U[c][e] * z;
                }
            }
        }
    }
    fb_ltv_scatter(s, m->force, r);
}
