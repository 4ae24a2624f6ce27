// Work against precision: each case over tolerances from loose to tight, as rows and as charts.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

enum { MOST_CASES = 8, N_TOLERANCES = 8 };
static const double LOOSEST = 1e-3, TIGHTER = 0.1, ATOL_FACTOR = 0.01;
// A case goes on to tighter tolerances as long as its runs take less than this.
static const double PATIENCE = 3.0;  // s

typedef struct Group {
    const char *file, *title;
    const char* cases[MOST_CASES];
} Group;

static const Group groups[] = {
    {"precision_rigid.svg",
     "Rigid cases: CPU time against error",
     {"a01", "a02-n2", "a03", "a04", "a05", "slider-crank", "cart-pole"}},
    {"precision_flexible.svg",
     "Flexible cases: CPU time against error",
     {"s1-fe", "flexible-fourbar", "rotating-shaft"}},
};

// A curve: x the error in units of the limit of its case, y CPU s.
typedef struct Curve {
    double x[N_TOLERANCES], y[N_TOLERANCES];
    int n;
} Curve;

static void measure(const FbModel* model, const FbBenchCase* c, const char* name, Curve* curve,
                    FbCsvWriter* csv) {
    double cpu_s = 0.0, rtol = LOOSEST;
    for (int i = 0; i < N_TOLERANCES && cpu_s < PATIENCE; i++, rtol *= TIGHTER) {
        BenchRun run = {c->duration, c->sample, rtol, ATOL_FACTOR * rtol, NULL};
        FbResult* result = NULL;
        FbError err;
        double error, limit;
        if (bench_simulate(model, &run, &result, &cpu_s, &err) >= 0 &&
            bench_judge(c, result, &error, &limit, &err) == FB_OK && error > 0.0) {
            curve->x[curve->n] = error / limit;
            curve->y[curve->n++] = cpu_s;
            printf("%-18s %8.0e %10.2e %10.2e %10.4f %8ld\n", name, rtol, error, error / limit,
                   cpu_s, fb_result_get_stats(result)->steps);
            char at[64];
            snprintf(at, sizeof at, "%s rtol %.0e", name, rtol);
            bench_write(csv, "precision", at, "error", error, "");
            bench_write(csv, "precision", at, "cpu", cpu_s, "s");
        }
        fb_result_destroy(result);
    }
}

static int measure_case(const char* root, const char* name, Curve* curve, FbCsvWriter* csv) {
    char folder[1024];
    snprintf(folder, sizeof folder, "%s/bench/cases/%s", root, name);
    FbBenchCase* c = NULL;
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    FbStatus status =
        diagnostics != NULL ? fb_bench_case_read(folder, &c, diagnostics) : FB_ERR_MEMORY;
    fb_diagnostics_destroy(diagnostics);
    FbModel* model = status >= 0 ? bench_load(c->model, c->overrides, c->n_overrides) : NULL;
    if (model != NULL) {
        measure(model, c, name, curve, csv);
    }
    fb_model_destroy(model);
    fb_bench_case_destroy(c);
    return model == NULL;
}

// A chart wants its x in order; tighter tolerances need not have smaller errors.
static void sort(Curve* c) {
    for (int i = 1; i < c->n; i++) {
        for (int k = i; k > 0 && c->x[k - 1] > c->x[k]; k--) {
            double x = c->x[k], y = c->y[k];
            c->x[k] = c->x[k - 1];
            c->y[k] = c->y[k - 1];
            c->x[k - 1] = x;
            c->y[k - 1] = y;
        }
    }
}

static int draw(const Group* group, Curve* curves, int n) {
    char path[1024], *svg = NULL;
    FbChartCurve lines[MOST_CASES] = {0};
    FbError err;
    for (int i = 0; i < n; i++) {
        sort(&curves[i]);
        lines[i] = (FbChartCurve){
            .data = {group->cases[i], curves[i].x, curves[i].y, 1, 1, curves[i].n}, .color = i};
    }
    FbChartPanel panel = {.label = "CPU [s]", .curves = lines, .n_curves = n, .is_log = true};
    FbLineChart chart = {.title = group->title,
                         .x_label = "error, of the limit of the case",
                         .is_x_log = true,
                         .panels = &panel,
                         .n_panels = 1};
    bench_beside(group->file, path, sizeof path);
    FILE* f = fb_chart_svg(&chart, &svg, &err) >= 0 ? fopen(path, "w") : NULL;
    bool is_done = f != NULL && fputs(svg, f) >= 0;
    is_done = f != NULL && fclose(f) == 0 && is_done;
    fb_free(svg);
    printf(is_done ? "drawn in %s\n" : "%s cannot be written\n", path);
    return !is_done;
}

int bench_run_precision(const char* root, FbCsvWriter* csv) {
    int failures = 0;
    printf("\nWork against precision\n%-18s %8s %10s %10s %10s %8s\n", "case", "rtol", "error",
           "of limit", "CPU [s]", "steps");
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        Curve curves[MOST_CASES] = {0};
        int n = 0;
        for (; n < MOST_CASES && groups[g].cases[n] != NULL; n++) {
            failures += measure_case(root, groups[g].cases[n], &curves[n], csv);
            fflush(stdout);
        }
        failures += draw(&groups[g], curves, n);
    }
    return failures;
}
