// CVODE's BDF and Adams methods (SUNDIALS) for y = (q, v, x, w) by forward dynamics.
//
// Constraints: the rates are evaluated at the projected state P(y). BDF projects y itself in each
// step (CVODE's projection); Adams restarts from P(y) where y has drifted. Newton's systems (1 -
// gamma J) d = b are solved in the second-order form of newton_matrix.h with s = 1/gamma; what is
// normal to the constraints passes unchanged, because the rates do not depend on it.
#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <cvode/cvode_proj.h>
#include <float.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

#include "math/rotation.h"
#include "solve/integrator.h"
#include "solve/newton_matrix.h"
#include "solve/point.h"
#include "solve/weights.h"

// Times rtol, relative to natural scales: the drift from the constraints after which Adams starts
// anew.
static const double MAX_DRIFT = 10.0;

typedef struct Cvode {
    FbIntegrator base;
    FbIntegratorStats stats;
    FbArena* arena;
    FbSizes size;
    int n;
    bool is_bdf;
    SUNContext context;
    void* memory;
    N_Vector y;
    SUNNonlinearSolver nonlinear;
    SUNLinearSolver linear;
    SUNMatrix matrix_tag;  // CVODE wants a matrix beside a direct solver; ours lives in `matrix`
    FbNewtonMatrix* matrix;
    double gamma;
    FbPoint at;    // projected, with a and lambda
    FbPoint work;  // projected state of one evaluation
    double *b, *bxi;
    int tiny_steps;    // in a row
    bool has_drifted;  // restart from the projected state before the next step
    FbWeights weights;
    FbIntegratorStats before;  // of the runs before the last restart
    FbStatus failure;          // of an evaluation
    FbError error;
    char message[256];  // CVODE's own
    double wanted;
} Cvode;

// y as a point without a and lambda.
static FbPoint view(const Cvode* s, double t, double* y) {
    const FbSizes* n = &s->size;
    return (FbPoint){.t = t,
                     .q = y,
                     .v = y + n->n_q,
                     .x = y + n->n_q + n->n_v,
                     .w = y + n->n_q + n->n_v + n->n_x};
}

static void copy_state(const Cvode* s, const FbPoint* from, FbPoint* to) {
    to->t = from->t;
    fb_array_copy(to->q, from->q, s->size.n_q);
    fb_array_copy(to->v, from->v, s->size.n_v);
    fb_array_copy(to->x, from->x, s->size.n_x);
    fb_array_copy(to->w, from->w, s->size.n_w);
}

static FbStatus project(Cvode* s, FbPoint* p, FbError* err) {
    FbDynamics* d = s->base.dynamics;
    if (d->ops->project_position) {
        FbStatus status = d->ops->project_position(d, p->t, p->q, NULL, err);
        if (status != FB_OK) {
            return status;
        }
    }
    return d->ops->project_velocity ? d->ops->project_velocity(d, p->t, p->q, p->v, NULL, err)
                                    : FB_OK;
}

// The projected state of y with its accelerations.
static FbStatus realize(Cvode* s, double t, N_Vector y, FbPoint* p) {
    FbPoint raw = view(s, t, N_VGetArrayPointer(y));
    copy_state(s, &raw, p);
    s->failure = project(s, p, &s->error);
    if (s->failure == FB_OK) {
        s->stats.rhs_evals++;
        s->failure = s->base.dynamics->ops->accelerations(s->base.dynamics, p, &s->error);
    }
    return s->failure;
}

static int calc_rates(realtype t, N_Vector y, N_Vector y_dot, void* self) {
    Cvode* s = self;
    FbDynamics* d = s->base.dynamics;
    FbPoint* p = &s->work;
    if (realize(s, t, y, p) != FB_OK) {
        return s->failure > 0 ? 1 : -1;
    }
    FbPoint rates = view(s, t, N_VGetArrayPointer(y_dot));
    d->ops->coordinate_rates(d, p->q, p->v, rates.q);
    fb_array_copy(rates.v, p->a, s->size.n_v);
    if (s->size.n_x > 0) {
        d->ops->state_rates(d, p, rates.x);
    }
    if (s->size.n_w > 0) {
        d->ops->powers(d, p, rates.w);
    }
    return 0;
}

