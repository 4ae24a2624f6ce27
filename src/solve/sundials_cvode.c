// CVODE's BDF and Adams methods: all calls of its library except those for linear systems.
#include <cvode/cvode.h>
#include <math.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "solve/sundials_parts.h"

static bool attach_fixed_point(FbSundials* s) {
    s->nonlinear = SUNNonlinSol_FixedPoint(s->y, 0, s->context);
    return s->nonlinear && CVodeSetNonlinearSolver(s->memory, s->nonlinear) == 0;
}

static void start(FbSundials* s) {
    (void)s;  // the rates are evaluated
}

static bool create(FbSundials* s) {
    const FbIntegratorOptions* o = &s->base.options;
    s->memory = CVodeCreate(s->is_bdf ? CV_BDF : CV_ADAMS, s->context);
    return s->memory && CVodeSetErrHandlerFn(s->memory, fb_sundials_keep_message, s) == 0 &&
           CVodeInit(s->memory, fb_sundials_calc_rates, s->at.t, s->y) == 0 &&
           CVodeSetUserData(s->memory, s) == 0 &&
           CVodeSetMaxConvFails(s->memory, FB_SUNDIALS_FAILURES) == 0 &&
           CVodeSetMaxErrTestFails(s->memory, FB_SUNDIALS_FAILURES) == 0 &&
           CVodeWFtolerances(s->memory, fb_sundials_calc_weights) == 0 &&
           (s->is_bdf ? fb_sundials_attach_newton(s) : attach_fixed_point(s)) &&
           (!isfinite(o->max_step) || !(o->max_step > 0.0) ||
            CVodeSetMaxStep(s->memory, o->max_step) == 0) &&
           (!(o->initial_step > 0.0) || CVodeSetInitStep(s->memory, o->initial_step) == 0);
}

static bool restart(FbSundials* s, double h) {
    return CVodeReInit(s->memory, s->at.t, s->y) == 0 && CVodeSetInitStep(s->memory, h) == 0;
}

static bool step(FbSundials* s, double t_limit, double* t) {
    return CVodeSetStopTime(s->memory, t_limit) == 0 &&
           CVode(s->memory, t_limit, s->y, t, CV_ONE_STEP) >= 0;
}

static bool interpolate(FbSundials* s, double t, N_Vector y) {
    return CVodeGetDky(s->memory, t, 0, y) == 0;
}

static void count(FbSundials* s, FbSundialsCounts* out) {
    CVodeGetNumSteps(s->memory, &out->steps);
    CVodeGetNumErrTestFails(s->memory, &out->rejected);
    CVodeGetNumNonlinSolvIters(s->memory, &out->iterations);
    CVodeGetNumNonlinSolvConvFails(s->memory, &out->failures);
    CVodeGetLastStep(s->memory, &out->h);
    CVodeGetCurrentStep(s->memory, &out->next);
    CVodeGetLastOrder(s->memory, &out->order);
}

static void destroy(FbSundials* s) {
    CVodeFree(&s->memory);
}

const FbSundialsPackage fb_sundials_cvode = {.name = "CVODE",
                                             .start = start,
                                             .create = create,
                                             .restart = restart,
                                             .step = step,
                                             .interpolate = interpolate,
                                             .count = count,
                                             .destroy = destroy};
