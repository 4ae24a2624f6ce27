// The factors of the stiffness by MUMPS, and the lowest modes by Krylov-Schur's method on K^-1 M.
#include "math/reduce_slepc.h"

// Residuals of modes relative to their eigenvalues, whose errors are their squares.
static const double CONVERGED = 1e-10;
// Neighbours that differ by less count as one eigenvalue: nothing is counted between them.
static const double GAP = 1e-6;

// Modes and one more, so that a count knows where to look; 0: there are none to be found.
static int count_wanted(const FbSlepcJob* job) {
    PetscInt n;
    MatGetSize(job->stiffness, &n, NULL);
    int kept = job->out->n_modes;
    return kept > 0 && kept < n ? kept + 1 : kept;
}

// Are there factors that know signs of pivots? Not where PETSC_OPTIONS asks for an iteration.
static PetscErrorCode get_factors(PC pc, Mat* out) {
    PetscBool is_cholesky, is_lu;
    PetscFunctionBeginUser;
    *out = NULL;
    PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCCHOLESKY, &is_cholesky));
    PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCLU, &is_lu));
    if (is_cholesky || is_lu) {
        PetscCall(PCFactorGetMatrix(pc, out));
    }
    if (!is_cholesky) {
        *out = NULL;
    }
    PetscFunctionReturn(0);
}

