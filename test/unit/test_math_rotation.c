// Rotations: charts, rates against finite differences, small angles at the series switch, angles
// near pi.
#include "math/rotation.h"

#include <float.h>

#include "test_base_support.h"

static const double IDENTITY[4] = {1.0, 0.0, 0.0, 0.0};

static FbVec3 random_direction(uint64_t* seed) {
    for (;;) {
        FbVec3 v = fb_vec3(random_unit(seed), random_unit(seed), random_unit(seed));
        double n = fb_norm(v);
        if (n > 0.1 && n < 1.0) {
            return fb_scale(1.0 / n, v);
        }
    }
}

static void random_quaternion(uint64_t* seed, double e[4]) {
    fb_quaternion_plus(IDENTITY, fb_scale(3.0 * random_unit(seed), random_direction(seed)), e);
}

static void assert_vec_near(FbVec3 a, FbVec3 b, double tolerance) {
    assert_near(a.x, b.x, tolerance);
    assert_near(a.y, b.y, tolerance);
    assert_near(a.z, b.z, tolerance);
}

static void assert_mat_near(const FbMat3* a, const FbMat3* b, double tolerance) {
    for (int i = 0; i < 9; i++) {
        assert_near(a->m[i / 3][i % 3], b->m[i / 3][i % 3], tolerance);
    }
}

// Angles that cover zero, both sides of each switch between series and closed form, and the
// neighbourhood of pi.
static const double PI_ = 3.14159265358979323846;
static const double angles[] = {0.0,    1e-300,     1e-160,     1e-20,         1e-9, 1e-5,
                                9.9e-3, 0.00999999, 0.0100001,  0.02,          0.1,  0.3,
                                0.499,  0.50001,    1.0,        2.0,           3.0,  3.1,
                                3.14,   3.1415,     3.14159265, 3.141592653589};
enum { N_ANGLES = sizeof angles / sizeof *angles };

static void minus_undoes_plus(void** state) {
    (void)state;
    uint64_t seed = 41;
    for (int i = 0; i < N_ANGLES; i++) {
        for (int repeat = 0; repeat < 50; repeat++) {
            double a[4], b[4];
            random_quaternion(&seed, a);
            FbVec3 xi = fb_scale(angles[i], random_direction(&seed));
            fb_quaternion_plus(a, xi, b);
            assert_near(b[0] * b[0] + b[1] * b[1] + b[2] * b[2] + b[3] * b[3], 1.0, 4e-15);
            assert_vec_near(fb_quaternion_minus(b, a), xi, 4e-15);
            double opposite[4] = {-b[0], -b[1], -b[2], -b[3]};  // the same rotation
            assert_vec_near(fb_quaternion_minus(opposite, a), xi, 4e-15);
        }
    }
}

// Relative accuracy for small differences, where no rounding of a product hides it.
static void small_rotations_keep_their_digits(void** state) {
    (void)state;
    for (int i = 1; i < N_ANGLES; i++) {
        FbVec3 xi = fb_scale(angles[i], fb_vec3(0.6, 0.0, -0.8));
        double e[4];
        fb_quaternion_plus(IDENTITY, xi, e);
        assert_near(e[1], 0.6 * sin(0.5 * angles[i]), 4e-16 * angles[i]);
        FbVec3 back = fb_quaternion_minus(e, IDENTITY);
        assert_near(back.x, xi.x, 1e-15 * angles[i]);
        assert_near(back.z, xi.z, 1e-15 * angles[i]);
    }
}

static void minus_is_never_longer_than_pi(void** state) {
    (void)state;
    uint64_t seed = 42;
    for (int repeat = 0; repeat < 1000; repeat++) {
        double a[4], b[4], c[4];
        random_quaternion(&seed, a);
        random_quaternion(&seed, b);
        FbVec3 xi = fb_quaternion_minus(b, a);
        assert_true(fb_norm(xi) <= PI_ + 1e-15);
        fb_quaternion_plus(a, xi, c);
        FbMat3 rb = fb_rotation_from_quaternion(b), rc = fb_rotation_from_quaternion(c);
        assert_mat_near(&rb, &rc, 1e-14);
    }
    const double half_turn[4] = {0.0, 0.0, 1.0, 0.0};
    assert_vec_near(fb_quaternion_minus(half_turn, IDENTITY), fb_vec3(0.0, PI_, 0.0), 1e-15);
    assert_vec_near(fb_quaternion_minus(IDENTITY, IDENTITY), fb_vec3(0.0, 0.0, 0.0), 0.0);
}

