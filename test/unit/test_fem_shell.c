// Shell elements: rigid motions, constant membrane, bending and shear strains of distorted, turned
// and warped elements, and masses.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka needs the headers above.
#include <cmocka.h>

#include "fem/shell.h"
#include "math/rotation.h"

static const double E = 70e9, NU = 0.25, T = 2e-3, RHO = 2700.0;
enum { SIZE = 24 };

static FbShell sheet(int n_nodes) {
    double c = E / (1 - NU * NU), G = E / (2 + 2 * NU);
    FbShell s = {.n_nodes = n_nodes,
                 .thickness = T,
                 .plane = {{c, NU * c, 0}, {NU * c, c, 0}, {0, 0, G}},
                 .shear = {5.0 / 6.0 * G, 5.0 / 6.0 * G},
                 .drilling = 1e-3 * G,
                 .density = RHO};
    return s;
}

static const FbElementType* type_of(int n_nodes) {
    return n_nodes == 4 ? &fb_element_quad4 : &fb_element_tri3;
}

static FbMat3 some_turn(void) {
    return fb_rotation_from_vector(fb_vec3(0.4, -1.1, 0.7));
}

// A distorted element of about 0.1 m in the x-y plane.
static const double PLAN[4][2] = {{0.01, -0.02}, {0.11, 0.005}, {0.09, 0.1}, {-0.015, 0.07}};

static void place(int n_nodes, double warp, const FbMat3* R, FbVec3 at, FbVec3* p) {
    for (int i = 0; i < n_nodes; i++) {
        FbVec3 x = {PLAN[i][0], PLAN[i][1], i % 2 == 0 ? warp : -warp};
        p[i] = fb_add(at, fb_mul3(R, x));
    }
}

static void assert_close(double value, double expected, double allowed) {
    if (!(fabs(value - expected) <= allowed)) {
        fail_msg("%.15g instead of %.15g, %.2g off", value, expected, value - expected);
    }
}

// x' A x
static double calc_form(int n, const double* x, const double* A) {
    double product[SIZE];
    fb_element_multiply(n, A, x, product);
    return fb_element_dot(n, x, product);
}

static double largest(int n, const double* A) {
    double value = 0.0;
    for (int i = 0; i < n; i++) {
        value = fmax(value, fabs(A[i]));
    }
    return value;
}

// The rank by elimination with the largest pivot, after scaling the diagonal to one.
static int calc_rank(int n, double* A, double threshold) {
    double scale[SIZE];
    for (int i = 0; i < n; i++) {
        scale[i] = 1.0 / sqrt(A[i * n + i]);
    }
    for (int i = 0; i < n * n; i++) {
        A[i] *= scale[i / n] * scale[i % n];
    }
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k; i < n; i++) {
            best = A[i * n + i] > A[best * n + best] ? i : best;
        }
        if (!(A[best * n + best] > threshold)) {
            return k;
        }
        for (int j = 0; j < n; j++) {
            double swap = A[k * n + j];
            A[k * n + j] = A[best * n + j];
            A[best * n + j] = swap;
        }
        for (int i = 0; i < n; i++) {
            double swap = A[i * n + k];
            A[i * n + k] = A[i * n + best];
            A[i * n + best] = swap;
        }
        for (int i = k + 1; i < n; i++) {
            double factor = A[i * n + k] / A[k * n + k];
            for (int j = k; j < n; j++) {
                A[i * n + j] -= factor * A[k * n + j];
            }
        }
    }
    return n;
}

static void test_rigid_motions(void** state) {
    (void)state;
    FbMat3 R = some_turn();
    FbVec3 spin = {0.5, 0.9, 0.3};
    for (int nodes = 3; nodes <= 4; nodes++) {
        for (int warped = 0; warped <= nodes - 3; warped++) {
            for (int offset = 0; offset < 2; offset++) {
                FbShell shell = sheet(nodes);
                int n = 6 * nodes;
                double K[SIZE * SIZE], u[SIZE];
                FbVec3 p[4];
                shell.offset = offset * 3e-3;
                place(nodes, warped * 8e-3, &R, fb_vec3(20, 30, -10), p);
                type_of(nodes)->calc_stiffness(&shell, p, &R, K);
                double size = largest(n * n, K);
                for (int i = 0; i < nodes; i++) {
                    fb_vec3_to(fb_add(fb_cross(spin, p[i]), fb_vec3(1, 2, 3)), u + 6 * i);
                    fb_vec3_to(spin, u + 6 * i + 3);
                }
                for (int i = 0; i < n; i++) {
                    double f = 0.0;
                    for (int j = 0; j < n; j++) {
                        f += K[i * n + j] * u[j];
                        assert_close(K[i * n + j], K[j * n + i], 1e-12 * size);
                    }
                    assert_close(f, 0.0, 2e-13 * size * 40.0);
                }
                assert_int_equal(calc_rank(n, K, 1e-9), n - 6);
            }
        }
    }
}

