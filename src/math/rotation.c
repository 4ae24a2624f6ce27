// Rotations: unit quaternions e = (w, x, y, z), rotation vectors xi = angle * axis, and matrices.
//
// exp(xi) = (cos(t/2), sin(t/2)/t xi) with t = |xi|;  R(e) = 1 + 2 w [u]x + 2 [u]x^2 with u = (x,
// y, z); R' = R [w]x for the body-frame angular velocity w.
#include "math/rotation.h"

#include <float.h>

// Below this angle squared (rad^2) the series replace quotients that tend to 0/0; the first dropped
// term is then below the rounding error.
static const double SMALL_ANGLE_SQUARED = 1e-4;

FbMat3 fb_rotation_from_quaternion(const double e[4]) {
    double w = e[0], x = e[1], y = e[2], z = e[3];
    return (FbMat3){{{1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)},
                     {2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)},
                     {2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)}}};
}

// The component with the largest square is found from the diagonal, the others from sums and
// differences of pairs divided by it, so nothing small is ever divided by. Of e and -e the one with
// w >= 0 is returned.
void fb_quaternion_from_rotation(const FbMat3* r, double e[4]) {
    const double(*m)[3] = r->m;
    double square[4] = {1.0 + m[0][0] + m[1][1] + m[2][2], 1.0 + m[0][0] - m[1][1] - m[2][2],
                        1.0 - m[0][0] + m[1][1] - m[2][2], 1.0 - m[0][0] - m[1][1] + m[2][2]};
    int k = 0;
    for (int i = 1; i < 4; i++) {
        if (square[i] > square[k]) {
            k = i;
        }
    }
    // products[i][j] = 4 e_i e_j for i < j, and 4 e_i^2 on the diagonal
    double wx = m[2][1] - m[1][2], wy = m[0][2] - m[2][0], wz = m[1][0] - m[0][1];
    double xy = m[1][0] + m[0][1], xz = m[0][2] + m[2][0], yz = m[2][1] + m[1][2];
    double products[4][4] = {{square[0], wx, wy, wz},
                             {wx, square[1], xy, xz},
                             {wy, xy, square[2], yz},
                             {wz, xz, yz, square[3]}};
    double sign = products[k][0] < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 4; i++) {
        e[i] = sign * products[k][i];
    }
    fb_quaternion_normalize(e);
}

void fb_quaternion_normalize(double e[4]) {
    double norm = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    if (!(norm > 0.0 && norm <= DBL_MAX)) {
        return;
    }
    for (int i = 0; i < 4; i++) {
        e[i] /= norm;
    }
}

// out = a (*) b; out may be a or b
static void multiply(const double a[4], const double b[4], double out[4]) {
    double w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    double x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    double y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    double z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
    out[0] = w;
    out[1] = x;
    out[2] = y;
    out[3] = z;
}

void fb_quaternion_plus(const double e[4], FbVec3 xi, double out[4]) {
    double t2 = fb_dot(xi, xi);
    double w, s;  // cos(t/2), sin(t/2)/t
    if (t2 < SMALL_ANGLE_SQUARED) {
        w = 1.0 - t2 / 8.0 * (1.0 - t2 / 48.0 * (1.0 - t2 / 120.0));
        s = 0.5 * (1.0 - t2 / 24.0 * (1.0 - t2 / 80.0 * (1.0 - t2 / 168.0)));
    } else {
        double t = sqrt(t2);
        w = cos(0.5 * t);
        s = sin(0.5 * t) / t;
    }
    const double step[4] = {w, s * xi.x, s * xi.y, s * xi.z};
    multiply(e, step, out);
}

// xi = 2 atan2(|u|, w) u/|u| of d = conj(a) (*) b with d.w >= 0
FbVec3 fb_quaternion_minus(const double b[4], const double a[4]) {
    const double conjugate[4] = {a[0], -a[1], -a[2], -a[3]};
    double d[4];
    multiply(conjugate, b, d);
    double sign = d[0] < 0.0 ? -1.0 : 1.0;
    double w = fabs(d[0]);
    FbVec3 u = fb_vec3(sign * d[1], sign * d[2], sign * d[3]);
    double s2 = fb_dot(u, u);
    if (s2 < SMALL_ANGLE_SQUARED * w * w) {
        double x2 = s2 / (w * w);  // tan^2(t/2)
        return fb_scale(2.0 / w * (1.0 - x2 * (1.0 / 3.0 - x2 * (1.0 / 5.0 - x2 / 7.0))), u);
    }
    double s = sqrt(s2);
    return s > 0.0 ? fb_scale(2.0 * atan2(s, w) / s, u) : fb_vec3(0.0, 0.0, 0.0);
}

