// Mass properties of shapes and bodies against closed forms.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka needs the headers above.
#include <cmocka.h>

#include "describe/shape.h"

static const double PI = 3.14159265358979323846;

static void assert_near(double value, double expected, double scale) {
    if (!(fabs(value - expected) <= 4e-15 * scale)) {
        fail_msg("%.17g instead of %.17g", value, expected);
    }
}

static FbShapeDef shape_of(const char* type) {
    FbShapeDef s = fb_shape_def_default();
    s.type = type;
    return s;
}

static void test_solids(void** state) {
    (void)state;
    double m, c[3], I[6];
    FbError err;
    FbShapeDef box = shape_of("box");
    memcpy(box.size, (double[3]){1, 2, 3}, sizeof box.size);
    box.density = 10;
    assert_int_equal(fb_shape_calc_mass(&box, &m, c, I, &err), FB_OK);
    assert_near(m, 60, 60);
    assert_near(I[0], 60 * 13 / 12.0, 65);
    assert_near(I[1], 60 * 10 / 12.0, 50);
    assert_near(I[2], 60 * 5 / 12.0, 25);

    FbShapeDef tube = shape_of("tube");
    tube.radius = 2, tube.inner_radius = 1, tube.length = 5, tube.density = 2;
    assert_int_equal(fb_shape_calc_mass(&tube, &m, c, I, &err), FB_OK);
    assert_near(m, 2 * PI * 3 * 5, 100);
    assert_near(I[2], m * 5 / 2, 250);
    assert_near(I[0], m * (3 * 5 + 25) / 12, 350);

    FbShapeDef cylinder = shape_of("cylinder");
    cylinder.radius = 2, cylinder.length = 5, cylinder.mass = 7;
    assert_int_equal(fb_shape_calc_mass(&cylinder, &m, c, I, &err), FB_OK);
    assert_near(I[2], 7 * 4 / 2.0, 14);
    assert_near(I[1], 7 * (12 + 25) / 12.0, 25);

    FbShapeDef sphere = shape_of("sphere");
    sphere.radius = 0.5, sphere.density = 3;
    assert_int_equal(fb_shape_calc_mass(&sphere, &m, c, I, &err), FB_OK);
    assert_near(m, 3 * 4.0 / 3.0 * PI * 0.125, 2);
    assert_near(I[1], 0.4 * m * 0.25, 1);
}

static void test_rod_in_space(void** state) {
    (void)state;
    double m, c[3], I[6];
    FbShapeDef rod = shape_of("rod");
    memcpy(rod.from, (double[3]){1, 0, 0}, sizeof rod.from);
    memcpy(rod.to, (double[3]){1, 3, 4}, sizeof rod.to);
    rod.mass = 12;
    assert_int_equal(fb_shape_calc_mass(&rod, &m, c, I, NULL), FB_OK);
    assert_near(c[0], 1, 1);
    assert_near(c[1], 1.5, 1);
    assert_near(c[2], 2, 1);
    // m/12 (L^2 1 - d d') with d = (0, 3, 4)
    double expected[6] = {25, 16, 9, 0, 0, -12};
    for (int i = 0; i < 6; i++) {
        assert_near(I[i], expected[i], 25);
    }
}

// A box turned by 45 deg about z: I_xx = I_yy = mean, I_xy = (I1 - I2)/2.
static void test_turned_box(void** state) {
    (void)state;
    double m, c[3], I[6], h = sqrt(0.5);
    FbShapeDef box = shape_of("box");
    memcpy(box.size, (double[3]){1, 2, 3}, sizeof box.size);
    memcpy(box.rotation, (double[9]){h, -h, 0, h, h, 0, 0, 0, 1}, sizeof box.rotation);
    box.mass = 12;
    assert_int_equal(fb_shape_calc_mass(&box, &m, c, I, NULL), FB_OK);
    assert_near(I[0], (13 + 10) / 2.0, 13);
    assert_near(I[1], (13 + 10) / 2.0, 13);
    assert_near(I[2], 5, 13);
    assert_near(I[3], (13 - 10) / 2.0, 13);
    double p[3];
    fb_inertia_calc_principal(I, p);
    assert_near(p[0], 5, 40);
    assert_near(p[1], 10, 40);
    assert_near(p[2], 13, 40);
}

