// Articulated-body inertias: symmetric by construction, in blocks.
//
// F = I A with F = (n, f), A = (alpha, a), all about one point in ground axes:
//   n = J alpha + H a,  f = H' alpha + M a.
// Symmetric 3x3 blocks are stored once, as xx, xy, xz, yy, yz, zz: rounding that differs between
// two halves would grow along a rope, eq. (2.20).
#ifndef FLYBALL_TREE_ARTICULATED_H
#define FLYBALL_TREE_ARTICULATED_H

#include "tree/tree.h"

typedef struct FbArticulated {
    double J[6];
    FbVec3 H[3];  // rows
    double M[6];
} FbArticulated;

static inline FbVec3 fb_sym3_mul(const double s[6], FbVec3 x) {
    return (FbVec3){s[0] * x.x + s[1] * x.y + s[2] * x.z, s[1] * x.x + s[3] * x.y + s[4] * x.z,
                    s[2] * x.x + s[4] * x.y + s[5] * x.z};
}
static inline FbVec3 fb_rows3_mul(const FbVec3 h[3], FbVec3 x) {
    return (FbVec3){fb_dot(h[0], x), fb_dot(h[1], x), fb_dot(h[2], x)};
}
static inline FbVec3 fb_rows3_mul_transposed(const FbVec3 h[3], FbVec3 x) {
    return (FbVec3){h[0].x * x.x + h[1].x * x.y + h[2].x * x.z,
                    h[0].y * x.x + h[1].y * x.y + h[2].y * x.z,
                    h[0].z * x.x + h[1].z * x.y + h[2].z * x.z};
}
static inline FbVec6 fb_articulated_mul(const FbArticulated* i, FbVec6 x) {
    return (FbVec6){fb_add(fb_sym3_mul(i->J, x.ang), fb_rows3_mul(i->H, x.lin)),
                    fb_add(fb_rows3_mul_transposed(i->H, x.ang), fb_sym3_mul(i->M, x.lin))};
}

// The same in extended precision, for trees with links so light that rounding of what they carry
// counts (aba_long.c).
typedef struct FbLongBody FbLongBody;
typedef struct FbLongColumn FbLongColumn;

// Takes the arrays where the tree needs them; else they are NULL.
void fb_long_bodies_init(const FbTree* tree, FbArena* arena, FbKinematics* k);
// As fb_tree_calc_accelerations().
int fb_long_bodies_calc_accelerations(const FbTree* tree, FbKinematics* k, double* a);

#endif
