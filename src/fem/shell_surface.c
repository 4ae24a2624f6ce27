// The surface of a shell element: shape functions, integration points, normals, mass.
#include <math.h>
#include <string.h>

#include "fem/shell.h"

static const double CORNERS[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
static const double TRIANGLE[3][2] = {{0, 0}, {1, 0}, {0, 1}};

// 2 x 2 points of Gauss, or seven of Radon (degree 5) in the triangle of area 1/2.
int fb_shell_get_points(int n_nodes, FbShellPoint* out) {
    const double gauss = 0.57735026918962576, root = sqrt(15.0);
    if (n_nodes == 4) {
        for (int i = 0; i < 4; i++) {
            out[i] = (FbShellPoint){{gauss * CORNERS[i][0], gauss * CORNERS[i][1]}, 1.0};
        }
        return 4;
    }
    out[6] = (FbShellPoint){{1.0 / 3.0, 1.0 / 3.0}, 9.0 / 80.0};
    for (int i = 0; i < 6; i++) {
        double s = i < 3 ? -root : root, a = (6.0 + s) / 21.0, b = 1.0 - 2.0 * a;
        out[i] = (FbShellPoint){{i % 3 == 0 ? b : a, i % 3 == 1 ? b : a}, (155.0 + s) / 2400.0};
    }
    return 7;
}

void fb_shell_calc_shapes(int n_nodes, const double xi[2], double* N, double (*dN)[2]) {
    if (n_nodes == 3) {
        N[0] = 1.0 - xi[0] - xi[1];
        N[1] = xi[0];
        N[2] = xi[1];
        for (int d = 0; d < 2; d++) {
            dN[0][d] = -1.0;
            dN[1][d] = d == 0;
            dN[2][d] = d == 1;
        }
        return;
    }
    for (int i = 0; i < 4; i++) {
        const double* c = CORNERS[i];
        double f = 1.0 + c[0] * xi[0], g = 1.0 + c[1] * xi[1];
        N[i] = 0.25 * f * g;
        dN[i][0] = 0.25 * c[0] * g;
        dN[i][1] = 0.25 * f * c[1];
    }
}

// The normal at a point, as long as the area there.
static FbVec3 calc_normal(int n_nodes, const FbVec3* p, double (*dN)[2]) {
    FbVec3 a = {0}, b = {0};
    for (int i = 1; i < n_nodes; i++) {
        FbVec3 x = fb_sub(p[i], p[0]);
        a = fb_axpy(dN[i][0], x, a);
        b = fb_axpy(dN[i][1], x, b);
    }
    return fb_cross(a, b);
}

void fb_shell_calc_directors(int n_nodes, const FbVec3* p, FbVec3* V) {
    for (int i = 0; i < n_nodes; i++) {
        double N[FB_SHELL_MAX_NODES], dN[FB_SHELL_MAX_NODES][2];
        fb_shell_calc_shapes(n_nodes, n_nodes == 4 ? CORNERS[i] : TRIANGLE[i], N, dN);
        FbVec3 normal = calc_normal(n_nodes, p, dN);
        V[i] = fb_scale(1.0 / fb_norm(normal), normal);
    }
}

// M of u + turn x (offset V): the turned thickness adds its rotary inertia, about the normal too,
// where the theory has none, so that no coordinate is without mass.
static void add_pair(double* M, int n, int i, int j, double dm, const FbShell* shell, FbVec3 Vi,
                     FbVec3 Vj) {
    double e = shell->offset, rotary = shell->thickness * shell->thickness / 12.0;
    FbVec3 a = fb_scale(e, Vi), b = fb_scale(e, Vj);
    const double A[3][3] = {{0, a.z, -a.y}, {-a.z, 0, a.x}, {a.y, -a.x, 0}};  // w -> w x a
    const double B[3][3] = {{0, b.z, -b.y}, {-b.z, 0, b.x}, {b.y, -b.x, 0}};
    double* block = M + (size_t)(6 * i * n) + 6 * j;
    for (int c = 0; c < 3; c++) {
        block[c * n + c] += dm;
        block[(c + 3) * n + c + 3] += dm * rotary;
        for (int d = 0; d < 3; d++) {
            block[c * n + d + 3] += dm * B[c][d];
            block[(c + 3) * n + d] += dm * A[d][c];
            for (int k = 0; k < 3; k++) {
                block[(c + 3) * n + d + 3] += dm * A[k][c] * B[k][d];
            }
        }
    }
}

static void calc_mass(const void* self, const FbVec3* p, const FbMat3* R, double* M) {
    const FbShell* shell = self;
    int nodes = shell->n_nodes, n = 6 * nodes;
    FbShellPoint points[FB_SHELL_MAX_POINTS];
    FbVec3 V[FB_SHELL_MAX_NODES];
    (void)R;
    fb_shell_calc_directors(nodes, p, V);
    memset(M, 0, sizeof(double) * (size_t)n * (size_t)n);
    int n_points = fb_shell_get_points(nodes, points);
    for (int k = 0; k < n_points; k++) {
        double N[FB_SHELL_MAX_NODES], dN[FB_SHELL_MAX_NODES][2];
        fb_shell_calc_shapes(nodes, points[k].xi, N, dN);
        double dm = shell->density * shell->thickness * points[k].weight *
                    fb_norm(calc_normal(nodes, p, dN));
        for (int i = 0; i < nodes; i++) {
            if (shell->is_lumped) {
                add_pair(M, n, i, i, dm * N[i], shell, V[i], V[i]);
                continue;
            }
            for (int j = 0; j < nodes; j++) {
                add_pair(M, n, i, j, dm * N[i] * N[j], shell, V[i], V[j]);
            }
        }
    }
}

static double calc_center(const void* self, const FbVec3* p, FbVec3* center) {
    const FbShell* shell = self;
    int nodes = shell->n_nodes;
    FbShellPoint points[FB_SHELL_MAX_POINTS];
    FbVec3 V[FB_SHELL_MAX_NODES], moment = {0};
    double area = 0.0;
    fb_shell_calc_directors(nodes, p, V);
    int n_points = fb_shell_get_points(nodes, points);
    for (int k = 0; k < n_points; k++) {
        double N[FB_SHELL_MAX_NODES], dN[FB_SHELL_MAX_NODES][2];
        fb_shell_calc_shapes(nodes, points[k].xi, N, dN);
        double da = points[k].weight * fb_norm(calc_normal(nodes, p, dN));
        area += da;
        for (int i = 0; i < nodes; i++) {
            FbVec3 x = fb_axpy(shell->offset, V[i], fb_sub(p[i], p[0]));
            moment = fb_axpy(da * N[i], x, moment);
        }
    }
    *center = fb_axpy(1.0 / area, moment, p[0]);
    return shell->density * shell->thickness * area;
}

// The smallest sine between the edges at a corner, or cosine between the normals of two corners:
// negative where a quadrilateral is folded or crossed.
static double calc_quality(const void* self, const FbVec3* p) {
    const FbShell* shell = self;
    int n = shell->n_nodes;
    FbVec3 normal[FB_SHELL_MAX_NODES];
    double least = 1.0;
    for (int i = 0; i < n; i++) {
        FbVec3 a = fb_sub(p[(i + 1) % n], p[i]), b = fb_sub(p[(i + n - 1) % n], p[i]);
        FbVec3 c = fb_cross(a, b);
        double size = fb_norm(c), lengths = fb_norm(a) * fb_norm(b);
        if (!(size > 0.0)) {
            return 0.0;
        }
        normal[i] = fb_scale(1.0 / size, c);
        least = fmin(least, size / lengths);
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            least = fmin(least, fb_dot(normal[i], normal[j]));
        }
    }
    return least;
}

const FbElementType fb_element_tri3 = {
    .name = "tri3",
    .n_nodes = 3,
    .n_coordinates = 6,
    .calc_stiffness = fb_shell_calc_stiffness,
    .calc_mass = calc_mass,
    .calc_center = calc_center,
    .calc_quality = calc_quality,
    .calc_geometric = fb_shell_calc_geometric,
};
const FbElementType fb_element_quad4 = {
    .name = "quad4",
    .n_nodes = 4,
    .n_coordinates = 6,
    .calc_stiffness = fb_shell_calc_stiffness,
    .calc_mass = calc_mass,
    .calc_center = calc_center,
    .calc_quality = calc_quality,
    .calc_geometric = fb_shell_calc_geometric,
};
