// Elastic and damping forces of the large-rotation beam element, and their exact derivatives.
//
// Seen from end A, end B has the pose R = R_A' R_B, r = R_A' (p_B - p_A). Its logarithm gives the
// strains of the element,
//   psi = log R,  delta = A(psi) r - L e_x (eq. 8.11)
// and with the stresses s_psi = K_psi (psi + beta psi'), s_delta = K_delta (delta + beta delta')
// the force n on B and the moment m on it, in the axes of A, are dual to the variations dr and rho
// (turn of B against A):
//   n = A' s_delta,   m = A' g,   g = s_psi + Q' s_delta,   Q = d(A r)/d psi (eq. 8.13)
// Everything else follows from balance. All 3x3 blocks are worked out in the axes of A and turned
// once.
#include <stddef.h>
#include <string.h>

#include "fem/beam_law.h"
#include "math/rotation_log.h"

// The components of the forces, axes of A.
typedef struct Strain {
    FbRotationLog log;
    FbVec3 r, delta;
    FbMat3 Q, QA;
    FbBeamLaw law;
    FbVec3 s_psi, s_delta;  // stresses, damping included
    FbVec3 g, n, m;
    FbVec3 omega, dr, drho;  // angular velocity of A; rates of r and of the turn of B against A
    FbVec3 rate_psi, rate_delta;  // strain rates
    double damping[FB_STRAINS];   // stresses of the damping per unit of beta
} Strain;

// How n and m vary with dr and rho, and with a turn `a` of everything at fixed ground velocities,
// beyond their own turning.
typedef struct Blocks {
    FbMat3 n_r, n_rho, n_a, m_r, m_rho, m_a;
} Blocks;

static void calc_strains(const FbBeam* beam, const FbPort port[2], Strain* e) {
    const FbMat3* R_A = &port[0].R;
    FbMat3 R = fb_mat3_mul_tn(R_A, &port[1].R);
    fb_rotation_log_init(&R, &e->log);
    e->r = fb_mul3_transposed(R_A, fb_sub(port[1].p, port[0].p));
    e->delta = fb_sub(fb_mul3(&e->log.A, e->r), fb_vec3(beam->length, 0.0, 0.0));
    e->Q = fb_rotation_log_by_psi(&e->log, false, e->r);
}

void fb_beam_calc_strains(const FbBeam* beam, const FbPort port[2], double strain[6]) {
    Strain e;
    calc_strains(beam, port, &e);
    fb_vec3_to(fb_sub(e.log.psi, beam->psi_0), strain);
    fb_vec3_to(e.delta, strain + 3);
}

// psi' = A rho',  delta' = A r' + Q psi'  (eq. 8.16)
static void calc_rates(const FbPort port[2], Strain* e) {
    const FbMat3* R_A = &port[0].R;
    e->omega = fb_mul3_transposed(R_A, port[0].w);
    e->drho = fb_mul3_transposed(R_A, fb_sub(port[1].w, port[0].w));
    FbVec3 v = fb_mul3_transposed(R_A, fb_sub(port[1].v, port[0].v));
    e->dr = fb_sub(v, fb_cross(e->omega, e->r));
    e->rate_psi = fb_mul3(&e->log.A, e->drho);
    e->rate_delta = fb_add(fb_mul3(&e->log.A, e->dr), fb_mul3(&e->Q, e->rate_psi));
}

static void calc_resultants(Strain* e) {
    e->g = fb_add(e->s_psi, fb_rotation_log_gradient(&e->log, e->s_delta, e->r));
    e->n = fb_mul3_transposed(&e->log.A, e->s_delta);
    e->m = fb_mul3_transposed(&e->log.A, e->g);
}

// f_B = n, m_B = m, f_A = -n, m_A = -m - r x n (eq. 8.14)
static void add_forces(const FbMat3* R_A, const Strain* e, double f[FB_BEAM_DOF]) {
    FbVec3 n = fb_mul3(R_A, e->n), m = fb_mul3(R_A, e->m);
    FbVec3 m_A = fb_add(m, fb_mul3(R_A, fb_cross(e->r, e->n)));
    fb_vec3_to(fb_sub(fb_vec3_from(f), n), f);
    fb_vec3_to(fb_sub(fb_vec3_from(f + 3), m_A), f + 3);
    fb_vec3_to(fb_add(fb_vec3_from(f + 6), n), f + 6);
    fb_vec3_to(fb_add(fb_vec3_from(f + 9), m), f + 9);
}

// n += A' S_delta, m += A' S_psi + (Q A)' S_delta for the variation (S_psi, S_delta) of the
// stresses in three directions.
static void add_stress_variation(const Strain* e, const FbMat3* S_psi, const FbMat3* S_delta,
                                 FbMat3* n, FbMat3* m) {
    *n = fb_mat3_add(*n, fb_mat3_mul_tn(&e->log.A, S_delta));
    *m = fb_mat3_add(*m, fb_mat3_mul_tn(&e->QA, S_delta));
    if (S_psi) {
        *m = fb_mat3_add(*m, fb_mat3_mul_tn(&e->log.A, S_psi));
    }
}

