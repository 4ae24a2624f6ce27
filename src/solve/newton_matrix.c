// Assembly, factorization and solution of the shifted systems that implicit methods share (see
// newton_matrix.h).
#include "solve/newton_matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/linear.h"

enum { MAX_SYSTEMS = 4 };

// Relative to its natural size, what is put on the diagonal of the multipliers: survives a nearly
// singular G; Newton's iteration corrects the difference.
static const double REGULARISATION = 1e-13;

typedef struct System {
    FbLinear* linear;
    double complex s;
    double scale;               // of multipliers and constraint rows
    double complex (*E)[3][3];  // [n_ball]
} System;

struct FbNewtonMatrix {
    FbArena* arena;
    FbSizes size;
    int n;  // n_v + n_x + n_c
    int n_ball;
    const int* ball;
    int* ball_of;  // [n_v] the ball joint of this column, or -1
    FbPattern vv, cv, pattern;
    double *M, *C, *K, *G, *Gq, *Rx, *Xq, *Xv, *Xx;
    double* omega;    // [3 n_ball]
    double mass;      // largest |M_ij|
    int* place_vv;    // [count vv][3] target of (row, col), or of (row, each column of col's ball
                      // joint)
    int* place_cv;    // [count cv][3] the same for the constraint rows
    int* place_ct;    // [count cv] target of G'
    int* place_rx;    // [n_v x n_x]
    int* place_xv;    // [n_x x n_v]
    int* place_xx;    // [n_x x n_x]
    int* place_diag;  // [n_c]
    int n_systems;
    System systems[MAX_SYSTEMS];
    double* work;  // [2 n_v]
};

// The columns that column j of K mixes into: three of its ball joint, or itself alone.
static int first_column(const FbNewtonMatrix* m, int j, int* count) {
    int b = m->ball_of[j];
    *count = b < 0 ? 1 : 3;
    return b < 0 ? j : m->ball[b];
}

static void add_block_entries(const FbNewtonMatrix* m, const FbPattern* p, int row0,
                              FbPatternBuilder* builder) {
    for (int j = 0; j < p->n_col; j++) {
        int count, first = first_column(m, j, &count);
        for (int k = p->start[j]; k < p->start[j + 1]; k++) {
            for (int c = 0; c < count; c++) {
                fb_pattern_builder_add(builder, row0 + p->row[k], first + c);
            }
        }
    }
}

static FbStatus build_pattern(FbNewtonMatrix* m, FbError* err) {
    int n_v = m->size.n_v, n_x = m->size.n_x, n_c = m->size.n_c;
    FbPatternBuilder* b = fb_pattern_builder_create(m->n, m->n);
    if (!b) {
        return fb_fail_memory(err);
    }
    add_block_entries(m, &m->vv, 0, b);
    if (n_c > 0) {
        add_block_entries(m, &m->cv, n_v + n_x, b);
    }
    for (int j = 0; j < n_v && n_c > 0; j++) {
        for (int k = m->cv.start[j]; k < m->cv.start[j + 1]; k++) {
            fb_pattern_builder_add(b, j, n_v + n_x + m->cv.row[k]);
        }
    }
    for (int i = 0; i < n_x; i++) {
        for (int j = 0; j < n_v + n_x; j++) {
            fb_pattern_builder_add(b, n_v + i, j);
            fb_pattern_builder_add(b, j, n_v + i);
        }
    }
    for (int i = 0; i < m->n; i++) {
        fb_pattern_builder_add(b, i, i);
    }
    FbStatus status = fb_pattern_builder_finish(b, m->arena, &m->pattern, err);
    fb_pattern_builder_destroy(b);
    return status;
}

static void map_block(const FbNewtonMatrix* m, const FbPattern* p, int row0, int* place) {
    for (int j = 0; j < p->n_col; j++) {
        int count, first = first_column(m, j, &count);
        for (int k = p->start[j]; k < p->start[j + 1]; k++) {
            for (int c = 0; c < count; c++) {
                place[3 * k + c] = fb_pattern_index(&m->pattern, row0 + p->row[k], first + c);
            }
        }
    }
}

