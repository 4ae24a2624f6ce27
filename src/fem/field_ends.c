// Forces dual to the position field's vector e brought to the ends of the element, with their
// derivatives.
//
//   J' f = (f_pA - n S, l t_A x f_tauA, f_pB + n S, l t_B x f_tauB),  S = t_A.f_tauA + t_B.f_tauB
//   (eq. 9.7)
// costs a few products where the matrix J would cost 144.
#include <string.h>

#include "fem/blocks.h"
#include "fem/field.h"

enum { SIZE = FB_DOF * FB_DOF };

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

static FbVec3 get(const double* x, int stride) {
    return fb_vec3(x[0], x[stride], x[2 * stride]);
}

static void add(FbVec3 v, double* x, int stride) {
    x[0] += v.x;
    x[stride] += v.y;
    x[2 * stride] += v.z;
}

// out += J' f for vectors whose entries are `stride` apart.
static void add_transposed(const Ends* ends, const double* f, double* out, int stride) {
    FbVec3 f_A = get(f + 3 * stride, stride), f_B = get(f + 9 * stride, stride);
    FbVec3 pull = fb_scale(fb_dot(ends->t[0], f_A) + fb_dot(ends->t[1], f_B), ends->n);
    add(fb_sub(get(f, stride), pull), out, stride);
    add(fb_scale(ends->l, fb_cross(ends->t[0], f_A)), out + 3 * stride, stride);
    add(fb_add(get(f + 6 * stride, stride), pull), out + 6 * stride, stride);
    add(fb_scale(ends->l, fb_cross(ends->t[1], f_B)), out + 9 * stride, stride);
}

// X += A J: each row of A is a vector dual to e.
static void add_rows(const Ends* ends, const double* A, double* X) {
    for (int i = 0; A != NULL && i < FB_DOF; i++) {
        add_transposed(ends, A + i * FB_DOF, X + i * FB_DOF, 1);
    }
}

// out += J' X
static void add_columns(const Ends* ends, const double* X, double* out) {
    for (int j = 0; j < FB_DOF; j++) {
        add_transposed(ends, X + j, out + j, FB_DOF);
    }
}

// X += A B for a B that has only rows of tau.
static void add_product(const double* A, const double* B, double* X) {
    static const int tau[6] = {3, 4, 5, 9, 10, 11};
    for (int i = 0; A != NULL && i < FB_DOF; i++) {
        for (int k = 0; k < 6; k++) {
            const double a = A[i * FB_DOF + tau[k]];
            const double* b = B + tau[k] * FB_DOF;
            for (int j = 0; j < FB_DOF; j++) {
                X[i * FB_DOF + j] += a * b[j];
            }
        }
    }
}

void fb_field_add_to_ends(const FbPort port[2], const double f[FB_DOF], double out[FB_DOF]) {
    Ends ends = calc_ends(port);
    add_transposed(&ends, f, out, 1);
}

void fb_field_add_force(const FbPort port[2], const FbFieldForce* force, bool has_blocks,
                        FbPortForces* out) {
    Ends ends = calc_ends(port);
    add_transposed(&ends, force->f, out->f, 1);
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
