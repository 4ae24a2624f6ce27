// Section forces of a beam element from its end forces and what acts between them (eq. 8.20).
#include "fem/field.h"
#include "math/rotation.h"

// Gauss points on (0, 1): exact to degree seven; arm times force per length has degree six.
static const double AT[4] = {0.06943184420297371, 0.33000947820757187, 0.66999052179242813,
                             0.93056815579702629};
static const double WEIGHT[4] = {0.17392742256872693, 0.32607257743127307, 0.32607257743127307,
                                 0.17392742256872693};

static FbVec3 interpolate(double length, const double* e, double xi) {
    double h[4][4];
    FbVec3 sum = {0, 0, 0};
    fb_field_calc_shapes(length, xi, h);
    for (int i = 0; i < 4; i++) {
        sum = fb_axpy(h[0][i], fb_vec3_from(e + 3 * i), sum);
    }
    return sum;
}

// The parabola through the values at the start, the middle and the end.
static FbVec3 couple_at(const FbVec3 c[3], double xi) {
    FbVec3 sum = fb_scale((1.0 - xi) * (1.0 - 2.0 * xi), c[0]);
    sum = fb_axpy(4.0 * xi * (1.0 - xi), c[1], sum);
    return fb_axpy(xi * (2.0 * xi - 1.0), c[2], sum);
}

// Force and moment about the section at xi of what acts between there and the end at `to`.
static void add_between(const FbBeamLoad* load, double xi, double to, FbVec3* F, FbVec3* M) {
    double L = load->length, part = L * fabs(to - xi);
    FbVec3 r = interpolate(L, load->e, xi);
    for (int i = 0; i < 4; i++) {
        double at = xi + AT[i] * (to - xi);
        FbVec3 p = fb_scale(part * WEIGHT[i], interpolate(L, load->p, at));
        FbVec3 arm = fb_sub(interpolate(L, load->e, at), r);
        *F = fb_add(*F, p);
        *M = fb_add(*M, fb_cross(arm, p));
        *M = fb_axpy(part * WEIGHT[i], couple_at(load->couple, at), *M);
    }
}

void fb_beam_calc_section_forces(const FbBeamLoad* load, const FbMat3* R,
                                 const double f[FB_BEAM_DOF], double xi, bool from_b,
                                 double forces[6]) {
    int end = from_b ? 6 : 0;
    FbVec3 F = fb_vec3_from(f + end), M = fb_vec3_from(f + end + 3);
    FbVec3 arm = fb_sub(fb_vec3_from(load->e + end), interpolate(load->length, load->e, xi));
    M = fb_add(M, fb_cross(arm, F));
    add_between(load, xi, from_b ? 1.0 : 0.0, &F, &M);
    double sign = from_b ? 1.0 : -1.0;  // the part before the section is held by what lies beyond
    fb_vec3_to(fb_scale(sign, fb_mul3_transposed(R, F)), forces);
    fb_vec3_to(fb_scale(sign, fb_mul3_transposed(R, M)), forces + 3);
    for (int i = 0; i < 6; i++) {
        forces[i] += 0.0;  // no -0
    }
}

FbMat3 fb_beam_calc_section_axes(const FbPort port[2], double xi) {
    FbMat3 turn = fb_mat3_mul_tn(&port[0].R, &port[1].R);
    FbMat3 part = fb_rotation_from_vector(fb_scale(xi, fb_rotation_to_vector(&turn)));
    return fb_mat3_mul(&port[0].R, &part);
}

FbVec3 fb_beam_calc_rotation(double length, const FbMat3* R, const double d[FB_BEAM_DOF],
                             const double u[FB_BEAM_DOF], double xi) {
    double h[4][4];
    FbVec3 slope = {0, 0, 0}, x = fb_mat3_col(R, 0);
    FbVec3 A = fb_vec3_from(d + 3), B = fb_vec3_from(d + 9);
    fb_field_calc_shapes(length, xi, h);
    for (int i = 0; i < 4; i++) {
        slope = fb_axpy(h[1][i], fb_vec3_from(u + 3 * i), slope);
    }
    // Sections turn by less than the line by the shear angle, which is the same everywhere.
    FbVec3 shear = fb_sub(fb_scale(1.0 / length, fb_vec3_from(u + 3)), fb_cross(A, x));
    FbVec3 turn = fb_cross(x, fb_sub(slope, shear));
    double twist = (1.0 - xi) * fb_dot(x, A) + xi * fb_dot(x, B);
    return fb_axpy(twist, x, turn);
}
