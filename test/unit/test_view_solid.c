// Triangles of solids: closed, facing outward, with the volume of the solid they stand for.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "view/solid.h"

static const double pi = 3.14159265358979323846;

static FbVec3 corner_of(const FbSolid* s, int corner, const float* of) {
    const float* v = of + 3 * (size_t)s->corners[corner];
    return fb_vec3((double)v[0], (double)v[1], (double)v[2]);
}

// The volume by the divergence theorem; every triangle faces where its normals do.
static double check(const FbSolid* s) {
    double volume = 0.0;
    assert_false(s->has_failed);
    assert_true(s->n_corners > 0 && s->n_corners % 3 == 0);
    for (int i = 0; i < s->n_corners; i += 3) {
        FbVec3 a = corner_of(s, i, s->at), b = corner_of(s, i + 1, s->at);
        FbVec3 c = corner_of(s, i + 2, s->at);
        FbVec3 face = fb_cross(fb_sub(b, a), fb_sub(c, a));
        assert_true(fb_norm(face) > 0.0);
        for (int k = 0; k < 3; k++) {
            FbVec3 normal = corner_of(s, i + k, s->normal);
            assert_true(fabs(fb_norm(normal) - 1.0) < 1e-6);
            assert_true(fb_dot(normal, face) > 0.0);
        }
        volume += fb_dot(a, fb_cross(b, c)) / 6.0;
    }
    return volume;
}

static void assert_volume(FbSolid* s, double expected, double tolerance) {
    double volume = check(s);
    if (!(fabs(volume / expected - 1.0) < tolerance)) {
        fail_msg("volume %.9g instead of %.9g", volume, expected);
    }
    fb_solid_free(s);
}

// Circles have 32 corners, which is less than a circle by this.
static double polygon(void) {
    return 32.0 / (2.0 * pi) * sin(2.0 * pi / 32.0);
}

static void test_volumes(void** state) {
    (void)state;
    const double scales[] = {1e-6, 1.0, 1e6};
    for (int i = 0; i < 3; i++) {
        double k = scales[i], k3 = k * k * k;
        FbSolidFrame f = fb_solid_frame(fb_vec3(0.3 * k, -0.2 * k, 0.5 * k), fb_vec3(1, -2, 0.5));
        FbSolid s = {0};
        fb_solid_add_box(&s, &f, fb_vec3(2 * k, 3 * k, 4 * k));
        assert_volume(&s, 24.0 * k3, 1e-5);
        fb_solid_add_cylinder(&s, &f, 2 * k, 0.0, 3 * k);
        assert_volume(&s, polygon() * pi * 12.0 * k3, 1e-5);
        fb_solid_add_cylinder(&s, &f, 2 * k, 1 * k, 3 * k);
        assert_volume(&s, polygon() * pi * 9.0 * k3, 1e-5);
        fb_solid_add_cone(&s, &f, 2 * k, 3 * k);
        assert_volume(&s, polygon() * pi * 4.0 * k3, 1e-5);
        fb_solid_add_ball(&s, f.p, k);
        assert_volume(&s, 4.0 / 3.0 * pi * k3, 0.03);
        fb_solid_add_bar(&s, f.p, fb_vec3(2 * k, 1 * k, -1 * k), 0.1 * k);
        double length = sqrt(1.7 * 1.7 + 1.2 * 1.2 + 1.5 * 1.5);
        assert_volume(&s, pi * k3 * (0.01 * length + 4.0 / 3.0 * 0.001), 0.02);
    }
}

static void test_bar_without_length_is_a_ball(void** state) {
    (void)state;
    FbSolid s = {0};
    fb_solid_add_bar(&s, fb_vec3(1, 2, 3), fb_vec3(1, 2, 3), 0.5);
    assert_volume(&s, pi / 6.0, 0.03);
}

// Wire times its length, two seats and two pins; the ends of the wire are open.
static void test_coil(void** state) {
    (void)state;
    FbSolid s = {0};
    fb_solid_add_coil(&s, 0.1, 0.005, 1.0);
    double wire = 1.5 * sqrt(3.0) * 0.005 * 0.005 * 9.0 * 2.0 * pi * 0.1;
    double seats = 2.0 * pi * (0.105 * 0.105 * 0.005 + 0.005 * 0.005 * 0.08);
    assert_volume(&s, wire + seats, 0.02);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_volumes),
        cmocka_unit_test(test_bar_without_length_is_a_ball),
        cmocka_unit_test(test_coil),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
