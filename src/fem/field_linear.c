// The position field of a linear beam element: e = e0 + E d, with shear.
//
// In element axes the slopes at an end are the section's rotation plus the shear angle, which is
// the same all along the element (eq. 9.8): with the chord's slope (v_B - v_A)/L and the mean
// rotation of the ends,
//
//   v' = theta_z + gamma_y,    gamma_y = phi_y/(1 + phi_y)
//                                        ((v_B - v_A)/L - (theta_zA + theta_zB)/2),
//   w' = -theta_y + gamma_z,   gamma_z = phi_z/(1 + phi_z)
//                                        ((w_B - w_A)/L + (theta_yA + theta_yB)/2),
//   u' = (u_B - u_A)/L.
//
// Hermite's cubics through these are the shape functions of the theory.
#include <string.h>

#include "fem/blocks.h"
#include "fem/field.h"

// L times the slopes (rows u', v', w' of tau at end k) in element axes.
static void calc_slopes(const FbBeam* beam, int k, double* E) {
    const double share_y = beam->phi_y / (1.0 + beam->phi_y);
    const double share_z = beam->phi_z / (1.0 + beam->phi_z);
    const double L = beam->length;
    double* u = E + (6 * k + 3) * FB_BEAM_DOF;
    double *v = u + FB_BEAM_DOF, *w = u + 2 * FB_BEAM_DOF;
    for (int end = 0; end < 2; end++) {
        const int at = 6 * end;
        const double side = end == 0 ? -1.0 : 1.0, own = end == k ? L : 0.0;
        u[at] = side;
        v[at + 1] = side * share_y;
        v[at + 5] = own - 0.5 * L * share_y;
        w[at + 2] = side * share_z;
        w[at + 4] = -own + 0.5 * L * share_z;
    }
}

void fb_field_calc_linear(const FbBeam* beam, const FbMat3* R, FbVec3 p_A, FbVec3 p_B,
                          double E[FB_BEAM_DOF * FB_BEAM_DOF], double e0[FB_BEAM_DOF]) {
    memset(E, 0, sizeof(double) * FB_BEAM_DOF * FB_BEAM_DOF);
    fb_block_add_identity(E, 0, 0, 1.0);
    fb_block_add_identity(E, 2, 2, 1.0);
    calc_slopes(beam, 0, E);
    calc_slopes(beam, 1, E);
    fb_beam_turn_matrix(R, E);
    FbVec3 tau = fb_scale(beam->length, fb_mat3_col(R, 0));
    fb_vec3_to(p_A, e0);
    fb_vec3_to(tau, e0 + 3);
    fb_vec3_to(p_B, e0 + 6);
    fb_vec3_to(tau, e0 + 9);
}
