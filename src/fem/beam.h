// Beam elements: properties, the constant matrices of the linear theory, and the forces of the one
// with large rotations.
//
// Elastic energy of the large-rotation element: with the relative pose of end B seen from end A as
// one screw motion (logarithm of SE(3)), psi = rotation part, delta = translation part - L e_x,
//
//   U = 1/2 psi' diag(GJ, EIy, EIz)/L psi
//     + 1/2 delta' diag(EA/L, 12 EIz/(L^3 (1 + phi_y)), 12 EIy/(L^3 (1 + phi_z))) delta
//
// with phi_y = 12 EIz/(GAy L^2), phi_z = 12 EIy/(GAz L^2); 0 without shear. It is exact for pure
// bending with any number of elements; for small displacements its stiffness is exactly that of the
// cubic (Euler-Bernoulli) or shear-flexible (Timoshenko) beam: natural modes, where the shear
// stiffness carries the residual bending flexibility. That is the element of second order;
// beam_law.h has the one of fourth order, which is the same for small displacements.
#ifndef FLYBALL_FEM_BEAM_H
#define FLYBALL_FEM_BEAM_H

#include <stdbool.h>

#include "fem/ports.h"

typedef struct FbBeam {
    double length;
    double EA, GJ, EIy, EIz;
    double phi_y, phi_z;  // shear parameters, 0: none
    double mass_per_length;
    double inertia_x, inertia_y, inertia_z;  // rotary, per length
    bool is_lumped;
    double alpha, beta;  // Rayleigh
    // Large rotations.
    bool is_fourth_order;  // strains that vary along the element (beam_law.h)
    FbVec3 psi_0;          // turn of end B against A where the element is as drawn: an arc
} FbBeam;

// ---- beam_linear.c: matrices of the element in its own axes, row-major [12 x 12], order (u_A,
// theta_A, u_B, theta_B) ----
void fb_beam_calc_stiffness(const FbBeam* beam, double K[FB_BEAM_DOF * FB_BEAM_DOF]);
// Consistent (with the shape functions of the theory, shear included, and the rotary inertia) or
// lumped mass.
void fb_beam_calc_mass(const FbBeam* beam, double M[FB_BEAM_DOF * FB_BEAM_DOF]);
// d' M d / 2 for velocities d in element axes, without the matrix.
double fb_beam_calc_energy(const FbBeam* beam, const double d[FB_BEAM_DOF]);
// Rotary inertia about the element's axes that a lumped element has at each of its ends (besides
// half its mass).
void fb_beam_calc_lumped_rotary(const FbBeam* beam, double j[3]);
// Turns a 12 x 12 matrix (or a vector) from element axes (columns of R in ground) to ground axes.
void fb_beam_turn_matrix(const FbMat3* R, double A[FB_BEAM_DOF * FB_BEAM_DOF]);
void fb_beam_turn_vector(const FbMat3* R, double f[FB_BEAM_DOF]);

// ---- beam_elastic.c: large rotations ----
// Adds elastic and stiffness-proportional damping forces (beta times the elastic law on the strain
// rates) to out->f and, where has_blocks, their derivatives to out->C, out->K. Uses R, p, v, w of
// the ports. *energy and *dissipation (may be NULL) receive U and the damping power (>= 0).
void fb_beam_add_elastic(const FbBeam* beam, const FbPort port[2], bool has_blocks,
                         FbPortForces* out, double* energy, double* dissipation);

// The strains psi and delta of eq. (8.11), zero where the element is as drawn.
void fb_beam_calc_strains(const FbBeam* beam, const FbPort port[2], double strain[6]);

// ---- beam_inertia.c: large rotations ----
// Adds inertia (with gravity, which is in the ports' accelerations) and mass-proportional damping
// (alpha) of the position field of fem/field.h (consistent), or of half the mass at each end
// (lumped); rotary inertia about the axis and across is lumped at the ends. Uses all of the ports.
// *kinetic (may be NULL): kinetic energy; *dissipation (may be NULL): damping power.
void fb_beam_add_inertia(const FbBeam* beam, const FbPort port[2], bool has_blocks,
                         FbPortForces* out, double* kinetic, double* dissipation);
// The mass matrix alone, from R and p (row-major, ground axes).
void fb_beam_add_mass(const FbBeam* beam, const FbPort port[2],
                      double M[FB_BEAM_DOF * FB_BEAM_DOF]);

// Mass, first moment (sum of m r, ground) and linear and angular momentum about the ground origin
// of the element, for energies of gravity and outputs. Velocities from the ports.
typedef struct FbBeamSums {
    double mass;
    FbVec3 first_moment, momentum, angular_momentum;
} FbBeamSums;
void fb_beam_calc_sums(const FbBeam* beam, const FbPort port[2], FbBeamSums* out);

// ---- beam_stress.c: internal forces ----
// What acts between the ends of an element: r = N e is its centre line and N p the force per length
// (field.h), ground axes; a moment per length that is a parabola through its values at the start,
// the middle and the end.
typedef struct FbBeamLoad {
    double length;
    double e[FB_BEAM_DOF], p[FB_BEAM_DOF];
    FbVec3 couple[3];
} FbBeamLoad;
// Section forces at fraction xi of the element in the axes R of the section: N, Qy, Qz, T, My, Mz
// on the face whose outward normal is +x (eq. 8.20), by the balance of the part between the section
// and end A, or B: f are the forces (r += f) at the ends that balance `load`, ground axes. Both
// give the same where nothing else acts between the ends.
void fb_beam_calc_section_forces(const FbBeamLoad* load, const FbMat3* R,
                                 const double f[FB_BEAM_DOF], double xi, bool from_b,
                                 double forces[6]);
// Axes of the section at fraction xi of a large-rotation element (the R to give above): those of A,
// turned by that share of the relative rotation.
FbMat3 fb_beam_calc_section_axes(const FbPort port[2], double xi);
// Rotation of the section at fraction xi of a linear element with axes R, from the displacements d
// of its ends and u = E d of its field (or from rates of both); ground axes (eq. 8.2).
FbVec3 fb_beam_calc_rotation(double length, const FbMat3* R, const double d[FB_BEAM_DOF],
                             const double u[FB_BEAM_DOF], double xi);

#endif