// A stiffness that resists every motion has positive pivots alone.
static PetscErrorCode check_factors(FbSlepcJob* job) {
    PC pc;
    Mat factors;
    PetscInt negative = 0, zero = 0;
    MatFactorError trouble = MAT_FACTOR_NOERROR;
    PetscFunctionBeginUser;
    PetscCall(KSPGetPC(job->ksp, &pc));
    PetscCall(get_factors(pc, &factors));
    if (factors) {
        PetscCall(MatFactorGetError(factors, &trouble));
        PetscCheck(trouble != MAT_FACTOR_OUTMEMORY, job->comm, PETSC_ERR_MEM, "factors");
        PetscCheck(trouble == MAT_FACTOR_NOERROR || trouble == MAT_FACTOR_NUMERIC_ZEROPIVOT ||
                       trouble == MAT_FACTOR_STRUCT_ZEROPIVOT,
                   job->comm, PETSC_ERR_LIB, "the stiffness could not be factored");
    }
    job->is_singular = trouble != MAT_FACTOR_NOERROR;
    if (factors && !job->is_singular) {
        PetscCall(MatGetInertia(factors, &negative, &zero, NULL));
        job->is_singular = negative > 0 || zero > 0;
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode check_diagonal(FbSlepcJob* job) {
    PetscReal least;
    PetscFunctionBeginUser;
    PetscCall(MatGetDiagonal(job->stiffness, job->y));
    PetscCall(VecMin(job->y, NULL, &least));
    job->is_singular = !(least > 0.0);
    PetscFunctionReturn(0);
}

PetscErrorCode fb_slepc_factor(FbSlepcJob* job) {
    ST st;
    PetscInt n;
    int wanted = count_wanted(job);
    PetscFunctionBeginUser;
    PetscCall(MatGetSize(job->stiffness, &n, NULL));
    job->has_missed = false;
    PetscCall(check_diagonal(job));
    if (job->is_singular) {
        PetscFunctionReturn(0);
    }
    PetscCall(EPSCreate(job->comm, &job->eps));
    PetscCall(EPSSetOperators(job->eps, job->stiffness, job->mass));
    PetscCall(EPSSetProblemType(job->eps, EPS_GHEP));
    PetscCall(EPSSetDimensions(job->eps, wanted > 0 ? wanted : 1, PETSC_DEFAULT, PETSC_DEFAULT));
    PetscCall(EPSSetTolerances(job->eps, CONVERGED, PETSC_DEFAULT));
    PetscCall(EPSSetWhichEigenpairs(job->eps, EPS_TARGET_MAGNITUDE));
    PetscCall(EPSSetTarget(job->eps, 0.0));
    PetscCall(EPSSetFromOptions(job->eps));
    PetscCall(EPSSetUp(job->eps));
    PetscCall(EPSGetST(job->eps, &st));
    PetscCall(STGetKSP(st, &job->ksp));
    PetscCall(KSPSetUp(job->ksp));
    PetscCall(check_factors(job));
    PetscFunctionReturn(0);
}

PetscErrorCode fb_slepc_solve(FbSlepcJob* job, double* x) {
    KSPConvergedReason reason;
    PetscFunctionBeginUser;
    PetscCall(VecPlaceArray(job->x, x));
    PetscCall(KSPSolve(job->ksp, job->x, job->y));
    PetscCall(KSPGetConvergedReason(job->ksp, &reason));
    PetscCheck(reason > 0, job->comm, PETSC_ERR_NOT_CONVERGED,
               "a solve with the stiffness did not converge");
    PetscCall(VecCopy(job->y, job->x));
    PetscCall(VecResetArray(job->x));
    PetscFunctionReturn(0);
}

// Room between the last mode that is kept and the next one decides where they are counted.
PetscErrorCode fb_slepc_find_modes(FbSlepcJob* job) {
    FbReduced* out = job->out;
    PetscInt found = 0;
    PetscScalar value;
    PetscFunctionBeginUser;
    job->next_square = 0.0;
    if (out->n_modes == 0) {
        PetscFunctionReturn(0);
    }
    PetscCall(EPSSolve(job->eps));
    PetscCall(EPSGetConverged(job->eps, &found));
    PetscCheck(found >= out->n_modes, job->comm, PETSC_ERR_NOT_CONVERGED,
               "%d of %d modes were found", (int)found, out->n_modes);
    for (int i = 0; i < out->n_modes; i++) {
        PetscCall(
            VecPlaceArray(job->x, job->T + (size_t)(out->n_boundary + i) * (size_t)job->n_inside));
        PetscCall(EPSGetEigenpair(job->eps, i, &value, NULL, job->y, NULL));
        PetscCall(VecCopy(job->y, job->x));
        PetscCall(VecResetArray(job->x));
        out->squares[i] = value;
    }
    if (found > out->n_modes) {
        PetscCall(EPSGetEigenvalue(job->eps, out->n_modes, &value, NULL));
        job->next_square = value;
    }
    PetscFunctionReturn(0);
}

// Between which neighbours of the modes found; how many lie below.
static int choose_shift(const FbSlepcJob* job, double* shift) {
    const FbReduced* out = job->out;
    double above = job->next_square > 0.0 ? job->next_square : 0.0;
    for (int i = out->n_modes - 1; i >= 0; i--) {
        if (above > 0.0 && above - out->squares[i] > GAP * above) {
            *shift = 0.5 * (above + out->squares[i]);
            return i + 1;
        }
        above = out->squares[i];
    }
    return 0;
}

// As many pivots of K - s M are negative as there are eigenvalues below s (Sylvester).
static PetscErrorCode count_below(FbSlepcJob* job, double shift, PetscInt* count, bool* is_known) {
    Mat shifted, factors;
    PC pc;
    MatFactorError trouble = MAT_FACTOR_NOERROR;
    PetscFunctionBeginUser;
    PetscCall(MatDuplicate(job->stiffness, MAT_COPY_VALUES, &shifted));
    PetscCall(MatAXPY(shifted, -shift, job->mass, DIFFERENT_NONZERO_PATTERN));
    PetscCall(MatSetOption(shifted, MAT_SYMMETRIC, PETSC_TRUE));
    PetscCall(PCCreate(job->comm, &pc));
    PetscCall(PCSetOptionsPrefix(pc, "st_"));
    PetscCall(PCSetOperators(pc, shifted, shifted));
    PetscCall(PCSetFromOptions(pc));
    PetscCall(get_factors(pc, &factors));
    if (factors) {
        PetscCall(PCSetUp(pc));
        PetscCall(get_factors(pc, &factors));
        PetscCall(MatFactorGetError(factors, &trouble));
        *is_known = trouble == MAT_FACTOR_NOERROR;
    }
    if (*is_known) {
        PetscCall(MatGetInertia(factors, count, NULL, NULL));
    }
    PetscCall(PCDestroy(&pc));
    PetscCall(MatDestroy(&shifted));
    PetscFunctionReturn(0);
}

PetscErrorCode fb_slepc_count_modes(FbSlepcJob* job) {
    double shift = 0.0;
    int below = choose_shift(job, &shift);
    PetscInt count = 0;
    bool is_known = false;
    PetscFunctionBeginUser;
    if (below > 0) {
        PetscCall(count_below(job, shift, &count, &is_known));
    }
    job->has_missed = is_known && count != below;
    PetscFunctionReturn(0);
}
