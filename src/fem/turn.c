// Element matrices and vectors turned from element axes to ground axes.
#include "fem/beam.h"

// A := T A T' with T = diag(R, R, R, R).
void fb_beam_turn_matrix(const FbMat3* R, double A[FB_BEAM_DOF * FB_BEAM_DOF]) {
    for (int j = 0; j < FB_BEAM_DOF; j++) {
        for (int b = 0; b < FB_BEAM_DOF; b += 3) {
            double* c = A + b * FB_BEAM_DOF + j;
            FbVec3 x = fb_mul3(R, fb_vec3(c[0], c[FB_BEAM_DOF], c[2 * FB_BEAM_DOF]));
            c[0] = x.x;
            c[FB_BEAM_DOF] = x.y;
            c[2 * FB_BEAM_DOF] = x.z;
        }
    }
    for (int i = 0; i < FB_BEAM_DOF; i++) {
        fb_beam_turn_vector(R, A + i * FB_BEAM_DOF);
    }
}

void fb_beam_turn_vector(const FbMat3* R, double f[FB_BEAM_DOF]) {
    for (int b = 0; b < FB_BEAM_DOF; b += 3) {
        fb_vec3_to(fb_mul3(R, fb_vec3_from(f + b)), f + b);
    }
}
