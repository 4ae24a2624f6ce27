// Mass properties of bodies with STL surfaces: boxes, a torus, any pose and unit, text and binary;
// and files that are open, cut off or no STL.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
// cmocka needs the headers above.
#include <cmocka.h>

#include "base/error.h"
#include "describe/shape.h"
#include "math/rotation.h"

static const double PI = 3.14159265358979323846;
static const char* const FILE_NAME = "unit_stl.stl";

enum { MOST = 20000 };
static float corners[MOST][3][3];
static int n_triangles;

static void add(const double a[3], const double b[3], const double c[3]) {
    for (int d = 0; d < 3; d++) {
        corners[n_triangles][0][d] = (float)a[d];
        corners[n_triangles][1][d] = (float)b[d];
        corners[n_triangles][2][d] = (float)c[d];
    }
    n_triangles++;
}

// The box from (1, 2, 3) to (3, 5, 7), outwards.
static void make_box(void) {
    static const int faces[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                    {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
    static const double p[8][3] = {{1, 2, 3}, {3, 2, 3}, {3, 5, 3}, {1, 5, 3},
                                   {1, 2, 7}, {3, 2, 7}, {3, 5, 7}, {1, 5, 7}};
    n_triangles = 0;
    for (int f = 0; f < 6; f++) {
        add(p[faces[f][0]], p[faces[f][1]], p[faces[f][2]]);
        add(p[faces[f][0]], p[faces[f][2]], p[faces[f][3]]);
    }
}

static void find_torus(int i, int j, int n, double p[3]) {
    double a = 2 * PI * (i % n) / n, b = 2 * PI * (j % n) / n, r = 3 + cos(b);
    p[0] = r * cos(a);
    p[1] = r * sin(a);
    p[2] = sin(b);
}

static void make_torus(int n) {
    n_triangles = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double p[4][3];
            find_torus(i, j, n, p[0]);
            find_torus(i + 1, j, n, p[1]);
            find_torus(i + 1, j + 1, n, p[2]);
            find_torus(i, j + 1, n, p[3]);
            add(p[0], p[1], p[2]);
            add(p[0], p[2], p[3]);
        }
    }
}

static FILE* open_file(void) {
    FILE* f = fopen(FILE_NAME, "wb");
    assert_non_null(f);
    return f;
}

static void write_binary(uint32_t announced, int written) {
    char header[80] = "solid by name alone";
    FILE* f = open_file();
    fwrite(header, 1, sizeof header, f);
    fwrite(&announced, 4, 1, f);
    for (int i = 0; i < written; i++) {
        float normal[3] = {0};
        uint16_t attribute = 0;
        fwrite(normal, 4, 3, f);
        fwrite(corners[i], 4, 9, f);
        fwrite(&attribute, 2, 1, f);
    }
    fclose(f);
}

static void write_text(const char* end) {
    FILE* f = open_file();
    fprintf(f, "solid some part\n");
    for (int i = 0; i < n_triangles; i++) {
        fprintf(f, " facet normal 0 0 1\n  outer loop\n");
        for (int k = 0; k < 3; k++) {
            float* p = corners[i][k];
            fprintf(f, "   vertex %.9g %.9e %.9g\n", p[0], p[1], p[2]);
        }
        fprintf(f, "  endloop\n endfacet\n");
    }
    fprintf(f, "%s", end);
    fclose(f);
}

static FbShapeDef mesh_shape(void) {
    FbShapeDef s = fb_shape_def_default();
    s.type = "mesh";
    s.file = FILE_NAME;
    s.density = 10.0;
    return s;
}

static void assert_near(double value, double expected, double allowed) {
    if (!(fabs(value - expected) <= allowed)) {
        fail_msg("%.15g instead of %.15g", value, expected);
    }
}

// As a box of the same size, turned and moved in the same way.
static void expect_box(const FbShapeDef* s) {
    FbShapeDef box = fb_shape_def_default();
    double size = s->unit, m[2], c[2][3], I[2][6];
    FbMat3 R;
    FbError err;
    memcpy(R.m, s->rotation, sizeof R.m);
    box.type = "box";
    box.density = s->density;
    memcpy(box.rotation, s->rotation, sizeof box.rotation);
    memcpy(box.size, (double[3]){2 * size, 3 * size, 4 * size}, sizeof box.size);
    FbVec3 middle = fb_mul3(&R, fb_vec3(2 * size, 3.5 * size, 5 * size));
    fb_vec3_to(fb_add(fb_vec3_from(s->at), middle), box.at);
    assert_int_equal(fb_shape_calc_mass(s, &m[0], c[0], I[0], &err), FB_OK);
    assert_int_equal(fb_shape_calc_mass(&box, &m[1], c[1], I[1], &err), FB_OK);
    assert_near(m[0], m[1], 1e-13 * m[1]);
    for (int d = 0; d < 3; d++) {
        assert_near(c[0][d], c[1][d], 1e-13 * (fabs(c[1][d]) + size));
    }
    for (int k = 0; k < 6; k++) {
        assert_near(I[0][k], I[1][k], 1e-12 * I[1][0]);
    }
}

