// Guides fixed in a rigid body: a straight line, or a natural cubic spline, parametrized by arc
// length (eq. 9.20).
//
// The spline runs over the parameter u, the sum of the chords. It is cut into pieces short enough
// for Gauss quadrature of |dc/du| to be exact to rounding; at a given arc length s the piece is
// found by bisection and u by Newton's method from a good guess.
#include "fem/curve.h"

#include <float.h>

// Gauss-Legendre with five points on [0, 1].
enum { N_GAUSS = 5 };
static const double GAUSS_X[N_GAUSS] = {0.046910077030668004, 0.23076534494715846, 0.5,
                                        0.76923465505284154, 0.953089922969332};
static const double GAUSS_W[N_GAUSS] = {0.11846344252809454, 0.23931433524968324,
                                        0.28444444444444444, 0.23931433524968324,
                                        0.11846344252809454};

// A piece is halved until its two halves give its length to this part of the whole curve ...
static const double LENGTH_TOLERANCE = 2e-15;
// ... at most so often: only where the curve turns back on itself does it take more.
static const int MAX_HALVINGS = 14;
// Where |dc/du|, about 1 elsewhere, is smaller, the curve has a cusp.
static const double CUSP_SPEED = 1e-6;

// c(u) = c[0] + u c[1] + u^2 c[2] + u^3 c[3] from a point of the spline on.
typedef struct Cubic {
    FbVec3 c[4];
} Cubic;

// Part of one cubic, u from u0 to u0 + du, arc length from s0 to s0 + ds.
typedef struct Piece {
    const Cubic* cubic;
    double u0, du, s0, ds;
    double slope[2];  // du/ds at its ends
} Piece;

struct FbCurve {
    double length;
    Cubic* cubics;
    Piece* pieces;
    int n_pieces;
    FbVec3 end[2], tangent[2];  // where it continues as a straight line
};

static FbVec3 calc_first(const Cubic* p, double u) {
    FbVec3 a = fb_axpy(3.0 * u, p->c[3], fb_scale(2.0, p->c[2]));
    return fb_axpy(u, a, p->c[1]);
}

static FbVec3 calc_point(const Cubic* p, double u) {
    return fb_axpy(u, fb_axpy(u, fb_axpy(u, p->c[3], p->c[2]), p->c[1]), p->c[0]);
}

static double calc_arc(const Cubic* p, double u0, double du) {
    double sum = 0.0;
    for (int i = 0; i < N_GAUSS; i++) {
        sum += GAUSS_W[i] * fb_norm(calc_first(p, u0 + GAUSS_X[i] * du));
    }
    return sum * du;
}

// ---- building ----

static FbStatus check_points(const double* points, int n, FbError* err) {
    if (n < 2) {
        return fb_fail(err, FB_ERR_MODEL, NULL, "a guide curve needs at least two points, not %d",
                       n);
    }
    for (int i = 0; i < 3 * n; i++) {
        if (!isfinite(points[i])) {
            return fb_fail(err, FB_ERR_RANGE, NULL, "coordinate %d of point %d of the curve is %g",
                           i % 3 + 1, i / 3 + 1, points[i]);
        }
    }
    double size = 0.0;
    for (int i = 3; i < 3 * n; i++) {
        size = fmax(size, fabs(points[i] - points[i % 3]));
    }
    for (int i = 1; i < n; i++) {
        FbVec3 d = fb_sub(fb_vec3_from(points + 3 * i), fb_vec3_from(points + 3 * i - 3));
        if (!(fb_norm(d) > 1e-9 * size)) {
            return fb_fail(err, FB_ERR_MODEL, NULL,
                           "points %d and %d of the curve coincide; remove one of them", i, i + 1);
        }
    }
    return FB_OK;
}

// Second derivatives m of the natural spline over u with steps h (elimination without pivoting: the
// system is diagonally dominant):
//   h_i-1 m_i-1 + 2 (h_i-1 + h_i) m_i + h_i m_i+1 = 6 (d_i - d_i-1),  m_0 = m_n-1 = 0.
static void calc_second(int n, const double* h, const FbVec3* x, double* factor, FbVec3* m) {
    m[0] = m[n - 1] = fb_vec3(0.0, 0.0, 0.0);
    factor[0] = 0.0;
    for (int i = 1; i < n - 1; i++) {
        double pivot = 2.0 * (h[i - 1] + h[i]) - h[i - 1] * factor[i - 1];
        FbVec3 next = fb_scale(1.0 / h[i], fb_sub(x[i + 1], x[i]));
        FbVec3 last = fb_scale(1.0 / h[i - 1], fb_sub(x[i], x[i - 1]));
        FbVec3 right = fb_axpy(-h[i - 1], m[i - 1], fb_scale(6.0, fb_sub(next, last)));
        factor[i] = h[i] / pivot;
        m[i] = fb_scale(1.0 / pivot, right);
    }
    for (int i = n - 3; i > 0; i--) {
        m[i] = fb_axpy(-factor[i], m[i + 1], m[i]);
    }
}

