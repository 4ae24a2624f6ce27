// The linear systems of implicit methods: the contract's blocks at one point, shifted by
// s = gamma/h.
//
// Solves, for real or complex s,
//
//   (s M + C) dv + K dxi + Rx dx + G' dl = bv
//   (s - W) dxi - dv                     = bxi
//   (s - Xx) dx - Xq dxi - Xv dv         = bx
//   G dv + Gq dxi                        = bc
//
// where xi' = D(xi) v and W = d xi'/d xi, which is 0 except for ball joints. dxi is eliminated:
// dxi = E (dv + bxi), E = (s - W)^-1, which leaves n_v + n_x + n_c unknowns.
#ifndef FLYBALL_SOLVE_NEWTON_MATRIX_H
#define FLYBALL_SOLVE_NEWTON_MATRIX_H

#include "base/complex.h"
#include "base/memory.h"
#include "system/contract.h"

typedef struct FbNewtonMatrix FbNewtonMatrix;

// The blocks of the contract in the form that its matrix is cheapest in.
FbStatus fb_newton_calc_blocks(FbDynamics* d, const FbPoint* p, FbBlocks* blocks, FbError* err);

// System 0 is real, systems 1 ... n_complex are complex. The patterns and sizes are taken from d
// and blocks.
FbStatus fb_newton_matrix_create(const FbDynamics* d, const FbBlocks* blocks, int n_complex,
                                 FbNewtonMatrix** out, FbError* err);
void fb_newton_matrix_destroy(FbNewtonMatrix* m);

// One more real system, number *k.
FbStatus fb_newton_matrix_add_real(FbNewtonMatrix* m, int* k, FbError* err);

// Were the patterns and sizes the same at creation?
bool fb_newton_matrix_fits(const FbNewtonMatrix* m, const FbDynamics* d, const FbBlocks* blocks);

// Creates *m where there is none yet, or creates it again where patterns or sizes have changed.
FbStatus fb_newton_matrix_renew(const FbDynamics* d, const FbBlocks* blocks, int n_complex,
                                FbNewtonMatrix** m, FbError* err);

// Copies the values of the blocks, taken at velocity v (whose ball joint entries give W).
void fb_newton_matrix_set_blocks(FbNewtonMatrix* m, const FbBlocks* blocks, const double* v);

// Assembles and factors system k for the shift s (real for k = 0 and those that were added).
// FB_RETRY: singular.
FbStatus fb_newton_matrix_factor(FbNewtonMatrix* m, int k, double complex s);

// Overwrites b = (bv, bx, bc) by (dv, dx, dl). bxi [n_v] may be NULL for zero and is overwritten by
// dxi. Complex vectors (k > 0) are interleaved.
void fb_newton_matrix_solve(FbNewtonMatrix* m, int k, double* b, double* bxi);

// Its blocks and factors (newton_memory.c). The patterns must be the same.
void fb_newton_matrix_remember(FbNewtonMatrix* m, FbMemory* memory);

double fb_newton_matrix_get_mass(const FbNewtonMatrix* m, int j);  // M_jj

int fb_newton_matrix_size(const FbNewtonMatrix* m);

// y += factor * M x
void fb_newton_matrix_add_mass_product(const FbNewtonMatrix* m, double factor, const double* x,
                                       double* y);

// x' M x, x' C x and x' K x.
typedef struct FbNewtonForms {
    double mass, damping, stiffness;
} FbNewtonForms;
FbNewtonForms fb_newton_matrix_calc_forms(FbNewtonMatrix* m, const double* x);

// The least inertia of a velocity, of the largest, both in units of their coordinates.
double fb_newton_matrix_calc_least_mass(const FbNewtonMatrix* m);

// y += G v + Gq xi; v or xi may be NULL for zero.
void fb_newton_matrix_add_constraint_product(const FbNewtonMatrix* m, const double* v,
                                             const double* xi, double* y);

// Powers of two [n] (velocities, states, multipliers) that bring the entries of matrices with
// constraints to about 1: M_ij u_i u_j, G_ci u_c u_i. Of the blocks set last.
const double* fb_newton_matrix_units(const FbNewtonMatrix* m);

#endif
