// Section forces of a beam element from its end forces (eq. 8.20).
#include "fem/beam.h"
#include "math/rotation.h"

// Without load between the ends the force is constant and the moment linear along the element: on
// the face that looks along +x they are (F_B, M_B) at B and the reverse of (F_A, M_A) at A.
void fb_beam_calc_section_forces(const FbBeam* beam, const FbMat3* R, const double f[FB_DOF],
                                 double xi, double forces[6]) {
    (void)beam;
    FbVec3 F_A = fb_vec3_from(f), M_A = fb_vec3_from(f + 3);
    FbVec3 F_B = fb_vec3_from(f + 6), M_B = fb_vec3_from(f + 9);
    FbVec3 F = fb_scale(0.5, fb_sub(F_B, F_A));
    FbVec3 M = fb_axpy(xi, M_B, fb_scale(xi - 1.0, M_A));
    fb_vec3_to(fb_mul3_transposed(R, F), forces);
    fb_vec3_to(fb_mul3_transposed(R, M), forces + 3);
}

FbMat3 fb_beam_calc_section_axes(const FbPort port[2], double xi) {
    FbMat3 turn = fb_mat3_mul_tn(&port[0].R, &port[1].R);
    FbMat3 part = fb_rotation_from_vector(fb_scale(xi, fb_rotation_to_vector(&turn)));
    return fb_mat3_mul(&port[0].R, &part);
}
