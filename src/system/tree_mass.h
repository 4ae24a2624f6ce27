// The mass matrix of a deep tree without the matrix: products and solutions in O(number of links).
#ifndef FLYBALL_SYSTEM_TREE_MASS_H
#define FLYBALL_SYSTEM_TREE_MASS_H

#include "tree/fronts.h"

typedef struct FbTreeMass FbTreeMass;

// M + P; P, of this pattern, may have more unknowns than the tree has velocities (fronts.h, none of
// them states). Tree and pattern must outlive it.
FbStatus fb_tree_mass_create(const FbTree* tree, const FbPattern* pattern, FbTreeMass** out,
                             FbError* err);
void fb_tree_mass_destroy(FbTreeMass* m);  // NULL is allowed

// M at the realized position (overwrites the composites); then P is written, zeros at first.
void fb_tree_mass_set(FbTreeMass* m, FbKinematics* k);
double fb_tree_mass_get_diagonal(const FbTreeMass* m, int j);
double* fb_tree_mass_values(FbTreeMass* m);
// FB_RETRY: singular.
FbStatus fb_tree_mass_factor(FbTreeMass* m);
void fb_tree_mass_solve(FbTreeMass* m, double* b);
// y += factor M x
void fb_tree_mass_add_product(const FbTreeMass* m, double factor, const double* x, double* y);

#endif
