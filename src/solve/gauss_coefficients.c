// Coefficients of the Gauss methods in closed form (Hairer & Wanner, Solving ODEs II, IV.5).
#include "solve/gauss_coefficients.h"

#include <math.h>
#include <string.h>

enum { N = FB_GAUSS_MAX_STAGES };

static void set_matrix(FbGaussMethod* m) {
    if (m->s == 1) {
        m->c[0] = m->A[0][0] = 0.5;
        m->b[0] = 1.0;
    } else if (m->s == 2) {
        double r = sqrt(3.0) / 6.0;
        const double c[2] = {0.5 - r, 0.5 + r};
        const double A[2][2] = {{0.25, 0.25 - r}, {0.25 + r, 0.25}};
        for (int i = 0; i < 2; i++) {
            m->c[i] = c[i];
            m->b[i] = 0.5;
            memcpy(m->A[i], A[i], sizeof A[i]);
        }
    } else {
        double r = sqrt(15.0);
        const double c[3] = {0.5 - r / 10.0, 0.5, 0.5 + r / 10.0};
        const double b[3] = {5.0 / 18.0, 4.0 / 9.0, 5.0 / 18.0};
        const double A[3][3] = {
            {5.0 / 36.0, 2.0 / 9.0 - r / 15.0, 5.0 / 36.0 - r / 30.0},
            {5.0 / 36.0 + r / 24.0, 2.0 / 9.0, 5.0 / 36.0 - r / 24.0},
            {5.0 / 36.0 + r / 30.0, 2.0 / 9.0 + r / 15.0, 5.0 / 36.0},
        };
        memcpy(m->c, c, sizeof c);
        memcpy(m->b, b, sizeof b);
        memcpy(m->A, A, sizeof A);
    }
}

// The poles of the stability function: 2; 3 + sqrt(3) i; the roots of z^3 - 12 z^2 + 60 z - 120.
static void set_eigenvalues(FbGaussMethod* m) {
    m->has_real = m->s != 2;
    m->has_pair = m->s > 1;
    m->gamma0 = 2.0;
    m->gamma = 3.0 + I * sqrt(3.0);
    if (m->s == 3) {
        double z = 4.6;
        for (int k = 0; k < 8; k++) {
            z -= (((z - 12.0) * z + 60.0) * z - 120.0) / ((3.0 * z - 24.0) * z + 60.0);
        }
        // The pair has the sum 12 - z and the product 120 / z.
        m->gamma0 = z;
        double half = 0.5 * (12.0 - z);
        m->gamma = half + I * sqrt(120.0 / z - half * half);
    }
}

// A vector that A - mu annihilates; scaled to a first entry of 1 (no eigenvector has a 0 there).
static void calc_eigenvector(const FbGaussMethod* m, double complex mu, double complex* t) {
    double complex a[N][N];
    for (int i = 0; i < m->s; i++) {
        for (int j = 0; j < m->s; j++) {
            a[i][j] = m->A[i][j] - (i == j ? mu : 0.0);
        }
    }
    t[0] = 1.0;
    if (m->s == 2) {
        t[1] = -a[0][0] / a[0][1];
    } else if (m->s == 3) {
        double complex z = a[0][1] * a[1][2] - a[0][2] * a[1][1];
        t[1] = (a[0][2] * a[1][0] - a[0][0] * a[1][2]) / z;
        t[2] = (a[0][0] * a[1][1] - a[0][1] * a[1][0]) / z;
    }
}

// Gauss-Jordan elimination without pivoting: the first row is (1, 1, 1), the vectors are regular.
static void invert(int n, double complex a[N][N], double complex inverse[N][N]) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            inverse[i][j] = i == j;
        }
    }
    for (int k = 0; k < n; k++) {
        double complex pivot = a[k][k];
        for (int j = 0; j < n; j++) {
            a[k][j] /= pivot;
            inverse[k][j] /= pivot;
        }
        for (int i = 0; i < n; i++) {
            double complex f = i == k ? 0.0 : a[i][k];
            for (int j = 0; j < n; j++) {
                a[i][j] -= f * a[k][j];
                inverse[i][j] -= f * inverse[k][j];
            }
        }
    }
}

static void set_transformation(FbGaussMethod* m) {
    double complex T[N][N], inverse[N][N], t[N];
    int pair = m->has_real ? 1 : 0;
    if (m->has_real) {
        calc_eigenvector(m, 1.0 / m->gamma0, t);
        for (int i = 0; i < m->s; i++) {
            T[i][0] = m->t0[i] = creal(t[i]);
        }
    }
    if (m->has_pair) {
        calc_eigenvector(m, 1.0 / m->gamma, t);
        for (int i = 0; i < m->s; i++) {
            T[i][pair] = m->t[i] = t[i];
            T[i][pair + 1] = conj(t[i]);
        }
    }
    invert(m->s, T, inverse);
    for (int i = 0; i < m->s; i++) {
        m->t0_inv[i] = m->has_real ? creal(inverse[0][i]) : 0.0;
        m->t_inv[i] = m->has_pair ? inverse[pair][i] : 0.0;
    }
}

void fb_gauss_method_init(FbGaussMethod* m, int s) {
    memset(m, 0, sizeof *m);
    m->s = s;
    set_matrix(m);
    set_eigenvalues(m);
    set_transformation(m);
}

void fb_gauss_basis(const FbGaussMethod* m, double theta, double* values) {
    for (int j = 0; j < m->s; j++) {
        double product = 1.0;
        for (int k = 0; k < m->s; k++) {
            product *= k == j ? 1.0 : (theta - m->c[k]) / (m->c[j] - m->c[k]);
        }
        values[j] = product;
    }
}
