// The tangents of a cubic spline as linear combinations of its points (eqs. 9.36-9.38).
//
// With the steps h_i = s_i+1 - s_i and the slopes d_i = (p_i+1 - p_i)/h_i the second derivative is
// continuous if
//   h_i tau_i-1 + 2 (h_i-1 + h_i) tau_i + h_i-1 tau_i+1 = 3 (h_i d_i-1 + h_i-1 d_i),
// and the third one at the second point if
//   h_1 tau_0 + (h_0 + h_1) tau_1 = ((3 h_0 + 2 h_1) h_1 d_0 + h_0^2 d_1)/(h_0 + h_1),
// likewise at the other end.
#include "fem/guide_spline.h"

#include <math.h>
#include <string.h>

#include "fem/field.h"

// row += factor d_i
static void add_slope(double factor, int i, const double* s, double* row) {
    double k = factor / (s[i + 1] - s[i]);
    row[i] -= k;
    row[i + 1] += k;
}

// A parabola through three points, where they are.
static void calc_parabola(const double* s, double* T) {
    double h0 = s[1] - s[0], h1 = s[2] - s[1], sum = h0 + h1;
    add_slope(1.0 + h0 / sum, 0, s, T);
    add_slope(-h0 / sum, 1, s, T);
    add_slope(h1 / sum, 0, s, T + 3);
    add_slope(h0 / sum, 1, s, T + 3);
    add_slope(-h1 / sum, 0, s, T + 6);
    add_slope(1.0 + h1 / sum, 1, s, T + 6);
}

// The right side of an end: h_a next to it, h_b after that.
static void add_end(double h_a, double h_b, int a, int b, const double* s, double* row) {
    add_slope((3.0 * h_a + 2.0 * h_b) * h_b / (h_a + h_b), a, s, row);
    add_slope(h_a * h_a / (h_a + h_b), b, s, row);
}

// rows of T: y -= factor x
static void subtract_row(int n, double factor, const double* x, double* y) {
    for (int j = 0; j < n; j++) {
        y[j] -= factor * x[j];
    }
}

static void scale_row(int n, double factor, double* x) {
    for (int j = 0; j < n; j++) {
        x[j] *= factor;
    }
}

// Elimination without pivoting: the pivots stay positive. upper[i]: the entry right of pivot i over
// that pivot.
static void solve(int n, const double* s, double* upper, double* T) {
    size_t N = (size_t)n;
    double h0 = s[1] - s[0], h1 = s[2] - s[1];
    add_end(h0, h1, 0, 1, s, T);
    upper[0] = (h0 + h1) / h1;
    scale_row(n, 1.0 / h1, T);
    for (int i = 1; i < n - 1; i++) {
        double before = s[i] - s[i - 1], after = s[i + 1] - s[i], *row = T + (size_t)i * N;
        double pivot = 2.0 * (before + after) - after * upper[i - 1];
        add_slope(3.0 * after, i - 1, s, row);
        add_slope(3.0 * before, i, s, row);
        subtract_row(n, after, row - N, row);
        upper[i] = before / pivot;
        scale_row(n, 1.0 / pivot, row);
    }
    double a = s[n - 1] - s[n - 2], b = s[n - 2] - s[n - 3], *last = T + (N - 1) * N;
    add_end(a, b, n - 2, n - 3, s, last);
    subtract_row(n, a + b, last - N, last);
    scale_row(n, 1.0 / (b - (a + b) * upper[n - 2]), last);
    for (int i = n - 2; i >= 0; i--) {
        subtract_row(n, upper[i], T + (size_t)(i + 1) * N, T + (size_t)i * N);
    }
}

static void calc_tangents(int n, const double* s, double* work, double* T) {
    memset(T, 0, sizeof(double) * (size_t)n * (size_t)n);
    if (n == 2) {
        add_slope(1.0, 0, s, T);
        add_slope(1.0, 0, s, T + 2);
    } else if (n == 3) {
        calc_parabola(s, T);
    } else {
        solve(n, s, work, T);
    }
}

