// Newton's systems of a Radau step where parts travel: the equations of the stages are solved with
// one set of factors, and what the stages' own blocks differ by is corrected exactly, by a linear
// system on the few velocities that travelling parts touch (theory manual, eqs. 5.24-5.26).
#include "solve/radau_travel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { S = FB_RADAU_MAX_STAGES, SYSTEMS = FB_RADAU_MAX_PAIRS + 1, MAX_ITERATIONS = 24 };
static const double ENOUGH = 1e-8;  // of the correction; Newton's iteration sees the rest

// Real and imaginary parts apart, so that loops over velocities are plain.
typedef struct Split {
    double *re, *im;
} Split;

// Rows of T^-1, and columns of T times the shift, 1 and its inverse: from transformed velocities to
// accelerations, velocities and displacements of a stage.
typedef struct Weights {
    double re[SYSTEMS][S], im[SYSTEMS][S];
} Weights;

struct FbRadauTravel {
    FbArena* arena;
    int capacity, n;
    int* v;             // [n] touched velocities
    double* unit;       // [n] of the forces on them
    double* reference;  // [3][n x n] M, C, K of the Jacobian, column-major
    double* change;     // [s][3][n x n] those of the stages minus these
    bool has_change, has_columns;
    long steps_before;         // when the last Jacobian was evaluated
    int misses;                // Jacobians in a row that served for one step
    double* columns[SYSTEMS];  // [n] solutions for a unit force on each
    Split response[SYSTEMS];   // [n x n] ... at the touched velocities, column-major
    Weights into, back[3];
    Split force[SYSTEMS], motion[SYSTEMS];  // [n]
    double* kinds;                          // [3][n] acceleration, velocity, displacement
    double *right_side, *z, *scaled;        // [s n]
    double* basis;                          // [MAX_ITERATIONS + 1][s n]
};

void fb_radau_travel_destroy(FbRadauTravel* t) {
    if (t) {
        fb_arena_destroy(t->arena);
        free(t);
    }
}

static void take_split(FbArena* a, int n, Split* s) {
    s->re = FB_TAKE(a, double, n);
    s->im = FB_TAKE(a, double, n);
}

static FbStatus allocate(FbRadau* r, int n, FbError* err) {
    FbRadauTravel* t = calloc(1, sizeof *t);
    FbArena* a = fb_arena_create();
    if (!t || !a) {
        free(t);
        fb_arena_destroy(a);
        return fb_fail_memory(err);
    }
    if (r->travel) {
        t->steps_before = r->travel->steps_before;
        t->misses = r->travel->misses;
    }
    fb_radau_travel_destroy(r->travel);
    r->travel = t;
    t->arena = a;
    t->capacity = n;
    t->v = FB_TAKE(a, int, n);
    t->unit = FB_TAKE(a, double, n);
    t->reference = FB_TAKE(a, double, 3 * n * n);
    t->change = FB_TAKE(a, double, 3 * S * n * n);
    int size = r->size.n_v + r->size.n_x + r->size.n_c;
    for (int k = 0; k < SYSTEMS; k++) {
        t->columns[k] = FB_TAKE(a, double, 2 * size * n);
        take_split(a, n * n, &t->response[k]);
        take_split(a, n, &t->force[k]);
        take_split(a, n, &t->motion[k]);
    }
    t->kinds = FB_TAKE(a, double, 3 * n);
    t->scaled = FB_TAKE(a, double, S* n);
    t->right_side = FB_TAKE(a, double, S* n);
    t->z = FB_TAKE(a, double, S* n);
    t->basis = FB_TAKE(a, double, (MAX_ITERATIONS + 1) * S * n);
    return fb_arena_has_failed(a) ? fb_fail_memory(err) : FB_OK;
}

// Where other parts ask for a new Jacobian in each step all the same, nothing is gained.
static bool is_useless(FbRadau* r) {
    static const int MANY = 8;
    FbRadauTravel* t = r->travel;
    if (!t) {
        return false;
    }
    bool is_restart = r->last->method == NULL;
    long steps = r->stats.steps - t->steps_before;
    t->steps_before = r->stats.steps;
    t->misses = is_restart || t->misses > MANY ? t->misses : steps <= 1 ? t->misses + 1 : 0;
    return t->misses > MANY;
}

