// Inertia of beam elements with large rotations: the mass matrix of the position field is constant
// in e (eqs. 9.23-9.25).
#include <string.h>

#include "fem/blocks.h"
#include "fem/field.h"
#include "math/mat3.h"

// int_0^1 h h' dxi, times 420.
static const double HERMITE_MASS[4][4] = {
    {156, 22, 54, -13}, {22, 4, 13, -3}, {54, 13, 156, -22}, {-13, -3, -22, 4}};
// int_0^1 h dxi
static const double HERMITE_MEAN[4] = {0.5, 1.0 / 12.0, 0.5, -1.0 / 12.0};

static double calc_mass(const FbBeam* beam) {
    return beam->mass_per_length * beam->length;
}

// M_c = H (x) 1
static void calc_mass_weights(const FbBeam* beam, double H[4][4]) {
    const double k = calc_mass(beam) / 420.0;
    for (int i = 0; i < 16; i++) {
        H[i / 4][i % 4] = k * HERMITE_MASS[i / 4][i % 4];
    }
}

// Rotary inertia of an element in section axes, with the shares of it that belong to the turns of
// one end and of both (eq. 9.25). The shares 5/12 and 1/12 are the mean of the lumped and the
// linear ones: frequencies of torsion are of fourth order with it.
typedef struct Rotary {
    double inertia[3];
    double own, mixed;
} Rotary;

static Rotary calc_rotary(const FbBeam* beam) {
    Rotary out = {.inertia = {beam->length * beam->inertia_x, beam->length * beam->inertia_y,
                              beam->length * beam->inertia_z},
                  .own = 0.5};
    if (beam->is_lumped) {
        fb_beam_calc_lumped_rotary(beam, out.inertia);
        out.own = 1.0;
    } else if (beam->is_fourth_order) {
        out.own = 5.0 / 12.0;
        out.mixed = 1.0 / 12.0;
    }
    return out;
}

static bool has_rotary(const Rotary* rotary) {
    const double* j = rotary->inertia;
    return j[0] != 0.0 || j[1] != 0.0 || j[2] != 0.0;
}

// R_i I R_j'
static FbMat3 turn_inertia(const FbMat3* R_i, const FbMat3* R_j, double share,
                           const double inertia[3]) {
    FbVec3 I = fb_scale(share, fb_vec3_from(inertia));
    FbMat3 right = fb_mat3_scale_rows(I, fb_mat3_transpose(*R_j));
    return fb_mat3_mul(R_i, &right);
}

// I x with the shares of both ends: x_i in the axes of end i.
static void multiply_rotary(const Rotary* rotary, const FbVec3 x[2], FbVec3 out[2]) {
    const double* I = rotary->inertia;
    for (int i = 0; i < 2; i++) {
        FbVec3 y = fb_axpy(rotary->mixed, x[1 - i], fb_scale(rotary->own, x[i]));
        out[i] = fb_vec3(I[0] * y.x, I[1] * y.y, I[2] * y.z);
    }
}

// The rate of the angular momenta p = I w, with damping: I (w' + alpha w) + w x p (eq. 9.25).
// Returns the kinetic energy.
static double add_rotary_forces(const Rotary* rotary, double alpha, const FbPort port[2],
                                FbPortForces* out) {
    FbVec3 w[2], push[2], momentum[2], pushed[2];
    for (int i = 0; i < 2; i++) {
        FbVec3 rate = fb_axpy(alpha, port[i].w, port[i].dw);
        w[i] = fb_mul3_transposed(&port[i].R, port[i].w);
        push[i] = fb_mul3_transposed(&port[i].R, rate);
    }
    multiply_rotary(rotary, w, momentum);
    multiply_rotary(rotary, push, pushed);
    for (int i = 0; i < 2; i++) {
        FbVec3 moment = fb_add(pushed[i], fb_cross(w[i], momentum[i]));
        double* f = out->f + 6 * i + 3;
        fb_vec3_to(fb_add(fb_vec3_from(f), fb_mul3(&port[i].R, moment)), f);
    }
    return 0.5 * (fb_dot(w[0], momentum[0]) + fb_dot(w[1], momentum[1]));
}

