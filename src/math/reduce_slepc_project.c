// The matrices of a structure by rows of processes, and what is left of them between static shapes
// and modes: sums over the rows of each process, added over all.
#include "math/reduce_slepc.h"

#include <math.h>
#include <petscblaslapack.h>
#include <string.h>

// Is row `own` of the own ones inside? Its number among the own rows of the inside counts up.
static bool is_inside(const FbSlepcJob* job, int own) {
    return job->i_of[job->own->first + own] >= 0;
}

static PetscErrorCode add_all(FbSlepcJob* job, double* sums, size_t count) {
    PetscFunctionBeginUser;
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, (int)count, MPI_DOUBLE, MPI_SUM, job->comm));
    PetscFunctionReturn(0);
}

// ---- Matrices of the inside ----

// Entries of each own row, with columns of own rows and of others.
static void count_entries(const FbSlepcJob* job, const FbPattern* p, PetscInt first, PetscInt* own,
                          PetscInt* others) {
    for (int j = 0, i = 0; j < job->own->count; j++) {
        for (int e = p->start[j]; is_inside(job, j) && e < p->start[j + 1]; e++) {
            int col = job->i_of[p->row[e]];
            bool is_own = col >= first && col < first + job->n_inside;
            own[i] += col >= 0 && is_own;
            others[i] += col >= 0 && !is_own;
        }
        i += is_inside(job, j);
    }
}

static PetscErrorCode copy_rows(const FbSlepcJob* job, const FbSparse* from, PetscInt first,
                                Mat to) {
    const FbPattern* p = &from->pattern;
    PetscFunctionBeginUser;
    for (int j = 0, i = 0; j < job->own->count; j++) {
        PetscInt row = first + i;
        for (int e = p->start[j]; is_inside(job, j) && e < p->start[j + 1]; e++) {
            PetscInt col = job->i_of[p->row[e]];
            if (col >= 0) {
                PetscCall(MatSetValues(to, 1, &row, 1, &col, &from->values[e], INSERT_VALUES));
            }
        }
        i += is_inside(job, j);
    }
    PetscFunctionReturn(0);
}

PetscErrorCode fb_slepc_form(FbSlepcJob* job, const FbSparse* from, Mat* out) {
    PetscInt *own, *others, first = job->first_inside, n = job->n_inside;
    PetscFunctionBeginUser;
    PetscCall(PetscCalloc2(n + 1, &own, n + 1, &others));
    PetscCall(MatCreate(job->comm, out));
    PetscCall(MatSetSizes(*out, n, n, PETSC_DETERMINE, PETSC_DETERMINE));
    PetscCall(MatSetType(*out, MATAIJ));
    count_entries(job, &from->pattern, first, own, others);
    PetscCall(MatSeqAIJSetPreallocation(*out, 0, own));
    PetscCall(MatMPIAIJSetPreallocation(*out, 0, own, 0, others));
    PetscCall(PetscFree2(own, others));
    PetscCall(copy_rows(job, from, first, *out));
    PetscCall(MatAssemblyBegin(*out, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*out, MAT_FINAL_ASSEMBLY));
    PetscCall(MatSetOption(*out, MAT_SYMMETRIC, PETSC_TRUE));
    PetscFunctionReturn(0);
}

// ---- What the boundary has to do with the inside ----

static PetscErrorCode list_couplings(const FbSlepcJob* job, const FbSparse* from, FbCoupling** out,
                                     int* count) {
    const FbPattern* p = &from->pattern;
    PetscFunctionBeginUser;
    *out = NULL;
    for (int pass = 0; pass < 2; pass++) {
        *count = 0;
        for (int j = 0, i = 0; j < job->own->count; j++) {
            for (int e = p->start[j]; is_inside(job, j) && e < p->start[j + 1]; e++) {
                int b = job->b_of[p->row[e]];
                if (b >= 0 && pass == 1) {
                    (*out)[*count] = (FbCoupling){i, b, from->values[e]};
                }
                *count += b >= 0;
            }
            i += is_inside(job, j);
        }
        if (pass == 0) {
            PetscCall(PetscMalloc1(*count + 1, out));
        }
    }
    PetscFunctionReturn(0);
}

