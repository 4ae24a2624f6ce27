// Reduction of large meshes of tet10 (bench/meshes/block.yaml), all of `flyball check`: reading,
// assembling, static shapes, 60 modes, compiling; against CHOLMOD with ARPACK on the same matrices
// (reduce_limit.c). Each is a process of its own, so that its memory can be stated.
#define _DEFAULT_SOURCE  // wait4
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "bench.h"

enum { N_MODES = 60 };

extern char** environ;

// Larger ones by hand (docs/performance.md): they take minutes.
static const struct {
    const char *work, *a, *b, *c;
} sizes[] = {{"60 modes of a tet10 block of 21 000", "20", "6", "6"},
             {"60 modes of a tet10 block of 103 000", "32", "11", "11"}};

// Runs a program, its output into a file; CPU s and MB, NaN: it failed.
static void run(char* const* argv, const char* output, double* cpu, double* mb) {
    pid_t pid;
    int code;
    struct rusage u;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    bool is_done = posix_spawn(&pid, argv[0], &actions, NULL, argv, environ) == 0 &&
                   wait4(pid, &code, 0, &u) == pid && code == 0;
    posix_spawn_file_actions_destroy(&actions);
    *cpu = is_done ? (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
                         1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec)
                   : NAN;
    *mb = is_done ? (double)u.ru_maxrss / 1e3 : NAN;
}

typedef struct Limit {
    int rows, n_solves;
    double cpu, mb;
} Limit;

static bool run_limit(const char* model, char* const* set, const char* output, Limit* out) {
    char modes[16];
    snprintf(modes, sizeof modes, "%d", N_MODES);
    char* argv[] = {FLYBALL_REDUCE_LIMIT, (char*)model, modes, set[0], set[1], set[2], NULL};
    double cpu, mb;
    int n_modes;
    run(argv, output, &cpu, &mb);
    FILE* f = isnan(cpu) ? NULL : fopen(output, "r");
    bool is_done = f && fscanf(f, "%d %d %lf %lf %d", &out->rows, &n_modes, &out->cpu, &out->mb,
                               &out->n_solves) == 5;
    if (f) {
        fclose(f);
    }
    return is_done;
}

static bool measure(const char* model, int size, const char* output, FbCsvWriter* csv) {
    char set[3][32];
    snprintf(set[0], sizeof set[0], "A=%s", sizes[size].a);
    snprintf(set[1], sizeof set[1], "B=%s", sizes[size].b);
    snprintf(set[2], sizeof set[2], "C=%s", sizes[size].c);
    char* ours[] = {FLYBALL_PROGRAM, "check", (char*)model, "-q",   "--set", set[0],
                    "--set",         set[1],  "--set",      set[2], NULL};
    char* const all[] = {set[0], set[1], set[2]};
    double cpu, mb;
    Limit limit = {0};
    run(ours, output, &cpu, &mb);
    bool has_limit = run_limit(model, all, output, &limit);
    printf("%-38s %9.2f s %8.0f MB", sizes[size].work, cpu, mb);
    bench_write(csv, "reduce", sizes[size].work, "cpu", cpu, "s");
    bench_write(csv, "reduce", sizes[size].work, "memory", mb, "MB");
    if (has_limit) {
        printf(" %9.2f s %8.0f MB %6d solves %7.2f\n", limit.cpu, limit.mb, limit.n_solves,
               cpu / limit.cpu);
        bench_write(csv, "reduce", sizes[size].work, "limit", limit.cpu, "s");
    } else {
        printf("   no limit program: it needs CHOLMOD and ARPACK\n");
    }
    bench_add_row((BenchRow){.work = sizes[size].work,
                             .what = "CHOLMOD with ARPACK on K and M",
                             .unit = "s",
                             .ours = cpu,
                             .other = limit.cpu,
                             .asked = 2.0,
                             .skipped = has_limit ? NULL : "no CHOLMOD or ARPACK"});
    fflush(stdout);
    return !isnan(cpu);
}

int bench_run_reduce(const char* root, FbCsvWriter* csv) {
    char model[1024], output[1024];
    int failures = 0;
    snprintf(model, sizeof model, "%s/bench/meshes/block.yaml", root);
    bench_beside("reduce.txt", output, sizeof output);
    printf(
        "\nReduction of a block of tet10 to 60 modes: all of `flyball check`, and the limit, "
        "CHOLMOD "
        "with ARPACK on the assembled matrices\n");
    for (int i = 0; i < (int)(sizeof sizes / sizeof *sizes); i++) {
        failures += !measure(model, i, output, csv);
    }
    remove(output);
    return failures;
}
