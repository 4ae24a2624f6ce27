// Forces dual to the position field's vector e brought to the ends of the element, with their
// derivatives.
//
//   J' f = (f_pA - n S, l t_A x f_tauA, f_pB + n S, l t_B x f_tauB),  S = t_A.f_tauA + t_B.f_tauB
//   (eq. 9.7)
// costs a few products where the matrix J would cost 144.
#include <string.h>

#include "fem/blocks.h"
#include "fem/field.h"

enum { SIZE = FB_BEAM_DOF * FB_BEAM_DOF };

typedef struct Ends {
    double l;
    FbVec3 n, t[2];
} Ends;

static Ends calc_ends(const FbPort port[2]) {
    FbVec3 d = fb_sub(port[1].p, port[0].p);
    double l = fb_norm(d);
    return (Ends){
        l, fb_scale(1.0 / l, d), {fb_mat3_col(&port[0].R, 0), fb_mat3_col(&port[1].R, 0)}};
}

static void add(FbVec3 v, double* x) {
    x[0] += v.x;
    x[1] += v.y;
    x[2] += v.z;
}

// out += J' f
static void add_transposed(const Ends* ends, const double* f, double* out) {
    FbVec3 f_A = fb_vec3_from(f + 3), f_B = fb_vec3_from(f + 9);
    FbVec3 pull = fb_scale(fb_dot(ends->t[0], f_A) + fb_dot(ends->t[1], f_B), ends->n);
    add(fb_sub(fb_vec3_from(f), pull), out);
    add(fb_scale(ends->l, fb_cross(ends->t[0], f_A)), out + 3);
    add(fb_add(fb_vec3_from(f + 6), pull), out + 6);
    add(fb_scale(ends->l, fb_cross(ends->t[1], f_B)), out + 9);
}

// X += A J: each row of A is a vector dual to e.
static void add_rows(const Ends* ends, const double* A, double* X) {
    for (int i = 0; A != NULL && i < FB_BEAM_DOF; i++) {
        add_transposed(ends, A + i * FB_BEAM_DOF, X + i * FB_BEAM_DOF);
    }
}

// rows r ... r + 2 of out += l t x (the same rows of X)
static void add_moment_rows(double l, FbVec3 t, const double* X, double* out, int r) {
    const double *x = X + r * FB_BEAM_DOF, *y = x + FB_BEAM_DOF, *z = y + FB_BEAM_DOF;
    double *o = out + r * FB_BEAM_DOF, *p = o + FB_BEAM_DOF, *q = p + FB_BEAM_DOF;
    for (int j = 0; j < FB_BEAM_DOF; j++) {
        o[j] += l * (t.y * z[j] - t.z * y[j]);
        p[j] += l * (t.z * x[j] - t.x * z[j]);
        q[j] += l * (t.x * y[j] - t.y * x[j]);
    }
}

// out += J' X, row by row so that the compiler works on whole rows
static void add_columns(const Ends* ends, const double* X, double* out) {
    const FbVec3 n = ends->n, a = ends->t[0], b = ends->t[1];
    const double pull[3] = {n.x, n.y, n.z}, *A = X + 3 * FB_BEAM_DOF, *B = X + 9 * FB_BEAM_DOF;
    double S[FB_BEAM_DOF];
    for (int j = 0; j < FB_BEAM_DOF; j++) {
        S[j] = a.x * A[j] + a.y * A[FB_BEAM_DOF + j] + a.z * A[2 * FB_BEAM_DOF + j] + b.x * B[j] +
               b.y * B[FB_BEAM_DOF + j] + b.z * B[2 * FB_BEAM_DOF + j];
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < FB_BEAM_DOF; j++) {
            out[i * FB_BEAM_DOF + j] += X[i * FB_BEAM_DOF + j] - pull[i] * S[j];
            out[(6 + i) * FB_BEAM_DOF + j] += X[(6 + i) * FB_BEAM_DOF + j] + pull[i] * S[j];
        }
    }
    add_moment_rows(ends->l, a, X, out, 3);
    add_moment_rows(ends->l, b, X, out, 9);
}

// X += A B for a B that has only rows of tau.
static void add_product(const double* A, const double* B, double* X) {
    static const int tau[6] = {3, 4, 5, 9, 10, 11};
    for (int i = 0; A != NULL && i < FB_BEAM_DOF; i++) {
        for (int k = 0; k < 6; k++) {
            const double a = A[i * FB_BEAM_DOF + tau[k]];
            const double* b = B + tau[k] * FB_BEAM_DOF;
            for (int j = 0; j < FB_BEAM_DOF; j++) {
                X[i * FB_BEAM_DOF + j] += a * b[j];
            }
        }
    }
}

