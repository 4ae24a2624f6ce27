// How well `auto` chooses: its processor time against that of the best method at the same error,
// for models of all kinds at four tolerances.
//
// Usage: flyball_bench_auto [OUTPUT.csv [MODELS]]    MODELS: only those whose name contains it
//
// Each method runs at tolerances a decade apart, which gives its time as a function of its error;
// `auto` at the four tolerances is compared with the cheaper of the two at the error that it has.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../test/verify/error_cases.h"
#include "bench.h"
#include "math/blas.h"

// Tolerances 1e-3 to 1e-11; `auto` runs at 1e-4, 1e-6, 1e-8 and 1e-10.
enum { FIRST = 3, GRID = 9, GENERATED = 24, MAX_REPEATS = 12, PASSES = 3 };
static const char* const names[3] = {"dop853", "radau", "auto"};
static const double FLOOR = 1e-11;    // smaller errors are not distinguished
static const double PATIENCE = 30.0;  // times what the others take, then a method is given up
static const double TOTAL_S = 0.05;   // short runs are repeated for so long in each pass

typedef struct ModelCase {
    const char* path;
    const char* name;
    double duration;  // s; NaN: as in the model
    FbOverride set;
} ModelCase;

#define AS_IT_IS \
    NAN, {       \
        0        \
    }
static const ModelCase shipped[] = {
    {"models/bicycle.yaml", "bicycle", AS_IT_IS},
    {"models/bricard.yaml", "bricard", AS_IT_IS},
    {"models/cart_pole.yaml", "cart_pole", AS_IT_IS},
    {"models/chain.yaml", "chain", AS_IT_IS},
    {"models/chain.yaml", "chain N=2", NAN, {"N", "2"}},
    {"models/chain.yaml", "chain N=30", NAN, {"N", "30"}},
    {"models/chain.yaml", "chain N=90", 0.3, {"N", "90"}},
    {"models/chain.yaml", "chain N=100", 0.3, {"N", "100"}},
    {"models/crane.yaml", "crane", 2.0, {0}},
    {"models/double_pendulum.yaml", "double_pendulum", 5.0, {0}},
    {"models/engine.yaml", "engine", AS_IT_IS},
    {"models/engine_mount.yaml", "engine_mount", AS_IT_IS},
    {"models/fourbar.yaml", "fourbar", AS_IT_IS},
    {"models/frame.yaml", "frame", AS_IT_IS},
    {"models/governor.yaml", "governor", AS_IT_IS},
    {"models/pendulum.yaml", "pendulum", AS_IT_IS},
    {"models/reeled_pendulum.yaml", "reeled_pendulum", AS_IT_IS},
    {"models/robot.yaml", "robot", AS_IT_IS},
    {"models/rocket_sled.yaml", "rocket_sled", AS_IT_IS},
    {"models/rolling_disc.yaml", "rolling_disc", AS_IT_IS},
    {"models/slider_crank.yaml", "slider_crank", AS_IT_IS},
    {"models/spinning_top.yaml", "spinning_top", AS_IT_IS},
    {"models/squeezer.yaml", "squeezer", AS_IT_IS},
    {"models/windows.yaml", "windows", AS_IT_IS},
    {"models/windows.yaml", "windows N=10", NAN, {"N", "10"}},
    {"bench/auto/friction.yaml", "friction that sticks", AS_IT_IS},
};
enum { SHIPPED = sizeof shipped / sizeof shipped[0] };

typedef struct Point {
    double error, cpu;  // INFINITY: failed or given up
    bool is_out;
} Point;

typedef struct Note {
    char text[400];
} Note;

typedef struct Watch {
    double end;  // processor time
} Watch;

static bool has_time(void* self, const FbProgress* progress) {
    (void)progress;
    return bench_cpu_time() < ((Watch*)self)->end;
}

// The largest error of any output relative to its largest value.
static double error_of(const FbResult* result, const FbResult* exact) {
    int rows = fb_result_get_row_count(exact);
    double largest = 0.0;
    if (fb_result_get_row_count(result) != rows) {
        return INFINITY;
    }
    for (int c = 0; c < fb_result_get_column_count(exact); c++) {
        double size = 0.0, error = 0.0;
        for (int r = 0; r < rows; r++) {
            double x = fb_result_get_value(exact, r, c);
            size = fmax(size, fabs(x));
            error = fmax(error, fabs(x - fb_result_get_value(result, r, c)));
        }
        largest = size > 1e-9 ? fmax(largest, error / size) : largest;
    }
    return largest;
}