static int calc_weights(N_Vector y, N_Vector ewt, void* self) {
    Cvode* s = self;
    const FbIntegratorOptions* o = &s->base.options;
    FbPoint p = view(s, 0.0, N_VGetArrayPointer(y)), w = view(s, 0.0, N_VGetArrayPointer(ewt));
    fb_weights_set(&s->weights, s->base.dynamics, o->rtol, o->atol, &p);
    for (int i = 0; i < s->size.n_q; i++) {
        w.q[i] = s->weights.xi[s->weights.v_of_q[i]];
    }
    fb_array_copy(w.v, s->weights.v, s->size.n_v);
    fb_array_copy(w.x, s->weights.x, s->size.n_x);
    for (int i = 0; i < s->size.n_w; i++) {
        w.w[i] = 1.0 / (o->rtol * (1.0 + fabs(p.w[i])));  // works: against 1 J at least
    }
    return 0;
}

// corr = P(y) - y for CVODE's own projection.
static int calc_correction(realtype t, N_Vector y, N_Vector corr, realtype tolerance, N_Vector err,
                           void* self) {
    Cvode* s = self;
    (void)tolerance, (void)err;
    FbPoint raw = view(s, t, N_VGetArrayPointer(y)), c = view(s, t, N_VGetArrayPointer(corr));
    copy_state(s, &raw, &s->work);
    s->failure = project(s, &s->work, &s->error);
    if (s->failure != FB_OK) {
        return s->failure > 0 ? 1 : -1;
    }
    N_VConst(0.0, corr);
    for (int i = 0; i < s->size.n_q; i++) {
        c.q[i] = s->work.q[i] - raw.q[i];
    }
    for (int j = 0; j < s->size.n_v; j++) {
        c.v[j] = s->work.v[j] - raw.v[j];
    }
    return 0;
}

static void keep_message(int code, const char* module, const char* function, char* text,
                         void* self) {
    Cvode* s = self;
    (void)code, (void)module, (void)function;
    snprintf(s->message, sizeof s->message, "%s", text);
}

static FbStatus realize_blocks(Cvode* s, double t, N_Vector y) {
    FbDynamics* d = s->base.dynamics;
    FbBlocks blocks;
    memset(&blocks, 0, sizeof blocks);
    FbStatus status = realize(s, t, y, &s->work);
    if (status != FB_OK) {
        return status;
    }
    status = d->ops->jacobian(d, &s->work, &blocks, &s->error);
    if (status != FB_OK) {
        return status;
    }
    if (s->matrix && !fb_newton_matrix_fits(s->matrix, d, &blocks)) {
        fb_newton_matrix_destroy(s->matrix);
        s->matrix = NULL;
    }
    if (!s->matrix) {
        FB_TRY(fb_newton_matrix_create(d, &blocks, 0, &s->matrix, &s->error));
    }
    fb_newton_matrix_set_blocks(s->matrix, &blocks, s->work.v);
    s->stats.jacobian_evals++;
    return FB_OK;
}

static int set_up_system(realtype t, N_Vector y, N_Vector fy, SUNMatrix A,
                         booleantype is_jacobian_ok, booleantype* is_current, realtype gamma,
                         void* self, N_Vector t1, N_Vector t2, N_Vector t3) {
    Cvode* s = self;
    (void)fy, (void)A, (void)t1, (void)t2, (void)t3;
    *is_current = !is_jacobian_ok;
    if (!is_jacobian_ok || !s->matrix) {
        s->failure = realize_blocks(s, t, y);
        if (s->failure != FB_OK) {
            return s->failure > 0 ? 1 : -1;
        }
        *is_current = SUNTRUE;
    }
    s->gamma = gamma;
    s->stats.factorizations++;
    return fb_newton_matrix_factor(s->matrix, 0, 1.0 / gamma) == FB_OK ? 0 : 1;
}