// Given mass and two points: centre and inertia by hand.
static void test_sum(void** state) {
    (void)state;
    FbShapeDef points[3] = {shape_of("point"), shape_of("point"), shape_of("sphere")};
    points[0].mass = 1, points[0].at[0] = 4;
    points[1].mass = 1, points[1].at[1] = 4;
    points[2].radius = 9, points[2].density = 1000, points[2].is_visual_only = true;
    FbBodyDef body = fb_body_def_default();
    body.name = "b";
    body.mass = 2;
    memcpy(body.inertia, (double[6]){1, 1, 1.5, 0, 0, 0}, sizeof body.inertia);
    body.shapes = points;
    body.n_shapes = 3;
    double m, c[3], I[6];
    assert_int_equal(fb_body_calc_mass(&body, &m, c, I, NULL), FB_OK);
    assert_near(m, 4, 4);
    assert_near(c[0], 1, 1);
    assert_near(c[1], 1, 1);
    // sum m (|d|^2 1 - d d') for d = (-1,-1) x2, (3,-1), (-1,3)
    assert_near(I[0], 1 + 2 * 1 + 1 + 9, 30);
    assert_near(I[1], 1 + 2 * 1 + 9 + 1, 30);
    assert_near(I[2], 1.5 + 2 * 2 + 10 + 10, 30);
    assert_near(I[3], -2 * 1 + 3 + 3, 30);
}

static void test_massless(void** state) {
    (void)state;
    FbBodyDef body = fb_body_def_default();
    body.name = "b";
    double m = 1, c[3] = {1}, I[6] = {1};
    assert_int_equal(fb_body_calc_mass(&body, &m, c, I, NULL), FB_OK);
    assert_true(m == 0 && c[0] == 0 && I[0] == 0);
}

static FbStatus status_of_inertia(double mass, const double I[6], FbError* err) {
    FbBodyDef body = fb_body_def_default();
    double m, c[3], sum[6];
    body.name = "plate";
    body.mass = mass;
    memcpy(body.inertia, I, sizeof body.inertia);
    return fb_body_calc_mass(&body, &m, c, sum, err);
}

static void test_impossible(void** state) {
    (void)state;
    FbError err;
    assert_int_equal(status_of_inertia(1, (double[6]){1, 1, 2.1}, &err), FB_ERR_RANGE);
    assert_non_null(strstr(err.text, "largest must not exceed the sum"));
    assert_int_equal(status_of_inertia(1, (double[6]){0, 0, 1}, &err), FB_ERR_RANGE);
    assert_int_equal(status_of_inertia(1, (double[6]){1, 1, 1, 2}, &err), FB_ERR_RANGE);
    assert_non_null(strstr(err.text, "none of them may be negative"));
    assert_int_equal(status_of_inertia(0, (double[6]){1, 1, 1}, &err), FB_ERR_MODEL);
    assert_int_equal(status_of_inertia(-1, (double[6]){0}, &err), FB_ERR_RANGE);
    assert_int_equal(status_of_inertia(NAN, (double[6]){0}, &err), FB_ERR_RANGE);
    assert_int_equal(status_of_inertia(1, (double[6]){NAN}, &err), FB_ERR_RANGE);
    // A thin plate and a thin rod are just possible, also when written with four digits.
    assert_int_equal(status_of_inertia(1, (double[6]){1, 1, 2}, &err), FB_OK);
    assert_int_equal(status_of_inertia(1, (double[6]){0, 1, 1}, &err), FB_OK);
    assert_int_equal(status_of_inertia(1, (double[6]){0.0833, 0.0833, 0.1667}, &err), FB_OK);
}

static void expect_shape_error(FbShapeDef s, FbStatus status, const char* text) {
    FbError err;
    double m, c[3], I[6];
    assert_int_equal(fb_shape_calc_mass(&s, &m, c, I, &err), status);
    if (!strstr(err.text, text)) {
        fail_msg("'%s' does not contain '%s'", err.text, text);
    }
}

static void test_bad_shapes(void** state) {
    (void)state;
    FbShapeDef s = shape_of("sphere");
    s.radius = 1;
    expect_shape_error(s, FB_ERR_MODEL, "no mass or density");
    s.mass = 1, s.density = 1;
    expect_shape_error(s, FB_ERR_MODEL, "both mass and density");
    s.density = NAN, s.radius = NAN;
    expect_shape_error(s, FB_ERR_RANGE, "must be > 0");
    s = shape_of("point"), s.density = 1;
    expect_shape_error(s, FB_ERR_MODEL, "no volume");
    s = shape_of("tube"), s.radius = 1, s.inner_radius = 1, s.length = 1, s.mass = 1;
    expect_shape_error(s, FB_ERR_RANGE, "smaller than the radius");
    s = shape_of("rod"), s.mass = 1;
    memset(s.from, 0, sizeof s.from);
    memset(s.to, 0, sizeof s.to);
    expect_shape_error(s, FB_ERR_RANGE, "no length");
    expect_shape_error(shape_of("cone"), FB_ERR_NAME, "unknown shape 'cone'");
    expect_shape_error(shape_of(NULL), FB_ERR_NAME, "unknown shape");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solids),     cmocka_unit_test(test_rod_in_space),
        cmocka_unit_test(test_turned_box), cmocka_unit_test(test_sum),
        cmocka_unit_test(test_massless),   cmocka_unit_test(test_impossible),
        cmocka_unit_test(test_bad_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
