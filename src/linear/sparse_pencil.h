// The sparse eigenvalue problem of small motions about an operating point, shifted and factored.
//
// Undamped, with mu = w^2:          K x + G' l = mu M x,   G x = 0.
// Damped, y = (dq, dv, l, x):       A y = s E y, the pencil of the descriptor method (eq. 7.9).
// With a shift sigma the operator  u -> (A - sigma E)^-1 E u  has the eigenvalues nu = 1/(mu -
// sigma) or 1/(s - sigma), the same vectors, and a range that satisfies the constraints.
#ifndef FLYBALL_LINEAR_SPARSE_PENCIL_H
#define FLYBALL_LINEAR_SPARSE_PENCIL_H

#include "base/complex.h"
#include "math/linear.h"
#include "math/sparse.h"
#include "math/symmetric.h"
#include "solve/operating_point.h"

typedef struct FbSparsePencil {
    const FbOperatingPoint* op;
    FbBlocks b;
    bool is_damped, is_complex;
    bool is_symmetric;  // undamped and K = K' to rounding
    int n, m, m_h, n_x;
    int size;       // of the factored matrix
    int n_state;    // of the vectors u: dq, or (dq, dv/rate, x)
    int dimension;  // of the motions that the constraints allow
    double complex shift;
    double rate;                            // rad/s
    double stiffness_ratio;                 // trace |K| / trace M, rad^2/s^2
    double stiffest;                        // about the largest w^2, rad^2/s^2
    double size_K, size_C, size_M, size_G;  // largest row sums
    double* own_size;                       // [n] of each coordinate: displacements, turns and
                                            // modal amplitudes have units of their own
    int n_factorizations, n_solves;
    FbArena* arena;
    FbPattern pattern;
    FbSparse mass;             // symmetric: M without zero entries
    FbSymmetric* symmetric;    // factors what is symmetric ...
    FbLinear* linear;          // ... and this the rest
    int n_below;               // symmetric: modes below the shift, by the signs of the pivots
    bool is_held;              // K resists every motion that the constraints allow
    double* rhs;               // [2 size]
    double* scratch;           // [2 n_state]
    double complex* full;      // [size]
    double complex* force;     // [2 n]
    double complex* velocity;  // [n]
} FbSparsePencil;

// An eigenpair after it was put back into the equations of motion.
typedef struct FbSparsePair {
    double complex key;     // mu or s
    double complex lambda;  // 1/s
    double residual, constraint_residual;
    double drift;  // |Op u - nu u| / |nu u|
    bool is_rigid;
} FbSparsePair;

FbStatus fb_sparse_pencil_init(FbSparsePencil* p, const FbOperatingPoint* op, bool is_damped,
                               bool is_complex, FbError* err);
void fb_sparse_pencil_free(FbSparsePencil* p);
// FB_RETRY: singular to working precision, so the shift is an eigenvalue.
FbStatus fb_sparse_pencil_factor(FbSparsePencil* p, double complex shift);

// The number of modes with w^2 below `bound`, symmetric systems (eq. 7.26). The shift stays what it
// was but has to be factored again. FB_RETRY: the bound is a mode.
FbStatus fb_sparse_pencil_count(FbSparsePencil* p, double bound, int* n_below);

// y = Op u given B u, and B u: B = M undamped; damped B = 1 (call only the first). With a complex
// shift the operator is Re (A - sigma E)^-1 E, which is real and has the same vectors.
void fb_sparse_pencil_apply(void* self, const double* bu, double* y);
void fb_sparse_pencil_multiply(void* self, const double* u, double* bu);

// The right-hand side (B u, 0) or E u, into every stride-th entry of rhs; and the solution of the
// system whose right-hand side is in p->rhs.
void fb_sparse_pencil_load(FbSparsePencil* p, const double* bu, double* rhs, int stride);
void fb_sparse_pencil_solve(FbSparsePencil* p);
// Symmetric systems: replaces B [size x count] by the solutions.
FbStatus fb_sparse_pencil_solve_many(void* self, int count, double* b);

// Entry (r, c) of W, d(q')/dq of a ball joint that turns with body rates w: -[w]x.
static inline double fb_ball_rate(const double* w, int r, int c) {
    int third = 3 - r - c;
    return r == c ? 0.0 : (c == (r + 1) % 3 ? w[third] : -w[third]);
}

// The eigenvalue mu or s that belongs to nu; of a complex shift the root nearer to it.
double complex fb_sparse_pencil_key(const FbSparsePencil* p, double complex nu);
// Symmetric systems: one more application to each of `count` vectors U [n x count]: U becomes the
// solutions [size x count] with their multipliers (room for which is there).
FbStatus fb_sparse_pencil_refine(FbSparsePencil* p, int count, double* vectors);
// Normalises the displacements of such a solution x of the vector u, z [n], to z' M z = 1, and puts
// them into the unfactored equations.
void fb_sparse_pencil_check_real(FbSparsePencil* p, double nu, const double* u, double* x,
                                 double complex* z, FbSparsePair* out);
// Others: refines u by one more application, and likewise.
void fb_sparse_pencil_check(FbSparsePencil* p, double complex nu, const double complex* u,
                            double complex* z, FbSparsePair* out);

#endif
