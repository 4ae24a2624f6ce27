// Stiffness and mass of solid elements, integrated numerically:
//     K = int B' D B dV,  M = int rho N' N dV   (eqs. 12.1 and 12.2)
#include "fem/solid.h"

#include <string.h>

double fb_solid_calc_jacobian(int n_nodes, const FbVec3* p, double (*dN)[3], FbMat3* J) {
    *J = (FbMat3){{{0}}};
    // Positions relative to the first node: no digits are lost far from the origin.
    for (int i = 1; i < n_nodes; i++) {
        FbVec3 x = fb_sub(p[i], p[0]);
        for (int d = 0; d < 3; d++) {
            J->m[0][d] += x.x * dN[i][d];
            J->m[1][d] += x.y * dN[i][d];
            J->m[2][d] += x.z * dN[i][d];
        }
    }
    return fb_dot(fb_mat3_col(J, 0), fb_cross(fb_mat3_col(J, 1), fb_mat3_col(J, 2)));
}

void fb_solid_turn_gradients(int n_nodes, const FbMat3* J, double det, double (*dN)[3]) {
    FbVec3 a = fb_mat3_col(J, 0), b = fb_mat3_col(J, 1), c = fb_mat3_col(J, 2);
    FbVec3 rows[3] = {fb_cross(b, c), fb_cross(c, a), fb_cross(a, b)};  // det J^-1
    for (int i = 0; i < n_nodes; i++) {
        FbVec3 sum = fb_scale(dN[i][0] / det, rows[0]);
        sum = fb_axpy(dN[i][1] / det, rows[1], sum);
        sum = fb_axpy(dN[i][2] / det, rows[2], sum);
        fb_vec3_to(sum, dN[i]);
    }
}

static const int PAIRS[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};

// Strains in material axes from those in ground axes: e' = R' e R.
static void calc_strain_turn(const FbMat3* R, double T[6][6]) {
    for (int i = 0; i < 6; i++) {
        int a = PAIRS[i][0], b = PAIRS[i][1];
        double twice = i < 3 ? 1.0 : 2.0;  // engineering shear strains
        for (int j = 0; j < 6; j++) {
            int c = PAIRS[j][0], d = PAIRS[j][1];
            double both = R->m[c][a] * R->m[d][b];
            if (j >= 3) {
                both = 0.5 * (both + R->m[d][a] * R->m[c][b]);
            }
            T[i][j] = twice * both;
        }
    }
}

void fb_solid_calc_material(const FbSolid* solid, const FbMat3* R, double D[6][6]) {
    double T[6][6], DT[6][6];
    calc_strain_turn(R, T);
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            DT[i][j] = 0.0;
            for (int k = 0; k < 6; k++) {
                DT[i][j] += solid->D[i][k] * T[k][j];
            }
        }
    }
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            D[i][j] = 0.0;
            for (int k = 0; k < 6; k++) {
                D[i][j] += T[k][i] * DT[k][j];
            }
        }
    }
}

// The columns of B for one function with gradient g.
static void set_strains(const double g[3], double B[6][3]) {
    memset(B, 0, sizeof(double) * 18);
    B[0][0] = B[3][1] = B[5][2] = g[0];
    B[1][1] = B[3][0] = B[4][2] = g[1];
    B[2][2] = B[4][1] = B[5][0] = g[2];
}

void fb_solid_calc_strains(int n, double (*dN)[3], double* B, int stride) {
    for (int j = 0; j < n; j++) {
        double own[6][3];
        set_strains(dN[j], own);
        for (int i = 0; i < 6; i++) {
            memcpy(B + i * stride + 3 * j, own[i], sizeof own[i]);
        }
    }
}

int fb_solid_calc_gradients(const FbSolidShape* shape, const FbVec3* p, const double xi[3],
                            double (*dN)[3]) {
    double N[FB_SOLID_MAX_NODES];
    FbMat3 J;
    int n = shape->n_nodes;
    shape->calc(xi, N, dN);
    double det = fb_solid_calc_jacobian(n, p, dN, &J);
    fb_solid_turn_gradients(n, &J, det, dN);
    int bubbles = fb_solid_count_bubbles(shape);
    if (bubbles > 0) {
        fb_solid_calc_bubbles(shape, p, xi, det, dN + n);
    }
    return n + bubbles;
}

static void calc_stresses(double D[6][6], double B[6][3], double DB[6][3]) {
    for (int k = 0; k < 6; k++) {
        for (int d = 0; d < 3; d++) {
            DB[k][d] = 0.0;
            for (int l = 0; l < 6; l++) {
                DB[k][d] += D[k][l] * B[l][d];
            }
        }
    }
}