FbStatus fb_radau_travel_begin(FbRadau* r, FbError* err) {
    FbDynamics* d = r->base.dynamics;
    const int* v = NULL;
    bool can = d->ops->find_travelling && d->is_stiff && d->n_ball == 0 && !r->form.is_solved &&
               !is_useless(r);
    int n = can ? d->ops->find_travelling(d, &v) : 0;
    if (n > 0 && (!r->travel || n > r->travel->capacity)) {
        FB_TRY(allocate(r, n, err));
    }
    FbRadauTravel* t = r->travel;
    if (!t) {
        return FB_OK;
    }
    t->n = n;
    t->has_columns = t->has_change = false;
    for (int i = 0; i < n; i++) {
        double mass = fb_newton_matrix_get_mass(r->matrix, v[i]);
        t->v[i] = v[i];
        t->unit[i] = mass > 0.0 ? sqrt(mass) : 1.0;
    }
    if (n > 0) {
        double* M = t->reference;
        d->ops->calc_travelling(d, &r->at, M, M + n * n, M + 2 * n * n);
    }
    return FB_OK;
}

bool fb_radau_travel_is_active(const FbRadau* r) {
    return r->travel && r->travel->n > 0;
}

void fb_radau_travel_forget(FbRadau* r) {
    if (r->travel) {
        r->travel->has_columns = false;
    }
}

void fb_radau_travel_realize(FbRadau* r, const FbCollocation* c) {
    FbRadauTravel* t = r->travel;
    FbDynamics* d = r->base.dynamics;
    if (!t || t->n == 0) {
        return;
    }
    int n_v = r->size.n_v, count = t->n * t->n;
    t->has_change = false;
    for (int i = 0; i < c->method->s; i++) {
        double* M = t->change + 3 * i * count;
        fb_radau_plus(r, c->start.q, r->xi + i * n_v, r->q_stage);
        FbPoint p = fb_radau_stage_point(r, c, i);
        d->ops->calc_travelling(d, &p, M, M + count, M + 2 * count);
        for (int k = 0; k < 3 * count; k++) {
            M[k] -= t->reference[k];
            t->has_change |= M[k] != 0.0;
        }
    }
}

static int stride_of(int system) {
    return system == 0 ? 1 : 2;
}

// Conjugate pairs count twice on the way back.
static void set_weights(FbRadauTravel* t, const FbCollocation* c) {
    const FbRadauMethod* m = c->method;
    for (int k = 0; k <= m->n_pair; k++) {
        double complex shift = (k == 0 ? m->gamma0 : m->gamma[k - 1]) / c->h;
        for (int i = 0; i < m->s; i++) {
            double complex in = k == 0 ? m->t0_inv[i] : m->t_inv[k - 1][i];
            double complex out = k == 0 ? m->t0[i] : 2.0 * m->t[i][k - 1];
            const double complex by_kind[3] = {out * shift, out, out / shift};
            t->into.re[k][i] = creal(in);
            t->into.im[k][i] = cimag(in);
            for (int x = 0; x < 3; x++) {
                t->back[x].re[k][i] = creal(by_kind[x]);
                t->back[x].im[k][i] = cimag(by_kind[x]);
            }
        }
    }
}

static void calc_columns(FbRadau* r, const FbCollocation* c) {
    FbRadauTravel* t = r->travel;
    int size = r->size.n_v + r->size.n_x + r->size.n_c;
    for (int k = 0; k <= c->method->n_pair; k++) {
        int stride = stride_of(k);
        for (int j = 0; j < t->n; j++) {
            double* column = t->columns[k] + j * stride * size;
            memset(column, 0, sizeof(double) * (size_t)(stride * size));
            column[stride * t->v[j]] = 1.0;
            fb_newton_matrix_solve(r->matrix, k, column, NULL);
            for (int i = 0; i < t->n; i++) {
                t->response[k].re[j * t->n + i] = column[stride * t->v[i]];
                t->response[k].im[j * t->n + i] = k == 0 ? 0.0 : column[2 * t->v[i] + 1];
            }
        }
    }
    set_weights(t, c);
    t->has_columns = true;
}

static void add_product(int n, const double* A, const double* x, double sign, double* y) {
    for (int j = 0; j < n; j++) {
        double value = sign * x[j];
        for (int i = 0; i < n; i++) {
            y[i] += A[j * n + i] * value;
        }
    }
}

