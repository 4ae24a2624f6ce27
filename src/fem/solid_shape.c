// Shape functions and integration points of solid elements.
#include <math.h>

#include "fem/solid.h"

// ---- Points ----

static const double GAUSS_2 = 0.57735026918962576;  // 1/sqrt(3), weight 1
static const double GAUSS_3 = 0.77459666924148338;  // sqrt(3/5), weights 5/9, 8/9, 5/9

static int get_line(int n, double* x, double* w) {
    if (n == 2) {
        x[0] = -(x[1] = GAUSS_2);
        w[0] = w[1] = 1.0;
        return 2;
    }
    x[0] = -(x[2] = GAUSS_3);
    x[1] = 0.0;
    w[0] = w[2] = 5.0 / 9.0;
    w[1] = 8.0 / 9.0;
    return 3;
}

static int get_cube(int n, FbSolidPoint* out) {
    double x[3], w[3];
    int count = 0;
    get_line(n, x, w);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < n; k++) {
                out[count++] = (FbSolidPoint){{x[i], x[j], x[k]}, w[i] * w[j] * w[k]};
            }
        }
    }
    return count;
}

// One, four (exact for degree 2) or 14 points (degree 5: N. J. Walkington, Quadrature on simplices
// of arbitrary dimension, 2000) in the tetrahedron of volume 1/6.
static int get_tetrahedron(int n, FbSolidPoint* out) {
    if (n == 1) {
        out[0] = (FbSolidPoint){{0.25, 0.25, 0.25}, 1.0 / 6.0};
        return 1;
    }
    const double a[2] = {n == 4 ? 0.13819660112501052 : 0.31088591926330061, 0.092735250310891226};
    const double w[2] = {n == 4 ? 0.25 : 0.11268792571801585, 0.073493043116361950};
    int count = 0;
    for (int kind = 0; kind < (n == 4 ? 1 : 2); kind++) {
        for (int i = 0; i < 4; i++) {
            FbSolidPoint* p = &out[count++];
            for (int d = 0; d < 3; d++) {
                p->xi[d] = d == i ? 1.0 - 3.0 * a[kind] : a[kind];
            }
            p->weight = w[kind] / 6.0;
        }
    }
    const double b = 0.045503704125649649, w_edge = 0.042546020777081466;
    for (int i = 0; i < 4 && n > 4; i++) {
        for (int j = i + 1; j < 4; j++) {
            FbSolidPoint* p = &out[count++];
            for (int d = 0; d < 3; d++) {
                p->xi[d] = d == i || d == j ? 0.5 - b : b;
            }
            p->weight = w_edge / 6.0;
        }
    }
    return count;
}

// Three (degree 2) or seven points (degree 5, Radon) in the triangle of area 1/2.
static int get_triangle(int n, double (*out)[3]) {
    if (n == 3) {
        for (int i = 0; i < 3; i++) {
            out[i][0] = i == 0 ? 2.0 / 3.0 : 1.0 / 6.0;
            out[i][1] = i == 1 ? 2.0 / 3.0 : 1.0 / 6.0;
            out[i][2] = 1.0 / 6.0;
        }
        return 3;
    }
    const double root = sqrt(15.0);
    out[6][0] = out[6][1] = 1.0 / 3.0;
    out[6][2] = 9.0 / 80.0;
    for (int i = 0; i < 6; i++) {
        double s = i < 3 ? -root : root, a = (6.0 + s) / 21.0;
        out[i][0] = i % 3 == 0 ? 1.0 - 2.0 * a : a;
        out[i][1] = i % 3 == 1 ? 1.0 - 2.0 * a : a;
        out[i][2] = (155.0 + s) / 2400.0;
    }
    return 7;
}

static int get_prism(int n_triangle, int n_line, FbSolidPoint* out) {
    double triangle[7][3], x[3], w[3];
    int count = 0;
    get_triangle(n_triangle, triangle);
    get_line(n_line, x, w);
    for (int i = 0; i < n_triangle; i++) {
        for (int k = 0; k < n_line; k++) {
            out[count++] =
                (FbSolidPoint){{triangle[i][0], triangle[i][1], x[k]}, triangle[i][2] * w[k]};
        }
    }
    return count;
}

