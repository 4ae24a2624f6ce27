// Loads on faces and edges, integrated with the shape functions of the elements they belong to:
//     f_i = int N_i t dA,  f_i = int N_i q ds   (eqs. 12.11 and 12.12)
#include "fem/face.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "fem/shell.h"

// ---- Faces of solids ----

// Corners of the faces, and the edges in the order of their middle nodes.
typedef struct Solid {
    int n_corners, n_faces, n_edges;
    int faces[6][4];  // the last -1: a triangle
    int edges[12][2];
} Solid;

static const Solid TET = {4,
                          4,
                          6,
                          {{0, 2, 1, -1}, {0, 1, 3, -1}, {1, 2, 3, -1}, {2, 0, 3, -1}},
                          {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}};
static const Solid HEX = {
    8,
    6,
    12,
    {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}},
    {{0, 1},
     {1, 2},
     {2, 3},
     {3, 0},
     {4, 5},
     {5, 6},
     {6, 7},
     {7, 4},
     {0, 4},
     {1, 5},
     {2, 6},
     {3, 7}}};
static const Solid WEDGE = {
    6,
    5,
    9,
    {{0, 2, 1, -1}, {3, 4, 5, -1}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}},
    {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}}};

static const Solid* find_solid(const FbElementType* type) {
    return type->n_nodes == 4 || type->n_nodes == 10   ? &TET
           : type->n_nodes == 8 || type->n_nodes == 20 ? &HEX
                                                       : &WEDGE;
}

int fb_solid_count_faces(const FbElementType* type) {
    return find_solid(type)->n_faces;
}

static int find_edge(const Solid* s, int a, int b) {
    for (int e = 0; e < s->n_edges; e++) {
        const int* edge = s->edges[e];
        if ((edge[0] == a && edge[1] == b) || (edge[0] == b && edge[1] == a)) {
            return e;
        }
    }
    return 0;
}

int fb_solid_get_face(const FbElementType* type, int face, int nodes[FB_FACE_MAX_NODES],
                      int* n_corners) {
    const Solid* s = find_solid(type);
    const int* corners = s->faces[face];
    int n = corners[3] < 0 ? 3 : 4;
    *n_corners = n;
    memcpy(nodes, corners, sizeof(int) * (size_t)n);
    if (type->n_nodes == s->n_corners) {
        return n;
    }
    for (int i = 0; i < n; i++) {
        nodes[n + i] = s->n_corners + find_edge(s, corners[i], corners[(i + 1) % n]);
    }
    return 2 * n;
}

// ---- Shape functions ----

// Six nodes: products of the areas L of the triangle.
static void calc_tri6(const double xi[2], double* N, double (*dN)[2]) {
    static const double slope[3][2] = {{-1, -1}, {1, 0}, {0, 1}};
    const double L[3] = {1.0 - xi[0] - xi[1], xi[0], xi[1]};
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        N[i] = L[i] * (2.0 * L[i] - 1.0);
        N[3 + i] = 4.0 * L[i] * L[j];
        for (int d = 0; d < 2; d++) {
            dN[i][d] = (4.0 * L[i] - 1.0) * slope[i][d];
            dN[3 + i][d] = 4.0 * (L[i] * slope[j][d] + L[j] * slope[i][d]);
        }
    }
}

// Eight nodes (serendipity).
static void calc_quad8(const double xi[2], double* N, double (*dN)[2]) {
    static const double at[8][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1},
                                    {0, -1},  {1, 0},  {0, 1}, {-1, 0}};
    for (int i = 0; i < 8; i++) {
        double a = at[i][0], b = at[i][1], x = xi[0], y = xi[1];
        double f = 1.0 + a * x, g = 1.0 + b * y;
        if (i < 4) {
            N[i] = 0.25 * f * g * (a * x + b * y - 1.0);
            dN[i][0] = 0.25 * a * g * (2.0 * a * x + b * y);
            dN[i][1] = 0.25 * b * f * (a * x + 2.0 * b * y);
        } else if (a == 0.0) {
            N[i] = 0.5 * (1.0 - x * x) * g;
            dN[i][0] = -x * g;
            dN[i][1] = 0.5 * (1.0 - x * x) * b;
        } else {
            N[i] = 0.5 * f * (1.0 - y * y);
            dN[i][0] = 0.5 * a * (1.0 - y * y);
            dN[i][1] = -y * f;
        }
    }
}

static void calc_shapes(int n_nodes, const double xi[2], double* N, double (*dN)[2]) {
    if (n_nodes == 6) {
        calc_tri6(xi, N, dN);
    } else if (n_nodes == 8) {
        calc_quad8(xi, N, dN);
    } else {
        fb_shell_calc_shapes(n_nodes, xi, N, dN);
    }
}

static const double GAUSS[3] = {-0.77459666924148338, 0.0, 0.77459666924148338};
static const double WEIGHT[3] = {5.0 / 9.0, 8.0 / 9.0, 5.0 / 9.0};

static int get_points(int n_nodes, FbShellPoint out[9]) {
    if (n_nodes % 3 == 0) {
        return fb_shell_get_points(3, out);
    }
    for (int i = 0; i < 9; i++) {
        out[i] = (FbShellPoint){{GAUSS[i % 3], GAUSS[i / 3]}, WEIGHT[i % 3] * WEIGHT[i / 3]};
    }
    return 9;
}

void fb_face_calc_load(int n_nodes, const FbVec3* p, FbFaceLoad* out) {
    FbShellPoint points[9];
    int n_points = get_points(n_nodes, points);
    memset(out, 0, sizeof *out);
    for (int k = 0; k < n_points; k++) {
        double N[FB_FACE_MAX_NODES], dN[FB_FACE_MAX_NODES][2];
        FbVec3 a = {0}, b = {0};
        calc_shapes(n_nodes, points[k].xi, N, dN);
        for (int i = 1; i < n_nodes; i++) {
            FbVec3 x = fb_sub(p[i], p[0]);
            a = fb_axpy(dN[i][0], x, a);
            b = fb_axpy(dN[i][1], x, b);
        }
        FbVec3 normal = fb_scale(points[k].weight, fb_cross(a, b));
        double area = fb_norm(normal);
        out->size += area;
        for (int i = 0; i < n_nodes; i++) {
            out->share[i] += N[i] * area;
            out->normal[i] = fb_axpy(N[i], normal, out->normal[i]);
        }
    }
}

// Ends first, then the middle, at xi = -1, 1, 0.
void fb_edge_calc_load(int n_nodes, const FbVec3* p, FbFaceLoad* out) {
    assert(n_nodes == 2 || n_nodes == 3);
    memset(out, 0, sizeof *out);
    for (int k = 0; k < 3; k++) {
        double x = GAUSS[k];
        double N[3] = {0.5 * (1.0 - x), 0.5 * (1.0 + x), 0.0}, dN[3] = {-0.5, 0.5, 0.0};
        if (n_nodes == 3) {
            N[0] = 0.5 * x * (x - 1.0);
            N[1] = 0.5 * x * (x + 1.0);
            N[2] = 1.0 - x * x;
            dN[0] = x - 0.5;
            dN[1] = x + 0.5;
            dN[2] = -2.0 * x;
        }
        FbVec3 along = {0};
        for (int i = 1; i < n_nodes; i++) {
            along = fb_axpy(dN[i], fb_sub(p[i], p[0]), along);
        }
        double length = WEIGHT[k] * fb_norm(along);
        out->size += length;
        for (int i = 0; i < n_nodes; i++) {
            out->share[i] += N[i] * length;
        }
    }
}