// The same for variations of the strains; psi NULL: none.
static void add_strain_variation(const Strain* e, const FbBeamModulus* D, const FbMat3* psi,
                                 const FbMat3* delta, FbMat3* n, FbMat3* m) {
    FbMat3 S_psi, S_delta;
    if (D->is_diagonal) {
        S_psi = psi ? fb_mat3_scale_rows(D->p, *psi) : (FbMat3){{{0}}};
        S_delta = fb_mat3_scale_rows(D->d, *delta);
        add_stress_variation(e, psi ? &S_psi : NULL, &S_delta, n, m);
        return;
    }
    S_psi = fb_mat3_mul(&D->pd, delta);
    S_delta = fb_mat3_mul(&D->dd, delta);
    if (psi) {
        S_psi = fb_mat3_add(S_psi, fb_mat3_mul(&D->pp, psi));
        S_delta = fb_mat3_add(S_delta, fb_mat3_mul(&D->dp, psi));
    }
    add_stress_variation(e, &S_psi, &S_delta, n, m);
}

// The stresses alone: d psi = A rho, d delta = A dr + Q A rho.
static void calc_material(const Strain* e, const FbBeamModulus* D, Blocks* b) {
    memset(b, 0, sizeof *b);
    add_strain_variation(e, D, NULL, &e->log.A, &b->n_r, &b->m_r);
    add_strain_variation(e, D, &e->log.A, &e->QA, &b->n_rho, &b->m_rho);
}

// The change of A' and Q' under the stresses (eq. 8.15).
static void add_geometric(const Strain* e, Blocks* b) {
    const FbMat3* A = &e->log.A;
    FbMat3 P = fb_rotation_log_by_psi(&e->log, true, e->s_delta);
    FbMat3 PA = fb_mat3_mul(&P, A);
    b->n_rho = fb_mat3_add(b->n_rho, PA);
    b->m_r = fb_mat3_add(b->m_r, fb_mat3_transpose(PA));
    FbMat3 W = fb_rotation_log_hessian(&e->log, e->s_delta, e->r);
    FbMat3 AW = fb_mat3_mul_tn(A, &W);
    FbMat3 turned = fb_mat3_add(AW, fb_rotation_log_by_psi(&e->log, true, e->g));
    b->m_rho = fb_mat3_add(b->m_rho, fb_mat3_mul(&turned, A));
}

// The strain rates vary with the pose while the ends keep their velocities in ground axes
// (eqs. 8.17-8.19).
static void add_rate_variation(const FbBeamModulus* D, const Strain* e, Blocks* b) {
    const FbRotationLog* log = &e->log;
    // dr: d delta' = (Z - A [omega]) dr
    FbMat3 by_r = fb_mat3_sub(fb_rotation_log_second_by_y(log, e->rate_psi),
                              fb_mat3_mul_skew(&log->A, e->omega));
    add_strain_variation(e, D, NULL, &by_r, &b->n_r, &b->m_r);
    // rho: d psi' = Q(rho') A rho, d delta' = (Q(r') + Q Q(rho') + D) A rho
    FbMat3 psi_psi = fb_rotation_log_by_psi(log, false, e->drho);
    FbMat3 delta_psi = fb_mat3_add(fb_rotation_log_by_psi(log, false, e->dr),
                                   fb_rotation_log_second_by_psi(log, e->r, e->rate_psi));
    delta_psi = fb_mat3_add(delta_psi, fb_mat3_mul(&e->Q, &psi_psi));
    FbMat3 psi_rho = fb_mat3_mul(&psi_psi, &log->A), delta_rho = fb_mat3_mul(&delta_psi, &log->A);
    add_strain_variation(e, D, &psi_rho, &delta_rho, &b->n_rho, &b->m_rho);
    // a: the velocities turn back in the axes of A
    FbMat3 psi_a = fb_mat3_mul_skew(&log->A, e->drho), spin = fb_skew(e->r);
    FbMat3 dr_a = fb_mat3_add(fb_skew(e->dr), fb_skew_mul_mat3(e->omega, &spin));
    FbMat3 delta_a = fb_mat3_add(fb_mat3_mul(&log->A, &dr_a), fb_mat3_mul_skew(&e->QA, e->drho));
    add_strain_variation(e, D, &psi_a, &delta_a, &b->n_a, &b->m_a);
}

static FbMat3 turn(const FbMat3* R, const FbMat3* X) {
    FbMat3 Y = fb_mat3_mul(R, X);
    return fb_mat3_mul_nt(&Y, R);
}

static void add_block(int row, int column, double sign, const FbMat3* X,
                      double K[FB_BEAM_DOF * FB_BEAM_DOF]) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            K[(row + i) * FB_BEAM_DOF + column + j] += sign * X->m[i][j];
        }
    }
}

// One row of blocks for a quantity x of end B: dx = x_r (dp_B - dp_A + r x a) + x_rho (b - a) + x_a
// a, a = dphi_A, b = dphi_B.
typedef struct Row {
    FbMat3 p_B, phi_A, phi_B;  // by p_A: minus by p_B
} Row;

