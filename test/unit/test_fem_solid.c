// Solid elements: shape functions, rigid motions, constant strains and masses of distorted, curved,
// turned and distant elements of every type.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka needs the headers above.
#include <cmocka.h>

#include "fem/face.h"
#include "fem/solid.h"
#include "math/rotation.h"

enum { MOST = FB_SOLID_MAX_NODES, SIZE = 3 * MOST };

typedef struct Kind {
    const FbElementType* type;
    const FbSolidShape* shape;
    double volume;  // of the reference element
    double nodes[MOST][3];
} Kind;

static const Kind kinds[] = {
    {&fb_element_tet4, &fb_solid_tet4, 1.0 / 6.0, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {&fb_element_tet10,
     &fb_solid_tet10,
     1.0 / 6.0,
     {{0, 0, 0},
      {1, 0, 0},
      {0, 1, 0},
      {0, 0, 1},
      {.5, 0, 0},
      {.5, .5, 0},
      {0, .5, 0},
      {0, 0, .5},
      {.5, 0, .5},
      {0, .5, .5}}},
    {&fb_element_hex8,
     &fb_solid_hex8,
     8.0,
     {{-1, -1, -1},
      {1, -1, -1},
      {1, 1, -1},
      {-1, 1, -1},
      {-1, -1, 1},
      {1, -1, 1},
      {1, 1, 1},
      {-1, 1, 1}}},
    {&fb_element_hex20, &fb_solid_hex20, 8.0, {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                               {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1},
                                               {0, -1, -1},  {1, 0, -1},  {0, 1, -1}, {-1, 0, -1},
                                               {0, -1, 1},   {1, 0, 1},   {0, 1, 1},  {-1, 0, 1},
                                               {-1, -1, 0},  {1, -1, 0},  {1, 1, 0},  {-1, 1, 0}}},
    {&fb_element_wedge6,
     &fb_solid_wedge6,
     1.0,
     {{0, 0, -1}, {1, 0, -1}, {0, 1, -1}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}}},
    {&fb_element_wedge15,
     &fb_solid_wedge15,
     1.0,
     {{0, 0, -1},
      {1, 0, -1},
      {0, 1, -1},
      {0, 0, 1},
      {1, 0, 1},
      {0, 1, 1},
      {.5, 0, -1},
      {.5, .5, -1},
      {0, .5, -1},
      {.5, 0, 1},
      {.5, .5, 1},
      {0, .5, 1},
      {0, 0, 0},
      {1, 0, 0},
      {0, 1, 0}}},
};
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

static FbSolid steel(const Kind* kind) {
    FbSolid s = {.shape = kind->shape, .density = 7850.0};
    double E = 210e9, nu = 0.3, lambda = E * nu / ((1 + nu) * (1 - 2 * nu)), G = E / (2 + 2 * nu);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            s.D[i][j] = lambda + (i == j ? 2 * G : 0.0);
        }
        s.D[3 + i][3 + i] = G;
    }
    return s;
}

// Unequal stiffnesses along the axes of the material.
static FbSolid wood(const Kind* kind) {
    FbSolid s = steel(kind);
    static const double scale[6] = {1.0, 0.3, 0.1, 0.2, 0.05, 0.4};
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            s.D[i][j] *= sqrt(scale[i] * scale[j]);
        }
    }
    return s;
}

static FbMat3 some_turn(void) {
    FbVec3 turn = {0.4, -1.1, 0.7};
    return fb_rotation_from_vector(turn);
}

// A number from -1 to 1 that belongs to i.
static double noise(int i) {
    return sin(12.9898 * (i + 1)) * cos(78.233 * (i + 3));
}

// The nodes scaled, each moved by some of the size, then turned and moved.
static void place(const Kind* kind, double scale, double distortion, const FbMat3* R, FbVec3 at,
                  FbVec3* p) {
    for (int i = 0; i < kind->type->n_nodes; i++) {
        double x[3];
        for (int d = 0; d < 3; d++) {
            x[d] = scale * ((1.0 + 0.4 * d) * kind->nodes[i][d] + distortion * noise(3 * i + d));
        }
        p[i] = fb_add(at, fb_mul3(R, fb_vec3_from(x)));
    }
}

