// The logarithm of a rotation: its tangent operator and two more derivatives against finite
// differences and the closed form of c.
#include "math/rotation_log.h"

#include "math/rotation.h"
#include "test_base_support.h"

static const double angles[] = {0.0, 1e-12, 1e-5, 1e-2, 0.3, 1.0, 2.0, 3.0, 3.14};
enum { N_ANGLES = sizeof angles / sizeof *angles };

static FbVec3 random_vec3(uint64_t* seed) {
    double x = random_unit(seed), y = random_unit(seed);
    return fb_vec3(x, y, random_unit(seed));
}

static void log_at(FbVec3 psi, FbRotationLog* out) {
    FbMat3 R = fb_rotation_from_vector(psi);
    fb_rotation_log_init(&R, out);
}

static FbVec3 random_psi(double angle, uint64_t* seed) {
    FbVec3 psi = random_vec3(seed);
    return fb_scale(angle / fb_norm(psi), psi);
}

static FbVec3 unit(int k, double h) {
    return fb_vec3(k == 0 ? h : 0.0, k == 1 ? h : 0.0, k == 2 ? h : 0.0);
}

static double entry(FbVec3 v, int i) {
    return i == 0 ? v.x : i == 1 ? v.y : v.z;
}

// c, c1, c2 where the closed forms (through c' = (1/8 - 3 c/2)/u + c^2/2 of u = |psi|^2, and its
// derivative) lose few digits.
static void coefficients(void** state) {
    (void)state;
    for (double t = 1.0; t < 3.141; t += 0.07) {
        FbRotationLog log;
        log_at(fb_vec3(t, 0.0, 0.0), &log);
        double u = t * t, c = (1.0 - 0.5 * t / tan(0.5 * t)) / u;
        double d = (0.125 - 1.5 * c) / u + 0.5 * c * c;
        double dd = (0.5 * c * c - 2.5 * d) / u + c * d;
        assert_near(log.c / c, 1.0, 1e-14);
        assert_near(log.c1 / (2.0 * d), 1.0, 1e-12);
        assert_near(log.c2 / (4.0 * dd), 1.0, 1e-10);
    }
    FbRotationLog log;
    log_at(fb_vec3(0.0, 0.0, 0.0), &log);
    assert_near(log.c, 1.0 / 12.0, 1e-16);
    assert_near(log.c1, 2.0 / 720.0, 1e-17);
    assert_near(log.c2, 8.0 / 30240.0, 1e-18);
}

// exp(h rho) R has the logarithm psi + h A rho.
static void tangent_of_the_logarithm(void** state) {
    (void)state;
    uint64_t seed = 3;
    const double h = 1e-4;
    for (int i = 0; i < N_ANGLES; i++) {
        FbVec3 psi = random_psi(fmin(angles[i], 3.1), &seed);
        FbMat3 R = fb_rotation_from_vector(psi);
        FbRotationLog log;
        fb_rotation_log_init(&R, &log);
        for (int k = 0; k < 3; k++) {
            FbMat3 T = fb_rotation_from_vector(unit(k, h)),
                   B = fb_rotation_from_vector(unit(k, -h));
            FbMat3 plus = fb_mat3_mul(&T, &R), minus = fb_mat3_mul(&B, &R);
            FbVec3 d = fb_sub(fb_rotation_to_vector(&plus), fb_rotation_to_vector(&minus));
            for (int j = 0; j < 3; j++) {
                assert_near(log.A.m[j][k], entry(d, j) / (2.0 * h), 2e-8);
            }
        }
    }
}

// Everything that is a derivative with respect to psi, by central differences of the order below.
static void derivatives_by_psi(void** state) {
    (void)state;
    uint64_t seed = 4;
    const double h = 1e-4, tolerance = 1e-8;
    for (int i = 0; i < N_ANGLES; i++) {
        FbVec3 psi = random_psi(fmin(angles[i], 3.1), &seed);
        FbVec3 y = random_vec3(&seed), s = random_vec3(&seed), x = random_vec3(&seed);
        FbRotationLog log;
        log_at(psi, &log);
        FbMat3 Q = fb_rotation_log_by_psi(&log, false, y),
               P = fb_rotation_log_by_psi(&log, true, y);
        FbMat3 W = fb_rotation_log_hessian(&log, s, y),
               D = fb_rotation_log_second_by_psi(&log, y, x);
        FbMat3 Z = fb_rotation_log_second_by_y(&log, x);
        FbVec3 u = fb_mul3(&Q, x), v = fb_mul3(&Z, y);
        FbVec3 gradient = fb_rotation_log_gradient(&log, s, y), g = fb_mul3_transposed(&Q, s);
        assert_near(fb_norm(fb_sub(u, v)), 0.0, 1e-14);
        assert_near(fb_norm(fb_sub(gradient, g)), 0.0, 1e-14);
        for (int k = 0; k < 3; k++) {
            FbRotationLog a, b;
            log_at(fb_add(psi, unit(k, h)), &a);
            log_at(fb_sub(psi, unit(k, h)), &b);
            FbVec3 dA = fb_sub(fb_mul3(&a.A, y), fb_mul3(&b.A, y));
            FbVec3 dT = fb_sub(fb_mul3_transposed(&a.A, y), fb_mul3_transposed(&b.A, y));
            FbVec3 dg =
                fb_sub(fb_rotation_log_gradient(&a, s, y), fb_rotation_log_gradient(&b, s, y));
            FbMat3 Qa = fb_rotation_log_by_psi(&a, false, y),
                   Qb = fb_rotation_log_by_psi(&b, false, y);
            FbVec3 du = fb_sub(fb_mul3(&Qa, x), fb_mul3(&Qb, x));
            for (int j = 0; j < 3; j++) {
                assert_near(Q.m[j][k], entry(dA, j) / (2.0 * h), tolerance);
                assert_near(P.m[j][k], entry(dT, j) / (2.0 * h), tolerance);
                assert_near(W.m[j][k], entry(dg, j) / (2.0 * h), tolerance);
                assert_near(D.m[j][k], entry(du, j) / (2.0 * h), tolerance);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coefficients),
        cmocka_unit_test(tangent_of_the_logarithm),
        cmocka_unit_test(derivatives_by_psi),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