// Derivatives of the moment that the turn of end j makes at end i.
static void add_rotary_blocks(const FbMat3* I, double alpha, const FbPort port[2], int i, int j,
                              FbPortForces* out) {
    const FbPort *at = &port[i], *from = &port[j];
    const int row = 2 * i + 1, column = 2 * j + 1;
    FbVec3 push = fb_axpy(alpha, from->w, from->dw), Iw = fb_mul3(I, from->w);
    FbMat3 swept = fb_skew_mul_mat3(at->w, I);
    fb_block_add(out->M, row, column, 1.0, I);
    fb_block_add(out->C, row, column, alpha, I);
    fb_block_add(out->C, row, column, 1.0, &swept);
    fb_block_add_cross(out->C, row, row, -1.0, Iw);
    // I_ij x turns with end i, -[I_ij x], and x turns back in the axes of end j, I_ij [x].
    FbMat3 by_push = fb_mat3_mul_skew(I, push), by_w = fb_mat3_mul_skew(&swept, from->w);
    FbMat3 turned = fb_skew(Iw), swept_turn = fb_skew_mul_mat3(at->w, &turned);
    fb_block_add(out->K, row, column, 1.0, &by_push);
    fb_block_add(out->K, row, column, 1.0, &by_w);
    fb_block_add_cross(out->K, row, row, -1.0, fb_mul3(I, push));
    fb_block_add(out->K, row, row, -1.0, &swept_turn);
}

// Both ends; returns the kinetic energy.
static double add_rotary(const FbBeam* beam, const FbPort port[2], bool has_blocks,
                         FbPortForces* out) {
    Rotary rotary = calc_rotary(beam);
    if (!has_rotary(&rotary)) {
        return 0.0;
    }
    for (int k = 0; has_blocks && k < 4; k++) {
        const int i = k / 2, j = k % 2;
        const double share = i == j ? rotary.own : rotary.mixed;
        if (share != 0.0) {
            FbMat3 I = turn_inertia(&port[i].R, &port[j].R, share, rotary.inertia);
            add_rotary_blocks(&I, beam->alpha, port, i, j, out);
        }
    }
    return add_rotary_forces(&rotary, beam->alpha, port, out);
}

// Half of the mass at each end.
static void add_lumped(const FbBeam* beam, const FbPort port[2], bool has_blocks,
                       FbPortForces* out) {
    const double m = 0.5 * calc_mass(beam);
    for (int k = 0; k < 2; k++) {
        FbVec3 f = fb_scale(m, fb_axpy(beam->alpha, port[k].v, port[k].a));
        fb_vec3_to(fb_add(fb_vec3_from(out->f + 6 * k), f), out->f + 6 * k);
        if (has_blocks) {
            fb_block_add_identity(out->M, 2 * k, 2 * k, m);
            fb_block_add_identity(out->C, 2 * k, 2 * k, m * beam->alpha);
        }
    }
}

// 1/2 de' M_c de of the translations.
static double calc_kinetic(const FbBeam* beam, const FbPort port[2], const FbBeamField* field) {
    const double m = calc_mass(beam);
    if (beam->is_lumped) {
        return 0.25 * m * (fb_dot(port[0].v, port[0].v) + fb_dot(port[1].v, port[1].v));
    }
    double sum = 0.0;
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            FbVec3 a = fb_vec3_from(field->de + 3 * i), b = fb_vec3_from(field->de + 3 * j);
            sum += HERMITE_MASS[i][j] * fb_dot(a, b);
        }
    }
    return 0.5 * m / 420.0 * sum;
}

