// What the tests of the beam elements share: beams, random poses and motions, variations of a pose.
#ifndef FLYBALL_TEST_FEM_BEAM_SUPPORT_H
#define FLYBALL_TEST_FEM_BEAM_SUPPORT_H

#include "fem/beam.h"
#include "math/mat3.h"
#include "math/rotation.h"
#include "test_base_support.h"

// Numbers of order one, all different.
static inline FbBeam plain_beam(double shear) {
    FbBeam beam = {.length = 0.8, .EA = 7.0, .GJ = 0.9, .EIy = 1.3, .EIz = 1.9};
    beam.phi_y = 0.7 * shear;
    beam.phi_z = 0.4 * shear;
    return beam;
}

static inline FbVec3 random_vec3(uint64_t* seed) {
    double x = random_unit(seed), y = random_unit(seed);
    return fb_vec3(x, y, random_unit(seed));
}

static inline FbMat3 random_rotation(uint64_t* seed) {
    return fb_rotation_from_vector(fb_scale(1.7, random_vec3(seed)));
}

// A beam anywhere in space whose end B is turned against A by `angle` and displaced by `stretch`
// (both of order one: large).
static inline void random_ports(const FbBeam* beam, double angle, double stretch, uint64_t* seed,
                                FbPort port[2]) {
    FbVec3 psi = random_vec3(seed);
    FbMat3 R_AB = fb_rotation_from_vector(fb_scale(angle / fb_norm(psi), psi));
    FbVec3 r = fb_axpy(stretch, random_vec3(seed), fb_vec3(beam->length, 0.0, 0.0));
    port[0].R = random_rotation(seed);
    port[0].p = random_vec3(seed);
    port[1].R = fb_mat3_mul(&port[0].R, &R_AB);
    port[1].p = fb_add(port[0].p, fb_mul3(&port[0].R, r));
    for (int i = 0; i < 2; i++) {
        port[i].v = random_vec3(seed);
        port[i].w = random_vec3(seed);
        port[i].a = random_vec3(seed);
        port[i].dw = random_vec3(seed);
    }
}

// Moves entry k of the pose by h (turns about ground axes, from the left).
static inline void vary_pose(FbPort port[2], int k, double h) {
    FbPort* end = &port[k / 6];
    double step[3] = {0.0, 0.0, 0.0};
    step[k % 3] = h;
    if (k % 6 < 3) {
        end->p = fb_add(end->p, fb_vec3_from(step));
    } else {
        FbMat3 turn = fb_rotation_from_vector(fb_vec3_from(step));
        end->R = fb_mat3_mul(&turn, &end->R);
    }
}

static inline void vary_velocity(FbPort port[2], int k, double h) {
    FbPort* end = &port[k / 6];
    FbVec3* v = k % 6 < 3 ? &end->v : &end->w;
    double step[3] = {0.0, 0.0, 0.0};
    step[k % 3] = h;
    *v = fb_add(*v, fb_vec3_from(step));
}

#endif
