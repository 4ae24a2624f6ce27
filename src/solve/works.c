// Work by a separate quadrature, where the quadrature of the method cannot be trusted.
//
// Works are integrated by the method that integrates the motion, with the same stages: a kink that
// both step across unnoticed causes the same error in the motion and in the works, and the energy
// balance would not show it. In such steps the powers of the forces as they are, on the dense
// output, are integrated by Gauss's rule on parts of the step, and the balance uses these works.
// The parts are halved until what they correct is settled: across a kink the rule itself errs with
// the square of their length, and a long step with an accurate motion would show the rule's error
// instead.
#include <math.h>

#include "solve/run.h"

enum { FEWEST_PARTS = 8, MOST_PARTS = 64, NODES = 3 };
static const double NODE[NODES] = {-0.774596669241483377, 0.0, 0.774596669241483377};
static const double WEIGHT[NODES] = {5.0 / 9.0, 8.0 / 9.0, 5.0 / 9.0};

// Of the correction, and of the work done to and fro, below which halving changes nothing.
static const double SETTLED = 0.01, ROUNDING = 1e-13;

typedef struct Works {
    double sum[FB_MAX_WORKS];
    double size[FB_MAX_WORKS];  // with all powers positive
} Works;

static FbStatus add_power(FbRun* run, double t, double weight, Works* out) {
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
        out->sum[k] += weight * power[k];
        out->size[k] += weight * fabs(power[k]);
    }
    return FB_OK;
}

static FbStatus integrate(FbRun* run, int parts, Works* out) {
    double a = run->start.t, h = (run->at.t - a) / parts;
    *out = (Works){{0}, {0}};
    for (int i = 0; i < parts * NODES; i++) {
        int part = i / NODES;
        double middle = a + (part + 0.5) * h, half = 0.5 * h;
        FbStatus status =
            add_power(run, middle + half * NODE[i % NODES], half * WEIGHT[i % NODES], out);
        if (status != FB_OK) {
            return status;
        }
    }
    return FB_OK;
}

static bool is_settled(const FbRun* run, const Works* coarse, const Works* fine) {
    for (int k = 0; k < run->dynamics->size.n_w; k++) {
        double correction = fine->sum[k] - (run->at.w[k] - run->start.w[k]);
        double allowed = SETTLED * fabs(correction) + ROUNDING * fine->size[k];
        if (fabs(fine->sum[k] - coarse->sum[k]) > allowed) {
            return false;
        }
    }
    return true;
}

FbStatus fb_run_check_works(FbRun* run) {
    int n = run->dynamics->size.n_w;
    Works coarse, fine;
    if (!run->has_dark_step || n == 0 || n > FB_MAX_WORKS || !(run->at.t > run->start.t)) {
        return FB_OK;
    }
    FbStatus status = integrate(run, FEWEST_PARTS, &fine);
    for (int parts = 2 * FEWEST_PARTS; status == FB_OK && parts <= MOST_PARTS; parts *= 2) {
        coarse = fine;
        status = integrate(run, parts, &fine);
        if (status == FB_OK && is_settled(run, &coarse, &fine)) {
            break;
        }
    }
    if (status != FB_OK) {
        return status < 0 ? status : FB_OK;
    }
    for (int k = 0; k < n; k++) {
        run->work_correction[k] += fine.sum[k] - (run->at.w[k] - run->start.w[k]);
    }
    return FB_OK;
}
