// Blows: where the rate of a prescribed motion jumps, or a law that drives is replaced, velocities
// jump with it.
#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/run.h"

// Of the energy of the motion: less is rounding.
static const double ROUNDING = 1e-20;

// x' M y
static double calc_product(const FbBlocks* b, const double* x, const double* y) {
    double sum = 0.0;
    for (int j = 0; j < b->vv->n_col; j++) {
        for (int k = b->vv->start[j]; k < b->vv->start[j + 1]; k++) {
            sum += x[b->vv->row[k]] * b->M[k] * y[j];
        }
    }
    return sum;
}

// The work of the blow, eq. (5.67), that took the velocities from `before` to those of run->at.
static FbStatus add_work(FbRun* run, double* before, FbError* err) {
    FbDynamics* d = run->dynamics;
    FbBlocks blocks;
    memset(&blocks, 0, sizeof blocks);
    FbStatus status = d->ops->jacobian(d, &run->at, &blocks, err);
    if (status != FB_OK) {
        return status;
    }
    const double* after = run->at.v;
    double start = calc_product(&blocks, before, before), end = calc_product(&blocks, after, after);
    for (int j = 0; j < d->size.n_v; j++) {
        before[j] -= after[j];
    }
    if (calc_product(&blocks, before, before) > ROUNDING * fmax(start, end)) {
        run->blow = isnan(run->blow) ? run->at.t : run->blow;
    }
    if (d->size.n_w > 0) {
        run->at.w[0] += 0.5 * (end - start);
    }
    return FB_OK;
}

FbStatus fb_run_take_blow(FbRun* run, FbError* err) {
    FbDynamics* d = run->dynamics;
    size_t size = sizeof(double) * (size_t)d->size.n_v;
    double* before = run->probe.v;
    if (d->size.n_c == 0 || !d->ops->project_velocity) {
        return FB_OK;
    }
    memcpy(before, run->at.v, size);
    fb_dynamics_tell_states(d, run->at.x);
    FbStatus status = d->ops->project_velocity(d, run->at.t, run->at.q, run->at.v, NULL, err);
    if (status != FB_OK) {
        // What cannot be reached is left to the steps, which say why.
        memcpy(run->at.v, before, size);
        return status < 0 ? status : FB_OK;
    }
    return memcmp(before, run->at.v, size) == 0 ? FB_OK : add_work(run, before, err);
}
