// The logarithm of a rotation and the derivatives of its tangent operator (eqs. 8.8-8.10).
#include "math/rotation_log.h"

#include "math/rotation.h"

// c, dc/du, d2c/du2 for u = |psi|^2. The poles at |psi| = 2 pi and 4 pi are taken out of
//   c = sum_{n >= 1} 2/((2 pi n)^2 - u),
// the rest is a power series of u/(2 pi)^2 <= 1/4 whose terms fall by 1/36, so that no angle needs
// another formula and nothing cancels. SERIES[k] = sum_{n >= 3} n^-(2k + 2); the first one left out
// is below the rounding error of d2c/du2.
static void calc_coefficients(double u, double c[3]) {
    static const double SERIES[12] = {
        0.39493406684822644,    0.019823233711138192,   0.0017180619844491397,
        0.00017110619794433938, 1.8012627818085337e-05, 1.9459283080482986e-06,
        2.1297880870482926e-07, 2.3470346151871733e-08, 2.5959993748398565e-09,
        2.8771746654611315e-10, 3.1923626170490004e-11, 3.5442758688546124e-12};
    const double scale = 0.025330295910584444;  // 1/(2 pi)^2
    double x = scale * u;
    double p = 1.0 / (1.0 - x), q = 1.0 / (4.0 - x);
    double value = 0.0, slope = 0.0,
           half = 0.0;  // Horner for the sum, its derivative, half its second one
    for (int k = 11; k >= 0; k--) {
        half = half * x + slope;
        slope = slope * x + value;
        value = value * x + SERIES[k];
    }
    c[0] = 2.0 * scale * (p + q + value);
    c[1] = 2.0 * scale * scale * (p * p + q * q + slope);
    c[2] = 4.0 * scale * scale * scale * (p * p * p + q * q * q + half);
}

// psi x (psi x y)
static FbVec3 twice(FbVec3 psi, FbVec3 y) {
    return fb_cross(psi, fb_cross(psi, y));
}

void fb_rotation_log_init(const FbMat3* R, FbRotationLog* out) {
    double c[3];
    FbVec3 psi = fb_rotation_to_vector(R);
    double u = fb_dot(psi, psi);
    calc_coefficients(u, c);
    out->psi = psi;
    out->c = c[0];
    out->c1 = 2.0 * c[1];
    out->c2 = 4.0 * c[2];
    FbMat3 square = fb_mat3_scale(c[0], fb_outer(psi, psi));
    out->A = fb_mat3_add_diagonal(fb_mat3_sub(square, fb_skew(fb_scale(0.5, psi))), 1.0 - c[0] * u);
}

// +-1/2 [y] + c ((psi.y) 1 + psi y' - 2 y psi') + c1 psi x (psi x y) psi'
FbMat3 fb_rotation_log_by_psi(const FbRotationLog* log, bool is_transposed, FbVec3 y) {
    FbVec3 psi = log->psi;
    FbVec3 last = fb_axpy(-2.0 * log->c, y, fb_scale(log->c1, twice(psi, y)));
    FbMat3 D = fb_mat3_add(fb_outer(last, psi), fb_outer(fb_scale(log->c, psi), y));
    D = fb_mat3_add(D, fb_skew(fb_scale(is_transposed ? -0.5 : 0.5, y)));
    return fb_mat3_add_diagonal(D, log->c * fb_dot(psi, y));
}

// h = s . psi x (psi x y) and its gradient
static double quadratic_part(FbVec3 psi, FbVec3 s, FbVec3 y, FbVec3* gradient) {
    double sy = fb_dot(s, y), sp = fb_dot(s, psi), yp = fb_dot(y, psi);
    *gradient = fb_axpy(yp, s, fb_axpy(sp, y, fb_scale(-2.0 * sy, psi)));
    return sp * yp - sy * fb_dot(psi, psi);
}

FbVec3 fb_rotation_log_gradient(const FbRotationLog* log, FbVec3 s, FbVec3 y) {
    FbVec3 gradient;
    double h = quadratic_part(log->psi, s, y, &gradient);
    FbVec3 sum = fb_axpy(log->c, gradient, fb_scale(log->c1 * h, log->psi));
    return fb_axpy(0.5, fb_cross(s, y), sum);
}

FbMat3 fb_rotation_log_hessian(const FbRotationLog* log, FbVec3 s, FbVec3 y) {
    FbVec3 psi = log->psi, gradient;
    double h = quadratic_part(psi, s, y, &gradient);
    // half of it, as one side of a symmetric sum
    FbVec3 side = fb_axpy(log->c1, gradient, fb_scale(0.5 * log->c2 * h, psi));
    FbMat3 W = fb_mat3_add(fb_outer(side, psi), fb_outer(fb_scale(log->c, s), y));
    W = fb_mat3_add(W, fb_mat3_transpose(W));
    return fb_mat3_add_diagonal(W, log->c1 * h - 2.0 * log->c * fb_dot(s, y));
}

// -1/2 [x] + c (x psi' + psi x' - 2 (psi.x) 1) + c1 (psi.x) [psi]^2
FbMat3 fb_rotation_log_second_by_y(const FbRotationLog* log, FbVec3 x) {
    FbVec3 psi = log->psi;
    double px = fb_dot(psi, x);
    FbVec3 side = fb_axpy(log->c, x, fb_scale(0.5 * log->c1 * px, psi));
    FbMat3 Z = fb_outer(side, psi);
    Z = fb_mat3_add(Z, fb_mat3_transpose(Z));
    Z = fb_mat3_sub(Z, fb_skew(fb_scale(0.5, x)));
    return fb_mat3_add_diagonal(Z, -px * (2.0 * log->c + log->c1 * fb_dot(psi, psi)));
}

// The derivative of c q(x) + c1 (psi.x) [psi]^2 y, q(x) = (psi.y) x + (y.x) psi - 2 (psi.x) y
FbMat3 fb_rotation_log_second_by_psi(const FbRotationLog* log, FbVec3 y, FbVec3 x) {
    FbVec3 psi = log->psi, square = twice(psi, y);
    double px = fb_dot(psi, x), py = fb_dot(psi, y), xy = fb_dot(x, y);
    FbVec3 q = fb_axpy(py, x, fb_axpy(xy, psi, fb_scale(-2.0 * px, y)));
    FbVec3 by_psi = fb_axpy(log->c1, q, fb_scale(log->c2 * px, square));
    by_psi = fb_axpy(-2.0 * log->c1 * px, y, by_psi);
    FbVec3 by_y = fb_axpy(log->c, x, fb_scale(log->c1 * px, psi));
    FbVec3 by_x = fb_axpy(-2.0 * log->c, y, fb_scale(log->c1, square));
    FbMat3 D = fb_mat3_add(fb_outer(by_psi, psi), fb_outer(by_y, y));
    D = fb_mat3_add(D, fb_outer(by_x, x));
    return fb_mat3_add_diagonal(D, log->c * xy + log->c1 * px * py);
}