// Fourth-order central differences; error about h^4 |w|^5 / 30 + eps / h.
static const double H = 1e-3;
static const double WEIGHTS[4] = {1.0 / 12.0, -2.0 / 3.0, 2.0 / 3.0, -1.0 / 12.0};
static const int OFFSETS[4] = {-2, -1, 1, 2};

static void rate_is_the_derivative_of_plus(void** state) {
    (void)state;
    uint64_t seed = 43;
    for (int repeat = 0; repeat < 100; repeat++) {
        double e[4], rate[4], expected[4] = {0};
        random_quaternion(&seed, e);
        FbVec3 w = fb_scale(1.5, random_direction(&seed));
        fb_quaternion_rate(e, w, rate);
        for (int i = 0; i < 4; i++) {
            double moved[4];
            fb_quaternion_plus(e, fb_scale(OFFSETS[i] * H, w), moved);
            for (int k = 0; k < 4; k++) {
                expected[k] += WEIGHTS[i] * moved[k] / H;
            }
        }
        for (int k = 0; k < 4; k++) {
            assert_near(rate[k], expected[k], 3e-12);
        }
    }
}

// xi(t) of e0 exp(xi) while turning with constant body-frame w: the chart rate at t = 0.
static void chart_rate_is_the_derivative_of_the_chart(void** state) {
    (void)state;
    uint64_t seed = 44;
    for (int i = 0; i < N_ANGLES; i++) {
        // Beyond pi - 2 H |w| the differences would step over the edge of the chart.
        if (angles[i] > 3.13) {
            continue;
        }
        for (int repeat = 0; repeat < 50; repeat++) {
            double start[4], e[4];
            random_quaternion(&seed, start);
            FbVec3 xi = fb_scale(angles[i], random_direction(&seed));
            FbVec3 w = fb_scale(1.5, random_direction(&seed)), expected = fb_vec3(0, 0, 0);
            fb_quaternion_plus(start, xi, e);
            for (int k = 0; k < 4; k++) {
                double moved[4];
                fb_quaternion_plus(e, fb_scale(OFFSETS[k] * H, w), moved);
                expected = fb_axpy(WEIGHTS[k] / H, fb_quaternion_minus(moved, start), expected);
            }
            assert_vec_near(fb_rotation_chart_rate(xi, w), expected, 1e-11);
        }
    }
}

// Along xi itself the chart is straight; across it the factor is (t/2) cot(t/2), and 1/2 of the
// cross product is the rest.
static void chart_rate_has_its_closed_form(void** state) {
    (void)state;
    for (int i = 0; i < N_ANGLES; i++) {
        double t = angles[i], half = 0.5 * t;
        FbVec3 xi = fb_vec3(0.0, 0.0, t);
        assert_vec_near(fb_rotation_chart_rate(xi, fb_vec3(0, 0, 2)), fb_vec3(0, 0, 2), 0.0);
        double factor = t > 1e-8 ? half * cos(half) / sin(half) : 1.0;
        assert_vec_near(fb_rotation_chart_rate(xi, fb_vec3(1, 0, 0)), fb_vec3(factor, half, 0.0),
                        4e-16);
    }
}

static void matrices_and_quaternions_agree(void** state) {
    (void)state;
    uint64_t seed = 45;
    for (int i = 0; i < N_ANGLES; i++) {
        for (int repeat = 0; repeat < 100; repeat++) {
            FbVec3 axis = repeat < 3 ? fb_vec3(repeat == 0, repeat == 1, repeat == 2)
                                     : random_direction(&seed);
            FbVec3 xi = fb_scale(angles[i], axis);
            FbMat3 r = fb_rotation_from_vector(xi);
            assert_near(fb_rotation_defect(&r), 0.0, 2e-15);
            double e[4];
            fb_quaternion_from_rotation(&r, e);
            assert_true(e[0] >= 0.0);
            FbMat3 again = fb_rotation_from_quaternion(e);
            assert_mat_near(&r, &again, 2e-15);
            assert_vec_near(fb_rotation_to_vector(&r), xi, 1e-14);
        }
    }
}

