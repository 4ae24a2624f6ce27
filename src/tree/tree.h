// The spanning tree of links: kinematics, inverse dynamics (RNEA), mass matrix, articulated bodies
// (ABA) and analytic derivatives.
//
// Notation (theory manual, chapter 2): S_k motion subspace column of velocity k, V_i velocity, A_i
// acceleration (the ground accelerates with -g, so gravity needs no force), F_i force transmitted
// to link i; all in ground axes and about the link's own origin. Positions and velocities of a link
// are relative to its base, which is near and moves along where the link is carried by translations
// alone: nothing here depends on how far away the ground's origin is, or how fast it passes.
#ifndef FLYBALL_TREE_TREE_H
#define FLYBALL_TREE_TREE_H

#include "base/arena.h"
#include "math/pattern.h"
#include "math/spatial.h"
#include "tree/joint.h"

enum { FB_MAX_LINK_V = 3 };

typedef enum FbLinkKind {
    FB_LINK_FIXED,
    FB_LINK_TURN,
    FB_LINK_SLIDE,
    FB_LINK_SCREW,
    FB_LINK_TRANSLATE3,
    FB_LINK_BALL
} FbLinkKind;

// One moving frame: elementary motion relative to its parent link (-1: ground); parents come before
// children.
typedef struct FbLink {
    FbLinkKind kind;
    int parent;
    int q0, n_q;   // coordinates
    int v0, n_v;   // velocities
    int axis;      // 0, 1, 2: of the link's own frame
    double sign;   // -1: the joint is traversed from b to a
    double pitch;  // screw: m per rad
    FbMat3 R_PJ;   // frame in which the motion happens, in the parent link
    FbVec3 p_PJ;
    double mass;
    FbVec3 center;   // link frame
    FbMat3 inertia;  // about the centre, link axes
    bool has_mass;
    bool carries_mass;    // it or a link beyond it has mass
    int joint;            // index of the user's joint, -1 for an implicit free motion
    int body;             // the user's body that this link carries, -1 for an intermediate one
    int base;             // the link that position and velocity are relative to
    bool is_base_moving;  // its own base, which it carries along: nothing up to the ground turns
    bool has_arm;         // its origin is not always its parent's
    int chart;            // 1 + the chart that begins here, 0: none
} FbLink;

// Three turns of one joint, one link each, that no part of the model reads as coordinates: near
// gimbal lock they are redefined from another frame (theory manual, section 2.7).
typedef struct FbChart {
    int link;        // the first of the three
    int joint;       // of the user
    int coordinate;  // of the joint: the first of the three angles
} FbChart;

typedef struct FbTree {
    int n_link, n_q, n_v;
    FbLink* links;
    int* link_of_v;  // [n_v]
    // Velocity indices of the first of each ball's three, and their links.
    int n_ball;
    int* ball_v;
    int* ball_link;
    FbChart* charts;
    int n_charts;
    FbVec3 gravity;
} FbTree;

// The chart that is in use.
typedef struct FbChartState {
    bool is_changed;  // not that of the user
    FbMat3 R_PJ;      // then: frame of the first turn
    // The last accepted point: rotation from a to b of the user's joint, its three angles, angular
    // velocity in the axes of b; and how long ago it was, s.
    FbMat3 R;
    double angle[3];
    FbVec3 w;
    double ago;
} FbChartState;

// Position and motion of all links; arrays of one allocation, index [link] or [velocity].
typedef struct FbKinematics {
    const FbTree* tree;
    FbMat3* R;         // R_GL
    FbVec3* p;         // origin, from that of the base
    FbVec3* arm;       // origin, from that of the parent
    FbVec3* base_p;    // of links that are bases: origin, from that of the ground, at q = 0,
    FbVec3* base_q;    // what the coordinates add to it,
    FbVec3* base_v;    // and its velocity
    FbVec6* V;         // angular velocity, velocity of the origin less that of the base
    FbVec6* A;         // angular acceleration, acceleration of the origin less g
    FbVec6 A_ground;   // -g, the acceleration of the ground itself
    FbVec6* F;         // force on the link's subtree through its joint
    FbVec6* S;         // [n_v]
    FbVec6* external;  // [n_link] applied force on each link, consumed by RNEA and ABA
    double* tau;       // [n_v] applied generalized force
    // Scratch of CRBA, ABA and the derivatives.
    FbInertia* Ic;             // composite inertia
    double* Bc;                // [n_link x 12] composite velocity-product matrix: 3x3 top, momentum
    FbVec6* psi1;              // [n_v] psi' = V_parent x S
    FbVec6* psi2;              // [n_v] psi''
    struct FbArticulated* IA;  // [n_link]
    FbVec6* pA;
    FbVec6* c;             // [n_link] acceleration by velocity products alone
    FbVec6* U;             // [n_v]
    double* D;             // [n_link x 6] factored
    double* u;             // [n_v]
    FbChartState* charts;  // [n_charts]
    // Articulated bodies in extended precision, where links are very light; else NULL.
    struct FbLongBody* long_bodies;     // [n_link]
    struct FbLongColumn* long_columns;  // [n_v]
} FbKinematics;

