// The contract between mechanics and solvers: everything an integrator, a static solver or a
// linearization may know.
//
//   q' = N(q) v,   r(t,q,v,a,x,lambda) = M(q,t) a + h(t,q,v) - f(t,q,v,x) + G(q,t)' lambda = 0,
//   g(q,t) = 0 and its derivative, or a rolling condition:  gdot(t,q,v) = G v + b(q,t) = 0,
//   x' = c(t,q,v,x),   w' = p(t,q,v,a,x,lambda)  (quadratures: works; nothing depends on w).
//
// Derivatives with respect to q are taken in the tangent space: d/dq_j is the derivative along
// velocity v_j, so K and Gq have n_v columns also where q holds quaternions.
#ifndef FLYBALL_SYSTEM_CONTRACT_H
#define FLYBALL_SYSTEM_CONTRACT_H

#include "base/error.h"
#include "math/pattern.h"

typedef struct FbSizes {
    int n_q;       // coordinates (a ball joint has 4)
    int n_v;       // velocities
    int n_x;       // first-order states
    int n_w;       // quadratures
    int n_c;       // constraint rows in use (independent ones), each with a velocity equation gdot
    int n_g;       // of these the first n_g are holonomic and have a position equation g
    int n_root;    // event functions
    int n_switch;  // operations of expressions with pieces, which a step holds, or singular points
} FbSizes;

// A point of a trajectory. The caller owns the arrays.
typedef struct FbPoint {
    double t;
    double* q;       // [n_q]
    double* v;       // [n_v]
    double* a;       // [n_v] v'
    double* x;       // [n_x]
    double* lambda;  // [n_c]
    double* w;       // [n_w]
} FbPoint;

// The Jacobian blocks of the contract at one point.
typedef struct FbBlocks {
    const FbPattern* vv;  // pattern of M, C, K [n_v x n_v]
    const FbPattern* cv;  // pattern of G, Gq [n_c x n_v]
    double* M;            // dr/da
    double* C;            // dr/dv
    double* K;            // dr/dq, including the derivative of G' lambda
    double* G;            // d gdot/dv
    double* Gq;           // d gdot/dq
    // Behind their n_x columns, Rx and Xx have one for each input of the model: dr/du and dc/du.
    double* Rx;  // [n_v x n_x] dr/dx, column-major
    double* Xq;  // [n_x x n_v] dc/dq
    double* Xv;  // [n_x x n_v] dc/dv
    double* Xx;  // [n_x x n_x] dc/dx
    // NULL: M, C and K are complete. Else they lack the share of this tree, which is realized at
    // the point, with its subtrees.
    const struct FbKinematics* tree;
} FbBlocks;

// The equations of motion where they are linear in it: with d = q - origin,
//   r = M a + C v + K d + load(t) + shares of what travels (M, C, K of the time alone) + G' lambda,
//   g = G d + offset(t),
// and q' = v, without states.
typedef struct FbLinearForm {
    const FbPattern* vv;
    const double *M, *C, *K;  // constant: without what travels
    const double* origin;     // [n_q]
    const FbPattern* cv;
    const double* G;       // constant
    bool has_drives;       // some offset depends on time
    bool has_reaction;     // travelling parts have further shares of K: add_reaction()
    int max_moving;        // groups of travelling parts, at most
    bool has_near_powers;  // powers() reads only velocities that the groups touch
} FbLinearForm;

// What a travelling part touches in one direction: four sums x = sum_k F_k d_k of displacements ...
enum { FB_MOVING = 4, FB_MOVING_RANK = 3, FB_MOVING_KINDS = 3 };
typedef struct FbMovingGroup {
    int n;
    const int* v;     // [n] velocities
    const double* F;  // [n][4]
} FbMovingGroup;
// ... and at one time its forces on these, U (B_M x'' + B_C x' + B_K x).
typedef struct FbMovingShare {
    int rank;
    bool has_places;  // B_K is not zero
    double U[FB_MOVING_RANK][FB_MOVING];
    double B[FB_MOVING_KINDS][FB_MOVING_RANK][FB_MOVING];  // by accelerations, velocities, places
} FbMovingShare;