// R' = R [w]x
static void matrix_turns_with_the_body_frame_velocity(void** state) {
    (void)state;
    uint64_t seed = 46;
    double e[4];
    random_quaternion(&seed, e);
    FbMat3 r = fb_rotation_from_quaternion(e), rate = {0};
    FbVec3 w = fb_vec3(0.3, -0.8, 1.1);
    for (int k = 0; k < 4; k++) {
        double moved[4];
        fb_quaternion_plus(e, fb_scale(OFFSETS[k] * H, w), moved);
        FbMat3 m = fb_rotation_from_quaternion(moved);
        for (int i = 0; i < 9; i++) {
            rate.m[i / 3][i % 3] += WEIGHTS[k] / H * m.m[i / 3][i % 3];
        }
    }
    const FbMat3 cross = {{{0, -w.z, w.y}, {w.z, 0, -w.x}, {-w.y, w.x, 0}}};
    FbMat3 expected = fb_mat3_mul(&r, &cross);
    assert_mat_near(&rate, &expected, 3e-12);
}

static void rotations_about_axes(void** state) {
    (void)state;
    for (int axis = 0; axis < 3; axis++) {
        FbMat3 r = fb_rotation_about(axis, 0.7);
        FbMat3 expected = fb_rotation_from_vector(
            fb_vec3(0.7 * (axis == 0), 0.7 * (axis == 1), 0.7 * (axis == 2)));
        assert_mat_near(&r, &expected, 1e-15);
    }
}

static void frames_from_axes(void** state) {
    (void)state;
    uint64_t seed = 47;
    FbVec3 none = fb_vec3(NAN, NAN, NAN);
    FbMat3 r, identity = fb_mat3_identity();
    assert_true(fb_rotation_from_axes(fb_vec3(0, 0, 5), none, &r));
    assert_mat_near(&r, &identity, 0.0);
    for (int repeat = 0; repeat < 300; repeat++) {
        FbVec3 axis = random_direction(&seed), hint = random_direction(&seed);
        if (repeat % 3 == 1) {
            hint = axis;
        } else if (repeat % 3 == 2) {
            hint = fb_axpy(1e-6, hint, axis);  // nearly parallel, but a direction still
        }
        double scale = pow(10.0, 300.0 * random_unit(&seed));
        assert_true(fb_rotation_from_axes(fb_scale(scale, axis), hint, &r));
        assert_near(fb_rotation_defect(&r), 0.0, 2e-15);
        assert_vec_near(fb_mat3_col(&r, 2), axis, 1e-15);
        if (repeat % 3 != 1) {
            assert_near(fb_dot(fb_mat3_col(&r, 1), hint), 0.0, 1e-15);
            assert_true(fb_dot(fb_mat3_col(&r, 0), hint) > 0.0);
        }
    }
    assert_false(fb_rotation_from_axes(fb_vec3(0, 0, 0), none, &r));
    assert_false(fb_rotation_from_axes(fb_vec3(0, NAN, 1), none, &r));
    assert_false(fb_rotation_from_axes(fb_vec3(0, INFINITY, 1), none, &r));
}

static void defects_are_seen(void** state) {
    (void)state;
    FbMat3 r = fb_mat3_identity();
    assert_near(fb_rotation_defect(&r), 0.0, 0.0);
    r.m[2][2] = -1.0;
    assert_near(fb_rotation_defect(&r), 2.0, 0.0);
    r.m[2][2] = 1.001;
    assert_near(fb_rotation_defect(&r), 0.002001, 1e-15);
    r.m[0][1] = NAN;
    assert_false(fb_rotation_defect(&r) <= 1e-6);
}

static void normalize_leaves_zero_alone(void** state) {
    (void)state;
    double e[4] = {0.0, 3.0, 0.0, 4.0}, zero[4] = {0};
    fb_quaternion_normalize(e);
    assert_near(e[1], 0.6, 1e-16);
    assert_near(e[3], 0.8, 1e-16);
    fb_quaternion_normalize(zero);
    assert_near(zero[0], 0.0, 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(minus_undoes_plus),
        cmocka_unit_test(small_rotations_keep_their_digits),
        cmocka_unit_test(minus_is_never_longer_than_pi),
        cmocka_unit_test(rate_is_the_derivative_of_plus),
        cmocka_unit_test(chart_rate_is_the_derivative_of_the_chart),
        cmocka_unit_test(chart_rate_has_its_closed_form),
        cmocka_unit_test(matrices_and_quaternions_agree),
        cmocka_unit_test(matrix_turns_with_the_body_frame_velocity),
        cmocka_unit_test(rotations_about_axes),
        cmocka_unit_test(frames_from_axes),
        cmocka_unit_test(defects_are_seen),
        cmocka_unit_test(normalize_leaves_zero_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