// Local displacement (u, v, w) and turn at a node.
typedef void (*Field)(double x, double y, double u[3], double turn[3]);

static void stretch(double x, double y, double u[3], double turn[3]) {
    u[0] = 0.3 * x + 0.2 * y;
    u[1] = 0.4 * x - 0.5 * y;
    turn[2] = 0.5 * (0.4 - 0.2);
}
// w = -(a x^2 + b y^2)/2 - c x y; the turns are its slopes: dw/dy, -dw/dx.
static void bend(double x, double y, double u[3], double turn[3]) {
    const double a = 0.7, b = -0.4, c = 0.3;
    u[2] = -0.5 * (a * x * x + b * y * y) - c * x * y;
    turn[0] = -(b * y + c * x);
    turn[1] = a * x + c * y;
}
static void shear(double x, double y, double u[3], double turn[3]) {
    (void)turn;
    u[2] = 0.6 * x - 0.8 * y;
}

static double calc_energy(int nodes, Field field, double thickness) {
    FbMat3 R = some_turn();
    FbShell shell = sheet(nodes);
    double K[SIZE * SIZE], d[SIZE];
    FbVec3 p[4];
    shell.thickness = thickness;
    place(nodes, 0.0, &R, fb_vec3(2, 3, -1), p);
    type_of(nodes)->calc_stiffness(&shell, p, &R, K);
    for (int i = 0; i < nodes; i++) {
        double u[3] = {0}, turn[3] = {0};
        field(PLAN[i][0], PLAN[i][1], u, turn);
        fb_vec3_to(fb_mul3(&R, fb_vec3_from(u)), d + 6 * i);
        fb_vec3_to(fb_mul3(&R, fb_vec3_from(turn)), d + 6 * i + 3);
    }
    return 0.5 * calc_form(6 * nodes, d, K);
}

static double calc_area(int nodes) {
    double twice = 0.0;
    for (int i = 0; i < nodes; i++) {
        const double *a = PLAN[i], *b = PLAN[(i + 1) % nodes];
        twice += a[0] * b[1] - a[1] * b[0];
    }
    return 0.5 * twice;
}

static double calc_density(double a, double b, double c) {  // xx, yy, engineering xy
    double plane = E / (1 - NU * NU), G = E / (2 + 2 * NU);
    return 0.5 * (plane * (a * a + b * b + 2 * NU * a * b) + G * c * c);
}

static void test_constant_strains(void** state) {
    (void)state;
    double G = E / (2 + 2 * NU);
    for (int nodes = 3; nodes <= 4; nodes++) {
        double area = calc_area(nodes), membrane = T * area * calc_density(0.3, -0.5, 0.6);
        assert_close(calc_energy(nodes, stretch, T), membrane, 1e-12 * membrane);
    }
    double transverse = 0.5 * 5.0 / 6.0 * G * calc_area(4) * (0.36 + 0.64);
    assert_close(calc_energy(4, shear, T), transverse * T, 1e-11 * transverse * T);
    // The centre of a triangle turns and takes the shear, unless bending stiffness prevents it.
    transverse *= calc_area(3) / calc_area(4);
    assert_close(calc_energy(3, shear, 10.0), transverse * 10.0, 1e-3 * transverse * 10.0);
    double bending = T * T * T / 12.0 * calc_area(3) * calc_density(0.7, -0.4, 0.6);
    assert_close(calc_energy(3, bend, T), bending, 1e-9 * bending);
}

// Five quadrilaterals, distorted, or twice as many triangles: the patch of R. MacNeal and R. Harder
// (1985), 0.24 by 0.12. With the outer nodes in constant strain the inner ones follow.
static const double PATCH[8][2] = {{0, 0},       {0.24, 0},    {0.24, 0.12}, {0, 0.12},
                                   {0.04, 0.02}, {0.18, 0.03}, {0.16, 0.08}, {0.08, 0.08}};
static const int PATCH_ELEMENTS[5][4] = {
    {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}, {4, 5, 6, 7}};

