// The insides of FbNewtonMatrix, shared by its creation and its use.
#ifndef FLYBALL_SOLVE_NEWTON_PARTS_H
#define FLYBALL_SOLVE_NEWTON_PARTS_H

#include "math/linear.h"
#include "solve/newton_matrix.h"
#include "tree/fronts.h"

enum { FB_NEWTON_SYSTEMS = 5 };

typedef struct FbNewtonSystem {
    FbLinear* linear;      // or
    FbTreeFronts* fronts;  // of a deep tree
    bool is_complex;
    bool is_scaled;  // by the units of the unknowns
    double complex s;
    double size;                // a power of two near |s|
    double complex (*E)[3][3];  // [n_ball]
} FbNewtonSystem;

struct FbNewtonMatrix {
    FbArena* arena;
    FbSizes size;
    int n;  // n_v + n_x + n_c
    int n_ball;
    const int* ball;
    int* ball_of;  // [n_v] the ball joint of this column, or -1
    FbPattern vv, cv, pattern;
    double *M, *C, *K, *G, *Gq, *Rx, *Xq, *Xv, *Xx;
    double* omega;  // [3 n_ball]
    // Powers of two that bring the entries of a system to about 1: with constraints, or where its
    // own units made it look singular.
    const FbDynamics* dynamics;  // its scales
    double* unit;                // [n] of the unknowns: velocities, states, multipliers
    int* diagonal;               // [n_v] places in vv
    int* place_vv;    // [count vv][3] target of (row, col), or of (row, each column of col's ball
                      // joint)
    int* place_cv;    // [count cv][3] the same for the constraint rows
    int* place_ct;    // [count cv] target of G'
    int* place_rx;    // [n_v x n_x]
    int* place_xv;    // [n_x x n_v]
    int* place_xx;    // [n_x x n_x]
    int* place_diag;  // [n_c]
    // Of a deep tree, whose share M, C and K lack.
    bool is_deep;
    bool may_be_symmetric;
    FbVariation tree;
    FbTreePlan* plan;
    int n_systems;
    FbNewtonSystem systems[FB_NEWTON_SYSTEMS];
    double* work;   // [2 n_v]
    double* probe;  // [2 n]
};

// The part that epsilon, with which the system was factored, leaves of an error of the multipliers
// in each iteration (newton_left.c).
double fb_newton_system_calc_left(FbNewtonMatrix* m, FbNewtonSystem* sys, double epsilon);

#endif