static int get_tet4_points(bool is_for_mass, FbSolidPoint* out) {
    return get_tetrahedron(is_for_mass ? 4 : 1, out);
}
static int get_tet10_points(bool is_for_mass, FbSolidPoint* out) {
    return get_tetrahedron(is_for_mass ? 14 : 4, out);
}
static int get_hex8_points(bool is_for_mass, FbSolidPoint* out) {
    (void)is_for_mass;
    return get_cube(2, out);
}
static int get_hex20_points(bool is_for_mass, FbSolidPoint* out) {
    (void)is_for_mass;
    return get_cube(3, out);
}
static int get_wedge6_points(bool is_for_mass, FbSolidPoint* out) {
    (void)is_for_mass;
    return get_prism(3, 2, out);
}
static int get_wedge15_points(bool is_for_mass, FbSolidPoint* out) {
    return get_prism(is_for_mass ? 7 : 3, 3, out);
}

// ---- Tetrahedra ----

// Areal coordinates L1 = 1 - x - y - z, L2 = x, L3 = y, L4 = z and their gradients.
static const double SIMPLEX[4][3] = {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const int TET_EDGES[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};

static void calc_simplex(const double xi[3], double L[4]) {
    L[0] = 1.0 - xi[0] - xi[1] - xi[2];
    L[1] = xi[0];
    L[2] = xi[1];
    L[3] = xi[2];
}

static void calc_tet4(const double xi[3], double* N, double (*dN)[3]) {
    calc_simplex(xi, N);
    for (int i = 0; i < 4; i++) {
        for (int d = 0; d < 3; d++) {
            dN[i][d] = SIMPLEX[i][d];
        }
    }
}

static void calc_tet10(const double xi[3], double* N, double (*dN)[3]) {
    double L[4];
    calc_simplex(xi, L);
    for (int i = 0; i < 4; i++) {
        N[i] = L[i] * (2.0 * L[i] - 1.0);
        for (int d = 0; d < 3; d++) {
            dN[i][d] = (4.0 * L[i] - 1.0) * SIMPLEX[i][d];
        }
    }
    for (int e = 0; e < 6; e++) {
        int a = TET_EDGES[e][0], b = TET_EDGES[e][1];
        N[4 + e] = 4.0 * L[a] * L[b];
        for (int d = 0; d < 3; d++) {
            dN[4 + e][d] = 4.0 * (L[a] * SIMPLEX[b][d] + L[b] * SIMPLEX[a][d]);
        }
    }
}

// ---- Hexahedra ----

static const double CUBE[20][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, 1},
                                   {1, -1, 1},   {1, 1, 1},   {-1, 1, 1}, {0, -1, -1}, {1, 0, -1},
                                   {0, 1, -1},   {-1, 0, -1}, {0, -1, 1}, {1, 0, 1},   {0, 1, 1},
                                   {-1, 0, 1},   {-1, -1, 0}, {1, -1, 0}, {1, 1, 0},   {-1, 1, 0}};

static void calc_hex8(const double xi[3], double* N, double (*dN)[3]) {
    for (int i = 0; i < 8; i++) {
        const double* c = CUBE[i];
        double f[3];
        for (int d = 0; d < 3; d++) {
            f[d] = 1.0 + c[d] * xi[d];
        }
        N[i] = 0.125 * f[0] * f[1] * f[2];
        for (int d = 0; d < 3; d++) {
            dN[i][d] = 0.125 * c[d] * f[(d + 1) % 3] * f[(d + 2) % 3];
        }
    }
}

static void calc_hex20_corner(const double* c, const double xi[3], double* N, double dN[3]) {
    double f[3], sum = -2.0;
    for (int d = 0; d < 3; d++) {
        f[d] = 1.0 + c[d] * xi[d];
        sum += c[d] * xi[d];
    }
    *N = 0.125 * f[0] * f[1] * f[2] * sum;
    for (int d = 0; d < 3; d++) {
        dN[d] = 0.125 * c[d] * f[(d + 1) % 3] * f[(d + 2) % 3] * (sum + f[d]);
    }
}

