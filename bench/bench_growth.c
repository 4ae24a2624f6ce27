// Growth: cost of a step against the size of a chain of loops (A02) and of an open chain, and of
// reading a structure against its members, with the fitted exponents.
#include <math.h>
#include <stdio.h>

#include "bench.h"

enum { N_SIZES = 9, REPETITIONS = 3 };
static const int sizes[N_SIZES] = {2, 5, 10, 20, 50, 100, 200, 500, 1000};
// Small models are ruled by costs that do not grow: the exponent is fitted from here on.
static const int FIT_FROM = 20;

typedef struct Series {
    const char* name;
    const char* model;
    const char* integrator;
    double duration;
    int largest;       // N
    const char* work;  // in the table at the end
} Series;

static const Series all[] = {
    {"A02", "models/windows.yaml", NULL, 0.5, 500, "chain of loops (A02), cost a step"},
    {"chain dop853", "models/chain.yaml", "dop853", 0.05, 500, "open chain, dop853, cost a step"},
    {"chain radau", "models/chain.yaml", "radau", 0.05, 500, "open chain, radau, cost a step"},
    {"stiff chain", "bench/growth/stiff_chain.yaml", "radau", 0.2, 1000,
     "stiff chain, radau, cost a step"},
};

// Median time of a tried step (accepted or rejected), in s; NaN if it failed.
static double time_of_step(const char* root, const Series* series, int n, FbRunStats* stats,
                           char integrator[32]) {
    char path[1024], value[16];
    snprintf(path, sizeof path, "%s/%s", root, series->model);
    snprintf(value, sizeof value, "%d", n);
    FbOverride override = {"N", value};
    FbModel* model = bench_load(path, &override, 1);
    double times[REPETITIONS];
    BenchRun run = {series->duration, series->duration, 1e-6, 1e-8, series->integrator};
    FbError err;
    bool is_good = model != NULL;
    for (int i = 0; is_good && i < REPETITIONS; i++) {
        FbResult* result;
        is_good = bench_simulate(model, &run, &result, NULL, &err) >= 0;
        if (is_good) {
            *stats = *fb_result_get_stats(result);
            snprintf(integrator, 32, "%s", stats->integrator);
            times[i] = stats->cpu_s / (double)(stats->steps + stats->rejected);
            fb_result_destroy(result);
        } else {
            fprintf(stderr, "%s, N = %d: %s\n", series->name, n, err.text);
        }
    }
    fb_model_destroy(model);
    return is_good ? bench_median(times, REPETITIONS) : NAN;
}

static int run_series(const char* root, const Series* series, FbCsvWriter* csv) {
    double x[N_SIZES], y[N_SIZES], per_eval[N_SIZES];
    int n = 0, failures = 0;
    for (int i = 0; i < N_SIZES && sizes[i] <= series->largest; i++) {
        FbRunStats stats = {0};
        char integrator[32] = "";
        double t = time_of_step(root, series, sizes[i], &stats, integrator);
        char name[64];
        snprintf(name, sizeof name, "%s N=%d", series->name, sizes[i]);
        double tried = (double)(stats.steps + stats.rejected);
        double evals = stats.rhs_evals > 0 ? (double)stats.rhs_evals / tried : 1.0;
        printf("%-14s %6d %12.2f %8ld %10.1f  %s\n", series->name, sizes[i], 1e6 * t, stats.steps,
               evals, integrator);
        fflush(stdout);
        bench_write(csv, "growth", name, "cpu per step", t, "s");
        failures += isnan(t);
        if (sizes[i] >= FIT_FROM && !isnan(t)) {
            x[n] = sizes[i];
            per_eval[n] = t / evals;
            y[n++] = t;
        }
    }
    double exponent = n > 1 ? bench_exponent(x, y, n) : NAN;
    double of_evals = n > 1 ? bench_exponent(x, per_eval, n) : NAN;
    printf("%-14s cost per step ~ N^%.2f, per evaluation ~ N^%.2f (from N = %d)\n", series->name,
           exponent, of_evals, FIT_FROM);
    bench_write(csv, "growth", series->name, "exponent", exponent, "");
    bench_add_row((BenchRow){.work = series->work,
                             .what = "exponent of 1.15",
                             .unit = "",
                             .ours = exponent,
                             .other = 1.15,
                             .asked = 1.0});
    bench_write(csv, "growth", series->name, "exponent per evaluation", of_evals, "");
    return failures;
}

// What a Jacobian of a long chain costs, in accelerations.
static int run_jacobian(const char* root, FbCsvWriter* csv) {
    char path[1024];
    snprintf(path, sizeof path, "%s/bench/growth/stiff_chain.yaml", root);
    FbOverride override = {"N", "1000"};
    FbModel* model = bench_load(path, &override, 1);
    BenchPhases phases;
    FbError err = {0};
    bool is_good = model != NULL && bench_calc_phases(model, &phases, &err) >= 0;
    fb_model_destroy(model);
    if (!is_good) {
        fprintf(stderr, "Jacobian of the stiff chain: %s\n", err.text);
        return 1;
    }
    double ratio = phases.jacobian / phases.accelerations;
    printf("%-14s N = 1000: a Jacobian costs %.1f accelerations\n", "stiff chain", ratio);
    bench_write(csv, "growth", "stiff chain", "Jacobian in accelerations", ratio, "");
    bench_add_row((BenchRow){.work = "Jacobian, stiff chain of 1000",
                             .what = "10 accelerations",
                             .unit = "",
                             .ours = ratio,
                             .other = 10.0,
                             .asked = 1.0});
    return 0;
}

// Processor time to read and compile a structure of n members, in s; NaN if it failed.
static double time_of_reading(const char* path, int n) {
    char value[16];
    snprintf(value, sizeof value, "%d", n);
    FbOverride override = {"N", value};
    double times[REPETITIONS];
    for (int i = 0; i < REPETITIONS; i++) {
        double start = bench_cpu_time();
        FbModel* model = bench_load(path, &override, 1);
        times[i] = bench_cpu_time() - start;
        if (!model) {
            return NAN;
        }
        fb_model_destroy(model);
    }
    return bench_median(times, REPETITIONS);
}

static int run_reading(const char* root, FbCsvWriter* csv) {
    static const int n_members[] = {1250, 5000, 20000};
    enum { N = sizeof n_members / sizeof n_members[0] };
    char path[1024];
    snprintf(path, sizeof path, "%s/bench/growth/many_members.yaml", root);
    double x[N], y[N];
    for (int i = 0; i < N; i++) {
        char name[64];
        snprintf(name, sizeof name, "structure N=%d", n_members[i]);
        x[i] = n_members[i];
        y[i] = time_of_reading(path, n_members[i]);
        printf("%-14s N = %6d: read and compiled in %.3f s\n", "structure", n_members[i], y[i]);
        bench_write(csv, "growth", name, "cpu of reading", y[i], "s");
    }
    double exponent = bench_exponent(x, y, N);
    printf("%-14s reading ~ N^%.2f\n", "structure", exponent);
    bench_write(csv, "growth", "structure", "exponent of reading", exponent, "");
    return isnan(exponent);
}

int bench_run_growth(const char* root, FbCsvWriter* csv) {
    int failures = 0;
    printf("\nCost of a step against size (rtol 1e-6, median of %d runs)\n", REPETITIONS);
    printf("%-14s %6s %12s %8s %10s\n", "", "N", "CPU/step[us]", "steps", "evals/step");
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        failures += run_series(root, &all[i], csv);
    }
    return failures + run_jacobian(root, csv) + run_reading(root, csv);
}