static void test_box(void** state) {
    (void)state;
    FbMat3 R = fb_rotation_from_vector(fb_vec3(0.4, -1.1, 0.7));
    make_box();
    for (int is_text = 0; is_text < 2; is_text++) {
        for (int inverted = 0; inverted < 2; inverted++) {
            FbShapeDef s = mesh_shape();
            if (is_text) {
                write_text("endsolid some part\n");
            } else {
                write_binary((uint32_t)n_triangles, n_triangles);
            }
            expect_box(&s);
            s.unit = 1e-3;
            memcpy(s.at, (double[3]){5, -7, 2}, sizeof s.at);
            memcpy(s.rotation, R.m, sizeof s.rotation);
            expect_box(&s);
            for (int i = 0; i < n_triangles; i++) {  // inside out
                float swap[3];
                memcpy(swap, corners[i][0], sizeof swap);
                memcpy(corners[i][0], corners[i][1], sizeof swap);
                memcpy(corners[i][1], swap, sizeof swap);
            }
        }
    }
}

// Of second order in the size of the triangles: 2 pi^2 R r^2, m (R^2 + 3 r^2/4) about the axis.
static void test_torus(void** state) {
    (void)state;
    double errors[2];
    for (int k = 0; k < 2; k++) {
        double m, c[3], I[6];
        FbError err;
        FbShapeDef s = mesh_shape();
        make_torus(k ? 96 : 48);
        write_binary((uint32_t)n_triangles, n_triangles);
        assert_int_equal(fb_shape_calc_mass(&s, &m, c, I, &err), FB_OK);
        errors[k] = fabs(m / (10 * 2 * PI * PI * 3) - 1);
        assert_near(I[2] / m, 9.75, 0.05);
        assert_near(I[0] / m, 0.5 * 9 + 0.625, 0.03);
        assert_near(fabs(c[0]) + fabs(c[1]) + fabs(c[2]), 0, 1e-5);
    }
    assert_true(errors[0] < 0.01 && errors[1] < 0.26 * errors[0]);
}

static void expect_error(FbStatus status, const char* text) {
    double m, c[3], I[6];
    FbError err;
    FbShapeDef s = mesh_shape();
    fb_error_clear(&err);
    assert_int_equal(fb_shape_calc_mass(&s, &m, c, I, &err), status);
    if (!strstr(err.text, text)) {
        fail_msg("'%s' does not say '%s'", err.text, text);
    }
}

static void test_bad_files(void** state) {
    (void)state;
    make_box();
    write_binary(11, 11);  // one triangle is missing
    expect_error(FB_ERR_MODEL, "the surface is not closed: 3 edges");
    FbShapeDef s = mesh_shape();
    double m, c[3], I[6];
    FbError err;
    s.is_visual_only = true;
    assert_int_equal(fb_shape_calc_mass(&s, &m, c, I, &err), FB_OK);
    write_binary(12, 11);
    expect_error(FB_ERR_SYNTAX, "");
    write_binary(4000000000u, 2);
    expect_error(FB_ERR_SYNTAX, "");
    write_text("");
    expect_error(FB_ERR_SYNTAX, "'endsolid' is missing");
    write_text("facet normal 0 0\n");
    expect_error(FB_ERR_SYNTAX, "not the text of an STL file");
    write_text("facet\nouter loop\nvertex 1 2 3\nendloop\nendfacet\nendsolid\n");
    expect_error(FB_ERR_SYNTAX, "not the text of an STL file");
    corners[0][0][0] = NAN;
    write_binary(12, 12);
    expect_error(FB_ERR_RANGE, "not finite");
    n_triangles = 0;
    write_binary(0, 0);
    expect_error(FB_ERR_MODEL, "no triangles");
    const double a[3] = {0, 0, 0}, b[3] = {1, 0, 0}, d[3] = {0, 1, 0};
    add(a, b, d);
    add(a, d, b);
    write_binary(2, 2);
    expect_error(FB_ERR_MODEL, "encloses no volume");
    FILE* f = open_file();
    fprintf(f, "hello");
    fclose(f);
    expect_error(FB_ERR_SYNTAX, "not an STL file");
    remove(FILE_NAME);
    expect_error(FB_ERR_IO, "cannot read the STL file");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box),
        cmocka_unit_test(test_torus),
        cmocka_unit_test(test_bad_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
