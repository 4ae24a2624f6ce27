// The position field of a beam's centre line, linear in twelve numbers: what inertia, line loads
// and sliders are built on.
//
//   r(xi) = h1(xi) p_A + h2(xi) tau_A + h3(xi) p_B + h4(xi) tau_B,   xi = s/L,
//   e = (p_A, tau_A, p_B, tau_B)  [12],
//
// with the cubic Hermite polynomials h. tau is the tangent dr/dxi at an end. With large rotations,
// tau = l R e_x, l = |p_B - p_A|: a straight stretched element is stretched evenly. In the linear
// theory, e = e0 + E d with the constant E of its linearization, d = (u_A, phi_A, u_B, phi_B) in
// ground axes; with shear, the slope is the section's rotation plus the shear angle. Everything
// that is a function of e, e', e'' alone is brought to the ends by the map's derivatives.
#ifndef FLYBALL_FEM_FIELD_H
#define FLYBALL_FEM_FIELD_H

#include "fem/beam.h"

// Hermite polynomials and their derivatives with respect to s = L xi: h[k][i], k-th derivative of
// h_i, k = 0..3.
void fb_field_calc_shapes(double length, double xi, double h[4][4]);

// The vector e and its time derivatives. dde contains the ends' accelerations as the ports give
// them (minus gravity: each position part carries -g, and so does r'' because h1 + h3 = 1).
typedef struct FbBeamField {
    double e[FB_BEAM_DOF], de[FB_BEAM_DOF], dde[FB_BEAM_DOF];
    double J[FB_BEAM_DOF *
             FB_BEAM_DOF];  // de/d(pose) = d(de)/d(velocity) = d(dde)/d(acceleration), row-major
} FbBeamField;

// Large rotations.
void fb_field_calc(const FbPort port[2], FbBeamField* out);
// Derivatives at fixed ground components of v, w, a, dw (row-major): of de and dde with respect to
// the pose, of dde with respect to the velocities. Any may be NULL.
void fb_field_calc_derivatives(const FbPort port[2], double* de_by_pose, double* dde_by_pose,
                               double* dde_by_velocity);
// d(J' f)/d(pose) for a fixed f [12], added to K (row-major).
void fb_field_add_second(const FbPort port[2], const double f[FB_BEAM_DOF],
                         double K[FB_BEAM_DOF * FB_BEAM_DOF]);

// out += J' f, without forming J: forces dual to e at the ends, and (transposed) rows d(.)/de as
// rows by the pose.
void fb_field_add_to_ends(const FbPort port[2], const double f[FB_BEAM_DOF],
                          double out[FB_BEAM_DOF]);

// A force dual to e with its derivatives (row-major, NULL: zero) brought to the ends, added to out
// (eq. 9.7):
//   f += J' f,  M += J' f_dde J,  C += J' (f_de J + f_dde dde_by_velocity),
//   K += J' (f_e J + f_de de_by_pose + f_dde dde_by_pose) + d(J' f)/d(pose).
// M, C and K only where has_blocks.
typedef struct FbFieldForce {
    const double* f;
    const double *f_e, *f_de, *f_dde;
} FbFieldForce;
void fb_field_add_force(const FbPort port[2], const FbFieldForce* force, bool has_blocks,
                        FbPortForces* out);

// The same for f = (H (x) 1) (e'' + alpha e') with a symmetric H (eq. 9.24), at a fraction of the
// cost.
void fb_field_add_inertia(const FbPort port[2], const FbBeamField* field, double H[4][4],
                          double alpha, bool has_blocks, FbPortForces* out);
// M += J' (H (x) 1) J
void fb_field_add_mass(const FbPort port[2], const FbBeamField* field, double H[4][4], double* M);

// Linear theory: the constant E (row-major, ground axes) and e0 for an element drawn from p_A to
// p_B with axes R.
void fb_field_calc_linear(const FbBeam* beam, const FbMat3* R, FbVec3 p_A, FbVec3 p_B,
                          double E[FB_BEAM_DOF * FB_BEAM_DOF], double e0[FB_BEAM_DOF]);

#endif
