// The insides of fronts: the plan, and what the kernels for real and complex numbers share.
#ifndef FLYBALL_TREE_FRONTS_PARTS_H
#define FLYBALL_TREE_FRONTS_PARTS_H

#include "math/linear.h"
#include "tree/fronts.h"

// An entry of P: where it is in a front of unknowns only.
typedef struct FbLinkFrontEntry {
    int value, row, col;
} FbLinkFrontEntry;

// The front of a link: rows are the force that its subtree needs (6) and the equations of unknowns,
// columns its motion (9) and the unknowns. The first n_pivot unknowns are eliminated here, the
// others are passed on to the parent.
typedef struct FbLinkFront {
    int link;                // -1: the ground, which eliminates what is left
    int n, n_pivot;          // unknowns
    int* unknowns;           // [n]
    int* to;                 // [n - n_pivot] place among the parent's unknowns
    bool has_passed;         // some came from children: their equations depend on the motion
    bool is_leaf;            // nothing was added to it before its turn
    bool opens_parent;       // nothing was added to the parent before
    int own[FB_MAX_LINK_V];  // places of the link's own velocities
    int n_own;
    FbLinkFrontEntry* entries;
    int n_entries;
    int matrix;   // offset of the (9 + n) columns; fronts of which one has passed on share it
    int factors;  // offset of what solving needs: for each pivot its reciprocal, row and column
} FbLinkFront;

struct FbTreePlan {
    FbArena* arena;
    const FbTree* tree;
    const FbPattern* pattern;
    int n, n_states;      // unknowns
    FbLinkFront* fronts;  // [n_link + 1]; that of the ground is the last
    int* ball_of;         // [n_link] its number among the balls, -1
    FbPattern ground;     // full, of the ground's unknowns
    int n_matrix, n_factors;
    double work;
};

struct FbTreeFronts {
    FbArena* arena;
    const FbTreePlan* plan;
    bool is_complex;
    double* values;    // of P
    double* matrix;    // [n_matrix]
    double* factors;   // [n_factors]
    double* columns;   // [n_v x 9] motion of the link by each of its velocities
    double* motion;    // [n_link x 9] of a solution
    double* force;     // [n_link x 6]
    double* rest;      // [ground unknowns]
    FbLinear* ground;  // NULL: nothing is left for it
};

// The kernels for one kind of number.
typedef struct FbTreeFrontKernel {
    FbStatus (*factor)(FbTreeFronts* f, const FbVariation* x, double complex s,
                       double complex (*E)[3][3]);
    void (*solve)(FbTreeFronts* f, const FbVariation* x, double* b);
} FbTreeFrontKernel;
extern const FbTreeFrontKernel fb_link_front_real, fb_link_front_complex;

// Row and column of a pivot after its reciprocal: the motion (9), the later unknowns; the force
// (6), the later unknowns.
static inline int fb_link_front_factor_size(const FbLinkFront* f, int pivot) {
    return 1 + FB_MOTION_SIZE + FB_FORCE_SIZE + 2 * (f->n - pivot - 1);
}

#endif
