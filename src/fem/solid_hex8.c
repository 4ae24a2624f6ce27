// The stiffness of the hexahedron with eight nodes, with incompatible modes: it bends without
// locking.
#include <string.h>

#include "fem/solid.h"

enum { HEX8 = 8, FUNCTIONS = HEX8 + 3, ALL = 3 * FUNCTIONS, OWN = 3 * HEX8 };

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

// The Jacobian of the centre.
static double calc_centre(const FbVec3* p, FbMat3* J0) {
    static const double centre[3] = {0, 0, 0};
    double N[HEX8], dN[HEX8][3];
    fb_solid_hex8.calc(centre, N, dN);
    return fb_solid_calc_jacobian(HEX8, p, dN, J0);
}

void fb_solid_calc_hex8_bubbles(const FbVec3* p, const double xi[3], double det, double (*dN)[3]) {
    FbMat3 J0;
    double det0 = calc_centre(p, &J0);
    calc_bubbles(xi, &J0, det0, det, dN);
}

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

// The stiffness with the bubbles, not yet condensed.
static void integrate(const FbVec3* p, double D[6][6], double A[ALL][ALL]) {
    FbSolidPoint points[FB_SOLID_MAX_POINTS];
    double N[HEX8], dN[FUNCTIONS][3];
    FbMat3 J, J0;
    int n_points = fb_solid_hex8.get_points(false, points);
    double det0 = calc_centre(p, &J0);
    memset(A, 0, sizeof(double) * ALL * ALL);
    for (int k = 0; k < n_points; k++) {
        fb_solid_hex8.calc(points[k].xi, N, dN);
        double det = fb_solid_calc_jacobian(HEX8, p, dN, &J);
        fb_solid_turn_gradients(HEX8, &J, det, dN);
        calc_bubbles(points[k].xi, &J0, det0, det, dN + HEX8);
        fb_solid_add_stiffness(FUNCTIONS, dN, D, det * points[k].weight, A[0]);
    }
}

void fb_solid_calc_hex8_stiffness(const void* self, const FbVec3* p, const FbMat3* R, double* K) {
    double D[6][6], A[ALL][ALL];
    fb_solid_calc_material(self, R, D);
    integrate(p, D, A);
    condense(A);
    for (int i = 0; i < OWN; i++) {
        memcpy(K + (size_t)i * OWN, A[i], sizeof(double) * OWN);
    }
}

// The rows of the eliminated coordinates, first to last, give these by the displacements.
void fb_solid_add_hex8_bubbles(const FbVec3* p, double D[6][6], double (*dN)[3], double* B,
                               int stride) {
    double A[ALL][ALL], W[ALL - OWN][OWN], own[6][ALL - OWN];
    integrate(p, D, A);
    condense(A);
    for (int k = OWN; k < ALL; k++) {
        for (int c = 0; c < OWN; c++) {
            double sum = A[k][c];
            for (int j = OWN; j < k; j++) {
                sum += A[k][j] * W[j - OWN][c];
            }
            W[k - OWN][c] = -sum / A[k][k];
        }
    }
    fb_solid_calc_strains(3, dN, own[0], ALL - OWN);
    for (int i = 0; i < 6; i++) {
        for (int c = 0; c < OWN; c++) {
            for (int b = 0; b < ALL - OWN; b++) {
                B[i * stride + c] += own[i][b] * W[b][c];
            }
        }
    }
}