// out_i = D_i (a_i, v_i, xi_i) of the motion in t->motion (transformed velocities)
static void change_forces(const FbRadauTravel* t, const FbCollocation* c, double* out) {
    const FbRadauMethod* m = c->method;
    int n = t->n;
    memset(out, 0, sizeof(double) * (size_t)(m->s * n));
    for (int i = 0; i < m->s; i++) {
        memset(t->kinds, 0, sizeof(double) * (size_t)(3 * n));
        for (int x = 0; x < 3; x++) {
            double* kind = t->kinds + x * n;
            for (int k = 0; k <= m->n_pair; k++) {
                double re = t->back[x].re[k][i], im = t->back[x].im[k][i];
                for (int j = 0; j < n; j++) {
                    kind[j] += re * t->motion[k].re[j] - im * t->motion[k].im[j];
                }
            }
            add_product(n, t->change + (3 * i + x) * n * n, kind, 1.0, out + i * n);
        }
    }
}

// t->force = T^-1 z
static void transform(const FbRadauTravel* t, const FbRadauMethod* m, const double* z) {
    int n = t->n;
    for (int k = 0; k <= m->n_pair; k++) {
        memset(t->force[k].re, 0, sizeof(double) * (size_t)n);
        memset(t->force[k].im, 0, sizeof(double) * (size_t)n);
        for (int i = 0; i < m->s; i++) {
            double re = t->into.re[k][i], im = t->into.im[k][i];
            for (int j = 0; j < n; j++) {
                t->force[k].re[j] += re * z[i * n + j];
                t->force[k].im[j] += im * z[i * n + j];
            }
        }
    }
}

// t->motion that t->force causes
static void respond(const FbRadauTravel* t, const FbRadauMethod* m) {
    int n = t->n;
    for (int k = 0; k <= m->n_pair; k++) {
        const Split *Q = &t->response[k], *f = &t->force[k], *w = &t->motion[k];
        memset(w->re, 0, sizeof(double) * (size_t)n);
        memset(w->im, 0, sizeof(double) * (size_t)n);
        add_product(n, Q->re, f->re, 1.0, w->re);
        if (k > 0) {
            add_product(n, Q->im, f->im, -1.0, w->re);
            add_product(n, Q->re, f->im, 1.0, w->im);
            add_product(n, Q->im, f->re, 1.0, w->im);
        }
    }
}

// out = (1 + D G) z with the forces z in their units.
static void apply(const FbRadauTravel* t, const FbCollocation* c, const double* z, double* out) {
    int n = t->n;
    for (int i = 0; i < c->method->s; i++) {
        for (int j = 0; j < n; j++) {
            t->scaled[i * n + j] = z[i * n + j] * t->unit[j];
        }
    }
    transform(t, c->method, t->scaled);
    respond(t, c->method);
    change_forces(t, c, out);
    for (int i = 0; i < c->method->s; i++) {
        for (int j = 0; j < n; j++) {
            out[i * n + j] = z[i * n + j] + out[i * n + j] / t->unit[j];
        }
    }
}

