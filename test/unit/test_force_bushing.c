// The bushing's wrench: gradient of its energy, exact derivatives at small and large rotations,
// power balance.
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <math.h>

#include "force/force.h"
#include "math/rotation.h"

static void assert_near(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance)) {
        fail_msg("%.17g differs from %.17g by %g", value, expected, value - expected);
    }
}

static double pseudo_random(unsigned* seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return 2.0 * (*seed >> 8) / 16777216.0 - 1.0;
}

static FbVec3 random_vector(unsigned* seed) {
    double x = pseudo_random(seed), y = pseudo_random(seed), z = pseudo_random(seed);
    return fb_vec3(x, y, z);
}

static FbBushingDef example(void) {
    FbBushingDef def = {
        .head.name = "b",
        .translation_stiffness = {5.0, 7.0, 11.0},
        .translation_damping = {0.5, 0.7, 1.1},
        .rotation_stiffness = {2.0, 3.0, 0.4},
        .rotation_damping = {0.1, 0.2, 0.3},
    };
    return def;
}

typedef struct Pose {
    FbVec3 phi, p, w, v;  // R_AB = exp(phi)
} Pose;

// The wrench after turning b by the spatial rotation vector along axis k < 3, or shifting it along
// axis k - 3.
static void wrench_moved(const FbBushingDef* def, const Pose* at, int k, double step,
                         FbWrenchLaw* out) {
    double d[6] = {0};
    d[k] = step;
    FbMat3 turn = fb_rotation_from_vector(fb_vec3(d[0], d[1], d[2]));
    FbMat3 R = fb_rotation_from_vector(at->phi);
    R = fb_mat3_mul(&turn, &R);
    FbVec3 p = fb_add(at->p, fb_vec3(d[3], d[4], d[5]));
    fb_force_bushing.wrench(&def->head, &R, p, at->w, at->v, out);
}

static void assert_derivatives(const FbBushingDef* def, const Pose* at, double tolerance) {
    FbWrenchLaw law, f[4];
    const double h = 1e-3, place[4] = {h, -h, 2 * h, -2 * h};
    wrench_moved(def, at, 0, 0.0, &law);
    for (int k = 0; k < 6; k++) {
        for (int i = 0; i < 4; i++) {
            wrench_moved(def, at, k, place[i], &f[i]);
        }
        double slope =
            (8.0 * (f[0].energy - f[1].energy) - (f[2].energy - f[3].energy)) / (12.0 * h);
        const double damping[6] = {0.1 * at->w.x, 0.2 * at->w.y, 0.3 * at->w.z,
                                   0.5 * at->v.x, 0.7 * at->v.y, 1.1 * at->v.z};
        assert_near(law.force[k], -slope - damping[k], tolerance);
        for (int i = 0; i < 6; i++) {
            double d = (8.0 * (f[0].force[i] - f[1].force[i]) - (f[2].force[i] - f[3].force[i])) /
                       (12.0 * h);
            assert_near(law.d_pose[6 * i + k], d, tolerance);
        }
    }
}

static void test_wrench_is_the_gradient_with_exact_derivatives(void** state) {
    (void)state;
    FbBushingDef def = example();
    unsigned seed = 5;
    // Angles on both sides of the switch to the series, and up to nearly half a turn.
    const double angles[] = {0.0, 1e-9, 1e-4, 0.1, 0.4, 0.499, 0.501, 1.0, 2.0, 2.6};
    for (int n = 0; n < 10; n++) {
        for (int k = 0; k < 10; k++) {
            FbVec3 axis = random_vector(&seed);
            Pose at = {.phi = fb_scale(angles[n] / fb_norm(axis), axis),
                       .p = random_vector(&seed),
                       .w = random_vector(&seed),
                       .v = random_vector(&seed)};
            assert_derivatives(&def, &at, 1e-9);
        }
    }
}

static void test_rates_enter_linearly(void** state) {
    (void)state;
    FbBushingDef def = example();
    unsigned seed = 6;
    FbMat3 R = fb_rotation_from_vector(random_vector(&seed));
    FbVec3 p = random_vector(&seed), w = random_vector(&seed), v = random_vector(&seed);
    FbWrenchLaw at_rest, moving;
    fb_force_bushing.wrench(&def.head, &R, p, fb_vec3(0, 0, 0), fb_vec3(0, 0, 0), &at_rest);
    fb_force_bushing.wrench(&def.head, &R, p, w, v, &moving);
    const double rate[6] = {w.x, w.y, w.z, v.x, v.y, v.z};
    double power = 0.0;
    for (int i = 0; i < 6; i++) {
        double change = 0.0;
        for (int k = 0; k < 6; k++) {
            change += moving.d_rate[6 * i + k] * rate[k];
        }
        assert_near(moving.force[i], at_rest.force[i] + change, 1e-14);
        power -= change * rate[i];
    }
    assert_near(moving.dissipation, power, 1e-14);
    assert_true(moving.dissipation > 0.0);
}

// About an axis of the stiffnesses the torque is that of a torsion spring, whatever the angle.
static void test_turn_about_one_axis(void** state) {
    (void)state;
    FbBushingDef def = example();
    for (double angle = -3.0; angle <= 3.0; angle += 0.25) {
        FbMat3 R = fb_rotation_from_vector(fb_vec3(0.0, angle, 0.0));
        FbWrenchLaw law;
        fb_force_bushing.wrench(&def.head, &R, fb_vec3(0, 0, 0), fb_vec3(0, 0, 0), fb_vec3(0, 0, 0),
                                &law);
        assert_near(law.force[0], 0.0, 1e-13);
        assert_near(law.force[1], -3.0 * angle, 1e-13);
        assert_near(law.force[2], 0.0, 1e-13);
        assert_near(law.energy, 1.5 * angle * angle, 1e-13);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrench_is_the_gradient_with_exact_derivatives),
        cmocka_unit_test(test_rates_enter_linearly),
        cmocka_unit_test(test_turn_about_one_axis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
