// Stiffnesses of orthotropic materials in their own axes, from engineering constants:
//     D^-1 = [1/E1 -nu12/E1 -nu13/E1; . 1/E2 -nu23/E2; . . 1/E3]   (eq. 12.14)
#include "fem/orthotropic.h"

#include <string.h>

// The inverse of a symmetric 3 x 3 matrix by its cofactors.
static void invert(double S[3][3], double out[6][6]) {
    double C[3][3], det = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
            C[i][j] = S[a][c] * S[b][d] - S[a][d] * S[b][c];
        }
        det += S[0][i] * (i == 0   ? S[1][1] * S[2][2] - S[1][2] * S[2][1]
                          : i == 1 ? S[1][2] * S[2][0] - S[1][0] * S[2][2]
                                   : S[1][0] * S[2][1] - S[1][1] * S[2][0]);
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[i][j] = 0.5 * (C[i][j] + C[j][i]) / det;
        }
    }
}

void fb_orthotropic_calc_solid(const FbOrthotropic* m, double D[6][6]) {
    double S[3][3];
    memset(D, 0, sizeof(double) * 36);
    for (int i = 0; i < 3; i++) {
        S[i][i] = 1.0 / m->axial[i];
    }
    S[0][1] = S[1][0] = -m->poisson[0] / m->axial[0];
    S[0][2] = S[2][0] = -m->poisson[1] / m->axial[0];
    S[1][2] = S[2][1] = -m->poisson[2] / m->axial[1];
    invert(S, D);
    D[3][3] = m->shear[0];  // xy
    D[4][4] = m->shear[2];  // yz
    D[5][5] = m->shear[1];  // zx
}

// Plane stress: E1/(1 - nu12 nu21), ...
void fb_orthotropic_calc_plane(const FbOrthotropic* m, double Q[3][3]) {
    double nu21 = m->poisson[0] * m->axial[1] / m->axial[0];
    double left = 1.0 - m->poisson[0] * nu21;
    memset(Q, 0, sizeof(double) * 9);
    Q[0][0] = m->axial[0] / left;
    Q[1][1] = m->axial[1] / left;
    Q[0][1] = Q[1][0] = nu21 * m->axial[0] / left;
    Q[2][2] = m->shear[0];
}