void fb_beam_add_inertia(const FbBeam* beam, const FbPort port[2], bool has_blocks,
                         FbPortForces* out, double* kinetic, double* dissipation) {
    double H[4][4];
    FbBeamField field;
    if (beam->is_lumped) {
        add_lumped(beam, port, has_blocks, out);
    } else {
        calc_mass_weights(beam, H);
        fb_field_calc(port, &field);
        fb_field_add_inertia(port, &field, H, beam->alpha, has_blocks, out);
    }
    double energy = calc_kinetic(beam, port, &field);
    energy += add_rotary(beam, port, has_blocks, out);
    if (kinetic != NULL) {
        *kinetic = energy;
    }
    if (dissipation != NULL) {
        *dissipation = 2.0 * beam->alpha * energy;
    }
}

void fb_beam_add_mass(const FbBeam* beam, const FbPort port[2],
                      double M[FB_BEAM_DOF * FB_BEAM_DOF]) {
    double H[4][4];
    if (beam->is_lumped) {
        fb_block_add_identity(M, 0, 0, 0.5 * calc_mass(beam));
        fb_block_add_identity(M, 2, 2, 0.5 * calc_mass(beam));
    } else {
        FbBeamField field;
        calc_mass_weights(beam, H);
        fb_field_calc(port, &field);
        fb_field_add_mass(port, &field, H, M);
    }
    Rotary rotary = calc_rotary(beam);
    for (int k = 0; has_rotary(&rotary) && k < 4; k++) {
        const int i = k / 2, j = k % 2;
        FbMat3 I = turn_inertia(&port[i].R, &port[j].R, i == j ? rotary.own : rotary.mixed,
                                rotary.inertia);
        fb_block_add(M, 2 * i + 1, 2 * j + 1, 1.0, &I);
    }
}

// Sums of the position field: int r dm, int r' dm, int r x r' dm.
static void add_field_sums(const FbBeam* beam, const FbPort port[2], FbBeamSums* out) {
    double H[4][4];
    FbBeamField field;
    calc_mass_weights(beam, H);
    fb_field_calc(port, &field);
    for (int i = 0; i < 4; i++) {
        FbVec3 e = fb_vec3_from(field.e + 3 * i), mean = fb_vec3(0.0, 0.0, 0.0);
        for (int j = 0; j < 4; j++) {
            mean = fb_axpy(H[i][j], fb_vec3_from(field.de + 3 * j), mean);
        }
        const double m = out->mass * HERMITE_MEAN[i];
        out->first_moment = fb_axpy(m, e, out->first_moment);
        out->momentum = fb_axpy(m, fb_vec3_from(field.de + 3 * i), out->momentum);
        out->angular_momentum = fb_add(out->angular_momentum, fb_cross(e, mean));
    }
}

void fb_beam_calc_sums(const FbBeam* beam, const FbPort port[2], FbBeamSums* out) {
    memset(out, 0, sizeof *out);
    out->mass = calc_mass(beam);
    if (!beam->is_lumped) {
        add_field_sums(beam, port, out);
    }
    for (int k = 0; beam->is_lumped && k < 2; k++) {
        FbVec3 momentum = fb_scale(0.5 * out->mass, port[k].v);
        out->first_moment = fb_axpy(0.5 * out->mass, port[k].p, out->first_moment);
        out->momentum = fb_add(out->momentum, momentum);
        out->angular_momentum = fb_add(out->angular_momentum, fb_cross(port[k].p, momentum));
    }
    Rotary rotary = calc_rotary(beam);
    for (int k = 0; has_rotary(&rotary) && k < 4; k++) {
        const int i = k / 2, j = k % 2;
        FbMat3 I = turn_inertia(&port[i].R, &port[j].R, i == j ? rotary.own : rotary.mixed,
                                rotary.inertia);
        out->angular_momentum = fb_add(out->angular_momentum, fb_mul3(&I, port[j].w));
    }
}