static Cubic make_cubic(FbVec3 x0, FbVec3 x1, FbVec3 m0, FbVec3 m1, double h) {
    FbVec3 bend = fb_scale(-h / 6.0, fb_axpy(2.0, m0, m1));
    return (Cubic){{x0, fb_axpy(1.0 / h, fb_sub(x1, x0), bend), fb_scale(0.5, m0),
                    fb_scale(1.0 / (6.0 * h), fb_sub(m1, m0))}};
}

// The cubics and their lengths in u, h [n - 1].
static bool calc_cubics(const double* points, int n, FbArena* arena, Cubic* cubics, double* h) {
    FbVec3* x = FB_TAKE(arena, FbVec3, n);
    FbVec3* m = FB_TAKE(arena, FbVec3, n);
    double* factor = FB_TAKE(arena, double, n);
    if (x == NULL || m == NULL || factor == NULL) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        x[i] = fb_vec3_from(points + 3 * i);
    }
    for (int i = 0; i < n - 1; i++) {
        h[i] = fb_norm(fb_sub(x[i + 1], x[i]));
    }
    calc_second(n, h, x, factor, m);
    for (int i = 0; i < n - 1; i++) {
        cubics[i] = make_cubic(x[i], x[i + 1], m[i], m[i + 1], h[i]);
    }
    return true;
}

// Halvings until quadrature is exact on each piece of the cubic of length h; -1: never, because it
// has a cusp. Straight cubics need none.
static int count_halvings(const Cubic* p, double h, double size) {
    for (int k = 0; k <= MAX_HALVINGS; k++) {
        const int n = 1 << k;
        double error = 0.0, du = h / n;
        for (int i = 0; i < n; i++) {
            double half = 0.5 * du, u = i * du;
            double finer = calc_arc(p, u, half) + calc_arc(p, u + half, half);
            error = fmax(error, fabs(calc_arc(p, u, du) - finer));
            if (!(fmin(fb_norm(calc_first(p, u)), fb_norm(calc_first(p, u + du))) > CUSP_SPEED)) {
                return -1;
            }
        }
        if (error <= LENGTH_TOLERANCE * size) {
            return k;
        }
    }
    return -1;
}

static void add_pieces(FbCurve* curve, const Cubic* p, double h, int halvings) {
    const int n = 1 << halvings;
    for (int i = 0; i < n; i++) {
        Piece* piece = &curve->pieces[curve->n_pieces++];
        *piece = (Piece){.cubic = p, .u0 = i * h / n, .du = h / n, .s0 = curve->length};
        piece->ds = calc_arc(p, piece->u0, piece->du);
        piece->slope[0] = 1.0 / fb_norm(calc_first(p, piece->u0));
        piece->slope[1] = 1.0 / fb_norm(calc_first(p, piece->u0 + piece->du));
        curve->length += piece->ds;
    }
}

static FbStatus cut(FbCurve* curve, int n, const double* h, FbArena* arena, FbError* err) {
    double size = 0.0;
    int total = 0;
    int* halvings = FB_TAKE(arena, int, n - 1);
    if (halvings == NULL) {
        return fb_fail_memory(err);
    }
    for (int i = 0; i < n - 1; i++) {
        size += h[i];
    }
    for (int i = 0; i < n - 1; i++) {
        halvings[i] = count_halvings(&curve->cubics[i], h[i], size);
        if (halvings[i] < 0) {
            return fb_fail(err, FB_ERR_MODEL, NULL,
                           "the curve turns back on itself between points %d and %d; a guide must "
                           "not have a cusp: move a point or add one",
                           i + 1, i + 2);
        }
        total += 1 << halvings[i];
    }
    curve->pieces = FB_TAKE(arena, Piece, total);
    if (curve->pieces == NULL) {
        return fb_fail_memory(err);
    }
    for (int i = 0; i < n - 1; i++) {
        add_pieces(curve, &curve->cubics[i], h[i], halvings[i]);
    }
    return FB_OK;
}

