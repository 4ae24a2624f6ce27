// Linear systems of a tree of links, solved in O(number of links): the derivatives of inverse
// dynamics shifted by s, plus a sparse matrix,
//   (s M + C + K E + P) x = b,   E: q = E v of each joint, 1/s except for balls,
// by elimination from the leaves to the ground (theory manual, section 2.8). M, C and K of the tree
// are given as recursions (variation.h) and never formed. P, given by a pattern, may couple any
// unknowns: its first n_v are the velocities of the tree, the others belong to no link.
#ifndef FLYBALL_TREE_FRONTS_H
#define FLYBALL_TREE_FRONTS_H

#include "base/complex.h"
#include "math/pattern.h"
#include "tree/variation.h"

// The order of elimination, shared by systems of the same pattern.
typedef struct FbTreePlan FbTreePlan;
typedef struct FbTreeFronts FbTreeFronts;

// Tree and pattern must outlive the plan, the plan its systems.
// The n_states unknowns after the velocities are eliminated last, the others where the velocities
// that P couples them with meet.
FbStatus fb_tree_plan_create(const FbTree* tree, const FbPattern* pattern, int n_states,
                             FbTreePlan** out, FbError* err);
void fb_tree_plan_destroy(FbTreePlan* plan);
// Multiplications of one factorization.
double fb_tree_plan_count_work(const FbTreePlan* plan);

FbStatus fb_tree_fronts_create(const FbTreePlan* plan, bool is_complex, FbTreeFronts** out,
                               FbError* err);
void fb_tree_fronts_destroy(FbTreeFronts* f);

// Where the caller writes P, in the order of its pattern (two doubles each when complex).
double* fb_tree_fronts_values(FbTreeFronts* f);
// E of the ball joints in the order of the tree. FB_RETRY: singular to working precision.
FbStatus fb_tree_fronts_factor(FbTreeFronts* f, const FbVariation* x, double complex s,
                               double complex (*E)[3][3]);
// Overwrites b by x (interleaved when complex).
void fb_tree_fronts_solve(FbTreeFronts* f, const FbVariation* x, double* b);

#endif
