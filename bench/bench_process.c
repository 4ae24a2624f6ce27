// What a whole process costs: the start of the program, the governor from file to file, and the
// points of a sweep next to the solves alone.
#define _DEFAULT_SOURCE  // wait4
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "bench.h"

enum { REPETITIONS = 31, POINTS = 200, ROUNDS = 5 };

extern char** environ;

// CPU s of a program that ends well, in silence; NaN: it does not.
static double time_process(char* const* argv) {
    pid_t pid;
    int code;
    struct rusage u;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    bool is_done = posix_spawn(&pid, argv[0], &actions, NULL, argv, environ) == 0 &&
                   wait4(pid, &code, 0, &u) == pid && code == 0;
    posix_spawn_file_actions_destroy(&actions);
    return !is_done ? NAN
                    : (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
                          1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

// The least of many: other work on the machine only adds to it.
static double calc_least(char* const* argv) {
    double least = INFINITY;
    for (int i = 0; i < REPETITIONS; i++) {
        double t = time_process(argv);
        if (isnan(t)) {
            return NAN;
        }
        least = fmin(least, t);
    }
    return least;
}

static void run_governor(const char* root, FbCsvWriter* csv) {
    static const char* const written[] = {"governor.csv", "governor.json"};
    char model[1024], out[1024], file[1100];
    bench_beside("governor", out, sizeof out);
    snprintf(model, sizeof model, "%s/models/governor.yaml", root);
    char* argv[] = {FLYBALL_PROGRAM,       "run", model, "--rtol", "1e-3", "--atol", "1e-5",
                    "--no-error-estimate", "-q",  "-o",  out,      NULL};
    double whole = calc_least(argv);
    for (int i = 0; i < 2; i++) {
        snprintf(file, sizeof file, "%s/%s", out, written[i]);
        remove(file);
    }
    remove(out);
    printf("%-28s %8.2f ms CPU\n", "A05 at 1e-5, whole process", 1e3 * whole);
    bench_write(csv, "process", "a05", "cpu", whole, "s");
    bench_add_row((BenchRow){.work = "A05 at 1e-5, whole process",
                             .what = "3 ms",
                             .unit = "ms",
                             .ours = 1e3 * whole,
                             .other = 3.0,
                             .asked = 1.0});
}

static bool write_study(const char* path, const char* root) {
    FILE* f = fopen(path, "w");
    if (f == NULL) {
        return false;
    }
    fprintf(f,
            "flyball_study: 1\nmodel: %s/models/governor.yaml\nparameters: {c: {from: 3.9e4, to: "
            "4.1e4, n: %d}}\nmeasures: {top: {output: s, of: max}}\nsimulation: {rtol: 1e-3, atol: "
            "1e-5}\n",
            root, POINTS);
    return fclose(f) == 0;
}

// Solves alone, of the model as it is.
static double time_solves(const char* root) {
    char path[1024];
    FbError err;
    snprintf(path, sizeof path, "%s/models/governor.yaml", root);
    FbModel* model = bench_load(path, NULL, 0);
    BenchRun run = {.duration = 10.0, .sample = 0.1, .rtol = 1e-3, .atol = 1e-5};
    double sum = 0.0;
    for (int i = 0; model != NULL && i < POINTS; i++) {
        FbResult* result = NULL;
        double cpu_s = NAN;
        bench_simulate(model, &run, &result, &cpu_s, &err);
        fb_result_destroy(result);
        sum += cpu_s;
    }
    fb_model_destroy(model);
    return sum;
}

// `start`: what a process takes before it does anything.
static int run_sweep(const char* root, double start, FbCsvWriter* csv) {
    char study[1024], out[1024];
    bench_beside("bench_sweep.yaml", study, sizeof study);
    bench_beside("bench_sweep.csv", out, sizeof out);
    char* argv[] = {FLYBALL_PROGRAM, "sweep", study, "--jobs", "1", "-q", "-o", out, NULL};
    if (!write_study(study, root)) {
        perror(study);
        return 1;
    }
    double sweeps[ROUNDS], solves[ROUNDS], ratios[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {  // in turns, so that both see the same machine
        remove(out);
        sweeps[i] = time_process(argv) - start;
        solves[i] = time_solves(root);
        ratios[i] = sweeps[i] / solves[i];
    }
    remove(study);
    remove(out);
    double sweep = bench_median(sweeps, ROUNDS), solve = bench_median(solves, ROUNDS);
    double ratio = bench_median(ratios, ROUNDS);
    printf("%-28s %8.2f ms a point, %.2f ms a solve alone: %.2f times\n", "sweep of A05",
           1e3 * sweep / POINTS, 1e3 * solve / POINTS, ratio);
    bench_write(csv, "process", "sweep", "cpu a point", sweep / POINTS, "s");
    bench_write(csv, "process", "sweep", "ratio", ratio, "");
    bench_add_row((BenchRow){.work = "sweep of A05, a point",
                             .what = "solves alone",
                             .unit = "ms",
                             .ours = 1e3 * ratio * solve / POINTS,
                             .other = 1e3 * solve / POINTS,
                             .asked = 1.1});
    return isnan(ratio);
}

int bench_run_process(const char* root, FbCsvWriter* csv) {
    char* version[] = {FLYBALL_PROGRAM, "--version", NULL};
    printf("\nWhole processes (CPU, least of %d)\n", REPETITIONS);
    fflush(stdout);
    double start = calc_least(version);
    printf("%-28s %8.2f ms CPU\n", "flyball --version", 1e3 * start);
    bench_write(csv, "process", "version", "cpu", start, "s");
    run_governor(root, csv);
    return run_sweep(root, start, csv) + (isnan(start) ? 1 : 0);
}
