// Reduces a structure to the coordinates where others attach and a few modes in between.
#ifndef FLYBALL_MATH_CRAIG_BAMPTON_H
#define FLYBALL_MATH_CRAIG_BAMPTON_H

#include "math/subspace.h"

// The matrices of a structure of n coordinates, all symmetric.
typedef struct FbStructureMatrices {
    FbSparse mass, stiffness, damping;  // damping.values NULL: none
    const double* loads;                // [n x n_loads] vectors that are projected too; NULL: none
    int n_loads;
    int n_recovered;  // the last of these are not forces but rows of what is measured
} FbStructureMatrices;

// What is left: first the boundary coordinates in the order given, then the modes.
typedef struct FbReduced {
    int n_boundary, n_modes, n;          // n = n_boundary + n_modes
    double *mass, *stiffness, *damping;  // [n x n] column-major; damping NULL: none
    double* loads;                       // [n x n_loads]
    double* squares;                     // [n_modes] rad2/s2, with the boundary held
    // What the modes leave out of the static response to each force with the boundary held, f' K^-1
    // f, as a part of it, [n_loads - n_recovered]; and what that adds to each measured row,
    // [n_loads
    // - n_recovered x n_recovered].
    double *left_out, *residual;
    const int *b_of, *i_of;   // [rows of the whole] index within the boundary or the inside, -1
    const double *psi, *phi;  // static shapes and modes of the inside: T = [I 0; psi phi]
    int n_inside;
} FbReduced;

// Entry of T: the motion of a row of the whole by a coordinate of what is left.
double fb_reduced_get(const FbReduced* r, int row, int coordinate);

// Craig-Bampton. boundary [n_boundary] are distinct coordinates; n_modes counts the modes with the
// boundary held, the lowest ones; -1: all. FB_ERR_SINGULAR: something can move without stiffness
// while the boundary is held; *where is such a coordinate.
FbStatus fb_craig_bampton(const FbStructureMatrices* whole, const int* boundary, int n_boundary,
                          int n_modes, FbModesMethod method, FbArena* arena, FbReduced* out,
                          int* where, FbError* err);

// Displacements x [n x count] of the whole where those of the boundary, x_b [n_boundary x count],
// are given and no force acts on the others. FB_ERR_SINGULAR as above.
FbStatus fb_follow_boundary(const FbSparse* stiffness, const int* boundary, int n_boundary,
                            const double* x_b, int count, double* x, FbError* err);

#endif
