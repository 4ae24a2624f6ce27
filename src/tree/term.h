// Terms: scalar measures of relative motion of two links (or one coordinate), with value, rate and
// exact derivatives.
//
// Each measure of links A and B is objective: its rate is w . (V_B - V_A) with a spatial
// "direction" w that moves along when both links move rigidly. How w changes when B alone moves by
// x is D x. From value, w, D follow all derivatives with respect to q and v (theory manual, chapter
// 3): constraints, springs, actuators, sensors are all built from terms.
#ifndef FLYBALL_TREE_TERM_H
#define FLYBALL_TREE_TERM_H

#include "tree/motion.h"

typedef enum FbTermKind {
    FB_TERM_COORDINATE,  // q of one velocity index; as CARDAN where that is of a changed chart
    FB_TERM_SLIDE,       // a . (p_B - p_A), a fixed in A
    FB_TERM_DOT,         // a . b, a fixed in A, b in B
    FB_TERM_DISTANCE,    // |p_B - p_A|
    FB_TERM_TURN_A,      // angle of B about axis a fixed in A, counted from direction b of A to
                         // direction c of B
    FB_TERM_TURN_B,      // angle of B about axis a fixed in B, counted from direction b of A to
                         // direction c of B
    FB_TERM_CARDAN,  // angle number `axis` of the turns about x, y, z that lead from A to B: a is
                     // A's x axis, b is B's z axis, c is A's z axis, d is B's x axis
    FB_TERM_HEIGHT,  // of a wheel's lowest point above a plane of A: p_B centre, b wheel axis in B,
                     // a plane normal in A, p_A in the plane
    FB_TERM_SLIP,    // rate only: velocity along c (in A) of the wheel's material point at the
                     // contact
} FbTermKind;

// Does it measure a length between points?
static inline bool fb_term_is_position(FbTermKind kind) {
    return kind == FB_TERM_SLIDE || kind == FB_TERM_DISTANCE || kind == FB_TERM_HEIGHT ||
           kind == FB_TERM_SLIP;
}

typedef struct FbTerm {
    FbTermKind kind;
    double factor;
    int coordinate_q, coordinate_v;  // FB_TERM_COORDINATE
    int link_a, link_b;              // -1: ground
    FbVec3 p_a, p_b;                 // link frames
    FbVec3 a, b, c, d;
    int axis;        // CARDAN
    int chart;       // COORDINATE: 1 + the chart of the turns that it is one of, 0: none
    double radius;   // HEIGHT, SLIP
    bool is_sphere;  // HEIGHT, SLIP
    int turn;        // TURN, CARDAN: slot of the unwrapped angle, -1: principal value
    double start;    // TURN, CARDAN: the drawing shows the angle next to this one
    // Velocities between A and B that move one against the other: indices into FbPaths.
    int path, n_path;
} FbTerm;

// Paths of all terms: velocity index and sign (+1 on B's side, -1 on A's side).
typedef struct FbPaths {
    int* v;
    double* sign;
    int count, capacity;
} FbPaths;

typedef struct FbTermState {
    FbTermKind kind;  // as it is now
    double value;
    double rate;
    FbVec3
        at_b;  // the point that spatial vectors are about, that on B or the contact: from B's base
    FbVec3 at_a;    // the same point, from A's base
    FbVec3 held_a;  // a point of A on the line along which w acts, from A's base: p_A of a DISTANCE
    FbVec6 w;       // direction
    FbVec6 Vr;      // V_B - V_A
    FbVec3 a, b;    // axes in ground
    FbVec3 d;       // DISTANCE: unit vector; HEIGHT, SLIP: from contact to centre
    double length;  // DISTANCE: length; HEIGHT, SLIP: |e|; CARDAN: sign of the cosine between
} FbTermState;

// The column of velocity j on side `sign` of the path, about the term's point.
static inline FbVec6 fb_term_column(const FbKinematics* k, const FbTermState* s, int j,
                                    double sign) {
    return fb_column_at(k, j, sign > 0.0 ? s->at_b : s->at_a);
}
// The slope of the value along velocity j on side `sign` of the path, less the sign, eq. (3.4).
// With A's own point: a small body at the end of a long rope takes no moment of the rope's
// rounding.
static inline double fb_term_slope(const FbKinematics* k, const FbTermState* s, int j,
                                   double sign) {
    return fb_dot6(fb_column_at(k, j, sign > 0.0 ? s->at_b : s->held_a), s->w);
}
// Do the points of a DISTANCE coincide, so that it has no direction?
bool fb_term_is_collapsed(const FbTerm* term, const FbTermState* s);
// The largest of the coordinates that a length between points is a difference of; else 0.
double fb_term_calc_distance(const FbTerm* term, const FbKinematics* k, const FbTermState* s);
// B's velocity minus that of A's base (sign < 0) or of its own base.
static inline FbVec6 fb_term_velocity_b(const FbTerm* term, const FbKinematics* k,
                                        const FbTermState* s, double sign) {
    FbVec6 V = fb_velocity_about(k, term->link_b, s->at_b);
    if (sign < 0.0) {
        V.lin = fb_add(V.lin, fb_base_velocity_step(k, term->link_a, term->link_b));
    }
    return V;
}
// The force f along the term acts on B, and its opposite on A.
static inline void fb_term_push(const FbTerm* term, FbKinematics* k, const FbTermState* s,
                                double f) {
    fb_push(k, term->link_b, s->at_b, fb_scale6(f, s->w));
    fb_push(k, term->link_a, s->held_a, fb_scale6(-f, s->w));
}

// The kind that it is now.
static inline FbTermKind fb_term_kind(const FbTerm* term, const FbKinematics* k) {
    return term->chart > 0 && k->charts[term->chart - 1].is_changed ? FB_TERM_CARDAN : term->kind;
}
// The user's angles at the rotation R, continuous from the last accepted point along the shortest
// way, or that of as many turns as its angular velocity says.
void fb_chart_follow(const FbChartState* c, const FbMat3* R, double angle[3]);

// Value and direction at the realized position; turns holds the unwrapped angles (may be NULL).
void fb_term_calc_position(const FbTerm* term, const FbKinematics* k, const double* q,
                           const double* turns, FbTermState* s);
// The rate at the realized velocity.
void fb_term_calc_rate(const FbTerm* term, const FbKinematics* k, const double* v, FbTermState* s);

// D x: change of w when B moves by x and A rests.
FbVec6 fb_term_direction_change(const FbTerm* term, const FbTermState* s, FbVec6 x);
// D' y.
FbVec6 fb_term_direction_change_transposed(const FbTerm* term, const FbTermState* s, FbVec6 y);

// The second time derivative without the part linear in the coordinates' accelerations; needs A
// realized with a = 0 (the ground's -g cancels).
double fb_term_calc_acceleration_bias(const FbTerm* term, const FbKinematics* k,
                                      const FbTermState* s);
// The second time derivative, with A realized.
double fb_term_calc_acceleration(const FbTerm* term, const FbKinematics* k, const double* a,
                                 const FbTermState* s);

// Finds the path of a term and appends it; false when out of memory.
bool fb_term_find_path(const FbTree* tree, FbPaths* paths, FbTerm* term);

#endif