FbStatus fb_curve_create(const double* points, int n_points, FbArena* arena, FbCurve** out,
                         FbError* err) {
    *out = NULL;
    FB_TRY(check_points(points, n_points, err));
    FbCurve* curve = FB_TAKE(arena, FbCurve, 1);
    double* h = FB_TAKE(arena, double, n_points - 1);
    Cubic* cubics = FB_TAKE(arena, Cubic, n_points - 1);
    if (curve == NULL || h == NULL || cubics == NULL ||
        !calc_cubics(points, n_points, arena, cubics, h)) {
        return fb_fail_memory(err);
    }
    curve->cubics = cubics;
    FB_TRY(cut(curve, n_points, h, arena, err));
    for (int k = 0; k < 2; k++) {
        const Cubic* p = &cubics[k == 0 ? 0 : n_points - 2];
        const double u = k == 0 ? 0.0 : h[n_points - 2];
        FbVec3 first = calc_first(p, u);
        curve->end[k] = fb_vec3_from(points + (k == 0 ? 0 : 3 * (n_points - 1)));
        curve->tangent[k] = fb_scale(1.0 / fb_norm(first), first);
    }
    *out = curve;
    return FB_OK;
}

// ---- evaluating ----

double fb_curve_length(const FbCurve* curve) {
    return curve->length;
}

static const Piece* find_piece(const FbCurve* curve, double s) {
    int low = 0, high = curve->n_pieces - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (curve->pieces[middle].s0 <= s) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return &curve->pieces[low];
}

// u with arc length s: first Hermite's cubic through the ends of the piece, then Newton's method,
// which needs one or two steps.
static double find_parameter(const Piece* p, double s) {
    const double x = (s - p->s0) / p->ds, y = 1.0 - x;
    double a = p->slope[0] * p->ds, b = p->slope[1] * p->ds;
    double u = p->u0 + x * (x * (3.0 - 2.0 * x) * p->du + y * (y * a - x * b));
    for (int i = 0; i < 8; i++) {
        double error = p->s0 + calc_arc(p->cubic, p->u0, u - p->u0) - s;
        double step = error / fb_norm(calc_first(p->cubic, u));
        u -= step;
        if (fabs(step) <= 4.0 * DBL_EPSILON * (fabs(u) + p->du)) {
            break;
        }
    }
    return u;
}

// Derivatives by arc length from those by u (eq. 9.20): with q = |c'|^2 those of u(s), then the
// chain rule.
static void calc_by_arc(const Cubic* p, double u, FbVec3 c[5]) {
    FbVec3 c1 = calc_first(p, u), c3 = fb_scale(6.0, p->c[3]);
    FbVec3 c2 = fb_axpy(u, c3, fb_scale(2.0, p->c[2]));
    double q = fb_dot(c1, c1), q1 = 2.0 * fb_dot(c1, c2);
    double q2 = 2.0 * (fb_dot(c2, c2) + fb_dot(c1, c3)), q3 = 6.0 * fb_dot(c2, c3);
    double r = 1.0 / q, u1 = sqrt(r), r2 = r * r;
    double u2 = -0.5 * r2 * q1;
    double u3 = u1 * r2 * (r * q1 * q1 - 0.5 * q2);
    double u4 = r2 * r * (q1 * r * (3.25 * q2 - 3.5 * r * q1 * q1) - 0.5 * q3);
    c[0] = calc_point(p, u);
    c[1] = fb_scale(u1, c1);
    c[2] = fb_axpy(u1 * u1, c2, fb_scale(u2, c1));
    c[3] = fb_axpy(u1 * u1 * u1, c3, fb_axpy(3.0 * u1 * u2, c2, fb_scale(u3, c1)));
    c[4] = fb_axpy(6.0 * u1 * u1 * u2, c3,
                   fb_axpy(3.0 * u2 * u2 + 4.0 * u1 * u3, c2, fb_scale(u4, c1)));
}

void fb_curve_calc_all(const FbCurve* curve, double s, FbVec3 c[5]) {
    if (s < 0.0 || s > curve->length) {
        const int k = s > 0.0;
        const double beyond = k == 0 ? s : s - curve->length;
        c[0] = fb_axpy(beyond, curve->tangent[k], curve->end[k]);
        c[1] = curve->tangent[k];
        c[2] = c[3] = c[4] = fb_vec3(0.0, 0.0, 0.0);
        return;
    }
    const Piece* piece = find_piece(curve, s);
    calc_by_arc(piece->cubic, find_parameter(piece, s), c);
}

void fb_curve_calc(const FbCurve* curve, double s, FbVec3 c[4]) {
    FbVec3 all[5];
    fb_curve_calc_all(curve, s, all);
    for (int i = 0; i < 4; i++) {
        c[i] = all[i];
    }
}
