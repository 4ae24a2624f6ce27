// What a search for an equilibrium knows about the current position: unbalanced forces, merit,
// blocks, and the system (7.2) of a step.
#ifndef FLYBALL_SOLVE_BALANCE_H
#define FLYBALL_SOLVE_BALANCE_H

#include "math/linear.h"
#include "solve/operating_point.h"

typedef struct FbBalance {
    FbOperatingPoint* op;
    FbDynamics* d;
    FbArena* arena;
    FbPattern pattern;
    FbLinear* solver;
    int *of_vv, *of_g, *of_gt, *of_diagonal, *of_x;  // of_x: [2 n n_x + n_x^2] of Rx, Xq and Xx
    int n, n_c, n_x;
    double *x, *unbalanced, *q_kept, *q_new;
    double *q_first, *x_first, *q_begin, *load;
    double* correction;               // [n] of the refinement of a step
    double held;                      // the part of the load that is still held back
    double *state_rate, *state_kept;  // [n_x]
    double state_weight;              // of the states' rates in the merit
    bool has_control;                 // forces depend on states
    FbBlocks b;
    double* unit;     // [n] displacements of the model's size: its length, 1 rad
    double merit;     // sqrt(a' M a), and the rates of states
    double swiftest;  // acceleration in these units, 1/s^2: the largest, but a millionth of what
                      // the acting forces could give
    double residual;  // largest unbalanced force or rate of a state, relative
    double scale;     // largest acting force, J
    bool is_current;  // evaluated where the point is
    double fraction;  // largest unbalanced force, of the acting ones alone
    int worst;        // its velocity
    int worst_state;  // or its state, -1: none
} FbBalance;

// Takes the memory from s->arena; s->op, d, n, n_c, n_x and the patterns of s->b are set.
FbStatus fb_balance_build(FbBalance* s, FbError* err);
// Accelerations, blocks, unbalanced forces and merit at the current q.
FbStatus fb_balance_evaluate(FbBalance* s, FbError* err);
// Is all that is unbalanced rounding of the forces of linear structures?
bool fb_balance_is_rounding(const FbBalance* s);
// Solves for the step s->x with shift mu; false where the matrix is singular.
bool fb_balance_solve(FbBalance* s, double mu);

#endif