void fb_solid_add_stiffness(int n, double (*dN)[3], double D[6][6], double weight, double* K) {
    for (int j = 0; j < n; j++) {
        double B[6][3], DB[6][3];
        set_strains(dN[j], B);
        calc_stresses(D, B, DB);
        for (int i = 0; i < n; i++) {
            const double* g = dN[i];
            for (int d = 0; d < 3; d++) {
                double* entry = &K[3 * i * 3 * n + 3 * j + d];
                entry[0] += weight * (g[0] * DB[0][d] + g[1] * DB[3][d] + g[2] * DB[5][d]);
                entry[3 * n] += weight * (g[1] * DB[1][d] + g[0] * DB[3][d] + g[2] * DB[4][d]);
                entry[6 * n] += weight * (g[2] * DB[2][d] + g[1] * DB[4][d] + g[0] * DB[5][d]);
            }
        }
    }
}

static void calc_stiffness(const void* self, const FbVec3* p, const FbMat3* R, double* K) {
    const FbSolid* solid = self;
    const FbSolidShape* shape = solid->shape;
    int n = shape->n_nodes;
    FbSolidPoint points[FB_SOLID_MAX_POINTS];
    double N[FB_SOLID_MAX_NODES], dN[FB_SOLID_MAX_NODES][3], D[6][6];
    int n_points = shape->get_points(false, points);
    fb_solid_calc_material(solid, R, D);
    memset(K, 0, sizeof(double) * 9 * (size_t)n * (size_t)n);
    for (int k = 0; k < n_points; k++) {
        FbMat3 J;
        shape->calc(points[k].xi, N, dN);
        double det = fb_solid_calc_jacobian(n, p, dN, &J);
        fb_solid_turn_gradients(n, &J, det, dN);
        fb_solid_add_stiffness(n, dN, D, det * points[k].weight, K);
    }
}

// One direction of the mass matrix; *mass is its sum.
static void calc_scalar_mass(const FbSolidShape* shape, double density, const FbVec3* p, double* m,
                             double* mass) {
    int n = shape->n_nodes;
    FbSolidPoint points[FB_SOLID_MAX_POINTS];
    double N[FB_SOLID_MAX_NODES], dN[FB_SOLID_MAX_NODES][3];
    int n_points = shape->get_points(true, points);
    memset(m, 0, sizeof(double) * (size_t)n * (size_t)n);
    *mass = 0.0;
    for (int k = 0; k < n_points; k++) {
        FbMat3 J;
        shape->calc(points[k].xi, N, dN);
        double dm = density * points[k].weight * fb_solid_calc_jacobian(n, p, dN, &J);
        *mass += dm;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                m[i * n + j] += dm * N[i] * N[j];
            }
        }
    }
}

// The diagonal alone, scaled to the whole mass: positive at all nodes, also of quadratic elements
// (E. Hinton, T. Rock, O. Zienkiewicz, 1976).
static void lump(int n, double mass, double* m) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += m[i * n + i];
    }
    for (int i = 0; i < n * n; i++) {
        m[i] = i / n == i % n ? m[i] * mass / sum : 0.0;
    }
}

static void calc_mass(const void* self, const FbVec3* p, const FbMat3* R, double* M) {
    const FbSolid* solid = self;
    const FbSolidShape* shape = solid->shape;
    (void)R;
    int n = shape->n_nodes;
    double m[FB_SOLID_MAX_NODES * FB_SOLID_MAX_NODES], mass;
    calc_scalar_mass(shape, solid->density, p, m, &mass);
    if (solid->is_lumped) {
        lump(n, mass, m);
    }
    memset(M, 0, sizeof(double) * 9 * (size_t)n * (size_t)n);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            for (int d = 0; d < 3; d++) {
                M[(3 * i + d) * 3 * n + 3 * j + d] = m[i * n + j];
            }
        }
    }
}

static double calc_center(const void* self, const FbVec3* p, FbVec3* center) {
    const FbSolid* solid = self;
    const FbSolidShape* shape = solid->shape;
    FbSolidPoint points[FB_SOLID_MAX_POINTS];
    double N[FB_SOLID_MAX_NODES], dN[FB_SOLID_MAX_NODES][3], volume = 0.0;
    int n = shape->n_nodes, n_points = shape->get_points(true, points);
    FbVec3 moment = {0};
    for (int k = 0; k < n_points; k++) {
        FbMat3 J;
        shape->calc(points[k].xi, N, dN);
        double dv = points[k].weight * fb_solid_calc_jacobian(n, p, dN, &J);
        volume += dv;
        for (int i = 1; i < n; i++) {
            moment = fb_axpy(dv * N[i], fb_sub(p[i], p[0]), moment);
        }
    }
    *center = fb_axpy(1.0 / volume, moment, p[0]);
    return solid->density * volume;
}

