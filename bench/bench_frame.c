// Large frames: time to read and assemble, for the lowest 20 modes and for a step of the
// integration, against the number of degrees of freedom.
#include <math.h>
#include <stdio.h>

#include "bench.h"

enum { N_SIZES = 4, N_MODES = 20 };
// Elements a member of a frame with 50 storeys and 10 bays: 2 850 to 96 150 degrees of freedom.
static const char* const elements[N_SIZES] = {"1", "3", "10", "31"};

typedef struct FrameTimes {
    int n_dof;
    double load, modes, run;  // s
    long steps;
} FrameTimes;

static FbStatus find_modes(const FbModel* model, FbError* err) {
    FbOperatingOptions at = fb_operating_options_default();
    FbLowestOptions lowest = fb_lowest_options_default();
    FbOperatingPoint* point = NULL;
    FbLowest* modes = NULL;
    at.kind = FB_AT_INITIAL;
    lowest.count = N_MODES;
    lowest.is_damped = true;
    FbStatus status = fb_operating_point_create(model, &at, &point, err);
    if (status >= 0) {
        status = fb_modes_lowest(point, &lowest, &modes, err);
    }
    fb_lowest_destroy(modes);
    fb_operating_point_destroy(point);
    return status;
}

static bool measure(const char* root, const char* n_elements, FrameTimes* out) {
    char path[1024];
    FbOverride overrides[] = {{"S", "50"}, {"B", "10"}, {"E", n_elements}};
    FbError err;
    double start = bench_cpu_time();
    snprintf(path, sizeof path, "%s/models/frame.yaml", root);
    FbModel* model = bench_load(path, overrides, 3);
    if (model == NULL) {
        return false;
    }
    FbModelInfo info;
    fb_model_get_info(model, &info);
    out->n_dof = info.n_coordinates;
    out->load = bench_cpu_time() - start;
    start = bench_cpu_time();
    FbStatus status = find_modes(model, &err);
    out->modes = bench_cpu_time() - start;
    FbResult* result = NULL;
    BenchRun run = {NAN, NAN, NAN, NAN, NULL};
    if (status >= 0) {
        status = bench_simulate(model, &run, &result, &out->run, &err);
    }
    if (status < 0) {
        fprintf(stderr, "frame with %s elements a member: %s\n", n_elements, err.text);
    } else {
        out->steps = fb_result_get_stats(result)->steps;
    }
    fb_result_destroy(result);
    fb_model_destroy(model);
    return status >= 0;
}

int bench_run_frame(const char* root, FbCsvWriter* csv) {
    int failures = 0;
    double x[N_SIZES], y[N_SIZES], z[N_SIZES];
    printf("\nFrames (models/frame.yaml, 50 storeys, 10 bays; 0.5 s from the equilibrium)\n");
    printf("%8s %10s %12s %10s %8s\n", "freedoms", "load [s]", "20 modes [s]", "run [s]", "steps");
    for (int i = 0; i < N_SIZES; i++) {
        FrameTimes t = {0};
        char name[32];
        if (!measure(root, elements[i], &t)) {
            return failures + 1;
        }
        printf("%8d %10.2f %12.2f %10.2f %8ld\n", t.n_dof, t.load, t.modes, t.run, t.steps);
        fflush(stdout);
        snprintf(name, sizeof name, "frame n=%d", t.n_dof);
        bench_write(csv, "frame", name, "load", t.load, "s");
        bench_write(csv, "frame", name, "20 modes", t.modes, "s");
        bench_write(csv, "frame", name, "run", t.run, "s");
        x[i] = t.n_dof;
        y[i] = t.modes;
        z[i] = t.run / (double)t.steps;
    }
    double modes = bench_exponent(x, y, N_SIZES), step = bench_exponent(x, z, N_SIZES);
    printf("modes ~ n^%.2f, step ~ n^%.2f\n", modes, step);
    bench_write(csv, "frame", "modes", "exponent", modes, "");
    bench_write(csv, "frame", "step", "exponent", step, "");
    return failures;
}
