// The internals of the module that reduces structures with PETSc and SLEPc.
#ifndef FLYBALL_MATH_REDUCE_SLEPC_H
#define FLYBALL_MATH_REDUCE_SLEPC_H

#include <slepceps.h>

#include "math/reducer.h"

// An entry of an own row of the inside with a coordinate of the boundary.
typedef struct FbCoupling {
    int inside, boundary;  // inside: of the own rows
    double value;
} FbCoupling;

typedef struct FbSlepcJob {
    MPI_Comm comm;
    const FbOwnRows* own;
    const int* boundary;
    FbReduced* out;
    int first_inside, n_inside;  // own rows that are not of the boundary
    int *b_of, *i_of;            // [n] index within the boundary or, over all ranks, the inside; -1
    Mat stiffness, mass;         // of the inside, by rows
    EPS eps;                     // its solver has the factors of the stiffness
    KSP ksp;
    Vec x, y;            // x: without an array of its own
    double* T;           // [n_inside x out->n] own rows of static shapes and modes
    double next_square;  // of the first mode that is not kept; 0: not known
    bool is_singular, has_missed;
} FbSlepcJob;

// reduce_slepc_modes.c: K^-1 is ready after the first; the lowest modes; whether all are there.
PetscErrorCode fb_slepc_factor(FbSlepcJob* job);
PetscErrorCode fb_slepc_solve(FbSlepcJob* job, double* x);  // own rows, in place
PetscErrorCode fb_slepc_find_modes(FbSlepcJob* job);
PetscErrorCode fb_slepc_count_modes(FbSlepcJob* job);

// reduce_slepc_project.c: the matrices of the inside; T' A T; loads and what modes leave out of
// them.
PetscErrorCode fb_slepc_form(FbSlepcJob* job, const FbSparse* from, Mat* out);
PetscErrorCode fb_slepc_project(FbSlepcJob* job, const FbSparse* from, Mat inside, double* out);
PetscErrorCode fb_slepc_calc_stiffness(FbSlepcJob* job);
PetscErrorCode fb_slepc_project_loads(FbSlepcJob* job);
PetscErrorCode fb_slepc_calc_residuals(FbSlepcJob* job);
// The right-hand sides -K_ib of the static shapes, into T.
PetscErrorCode fb_slepc_fill_static(FbSlepcJob* job);

#endif
