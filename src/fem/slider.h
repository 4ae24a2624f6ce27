// A mass that slides along a beam element or along a curve fixed in a rigid body: its forces by
// each theory.
//
// With r = N(s) e (field.h), N_s, N_ss the derivatives along the element, and gravity g (already in
// e'' as -g):
//
//   consistent, convective (every term of the motion):
//     f = m N' r'',   r'' = N e'' + 2 s' N_s e' + (s'^2 N_ss + s'' N_s) e
//   form 1a, 1b (C_e = dM_e/dt):
//     f = d/dt (m N' N e') - m N' g = m N' (N e'' + s' N_s e') + m s' N_s' N e'
//
// On a large-rotation element "consistent" is exact for that field; on a linear one the same
// formula is the convective theory, and adding the geometric stiffness of the axial reaction
// (fb_field_add_axial) makes it the linear consistent theory. Rotary inertia J: the same with N_s
// in place of N (kinetic energy J/2 |d r_s/dt|^2). Form 1b has the same f as form 1a; its
// derivatives leave out those of the Coriolis part, which counts as an external force. So a
// linearization with form 1b ignores it: use 1a there. Transverse inertia: only Q r',
// Q = 1 - axis axis', counts as inertia of the field, in f and in the kinetic energy; along the
// axis the mass moves by s alone (m s'^2/2, m s'' in `along`). Its weight acts in full, so its
// potential is -m g.r in every theory. In all theories d/dt (kinetic - m g.r) = f.e' + along s'
// exactly (with f, along as below, including gravity).
#ifndef FLYBALL_FEM_SLIDER_H
#define FLYBALL_FEM_SLIDER_H

#include "base/arena.h"
#include "base/error.h"
#include "fem/field.h"

typedef enum FbSliderTheory {
    FB_SLIDER_CONSISTENT,
    FB_SLIDER_LINEAR_CONSISTENT,
    FB_SLIDER_CONVECTIVE,
    FB_SLIDER_FORM_1A,
    FB_SLIDER_FORM_1B
} FbSliderTheory;

typedef struct FbSliderMass {
    FbSliderTheory theory;
    double mass, rotary;
    bool is_transverse;  // count only the part of the inertia across `axis`
    FbVec3 axis;         // unit vector along the undeformed element (is_transverse)
} FbSliderMass;

typedef struct FbSliderMotion {
    double s, ds,
        dds;  // s from the element's start, may lie outside [0, L]: the polynomial continues
} FbSliderMotion;

// Force f dual to e (r += J' f), and what the slider itself needs: the equation along the guide,
// along = 0 for a free slider, or the actuator's force for a driven one.
typedef struct FbSliderForces {
    double f[FB_BEAM_DOF];
    double f_e[FB_BEAM_DOF * FB_BEAM_DOF], f_de[FB_BEAM_DOF * FB_BEAM_DOF],
        f_dde[FB_BEAM_DOF * FB_BEAM_DOF];  // row-major
    double f_s[FB_BEAM_DOF], f_ds[FB_BEAM_DOF], f_dds[FB_BEAM_DOF];
    double along;  // m (r'' - g).r_s (consistent, convective); form 1: m s'' - m (N e').(N_s e') -
                   // m g.N_s e
    double along_e[FB_BEAM_DOF], along_de[FB_BEAM_DOF], along_dde[FB_BEAM_DOF];
    double along_s, along_ds, along_dds;
    double coriolis[FB_BEAM_DOF];  // f_c dual to e: form 1: m s' (N' N_s + N_s' N) e'; others: 2 m
                                   // s' N' N_s e'
    FbVec3 contact;  // force of the mass on the guide, ground axes: -m (r'' - g); form 1: minus the
                     // inertia it counts
    FbVec3 position, velocity;
    double kinetic;  // 1/2 m |r'|^2 (+ rotary); form 1: 1/2 m (|N e'|^2 + s'^2)
} FbSliderForces;

// `gravity` (e'' carries -g in its position parts) is needed by form 1 for `along` and by
// transverse inertia. has_blocks = false leaves the derivatives alone.
void fb_slider_calc(const FbSliderMass* mass, double length, const double e[FB_BEAM_DOF],
                    const double de[FB_BEAM_DOF], const double dde[FB_BEAM_DOF], FbVec3 gravity,
                    const FbSliderMotion* motion, bool has_blocks, FbSliderForces* out);