// det J relative to the product of the lengths of the columns; edges that are only rounding have
// no direction.
static double calc_relative(double det, const FbMat3* J) {
    const double rounding = 1e-12;
    double a = fb_norm(fb_mat3_col(J, 0)), b = fb_norm(fb_mat3_col(J, 1)),
           c = fb_norm(fb_mat3_col(J, 2));
    bool is_flat = !(fmin(a, fmin(b, c)) > rounding * fmax(a, fmax(b, c)));
    return is_flat ? 0.0 : det / (a * b * c);
}

// The smallest ratio of det J to the product of the lengths of its columns, at the points where the
// element is integrated.
static double calc_quality(const void* self, const FbVec3* p) {
    const FbSolidShape* shape = ((const FbSolid*)self)->shape;
    FbSolidPoint points[FB_SOLID_MAX_POINTS];
    double N[FB_SOLID_MAX_NODES], dN[FB_SOLID_MAX_NODES][3], least = 1.0;
    int n_points = shape->get_points(true, points);
    for (int k = 0; k < n_points; k++) {
        FbMat3 J;
        shape->calc(points[k].xi, N, dN);
        double det = fb_solid_calc_jacobian(shape->n_nodes, p, dN, &J);
        least = fmin(least, calc_relative(det, &J));
    }
    return least;
}

const FbElementType fb_element_tet4 = {
    .name = "tet4",
    .n_nodes = 4,
    .n_coordinates = 3,
    .calc_stiffness = calc_stiffness,
    .calc_mass = calc_mass,
    .calc_center = calc_center,
    .calc_quality = calc_quality,
    .calc_geometric = fb_solid_calc_geometric,
};
const FbElementType fb_element_tet10 = {
    .name = "tet10",
    .n_nodes = 10,
    .n_coordinates = 3,
    .calc_stiffness = calc_stiffness,
    .calc_mass = calc_mass,
    .calc_center = calc_center,
    .calc_quality = calc_quality,
    .calc_geometric = fb_solid_calc_geometric,
};
const FbElementType fb_element_hex8 = {
    .name = "hex8",
    .n_nodes = 8,
    .n_coordinates = 3,
    .calc_stiffness = fb_solid_calc_bubble_stiffness,
    .calc_mass = calc_mass,
    .calc_center = calc_center,
    .calc_quality = calc_quality,
    .calc_geometric = fb_solid_calc_geometric,
};
const FbElementType fb_element_hex20 = {
    .name = "hex20",
    .n_nodes = 20,
    .n_coordinates = 3,
    .calc_stiffness = calc_stiffness,
    .calc_mass = calc_mass,
    .calc_center = calc_center,
    .calc_quality = calc_quality,
    .calc_geometric = fb_solid_calc_geometric,
};
const FbElementType fb_element_wedge6 = {
    .name = "wedge6",
    .n_nodes = 6,
    .n_coordinates = 3,
    .calc_stiffness = fb_solid_calc_bubble_stiffness,
    .calc_mass = calc_mass,
    .calc_center = calc_center,
    .calc_quality = calc_quality,
    .calc_geometric = fb_solid_calc_geometric,
};
const FbElementType fb_element_wedge15 = {
    .name = "wedge15",
    .n_nodes = 15,
    .n_coordinates = 3,
    .calc_stiffness = calc_stiffness,
    .calc_mass = calc_mass,
    .calc_center = calc_center,
    .calc_quality = calc_quality,
    .calc_geometric = fb_solid_calc_geometric,
};

const FbSolidShape* fb_solid_find_shape(const FbElementType* type) {
    static const struct {
        const FbElementType* type;
        const FbSolidShape* shape;
    } all[] = {
        {&fb_element_tet4, &fb_solid_tet4},     {&fb_element_tet10, &fb_solid_tet10},
        {&fb_element_hex8, &fb_solid_hex8},     {&fb_element_hex20, &fb_solid_hex20},
        {&fb_element_wedge6, &fb_solid_wedge6}, {&fb_element_wedge15, &fb_solid_wedge15},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (all[i].type == type) {
            return all[i].shape;
        }
    }
    return NULL;
}
