// Works by a quadrature of their own, where the one that goes with the method cannot be trusted.
//
// Works are integrated by the method that integrates the motion, with the same stages: a kink that
// both step across in the dark errs equally in the motion and in the works, and the energy balance
// would not show it. In such steps the powers of the forces as they are, on the dense output, are
// integrated by Gauss's rule on many parts of the step, and the balance takes these works.
#include <math.h>

#include "solve/run.h"

enum { PARTS = 16, NODES = 3 };
static const double NODE[NODES] = {-0.774596669241483377, 0.0, 0.774596669241483377};
static const double WEIGHT[NODES] = {5.0 / 9.0, 8.0 / 9.0, 5.0 / 9.0};

static FbStatus add_power(FbRun* run, double t, double weight, double* sum) {
    FbDynamics* d = run->dynamics;
    FbPoint* p = &run->probe;
    double power[FB_MAX_WORKS];
    FB_TRY(run->integrator->type->interpolate(run->integrator, t, p));
    FbStatus status = d->ops->accelerations(d, p, NULL);
    if (status != FB_OK) {
        return status;
    }
    d->ops->powers(d, p, power);
    for (int k = 0; k < d->size.n_w; k++) {
        sum[k] += weight * power[k];
    }
    return FB_OK;
}

FbStatus fb_run_check_works(FbRun* run) {
    int n = run->dynamics->size.n_w;
    double a = run->start.t, h = (run->at.t - a) / PARTS, sum[FB_MAX_WORKS] = {0};
    if (!run->has_dark_step || n == 0 || n > FB_MAX_WORKS || !(h > 0.0)) {
        return FB_OK;
    }
    for (int i = 0; i < PARTS * NODES; i++) {
        double middle = a + (i / NODES + 0.5) * h;
        FbStatus status =
            add_power(run, middle + 0.5 * h * NODE[i % NODES], 0.5 * h * WEIGHT[i % NODES], sum);
        if (status != FB_OK) {
            return status < 0 ? status : FB_OK;
        }
    }
    for (int k = 0; k < n; k++) {
        run->work_correction[k] += sum[k] - (run->at.w[k] - run->start.w[k]);
    }
    return FB_OK;
}