// Parts of the same for form 1, where they need little: `along`, and f of a guide at rest.
bool fb_slider_has_quick_parts(const FbSliderMass* mass);
double fb_slider_calc_along(const FbSliderMass* mass, double length, const double e[FB_BEAM_DOF],
                            const double de[FB_BEAM_DOF], FbVec3 gravity,
                            const FbSliderMotion* motion);
void fb_slider_calc_weight(const FbSliderMass* mass, double length, double s, FbVec3 gravity,
                           double f[FB_BEAM_DOF]);

// The inertia of the mass in one direction that counts, by the four numbers of e along it: its
// force on these is U (B_M x'' + B_C x' + B_K x), besides what does not depend on x (form 1b as
// 1a).
enum { FB_SLIDER_RANK = 3 };
typedef struct FbSliderFactors {
    int rank;
    bool has_places;  // B of x is not zero
    double U[FB_SLIDER_RANK][4];
    double B[3][FB_SLIDER_RANK][4];  // by x'', x', x
} FbSliderFactors;
void fb_slider_calc_factors(const FbSliderMass* mass, double length, const FbSliderMotion* motion,
                            FbSliderFactors* out);

// Geometric stiffness of an axial force P (tension > 0) in the first s metres of a linear element
// with axis t and drawn vector e0:
//   f = P int_0^s N_x' Q N_x dx (e - e0),  Q = 1 - t t'.  Adds to f and to matrix (row-major, may
//   be NULL), df/de.
// *energy (may be NULL): f.(e - e0)/2.
void fb_field_add_axial(double length, double s, double P, FbVec3 axis, const double e[FB_BEAM_DOF],
                        const double e0[FB_BEAM_DOF], double f[FB_BEAM_DOF], double* matrix,
                        double* energy);

// How far the first s metres of a linear element shorten by bending, D = 1/2 int_0^s |Q N_x (e -
// e0)|^2 dx, with what the linear consistent theory needs of it (eqs. 9.18, 9.19). The mass stands
// at s - D along the axis, so that with P = -m (s'' - g.axis)
//   f += P dD/de (that is fb_field_add_axial),   along += P dD/ds - m D'',   kinetic += -m s' D',
//   potential += m (g.axis) D.
// On the elements between the guide's start and the slider's take s = L, ds = dds = 0; D adds up
// over all of them.
typedef struct FbShortening {
    double value, rate, acceleration;
    double value_e[FB_BEAM_DOF];  // also d(acceleration)/d(dde)
    double value_s;               // also d(acceleration)/d(dds)
    double value_se[FB_BEAM_DOF], value_ss;
    double acceleration_e[FB_BEAM_DOF], acceleration_de[FB_BEAM_DOF];
    double acceleration_s, acceleration_ds;
} FbShortening;
void fb_field_calc_shortening(double length, const FbSliderMotion* motion, FbVec3 axis,
                              const double e[FB_BEAM_DOF], const double de[FB_BEAM_DOF],
                              const double dde[FB_BEAM_DOF], const double e0[FB_BEAM_DOF],
                              FbShortening* out);

// ---- curve.c: guides fixed in a rigid body ----
// A straight line through two points or a C2 (natural cubic) spline through more, parametrized by
// arc length to within 1e-12 of it (two points: exactly), in body coordinates.
typedef struct FbCurve FbCurve;
FbStatus fb_curve_create(const double* points, int n_points, FbArena* arena, FbCurve** out,
                         FbError* err);
double fb_curve_length(const FbCurve* curve);
// c, dc/ds, d2c/ds2, d3c/ds3 at arc length s; continues as a straight line outside (twice
// differentiable, as the spline is natural).
void fb_curve_calc(const FbCurve* curve, double s, FbVec3 c[4]);

// The mass on a curve in the body with the pose and motion of `port` (its section axes are the
// body's): r = p + R c(s). Always the consistent theory with the whole inertia, whatever `mass`
// says (mass and rotary are used); gravity comes with the port's acceleration. f, M, C, K of the
// port: only the first six entries are used (6 x 6 blocks with stride 12). They are set, not added
// to; has_blocks = false leaves all derivatives alone.
typedef struct FbCurveForces {
    FbPortForces port;  // first six dof
    double f_s[6], f_ds[6], f_dds[6];
    double along;
    double along_pose[6], along_velocity[6], along_acceleration[6];
    double along_s, along_ds, along_dds;
    FbVec3 contact, position, velocity;
    double kinetic;
} FbCurveForces;
void fb_curve_slider_calc(const FbSliderMass* mass, const FbCurve* curve, const FbPort* port,
                          const FbSliderMotion* motion, bool has_blocks, FbCurveForces* out);

#endif
