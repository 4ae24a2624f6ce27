// Assembly, factorization and solution of the shifted systems that implicit methods share (see
// newton_matrix.h).
#include "solve/newton_matrix.h"

#include <math.h>
#include <string.h>

#include "solve/newton_parts.h"

// Relative to its natural size, what is put on the diagonal of the multipliers: survives a nearly
// singular G; Newton's iteration corrects the difference. As large as the rounding of the
// elimination, or less where light bodies hold heavy ones together (theory manual, section 5.2).
static const double REGULARISATION = 3e-13, LEAST_REGULARISATION = 3e-16;

static void copy_values(double* to, const double* from, int count) {
    if (count > 0 && from) {
        memcpy(to, from, sizeof(double) * (size_t)count);
    }
}

static double power_of_two(double x) {
    int exponent;
    frexp(x, &exponent);
    return ldexp(1.0, exponent);
}

static double scale_of(const double* scale, int i) {
    return scale ? scale[i] : 1.0;
}

static double mass_of(const FbNewtonMatrix* m, int j) {
    return m->diagonal[j] >= 0 ? fabs(m->M[m->diagonal[j]]) : 0.0;
}

// Velocities count by their inertia, rows by their natural size then (theory manual, section 4.2).
static void calc_units(FbNewtonMatrix* m) {
    const FbDynamics* d = m->dynamics;
    int n_v = m->size.n_v, n_x = m->size.n_x, n_c = m->size.n_c;
    const int* start = n_c > 0 ? m->cv.start : NULL;
    double most = 0.0, *row = m->unit + n_v + n_x;
    for (int j = 0; j < n_v; j++) {
        most = fmax(most, mass_of(m, j) * scale_of(d->q_scale, j) * scale_of(d->q_scale, j));
    }
    for (int i = n_v; i < m->n; i++) {
        m->unit[i] = i < n_v + n_x ? 1.0 : 0.0;
    }
    for (int j = 0; j < n_v; j++) {
        double scale = scale_of(d->q_scale, j), mass = mass_of(m, j);
        mass = mass > 0.0 ? mass : most > 0.0 ? most / (scale * scale) : 1.0;
        m->unit[j] = 1.0 / power_of_two(sqrt(mass));
        double share = m->unit[j] / scale * (m->unit[j] / scale);
        for (int k = start ? start[j] : 0; start && k < start[j + 1]; k++) {
            row[m->cv.row[k]] += share;
        }
    }
    for (int c = 0; c < n_c; c++) {
        double size = row[c] > 0.0 ? sqrt(row[c]) * scale_of(d->c_scale, c) : 1.0;
        row[c] = 1.0 / power_of_two(size);
    }
}