static void calc_hex20_edge(const double* c, const double xi[3], double* N, double dN[3]) {
    double f[3], df[3];
    for (int d = 0; d < 3; d++) {
        bool is_along = c[d] == 0.0;
        f[d] = is_along ? 1.0 - xi[d] * xi[d] : 1.0 + c[d] * xi[d];
        df[d] = is_along ? -2.0 * xi[d] : c[d];
    }
    *N = 0.25 * f[0] * f[1] * f[2];
    for (int d = 0; d < 3; d++) {
        dN[d] = 0.25 * df[d] * f[(d + 1) % 3] * f[(d + 2) % 3];
    }
}

static void calc_hex20(const double xi[3], double* N, double (*dN)[3]) {
    for (int i = 0; i < 20; i++) {
        if (i < 8) {
            calc_hex20_corner(CUBE[i], xi, &N[i], dN[i]);
        } else {
            calc_hex20_edge(CUBE[i], xi, &N[i], dN[i]);
        }
    }
}

// ---- Wedges: L1 = 1 - x - y, L2 = x, L3 = y, and z from -1 to 1 ----

static const double TRIANGLE[3][2] = {{-1, -1}, {1, 0}, {0, 1}};

// The product of a function of the triangle and one of the height.
static void set_product(double f, const double df[2], double g, double dg, double* N,
                        double dN[3]) {
    *N = f * g;
    dN[0] = df[0] * g;
    dN[1] = df[1] * g;
    dN[2] = f * dg;
}

static void calc_wedge6(const double xi[3], double* N, double (*dN)[3]) {
    const double L[3] = {1.0 - xi[0] - xi[1], xi[0], xi[1]};
    for (int i = 0; i < 6; i++) {
        double side = i < 3 ? -1.0 : 1.0;
        set_product(L[i % 3], TRIANGLE[i % 3], 0.5 * (1.0 + side * xi[2]), 0.5 * side, &N[i],
                    dN[i]);
    }
}

// Corners: L (2 L - 1) (1 + z) / 2 - L (1 - z^2) / 2 = L (1 + z) (2 L - 2 + z) / 2
static void calc_wedge15_corner(double L, const double dL[2], double side, double z, double* N,
                                double dN[3]) {
    double f = 1.0 + side * z, sum = 2.0 * L - 2.0 + side * z;
    *N = 0.5 * L * f * sum;
    for (int d = 0; d < 2; d++) {
        dN[d] = 0.5 * f * (sum + 2.0 * L) * dL[d];
    }
    dN[2] = 0.5 * L * side * (sum + f);
}

static void calc_wedge15(const double xi[3], double* N, double (*dN)[3]) {
    const double L[3] = {1.0 - xi[0] - xi[1], xi[0], xi[1]}, z = xi[2];
    for (int i = 0; i < 6; i++) {
        double side = i < 3 ? -1.0 : 1.0;
        int a = i % 3, b = (a + 1) % 3;
        calc_wedge15_corner(L[a], TRIANGLE[a], side, z, &N[i], dN[i]);
        const double df[2] = {2.0 * (TRIANGLE[a][0] * L[b] + L[a] * TRIANGLE[b][0]),
                              2.0 * (TRIANGLE[a][1] * L[b] + L[a] * TRIANGLE[b][1])};
        set_product(2.0 * L[a] * L[b], df, 1.0 + side * z, side, &N[6 + i], dN[6 + i]);
    }
    for (int a = 0; a < 3; a++) {
        set_product(L[a], TRIANGLE[a], 1.0 - z * z, -2.0 * z, &N[12 + a], dN[12 + a]);
    }
}

const FbSolidShape fb_solid_tet4 = {4, calc_tet4, get_tet4_points};
const FbSolidShape fb_solid_tet10 = {10, calc_tet10, get_tet10_points};
const FbSolidShape fb_solid_hex8 = {8, calc_hex8, get_hex8_points};
const FbSolidShape fb_solid_hex20 = {20, calc_hex20, get_hex20_points};
const FbSolidShape fb_solid_wedge6 = {6, calc_wedge6, get_wedge6_points};
const FbSolidShape fb_solid_wedge15 = {15, calc_wedge15, get_wedge15_points};
