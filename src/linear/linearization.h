// The internals of FbLinearization: dense blocks at an operating point and what the methods compute
// from them.
#ifndef FLYBALL_LINEAR_LINEARIZATION_H
#define FLYBALL_LINEAR_LINEARIZATION_H

#include "base/complex.h"
#include "flyball/linear.h"
#include "solve/operating_point.h"

// Dense column-major blocks of the contract.
typedef struct FbDenseBlocks {
    int n, m, m_h, n_x;  // velocities, rows, of these holonomic, states
    double *M, *C, *K;   // [n x n]
    double *G, *Gq;      // [m x n]
    double *Rx, *Xq, *Xv, *Xx;
    double* W;  // [n x n] d(q')/dq of ball joints, NULL where zero
    // Change of G and Gq in time [m x n], NULL where nothing moves; the rest is scratch for them.
    double *G_rate, *Gq_rate;
    double *moved_q, *moved_v, *step;
} FbDenseBlocks;

// Directions that constraints allow: rows of N at the independent indices are the identity.
typedef struct FbNullspace {
    int n, m, f;       // f = n - m
    double* work;      // [m x n] eliminated rows
    int* dependent;    // [m] pivot column of each row
    int* independent;  // [f]
    double* N;         // [n x f]
    double* scale;     // [n] of the columns
} FbNullspace;

struct FbLinearization {
    FbOperatingPoint* op;
    FbLinearOptions options;
    FbArena* arena;
    FbDenseBlocks b;
    FbNullspace holonomic, all;  // the same memory where there is no rolling
    bool is_holonomic;
    int f, p, n_reduced;
    double *Mr, *Cr, *Kr;     // [p x p], [p x p], [p x f]
    double* Bv;               // [n x f] velocities that go with displacements (zero at rest)
    double* Dv;               // [n x (f + p)] accelerations that go with both (zero at rest)
    double* A;                // [n_reduced^2] kept
    double *work_a, *work_e;  // matrices that eigenvalue routines destroy
    double *MN, *lu;          // [n x p], [p x p] of the scaled mass
    double* mass_unit;        // [p] powers of two that bring the diagonal of Mr to about 1
    int* pivot;
    int size;  // of the eigenvalue problem
    double complex *w, *alpha, *right, *left;
    double* beta;
    // Each mode's displacements [n x size], velocities [n x size] and states [n_x x size].
    double complex *xq, *xv, *xx;
    // Rigid-body motions: scaling of the reduced state, and an orthogonal basis whose first n_rigid
    // vectors span the null space of all powers of the scaled A; T is A in that basis.
    double *balance, *Q, *T;
    int n_rigid;
    double unit_rate, unit_energy;  // 1/s, J: of scaled blocks
    double rate_scale;              // 1/s: the fastest that stiffness, damping and mass can make
    double free_rate;               // 1/s: likewise, of the motions that the constraints leave
    FbMode* modes;
    int* order;  // modes sorted
    int n_modes;
    double *Bu, *Cy, *D;
    double* by_input;  // [n_u] scratch
    int n_u, n_y;
    int* output_of;   // [n_y]
    double* dense;    // scratch [4 n + n_x]
    double* motions;  // [2 x 6 bodies] of the bodies ...
    int moving;       // ... in this mode, -1: none yet
    bool has_run;
};

// For pictures: velocity of the origin and angular velocity of every body in a mode that exists,
// [n bodies x 6], ground axes; displacements where the eigenvalue is zero or infinite.
void fb_linearization_calc_motions(FbLinearization* l, int mode, double* re, double* im);
void fb_lowest_calc_motions(FbLowest* l, int mode, double* re, double* im);
// A point of a body by such motions, the imaginary ones after the real ones.
void fb_linear_move_point(FbOperatingPoint* op, const double* motions, int body, const double at[3],
                          double re[3], double im[3]);
// The velocities of all coordinates in a mode, likewise; in scratch memory of the linearization.
void fb_linearization_calc_velocities(FbLinearization* l, int mode, double** re, double** im);
void fb_lowest_calc_velocities(FbLowest* l, int mode, double** re, double** im);
FbOperatingPoint* fb_lowest_get_point(const FbLowest* l);

// terms.c
FbStatus fb_linear_take_blocks(FbLinearization* l,
                               FbError* err);  // evaluates the contract's blocks
void fb_nullspace_calc(FbNullspace* s, const double* rows, int ld, const double* M);

// independent.c, descriptor.c, dependent.c: fill w (finite ones), xq and the modes' is_infinite;
// set l->n_modes
FbStatus fb_linear_reduce(FbLinearization* l, FbError* err);
// Mr^-1 column [p], after it.
void fb_linear_solve_mass(const FbLinearization* l, double* column);
// Fills mass_unit.
void fb_linear_scale_mass(FbLinearization* l);
// Eigenvalues w and vectors `right` of work_a [n x n], which is destroyed, with its state measured
// in units of `scale` [n] (which may be beta).
FbStatus fb_linear_eigen(FbLinearization* l, int n, const double* scale, FbError* err);
FbStatus fb_linear_independent(FbLinearization* l, FbError* err);
FbStatus fb_linear_descriptor(FbLinearization* l, FbError* err);
FbStatus fb_linear_ode(FbLinearization* l, FbError* err);
FbStatus fb_linear_penalty(FbLinearization* l, FbError* err);

// rigid.c: after fb_linear_reduce, fills balance, Q, T and n_rigid.
FbStatus fb_linear_find_rigid(FbLinearization* l, FbError* err);
// How far a reduced state y [n_reduced] (destroyed) is from the rigid-body motions, 0 ... 1.
double fb_linear_distance_from_rigid(const FbLinearization* l, double complex* y);

// units.c: blocks in the model's own units; modes, after classification, in SI again.
void fb_linear_scale(FbLinearization* l);
void fb_linear_unscale(FbLinearization* l);

// classify.c
void fb_linear_classify(FbLinearization* l);

#endif