void fb_newton_matrix_set_blocks(FbNewtonMatrix* m, const FbBlocks* blocks, const double* v) {
    int vv = fb_pattern_count(&m->vv), n_vx = m->size.n_v * m->size.n_x;
    int cv = m->size.n_c > 0 ? fb_pattern_count(&m->cv) : 0;
    copy_values(m->M, blocks->M, vv);
    copy_values(m->C, blocks->C, vv);
    copy_values(m->K, blocks->K, vv);
    copy_values(m->G, blocks->G, cv);
    copy_values(m->Gq, blocks->Gq, cv);
    if (m->size.n_c > 0) {
        calc_units(m);
    }
    if (m->is_deep) {
        fb_variation_set(&m->tree, blocks->tree, v);
    }
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
static void add_block(const FbNewtonMatrix* m, const FbNewtonSystem* sys, const FbPattern* p,
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

static void add_states(const FbNewtonMatrix* m, const FbNewtonSystem* sys, double* values,
                       int stride) {
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

static void add_constraints(const FbNewtonMatrix* m, const FbNewtonSystem* sys, double* values,
                            int stride) {
    int cv = fb_pattern_count(&m->cv);
    if (stride == 1 && m->n_ball == 0) {
        add_block_real(&m->cv, m->place_cv, creal(sys->s), NULL, m->G, m->Gq, 1.0, values);
    } else {
        add_block(m, sys, &m->cv, m->place_cv, NULL, m->G, m->Gq, 1.0, values, stride);
    }
    for (int k = 0; k < cv; k++) {
        add_value(values, stride, m->place_ct[k], m->G[k]);
    }
}

// Rows of forces and states are divided by |s|, multipliers count in its multiples.
static void scale_values(const FbNewtonMatrix* m, const FbNewtonSystem* sys, double* values,
                         double epsilon, int stride) {
    int first_c = m->size.n_v + m->size.n_x;
    for (int j = 0; j < m->n; j++) {
        double column = m->unit[j] * (j < first_c ? 1.0 : sys->size);
        for (int k = m->pattern.start[j]; k < m->pattern.start[j + 1]; k++) {
            int i = m->pattern.row[k];
            double f = column * m->unit[i] / (i < first_c ? sys->size : 1.0);
            for (int c = 0; c < stride; c++) {
                values[stride * k + c] *= f;
            }
        }
    }
    for (int i = 0; i < m->size.n_c; i++) {
        add_value(values, stride, m->place_diag[i], -epsilon);
    }
}

static FbStatus factor(FbNewtonMatrix* m, FbNewtonSystem* sys, double epsilon, bool is_scaled) {
    int stride = sys->is_complex ? 2 : 1;
    double complex s = sys->s;
    double* values =
        m->is_deep ? fb_tree_fronts_values(sys->fronts) : fb_linear_values(sys->linear);
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
    sys->is_scaled = is_scaled;
    if (is_scaled) {
        scale_values(m, sys, values, epsilon, stride);
    }
    return m->is_deep ? fb_tree_fronts_factor(sys->fronts, &m->tree, s, sys->E)
                      : fb_linear_factor(sys->linear);
}

// Where light bodies hold heavy ones together the rows may be nearly dependent in the metric of
// the masses although G is not. What epsilon leaves of the multipliers then stalls Newton's
// iteration, however short the step (eq. 5.68). Where a smaller one does not help, G is singular.
// Without constraints the equations are as they come, unless metres and radians of very different
// sizes make a pivot look like rounding.
FbStatus fb_newton_matrix_factor(FbNewtonMatrix* m, int k, double complex s) {
    static const double LIGHT = 1e-6;  // of the largest inertia
    static const double LITTLE = 1e-2, HALF = 0.5;
    FbNewtonSystem* sys = &m->systems[k];
    sys->s = s;
    sys->size = power_of_two(cabs(s));
    for (int b = 0; b < m->n_ball; b++) {
        calc_ball_inverse(s, m->omega + 3 * b, sys->E[b]);
    }
    FbStatus status = factor(m, sys, REGULARISATION, m->size.n_c > 0);
    if (status == FB_RETRY && m->size.n_c == 0 && !m->is_deep) {
        calc_units(m);
        return factor(m, sys, 0.0, true);
    }
    if (status != FB_OK || m->size.n_c == 0 || !(fb_newton_matrix_calc_least_mass(m) < LIGHT) ||
        fb_newton_system_calc_left(m, sys, REGULARISATION) < LITTLE) {
        return status;
    }
    status = factor(m, sys, LEAST_REGULARISATION, true);
    bool helps = status == FB_OK && fb_newton_system_calc_left(m, sys, LEAST_REGULARISATION) < HALF;
    return helps ? FB_OK : factor(m, sys, REGULARISATION, true);
}

// y = E x for a vector in the tangent space; x and y may be the same.
static void apply_chart_inverse(const FbNewtonMatrix* m, const FbNewtonSystem* sys, int stride,
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
static void eliminate(FbNewtonMatrix* m, const FbNewtonSystem* sys, int stride, double* b,
                      const double* bxi) {
    int n_v = m->size.n_v, n_x = m->size.n_x;
    apply_chart_inverse(m, sys, stride, bxi, m->work);
    multiply(&m->vv, m->K, -1.0, m->work, b, stride);
    for (int c = 0; m->is_deep && c < stride; c++) {
        fb_variation_add_product(&m->tree, -1.0, m->work + c, NULL, NULL, stride, b + c);
    }
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
    FbNewtonSystem* sys = &m->systems[k];
    int stride = sys->is_complex ? 2 : 1, n_v = m->size.n_v, first_c = n_v + m->size.n_x;
    if (bxi) {
        eliminate(m, sys, stride, b, bxi);
    }
    for (int i = 0; sys->is_scaled && i < stride * m->n; i++) {
        b[i] *= m->unit[i / stride] / (i < stride * first_c ? sys->size : 1.0);
    }
    if (m->is_deep) {
        fb_tree_fronts_solve(sys->fronts, &m->tree, b);
    } else {
        fb_linear_solve(sys->linear, b);
    }
    for (int i = 0; sys->is_scaled && i < stride * m->n; i++) {
        b[i] *= m->unit[i / stride] * (i < stride * first_c ? 1.0 : sys->size);
    }
    if (bxi) {
        for (int i = 0; i < stride * n_v; i++) {
            bxi[i] += b[i];
        }
        apply_chart_inverse(m, sys, stride, bxi, bxi);
    }
}

const double* fb_newton_matrix_units(const FbNewtonMatrix* m) {
    return m->unit;
}

double fb_newton_matrix_get_mass(const FbNewtonMatrix* m, int j) {
    return mass_of(m, j);
}

int fb_newton_matrix_size(const FbNewtonMatrix* m) {
    return m->n;
}

void fb_newton_matrix_add_mass_product(const FbNewtonMatrix* m, double factor, const double* x,
                                       double* y) {
    multiply(&m->vv, m->M, factor, x, y, 1);
    if (m->is_deep) {
        fb_variation_add_product(&m->tree, factor, NULL, NULL, x, 1, y);
    }
}

// x' A x; the tree's share is that for x as displacements (q), velocities (v) or accelerations (a).
static double calc_form(FbNewtonMatrix* m, const double* A, const double* x, const double* q,
                        const double* v, const double* a) {
    double sum = 0.0;
    memset(m->work, 0, sizeof(double) * (size_t)m->size.n_v);
    multiply(&m->vv, A, 1.0, x, m->work, 1);
    if (m->is_deep) {
        fb_variation_add_product(&m->tree, 1.0, q, v, a, 1, m->work);
    }
    for (int i = 0; i < m->size.n_v; i++) {
        sum += x[i] * m->work[i];
    }
    return sum;
}

FbNewtonForms fb_newton_matrix_calc_forms(FbNewtonMatrix* m, const double* x) {
    return (FbNewtonForms){calc_form(m, m->M, x, NULL, NULL, x),
                           calc_form(m, m->C, x, NULL, x, NULL),
                           calc_form(m, m->K, x, x, NULL, NULL)};
}

void fb_newton_matrix_add_constraint_product(const FbNewtonMatrix* m, const double* v,
                                             const double* xi, double* y) {
    if (m->size.n_c > 0) {
        if (v) {
            multiply(&m->cv, m->G, 1.0, v, y, 1);
        }
        if (xi) {
            multiply(&m->cv, m->Gq, 1.0, xi, y, 1);
        }
    }
}

double fb_newton_matrix_calc_least_mass(const FbNewtonMatrix* m) {
    double least = INFINITY, most = 0.0;
    for (int j = 0; j < m->size.n_v; j++) {
        double scale = scale_of(m->dynamics->q_scale, j), mass = mass_of(m, j) * scale * scale;
        least = mass > 0.0 ? fmin(least, mass) : least;
        most = fmax(most, mass);
    }
    return most > 0.0 ? least / most : 1.0;
}
