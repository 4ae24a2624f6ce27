// Adding the derivatives of forces and constraints between two links to the blocks of the contract
// (theory manual, chapter 3).
#ifndef FLYBALL_SYSTEM_BLOCK_H
#define FLYBALL_SYSTEM_BLOCK_H

#include "system/work.h"

// Adds factor * d2 value/dq2 of a term (the change of its gradient with q) to K.
void fb_block_add_hessian(const FbSystem* s, const FbTerm* term, const FbTermState* state,
                          double factor, FbBlocks* b);

// How the force f on link B (and -f on A) changes when B moves by x while A rests, at fixed
// relative velocity; and with the relative velocity. All about one point.
typedef struct FbPairForce {
    FbVec3 at_b, at_a;  // the point, from the bases of B and A
    FbVec6 f;
    double D[36];  // row-major
    double E[36];
    int link_a, link_b;  // -1: ground
    int path, n_path;
} FbPairForce;

// Subtracts the force's derivatives from K and C (the residual has -f).
void fb_block_add_pair(const FbSystem* s, const FbPairForce* pair, FbBlocks* b);

// Subtracts (row) x (gradient): the force along `row` (values at the velocities v) depends on what
// g holds.
void fb_block_add_outer(const FbSystem* s, const int* v, const double* row, int n,
                        const FbGradient* g, FbBlocks* b);

#endif
