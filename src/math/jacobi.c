// Jacobi's method, cyclic by rows: A <- R' A R with the rotation of p and q that makes a_pq vanish
// (Golub & Van Loan, Matrix Computations, section 8.5). Small eigenvalues of matrices whose rows
// differ in size come out more accurately than by tridiagonal forms.
#include "math/jacobi.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/dense.h"

enum { MOST_SWEEPS = 30 };

static double off_diagonal(int n, const double* a) {
    double sum = 0.0;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < j; i++) {
            sum += a[j * n + i] * a[j * n + i];
        }
    }
    return sqrt(2.0 * sum);
}

// Columns p and q of x: x_p <- c x_p - s x_q, x_q <- s x_p + c x_q.
static void rotate_columns(int n, double* restrict x, int p, int q, double c, double s) {
    double* restrict xp = x + p * n, * restrict xq = x + q * n;
    for (int i = 0; i < n; i++) {
        double u = xp[i], w = xq[i];
        xp[i] = c * u - s * w;
        xq[i] = s * u + c * w;
    }
}

static void rotate_rows(int n, double* x, int p, int q, double c, double s) {
    for (int j = 0; j < n; j++) {
        double u = x[j * n + p], w = x[j * n + q];
        x[j * n + p] = c * u - s * w;
        x[j * n + q] = s * u + c * w;
    }
}

static void rotate(int n, double* a, double* v, int p, int q) {
    double off = a[q * n + p], app = a[p * n + p], aqq = a[q * n + q];
    if (fabs(off) <= 0.5 * DBL_EPSILON * sqrt(fabs(app)) * sqrt(fabs(aqq))) {
        return;
    }
    double tau = (aqq - app) / (2.0 * off);
    double t = copysign(1.0, tau) / (fabs(tau) + hypot(1.0, tau));
    double c = 1.0 / sqrt(1.0 + t * t), s = t * c;
    rotate_columns(n, a, p, q, c, s);
    rotate_rows(n, a, p, q, c, s);
    rotate_columns(n, v, p, q, c, s);
    a[p * n + p] = app - t * off;
    a[q * n + q] = aqq + t * off;
    a[q * n + p] = a[p * n + q] = 0.0;
}

bool fb_jacobi(int n, double* a, double* v, double* w) {
    double size = 0.0;
    memset(v, 0, sizeof(double) * (size_t)n * (size_t)n);
    for (int j = 0; j < n; j++) {
        v[j * n + j] = 1.0;
        size = fmax(size, fabs(a[j * n + j]));
    }
    double before = INFINITY;
    for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
        double off = off_diagonal(n, a);
        if (!isfinite(off)) {
            return false;
        }
        // Rounding of the rotations is all that is left.
        if (off == 0.0 || (off <= 4.0 * DBL_EPSILON * n * size && off >= 0.5 * before)) {
            break;
        }
        before = off;
        for (int p = 0; p < n; p++) {
            for (int q = p + 1; q < n; q++) {
                rotate(n, a, v, p, q);
            }
        }
    }
    for (int j = 0; j < n; j++) {
        w[j] = a[j * n + j];
    }
    return off_diagonal(n, a) <= 4.0 * DBL_EPSILON * n * size;
}

// x <- L^-1 x
static void solve_lower(int n, const double* l, double* x) {
    for (int k = 0; k < n; k++) {
        double f = x[k] /= l[k * n + k];
        for (int i = k + 1; i < n; i++) {
            x[i] -= f * l[k * n + i];
        }
    }
}

static void transpose(int n, double* a) {
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < j; i++) {
            double t = a[j * n + i];
            a[j * n + i] = a[i * n + j];
            a[i * n + j] = t;
        }
    }
}

// M = L L',  (L^-1 K L^-T) y = w y,  x = L^-T y.
bool fb_jacobi_pencil(int n, double* k, double* m, double* x, double* w) {
    if (fb_cholesky_factor(n, m) >= 0) {
        return false;
    }
    for (int side = 0; side < 2; side++) {
        for (int j = 0; j < n; j++) {
            solve_lower(n, m, k + j * n);
        }
        transpose(n, k);
    }
    if (!fb_jacobi(n, k, x, w)) {
        return false;
    }
    for (int j = 0; j < n; j++) {
        double* y = x + j * n;
        for (int i = n - 1; i >= 0; i--) {
            for (int r = i + 1; r < n; r++) {
                y[i] -= m[i * n + r] * y[r];
            }
            y[i] /= m[i * n + i];
        }
    }
    return true;
}