// A_bb of own rows, and A_bi T of own rows of the inside, for columns first ... end - 1.
static void add_boundary(const FbSlepcJob* job, const FbSparse* from, const FbCoupling* couplings,
                         int count, int end, double* out) {
    const FbPattern* p = &from->pattern;
    size_t n = (size_t)job->out->n, n_i = (size_t)job->n_inside;
    for (int j = 0; j < job->own->count; j++) {
        int b = job->b_of[job->own->first + j];
        for (int e = p->start[j]; b >= 0 && e < p->start[j + 1]; e++) {
            if (job->b_of[p->row[e]] >= 0) {
                out[(size_t)job->b_of[p->row[e]] * n + (size_t)b] += from->values[e];
            }
        }
    }
    for (int c = 0; c < end; c++) {
        const double* x = job->T + (size_t)c * n_i;
        for (int k = 0; k < count; k++) {
            out[(size_t)c * n + (size_t)couplings[k].boundary] +=
                couplings[k].value * x[couplings[k].inside];
        }
    }
}

// T' y of own rows of the inside.
static PetscErrorCode add_inside(const FbSlepcJob* job, const double* y, double* out) {
    PetscBLASInt rows, cols, one = 1;
    PetscScalar unit = 1.0;
    PetscFunctionBeginUser;
    PetscCall(PetscBLASIntCast(job->n_inside, &rows));
    PetscCall(PetscBLASIntCast(job->out->n, &cols));
    if (rows > 0 && cols > 0) {
        PetscCallBLAS("BLASgemv", BLASgemv_("T", &rows, &cols, &unit, job->T, &rows, y, &one, &unit,
                                            out, &one));
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode add_products(FbSlepcJob* job, const FbCoupling* couplings, int count,
                                   Mat inside, double* out) {
    PetscScalar* y;
    PetscFunctionBeginUser;
    for (int c = 0; c < job->out->n; c++) {
        PetscCall(VecPlaceArray(job->x, job->T + (size_t)c * (size_t)job->n_inside));
        PetscCall(MatMult(inside, job->x, job->y));
        PetscCall(VecResetArray(job->x));
        PetscCall(VecGetArray(job->y, &y));
        for (int k = 0; k < count; k++) {
            y[couplings[k].inside] += couplings[k].boundary == c ? couplings[k].value : 0.0;
        }
        PetscCall(add_inside(job, y, out + (size_t)c * (size_t)job->out->n));
        PetscCall(VecRestoreArray(job->y, &y));
    }
    PetscFunctionReturn(0);
}

static void mirror(size_t n, double* a) {
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < j; i++) {
            a[j * n + i] = a[i * n + j] = 0.5 * (a[j * n + i] + a[i * n + j]);
        }
    }
}

PetscErrorCode fb_slepc_project(FbSlepcJob* job, const FbSparse* from, Mat inside, double* out) {
    size_t n = (size_t)job->out->n;
    FbCoupling* couplings;
    int count;
    PetscFunctionBeginUser;
    memset(out, 0, sizeof(double) * n * n);
    PetscCall(list_couplings(job, from, &couplings, &count));
    add_boundary(job, from, couplings, count, job->out->n, out);
    PetscCall(add_products(job, couplings, count, inside, out));
    PetscCall(PetscFree(couplings));
    PetscCall(add_all(job, out, n * n));
    mirror(n, out);
    PetscFunctionReturn(0);
}

// K_bb + K_bi Psi and the squares of the frequencies: what T' K T is without rounding.
PetscErrorCode fb_slepc_calc_stiffness(FbSlepcJob* job) {
    size_t n = (size_t)job->out->n, n_b = (size_t)job->out->n_boundary;
    double* out = job->out->stiffness;
    FbCoupling* couplings;
    int count;
    PetscFunctionBeginUser;
    memset(out, 0, sizeof(double) * n * n);
    PetscCall(list_couplings(job, &job->own->stiffness, &couplings, &count));
    add_boundary(job, &job->own->stiffness, couplings, count, (int)n_b, out);
    PetscCall(PetscFree(couplings));
    PetscCall(add_all(job, out, n * n));
    mirror(n, out);
    for (size_t i = n_b; i < n; i++) {
        out[i * n + i] = job->out->squares[i - n_b];
    }
    PetscFunctionReturn(0);
}

PetscErrorCode fb_slepc_fill_static(FbSlepcJob* job) {
    FbCoupling* couplings;
    int count;
    size_t n_i = (size_t)job->n_inside;
    PetscFunctionBeginUser;
    PetscCall(list_couplings(job, &job->own->stiffness, &couplings, &count));
    memset(job->T, 0, sizeof(double) * n_i * (size_t)job->out->n_boundary);
    for (int k = 0; k < count; k++) {
        job->T[(size_t)couplings[k].boundary * n_i + (size_t)couplings[k].inside] -=
            couplings[k].value;
    }
    PetscCall(PetscFree(couplings));
    PetscFunctionReturn(0);
}

