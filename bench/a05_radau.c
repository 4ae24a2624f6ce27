// The hand-derived A05 equations behind the contract, solved by the project's own Radau method.
#include <math.h>
#include <string.h>

#include "a05_ode.h"
#include "solve/integrator.h"

static FbStatus residual(FbDynamics* d, const FbPoint* p, double* r, double* c, double* gdot) {
    (void)d;
    (void)c;
    (void)gdot;
    a05_residual(p->q, p->v, p->a, r);
    return isfinite(r[0] + r[1] + r[2] + r[3]) ? FB_OK : FB_RETRY;
}

static FbStatus jacobian(FbDynamics* base, const FbPoint* p, FbBlocks* blocks, FbError* err) {
    (void)err;
    A05Dynamics* d = (A05Dynamics*)base;
    a05_terms(p->q, p->v, p->a, &d->terms);
    for (int i = 0; i < A05_N; i++) {
        d->M[(A05_N + 1) * i] = d->terms.mass[i];
    }
    *blocks = (FbBlocks){.vv = &d->vv, .cv = &d->cv, .M = d->M, .C = d->terms.C, .K = d->terms.K};
    return FB_OK;
}

static FbStatus accelerations(FbDynamics* d, FbPoint* p, FbError* err) {
    (void)d;
    (void)err;
    a05_accelerations(p->q, p->v, p->a);
    return FB_OK;
}

static void plus(const FbDynamics* d, const double* q0, const double* xi, double* q) {
    (void)d;
    for (int i = 0; i < A05_N; i++) {
        q[i] = q0[i] + xi[i];
    }
}

static void minus(const FbDynamics* d, const double* q, const double* q0, double* xi) {
    (void)d;
    for (int i = 0; i < A05_N; i++) {
        xi[i] = q[i] - q0[i];
    }
}

static void same_rate(const FbDynamics* d, const double* q, const double* v, double* rate) {
    (void)d;
    (void)q;
    memcpy(rate, v, sizeof(double) * A05_N);
}

static FbStatus accepted(FbDynamics* d, FbPoint* p, bool* has_changed, FbError* err) {
    (void)d;
    (void)p;
    (void)err;
    *has_changed = false;
    return FB_OK;
}

static const char* name_of_velocity(const FbDynamics* d, int j) {
    static const char* const names[A05_N] = {"shaft", "slider", "arm", "arm2"};
    (void)d;
    return names[j];
}

static const FbDynamicsOps ops = {
    .residual = residual,
    .jacobian = jacobian,
    .accelerations = accelerations,
    .plus = plus,
    .minus = minus,
    .chart_rate = same_rate,
    .coordinate_rates = same_rate,
    .accepted = accepted,
    .name_of_velocity = name_of_velocity,
};

void a05_dynamics_init(A05Dynamics* d) {
    memset(d, 0, sizeof *d);
    for (int j = 0; j < A05_N; j++) {
        d->vv_start[j + 1] = A05_N * (j + 1);
        d->scale[j] = 1.0;
        for (int i = 0; i < A05_N; i++) {
            d->vv_row[A05_N * j + i] = i;
        }
    }
    d->vv = (FbPattern){A05_N, A05_N, d->vv_start, d->vv_row};
    d->cv = (FbPattern){0, A05_N, d->cv_start, NULL};
    d->base = (FbDynamics){.ops = &ops,
                           .size = {.n_q = A05_N, .n_v = A05_N},
                           .q_scale = d->scale,
                           .v_scale = d->scale};
}

// Steps to the end and fills the samples from the dense output.
static FbStatus integrate(FbIntegrator* solver, FbPoint* p, A05Run* out, FbError* err) {
    double q[A05_N], v[A05_N];
    FbPoint sample = {.q = q, .v = v};
    int next = 1;
    while (next < A05_SAMPLES) {
        FB_TRY(solver->type->step(solver, 10.0, p, err));
        for (; next < A05_SAMPLES && 0.1 * next <= p->t; next++) {
            FB_TRY(solver->type->interpolate(solver, 0.1 * next, &sample));
            out->s[next] = q[1];
        }
    }
    return FB_OK;
}

void a05_run_radau(double rtol, double atol, A05Run* out) {
    *out = (A05Run){0};
    double start = bench_cpu_time();
    A05Dynamics d;
    double q[A05_N], v[A05_N], a[A05_N];
    FbPoint p = {.q = q, .v = v, .a = a};
    FbIntegratorOptions options = {.rtol = rtol, .atol = atol, .max_step = INFINITY};
    FbIntegrator* solver = NULL;
    FbError err;
    a05_dynamics_init(&d);
    a05_start(q, v);
    a05_accelerations(q, v, a);
    out->s[0] = q[1];
    if (fb_integrator_radau.create(&d.base, &options, &solver, &err) < 0 ||
        solver->type->restart(solver, &p, &err) < 0 || integrate(solver, &p, out, &err) < 0) {
        out->failure = "Radau gave up";
    } else {
        const FbIntegratorStats* stats = solver->type->stats(solver);
        out->steps = stats->steps;
        out->rhs_evals = stats->rhs_evals;
        out->jacobian_evals = stats->jacobian_evals;
    }
    if (solver != NULL) {
        fb_integrator_radau.destroy(solver);
    }
    out->cpu_s = bench_cpu_time() - start;
}