static void map_places(FbNewtonMatrix* m) {
    int n_v = m->size.n_v, n_x = m->size.n_x, n_c = m->size.n_c;
    map_block(m, &m->vv, 0, m->place_vv);
    for (int j = 0; j < n_v && n_c > 0; j++) {
        for (int k = m->cv.start[j]; k < m->cv.start[j + 1]; k++) {
            m->place_ct[k] = fb_pattern_index(&m->pattern, j, n_v + n_x + m->cv.row[k]);
        }
    }
    if (n_c > 0) {
        map_block(m, &m->cv, n_v + n_x, m->place_cv);
    }
    for (int i = 0; i < n_x; i++) {
        for (int j = 0; j < n_v; j++) {
            m->place_rx[i * n_v + j] = fb_pattern_index(&m->pattern, j, n_v + i);
            m->place_xv[j * n_x + i] = fb_pattern_index(&m->pattern, n_v + i, j);
        }
        for (int j = 0; j < n_x; j++) {
            m->place_xx[j * n_x + i] = fb_pattern_index(&m->pattern, n_v + i, n_v + j);
        }
    }
    for (int i = 0; i < n_c; i++) {
        m->place_diag[i] = fb_pattern_index(&m->pattern, n_v + n_x + i, n_v + n_x + i);
    }
}

static void copy_pattern(FbArena* arena, const FbPattern* from, FbPattern* to) {
    int count = fb_pattern_count(from);
    *to = *from;
    to->start = FB_TAKE(arena, int, from->n_col + 1);
    to->row = FB_TAKE(arena, int, count + 1);
    if (to->start && to->row) {
        memcpy(to->start, from->start, sizeof(int) * (size_t)(from->n_col + 1));
        memcpy(to->row, from->row, sizeof(int) * (size_t)count);
    }
}

static void take_values(FbNewtonMatrix* m, const FbBlocks* blocks) {
    FbArena* a = m->arena;
    int n_v = m->size.n_v, n_x = m->size.n_x;
    int vv = fb_pattern_count(blocks->vv);
    int cv = m->size.n_c > 0 ? fb_pattern_count(blocks->cv) : 0;
    copy_pattern(a, blocks->vv, &m->vv);
    if (m->size.n_c > 0) {
        copy_pattern(a, blocks->cv, &m->cv);
    }
    m->M = FB_TAKE(a, double, vv + 1);
    m->C = FB_TAKE(a, double, vv + 1);
    m->K = FB_TAKE(a, double, vv + 1);
    m->G = FB_TAKE(a, double, cv + 1);
    m->Gq = FB_TAKE(a, double, cv + 1);
    m->Rx = FB_TAKE(a, double, n_v* n_x + 1);
    m->Xq = FB_TAKE(a, double, n_v* n_x + 1);
    m->Xv = FB_TAKE(a, double, n_v* n_x + 1);
    m->Xx = FB_TAKE(a, double, n_x* n_x + 1);
    m->place_vv = FB_TAKE(a, int, 3 * vv + 1);
    m->place_cv = FB_TAKE(a, int, 3 * cv + 1);
    m->place_ct = FB_TAKE(a, int, cv + 1);
    m->place_rx = FB_TAKE(a, int, n_v* n_x + 1);
    m->place_xv = FB_TAKE(a, int, n_v* n_x + 1);
    m->place_xx = FB_TAKE(a, int, n_x* n_x + 1);
    m->place_diag = FB_TAKE(a, int, m->size.n_c + 1);
    m->omega = FB_TAKE(a, double, 3 * m->n_ball + 1);
    m->work = FB_TAKE(a, double, 2 * n_v + 2);
}

static void take_balls(FbNewtonMatrix* m, const FbDynamics* d) {
    m->n_ball = d->n_ball;
    int* ball = FB_TAKE(m->arena, int, d->n_ball + 1);
    m->ball_of = FB_TAKE(m->arena, int, m->size.n_v + 1);
    if (!ball || !m->ball_of) {
        return;
    }
    for (int j = 0; j < m->size.n_v; j++) {
        m->ball_of[j] = -1;
    }
    for (int b = 0; b < d->n_ball; b++) {
        ball[b] = d->ball[b];
        for (int c = 0; c < 3; c++) {
            m->ball_of[ball[b] + c] = b;
        }
    }
    m->ball = ball;
}

static FbStatus create_systems(FbNewtonMatrix* m, int n_complex, FbError* err) {
    m->n_systems = 1 + n_complex;
    for (int k = 0; k < m->n_systems; k++) {
        m->systems[k].E =
            fb_arena_take(m->arena, sizeof(double complex[3][3]) * (size_t)(m->n_ball + 1));
        if (!m->systems[k].E) {
            return fb_fail_memory(err);
        }
        FB_TRY(fb_linear_create(&m->pattern, FB_LINEAR_AUTO, k > 0, &m->systems[k].linear, err));
    }
    return FB_OK;
}

