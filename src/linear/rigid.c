// Rigid-body motions of the reduced system: the null space of A and of all its powers, by rank
// decisions.
//
// A zero eigenvalue of a mechanism is defective as a rule (where a body is, and its velocity), so
// rounding scatters the computed ones over a circle of radius sqrt(eps) or worse: their magnitude
// is meaningless. Ranks are reliable: null vectors of A are split off by an orthogonal
// transformation, then those of what is left, until nothing is singular any more (eq. 7.15):
//   Q' A Q = [T11 T12; 0 T22],  T11 nilpotent: as many zeros as it has rows;  T22 regular.
#include <float.h>
#include <math.h>
#include <string.h>

#include "linear/linearization.h"
#include "math/dense.h"

// Singular values below this part of the largest entry, times the size, are rounding.
static const double ROUNDING = 8.0 * DBL_EPSILON;

// The fastest rate in sight: of stiffness and damping entries against the masses, where coordinate
// i moves by at most scale[i] in a motion of unit mass (eq. 7.16).
static double calc_rate(const FbLinearization* l, const double* scale) {
    const FbDenseBlocks* b = &l->b;
    double square = 0.0, rate = 0.0;
    for (int j = 0; j < b->n; j++) {
        for (int i = 0; i < b->n; i++) {
            size_t at = (size_t)j * (size_t)b->n + (size_t)i;
            square = fmax(square, fabs(b->K[at]) * scale[i] * scale[j]);
            rate = fmax(rate, fabs(b->C[at]) * scale[i] * scale[j]);
        }
    }
    rate = fmax(rate, sqrt(square));
    return rate > 0.0 ? rate : 1.0;
}

// x' M x
static double calc_mass(const FbDenseBlocks* b, const double* x) {
    double sum = 0.0;
    for (int j = 0; j < b->n; j++) {
        for (int i = 0; x[j] != 0.0 && i < b->n; i++) {
            sum += x[i] * b->M[(size_t)j * (size_t)b->n + (size_t)i] * x[j];
        }
    }
    return sum;
}

// 1/sqrt(mass) of each free motion, columns of N [n x k], into `unit` [k], and how far each
// coordinate goes in one of them of unit mass, into `reach` [n], where it is larger.
static void measure_motions(const FbDenseBlocks* b, int k, const double* N, double* unit,
                            double* reach) {
    for (int j = 0; j < k; j++) {
        const double* x = N + (size_t)j * (size_t)b->n;
        double mass = calc_mass(b, x);
        unit[j] = mass > 0.0 ? 1.0 / sqrt(mass) : 1.0;
        for (int i = 0; i < b->n; i++) {
            reach[i] = fmax(reach[i], fabs(x[i]) * unit[j]);
        }
    }
}

// Displacements are measured in sqrt(mass), velocities in sqrt(mass)/rate, so that entries of A
// compare as frequencies: of the free motions, whatever light parts could do without constraints.
static void fill_balance(FbLinearization* l) {
    int f = l->f, p = l->p;
    double* reach = l->dense;
    for (int i = 0; i < l->n_reduced; i++) {
        l->balance[i] = 1.0;
    }
    memset(reach, 0, sizeof(double) * (size_t)l->b.n);
    measure_motions(&l->b, f, l->holonomic.N, l->balance, reach);
    measure_motions(&l->b, p, l->all.N, l->balance + f, reach);
    l->free_rate = calc_rate(l, reach);
    for (int i = 0; i < p; i++) {
        l->balance[f + i] *= l->free_rate;
    }
}

static void start_basis(FbLinearization* l) {
    int N = l->n_reduced;
    memset(l->Q, 0, sizeof(double) * (size_t)N * (size_t)N);
    for (int j = 0; j < N; j++) {
        l->Q[(size_t)j * (size_t)N + (size_t)j] = 1.0;
        for (int i = 0; i < N; i++) {
            size_t at = (size_t)j * (size_t)N + (size_t)i;
            l->T[at] = l->A[at] * l->balance[j] / l->balance[i];
        }
    }
}