// The tangent vector of a change of q, and back with what the tangent space cannot hold (the length
// of quaternions).
static void to_tangent(const Cvode* s, const double* q, const double* bq, double* bxi) {
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

static void from_tangent(const Cvode* s, const double* q, const double* dxi, const double* bq,
                         double* dq) {
    const FbDynamics* d = s->base.dynamics;
    for (int j = 0; j < s->size.n_v; j++) {
        if (s->weights.q_of_v[j] >= 0) {
            dq[s->weights.q_of_v[j]] = dxi[j];
        }
    }
    for (int b = 0; b < d->n_ball; b++) {
        int j = d->ball[b], k = j + b;
        double tangent[4], length = 0.0;
        for (int c = 0; c < 4; c++) {
            length += q[k + c] * bq[k + c];
        }
        fb_quaternion_rate(q + k, fb_vec3_from(dxi + j), tangent);
        for (int c = 0; c < 4; c++) {
            dq[k + c] = tangent[c] + length * q[k + c];
        }
    }
}

// (1 - gamma J) x = b.
static int solve_system(SUNLinearSolver solver, SUNMatrix A, N_Vector x, N_Vector rhs,
                        realtype tolerance) {
    Cvode* s = solver->content;
    (void)A, (void)tolerance;
    FbPoint b = view(s, 0.0, N_VGetArrayPointer(rhs)), out = view(s, 0.0, N_VGetArrayPointer(x));
    int n_v = s->size.n_v, n_x = s->size.n_x;
    double shift = 1.0 / s->gamma;
    memset(s->b, 0, sizeof(double) * (size_t)fb_newton_matrix_size(s->matrix));
    to_tangent(s, s->work.q, b.q, s->bxi);
    fb_newton_matrix_add_mass_product(s->matrix, shift, b.v, s->b);
    fb_newton_matrix_add_constraint_product(s->matrix, b.v, s->bxi, s->b + n_v + n_x);
    for (int i = 0; i < n_v; i++) {
        s->bxi[i] *= shift;
    }
    for (int i = 0; i < n_x; i++) {
        s->b[n_v + i] = shift * b.x[i];
    }
    fb_newton_matrix_solve(s->matrix, 0, s->b, s->bxi);
    from_tangent(s, s->work.q, s->bxi, b.q, out.q);
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

static bool attach_projection(Cvode* s) {
    const FbDynamicsOps* ops = s->base.dynamics->ops;
    return (!ops->project_position && !ops->project_velocity) ||
           (CVodeSetProjFn(s->memory, calc_correction) == 0 &&
            CVodeSetProjErrEst(s->memory, SUNFALSE) == 0);
}

static bool attach_newton(Cvode* s) {
    s->nonlinear = SUNNonlinSol_Newton(s->y, s->context);
    s->linear = SUNLinSolNewEmpty(s->context);
    s->matrix_tag = SUNMatNewEmpty(s->context);
    if (!s->nonlinear || !s->linear || !s->matrix_tag) {
        return false;
    }
    s->matrix_tag->ops->getid = matrix_id;
    s->matrix_tag->ops->destroy = matrix_free;
    s->linear->content = s;
    s->linear->ops->gettype = solver_type;
    s->linear->ops->initialize = solver_ready;
    s->linear->ops->setup = solver_setup;
    s->linear->ops->solve = solve_system;
    s->linear->ops->free = solver_free;
    return CVodeSetNonlinearSolver(s->memory, s->nonlinear) == 0 &&
           CVodeSetLinearSolver(s->memory, s->linear, s->matrix_tag) == 0 &&
           CVodeSetLinSysFn(s->memory, set_up_system) == 0 && attach_projection(s);
}

static bool attach_fixed_point(Cvode* s) {
    s->nonlinear = SUNNonlinSol_FixedPoint(s->y, 0, s->context);
    return s->nonlinear && CVodeSetNonlinearSolver(s->memory, s->nonlinear) == 0;
}

static void free_method(Cvode* s) {
    if (s->memory) {
        CVodeFree(&s->memory);
    }
    if (s->nonlinear) {
        SUNNonlinSolFree(s->nonlinear);
    }
    if (s->linear) {
        SUNLinSolFree(s->linear);
    }
    if (s->matrix_tag) {
        SUNMatDestroy(s->matrix_tag);
    }
    if (s->y) {
        N_VDestroy(s->y);
    }
    s->nonlinear = NULL;
    s->linear = NULL;
    s->matrix_tag = NULL;
    s->y = NULL;
}

static void cvode_destroy(FbIntegrator* self) {
    Cvode* s = (Cvode*)self;
    if (!s) {
        return;
    }
    free_method(s);
    if (s->context) {
        SUNContext_Free(&s->context);
    }
    fb_newton_matrix_destroy(s->matrix);
    fb_arena_destroy(s->arena);
    free(s);
}

static FbStatus allocate(Cvode* s, FbError* err) {
    const FbDynamics* d = s->base.dynamics;
    FbArena* arena = fb_arena_create();
    if (!arena) {
        return fb_fail_memory(err);
    }
    fb_arena_destroy(s->arena);
    s->arena = arena;
    s->size = d->size;
    s->n = d->size.n_q + d->size.n_v + d->size.n_x + d->size.n_w;
    fb_point_take(arena, &d->size, &s->at);
    fb_point_take(arena, &d->size, &s->work);
    s->b = FB_TAKE(arena, double, d->size.n_v + d->size.n_x + d->size.n_c + 1);
    s->bxi = FB_TAKE(arena, double, d->size.n_v + 1);
    fb_weights_init(&s->weights, d, arena);
    return fb_arena_has_failed(arena) ? fb_fail_memory(err) : FB_OK;
}

// A new CVODE memory for the present sizes, starting at s->at.
static FbStatus create_method(Cvode* s, FbError* err) {
    const FbIntegratorOptions* o = &s->base.options;
    free_method(s);
    s->y = N_VNew_Serial(s->n, s->context);
    s->memory = CVodeCreate(s->is_bdf ? CV_BDF : CV_ADAMS, s->context);
    if (!s->y || !s->memory) {
        return fb_fail_memory(err);
    }
    FbPoint y = view(s, s->at.t, N_VGetArrayPointer(s->y));
    copy_state(s, &s->at, &y);
    bool is_ready = CVodeSetErrHandlerFn(s->memory, keep_message, s) == 0 &&
                    CVodeInit(s->memory, calc_rates, s->at.t, s->y) == 0 &&
                    CVodeSetUserData(s->memory, s) == 0 &&
                    CVodeWFtolerances(s->memory, calc_weights) == 0 &&
                    (s->is_bdf ? attach_newton(s) : attach_fixed_point(s)) &&
                    (!isfinite(o->max_step) || !(o->max_step > 0.0) ||
                     CVodeSetMaxStep(s->memory, o->max_step) == 0) &&
                    (!(o->initial_step > 0.0) || CVodeSetInitStep(s->memory, o->initial_step) == 0);
    return is_ready
               ? FB_OK
               : fb_fail(err, FB_ERR_MEMORY, NULL, "CVODE could not be set up: %s", s->message);
}

static FbStatus create(FbDynamics* d, const FbIntegratorOptions* o, const FbIntegratorType* type,
                       FbIntegrator** out, FbError* err) {
    *out = NULL;
    Cvode* s = calloc(1, sizeof *s);
    if (!s) {
        return fb_fail_memory(err);
    }
    s->base.type = type;
    s->base.dynamics = d;
    s->base.options = *o;
    s->is_bdf = type->is_implicit;
    FbStatus status =
        SUNContext_Create(NULL, &s->context) == 0 ? allocate(s, err) : fb_fail_memory(err);
    if (status != FB_OK) {
        cvode_destroy(&s->base);
        return status;
    }
    *out = &s->base;
    return FB_OK;
}

static FbStatus bdf_create(FbDynamics* d, const FbIntegratorOptions* o, FbIntegrator** out,
                           FbError* err) {
    return create(d, o, &fb_integrator_bdf, out, err);
}

static FbStatus adams_create(FbDynamics* d, const FbIntegratorOptions* o, FbIntegrator** out,
                             FbError* err) {
    return create(d, o, &fb_integrator_adams, out, err);
}

static bool has_same_sizes(const FbSizes* a, const FbSizes* b) {
    return a->n_q == b->n_q && a->n_v == b->n_v && a->n_x == b->n_x && a->n_w == b->n_w &&
           a->n_c == b->n_c;
}

static FbStatus reinit(Cvode* s, FbError* err) {
    FbPoint y = view(s, s->at.t, N_VGetArrayPointer(s->y));
    copy_state(s, &s->at, &y);
    s->stats.restarts++;
    s->before = s->stats;
    s->has_drifted = false;
    if (CVodeReInit(s->memory, s->at.t, s->y) != 0) {
        return fb_fail(err, FB_ERR_CONVERGENCE, NULL, "CVODE could not restart at t = %.10g s: %s",
                       s->at.t, s->message);
    }
    return FB_OK;
}

static FbStatus cvode_restart(FbIntegrator* self, const FbPoint* p, FbError* err) {
    Cvode* s = (Cvode*)self;
    bool is_new = !s->memory || !has_same_sizes(&s->size, &self->dynamics->size);
    if (is_new && !has_same_sizes(&s->size, &self->dynamics->size)) {
        FB_TRY(allocate(s, err));
    }
    fb_point_copy(&s->size, p, &s->at);
    fb_weights_restart(&s->weights, self->dynamics, &s->at);
    if (is_new) {
        s->before = s->stats;
        return create_method(s, err);
    }
    return reinit(s, err);
}

static void count(Cvode* s) {
    long steps = 0, fails = 0, iterations = 0, failures = 0;
    double h = 0.0, next = 0.0;
    int order = 0;
    CVodeGetNumSteps(s->memory, &steps);
    CVodeGetNumErrTestFails(s->memory, &fails);
    CVodeGetNumNonlinSolvIters(s->memory, &iterations);
    CVodeGetNumNonlinSolvConvFails(s->memory, &failures);
    CVodeGetLastStep(s->memory, &h);
    CVodeGetCurrentStep(s->memory, &next);
    CVodeGetLastOrder(s->memory, &order);
    s->stats.steps = s->before.steps + steps;
    s->stats.rejected = s->before.rejected + fails;
    s->stats.newton_iterations = s->before.newton_iterations + (s->is_bdf ? iterations : 0);
    s->stats.newton_failures = s->before.newton_failures + failures;
    s->stats.min_step = s->stats.min_step > 0.0 ? fmin(s->stats.min_step, h) : h;
    s->stats.max_step_taken = fmax(s->stats.max_step_taken, h);
    s->stats.max_order = order > s->stats.max_order ? order : s->stats.max_order;
    s->wanted = next;
}

// How far y is from its projection, in m, rad and their rates relative to natural scales.
static double calc_drift(const Cvode* s) {
    const FbDynamics* d = s->base.dynamics;
    FbPoint y = view(s, 0.0, N_VGetArrayPointer(s->y));
    double drift = 0.0;
    for (int i = 0; i < s->size.n_q; i++) {
        double scale = d->q_scale ? d->q_scale[s->weights.v_of_q[i]] : 1.0;
        drift = fmax(drift, fabs(y.q[i] - s->at.q[i]) / scale);
    }
    for (int j = 0; j < s->size.n_v; j++) {
        double scale = fmax(d->v_scale ? d->v_scale[j] : 1.0, fabs(s->at.v[j]));
        drift = fmax(drift, fabs(y.v[j] - s->at.v[j]) / scale);
    }
    return drift;
}

static FbStatus fail_step(Cvode* s, FbError* err) {
    if (s->failure < 0) {
        if (err) {
            *err = s->error;
        }
        return s->failure;
    }
    return fb_fail(err, FB_ERR_CONVERGENCE, NULL,
                   "%s: gave up at t = %.10g s (%s). Look for a jump or a singular position there, "
                   "or try a looser rtol or "
                   "integrator 'radau'",
                   s->base.type->name, s->at.t, s->message);
}

// CVODE goes on with steps that no longer change t; a few of them in a row are one too many.
static bool is_stuck(Cvode* s, double t, double t_limit) {
    static const int MAX_TINY = 20;
    bool is_tiny = t - s->at.t <= 8.0 * DBL_EPSILON * fabs(t) && t < t_limit;
    s->tiny_steps = is_tiny ? s->tiny_steps + 1 : 0;
    return s->tiny_steps > MAX_TINY;
}

static FbStatus cvode_step(FbIntegrator* self, double t_limit, FbPoint* p, FbError* err) {
    Cvode* s = (Cvode*)self;
    double t = s->at.t;
    if (s->has_drifted) {
        FB_TRY(reinit(s, err));
    }
    s->failure = FB_OK;
    snprintf(s->message, sizeof s->message, "the step became too small");
    bool is_done = CVodeSetStopTime(s->memory, t_limit) == 0 &&
                   CVode(s->memory, t_limit, s->y, &t, CV_ONE_STEP) >= 0 &&
                   !is_stuck(s, t, t_limit);
    if (!is_done || realize(s, t, s->y, &s->work) != FB_OK) {
        fb_point_copy(&s->size, &s->at, p);
        return fail_step(s, err);
    }
    fb_point_copy(&s->size, &s->work, &s->at);
    count(s);
    s->has_drifted = !s->is_bdf && calc_drift(s) > MAX_DRIFT * self->options.rtol;
    fb_weights_accept(&s->weights, self->dynamics, &s->at);
    fb_point_copy(&s->size, &s->at, p);
    return FB_OK;
}

static FbStatus cvode_interpolate(FbIntegrator* self, double t, FbPoint* p) {
    Cvode* s = (Cvode*)self;
    N_Vector y = s->y;
    if (CVodeGetDky(s->memory, t, 0, y) != 0) {
        return FB_ERR_ARGUMENT;
    }
    FbPoint state = view(s, t, N_VGetArrayPointer(y));
    copy_state(s, &state, p);
    return FB_OK;
}

static const FbIntegratorStats* cvode_stats(const FbIntegrator* self) {
    return &((const Cvode*)self)->stats;
}

static double cvode_wanted_step(const FbIntegrator* self) {
    return ((const Cvode*)self)->wanted;
}

const FbIntegratorType fb_integrator_bdf = {
    .name = "bdf",
    .doc = "CVODE's BDF of orders 1 to 5 (implicit): stiff forces, for comparison",
    .is_implicit = true,
    .create = bdf_create,
    .destroy = cvode_destroy,
    .restart = cvode_restart,
    .step = cvode_step,
    .interpolate = cvode_interpolate,
    .stats = cvode_stats,
    .wanted_step = cvode_wanted_step,
};

const FbIntegratorType fb_integrator_adams = {
    .name = "adams",
    .doc = "CVODE's Adams methods of orders 1 to 12 (fixed point): nonstiff motion, for comparison",
    .is_implicit = false,
    .create = adams_create,
    .destroy = cvode_destroy,
    .restart = cvode_restart,
    .step = cvode_step,
    .interpolate = cvode_interpolate,
    .stats = cvode_stats,
    .wanted_step = cvode_wanted_step,
};