static FbVec3 calc_tangent(int n, const double* row, const FbVec3* p) {
    FbVec3 tangent = {0, 0, 0};
    for (int j = 0; j < n; j++) {  // from a near point: rows add up to zero
        tangent = fb_axpy(row[j], fb_sub(p[j], p[0]), tangent);
    }
    return tangent;
}

// The length of the cubic of length h from p_a to p_b with tangents at its ends.
static double calc_arc(double h, FbVec3 p_a, FbVec3 t_a, FbVec3 p_b, FbVec3 t_b) {
    static const double x[4] = {0.069431844202973712, 0.330009478207571868, 0.669990521792428132,
                                0.930568155797026288};
    static const double w[4] = {0.173927422568726929, 0.326072577431273071, 0.326072577431273071,
                                0.173927422568726929};
    FbVec3 d = fb_sub(p_b, p_a);
    double sum = 0.0;
    for (int i = 0; i < 4; i++) {
        double u = x[i];
        FbVec3 v = fb_scale(6.0 * (u - u * u) / h, d);
        v = fb_axpy(1.0 - 4.0 * u + 3.0 * u * u, t_a, v);
        v = fb_axpy(3.0 * u * u - 2.0 * u, t_b, v);
        sum += w[i] * fb_norm(v);
    }
    return h * sum;
}

// The lengths between the points on the spline of the knots, as new knots; returns the largest
// change, as a part of the whole.
static double measure(int n, const FbVec3* p, const double* T, double* knots, FbVec3* tangents) {
    double change = 0.0, start = knots[0], old = knots[0];
    for (int i = 0; i < n; i++) {
        tangents[i] = calc_tangent(n, T + (size_t)i * (size_t)n, p);
    }
    for (int i = 0; i + 1 < n; i++) {
        double h = knots[i + 1] - old;
        double arc = calc_arc(h, p[i], tangents[i], p[i + 1], tangents[i + 1]);
        change = fmax(change, fabs(arc - h));
        old = knots[i + 1];
        knots[i + 1] = start += arc;
    }
    return change / start;
}

bool fb_guide_spline_calc(int n, const FbVec3* p, FbArena* arena, double* knots, double* T) {
    enum { MAX_ROUNDS = 40 };
    static const double SETTLED = 1e-13;  // of the length
    double* work = FB_TAKE(arena, double, n);
    FbVec3* tangents = FB_TAKE(arena, FbVec3, n);
    if (!work || !tangents) {
        return false;
    }
    knots[0] = 0.0;
    for (int i = 1; i < n; i++) {
        knots[i] = knots[i - 1] + fb_norm(fb_sub(p[i], p[i - 1]));
    }
    calc_tangents(n, knots, work, T);
    for (int round = 0; round < MAX_ROUNDS && measure(n, p, T, knots, tangents) > SETTLED;
         round++) {
        calc_tangents(n, knots, work, T);
    }
    return true;
}

FbVec3 fb_guide_spline_calc_place(int n, const FbVec3* p, const double* knots, const double* T,
                                  double s, FbVec3* tangent) {
    int k = 0;
    while (k + 2 < n && s >= knots[k + 1]) {
        k++;
    }
    double L = knots[k + 1] - knots[k], h[4][4];
    fb_field_calc_shapes(L, (s - knots[k]) / L, h);
    FbVec3 chord = fb_sub(p[k + 1], p[k]);
    FbVec3 t_a = fb_scale(L, calc_tangent(n, T + (size_t)k * (size_t)n, p));
    FbVec3 t_b = fb_scale(L, calc_tangent(n, T + (size_t)(k + 1) * (size_t)n, p));
    if (tangent) {
        *tangent = fb_axpy(h[1][2], chord, fb_axpy(h[1][1], t_a, fb_scale(h[1][3], t_b)));
    }
    FbVec3 r = fb_axpy(h[0][2], chord, p[k]);
    return fb_axpy(h[0][1], t_a, fb_axpy(h[0][3], t_b, r));
}