static double dot(int n, const double* x, const double* y) {
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        for (int k = 0; k < 4; k++) {
            sum[k] += x[i + k] * y[i + k];
        }
    }
    for (; i < n; i++) {
        sum[0] += x[i] * y[i];
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// One more column of the least-squares problem of GMRES: rotations so far, and a new one.
static double rotate(double h[MAX_ITERATIONS + 1], int j, double* cosine, double* sine, double* g) {
    for (int i = 0; i < j; i++) {
        double x = cosine[i] * h[i] + sine[i] * h[i + 1];
        h[i + 1] = -sine[i] * h[i] + cosine[i] * h[i + 1];
        h[i] = x;
    }
    double size = hypot(h[j], h[j + 1]);
    cosine[j] = size > 0.0 ? h[j] / size : 1.0;
    sine[j] = size > 0.0 ? h[j + 1] / size : 0.0;
    h[j] = size;
    g[j + 1] = -sine[j] * g[j];
    g[j] *= cosine[j];
    return fabs(g[j + 1]);
}

// z = (1 + D G)^-1 right_side by GMRES (Saad and Schultz 1986).
static void solve_forces(FbRadauTravel* t, const FbCollocation* c) {
    int n = c->method->s * t->n, count = 0;
    double H[MAX_ITERATIONS][MAX_ITERATIONS + 1], g[MAX_ITERATIONS + 1], cosine[MAX_ITERATIONS],
        sine[MAX_ITERATIONS];
    double* first = t->basis;
    double size = sqrt(dot(n, t->right_side, t->right_side));
    memset(t->z, 0, sizeof(double) * (size_t)n);
    if (!(size > 0.0) || !isfinite(size)) {
        return;
    }
    for (int i = 0; i < n; i++) {
        first[i] = t->right_side[i] / size;
    }
    g[0] = size;
    while (count < MAX_ITERATIONS) {
        int j = count++;
        double* next = t->basis + (j + 1) * n;
        apply(t, c, t->basis + j * n, next);
        for (int i = 0; i <= j; i++) {
            const double* v = t->basis + i * n;
            H[j][i] = dot(n, v, next);
            for (int k = 0; k < n; k++) {
                next[k] -= H[j][i] * v[k];
            }
        }
        H[j][j + 1] = sqrt(dot(n, next, next));
        for (int k = 0; H[j][j + 1] > 0.0 && k < n; k++) {
            next[k] /= H[j][j + 1];
        }
        bool is_complete = !(H[j][j + 1] > 0.0);
        if (rotate(H[j], j, cosine, sine, g) <= ENOUGH * size || is_complete) {
            break;
        }
    }
    for (int j = count - 1; j >= 0; j--) {
        for (int k = j + 1; k < count; k++) {
            g[j] -= H[k][j] * g[k];
        }
        g[j] = H[j][j] > 0.0 ? g[j] / H[j][j] : 0.0;
        for (int i = 0; i < n; i++) {
            t->z[i] += g[j] * t->basis[j * n + i];
        }
    }
}

void fb_radau_travel_correct(FbRadau* r, const FbCollocation* c) {
    FbRadauTravel* t = r->travel;
    const FbRadauMethod* m = c->method;
    if (!t || t->n == 0 || !t->has_change) {
        return;
    }
    if (!t->has_columns) {
        calc_columns(r, c);
    }
    int n = t->n, size = r->size.n_v + r->size.n_x + r->size.n_c;
    for (int k = 0; k <= m->n_pair; k++) {
        int stride = stride_of(k);
        for (int j = 0; j < n; j++) {
            t->motion[k].re[j] = r->w[k][stride * t->v[j]];
            t->motion[k].im[j] = k == 0 ? 0.0 : r->w[k][2 * t->v[j] + 1];
        }
    }
    change_forces(t, c, t->right_side);
    for (int i = 0; i < m->s * n; i++) {
        t->right_side[i] /= t->unit[i % n];
    }
    solve_forces(t, c);
    for (int i = 0; i < m->s * n; i++) {
        t->z[i] *= t->unit[i % n];
    }
    transform(t, m, t->z);
    for (int k = 0; k <= m->n_pair; k++) {
        int stride = stride_of(k);
        for (int j = 0; j < n; j++) {
            const double* column = t->columns[k] + j * stride * size;
            double re = t->force[k].re[j], im = t->force[k].im[j];
            if (stride == 1) {
                for (int i = 0; i < size; i++) {
                    r->w[k][i] -= re * column[i];
                }
                continue;
            }
            for (int i = 0; i < size; i++) {
                r->w[k][2 * i] -= re * column[2 * i] - im * column[2 * i + 1];
                r->w[k][2 * i + 1] -= re * column[2 * i + 1] + im * column[2 * i];
            }
        }
    }
}

// Responses to unit forces are calculated again.
void fb_radau_travel_remember(FbRadau* r, FbMemory* m) {
    FbRadauTravel* t = r->travel;
    int n = t ? t->n : -1;
    FB_REMEMBER(m, n);
    if (m->is_loading && (n >= 0) != (t != NULL)) {
        m->has_failed = true;
    }
    if (m->has_failed || !t) {
        return;
    }
    if (n > t->capacity) {
        m->has_failed = true;
        return;
    }
    t->n = n;
    fb_memory_indices(m, t->v, n, 0, r->size.n_v - 1);
    fb_memory_doubles(m, t->unit, n);
    fb_memory_doubles(m, t->reference, 3 * n * n);
    FB_REMEMBER(m, t->has_change);
    FB_REMEMBER(m, t->steps_before);
    FB_REMEMBER(m, t->misses);
    if (m->is_loading) {
        t->has_columns = false;
    }
}
