// IDA's BDF for the residuals of the contract, y = (q, v, x, w, lambda):
//   F = (q' - N v, r(t, q, v, v', x, lambda), x' - c, w' - powers, gdot) = 0,
// index 2 where there are constraints (theory manual, eq. 5.65). No forward dynamics except at
// the ends of steps, whose state is projected (sundials.c).
#include <ida/ida.h>
#include <ida/ida_ls.h>
#include <math.h>
#include <string.h>

#include "solve/point.h"
#include "solve/sundials_parts.h"

// Equations do not depend on the length of quaternions, nor does the matrix know it: with the
// length that a prediction has, what corrects it would disturb the constraints.
static void normalize(const FbDynamics* d, double* q) {
    for (int b = 0; b < d->n_ball; b++) {
        double *p = q + d->ball[b] + b, square = 0.0;
        for (int c = 0; c < 4; c++) {
            square += p[c] * p[c];
        }
        for (int c = 0; c < 4; c++) {
            p[c] /= sqrt(square);
        }
    }
}

// The point of y and its rates; q and v are those of s->work.
static FbPoint point_of(FbSundials* s, double t, N_Vector y, N_Vector y_rate) {
    FbPoint p = s->work, raw = fb_sundials_view(s, t, N_VGetArrayPointer(y));
    fb_sundials_copy_shifted(s, t, y, &p);
    normalize(s->base.dynamics, p.q);
    p.a = fb_sundials_view(s, t, N_VGetArrayPointer(y_rate)).v;
    p.lambda = raw.lambda;
    return p;
}

static int calc_residual(realtype t, N_Vector y, N_Vector y_rate, N_Vector out, void* self) {
    FbSundials* s = self;
    FbDynamics* d = s->base.dynamics;
    FbPoint p = point_of(s, t, y, y_rate);
    FbPoint rate = fb_sundials_view(s, t, N_VGetArrayPointer(y_rate)),
            f = fb_sundials_view(s, t, N_VGetArrayPointer(out));
    s->stats.rhs_evals++;
    fb_dynamics_tell_states(d, p.x);
    s->failure = d->ops->residual(d, &p, f.v, f.x, f.lambda);
    if (s->failure != FB_OK) {
        s->has_no_value = s->has_no_value || s->failure > 0;
        return s->failure > 0 ? 1 : -1;
    }
    d->ops->coordinate_rates(d, p.q, p.v, f.q);
    for (int i = 0; i < s->size.n_q; i++) {
        f.q[i] = rate.q[i] - f.q[i];
    }
    for (int i = 0; i < s->size.n_x; i++) {
        f.x[i] = rate.x[i] - f.x[i];
    }
    if (s->size.n_w > 0) {
        d->ops->powers(d, &p, f.w);
    }
    for (int i = 0; i < s->size.n_w; i++) {
        f.w[i] = rate.w[i] - f.w[i];
    }
    return 0;
}

// dF/dy + c_j dF/dy': the blocks with the shift c_j.
static int set_up_system(realtype t, realtype c_j, N_Vector y, N_Vector y_rate, N_Vector residual,
                         SUNMatrix A, void* self, N_Vector t1, N_Vector t2, N_Vector t3) {
    FbSundials* s = self;
    (void)residual, (void)A, (void)t1, (void)t2, (void)t3;
    FbPoint p = point_of(s, t, y, y_rate);
    s->failure = fb_sundials_realize_blocks(s, &p, &s->error);
    if (s->failure != FB_OK) {
        return s->failure > 0 ? 1 : -1;
    }
    s->gamma = 1.0 / c_j;
    s->stats.factorizations++;
    return fb_newton_matrix_factor(s->matrix, 0, c_j) == FB_OK ? 0 : 1;
}

// Powers are as good as the motion that they follow from: their derivatives are left out.
static int solve_system(SUNLinearSolver solver, SUNMatrix A, N_Vector x, N_Vector rhs,
                        realtype tolerance) {
    FbSundials* s = solver->content;
    (void)A, (void)tolerance;
    FbPoint b = fb_sundials_view(s, 0.0, N_VGetArrayPointer(rhs)),
            out = fb_sundials_view(s, 0.0, N_VGetArrayPointer(x));
    int n_v = s->size.n_v, n_x = s->size.n_x, n_c = s->size.n_c;
    fb_sundials_to_tangent(s, s->work.q, b.q, s->bxi);
    fb_array_copy(s->b, b.v, n_v);
    fb_array_copy(s->b + n_v, b.x, n_x);
    fb_array_copy(s->b + n_v + n_x, b.lambda, n_c);
    fb_newton_matrix_solve(s->matrix, 0, s->b, s->bxi);
    fb_sundials_from_tangent(s, s->work.q, s->bxi, b.q, s->gamma, out.q);
    fb_array_copy(out.v, s->b, n_v);
    fb_array_copy(out.x, s->b + n_v, n_x);
    fb_array_copy(out.lambda, s->b + n_v + n_x, n_c);
    for (int i = 0; i < s->size.n_w; i++) {
        out.w[i] = s->gamma * b.w[i];
    }
    return 0;
}

