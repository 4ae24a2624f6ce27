// Cross-sections against closed forms and tabulated constants; materials.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka needs the headers above.
#include <cmocka.h>

#include "base/error.h"
#include "describe/cross_section.h"

static const double PI = 3.14159265358979323846;

static void assert_near(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance * fabs(expected))) {
        fail_msg("%.15g instead of %.15g", value, expected);
    }
}

static FbSectionProperties calc(const FbSectionDef* section) {
    FbSectionProperties p;
    FbError err;
    fb_error_clear(&err);
    if (fb_section_calc(section, &p, &err) < 0) {
        fail_msg("%s", err.text);
    }
    return p;
}

static FbSectionProperties rectangle(double width, double height) {
    FbSectionDef s = fb_section_def_default();
    s.name = "s";
    s.type = "rectangle";
    s.width = width;
    s.height = height;
    return calc(&s);
}

// Prandtl's stress function of a rectangle as a double sine series, an independent way to J:
//   J = 256 a b / pi^6 sum_{m, n odd} 1 / (m^2 n^2 (m^2/a^2 + n^2/b^2))
static double membrane(double a, double b) {
    double sum = 0.0;
    for (int m = 1; m < 4000; m += 2) {
        for (int n = 1; n < 4000; n += 2) {
            sum +=
                1.0 / ((double)m * m * n * n * ((double)m * m / (a * a) + (double)n * n / (b * b)));
        }
    }
    return 256.0 * a * b / pow(PI, 6) * sum;
}

static void test_rectangle(void** state) {
    (void)state;
    FbSectionProperties p = rectangle(0.02, 0.04);
    assert_near(p.area, 8e-4, 1e-15);
    assert_near(p.Iz, 0.02 * pow(0.04, 3) / 12.0, 1e-14);
    assert_near(p.Iy, 0.04 * pow(0.02, 3) / 12.0, 1e-14);
    assert_near(p.shear_y, 5.0 / 6.0, 1e-15);
    assert_near(p.shear_z, 5.0 / 6.0, 1e-15);
    assert_near(p.edge_y, 0.02, 1e-15);
    assert_near(p.edge_z, 0.01, 1e-15);
}

// J/(a b^3) and W/(a b^2); Timoshenko and Goodier tabulate 0.1406, 0.208; 0.229, 0.246; 0.312,
// 0.312.
static void test_rectangle_torsion(void** state) {
    (void)state;
    FbSectionProperties square = rectangle(1.0, 1.0);
    assert_near(square.J, 0.140577014955154, 1e-13);
    assert_near(square.torsion_modulus, 0.2082, 1e-3);
    for (int turned = 0; turned < 2; turned++) {
        FbSectionProperties p = turned ? rectangle(0.5, 1.0) : rectangle(1.0, 0.5);
        assert_near(p.J, membrane(1.0, 0.5), 1e-6);
        assert_near(p.J / pow(0.5, 3), 0.2287, 1e-3);
        assert_near(p.torsion_modulus / pow(0.5, 2), 0.246, 1e-3);
        FbSectionProperties strip = turned ? rectangle(0.1, 1.0) : rectangle(1.0, 0.1);
        assert_near(strip.J / 1e-3, 0.3123, 1e-3);
        assert_near(strip.torsion_modulus / 1e-2, 0.3123, 1e-3);
    }
    // A very thin strip: b^3/3, less 0.63 b^4/3 at its ends.
    assert_near(rectangle(1.0, 1e-6).J, 1e-18 / 3.0 * (1.0 - 0.630249e-6), 1e-12);
}

static void test_round(void** state) {
    (void)state;
    FbSectionDef s = fb_section_def_default();
    s.name = "s";
    s.type = "circle";
    s.radius = 0.1;
    FbSectionProperties p = calc(&s);
    assert_near(p.area, PI * 0.01, 1e-14);
    assert_near(p.Iy, PI * 1e-4 / 4.0, 1e-14);
    assert_near(p.J, p.Iy + p.Iz, 1e-14);
    assert_near(p.shear_y, 6.0 / 7.0, 1e-14);
    assert_near(p.torsion_modulus, PI * 1e-3 / 2.0, 1e-14);
    s.type = "tube";
    s.inner_radius = 0.0999;
    p = calc(&s);
    double r = 0.09995, t = 1e-4;  // thin-walled
    assert_near(p.area, 2.0 * PI * r * t, 1e-12);
    assert_near(p.J, 2.0 * PI * r * r * r * t, 1e-6);
    assert_near(p.Iz, PI * r * r * r * t, 1e-6);
    assert_near(p.shear_z, 0.5, 1e-6);
    assert_near(p.edge_y, 0.1, 1e-15);
    s.inner_radius = 0.05;
    p = calc(&s);
    assert_near(p.Iz, PI / 4.0 * (1e-4 - 6.25e-6), 1e-14);
}