static void assert_close(double value, double expected, double allowed, const Kind* kind) {
    if (!(fabs(value - expected) <= allowed)) {
        fail_msg("%s: %.15g instead of %.15g, %.2g off", kind->type->name, value, expected,
                 value - expected);
    }
}

static void test_shapes(void** state) {
    (void)state;
    for (int k = 0; k < N_KINDS; k++) {
        const Kind* kind = &kinds[k];
        int n = kind->shape->n_nodes;
        double N[MOST], dN[MOST][3], plus[MOST], minus[MOST], unused[MOST][3];
        assert_int_equal(n, kind->type->n_nodes);
        for (int i = 0; i < n; i++) {
            kind->shape->calc(kind->nodes[i], N, dN);
            for (int j = 0; j < n; j++) {
                assert_close(N[j], i == j, 1e-15, kind);
            }
        }
        const double xi[3] = {0.21, 0.17, 0.33}, h = 1e-5;
        kind->shape->calc(xi, N, dN);
        for (int d = 0; d < 3; d++) {
            double a[3] = {xi[0], xi[1], xi[2]}, b[3] = {xi[0], xi[1], xi[2]}, sum = 0.0;
            a[d] += h;
            b[d] -= h;
            kind->shape->calc(a, plus, unused);
            kind->shape->calc(b, minus, unused);
            for (int i = 0; i < n; i++) {
                assert_close(dN[i][d], (plus[i] - minus[i]) / (2 * h), 1e-9, kind);
                sum += dN[i][d];
            }
            assert_close(sum, 0.0, 1e-14, kind);
        }
    }
}

// Both rules integrate a constant, the one for masses also polynomials of twice the shapes' degree.
static void test_points(void** state) {
    (void)state;
    for (int k = 0; k < N_KINDS; k++) {
        const Kind* kind = &kinds[k];
        FbSolidPoint points[FB_SOLID_MAX_POINTS];
        for (int mass = 0; mass < 2; mass++) {
            double sum = 0.0;
            int n = kind->shape->get_points(mass, points);
            for (int i = 0; i < n; i++) {
                sum += points[i].weight;
            }
            assert_close(sum, kind->volume, 1e-14 * kind->volume, kind);
        }
    }
    // x^2 y^2 over the tetrahedron: 2! 2! / 7!; over the wedge, from 0 to 1 and -1 to 1: 2 2! 2!/6!
    static const struct {
        int kind;
        double integral;
    } quartic[] = {{1, 4.0 / 5040.0}, {3, 8.0 / 9.0}, {5, 8.0 / 720.0}};
    for (int k = 0; k < 3; k++) {
        const Kind* kind = &kinds[quartic[k].kind];
        FbSolidPoint points[FB_SOLID_MAX_POINTS];
        int n = kind->shape->get_points(true, points);
        double sum = 0.0;
        for (int i = 0; i < n; i++) {
            const double* x = points[i].xi;
            sum += points[i].weight * x[0] * x[0] * x[1] * x[1];
        }
        assert_close(sum, quartic[k].integral, 1e-14, kind);
    }
}

