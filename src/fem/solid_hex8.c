// The stiffness of the hexahedron with eight nodes, with incompatible modes: it bends without
// locking.
#include <string.h>

#include "fem/solid.h"

// The three bubbles 1 - xi_d^2 in each direction let the element bend without shear locking. Their
// gradients are taken with the Jacobian of the centre and weighted by det J0 / det J, so that
// constant strains stay exact (eq. 12.3).
static void calc_bubbles(const double xi[3], const FbMat3* J0, double det0, double det,
                         double (*dN)[3]) {
    for (int d = 0; d < 3; d++) {
        for (int e = 0; e < 3; e++) {
            dN[d][e] = d == e ? -2.0 * xi[d] : 0.0;
        }
    }
    fb_solid_turn_gradients(3, J0, det0, dN);
    for (int d = 0; d < 3; d++) {
        for (int e = 0; e < 3; e++) {
            dN[d][e] *= det0 / det;
        }
    }
}

enum { HEX8 = 8, FUNCTIONS = HEX8 + 3, ALL = 3 * FUNCTIONS, OWN = 3 * HEX8 };

// Eliminates the coordinates of the bubbles, last to first.
static void condense(double A[ALL][ALL]) {
    for (int k = ALL - 1; k >= OWN; k--) {
        for (int i = 0; i < k; i++) {
            double factor = A[i][k] / A[k][k];
            for (int j = 0; j < k; j++) {
                A[i][j] -= factor * A[k][j];
            }
        }
    }
}

void fb_solid_calc_hex8_stiffness(const void* self, const FbVec3* p, const FbMat3* R, double* K) {
    static const double centre[3] = {0, 0, 0};
    FbSolidPoint points[FB_SOLID_MAX_POINTS];
    double N[HEX8], dN[FUNCTIONS][3], D[6][6], A[ALL][ALL];
    FbMat3 J, J0;
    int n_points = fb_solid_hex8.get_points(false, points);
    fb_solid_calc_material(self, R, D);
    fb_solid_hex8.calc(centre, N, dN);
    double det0 = fb_solid_calc_jacobian(HEX8, p, dN, &J0);
    memset(A, 0, sizeof A);
    for (int k = 0; k < n_points; k++) {
        fb_solid_hex8.calc(points[k].xi, N, dN);
        double det = fb_solid_calc_jacobian(HEX8, p, dN, &J);
        fb_solid_turn_gradients(HEX8, &J, det, dN);
        calc_bubbles(points[k].xi, &J0, det0, det, dN + HEX8);
        fb_solid_add_stiffness(FUNCTIONS, dN, D, det * points[k].weight, A[0]);
    }
    condense(A);
    for (int i = 0; i < OWN; i++) {
        memcpy(K + (size_t)i * OWN, A[i], sizeof(double) * OWN);
    }
}
