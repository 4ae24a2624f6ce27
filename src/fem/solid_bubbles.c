// The stiffness of the hexahedron with eight nodes and of the wedge with six, with incompatible
// modes: they bend without locking.
#include <string.h>

#include "fem/solid.h"

enum { FUNCTIONS = 8 + FB_SOLID_MAX_BUBBLES, ALL = 3 * FUNCTIONS, MOST = 3 * FB_SOLID_MAX_BUBBLES };

int fb_solid_count_bubbles(const FbSolidShape* shape) {
    return shape == &fb_solid_hex8 ? 3 : shape == &fb_solid_wedge6 ? 4 : 0;
}

// Gradients in xi: of 1 - xi_d^2 of the hexahedron, of xi^2/2, eta^2/2, xi eta and 1 - zeta^2 of
// the wedge, less their means.
static void calc_local(const FbSolidShape* shape, const double xi[3], double (*dN)[3]) {
    memset(dN, 0, sizeof(double) * 3 * (size_t)fb_solid_count_bubbles(shape));
    if (shape == &fb_solid_hex8) {
        for (int d = 0; d < 3; d++) {
            dN[d][d] = -2.0 * xi[d];
        }
        return;
    }
    const double mean = 1.0 / 3.0;
    dN[0][0] = dN[2][1] = xi[0] - mean;
    dN[1][1] = dN[2][0] = xi[1] - mean;
    dN[3][2] = -2.0 * xi[2];
}

// The gradients are taken with the Jacobian of the centre and weighted by det J0 / det J, so that
// constant strains stay exact (eq. 12.3).
static void calc_bubbles(const FbSolidShape* shape, const double xi[3], const FbMat3* J0,
                         double det0, double det, double (*dN)[3]) {
    int n = fb_solid_count_bubbles(shape);
    calc_local(shape, xi, dN);
    fb_solid_turn_gradients(n, J0, det0, dN);
    for (int d = 0; d < n; d++) {
        for (int e = 0; e < 3; e++) {
            dN[d][e] *= det0 / det;
        }
    }
}

// The Jacobian of the centre.
static double calc_centre(const FbSolidShape* shape, const FbVec3* p, FbMat3* J0) {
    double mean = shape == &fb_solid_hex8 ? 0.0 : 1.0 / 3.0, N[8], dN[8][3];
    const double centre[3] = {mean, mean, 0.0};
    shape->calc(centre, N, dN);
    return fb_solid_calc_jacobian(shape->n_nodes, p, dN, J0);
}

void fb_solid_calc_bubbles(const FbSolidShape* shape, const FbVec3* p, const double xi[3],
                           double det, double (*dN)[3]) {
    FbMat3 J0;
    double det0 = calc_centre(shape, p, &J0);
    calc_bubbles(shape, xi, &J0, det0, det, dN);
}

// Eliminates the coordinates from `all` down to `own`, last to first; A [all x all].
static void condense(int own, int all, double* A) {
    for (int k = all - 1; k >= own; k--) {
        for (int i = 0; i < k; i++) {
            double factor = A[i * all + k] / A[k * all + k];
            for (int j = 0; j < k; j++) {
                A[i * all + j] -= factor * A[k * all + j];
            }
        }
    }
}

// The stiffness with the bubbles, condensed; the rows of these remain. Returns the number of all
// coordinates.
static int integrate(const FbSolidShape* shape, const FbVec3* p, double D[6][6], double* A) {
    FbSolidPoint points[FB_SOLID_MAX_POINTS];
    double N[8], dN[FUNCTIONS][3];
    FbMat3 J, J0;
    int n = shape->n_nodes, n_points = shape->get_points(false, points);
    int functions = n + fb_solid_count_bubbles(shape);
    double det0 = calc_centre(shape, p, &J0);
    memset(A, 0, sizeof(double) * 9 * (size_t)functions * (size_t)functions);
    for (int k = 0; k < n_points; k++) {
        shape->calc(points[k].xi, N, dN);
        double det = fb_solid_calc_jacobian(n, p, dN, &J);
        fb_solid_turn_gradients(n, &J, det, dN);
        calc_bubbles(shape, points[k].xi, &J0, det0, det, dN + n);
        fb_solid_add_stiffness(functions, dN, D, det * points[k].weight, A);
    }
    condense(3 * n, 3 * functions, A);
    return 3 * functions;
}

void fb_solid_calc_bubble_stiffness(const void* self, const FbVec3* p, const FbMat3* R, double* K) {
    const FbSolid* solid = self;
    int own = 3 * solid->shape->n_nodes;
    double D[6][6], A[ALL * ALL];
    fb_solid_calc_material(solid, R, D);
    int all = integrate(solid->shape, p, D, A);
    for (int i = 0; i < own; i++) {
        memcpy(K + (size_t)i * (size_t)own, A + (size_t)i * (size_t)all,
               sizeof(double) * (size_t)own);
    }
}

// The rows of the eliminated coordinates, first to last, give these by the displacements.
void fb_solid_solve_bubbles(const FbSolidShape* shape, const FbVec3* p, double D[6][6],
                            double (*W)[24]) {
    double A[ALL * ALL];
    int own = 3 * shape->n_nodes, all = integrate(shape, p, D, A);
    for (int k = own; k < all; k++) {
        for (int c = 0; c < own; c++) {
            double sum = A[k * all + c];
            for (int j = own; j < k; j++) {
                sum += A[k * all + j] * W[j - own][c];
            }
            W[k - own][c] = -sum / A[k * all + k];
        }
    }
}

void fb_solid_add_bubbles(const FbSolidShape* shape, const double (*W)[24], double (*dN)[3],
                          double* B, int stride) {
    int n = fb_solid_count_bubbles(shape);
    double strains[6][MOST];
    fb_solid_calc_strains(n, dN, strains[0], MOST);
    for (int i = 0; i < 6; i++) {
        for (int c = 0; c < 3 * shape->n_nodes; c++) {
            for (int b = 0; b < 3 * n; b++) {
                B[i * stride + c] += strains[i][b] * W[b][c];
            }
        }
    }
}
