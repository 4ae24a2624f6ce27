// Inertia of beam elements with large rotations: the mass matrix of the position field is constant
// in e (eqs. 9.23-9.25).
#include <string.h>

#include "fem/blocks.h"
#include "fem/field.h"

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

// Rotary inertia at each end in section axes: half of the element's; true if there is any.
static bool calc_rotary(const FbBeam* beam, double inertia[3]) {
    if (beam->is_lumped) {
        fb_beam_calc_lumped_rotary(beam, inertia);
    } else {
        inertia[0] = 0.5 * beam->length * beam->inertia_x;
        inertia[1] = 0.5 * beam->length * beam->inertia_y;
        inertia[2] = 0.5 * beam->length * beam->inertia_z;
    }
    return inertia[0] != 0.0 || inertia[1] != 0.0 || inertia[2] != 0.0;
}

// I_G = R I R'
static FbMat3 turn_inertia(const FbMat3* R, const double inertia[3]) {
    FbMat3 out;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out.m[i][j] = R->m[i][0] * inertia[0] * R->m[j][0] +
                          R->m[i][1] * inertia[1] * R->m[j][1] +
                          R->m[i][2] * inertia[2] * R->m[j][2];
        }
    }
    return out;
}

// += I [x]: the columns of [x] are x turned about the axes.
static void add_inertia_cross(double* A, int at, const FbMat3* I, FbVec3 x) {
    double* b = fb_block(A, at, at);
    for (int r = 0; r < 3; r++) {
        FbVec3 row = fb_vec3(I->m[r][0], I->m[r][1], I->m[r][2]);
        fb_vec3_to(fb_add(fb_vec3_from(b + r * FB_BEAM_DOF), fb_cross(row, x)),
                   b + r * FB_BEAM_DOF);
    }
}

// += [w] B
static void add_cross_times(double* A, int at, FbVec3 w, const FbMat3* B) {
    double* b = fb_block(A, at, at);
    for (int c = 0; c < 3; c++) {
        FbVec3 x = fb_cross(w, fb_mat3_col(B, c));
        b[c] += x.x;
        b[FB_BEAM_DOF + c] += x.y;
        b[2 * FB_BEAM_DOF + c] += x.z;
    }
}

// d(I_G x)/d(phi) = I_G [x] - [I_G x], as a separate matrix.
static FbMat3 turned_by_pose(const FbMat3* I, FbVec3 x) {
    double A[3 * FB_BEAM_DOF] = {0};
    add_inertia_cross(A, 0, I, x);
    fb_block_add_cross(A, 0, 0, -1.0, fb_mul3(I, x));
    FbMat3 out;
    for (int i = 0; i < 9; i++) {
        out.m[i / 3][i % 3] = A[(i / 3) * FB_BEAM_DOF + i % 3];
    }
    return out;
}

// Moment I_G (w' + alpha w) + w x I_G w of one end (eq. 9.25); block row `at` of the rotation.
static void add_rotary(const double inertia[3], double alpha, const FbPort* end, int at,
                       bool has_blocks, FbPortForces* out) {
    FbMat3 I = turn_inertia(&end->R, inertia);
    FbVec3 push = fb_axpy(alpha, end->w, end->dw), Iw = fb_mul3(&I, end->w);
    FbVec3 moment = fb_add(fb_mul3(&I, push), fb_cross(end->w, Iw));
    fb_vec3_to(fb_add(fb_vec3_from(out->f + 3 * at), moment), out->f + 3 * at);
    if (!has_blocks) {
        return;
    }
    FbMat3 by_push = turned_by_pose(&I, push), by_w = turned_by_pose(&I, end->w);
    fb_block_add(out->M, at, at, 1.0, &I);
    fb_block_add(out->C, at, at, alpha, &I);
    add_cross_times(out->C, at, end->w, &I);
    fb_block_add_cross(out->C, at, at, -1.0, Iw);
    fb_block_add(out->K, at, at, 1.0, &by_push);
    add_cross_times(out->K, at, end->w, &by_w);
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
    double H[4][4], inertia[3];
    FbBeamField field;
    if (beam->is_lumped) {
        add_lumped(beam, port, has_blocks, out);
    } else {
        calc_mass_weights(beam, H);
        fb_field_calc(port, &field);
        fb_field_add_inertia(port, &field, H, beam->alpha, has_blocks, out);
    }
    double energy = calc_kinetic(beam, port, &field);
    for (int k = 0; calc_rotary(beam, inertia) && k < 2; k++) {
        FbVec3 w = fb_mul3_transposed(&port[k].R, port[k].w);
        energy += 0.5 * (inertia[0] * w.x * w.x + inertia[1] * w.y * w.y + inertia[2] * w.z * w.z);
        add_rotary(inertia, beam->alpha, &port[k], 2 * k + 1, has_blocks, out);
    }
    if (kinetic != NULL) {
        *kinetic = energy;
    }
    if (dissipation != NULL) {
        *dissipation = 2.0 * beam->alpha * energy;
    }
}

void fb_beam_add_mass(const FbBeam* beam, const FbPort port[2],
                      double M[FB_BEAM_DOF * FB_BEAM_DOF]) {
    double H[4][4], inertia[3];
    if (beam->is_lumped) {
        fb_block_add_identity(M, 0, 0, 0.5 * calc_mass(beam));
        fb_block_add_identity(M, 2, 2, 0.5 * calc_mass(beam));
    } else {
        FbBeamField field;
        calc_mass_weights(beam, H);
        fb_field_calc(port, &field);
        fb_field_add_mass(port, &field, H, M);
    }
    for (int k = 0; calc_rotary(beam, inertia) && k < 2; k++) {
        FbMat3 I = turn_inertia(&port[k].R, inertia);
        fb_block_add(M, 2 * k + 1, 2 * k + 1, 1.0, &I);
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
    double inertia[3];
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
    for (int k = 0; calc_rotary(beam, inertia) && k < 2; k++) {
        FbMat3 I = turn_inertia(&port[k].R, inertia);
        out->angular_momentum = fb_add(out->angular_momentum, fb_mul3(&I, port[k].w));
    }
}