static FbResult* run_once(const FbModel* model, const ModelCase* c, const char* integrator,
                          double rtol, double limit, double* cpu) {
    FbRunOptions o = fb_run_options_default(model);
    FbSettings* s = &o.settings;
    FbResult* result = NULL;
    FbError err;
    s->duration = isnan(c->duration) ? s->duration : c->duration;
    s->sample = s->duration / 50.0;
    s->rtol = rtol;
    s->atol = 1e-2 * rtol;
    s->integrator = integrator;
    Watch watch = {bench_cpu_time() + limit};
    o.progress = has_time;
    o.progress_self = &watch;
    double start = bench_cpu_time();
    FbStatus status = fb_simulate(model, &o, &result, &err);
    *cpu = bench_cpu_time() - start;
    if (status != FB_OK && result) {
        fb_result_destroy(result);
        return NULL;
    }
    return result;
}

// One more run of the method: the shortest time of all so far is kept. false: it failed or took
// too long.
static bool measure(const FbModel* model, const ModelCase* c, const char* integrator, double rtol,
                    double limit, const FbResult* exact, Point* p, Note* note) {
    double cpu;
    FbResult* result = run_once(model, c, integrator, rtol, limit, &cpu);
    if (!result) {
        return false;
    }
    p->cpu = fmin(p->cpu, cpu);
    p->error = fmax(FLOOR, error_of(result, exact));
    const FbRunStats* s = fb_result_get_stats(result);
    if (strcmp(integrator, "auto") == 0) {
        snprintf(note->text, sizeof note->text, "%s (%s)", s->integrator, s->integrator_reason);
    }
    fb_result_destroy(result);
    return true;
}

// Time of a method for an error, between the points around it (on logarithmic scales).
static double time_for(const Point* grid, double error) {
    double best = INFINITY;
    for (int i = 0; i < GRID; i++) {
        if (grid[i].error <= error) {
            best = fmin(best, grid[i].cpu);
        }
        if (i > 0 && isfinite(grid[i - 1].error) && isfinite(grid[i].error) &&
            grid[i - 1].error > error && grid[i].error < error) {
            double u = log(grid[i - 1].error / error) / log(grid[i - 1].error / grid[i].error);
            best = fmin(best, exp((1.0 - u) * log(grid[i - 1].cpu) + u * log(grid[i].cpu)));
        }
    }
    // Looser than the loosest run: that one; tighter than the tightest: no better than that one.
    for (int i = GRID - 1; i >= 0 && !isfinite(best); i--) {
        best = isfinite(grid[i].cpu) ? grid[i].cpu : best;
    }
    return best;
}

typedef struct Summary {
    double ratios[8 * (SHIPPED + GENERATED)];
    int n;
} Summary;

static FbResult* reference(const FbModel* model, const ModelCase* c, const char* integrator) {
    double cpu;
    return run_once(model, c, integrator, 1e-12, 20.0, &cpu);
}

// All three methods at one tolerance, in turn, so that a busy machine slows all of them. Those that
// failed or took too long before are left out.
static void measure_row(const FbModel* model, const ModelCase* c, double rtol, bool has_auto,
                        const FbResult* exact, Point row[3], Note* note) {
    int rounds = has_auto ? MAX_REPEATS : 3;
    double limit = 10.0, start = bench_cpu_time();
    bool is_out[3] = {row[0].is_out, row[1].is_out, row[2].is_out || !has_auto};
    for (int i = 0; i < rounds && (i < 1 || bench_cpu_time() - start < TOTAL_S); i++) {
        for (int m = 2; m >= 0; m--) {
            if (!is_out[m]) {
                is_out[m] = !measure(model, c, names[m], rtol, limit, exact, &row[m], note);
                row[m].is_out = is_out[m];
                limit = fmin(limit, PATIENCE * row[m].cpu + 0.02);
            }
        }
    }
}

// Where the error is too small to be measured, the methods are compared at the same tolerance.
static double best_time(Point grid[3][GRID], int i, double times[2]) {
    double error = grid[2][i].error;
    for (int m = 0; m < 2; m++) {
        times[m] = error > FLOOR ? time_for(grid[m], error) : grid[m][i].cpu;
    }
    return fmin(times[0], times[1]);
}

