// The linear systems of CVODE's Newton iteration in the second-order form of newton_matrix.h.
//
// (1 - gamma J) d = b with s = 1/gamma; what is normal to the constraints passes unchanged, because
// the rates are evaluated at the projected state and do not depend on it.
#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <string.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

#include "math/rotation.h"
#include "solve/point.h"
#include "solve/sundials_parts.h"

FbStatus fb_sundials_realize_blocks(FbSundials* s, const FbPoint* p, FbError* err) {
    FbDynamics* d = s->base.dynamics;
    FbBlocks blocks;
    memset(&blocks, 0, sizeof blocks);
    FbStatus status = fb_newton_calc_blocks(d, p, &blocks, err);
    if (status != FB_OK) {
        return status;
    }
    FB_TRY(fb_newton_matrix_renew(d, &blocks, 0, &s->matrix, err));
    fb_newton_matrix_set_blocks(s->matrix, &blocks, p->v);
    s->stats.jacobian_evals++;
    return FB_OK;
}

static int set_up_system(realtype t, N_Vector y, N_Vector fy, SUNMatrix A,
                         booleantype is_jacobian_ok, booleantype* is_current, realtype gamma,
                         void* self, N_Vector t1, N_Vector t2, N_Vector t3) {
    FbSundials* s = self;
    (void)fy, (void)A, (void)t1, (void)t2, (void)t3;
    *is_current = !is_jacobian_ok;
    if (!is_jacobian_ok || !s->matrix) {
        if (fb_sundials_realize(s, t, y, &s->work) == FB_OK) {
            s->failure = fb_sundials_realize_blocks(s, &s->work, &s->error);
        }
        if (s->failure != FB_OK) {
            return s->failure > 0 ? 1 : -1;
        }
        *is_current = SUNTRUE;
    }
    s->gamma = gamma;
    s->stats.factorizations++;
    return fb_newton_matrix_factor(s->matrix, 0, 1.0 / gamma) == FB_OK ? 0 : 1;
}

void fb_sundials_to_tangent(const FbSundials* s, const double* q, const double* bq, double* bxi) {
    const FbDynamics* d = s->base.dynamics;
    for (int j = 0; j < s->size.n_v; j++) {
        bxi[j] = s->weights.q_of_v[j] >= 0 ? bq[s->weights.q_of_v[j]] : 0.0;
    }
    for (int b = 0; b < d->n_ball; b++) {
        int j = d->ball[b], k = j + b;
        for (int c = 0; c < 3; c++) {
            double column[4];
            fb_quaternion_rate(q + k, fb_vec3(c == 0, c == 1, c == 2), column);
            bxi[j + c] = 4.0 * (column[0] * bq[k] + column[1] * bq[k + 1] + column[2] * bq[k + 2] +
                                column[3] * bq[k + 3]);
        }
    }
}

void fb_sundials_from_tangent(const FbSundials* s, const double* q, const double* dxi,
                              const double* bq, double length, double* dq) {
    const FbDynamics* d = s->base.dynamics;
    for (int j = 0; j < s->size.n_v; j++) {
        if (s->weights.q_of_v[j] >= 0) {
            dq[s->weights.q_of_v[j]] = dxi[j];
        }
    }
    for (int b = 0; b < d->n_ball; b++) {
        int j = d->ball[b], k = j + b;
        double tangent[4], along = 0.0;
        for (int c = 0; c < 4; c++) {
            along += length * q[k + c] * bq[k + c];
        }
        fb_quaternion_rate(q + k, fb_vec3_from(dxi + j), tangent);
        for (int c = 0; c < 4; c++) {
            dq[k + c] = tangent[c] + along * q[k + c];
        }
    }
}

// (1 - gamma J) x = b.
static int solve_system(SUNLinearSolver solver, SUNMatrix A, N_Vector x, N_Vector rhs,
                        realtype tolerance) {
    FbSundials* s = solver->content;
    (void)A, (void)tolerance;
    FbPoint b = fb_sundials_view(s, 0.0, N_VGetArrayPointer(rhs)),
            out = fb_sundials_view(s, 0.0, N_VGetArrayPointer(x));
    int n_v = s->size.n_v, n_x = s->size.n_x;
    double shift = 1.0 / s->gamma;
    memset(s->b, 0, sizeof(double) * (size_t)fb_newton_matrix_size(s->matrix));
    fb_sundials_to_tangent(s, s->work.q, b.q, s->bxi);
    fb_newton_matrix_add_mass_product(s->matrix, shift, b.v, s->b);
    fb_newton_matrix_add_constraint_product(s->matrix, b.v, s->bxi, s->b + n_v + n_x);
    for (int i = 0; i < n_v; i++) {
        s->bxi[i] *= shift;
    }
    for (int i = 0; i < n_x; i++) {
        s->b[n_v + i] = shift * b.x[i];
    }
    fb_newton_matrix_solve(s->matrix, 0, s->b, s->bxi);
    fb_sundials_from_tangent(s, s->work.q, s->bxi, b.q, 1.0, out.q);
    fb_array_copy(out.v, s->b, n_v);
    fb_array_copy(out.x, s->b + n_v, n_x);
    fb_array_copy(out.w, b.w, s->size.n_w);
    return 0;
}

static SUNLinearSolver_Type solver_type(SUNLinearSolver solver) {
    (void)solver;
    return SUNLINEARSOLVER_DIRECT;
}

static int solver_ready(SUNLinearSolver solver) {
    (void)solver;
    return 0;
}

static int solver_setup(SUNLinearSolver solver, SUNMatrix A) {
    (void)solver, (void)A;
    return 0;
}

static int solver_free(SUNLinearSolver solver) {
    SUNLinSolFreeEmpty(solver);
    return 0;
}

static SUNMatrix_ID matrix_id(SUNMatrix A) {
    (void)A;
    return SUNMATRIX_CUSTOM;
}

static void matrix_free(SUNMatrix A) {
    SUNMatFreeEmpty(A);
}

static int matrix_zero(SUNMatrix A) {
    (void)A;
    return 0;
}

bool fb_sundials_create_solver(FbSundials* s, FbSundialsSolve solve) {
    s->nonlinear = SUNNonlinSol_Newton(s->y, s->context);
    s->linear = SUNLinSolNewEmpty(s->context);
    s->matrix_tag = SUNMatNewEmpty(s->context);
    if (!s->nonlinear || !s->linear || !s->matrix_tag) {
        return false;
    }
    s->matrix_tag->ops->getid = matrix_id;
    s->matrix_tag->ops->zero = matrix_zero;
    s->matrix_tag->ops->destroy = matrix_free;
    s->linear->content = s;
    s->linear->ops->gettype = solver_type;
    s->linear->ops->initialize = solver_ready;
    s->linear->ops->setup = solver_setup;
    s->linear->ops->solve = solve;
    s->linear->ops->free = solver_free;
    return true;
}

bool fb_sundials_attach_newton(FbSundials* s) {
    return fb_sundials_create_solver(s, solve_system) &&
           CVodeSetNonlinearSolver(s->memory, s->nonlinear) == 0 &&
           CVodeSetLinearSolver(s->memory, s->linear, s->matrix_tag) == 0 &&
           CVodeSetLinSysFn(s->memory, set_up_system) == 0;
}
