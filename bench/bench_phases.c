// What single evaluations of a model cost: residual, Jacobian blocks in the form that implicit
// methods use, accelerations, each measured alone.
#include <stdlib.h>

#include "bench.h"
#include "solve/newton_matrix.h"
#include "system/system.h"

// Long enough to be measured, short enough to be repeated for every case.
static const double MEASURING_TIME = 0.02;  // s

typedef struct Probe {
    FbDynamics* d;
    FbPoint p;
    double *r, *c, *gdot;
    FbNewtonMatrix* matrix;
} Probe;

static FbStatus call_residual(Probe* s, FbError* err) {
    (void)err;
    return s->d->ops->residual(s->d, &s->p, s->r, s->c, s->gdot);
}
static FbStatus call_jacobian(Probe* s, FbError* err) {
    FbBlocks blocks;
    FbStatus status = fb_newton_calc_blocks(s->d, &s->p, &blocks, err);
    if (status == FB_OK && s->matrix == NULL) {
        status = fb_newton_matrix_create(s->d, &blocks, 0, &s->matrix, err);
    }
    if (status == FB_OK) {
        fb_newton_matrix_set_blocks(s->matrix, &blocks, s->p.v);
    }
    return status;
}
static FbStatus call_accelerations(Probe* s, FbError* err) {
    return s->d->ops->accelerations(s->d, &s->p, err);
}

// Mean time of a call.
static FbStatus measure(FbStatus (*call)(Probe*, FbError*), Probe* probe, double* out,
                        FbError* err) {
    double start = bench_cpu_time(), now = start;
    long n = 0;
    while (now - start < MEASURING_TIME) {
        for (int i = 0; i < 10; i++, n++) {
            FbStatus status = call(probe, err);
            if (status < 0) {
                return status;
            }
        }
        now = bench_cpu_time();
    }
    *out = (now - start) / (double)n;
    return FB_OK;
}

// One block of memory for all arrays of the probe.
static double* place_arrays(Probe* s, const FbSizes* n) {
    size_t total = (size_t)(n->n_q + 3 * n->n_v + 2 * n->n_x + n->n_w + 2 * n->n_c + 1);
    double* memory = calloc(total, sizeof(double));
    if (memory == NULL) {
        return NULL;
    }
    double* next = memory;
    double** const arrays[] = {&s->p.q, &s->p.v, &s->p.a,      &s->r,   &s->p.x,
                               &s->c,   &s->p.w, &s->p.lambda, &s->gdot};
    const int counts[] = {n->n_q, n->n_v, n->n_v, n->n_v, n->n_x, n->n_x, n->n_w, n->n_c, n->n_c};
    for (int i = 0; i < 9; i++) {
        *arrays[i] = next;
        next += counts[i];
    }
    return memory;
}

static FbStatus measure_all(FbSystem* system, BenchPhases* out, FbError* err) {
    FbSizes sizes = fb_system_get_max_sizes(system);
    Probe probe = {.d = fb_system_get_dynamics(system)};
    double* memory = place_arrays(&probe, &sizes);
    if (memory == NULL) {
        return FB_ERR_MEMORY;
    }
    FbAssembly assembly;
    FbStatus status = fb_system_assemble(system, 0.0, &probe.p, &assembly, err);
    status = status < 0 ? status : measure(call_residual, &probe, &out->residual, err);
    status = status < 0 ? status : measure(call_jacobian, &probe, &out->jacobian, err);
    status = status < 0 ? status : measure(call_accelerations, &probe, &out->accelerations, err);
    fb_newton_matrix_destroy(probe.matrix);
    free(memory);
    return status;
}

FbStatus bench_calc_phases(const FbModel* model, BenchPhases* out, FbError* err) {
    FbSystem* system = NULL;
    *out = (BenchPhases){0};
    FbStatus status = fb_system_create(model, &system, err);
    if (status >= 0) {
        status = measure_all(system, out, err);
    }
    fb_system_destroy(system);
    return status;
}