static void check_patch(int nodes, Field field) {
    static const int halves[2][3] = {{0, 1, 2}, {0, 2, 3}};
    FbMat3 R = some_turn();
    FbShell shell = sheet(nodes);
    double f[4][6] = {{0}}, scale[2] = {0};
    int n = 6 * nodes, n_elements = nodes == 4 ? 5 : 10;
    for (int e = 0; e < n_elements; e++) {
        double K[SIZE * SIZE], d[SIZE];
        FbVec3 p[4];
        int node[4];
        for (int i = 0; i < nodes; i++) {
            node[i] = nodes == 4 ? PATCH_ELEMENTS[e][i] : PATCH_ELEMENTS[e / 2][halves[e % 2][i]];
            const double* x = PATCH[node[i]];
            double u[3] = {0}, turn[3] = {0};
            p[i] = fb_mul3(&R, fb_vec3(x[0], x[1], 0));
            field(x[0], x[1], u, turn);
            fb_vec3_to(fb_mul3(&R, fb_vec3_from(u)), d + 6 * i);
            fb_vec3_to(fb_mul3(&R, fb_vec3_from(turn)), d + 6 * i + 3);
        }
        type_of(nodes)->calc_stiffness(&shell, p, &R, K);
        for (int i = 0; i < n; i++) {
            double sum = 0.0, terms = 0.0;
            for (int j = 0; j < n; j++) {
                sum += K[i * n + j] * d[j];
                terms += fabs(K[i * n + j] * d[j]);
            }
            scale[i % 6 / 3] = fmax(scale[i % 6 / 3], terms);
            if (node[i / 6] >= 4) {
                f[node[i / 6] - 4][i % 6] += sum;
            }
        }
    }
    for (int i = 0; i < 24; i++) {  // to the rounding of their terms
        assert_close(f[i / 6][i % 6], 0.0, 1e-14 * scale[i % 6 / 3]);
    }
}

static void test_patches(void** state) {
    (void)state;
    for (int nodes = 3; nodes <= 4; nodes++) {
        check_patch(nodes, stretch);
        check_patch(nodes, bend);
    }
}

static void test_mass(void** state) {
    (void)state;
    FbMat3 R = some_turn();
    for (int nodes = 3; nodes <= 4; nodes++) {
        for (int lumped = 0; lumped < 2; lumped++) {
            FbShell shell = sheet(nodes);
            int n = 6 * nodes;
            double M[SIZE * SIZE], u[SIZE] = {0}, mass = RHO * T * calc_area(nodes);
            FbVec3 p[4], center, axis = fb_mul3(&R, fb_vec3(0, 1, 0)), at = {5, 6, 7};
            shell.is_lumped = lumped;
            shell.offset = 4e-3;
            place(nodes, 0.0, &R, at, p);
            assert_close(type_of(nodes)->calc_center(&shell, p, &center), mass, 1e-13 * mass);
            FbVec3 normal = fb_mat3_col(&R, 2);
            assert_close(fb_dot(fb_sub(center, at), normal), 4e-3, 1e-14);
            type_of(nodes)->calc_mass(&shell, p, &R, M);
            for (int i = 0; i < nodes; i++) {
                fb_vec3_to(axis, u + 6 * i);
            }
            assert_close(calc_form(n, u, M), mass, 1e-13 * mass);
            // Turned about an axis of its middle surface, no displacement but that of the offset
            for (int i = 0; i < nodes; i++) {
                fb_vec3_to((FbVec3){0}, u + 6 * i);
                fb_vec3_to(axis, u + 6 * i + 3);
            }
            double square = 4e-3 * 4e-3 + T * T / 12.0;
            assert_close(calc_form(n, u, M), mass * square, 1e-12 * mass * square);
        }
    }
}

static void test_quality(void** state) {
    (void)state;
    FbShell shell = sheet(4);
    FbVec3 square[4] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    assert_close(fb_element_quad4.calc_quality(&shell, square), 1.0, 1e-15);
    square[2] = fb_vec3(0.2, 0.2, 0);  // folded back
    assert_true(fb_element_quad4.calc_quality(&shell, square) < -0.1);
    square[2] = fb_vec3(0.5, 0.5, 0);  // a triangle
    assert_close(fb_element_quad4.calc_quality(&shell, square), 0.0, 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rigid_motions), cmocka_unit_test(test_constant_strains),
        cmocka_unit_test(test_patches),       cmocka_unit_test(test_mass),
        cmocka_unit_test(test_quality),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