static Row make_row(const FbMat3* x_r, const FbMat3* x_rho, const FbMat3* x_a, FbVec3 r) {
    FbMat3 by_a = fb_mat3_add(fb_mat3_mul_skew(x_r, r), *x_a);
    return (Row){.p_B = *x_r, .phi_A = fb_mat3_sub(by_a, *x_rho), .phi_B = *x_rho};
}

static void add_row(int row, double sign, const Row* x, double K[FB_BEAM_DOF * FB_BEAM_DOF]) {
    add_block(row, 0, -sign, &x->p_B, K);
    add_block(row, 3, sign, &x->phi_A, K);
    add_block(row, 6, sign, &x->p_B, K);
    add_block(row, 9, sign, &x->phi_B, K);
}

// From the variations of n and m in the axes of A to those of all four forces in ground axes; n and
// m, which turn with A, are zero for the derivatives by velocities. m_A = -m_B - (p_B - p_A) x f_B.
static void add_blocks(const FbMat3* R_A, const Strain* e, Blocks* b, FbVec3 n, FbVec3 m,
                       double K[FB_BEAM_DOF * FB_BEAM_DOF]) {
    b->n_a = fb_mat3_sub(b->n_a, fb_skew(n));
    b->m_a = fb_mat3_sub(b->m_a, fb_skew(m));
    FbMat3* all[6] = {&b->n_r, &b->n_rho, &b->n_a, &b->m_r, &b->m_rho, &b->m_a};
    for (int i = 0; i < 6; i++) {
        *all[i] = turn(R_A, all[i]);
    }
    FbVec3 r = fb_mul3(R_A, e->r);
    Row f = make_row(&b->n_r, &b->n_rho, &b->n_a, r);
    Row moment = make_row(&b->m_r, &b->m_rho, &b->m_a, r);
    add_row(0, -1.0, &f, K);
    add_row(6, 1.0, &f, K);
    add_row(9, 1.0, &moment, K);
    FbMat3 pull = fb_skew(fb_mul3(R_A, n));
    moment.p_B = fb_mat3_add(moment.p_B, fb_mat3_sub(fb_skew_mul_mat3(r, &f.p_B), pull));
    moment.phi_A = fb_mat3_add(moment.phi_A, fb_skew_mul_mat3(r, &f.phi_A));
    moment.phi_B = fb_mat3_add(moment.phi_B, fb_skew_mul_mat3(r, &f.phi_B));
    add_row(3, -1.0, &moment, K);
}

static void add_derivatives(const FbBeam* beam, const FbMat3* R_A, Strain* e, FbPortForces* out) {
    const FbVec3 zero = {0.0, 0.0, 0.0};
    const bool is_damped = beam->beta != 0.0;
    Blocks stiffness, damping;
    FbBeamModulus by_strain, by_rate;
    e->QA = fb_mat3_mul(&e->Q, &e->log.A);
    fb_beam_law_calc_modulus(beam, &e->law, is_damped ? e->damping : NULL, &by_strain);
    calc_material(e, &by_strain, &stiffness);
    if (is_damped) {
        fb_beam_law_calc_damping_modulus(beam, &e->law, &by_rate);
        calc_material(e, &by_rate, &damping);
        add_blocks(R_A, e, &damping, zero, zero, out->C);
        add_rate_variation(&by_rate, e, &stiffness);
    }
    add_geometric(e, &stiffness);
    add_blocks(R_A, e, &stiffness, e->n, e->m, out->K);
}

// Stresses of the damping, with its power.
static double add_damping(const FbBeam* beam, const FbPort port[2], Strain* e) {
    double rate[FB_STRAINS], power = 0.0;
    calc_rates(port, e);
    fb_vec3_to(e->rate_psi, rate);
    fb_vec3_to(e->rate_delta, rate + 3);
    fb_beam_law_calc_damping(beam, &e->law, rate, e->damping);
    for (int i = 0; i < FB_STRAINS; i++) {
        power += beam->beta * e->damping[i] * rate[i];
    }
    e->s_psi = fb_axpy(beam->beta, fb_vec3_from(e->damping), e->s_psi);
    e->s_delta = fb_axpy(beam->beta, fb_vec3_from(e->damping + 3), e->s_delta);
    return power;
}

void fb_beam_add_elastic(const FbBeam* beam, const FbPort port[2], bool has_blocks,
                         FbPortForces* out, double* energy, double* dissipation) {
    Strain e;
    calc_strains(beam, port, &e);
    fb_beam_law_init(beam, fb_sub(e.log.psi, beam->psi_0), e.delta, &e.law);
    e.s_psi = fb_vec3_from(e.law.stress);
    e.s_delta = fb_vec3_from(e.law.stress + 3);
    double power = beam->beta != 0.0 ? add_damping(beam, port, &e) : 0.0;
    if (energy) {
        *energy = e.law.energy;
    }
    if (dissipation) {
        *dissipation = power;
    }
    calc_resultants(&e);
    add_forces(&port[0].R, &e, out->f);
    if (has_blocks) {
        add_derivatives(beam, &port[0].R, &e, out);
    }
}