// Rates of the explicit form at one point.
typedef struct FbRates {
    double* q;  // [n_q] N v
    double* v;  // [n_v] a
    double* x;  // [n_x]
    double* w;  // [n_w]
} FbRates;

// What evaluations at one point cost, in operations.
typedef struct FbCosts {
    double rates;     // all of FbRates: forward dynamics, states, powers
    double residual;  // where `has_tapes`, as one of several points, as the next
    double power;
    double jacobian;
} FbCosts;

typedef struct FbDynamics FbDynamics;

typedef struct FbDynamicsOps {
    // r [n_v], c [n_x] and gdot [n_c] at p (p->w is not read). FB_RETRY where something is not
    // finite.
    FbStatus (*residual)(FbDynamics* d, const FbPoint* p, double* r, double* c, double* gdot);
    // r of n points at once, [n x n_v], as q, v and a; only where `has_tapes`.
    FbStatus (*residuals)(FbDynamics* d, int n, const double* q, const double* v, const double* a,
                          double* r);
    // Fills blocks (their arrays belong to the dynamics; valid until the next call that needs
    // blocks).
    FbStatus (*jacobian)(FbDynamics* d, const FbPoint* p, FbBlocks* blocks, FbError* err);
    // The same where nobody asks for positions and velocities of links afterwards. NULL: as above.
    FbStatus (*plain_jacobian)(FbDynamics* d, const FbPoint* p, FbBlocks* blocks, FbError* err);
    // The same, but the share of a deep tree in M, C and K is left out (FbBlocks.tree). Only where
    // `is_deep`.
    FbStatus (*split_jacobian)(FbDynamics* d, const FbPoint* p, FbBlocks* blocks, FbError* err);
    // Parts that travel along others (a mass on its guide): the velocities that they touch until
    // the next restart, *v, and how many these are; and their shares of M, C and K there at p, [n x
    // n] column-major. All of it is in jacobian(), too. NULL: nothing travels.
    int (*find_travelling)(FbDynamics* d, const int** v);
    void (*calc_travelling)(FbDynamics* d, const FbPoint* p, double* M, double* C, double* K);
    // Are the equations linear in the motion? The form is the dynamics' own and stays valid as long
    // as the sizes. FB_ERR_MODEL: they are not, and the error says which part is not. NULL: they
    // are not. The others need it to have been found.
    FbStatus (*find_linear)(FbDynamics* d, double t, FbLinearForm* out, FbError* err);
    // What travelling parts touch until the next restart, *groups, and how many these are.
    int (*find_moving)(FbDynamics* d, const FbMovingGroup** groups);
    // The load at t [n_v], and the shares of the groups.
    void (*calc_linear)(FbDynamics* d, double t, double* load, FbMovingShare* shares);
    // r += what travelling parts exert at t on displacements d beyond their shares: small next to
    // the stiffness.
    void (*add_reaction)(FbDynamics* d, double t, const double* displacement, double* r);
    // The offsets of the rows in use at t [n_c] and their first two derivatives.
    void (*calc_offsets)(FbDynamics* d, double t, double* offset, double* rate, double* second);
    // Forward dynamics: from t, q, v, x to a and lambda (written into p). FB_RETRY or an error
    // naming the part.
    FbStatus (*accelerations)(FbDynamics* d, FbPoint* p, FbError* err);
    // About the largest rate of the equations linearized at p, 1/s; 0: not known. May be NULL.
    double (*fastest_rate)(FbDynamics* d, const FbPoint* p);
    // Counted from the parts of the model and the rows in use, not timed. false: not known. May be
    // NULL.
    bool (*costs)(const FbDynamics* d, FbCosts* out);
    // Quadrature rates at p, with a and lambda given. NULL if n_w == 0.
    void (*powers)(FbDynamics* d, const FbPoint* p, double* w_rate);
    // Of n points at once, [n x n_w]; only where `has_tapes`.
    void (*all_powers)(FbDynamics* d, int n, const double* q, const double* v, double* w_rates);
    // x rates at p (t, q, v, x). NULL if n_x == 0.
    void (*state_rates)(FbDynamics* d, const FbPoint* p, double* x_rate);
    // Position error g [n_g] at t, q. NULL if n_c == 0.
    FbStatus (*position_error)(FbDynamics* d, double t, const double* q, double* g);
    // The states at the point that is projected next: constraints may follow them. NULL: they do
    // not.
    void (*at_states)(FbDynamics* d, const double* x);
    // Move q to g = 0 and v to gdot = 0, in the mass metric (smallest kinetic change); quaternions
    // are normalised. v may be NULL in the first. *error (may be NULL) receives the largest |g| (m,
    // rad) or |gdot| found before. NULL pointers if nothing needs projecting.
    FbStatus (*project_position)(FbDynamics* d, double t, double* q, double* error, FbError* err);
    FbStatus (*project_velocity)(FbDynamics* d, double t, const double* q, double* v, double* error,
                                 FbError* err);
    // Tangent-space chart around q0: q = q0 (+) xi, xi [n_v]; xi = q (-) q0; and xi' = D(xi) v.
    // Plain sums where there are no ball joints.
    void (*plus)(const FbDynamics* d, const double* q0, const double* xi, double* q);
    void (*minus)(const FbDynamics* d, const double* q, const double* q0, double* xi);
    void (*chart_rate)(const FbDynamics* d, const double* xi, const double* v, double* xi_rate);
    // x [n_v], forces or motions at q0, becomes what they are where nodes of structures have turned
    // with all around them from q0 to q: translations change their directions, body axes do not
    // need to. Only where `has_node_turns`.
    void (*turn_nodes)(const FbDynamics* d, const double* q0, const double* q, double* x);
    // N(q) v for methods that integrate q itself.
    void (*coordinate_rates)(const FbDynamics* d, const double* q, const double* v, double* q_rate);
    // Event functions [n_root]. NULL if n_root == 0.
    void (*roots)(FbDynamics* d, const FbPoint* p, double* values);
    // Does a crossing of this root count in a step that starts at t? If not, its values mean
    // nothing. NULL: always.
    bool (*is_armed)(const FbDynamics* d, int root, double t);
    // The first time > t at which the equations are not smooth (a law's corner), INFINITY if none.
    // May be NULL.
    double (*next_break)(const FbDynamics* d, double t);
    // Is the break at t but a corner in time of forces, which a step may pass? NULL: no.
    bool (*is_corner)(const FbDynamics* d, double t);
    // The run is at a break, at p: what changes there changes now. May be NULL.
    void (*at_break)(FbDynamics* d, const FbPoint* p);
    // FB_RETRY: the step from the last accepted point to p is too long to count turns in it, and
    // has to be a shorter one. May be NULL.
    FbStatus (*check_step)(FbDynamics* d, const FbPoint* p);
    // Called after each accepted step with the new point: lets the mechanics unwrap angles,
    // re-select independent constraint rows, ... *has_changed = true: sizes, patterns or the
    // equations changed; the integrator must restart from p (which may have been projected).
    FbStatus (*accepted)(FbDynamics* d, FbPoint* p, bool* has_changed, FbError* err);
    // Between the ends of a step: until leave_sample() other rows may be in use, which are good at
    // p; the integrator must not be called before. *has_other_rows: so p has to be projected again.
    // NULL: there are no others.
    FbStatus (*enter_sample)(FbDynamics* d, const FbPoint* p, bool* has_other_rows, FbError* err);
    void (*leave_sample)(FbDynamics* d);
    // Event `root` happened at p in direction `direction`: may switch laws; *has_changed as above;
    // *stop = true ends the run.
    FbStatus (*event)(FbDynamics* d, FbPoint* p, int root, int direction, bool* has_changed,
                      bool* stop, FbError* err);
    // Pieces: from now on the expressions are held on those that they are on at p. NULL if n_switch
    // == 0, as the next ones.
    void (*hold_pieces)(FbDynamics* d, const FbPoint* p);
    // How deep inside its piece each switch is (negative: beyond the border; NaN: inactive now),
    // and the size of the numbers that this is the difference of, [n_switch].
    void (*depths)(FbDynamics* d, const FbPoint* p, double* depth, double* scale);
    // Switch i goes over to the piece beyond the border that it is at.
    void (*change_piece)(FbDynamics* d, const FbPoint* p, int i);
    // The motion has arrived at p without a change: angles are held around where they are now.
    void (*follow_pieces)(FbDynamics* d, const FbPoint* p);
    // Is i not held, but a singular point (of sqrt, hypot, ...) that may be touched? Its depth is
    // how far that is.
    bool (*is_touch)(const FbDynamics* d, int i);
    // Free: not held, it takes the piece that it is on wherever it is evaluated.
    void (*free_piece)(FbDynamics* d, int i, bool is_free);
    // Switch i begins to slide along its border: from both sides the motion returns to it. h: the
    // length of a step. false: it cannot.
    bool (*slide)(FbDynamics* d, const FbPoint* p, int i, double h);
    // These n switches and those that slide, all on their borders, take the pieces, or slide, so
    // that no other one of them has to change. false: no way was found.
    bool (*settle)(FbDynamics* d, const FbPoint* p, int n, const int* switches, double h);
    // Inactive ones (depth NaN) take the pieces they are on a little later than p.
    // h: the length of a step.
    void (*reset_idle_pieces)(FbDynamics* d, const FbPoint* p, const double* depth, double h);
    const char* (*name_of_switch)(const FbDynamics* d, int i);  // "force 'floor'"
    // Why the last evaluation returned FB_RETRY, with the place in the model file where it is
    // known; NULL: not known. May be NULL itself.
    const FbError* (*trouble)(const FbDynamics* d);
    // What is singular near the point of the last evaluation, for runs that cannot continue; NULL:
    // not known. May be NULL itself.
    const FbError* (*singularity)(FbDynamics* d);
    // Text naming coordinate j of v (for messages), e.g. "joint 'crank'".
    const char* (*name_of_velocity)(const FbDynamics* d, int j);
} FbDynamicsOps;