static void start(FbSundials* s) {
    FbDynamics* d = s->base.dynamics;
    FbPoint y = fb_sundials_view(s, s->at.t, N_VGetArrayPointer(s->y)),
            rate = fb_sundials_view(s, s->at.t, N_VGetArrayPointer(s->y_rate));
    N_VConst(0.0, s->y_rate);  // those of multipliers are not known
    fb_array_copy(y.lambda, s->at.lambda, s->size.n_c);
    d->ops->coordinate_rates(d, s->at.q, s->at.v, rate.q);
    fb_array_copy(rate.v, s->at.a, s->size.n_v);
    if (s->size.n_x > 0) {
        d->ops->state_rates(d, &s->at, rate.x);
    }
    if (s->size.n_w > 0) {
        d->ops->powers(d, &s->at, rate.w);
    }
}

// What the error test leaves out: multipliers, which are of index 2, and works, which drives take
// from them.
static void mark_differential(FbSundials* s) {
    N_VConst(1.0, s->is_differential);
    FbPoint id = fb_sundials_view(s, 0.0, N_VGetArrayPointer(s->is_differential));
    for (int i = 0; i < s->size.n_c; i++) {
        id.lambda[i] = 0.0;
    }
    for (int i = 0; i < s->size.n_w; i++) {
        id.w[i] = 0.0;
    }
}

static bool create(FbSundials* s) {
    const FbIntegratorOptions* o = &s->base.options;
    s->memory = IDACreate(s->context);
    mark_differential(s);
    return s->memory && IDASetErrHandlerFn(s->memory, fb_sundials_keep_message, s) == 0 &&
           IDAInit(s->memory, calc_residual, s->at.t, s->y, s->y_rate) == 0 &&
           IDASetUserData(s->memory, s) == 0 && IDASetId(s->memory, s->is_differential) == 0 &&
           IDASetSuppressAlg(s->memory, SUNTRUE) == 0 &&
           IDASetMaxConvFails(s->memory, FB_SUNDIALS_FAILURES) == 0 &&
           IDASetMaxErrTestFails(s->memory, FB_SUNDIALS_FAILURES) == 0 &&
           IDAWFtolerances(s->memory, fb_sundials_calc_weights) == 0 &&
           fb_sundials_create_solver(s, solve_system) &&
           IDASetNonlinearSolver(s->memory, s->nonlinear) == 0 &&
           IDASetLinearSolver(s->memory, s->linear, s->matrix_tag) == 0 &&
           IDASetJacFn(s->memory, set_up_system) == 0 &&
           (!isfinite(o->max_step) || !(o->max_step > 0.0) ||
            IDASetMaxStep(s->memory, o->max_step) == 0) &&
           (!(o->initial_step > 0.0) || IDASetInitStep(s->memory, o->initial_step) == 0);
}

static bool restart(FbSundials* s, double h) {
    return IDAReInit(s->memory, s->at.t, s->y, s->y_rate) == 0 && IDASetInitStep(s->memory, h) == 0;
}

static bool step(FbSundials* s, double t_limit, double* t) {
    return IDASetStopTime(s->memory, t_limit) == 0 &&
           IDASolve(s->memory, t_limit, t, s->y, s->y_rate, IDA_ONE_STEP) >= 0;
}

static bool interpolate(FbSundials* s, double t, N_Vector y) {
    return IDAGetDky(s->memory, t, 0, y) == 0;
}

static void count(FbSundials* s, FbSundialsCounts* out) {
    IDAGetNumSteps(s->memory, &out->steps);
    IDAGetNumErrTestFails(s->memory, &out->rejected);
    IDAGetNumNonlinSolvIters(s->memory, &out->iterations);
    IDAGetNumNonlinSolvConvFails(s->memory, &out->failures);
    IDAGetLastStep(s->memory, &out->h);
    IDAGetCurrentStep(s->memory, &out->next);
    IDAGetLastOrder(s->memory, &out->order);
}

static void destroy(FbSundials* s) {
    IDAFree(&s->memory);
}

const FbSundialsPackage fb_sundials_ida = {.name = "IDA",
                                           .has_multipliers = true,
                                           .start = start,
                                           .create = create,
                                           .restart = restart,
                                           .step = step,
                                           .interpolate = interpolate,
                                           .count = count,
                                           .destroy = destroy};
