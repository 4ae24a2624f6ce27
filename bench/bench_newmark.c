// A linear frame with 1000 steps of a fixed length: our generalized-alpha against the limit
// program, Newmark's method on the assembled matrices with one factorization.
//
// The limit program knows M, C, K and the load in advance; it has neither nodes nor expressions.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "math/linear.h"
#include "solve/simulation.h"

enum { STEPS = 1000 };
static const double STEP = 1e-3;      // s
static const double LOAD_RATE = 3.0;  // rad/s: the load of models/frame.yaml is 1e3 sin(3 t)

typedef struct Newmark {
    const FbPattern* pattern;
    double *M, *C, *K, *load;  // the load where the sine is 1
    double *q, *v, *a, *b;     // displacement from the start
    FbLinear* matrix;
    int n;
} Newmark;

// The share of the load in the residual is the only one that depends on the time.
static FbStatus take_load(FbDynamics* d, FbPoint* p, Newmark* m) {
    double* none = calloc((size_t)m->n + 1, sizeof(double));
    FbStatus status = none ? d->ops->residual(d, p, none, NULL, NULL) : FB_ERR_MEMORY;
    double t = p->t;
    p->t = 0.5 * 3.14159265358979323846 / LOAD_RATE;
    status = status == FB_OK ? d->ops->residual(d, p, m->load, NULL, NULL) : status;
    p->t = t;
    for (int i = 0; status == FB_OK && i < m->n; i++) {
        m->load[i] = none[i] - m->load[i];
    }
    free(none);
    return status;
}

static double* copy(const double* from, int n) {
    double* to = calloc((size_t)n + 1, sizeof(double));
    if (to && from) {
        memcpy(to, from, sizeof(double) * (size_t)n);
    }
    return to;
}

static FbStatus assemble(FbDynamics* d, FbPoint* p, Newmark* m, FbError* err) {
    FbBlocks blocks;
    FB_TRY(d->ops->jacobian(d, p, &blocks, err));
    int count = fb_pattern_count(blocks.vv);
    m->n = d->size.n_v;
    m->pattern = blocks.vv;
    m->M = copy(blocks.M, count);
    m->C = copy(blocks.C, count);
    m->K = copy(blocks.K, count);
    double** vectors[] = {&m->load, &m->q, &m->v, &m->a, &m->b};
    for (int i = 0; i < 5; i++) {
        *vectors[i] = copy(NULL, m->n);
    }
    FB_TRY(take_load(d, p, m));
    return fb_linear_create(m->pattern, FB_LINEAR_SYMMETRIC, false, &m->matrix, err);
}

// Average acceleration: (M + h/2 C + h^2/4 K) a = f - C v~ - K q~.
static FbStatus run_newmark(Newmark* m) {
    double h = STEP, *values = fb_linear_values(m->matrix);
    for (int k = 0; k < fb_pattern_count(m->pattern); k++) {
        values[k] = m->M[k] + 0.5 * h * m->C[k] + 0.25 * h * h * m->K[k];
    }
    FB_TRY(fb_linear_factor(m->matrix));
    for (int step = 1; step <= STEPS; step++) {
        double f = sin(LOAD_RATE * step * h);
        for (int i = 0; i < m->n; i++) {
            m->q[i] += h * m->v[i] + 0.25 * h * h * m->a[i];
            m->v[i] += 0.5 * h * m->a[i];
            m->b[i] = f * m->load[i];
        }
        fb_pattern_multiply(m->pattern, m->C, -1.0, m->v, m->b);
        fb_pattern_multiply(m->pattern, m->K, -1.0, m->q, m->b);
        fb_linear_solve(m->matrix, m->b);
        for (int i = 0; i < m->n; i++) {
            m->a[i] = m->b[i];
            m->q[i] += 0.25 * h * h * m->a[i];
            m->v[i] += 0.5 * h * m->a[i];
        }
    }
    return FB_OK;
}