// Several passes over the tolerances: a machine that is slow for a while is not slow in all.
static void measure_all(const FbModel* model, const ModelCase* c, const FbResult* exact,
                        Point grid[3][GRID], Note notes[GRID]) {
    Point rows[GRID][3];
    for (int i = 0; i < GRID; i++) {
        snprintf(notes[i].text, sizeof notes[i].text, "failed");
        for (int m = 0; m < 3; m++) {
            rows[i][m] = (Point){INFINITY, INFINITY, false};
        }
    }
    for (int i = 0; i < PASSES * GRID; i++) {
        int exponent = FIRST + i % GRID;
        measure_row(model, c, pow(10.0, -exponent),
                    exponent % 2 == 0 && exponent >= 4 && exponent <= 10, exact, rows[i % GRID],
                    &notes[i % GRID]);
    }
    for (int i = 0; i < GRID; i++) {
        for (int m = 0; m < 3; m++) {
            grid[m][i] = rows[i][m];
        }
    }
}

static void compare(const FbModel* model, const ModelCase* c, FILE* csv, Summary* summary) {
    static Point grid[3][GRID];
    Note notes[GRID];
    FbResult* exact = reference(model, c, "radau");
    exact = exact ? exact : reference(model, c, "dop853");
    if (!exact) {
        printf("%-24s no reference\n", c->name);
        return;
    }
    measure_all(model, c, exact, grid, notes);
    for (int i = 4 - FIRST; i <= 10 - FIRST; i += 2) {
        double times[2], best = best_time(grid, i, times), cpu = grid[2][i].cpu,
                         rtol = pow(10.0, -FIRST - i);
        summary->ratios[summary->n++] = cpu / best;
        printf("%-24s %6.0e %9.1e %10.3f %10.3f %10.3f %6.2f  %s\n", c->name, rtol,
               grid[2][i].error, 1e3 * cpu, 1e3 * times[0], 1e3 * times[1], cpu / best,
               notes[i].text);
        fprintf(csv, "%s,%g,%g,%.6g,%.6g,%.6g,%.4g,\"%s\"\n", c->name, rtol, grid[2][i].error, cpu,
                times[0], times[1], cpu / best, notes[i].text);
        fflush(stdout);
    }
    fb_result_destroy(exact);
}

static void run_all(const char* filter, FILE* csv, Summary* summary) {
    for (int i = 0; i < SHIPPED; i++) {
        const ModelCase* c = &shipped[i];
        char path[512];
        snprintf(path, sizeof path, "%s/%s", FLYBALL_BENCH_ROOT, c->path);
        if (strstr(c->name, filter)) {
            FbModel* model = bench_load(path, &c->set, c->set.name ? 1 : 0);
            if (model) {
                compare(model, c, csv, summary);
            }
            fb_model_destroy(model);
        }
    }
    for (unsigned i = 0; i < GENERATED; i++) {
        ErrorCase text;
        char name[64];
        error_case_write(i, &text);
        snprintf(name, sizeof name, "%s %u", text.family, i);
        ModelCase c = {NULL, name, AS_IT_IS};
        FbModel* model = strstr(name, filter) ? error_case_model(&text) : NULL;
        if (model) {
            compare(model, &c, csv, summary);
        }
        fb_model_destroy(model);
    }
}

int main(int argc, char** argv) {
    fb_blas_set_threads(1);
    const char* path = argc > 1 ? argv[1] : "auto.csv";
    FILE* csv = fopen(path, "w");
    static Summary summary;
    if (!csv) {
        fprintf(stderr, "cannot write %s\n", path);
        return 4;
    }
    fprintf(csv, "model,rtol,error,auto_s,dop853_s,radau_s,ratio,choice\n");
    printf("%-24s %6s %9s %10s %10s %10s %6s\n", "model", "rtol", "error", "auto ms", "dop853 ms",
           "radau ms", "ratio");
    run_all(argc > 2 ? argv[2] : "", csv, &summary);
    fclose(csv);
    int slow = 0;
    for (int i = 0; i < summary.n; i++) {
        slow += !(summary.ratios[i] <= 2.0);
    }
    if (summary.n > 0) {
        double median = bench_median(summary.ratios, summary.n);
        printf("%d runs: median ratio to the best method %.2f, largest %.2f, %d above 2\n",
               summary.n, median, summary.ratios[summary.n - 1], slow);
    }
    printf("Written to %s\n", path);
    return 0;
}