// Columns from `done` on of a matrix [n x N] times V [k x k], whose columns are the rows of vt,
// last first.
static void turn_columns(int n, int k, const double* vt, double* columns, double* row) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < k; j++) {
            double sum = 0.0;
            for (int c = 0; c < k; c++) {
                sum += columns[(size_t)c * (size_t)n + (size_t)i] *
                       vt[(size_t)c * (size_t)k + (size_t)(k - 1 - j)];
            }
            row[j] = sum;
        }
        for (int j = 0; j < k; j++) {
            columns[(size_t)j * (size_t)n + (size_t)i] = row[j];
        }
    }
}

// V' times the lower k rows of T.
static void turn_rows(int N, int done, int k, const double* vt, double* T, double* column) {
    for (int j = done; j < N; j++) {
        double* from = T + (size_t)j * (size_t)N + (size_t)done;
        for (int i = 0; i < k; i++) {
            double sum = 0.0;
            for (int c = 0; c < k; c++) {
                sum += vt[(size_t)c * (size_t)k + (size_t)(k - 1 - i)] * from[c];
            }
            column[i] = sum;
        }
        memcpy(from, column, sizeof(double) * (size_t)k);
    }
}

// Splits the null vectors of the lower right block off; *found is their number.
static FbStatus split(FbLinearization* l, double size, int* found, FbError* err) {
    int N = l->n_reduced, done = l->n_rigid, k = N - done;
    double *block = l->work_a, *vt = l->work_e, *s = l->beta;
    for (int j = 0; j < k; j++) {
        memcpy(block + (size_t)j * (size_t)k, l->T + (size_t)(done + j) * (size_t)N + (size_t)done,
               sizeof(double) * (size_t)k);
    }
    FB_TRY(fb_svd(k, k, block, s, NULL, vt, err));
    for (*found = 0; *found < k && s[k - 1 - *found] <= size;) {
        ++*found;
    }
    if (*found == 0) {
        return FB_OK;
    }
    turn_columns(N, k, vt, l->T + (size_t)done * (size_t)N, s);
    turn_columns(N, k, vt, l->Q + (size_t)done * (size_t)N, s);
    turn_rows(N, done, k, vt, l->T, s);
    for (int j = done; j < done + *found; j++) {
        memset(l->T + (size_t)j * (size_t)N + (size_t)done, 0, sizeof(double) * (size_t)k);
    }
    return FB_OK;
}

// One degree of freedom needs no singular values: their product is the determinant.
static bool is_regular_pair(const FbLinearization* l) {
    const double* a = l->A;
    double det = a[0] * a[3] - a[1] * a[2];
    return l->n_reduced == 2 && fabs(det) > 2.0 * ROUNDING * l->free_rate * l->free_rate;
}

FbStatus fb_linear_find_rigid(FbLinearization* l, FbError* err) {
    int N = l->n_reduced, found = 1;
    l->rate_scale = calc_rate(l, l->all.scale);  // 1/sqrt(M_jj)
    fill_balance(l);
    l->n_rigid = 0;
    if (is_regular_pair(l)) {
        return FB_OK;
    }
    start_basis(l);
    double largest = l->free_rate;
    for (size_t i = 0; i < (size_t)N * (size_t)N; i++) {
        largest = fmax(largest, fabs(l->T[i]));
    }
    while (found > 0 && l->n_rigid < N) {
        FB_TRY(split(l, ROUNDING * N * largest, &found, err));
        l->n_rigid += found;
    }
    return FB_OK;
}

double fb_linear_distance_from_rigid(const FbLinearization* l, double complex* y) {
    int N = l->n_reduced;
    double size = 0.0, outside = 0.0;
    for (int i = 0; i < N; i++) {
        y[i] /= l->balance[i];
        size += creal(y[i] * conj(y[i]));
    }
    for (int j = l->n_rigid; j < N; j++) {
        double complex sum = 0.0;
        for (int i = 0; i < N; i++) {
            sum += l->Q[(size_t)j * (size_t)N + (size_t)i] * y[i];
        }
        outside += creal(sum * conj(sum));
    }
    return size > 0.0 ? sqrt(outside / size) : 1.0;
}