static void free_newmark(Newmark* m) {
    double* arrays[] = {m->M, m->C, m->K, m->load, m->q, m->v, m->a, m->b};
    for (int i = 0; i < 8; i++) {
        free(arrays[i]);
    }
    fb_linear_destroy(m->matrix);
}

// CPU time of the limit program, and the largest displacement at the end.
static FbStatus measure_limit(const FbModel* model, double* cpu_s, double* largest, FbError* err) {
    FbRunOptions o = fb_run_options_default(model);
    FbSimulation* sim = NULL;
    Newmark m = {0};
    o.settings.duration = STEPS * STEP;
    FB_TRY(fb_simulation_create(model, &o, &sim, err));
    FbStatus status = assemble(sim->run.dynamics, &sim->run.at, &m, err);
    double start = bench_cpu_time();
    status = status == FB_OK ? run_newmark(&m) : status;
    *cpu_s = bench_cpu_time() - start;
    *largest = 0.0;
    for (int i = 0; status == FB_OK && i < m.n; i++) {
        *largest = fmax(*largest, fabs(m.q[i]));
    }
    free_newmark(&m);
    fb_simulation_destroy(sim);
    return status;
}

static FbStatus measure_ours(const FbModel* model, FbRunStats* stats, double* roof, FbError* err) {
    FbRunOptions o = fb_run_options_default(model);
    FbResult* result = NULL;
    o.settings.integrator = "alpha";
    o.settings.step = STEP;
    o.settings.duration = STEPS * STEP;
    o.settings.sample = 0.1 * o.settings.duration;
    o.settings.rtol = 1e-6;
    o.settings.atol = 1e-8;
    FbStatus status = fb_simulate(model, &o, &result, err);
    if (status >= 0) {
        *stats = *fb_result_get_stats(result);
        int rows = fb_result_get_row_count(result);
        *roof = fb_result_get_value(result, rows - 1, 0) - fb_result_get_value(result, 0, 0);
    }
    fb_result_destroy(result);
    return status;
}

int bench_run_newmark(const char* root, FbCsvWriter* csv) {
    char path[1024];
    FbOverride overrides[] = {{"S", "50"}, {"B", "10"}, {"E", "31"}};
    FbError err;
    FbModelInfo info;
    FbRunStats stats = {0};
    double limit = NAN, largest = NAN, roof = NAN;
    snprintf(path, sizeof path, "%s/models/frame.yaml", root);
    FbModel* model = bench_load(path, overrides, 3);
    if (model == NULL) {
        return 1;
    }
    fb_model_get_info(model, &info);
    FbStatus status = measure_limit(model, &limit, &largest, &err);
    status = status >= 0 ? measure_ours(model, &stats, &roof, &err) : status;
    if (status < 0) {
        fprintf(stderr, "frame with fixed steps: %s\n", err.text);
    } else {
        printf("\nFrame of %d freedoms, %d steps of %g s with one factorization\n",
               info.n_coordinates, STEPS, STEP);
        printf(
            "Newmark on the matrices %.2f s, alpha %.2f s (%ld factorizations, %.2f solves a "
            "step): %.2f times\n",
            limit, stats.cpu_s, stats.factorizations,
            (double)stats.newton_iterations / (double)stats.steps, stats.cpu_s / limit);
        printf("roof at the end %.6g m, with Newmark at most %.6g m anywhere\n", roof, largest);
        bench_write(csv, "newmark", "frame", "limit", limit, "s");
        bench_write(csv, "newmark", "frame", "alpha", stats.cpu_s, "s");
        bench_write(csv, "newmark", "frame", "ratio", stats.cpu_s / limit, "");
        bench_add_row((BenchRow){.work = "frame of 96 150, 1000 fixed steps",
                                 .what = "Newmark, one factorization",
                                 .unit = "s",
                                 .ours = stats.cpu_s,
                                 .other = limit,
                                 .asked = 2.0});
    }
    fb_model_destroy(model);
    return status < 0;
}
