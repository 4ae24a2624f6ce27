// The geometric stiffness of solid elements: K_G = int grad N_i . sigma grad N_j dV in each
// direction, by the stresses of given displacements (eq. 12.19).
#include <string.h>

#include "fem/solid.h"

static double couple(const double a[3], const double t[6], const double b[3]) {
    return a[0] * (t[0] * b[0] + t[3] * b[1] + t[5] * b[2]) +
           a[1] * (t[3] * b[0] + t[1] * b[1] + t[4] * b[2]) +
           a[2] * (t[5] * b[0] + t[4] * b[1] + t[2] * b[2]);
}

static double calc_volume(const FbSolidShape* shape, const FbVec3* p, const double xi[3]) {
    double N[FB_SOLID_MAX_NODES], dN[FB_SOLID_MAX_NODES][3];
    FbMat3 J;
    shape->calc(xi, N, dN);
    return fb_solid_calc_jacobian(shape->n_nodes, p, dN, &J);
}

void fb_solid_calc_geometric(const void* self, const FbVec3* p, const FbMat3* R, const double* u,
                             double* K) {
    const FbSolid* solid = self;
    int n = solid->shape->n_nodes;
    FbSolidPoint points[FB_SOLID_MAX_POINTS];
    FbSolidStress stress;
    int n_points = solid->shape->get_points(false, points);
    fb_solid_prepare_stress(solid, p, R, &stress);
    memset(K, 0, sizeof(double) * 9 * (size_t)n * (size_t)n);
    for (int k = 0; k < n_points; k++) {
        double dN[FB_SOLID_MAX_NODES + FB_SOLID_MAX_BUBBLES][3], t[6];
        fb_solid_calc_stress_at(&stress, points[k].xi, u, t);
        fb_solid_calc_gradients(solid->shape, p, points[k].xi, dN);
        double dv = points[k].weight * calc_volume(solid->shape, p, points[k].xi);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                double value = dv * couple(dN[i], t, dN[j]);
                for (int d = 0; d < 3; d++) {
                    K[(3 * i + d) * 3 * n + 3 * j + d] += value;
                }
            }
        }
    }
}