FbStatus fb_newton_matrix_create(const FbDynamics* d, const FbBlocks* blocks, int n_complex,
                                 FbNewtonMatrix** out, FbError* err) {
    *out = NULL;
    FbNewtonMatrix* m = calloc(1, sizeof *m);
    FbArena* arena = fb_arena_create();
    if (!m || !arena) {
        free(m);
        fb_arena_destroy(arena);
        return fb_fail_memory(err);
    }
    m->arena = arena;
    m->size = d->size;
    m->n = d->size.n_v + d->size.n_x + d->size.n_c;
    take_balls(m, d);
    take_values(m, blocks);
    FbStatus status = fb_arena_has_failed(arena) ? fb_fail_memory(err) : build_pattern(m, err);
    if (status == FB_OK) {
        map_places(m);
        status = create_systems(m, n_complex, err);
    }
    if (status != FB_OK) {
        fb_newton_matrix_destroy(m);
        return status;
    }
    *out = m;
    return FB_OK;
}

void fb_newton_matrix_destroy(FbNewtonMatrix* m) {
    if (!m) {
        return;
    }
    for (int k = 0; k < m->n_systems; k++) {
        if (m->systems[k].linear) {
            fb_linear_destroy(m->systems[k].linear);
        }
    }
    fb_arena_destroy(m->arena);
    free(m);
}

static bool is_same_pattern(const FbPattern* a, const FbPattern* b) {
    size_t n = (size_t)a->n_col;
    return a->n_row == b->n_row && a->n_col == b->n_col &&
           memcmp(a->start, b->start, sizeof(int) * (n + 1)) == 0 &&
           memcmp(a->row, b->row, sizeof(int) * (size_t)a->start[n]) == 0;
}

bool fb_newton_matrix_fits(const FbNewtonMatrix* m, const FbDynamics* d, const FbBlocks* blocks) {
    return m->size.n_v == d->size.n_v && m->size.n_x == d->size.n_x && m->size.n_c == d->size.n_c &&
           is_same_pattern(&m->vv, blocks->vv) &&
           (m->size.n_c == 0 || is_same_pattern(&m->cv, blocks->cv));
}

static void copy_values(double* to, const double* from, int count) {
    if (count > 0 && from) {
        memcpy(to, from, sizeof(double) * (size_t)count);
    }
}

static double largest_mass(const FbNewtonMatrix* m) {
    double largest = 0.0;
    for (int k = 0; k < fb_pattern_count(&m->vv); k++) {
        largest = fmax(largest, fabs(m->M[k]));
    }
    return largest > 0.0 ? largest : 1.0;
}

void fb_newton_matrix_set_blocks(FbNewtonMatrix* m, const FbBlocks* blocks, const double* v) {
    int vv = fb_pattern_count(&m->vv), n_vx = m->size.n_v * m->size.n_x;
    int cv = m->size.n_c > 0 ? fb_pattern_count(&m->cv) : 0;
    copy_values(m->M, blocks->M, vv);
    m->mass = largest_mass(m);
    copy_values(m->C, blocks->C, vv);
    copy_values(m->K, blocks->K, vv);
    copy_values(m->G, blocks->G, cv);
    copy_values(m->Gq, blocks->Gq, cv);
    copy_values(m->Rx, blocks->Rx, n_vx);
    copy_values(m->Xq, blocks->Xq, n_vx);
    copy_values(m->Xv, blocks->Xv, n_vx);
    copy_values(m->Xx, blocks->Xx, m->size.n_x * m->size.n_x);
    for (int b = 0; b < m->n_ball; b++) {
        for (int c = 0; c < 3; c++) {
            m->omega[3 * b + c] = v[m->ball[b] + c];
        }
    }
}

// E = (s - W)^-1 with W = [k]x, k = -omega/2:  E = (s^2 + s [k]x + k k') / (s (s^2 + k'k)).
static void calc_ball_inverse(double complex s, const double* omega, double complex E[3][3]) {
    double k[3] = {-0.5 * omega[0], -0.5 * omega[1], -0.5 * omega[2]};
    double cross[3][3] = {{0, -k[2], k[1]}, {k[2], 0, -k[0]}, {-k[1], k[0], 0}};
    double complex denominator = s * (s * s + k[0] * k[0] + k[1] * k[1] + k[2] * k[2]);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            E[i][j] = ((i == j ? s * s : 0.0) + s * cross[i][j] + k[i] * k[j]) / denominator;
        }
    }
}

