// C2 cubic splines by their second derivatives m, from the tridiagonal system (h_i = x_i+1 - x_i,
// d_i = (y_i+1 - y_i)/h_i)
//   h_i-1 m_i-1 + 2 (h_i-1 + h_i) m_i + h_i m_i+1 = 6 (d_i - d_i-1).
#include "law/spline.h"

#include <string.h>

typedef struct Tridiagonal {
    int n;
    double *lower, *diagonal, *upper;  // lower[i]: (i, i-1); upper[i]: (i, i+1)
} Tridiagonal;

static bool take(Tridiagonal* s, int n, FbArena* arena) {
    double* memory = FB_TAKE(arena, double, 3 * n);
    *s = (Tridiagonal){n, memory, memory != NULL ? memory + n : NULL,
                       memory != NULL ? memory + 2 * n : NULL};
    return memory != NULL;
}

// Elimination without pivoting: the spline systems are diagonally dominant. Overwrites only b,
// which becomes the solution.
static void solve(const Tridiagonal* s, double* work, double* b) {
    double pivot = s->diagonal[0];
    b[0] /= pivot;
    for (int i = 1; i < s->n; i++) {
        work[i] = s->upper[i - 1] / pivot;
        pivot = s->diagonal[i] - s->lower[i] * work[i];
        b[i] = (b[i] - s->lower[i] * b[i - 1]) / pivot;
    }
    for (int i = s->n - 2; i >= 0; i--) {
        b[i] -= work[i + 1] * b[i + 1];
    }
}

static double slope(const double* x, const double* y, int i) {
    return (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
}

static void parabola(const double* x, const double* y, double* m) {
    m[0] = m[1] = m[2] = 2.0 * (slope(x, y, 1) - slope(x, y, 0)) / (x[2] - x[0]);
}

bool fb_spline_not_a_knot(int n, const double* x, const double* y, FbArena* arena, double* m) {
    memset(m, 0, sizeof(double) * (size_t)n);
    if (n == 3) {
        parabola(x, y, m);
    }
    if (n < 4) {
        return true;
    }
    Tridiagonal s;
    double* work = FB_TAKE(arena, double, n);
    if (!take(&s, n - 2, arena) || work == NULL) {
        return false;
    }
    for (int i = 1; i < n - 1; i++) {
        double h0 = x[i] - x[i - 1], h1 = x[i + 1] - x[i];
        s.lower[i - 1] = h0;
        s.diagonal[i - 1] = 2.0 * (h0 + h1);
        s.upper[i - 1] = h1;
        m[i] = 6.0 * (slope(x, y, i) - slope(x, y, i - 1));
    }
    // The third derivative does not jump at the second and the last but one point: m_0 and m_n-1
    // follow from their neighbours.
    double first = (x[1] - x[0]) / (x[2] - x[1]);
    double last = (x[n - 1] - x[n - 2]) / (x[n - 2] - x[n - 3]);
    s.diagonal[0] += (x[1] - x[0]) * (1.0 + first);
    s.upper[0] -= (x[1] - x[0]) * first;
    s.diagonal[n - 3] += (x[n - 1] - x[n - 2]) * (1.0 + last);
    s.lower[n - 3] -= (x[n - 1] - x[n - 2]) * last;
    solve(&s, work, m + 1);
    m[0] = (1.0 + first) * m[1] - first * m[2];
    m[n - 1] = (1.0 + last) * m[n - 2] - last * m[n - 3];
    return true;
}

bool fb_spline_periodic(int n, const double* x, const double* y, FbArena* arena, double* m) {
    int k = n - 1;  // unknowns m_0 ... m_n-2
    Tridiagonal s;
    double* work = FB_TAKE(arena, double, k);
    double* z = FB_TAKE(arena, double, k);
    if (!take(&s, k, arena) || work == NULL || z == NULL) {
        return false;
    }
    for (int i = 0; i < k; i++) {
        int p = i > 0 ? i - 1 : k - 1;
        double h0 = x[p + 1] - x[p], h1 = x[i + 1] - x[i];
        s.lower[i] = h0;
        s.diagonal[i] = 2.0 * (h0 + h1);
        s.upper[i] = h1;
        m[i] = 6.0 * (slope(x, y, i) - slope(x, y, p));
    }
    // Sherman-Morrison: both corners equal c; A = T + u w' with u = (c, 0 ..., c), w = (1, 0, ...,
    // 1).
    double c = s.lower[0];
    s.diagonal[0] -= c;
    s.diagonal[k - 1] -= c;
    z[0] = c;
    z[k - 1] = c;
    solve(&s, work, m);
    solve(&s, work, z);
    double factor = (m[0] + m[k - 1]) / (1.0 + z[0] + z[k - 1]);
    for (int i = 0; i < k; i++) {
        m[i] -= factor * z[i];
    }
    m[k] = m[0];
    return true;
}

void fb_spline_calc(const double* x, const double* y, const double* m, int i, double t,
                    double out[3]) {
    double h = x[i + 1] - x[i];
    double a = (x[i + 1] - t) / h, b = (t - x[i]) / h;
    out[0] = a * y[i] + b * y[i + 1] +
             ((a * a - 1.0) * a * m[i] + (b * b - 1.0) * b * m[i + 1]) * h * h / 6.0;
    out[1] = (y[i + 1] - y[i]) / h +
             ((1.0 - 3.0 * a * a) * m[i] + (3.0 * b * b - 1.0) * m[i + 1]) * h / 6.0;
    out[2] = a * m[i] + b * m[i + 1];
}