// e' = 1/2 e (*) (0, w)
void fb_quaternion_rate(const double e[4], FbVec3 w, double out[4]) {
    const double half[4] = {0.0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z};
    multiply(e, half, out);
}

// c(t) = (1 - t/2 cot(t/2)) / t^2 = sum_k |B_2k| t^(2k-2) / (2k)!, of t^2. The closed form loses
// about 12 eps/t^2.
static double inverse_jacobian_coefficient(double t2) {
    const double switch_squared = 0.25;
    if (t2 < switch_squared) {
        static const double series[] = {1.0 / 12.0,         1.0 / 720.0,
                                        1.0 / 30240.0,      1.0 / 1209600.0,
                                        1.0 / 47900160.0,   691.0 / 1307674368000.0,
                                        1.0 / 74724249600.0};
        double sum = 0.0;
        for (int k = 6; k >= 0; k--) {
            sum = sum * t2 + series[k];
        }
        return sum;
    }
    double half = 0.5 * sqrt(t2);
    return (1.0 - half * cos(half) / sin(half)) / t2;
}

// xi' = w + 1/2 xi x w + c(|xi|) xi x (xi x w)
FbVec3 fb_rotation_chart_rate(FbVec3 xi, FbVec3 w) {
    double c = inverse_jacobian_coefficient(fb_dot(xi, xi));
    FbVec3 once = fb_cross(xi, w);
    return fb_add(w, fb_axpy(0.5, once, fb_scale(c, fb_cross(xi, once))));
}

FbMat3 fb_rotation_from_vector(FbVec3 xi) {
    static const double identity[4] = {1.0, 0.0, 0.0, 0.0};
    double e[4];
    fb_quaternion_plus(identity, xi, e);
    return fb_rotation_from_quaternion(e);
}

FbVec3 fb_rotation_to_vector(const FbMat3* r) {
    static const double identity[4] = {1.0, 0.0, 0.0, 0.0};
    double e[4];
    fb_quaternion_from_rotation(r, e);
    return fb_quaternion_minus(e, identity);
}

FbMat3 fb_rotation_about(int axis, double angle) {
    double c = cos(angle), s = sin(angle);
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    FbMat3 r = fb_mat3_identity();
    r.m[i][i] = c;
    r.m[i][j] = -s;
    r.m[j][i] = s;
    r.m[j][j] = c;
    return r;
}

// Divides by the length, without overflow; false if it is zero or not finite.
static bool normalize(FbVec3* v) {
    double largest = fmax(fabs(v->x), fmax(fabs(v->y), fabs(v->z)));
    bool is_finite = isfinite(v->x) && isfinite(v->y) && isfinite(v->z);
    if (!is_finite || !(largest > 0.0)) {
        return false;
    }
    *v = fb_vec3(v->x / largest, v->y / largest, v->z / largest);
    *v = fb_scale(1.0 / fb_norm(*v), *v);
    return true;
}

// The unit vector perpendicular to z nearest to `hint`; false if hint gives no direction.
static bool perpendicular(FbVec3 z, FbVec3 hint, FbVec3* x) {
    const double parallel = 1e-8;  // sine of the angle below which the direction would be noise
    if (!normalize(&hint)) {
        return false;
    }
    *x = fb_axpy(-fb_dot(z, hint), z, hint);
    if (fb_norm(*x) < parallel) {
        return false;
    }
    normalize(x);
    // Once more, because the difference above loses digits when hint is nearly parallel.
    *x = fb_axpy(-fb_dot(z, *x), z, *x);
    return normalize(x);
}

bool fb_rotation_from_axes(FbVec3 axis, FbVec3 x_hint, FbMat3* out) {
    FbVec3 z = axis, x;
    if (!normalize(&z)) {
        return false;
    }
    if (!perpendicular(z, x_hint, &x)) {
        // Global x unless the axis is near it: a vertical axis then gets the global axes.
        FbVec3 chosen = fabs(z.x) < 0.9 ? fb_vec3(1, 0, 0) : fb_vec3(0, 1, 0);
        perpendicular(z, chosen, &x);
    }
    FbVec3 y = fb_cross(z, x);
    *out = (FbMat3){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
    return true;
}

double fb_rotation_defect(const FbMat3* r) {
    FbVec3 x = fb_mat3_col(r, 0), y = fb_mat3_col(r, 1), z = fb_mat3_col(r, 2);
    FbMat3 product = fb_mat3_mul_tn(r, r);
    double defect = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double error = fabs(product.m[i][j] - (i == j ? 1.0 : 0.0));
            if (!(error <= defect)) {  // NaN counts as the largest
                defect = error;
            }
        }
    }
    bool is_mirror = fb_dot(fb_cross(x, y), z) < 0.0;
    return is_mirror && !(defect > 2.0) ? 2.0 : defect;
}