static inline void add_value(double* values, int stride, int place, double complex z) {
    values[stride * place] += creal(z);
    if (stride == 2) {
        values[2 * place + 1] += cimag(z);
    }
}

// Adds factor * (s1 A + B + Q E) of one block (A may be NULL) into the places of its entries.
static void add_block(const FbNewtonMatrix* m, const System* sys, const FbPattern* p,
                      const int* place, const double* A, const double* B, const double* Q,
                      double factor, double* values, int stride) {
    double complex s = sys->s, e = 1.0 / s;
    for (int j = 0; j < p->n_col; j++) {
        int b = m->ball_of[j];
        int own = b < 0 ? 0 : j - m->ball[b];
        for (int k = p->start[j]; k < p->start[j + 1]; k++) {
            double complex direct = (A ? s * A[k] : 0.0) + B[k];
            if (b < 0) {
                add_value(values, stride, place[3 * k], factor * (direct + e * Q[k]));
                continue;
            }
            add_value(values, stride, place[3 * k + own], factor * direct);
            for (int c = 0; c < 3; c++) {
                add_value(values, stride, place[3 * k + c], factor * Q[k] * sys->E[b][own][c]);
            }
        }
    }
}

// The real system without ball joints, the commonest by far: no complex arithmetic.
static void add_block_real(const FbPattern* p, const int* place, double s, const double* A,
                           const double* B, const double* Q, double factor, double* values) {
    int count = fb_pattern_count(p);
    for (int k = 0; k < count; k++) {
        values[place[3 * k]] += factor * ((A ? s * A[k] : 0.0) + B[k] + Q[k] / s);
    }
}

static void add_states(const FbNewtonMatrix* m, const System* sys, double* values, int stride) {
    int n_v = m->size.n_v, n_x = m->size.n_x;
    for (int k = 0; k < n_v * n_x; k++) {
        add_value(values, stride, m->place_rx[k], m->Rx[k]);
    }
    for (int j = 0; j < n_v; j++) {
        int b = m->ball_of[j];
        for (int i = 0; i < n_x; i++) {
            int k = j * n_x + i;
            add_value(values, stride, m->place_xv[k], -m->Xv[k]);
            if (b < 0) {
                add_value(values, stride, m->place_xv[k], -m->Xq[k] / sys->s);
                continue;
            }
            for (int c = 0; c < 3; c++) {
                int target = m->place_xv[(m->ball[b] + c) * n_x + i];
                add_value(values, stride, target, -m->Xq[k] * sys->E[b][j - m->ball[b]][c]);
            }
        }
    }
    for (int j = 0; j < n_x; j++) {
        for (int i = 0; i < n_x; i++) {
            double complex z = (i == j ? sys->s : 0.0) - m->Xx[j * n_x + i];
            add_value(values, stride, m->place_xx[j * n_x + i], z);
        }
    }
}

static void add_constraints(const FbNewtonMatrix* m, const System* sys, double* values,
                            int stride) {
    int cv = fb_pattern_count(&m->cv);
    if (stride == 1 && m->n_ball == 0) {
        add_block_real(&m->cv, m->place_cv, creal(sys->s), NULL, m->G, m->Gq, sys->scale, values);
    } else {
        add_block(m, sys, &m->cv, m->place_cv, NULL, m->G, m->Gq, sys->scale, values, stride);
    }
    for (int k = 0; k < cv; k++) {
        add_value(values, stride, m->place_ct[k], sys->scale * m->G[k]);
    }
    for (int i = 0; i < m->size.n_c; i++) {
        add_value(values, stride, m->place_diag[i], -REGULARISATION * sys->scale);
    }
}

FbStatus fb_newton_matrix_factor(FbNewtonMatrix* m, int k, double complex s) {
    System* sys = &m->systems[k];
    int stride = k > 0 ? 2 : 1;
    sys->s = s;
    sys->scale = m->size.n_c > 0 ? cabs(s) * m->mass : 1.0;
    for (int b = 0; b < m->n_ball; b++) {
        calc_ball_inverse(s, m->omega + 3 * b, sys->E[b]);
    }
    double* values = fb_linear_values(sys->linear);
    memset(values, 0, sizeof(double) * (size_t)(stride * fb_pattern_count(&m->pattern)));
    if (stride == 1 && m->n_ball == 0) {
        add_block_real(&m->vv, m->place_vv, creal(s), m->M, m->C, m->K, 1.0, values);
    } else {
        add_block(m, sys, &m->vv, m->place_vv, m->M, m->C, m->K, 1.0, values, stride);
    }
    if (m->size.n_x > 0) {
        add_states(m, sys, values, stride);
    }
    if (m->size.n_c > 0) {
        add_constraints(m, sys, values, stride);
    }
    return fb_linear_factor(sys->linear);
}