void fb_field_add_to_ends(const FbPort port[2], const double f[FB_BEAM_DOF],
                          double out[FB_BEAM_DOF]) {
    Ends ends = calc_ends(port);
    add_transposed(&ends, f, out);
}

void fb_field_add_force(const FbPort port[2], const FbFieldForce* force, bool has_blocks,
                        FbPortForces* out) {
    Ends ends = calc_ends(port);
    add_transposed(&ends, force->f, out->f);
    if (!has_blocks) {
        return;
    }
    double M[SIZE] = {0}, C[SIZE] = {0}, K[SIZE] = {0};
    double de_by_pose[SIZE], dde_by_pose[SIZE], dde_by_velocity[SIZE];
    fb_field_calc_derivatives(port, de_by_pose, dde_by_pose, dde_by_velocity);
    add_rows(&ends, force->f_dde, M);
    add_rows(&ends, force->f_de, C);
    add_product(force->f_dde, dde_by_velocity, C);
    add_rows(&ends, force->f_e, K);
    add_product(force->f_de, de_by_pose, K);
    add_product(force->f_dde, dde_by_pose, K);
    add_columns(&ends, M, out->M);
    add_columns(&ends, C, out->C);
    add_columns(&ends, K, out->K);
    fb_field_add_second(port, force->f, out->K);
}

// X += (H (x) 1) B for a B that has only rows of tau.
static void add_spread(double H[4][4], const double* B, double* X) {
    for (int i = 0; i < FB_BEAM_DOF; i++) {
        const double a = H[i / 3][1], b = H[i / 3][3];
        const double *row_A = B + (3 + i % 3) * FB_BEAM_DOF, *row_B = B + (9 + i % 3) * FB_BEAM_DOF;
        for (int j = 0; j < FB_BEAM_DOF; j++) {
            X[i * FB_BEAM_DOF + j] += a * row_A[j] + b * row_B[j];
        }
    }
}

// M += J' (H (x) 1) J
static void add_mass(const Ends* ends, const double* J, double H[4][4], double scale, double* M) {
    double X[SIZE] = {0}, scaled[4][4];
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            scaled[i][j] = scale * H[i][j];
        }
        fb_block_add_identity(X, i, 0, scaled[i][0]);
        fb_block_add_identity(X, i, 2, scaled[i][2]);
    }
    add_spread(scaled, J, X);
    add_columns(ends, X, M);
}

void fb_field_add_mass(const FbPort port[2], const FbBeamField* field, double H[4][4], double* M) {
    Ends ends = calc_ends(port);
    add_mass(&ends, field->J, H, 1.0, M);
}

void fb_field_add_inertia(const FbPort port[2], const FbBeamField* field, double H[4][4],
                          double alpha, bool has_blocks, FbPortForces* out) {
    Ends ends = calc_ends(port);
    double f[FB_BEAM_DOF];
    for (int i = 0; i < FB_BEAM_DOF; i++) {
        f[i] = 0.0;
        for (int j = 0; j < 4; j++) {
            const int k = 3 * j + i % 3;
            f[i] += H[i / 3][j] * (field->dde[k] + alpha * field->de[k]);
        }
    }
    add_transposed(&ends, f, out->f);
    if (!has_blocks) {
        return;
    }
    double de_by_pose[SIZE], dde_by_pose[SIZE], dde_by_velocity[SIZE], C[SIZE] = {0}, K[SIZE] = {0};
    fb_field_calc_derivatives(port, alpha != 0.0 ? de_by_pose : NULL, dde_by_pose, dde_by_velocity);
    for (int i = 0; alpha != 0.0 && i < SIZE; i++) {
        dde_by_pose[i] += alpha * de_by_pose[i];
    }
    add_mass(&ends, field->J, H, 1.0, out->M);
    add_spread(H, dde_by_velocity, C);
    add_columns(&ends, C, out->C);
    if (alpha != 0.0) {
        add_mass(&ends, field->J, H, alpha, out->C);
    }
    add_spread(H, dde_by_pose, K);
    add_columns(&ends, K, out->K);
    fb_field_add_second(port, f, out->K);
}