// ---- Loads ----

// The own rows of the inside of a vector of all rows.
static void pick_inside(const FbSlepcJob* job, const double* from, double* to) {
    for (int j = 0; j < job->own->count; j++) {
        if (is_inside(job, j)) {
            *to++ = from[job->own->first + j];
        }
    }
}

PetscErrorCode fb_slepc_project_loads(FbSlepcJob* job) {
    const FbOwnRows* own = job->own;
    size_t n = (size_t)job->out->n;
    double* inside;
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc1(job->n_inside + 1, &inside));
    memset(job->out->loads, 0, sizeof(double) * n * (size_t)own->n_loads);
    for (int l = 0; l < own->n_loads; l++) {
        const double* load = own->loads + (size_t)l * (size_t)own->n;
        double* out = job->out->loads + (size_t)l * n;
        pick_inside(job, load, inside);
        PetscCall(add_inside(job, inside, out));
        for (int b = 0; b < job->out->n_boundary; b++) {
            int row = job->boundary[b];
            out[b] += row >= own->first && row < own->first + own->count ? load[row] : 0.0;
        }
    }
    PetscCall(PetscFree(inside));
    PetscCall(add_all(job, job->out->loads, n * (size_t)own->n_loads));
    PetscFunctionReturn(0);
}

static double dot(const double* a, const double* b, size_t n) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

// z = x - Phi Phi' f / w^2, own rows: what the modes leave out of the response x to f (eq. 12.18).
static PetscErrorCode take_modes_away(FbSlepcJob* job, const double* f, const double* x,
                                      double* shares, double* z) {
    const FbReduced* out = job->out;
    size_t n_i = (size_t)job->n_inside;
    const double* phi = job->T + (size_t)out->n_boundary * n_i;
    PetscFunctionBeginUser;
    for (int m = 0; m < out->n_modes; m++) {
        shares[m] = dot(phi + (size_t)m * n_i, f, n_i);
    }
    PetscCall(add_all(job, shares, (size_t)out->n_modes));
    memcpy(z, x, sizeof(double) * n_i);
    for (int m = 0; m < out->n_modes; m++) {
        for (size_t i = 0; i < n_i; i++) {
            z[i] -= shares[m] / out->squares[m] * phi[(size_t)m * n_i + i];
        }
    }
    PetscFunctionReturn(0);
}

// One force: x, z, f and row have room for the own rows of the inside.
static PetscErrorCode calc_residual(FbSlepcJob* job, int force, double* room, double* shares) {
    const FbOwnRows* own = job->own;
    size_t n_i = (size_t)job->n_inside, n = (size_t)own->n;
    int n_forces = own->n_loads - own->n_recovered;
    double *f = room, *x = f + n_i, *z = x + n_i, *row = z + n_i;
    PetscFunctionBeginUser;
    pick_inside(job, own->loads + (size_t)force * n, f);
    memcpy(x, f, sizeof(double) * n_i);
    PetscCall(fb_slepc_solve(job, x));
    PetscCall(take_modes_away(job, f, x, shares, z));
    double sums[2] = {dot(f, x, n_i), dot(f, z, n_i)};
    PetscCall(add_all(job, sums, 2));
    job->out->left_out[force] = sums[0] > 0.0 ? fmax(sums[1] / sums[0], 0.0) : 0.0;
    for (int k = 0; k < own->n_recovered; k++) {
        double* out = &job->out->residual[(size_t)k * (size_t)n_forces + (size_t)force];
        pick_inside(job, own->loads + (size_t)(n_forces + k) * n, row);
        *out = dot(row, z, n_i);
        PetscCall(add_all(job, out, 1));
    }
    PetscFunctionReturn(0);
}

PetscErrorCode fb_slepc_calc_residuals(FbSlepcJob* job) {
    double *room, *shares;
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc2(4 * (size_t)job->n_inside + 1, &room, job->out->n_modes + 1, &shares));
    for (int f = 0; f < job->own->n_loads - job->own->n_recovered; f++) {
        PetscCall(calc_residual(job, f, room, shares));
    }
    PetscCall(PetscFree2(room, shares));
    PetscFunctionReturn(0);
}