// y = E x for a vector in the tangent space; x and y may be the same.
static void apply_chart_inverse(const FbNewtonMatrix* m, const System* sys, int stride,
                                const double* x, double* y) {
    double complex e = 1.0 / sys->s;
    for (int j = 0; j < m->size.n_v; j++) {
        int b = m->ball_of[j];
        if (b >= 0 && j == m->ball[b]) {
            double complex in[3];
            for (int c = 0; c < 3; c++) {
                in[c] = stride == 2 ? x[2 * (j + c)] + I * x[2 * (j + c) + 1] : x[j + c];
            }
            for (int r = 0; r < 3; r++) {
                double complex z = 0.0;
                for (int c = 0; c < 3; c++) {
                    z += sys->E[b][r][c] * in[c];
                }
                y[stride * (j + r)] = creal(z);
                if (stride == 2) {
                    y[2 * (j + r) + 1] = cimag(z);
                }
            }
            j += 2;
        } else if (stride == 2) {
            double complex z = e * (x[2 * j] + I * x[2 * j + 1]);
            y[2 * j] = creal(z);
            y[2 * j + 1] = cimag(z);
        } else {
            y[j] = x[j] * creal(e);
        }
    }
}

// y += factor A x for real A and interleaved vectors.
static void multiply(const FbPattern* p, const double* A, double factor, const double* x, double* y,
                     int stride) {
    for (int j = 0; j < p->n_col; j++) {
        for (int k = p->start[j]; k < p->start[j + 1]; k++) {
            for (int c = 0; c < stride; c++) {
                y[stride * p->row[k] + c] += factor * A[k] * x[stride * j + c];
            }
        }
    }
}

// Moves the known part E bxi of dxi to the right-hand sides.
static void eliminate(FbNewtonMatrix* m, const System* sys, int stride, double* b,
                      const double* bxi) {
    int n_v = m->size.n_v, n_x = m->size.n_x;
    apply_chart_inverse(m, sys, stride, bxi, m->work);
    multiply(&m->vv, m->K, -1.0, m->work, b, stride);
    if (m->size.n_c > 0) {
        multiply(&m->cv, m->Gq, -1.0, m->work, b + stride * (n_v + n_x), stride);
    }
    for (int j = 0; j < n_v; j++) {
        for (int i = 0; i < n_x; i++) {
            for (int c = 0; c < stride; c++) {
                b[stride * (n_v + i) + c] += m->Xq[j * n_x + i] * m->work[stride * j + c];
            }
        }
    }
}

void fb_newton_matrix_solve(FbNewtonMatrix* m, int k, double* b, double* bxi) {
    System* sys = &m->systems[k];
    int stride = k > 0 ? 2 : 1, n_v = m->size.n_v, first_c = n_v + m->size.n_x;
    if (bxi) {
        eliminate(m, sys, stride, b, bxi);
    }
    for (int i = stride * first_c; i < stride * m->n; i++) {
        b[i] *= sys->scale;
    }
    fb_linear_solve(sys->linear, b);
    for (int i = stride * first_c; i < stride * m->n; i++) {
        b[i] *= sys->scale;
    }
    if (bxi) {
        for (int i = 0; i < stride * n_v; i++) {
            bxi[i] += b[i];
        }
        apply_chart_inverse(m, sys, stride, bxi, bxi);
    }
}

int fb_newton_matrix_size(const FbNewtonMatrix* m) {
    return m->n;
}

void fb_newton_matrix_add_mass_product(const FbNewtonMatrix* m, double factor, const double* x,
                                       double* y) {
    multiply(&m->vv, m->M, factor, x, y, 1);
}

void fb_newton_matrix_add_constraint_product(const FbNewtonMatrix* m, const double* v,
                                             const double* xi, double* y) {
    if (m->size.n_c > 0) {
        multiply(&m->cv, m->G, 1.0, v, y, 1);
        multiply(&m->cv, m->Gq, 1.0, xi, y, 1);
    }
}
