// Craig-Bampton reduction by several processes with PETSc and SLEPc under MPI: a module of its own,
// so that the program neither links them nor spends time on them unless it is asked to
// (docs/decisions/mpi.md). Eqs. 8.62 and 8.63 with K and M distributed by rows; K^-1 by MUMPS.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "math/reduce_slepc.h"

static const double close_s = 5.0;  // for ranks that may have failed alone
enum { MOST_SEARCHES = 3 };

// What PETSC_OPTIONS of the environment may change. Inertia (icntl 13) needs a root that is not
// factored by ScaLAPACK; 24: pivots of zero are counted; 14: room for pivoting, per cent.
static const char* const defaults[][2] = {
    {"-no_signal_handler", "true"},
    {"-st_type", "sinvert"},
    {"-st_ksp_type", "preonly"},
    {"-st_pc_type", "cholesky"},
    {"-st_pc_factor_mat_solver_type", "mumps"},
    {"-st_mat_mumps_icntl_13", "1"},
    {"-st_mat_mumps_icntl_24", "1"},
    {"-st_mat_mumps_icntl_14", "50"},
};

__attribute__((visibility("default"))) FbStatus fb_reducer_open(FbReducer* out, FbError* err);

static FbStatus fail(FbStatus status, const char* text, FbError* err) {
    err->status = status;
    snprintf(err->text, sizeof err->text, "%s", text);
    return status;
}

static FbStatus fail_petsc(PetscErrorCode code, FbError* err) {
    const char* text = NULL;
    char* specific = NULL;
    PetscErrorMessage(code, &text, &specific);
    if (code == PETSC_ERR_MEM) {
        return fail(FB_ERR_MEMORY, "out of memory", err);
    }
    err->status = FB_ERR_CONVERGENCE;
    snprintf(err->text, sizeof err->text, "PETSc or SLEPc failed: %.100s: %.300s",
             text ? text : "error", specific ? specific : "");
    return err->status;
}

static FbStatus agree(void* self, FbStatus own, int* count, FbError* err) {
    int worst = own, sum = *count;
    (void)self;
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MIN, PETSC_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, PETSC_COMM_WORLD);
    *count = sum;
    if (worst < 0 && own >= 0) {
        return fail((FbStatus)worst, "another process of mpirun failed", err);
    }
    return (FbStatus)worst;
}

static double measure_memory(void* self) {
    struct rusage usage;
    (void)self;
    getrusage(RUSAGE_SELF, &usage);
    double mb = (double)usage.ru_maxrss / 1024.0;
    MPI_Allreduce(MPI_IN_PLACE, &mb, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
    return mb;
}

static PetscErrorCode number(FbSlepcJob* job) {
    const FbOwnRows* own = job->own;
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc1(own->n + 1, &job->b_of));
    PetscCall(PetscMalloc1(own->n + 1, &job->i_of));
    for (int j = 0; j < own->n; j++) {
        job->b_of[j] = -1;
    }
    for (int b = 0; b < job->out->n_boundary; b++) {
        job->b_of[job->boundary[b]] = b;
    }
    for (int j = 0, next = 0; j < own->n; j++) {
        job->i_of[j] = job->b_of[j] < 0 ? next++ : -1;
        bool is_before = j < own->first, is_after = j >= own->first + own->count;
        job->first_inside += is_before && job->i_of[j] >= 0;
        job->n_inside += !is_before && !is_after && job->i_of[j] >= 0;
    }
    PetscCall(PetscCalloc1((size_t)job->n_inside * (size_t)job->out->n + 1, &job->T));
    PetscFunctionReturn(0);
}

static PetscErrorCode form(FbSlepcJob* job) {
    PetscFunctionBeginUser;
    PetscCall(number(job));
    PetscCall(fb_slepc_form(job, &job->own->stiffness, &job->stiffness));
    PetscCall(fb_slepc_form(job, &job->own->mass, &job->mass));
    PetscCall(MatCreateVecs(job->stiffness, NULL, &job->y));
    PetscCall(VecCreateMPIWithArray(job->comm, 1, job->n_inside, PETSC_DETERMINE, NULL, &job->x));
    PetscFunctionReturn(0);
}