// The rank by elimination with the largest pivot.
static int calc_rank(int n, double* A, double threshold) {
    for (int k = 0; k < n; k++) {
        int row = k, col = k;
        for (int i = k; i < n; i++) {
            for (int j = k; j < n; j++) {
                if (fabs(A[i * n + j]) > fabs(A[row * n + col])) {
                    row = i;
                    col = j;
                }
            }
        }
        if (!(fabs(A[row * n + col]) > threshold)) {
            return k;
        }
        for (int j = 0; j < n; j++) {
            double swap = A[k * n + j];
            A[k * n + j] = A[row * n + j];
            A[row * n + j] = swap;
        }
        for (int i = 0; i < n; i++) {
            double swap = A[i * n + k];
            A[i * n + k] = A[i * n + col];
            A[i * n + col] = swap;
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

// A displacement u = a + A x at all nodes.
static void set_linear_field(const Kind* kind, const FbVec3* p, const FbMat3* A, double* u) {
    for (int i = 0; i < kind->type->n_nodes; i++) {
        fb_vec3_to(fb_mul3(A, fb_sub(p[i], p[0])), u + (size_t)3 * (size_t)i);
    }
}

// No force in a rigid motion, and in no other: the stiffness has rank n - 6.
static void test_rigid_motions(void** state) {
    (void)state;
    FbMat3 R = some_turn(), spin = {{{0, -0.3, 0.9}, {0.3, 0, -0.5}, {-0.9, 0.5, 0}}};
    for (int k = 0; k < N_KINDS; k++) {
        const Kind* kind = &kinds[k];
        FbSolid solid = wood(kind);
        int n = 3 * kind->type->n_nodes;
        double K[SIZE * SIZE], u[SIZE];
        FbVec3 p[MOST];
        place(kind, 2e-3, 0.08, &R, fb_vec3(3.0, -7.0, 11.0), p);
        kind->type->calc_stiffness(&solid, p, &R, K);
        double size = largest(n * n, K);
        set_linear_field(kind, p, &spin, u);
        for (int i = 0; i < n; i++) {
            double f = 0.0, shift = 0.0;
            for (int j = 0; j < n; j++) {
                f += K[i * n + j] * u[j];
                shift += j % 3 == 1 ? K[i * n + j] : 0.0;
                assert_close(K[i * n + j], K[j * n + i], 1e-13 * size, kind);
            }
            assert_close(f, 0.0, 1e-13 * size * 2e-3 * n, kind);
            assert_close(shift, 0.0, 1e-13 * size * n, kind);
        }
        assert_int_equal(calc_rank(n, K, 1e-9 * size), n - 6);
    }
}

// Constant strain: the energy is that of the volume, also where edges are curved (isoparametric
// elements contain all linear fields).
static void test_constant_strain(void** state) {
    (void)state;
    FbMat3 R = some_turn(), A = {{{0.3, 0.2, -0.1}, {0.4, -0.2, 0.6}, {0.1, 0.5, 0.7}}};
    for (int k = 0; k < N_KINDS; k++) {
        const Kind* kind = &kinds[k];
        FbSolid solid = wood(kind);
        int n = 3 * kind->type->n_nodes;
        double K[SIZE * SIZE], u[SIZE], D[6][6], density = 0.0;
        FbVec3 p[MOST], center;
        const double e[6] = {A.m[0][0],
                             A.m[1][1],
                             A.m[2][2],
                             A.m[0][1] + A.m[1][0],
                             A.m[1][2] + A.m[2][1],
                             A.m[2][0] + A.m[0][2]};
        place(kind, 30.0, 0.08, &R, fb_vec3(0, 0, 0), p);
        kind->type->calc_stiffness(&solid, p, &R, K);
        set_linear_field(kind, p, &A, u);
        fb_solid_calc_material(&solid, &R, D);
        for (int i = 0; i < 6; i++) {
            for (int j = 0; j < 6; j++) {
                density += 0.5 * e[i] * D[i][j] * e[j];
            }
        }
        double volume = kind->type->calc_center(&solid, p, &center) / solid.density;
        // Curved edges: the stiffness of tet10 and wedge15 uses fewer points than the volume.
        bool is_exact = kind->type != &fb_element_tet10 && kind->type != &fb_element_wedge15;
        assert_close(0.5 * calc_form(n, u, K), density * volume,
                     (is_exact ? 1e-12 : 2e-3) * density * volume, kind);
    }
}

// In a linear field the stress is the same everywhere, at every node and in the middle; and the
// geometric stiffness is its work on the squares of the slopes of any other linear field.
static void test_stresses(void** state) {
    (void)state;
    FbMat3 R = some_turn(), A = {{{0.3, 0.2, -0.1}, {0.4, -0.2, 0.6}, {0.1, 0.5, 0.7}}};
    FbMat3 B = {{{-0.2, 0.5, 0.3}, {0.1, 0.7, -0.4}, {0.6, -0.3, 0.2}}};
    for (int k = 0; k < N_KINDS; k++) {
        const Kind* kind = &kinds[k];
        FbSolid solid = wood(kind);
        int n = 3 * kind->type->n_nodes;
        double S[6 * SIZE], K[SIZE * SIZE], u[SIZE], w[SIZE], D[6][6], t[6], size = 0.0;
        FbVec3 p[MOST], center;
        const double e[6] = {A.m[0][0],
                             A.m[1][1],
                             A.m[2][2],
                             A.m[0][1] + A.m[1][0],
                             A.m[1][2] + A.m[2][1],
                             A.m[2][0] + A.m[0][2]};
        place(kind, 2e-3, 0.08, &R, fb_vec3(3.0, -7.0, 11.0), p);
        set_linear_field(kind, p, &A, u);
        set_linear_field(kind, p, &B, w);
        fb_solid_calc_material(&solid, &R, D);
        for (int i = 0; i < 6; i++) {
            t[i] = fb_element_dot(6, D[i], e);
            size = fmax(size, fabs(t[i]));
        }
        FbSolidStress stress;
        fb_solid_prepare_stress(&solid, p, &R, &stress);
        for (int node = -1; node < kind->type->n_nodes; node++) {
            fb_solid_calc_stress(&stress, node, S);
            for (int i = 0; i < 6; i++) {
                assert_close(fb_element_dot(n, S + (size_t)i * (size_t)n, u), t[i], 1e-11 * size,
                             kind);
            }
        }
        FbMat3 T = {{{t[0], t[3], t[5]}, {t[3], t[1], t[4]}, {t[5], t[4], t[2]}}};
        FbMat3 BT = fb_mat3_mul(&B, &T);
        double work = 0.0;
        for (int i = 0; i < 9; i++) {
            work += BT.m[i / 3][i % 3] * B.m[i / 3][i % 3];
        }
        kind->type->calc_geometric(&solid, p, &R, u, K);
        double volume = kind->type->calc_center(&solid, p, &center) / solid.density;
        bool is_exact = kind->type != &fb_element_tet10 && kind->type != &fb_element_wedge15;
        assert_close(calc_form(n, w, K), work * volume, (is_exact ? 1e-11 : 2e-3) * size * volume,
                     kind);
    }
}

// The faces of an element close: their normals add up to nothing, their corners are nodes, and each
// normal points outwards from the middle.
static void test_faces(void** state) {
    (void)state;
    FbMat3 R = some_turn();
    for (int k = 0; k < N_KINDS; k++) {
        const Kind* kind = &kinds[k];
        FbSolid solid = steel(kind);
        FbVec3 p[MOST], center, sum = {0};
        double area = 0.0, flux = 0.0;
        place(kind, 2.0, 0.08, &R, fb_vec3(3.0, -7.0, 11.0), p);
        double volume = kind->type->calc_center(&solid, p, &center) / solid.density;
        for (int f = 0; f < fb_solid_count_faces(kind->type); f++) {
            int nodes[FB_FACE_MAX_NODES], n_corners;
            int n = fb_solid_get_face(kind->type, f, nodes, &n_corners);
            FbVec3 x[FB_FACE_MAX_NODES];
            FbFaceLoad load;
            for (int i = 0; i < n; i++) {
                x[i] = p[nodes[i]];
            }
            fb_face_calc_load(n, x, &load);
            double shares = 0.0;
            for (int i = 0; i < n; i++) {
                sum = fb_add(sum, load.normal[i]);
                flux += fb_dot(load.normal[i], fb_sub(x[i], center)) / 3.0;
                shares += load.share[i];
            }
            assert_close(shares, load.size, 1e-12 * load.size, kind);
            area += load.size;
        }
        assert_close(fb_norm(sum), 0.0, 1e-12 * area, kind);
        assert_close(flux, volume, 1e-12 * volume, kind);  // the divergence of x/3 is 1
    }
}

// A patch of seven distorted hexahedra around one in the middle: forces at its inner nodes vanish
// in every linear field, with the bubbles as without them.
static void test_hex8_patch(void** state) {
    (void)state;
    static const int faces[6][4] = {{0, 1, 2, 3}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                    {2, 3, 7, 6}, {1, 2, 6, 5}, {0, 3, 7, 4}};
    // The inner cube of R. MacNeal and R. Harder's patch test (1985), inside the unit cube.
    static const double inner[8][3] = {{.249, .342, .192}, {.826, .288, .288}, {.850, .649, .263},
                                       {.273, .750, .230}, {.320, .186, .643}, {.677, .305, .683},
                                       {.788, .693, .644}, {.165, .745, .702}};
    const Kind* kind = &kinds[2];
    FbSolid solid = wood(kind);
    FbMat3 R = some_turn(), A = {{{0.3, 0.2, -0.1}, {0.4, -0.2, 0.6}, {0.1, 0.5, 0.7}}};
    FbVec3 p[16];
    double f[8][3] = {{0}}, scale = 0.0;
    for (int i = 0; i < 8; i++) {
        FbVec3 corner = fb_scale(0.5, fb_add(fb_vec3_from(kind->nodes[i]), fb_vec3(1, 1, 1)));
        p[i] = fb_add(fb_vec3(40, 50, 60), fb_mul3(&R, fb_vec3_from(inner[i])));
        p[8 + i] = fb_add(fb_vec3(40, 50, 60), fb_mul3(&R, corner));
    }
    for (int e = -1; e < 6; e++) {
        int node[8];
        for (int i = 0; i < 8; i++) {
            node[i] = e < 0 ? i : i < 4 ? faces[e][i] : 8 + faces[e][i - 4];
        }
        FbVec3 x[8];
        double K[24 * 24], u[24];
        for (int turn = 0; turn < 2; turn++) {  // faces that look the other way
            for (int i = 0; i < 8; i++) {
                x[i] = p[node[i]];
            }
            if (kind->type->calc_quality(&solid, x) > 0.0) {
                break;
            }
            for (int i = 0; i < 4; i++) {
                int swap = node[i];
                node[i] = node[i + 4];
                node[i + 4] = swap;
            }
        }
        assert_true(kind->type->calc_quality(&solid, x) > 0.0);
        kind->type->calc_stiffness(&solid, x, &R, K);
        for (int i = 0; i < 8; i++) {
            fb_vec3_to(fb_mul3(&A, fb_sub(x[i], p[0])), u + (size_t)3 * (size_t)i);
        }
        scale = fmax(scale, largest(24 * 24, K));
        for (int i = 0; i < 24; i++) {
            for (int j = 0; node[i / 3] < 8 && j < 24; j++) {
                f[node[i / 3]][i % 3] += K[i * 24 + j] * u[j];
            }
        }
    }
    for (int i = 0; i < 24; i++) {
        assert_close(f[i / 3][i % 3], 0.0, 1e-12 * scale, kind);
    }
}

// A box of any type's reference: mass, centre, and rotary inertia of hexahedra.
static void test_mass(void** state) {
    (void)state;
    FbMat3 R = some_turn();
    for (int k = 0; k < N_KINDS; k++) {
        for (int lumped = 0; lumped < 2; lumped++) {
            const Kind* kind = &kinds[k];
            FbSolid solid = steel(kind);
            solid.is_lumped = lumped;
            int n = 3 * kind->type->n_nodes;
            double M[SIZE * SIZE], u[SIZE], mass = solid.density * kind->volume * 1.4 * 1.8 * 8.0;
            FbVec3 p[MOST], center;
            place(kind, 2.0, 0.0, &R, fb_vec3(1e3, 2e3, 0), p);
            assert_close(kind->type->calc_center(&solid, p, &center), mass, 1e-12 * mass, kind);
            kind->type->calc_mass(&solid, p, &R, M);
            for (int i = 0; i < n; i++) {
                u[i] = i % 3 == 2;
                assert_true(M[i * n + i] > 0.0);
            }
            assert_close(calc_form(n, u, M), mass, 1e-12 * mass, kind);
            if (kind->volume == 8.0) {
                FbVec3 c = fb_sub(center, fb_vec3(1e3, 2e3, 0));
                assert_close(fb_norm(c), 0.0, 1e-12, kind);
            }
            if (kind->volume == 8.0 && !lumped) {
                FbMat3 spin = {{{0, -1, 0}, {1, 0, 0}, {0, 0, 0}}}, turned = fb_mat3_mul(&R, &spin);
                FbVec3 origin = {1e3, 2e3, 0};
                for (int i = 0; i < kind->type->n_nodes; i++) {
                    FbVec3 x = fb_mul3_transposed(&R, fb_sub(p[i], origin));
                    fb_vec3_to(fb_mul3(&turned, x), u + (size_t)3 * (size_t)i);
                }
                double inertia = mass / 12.0 * (4.0 * 4.0 + 5.6 * 5.6);
                assert_close(calc_form(n, u, M), inertia, 1e-11 * inertia, kind);
            }
        }
    }
}

// The same element turned with its material has the turned stiffness; far away the same one.
static void test_turned(void** state) {
    (void)state;
    FbMat3 R = some_turn(), none = fb_mat3_identity();
    for (int k = 0; k < N_KINDS; k++) {
        const Kind* kind = &kinds[k];
        FbSolid solid = wood(kind);
        int n = 3 * kind->type->n_nodes;
        static double K[SIZE * SIZE], turned[SIZE * SIZE];
        FbVec3 p[MOST];
        place(kind, 1e-4, 0.05, &none, fb_vec3(0, 0, 0), p);
        kind->type->calc_stiffness(&solid, p, &none, K);
        place(kind, 1e-4, 0.05, &R, fb_vec3(0, 0, 0), p);
        kind->type->calc_stiffness(&solid, p, &R, turned);
        double size = largest(n * n, K);
        for (int i = 0; i < n; i += 3) {
            for (int j = 0; j < n; j += 3) {
                for (int a = 0; a < 9; a++) {
                    double sum = 0.0;
                    for (int b = 0; b < 9; b++) {
                        sum +=
                            R.m[a / 3][b / 3] * K[(i + b / 3) * n + j + b % 3] * R.m[a % 3][b % 3];
                    }
                    assert_close(turned[(i + a / 3) * n + j + a % 3], sum, 1e-13 * size, kind);
                }
            }
        }
    }
}

static void test_quality(void** state) {
    (void)state;
    FbMat3 R = some_turn();
    for (int k = 0; k < N_KINDS; k++) {
        const Kind* kind = &kinds[k];
        FbSolid solid = steel(kind);
        FbVec3 p[MOST];
        place(kind, 1e-5, 0.0, &R, fb_vec3(0, 0, 0), p);
        assert_true(kind->type->calc_quality(&solid, p) > 0.3);
        FbVec3 x = fb_mat3_col(&R, 0);
        for (int i = 0; i < kind->type->n_nodes; i++) {  // mirrored: inside out
            p[i] = fb_axpy(-2.0 * fb_dot(x, p[i]), x, p[i]);
        }
        assert_true(kind->type->calc_quality(&solid, p) < -0.3);
        for (int i = 0; i < kind->type->n_nodes; i++) {
            p[i] = fb_axpy(-fb_dot(x, p[i]), x, p[i]);
        }
        assert_true(fabs(kind->type->calc_quality(&solid, p)) < 1e-9);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),        cmocka_unit_test(test_points),
        cmocka_unit_test(test_rigid_motions), cmocka_unit_test(test_constant_strain),
        cmocka_unit_test(test_stresses),      cmocka_unit_test(test_faces),
        cmocka_unit_test(test_hex8_patch),    cmocka_unit_test(test_mass),
        cmocka_unit_test(test_turned),        cmocka_unit_test(test_quality),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