// The steel section IPE 200 without its fillets: width 100, height 200, flanges 8.5, web 5.6 mm.
static void test_i(void** state) {
    (void)state;
    FbSectionDef s = fb_section_def_default();
    s.name = "s";
    s.type = "i";
    s.width = 0.1;
    s.height = 0.2;
    s.flange_thickness = 8.5e-3;
    s.web_thickness = 5.6e-3;
    FbSectionProperties p = calc(&s);
    double web = 0.2 - 17e-3, arm = 0.1 - 8.5e-3 / 2.0;
    assert_near(p.area, 2.0 * 0.1 * 8.5e-3 + web * 5.6e-3, 1e-14);
    // Parallel axes instead of the difference of rectangles.
    assert_near(p.Iz,
                5.6e-3 * pow(web, 3) / 12.0 +
                    2.0 * (0.1 * pow(8.5e-3, 3) / 12.0 + 0.1 * 8.5e-3 * arm * arm),
                1e-13);
    assert_near(p.Iy, 2.0 * 8.5e-3 * 1e-3 / 12.0 + web * pow(5.6e-3, 3) / 12.0, 1e-13);
    assert_near(p.J, (2.0 * 0.1 * pow(8.5e-3, 3) + 0.1915 * pow(5.6e-3, 3)) / 3.0, 1e-13);
    assert_near(p.torsion_modulus, p.J / 8.5e-3, 1e-13);
    assert_near(p.shear_y * p.area, 0.1915 * 5.6e-3, 1e-13);
    assert_near(p.shear_z * p.area, 5.0 / 3.0 * 0.1 * 8.5e-3, 1e-13);
    assert_near(p.edge_y, 0.1, 1e-15);
    assert_near(p.edge_z, 0.05, 1e-15);
    assert_in_range((int)(p.Iz * 1e10), 184000, 196000);  // 1943 cm4 with fillets
}

static void test_general(void** state) {
    (void)state;
    FbSectionDef s = fb_section_def_default();
    s.name = "s";
    s.type = "general";
    s.area = 2.0;
    s.Iz = 3.0;
    FbSectionProperties p = calc(&s);
    assert_near(p.area, 2.0, 0.0);
    assert_near(p.Iz, 3.0, 0.0);
    assert_true(isnan(p.Iy) && isnan(p.J) && isnan(p.shear_y) && isnan(p.edge_z));
    assert_true(isnan(p.torsion_modulus));
    s.shear_y = 0.4;
    s.edge_z = 0.7;
    p = calc(&s);
    assert_near(p.shear_y, 0.4, 0.0);
    assert_near(p.edge_z, 0.7, 0.0);
}

static void assert_fails(const FbSectionDef* s, FbStatus status, const char* text) {
    FbSectionProperties p;
    FbError err;
    fb_error_clear(&err);
    assert_int_equal(fb_section_calc(s, &p, &err), status);
    if (!strstr(err.text, text)) {
        fail_msg("'%s' does not contain '%s'", err.text, text);
    }
}

static void test_bad_sections(void** state) {
    (void)state;
    FbSectionDef s = fb_section_def_default();
    s.name = "s";
    s.type = "rectangle";
    s.width = 1.0;
    assert_fails(&s, FB_ERR_RANGE, "height of section 's' is nan m; it must be > 0");
    s.height = -1.0;
    assert_fails(&s, FB_ERR_RANGE, "height of section 's' is -1 m");
    s.height = 1.0;
    s.edge_y = 0.0;
    assert_fails(&s, FB_ERR_RANGE, "edge_y of section 's' is 0 m");
    s.type = "box";
    assert_fails(&s, FB_ERR_NAME, "known types are rectangle, circle, tube, i, general");
    s.type = NULL;
    assert_fails(&s, FB_ERR_NAME, "the type ''");
    s.type = "general";
    assert_fails(&s, FB_ERR_RANGE, "A of section");
    s.area = 1.0;
    s.Iy = -2.0;
    assert_fails(&s, FB_ERR_RANGE, "Iy of section 's' is -2 m^4");
}

static void test_materials(void** state) {
    (void)state;
    FbMaterialDef m = fb_material_def_default();
    FbMaterialProperties p;
    m.name = "m";
    m.youngs_modulus = 210e9;
    assert_int_equal(fb_material_calc(&m, &p, NULL), FB_ERR_RANGE);  // no density
    m.density = 0.0;
    assert_int_equal(fb_material_calc(&m, &p, NULL), FB_OK);
    assert_near(p.G, 210e9 / 2.6, 1e-15);
    m.poisson = 0.25;
    assert_int_equal(fb_material_calc(&m, &p, NULL), FB_OK);
    assert_near(p.G, 84e9, 1e-15);
    m.shear_modulus = 80e9;
    assert_int_equal(fb_material_calc(&m, &p, NULL), FB_ERR_MODEL);
    m.poisson = NAN;
    assert_int_equal(fb_material_calc(&m, &p, NULL), FB_OK);
    assert_near(p.G, 80e9, 0.0);
    m.shear_modulus = NAN;
    const double wrong[] = {0.5, -1.0, 7.0, INFINITY};
    for (int i = 0; i < 4; i++) {
        m.poisson = wrong[i];
        assert_int_equal(fb_material_calc(&m, &p, NULL), FB_ERR_RANGE);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rectangle), cmocka_unit_test(test_rectangle_torsion),
        cmocka_unit_test(test_round),     cmocka_unit_test(test_i),
        cmocka_unit_test(test_general),   cmocka_unit_test(test_bad_sections),
        cmocka_unit_test(test_materials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