static PetscErrorCode calc_static_shapes(FbSlepcJob* job) {
    PetscFunctionBeginUser;
    PetscCall(fb_slepc_fill_static(job));
    for (int b = 0; b < job->out->n_boundary; b++) {
        PetscCall(fb_slepc_solve(job, job->T + (size_t)b * (size_t)job->n_inside));
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode project(FbSlepcJob* job) {
    const FbOwnRows* own = job->own;
    PetscFunctionBeginUser;
    PetscCall(fb_slepc_project(job, &own->mass, job->mass, job->out->mass));
    PetscCall(fb_slepc_calc_stiffness(job));
    if (own->damping.values) {
        Mat damping;
        PetscCall(fb_slepc_form(job, &own->damping, &damping));
        PetscCall(fb_slepc_project(job, &own->damping, damping, job->out->damping));
        PetscCall(MatDestroy(&damping));
    }
    PetscCall(fb_slepc_project_loads(job));
    PetscCall(fb_slepc_calc_residuals(job));
    PetscFunctionReturn(0);
}

// Modes are searched for again, with another start, if a count of the eigenvalues says that some
// were missed: of multiple ones a search sees one after the other.
static PetscErrorCode reduce_all(FbSlepcJob* job) {
    PetscFunctionBeginUser;
    PetscCall(form(job));
    for (int i = 0; i == 0 || (job->has_missed && i < MOST_SEARCHES); i++) {
        PetscCall(fb_slepc_factor(job));
        if (job->is_singular) {
            break;
        }
        PetscCall(calc_static_shapes(job));
        PetscCall(fb_slepc_find_modes(job));
        PetscCall(project(job));
        PetscCall(EPSDestroy(&job->eps));
        PetscCall(fb_slepc_count_modes(job));
    }
    PetscFunctionReturn(0);
}

static void free_job(FbSlepcJob* job) {
    EPSDestroy(&job->eps);
    MatDestroy(&job->stiffness);
    MatDestroy(&job->mass);
    VecDestroy(&job->x);
    VecDestroy(&job->y);
    PetscFree(job->b_of);
    PetscFree(job->i_of);
    PetscFree(job->T);
}

static FbStatus reduce(void* self, const FbOwnRows* own, const int* boundary, FbReduced* out,
                       FbError* err) {
    FbSlepcJob job = {.comm = PETSC_COMM_WORLD, .own = own, .boundary = boundary, .out = out};
    (void)self;
    PetscErrorCode code = reduce_all(&job);
    free_job(&job);
    if (code != 0) {
        return fail_petsc(code, err);
    }
    if (job.is_singular) {
        return fail(FB_ERR_SINGULAR, "the inside can move without stiffness", err);
    }
    if (job.has_missed) {
        return fail(FB_ERR_CONVERGENCE,
                    "SLEPc missed modes that a count of the eigenvalues says there are; ask for a "
                    "few modes more or fewer",
                    err);
    }
    return FB_OK;
}

// Has every rank come here in time?
static int wait_for_all(void) {
    MPI_Request request;
    int is_done = 0;
    double start = MPI_Wtime();
    MPI_Ibarrier(PETSC_COMM_WORLD, &request);
    while (!is_done && MPI_Wtime() - start < close_s) {
        struct timespec pause = {0, 1000000};
        nanosleep(&pause, NULL);
        MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    }
    return is_done;
}

static void close_reducer(void* self, bool is_whole) {
    (void)self;
    if (!is_whole && !wait_for_all()) {
        MPI_Abort(PETSC_COMM_WORLD, 1);
    }
    SlepcFinalize();
}

FbStatus fb_reducer_open(FbReducer* out, FbError* err) {
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
        PetscOptionsSetValue(NULL, defaults[i][0], defaults[i][1]);
    }
    PetscErrorCode code = SlepcInitializeNoArguments();
    if (code != 0) {
        return fail(FB_ERR_UNAVAILABLE, "PETSc and SLEPc cannot be started", err);
    }
    PetscPushErrorHandler(PetscReturnErrorHandler, NULL);
    *out = (FbReducer){
        .agree = agree, .reduce = reduce, .measure_memory = measure_memory, .close = close_reducer};
    MPI_Comm_rank(PETSC_COMM_WORLD, &out->rank);
    MPI_Comm_size(PETSC_COMM_WORLD, &out->n_ranks);
    return FB_OK;
}
