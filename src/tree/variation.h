// The derivatives of inverse dynamics at one point as recursions over the links instead of
// matrices: O(number of links) numbers, where M, C and K of a chain have O(number^2).
//
// What varies is the motion of each link as seen from its own frame: nine numbers, of the angular
// velocity, the angular acceleration and the acceleration of the origin less g. Seen so, neither
// inertias nor axes vary, positions do not appear, and the joint's own coordinates are the only
// other cause (theory manual, eqs. 2.27-2.30):
//   y_i = B_i y_p + sum_k (a_k h^a_k + v_k h^v_k + q_k h^q_k)     q, v, a: variations of velocity k
//   F_i = N_i y_i + sum over children (T_c F_c + sum_k q_k j_k),  r_k = S_k . F_i
#ifndef FLYBALL_TREE_VARIATION_H
#define FLYBALL_TREE_VARIATION_H

#include "tree/tree.h"

enum { FB_MOTION_SIZE = 9, FB_FORCE_SIZE = 6 };

// Of one link. B y_p = (w, alpha + w x turn, a + alpha x arm + swing w).
typedef struct FbLinkVariation {
    bool has_mass;
    FbVec3 turn;                    // angular velocity relative to the parent
    FbVec3 arm;                     // from the parent's origin
    FbMat3 swing;                   // d a / d w of the parent
    FbInertia own;                  // N by (alpha, a), ...
    double by_w[FB_FORCE_SIZE][3];  // ... and by w
} FbLinkVariation;

// Of one velocity.
typedef struct FbColumnVariation {
    FbVec6 S;
    double by_v[FB_MOTION_SIZE], by_q[FB_MOTION_SIZE];  // by_a is (0, S)
    double force_by_q[FB_FORCE_SIZE];  // of what the link transmits, about the parent's origin
    double inertia;                    // M_kk
} FbColumnVariation;

typedef struct FbVariation {
    const FbTree* tree;
    FbLinkVariation* links;        // [n_link]
    FbColumnVariation* columns;    // [n_v]
    double* motion;                // [n_link x 9] scratch of products
    FbVec6 *acceleration, *force;  // [n_link]
} FbVariation;

// Memory of the arena; failures surface in fb_arena_has_failed().
void fb_variation_init(const FbTree* tree, FbArena* arena, FbVariation* x);

// At the point where k is realized with velocities v, subtrees too (tree.h).
void fb_variation_set(FbVariation* x, const FbKinematics* k, const double* v);

// M alone: at rest without gravity, where k has the position and the composites (tree.h).
void fb_variation_set_masses(FbVariation* x, const FbKinematics* k);

// r += factor (K q + C v + M a); any of the three may be NULL for zero. Vectors have `stride`
// doubles between entries.
void fb_variation_add_product(const FbVariation* x, double factor, const double* q, const double* v,
                              const double* a, int stride, double* r);

#endif