struct FbDynamics {
    const FbDynamicsOps* ops;
    FbSizes size;
    // Velocity indices of the first of each ball joint's three rotations: only there D(xi) is not
    // the identity. d(xi')/dxi at xi = 0 is W = -1/2 [omega]x for each (xi' = omega + 1/2 xi x
    // omega + ...).
    int n_ball;
    const int* ball;  // [n_ball]
    // Natural magnitudes for error weights; NULL: 1. Errors below atol times these are ignored if
    // the motion is that large; if all of it is smaller, atol is reduced with it, but not below
    // `least` of the scales (1 where constraints hold a coordinate to that) nor below rounding.
    const double* q_scale;   // [n_v] in the tangent space (m or rad)
    const double* q_origin;  // [n_q] where the size of a coordinate is counted from; NULL: zero
    const double* v_scale;   // [n_v] per second: the scale of q times the rate of the motion
    const double* least;     // [n_v] NULL: 1
    // [n_v] the first of the components of one vector (a translation, the turns of a node) that
    // velocity j belongs to, which follow each other and have the same scales: errors are judged by
    // its length, in whatever axes. NULL: each is alone.
    const int* vector;
    const double* c_scale;  // [n_c] of constraint rows (m or rad)
    double w_scale;         // of quadratures; 0: 1
    double rounding;        // relative to the scales
    double noise;           // likewise: smaller motion is rounding
    bool has_node_turns;    // some nodes of structures turn far: turn_nodes()
    bool is_stiff;          // structures: accelerations are differences of large forces
    long row_changes;       // how often accepted() found more rows to be independent
    // With what accepted() has changed, the motion is the same: other rows hold it (4.17). If
    // nothing else interrupts the run, the method that took the step continues with its step
    // length.
    bool keeps_motion;
    bool has_roots_of_time;  // the event functions depend on time alone
    // Without constraints, accelerations cost little more than a residual, whatever n_v.
    bool has_fast_accelerations;
    bool is_deep;  // a tree whose M, C and K are nearly full
    // A small model without rows, states and balls whose equations are evaluated for several points
    // at once.
    bool has_tapes;
};

// To be called before a projection.
static inline void fb_dynamics_tell_states(FbDynamics* d, const double* x) {
    if (d->ops->at_states) {
        d->ops->at_states(d, x);
    }
}

#endif