// All arrays, or those of a position alone (R, p, arm, base_p, base_q, S, charts; the others are
// NULL).
FbStatus fb_kinematics_init_position(const FbTree* tree, FbArena* arena, FbKinematics* k,
                                     FbError* err);
FbStatus fb_kinematics_init(const FbTree* tree, FbArena* arena, FbKinematics* k, FbError* err);

// Forward pass at (q): R, p, S. Then at (v): V. Then at (a): A.
void fb_tree_realize_position(const FbTree* tree, const double* q, FbKinematics* k);
void fb_tree_realize_velocity(const FbTree* tree, const double* v, FbKinematics* k);
void fb_tree_realize_acceleration(const FbTree* tree, const double* a, FbKinematics* k);

void fb_tree_clear_forces(const FbTree* tree, FbKinematics* k);

// r = ID(q, v, a) - J' external - tau; needs the three realize passes. F holds the transmitted
// forces.
void fb_tree_calc_residual(const FbTree* tree, FbKinematics* k, double* r);
// Its parts: the inertial force of each link alone into F, and F of a link added to its parent's.
void fb_tree_realize_inertial_forces(const FbTree* tree, FbKinematics* k);
void fb_tree_pass_force(const FbTree* tree, FbKinematics* k, int link);

// a = forward dynamics with external and tau, by articulated bodies; needs position and velocity.
// Returns -1, or the velocity index at which a (massless) part has no inertia.
int fb_tree_calc_accelerations(const FbTree* tree, FbKinematics* k, double* a);

// M in the pattern (entries of ancestors only are touched; values must be zeroed before).
void fb_tree_add_mass_matrix(const FbTree* tree, FbKinematics* k, const FbPattern* vv, double* M);

// M, C = d ID/dv, K = d ID/dq of the inertial and gravity terms; needs the three realize passes.
void fb_tree_add_derivatives(const FbTree* tree, FbKinematics* k, const FbPattern* vv, double* M,
                             double* C, double* K);

// What the same derivatives as recursions need beforehand (variation.h): composite inertias, and
// the inertial forces of subtrees in F.
void fb_tree_realize_subtrees(const FbTree* tree, FbKinematics* k);
// Composite inertias alone: Ic, of which M_kk = S . Ic S.
void fb_tree_realize_composites(const FbTree* tree, FbKinematics* k);

// Adds the structure of the above to a pattern: each velocity with its ancestors.
void fb_tree_add_pattern(const FbTree* tree, FbPatternBuilder* builder);

// Does a link of this kind keep its parent's axes?
static inline bool fb_link_keeps_axes(FbLinkKind kind) {
    return kind == FB_LINK_FIXED || kind == FB_LINK_SLIDE || kind == FB_LINK_TRANSLATE3;
}
// S . f of one column of a link: turns have no linear part, translations no angular one, eq. (2.2).
static inline double fb_link_dot(FbLinkKind kind, const FbVec6* S, const FbVec6* f) {
    return kind == FB_LINK_TURN || kind == FB_LINK_BALL ? fb_dot(S->ang, f->ang)
           : fb_link_keeps_axes(kind)                   ? fb_dot(S->lin, f->lin)
                                                        : fb_dot6(*S, *f);
}
// Sets base, is_base_moving and has_arm of a new link; parents come first.
void fb_tree_find_base(FbTree* tree, int link);

// Kinetic energy, potential energy of gravity, linear momentum and angular momentum about the
// ground origin.
typedef struct FbTreeEnergy {
    double kinetic, potential, mass;
    FbVec3 momentum, angular_momentum, center;
} FbTreeEnergy;
void fb_tree_calc_energy(const FbTree* tree, const FbKinematics* k, FbTreeEnergy* out);

// Charts (contract.h).
void fb_tree_plus(const FbTree* tree, const double* q0, const double* xi, double* q);
void fb_tree_minus(const FbTree* tree, const double* q, const double* q0, double* xi);
void fb_tree_chart_rate(const FbTree* tree, const double* xi, const double* v, double* xi_rate);
void fb_tree_coordinate_rates(const FbTree* tree, const double* q, const double* v, double* q_rate);
void fb_tree_normalize(const FbTree* tree, double* q);

#endif
