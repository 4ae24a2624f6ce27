// The governor A05 at e <= 1e-5: the engine against the hand-derived equations with CVODE and with
// our own Radau method.
#include <math.h>
#include <stdio.h>

#include "a05_ode.h"
#include "bench.h"

enum { REPETITIONS = 21, N_WAYS = 3 };
static const double LIMIT = 1e-5;
static const double LOOSEST = 1e-2, TIGHTEST = 1e-12, TIGHTER = 0.31622776601683794,
                    ATOL_FACTOR = 0.01;

typedef struct Way {
    const char* name;
    double rtol, error;
    A05Run run;
    double times[REPETITIONS];
    double cpu_s;
} Way;

typedef struct Race {
    const FbModel* model;
    double reference[A05_SAMPLES];
    Way ways[N_WAYS];
} Race;

static void run_engine(const FbModel* model, double rtol, double atol, A05Run* out) {
    BenchRun run = {.duration = 10.0, .sample = 0.1, .rtol = rtol, .atol = atol};
    FbResult* result;
    FbError err;
    *out = (A05Run){0};
    if (bench_simulate(model, &run, &result, &out->cpu_s, &err) < 0) {
        out->failure = "the engine gave up";
        return;
    }
    int column = fb_model_find_output(model, "s");
    for (int i = 0; i < A05_SAMPLES; i++) {
        out->s[i] = fb_result_get_value(result, i, column);
    }
    const FbRunStats* stats = fb_result_get_stats(result);
    out->steps = stats->steps;
    out->rhs_evals = stats->rhs_evals;
    out->jacobian_evals = stats->jacobian_evals;
    fb_result_destroy(result);
}

static void run_way(Race* race, int i) {
    Way* way = &race->ways[i];
    double atol = ATOL_FACTOR * way->rtol;
    if (i == 0) {
        run_engine(race->model, way->rtol, atol, &way->run);
    } else if (i == 1) {
        a05_run_radau(way->rtol, atol, &way->run);
    } else {
        a05_run_cvode(way->rtol, atol, &way->run);
    }
}

static void find_limit(Race* race, int i) {
    Way* way = &race->ways[i];
    for (way->rtol = LOOSEST; way->rtol >= TIGHTEST; way->rtol *= TIGHTER) {
        run_way(race, i);
        way->error = a05_error(way->run.s, race->reference);
        if (way->run.failure == NULL && way->error <= LIMIT) {
            return;
        }
    }
    if (way->run.failure == NULL) {
        way->run.failure = "no tolerance reaches the limit";
    }
}

// Interleaved, so that all ways see the same machine.
static void time_ways(Race* race) {
    for (int k = 0; k < REPETITIONS; k++) {
        for (int i = 0; i < N_WAYS; i++) {
            if (race->ways[i].run.failure == NULL) {
                run_way(race, i);
                race->ways[i].times[k] = race->ways[i].run.cpu_s;
            }
        }
    }
    for (int i = 0; i < N_WAYS; i++) {
        Way* way = &race->ways[i];
        way->cpu_s = way->run.failure == NULL ? bench_median(way->times, REPETITIONS) : NAN;
    }
}

static void print_way(const Way* way, FbCsvWriter* csv) {
    if (way->run.failure != NULL) {
        printf("%-28s %s\n", way->name, way->run.failure);
        return;
    }
    printf("%-28s %8.1e %9.1e %9.3f %7ld %8ld %7ld\n", way->name, way->rtol, way->error,
           1e3 * way->cpu_s, way->run.steps, way->run.rhs_evals, way->run.jacobian_evals);
    bench_write(csv, "a05", way->name, "rtol", way->rtol, "");
    bench_write(csv, "a05", way->name, "error", way->error, "");
    bench_write(csv, "a05", way->name, "cpu", way->cpu_s, "s");
    bench_write(csv, "a05", way->name, "steps", (double)way->run.steps, "");
    bench_write(csv, "a05", way->name, "evaluations", (double)way->run.rhs_evals, "");
}

static void print_race(Race* race, FbCsvWriter* csv) {
    printf("\nA05, 10 s, at e <= %.0e (CPU: median of %d interleaved runs)\n", LIMIT, REPETITIONS);
    printf("%-28s %8s %9s %9s %7s %8s %7s\n", "", "rtol", "e", "CPU [ms]", "steps", "evals",
           "jacobs");
    for (int i = 0; i < N_WAYS; i++) {
        print_way(&race->ways[i], csv);
    }
    double over_radau = race->ways[0].cpu_s / race->ways[1].cpu_s;
    double over_cvode = race->ways[0].cpu_s / race->ways[2].cpu_s;
    printf("engine / hand-derived with CVODE: %.2f (aim: < 1)\n", over_cvode);
    printf("engine / hand-derived with our Radau: %.2f (aim: <= 1.5)\n", over_radau);
    bench_add_row((BenchRow){.work = "A05 at 1e-5, in process",
                             .what = "our Radau on hand-derived equations",
                             .unit = "ms",
                             .ours = 1e3 * race->ways[0].cpu_s,
                             .other = 1e3 * race->ways[1].cpu_s,
                             .asked = 1.5});
    bench_write(csv, "a05", "ratio", "engine/cvode", over_cvode, "");
    bench_write(csv, "a05", "ratio", "engine/radau", over_radau, "");
}

static FbStatus read_reference(const char* root, double out[A05_SAMPLES]) {
    char path[1024];
    snprintf(path, sizeof path, "%s/bench/cases/a05/reference.csv", root);
    FbSamples table;
    FbError err;
    FbStatus status = fb_samples_read_csv(&table, path, &err);
    if (status == FB_OK && table.n_rows != A05_SAMPLES) {
        status = FB_ERR_RANGE;
    }
    for (int i = 0; status == FB_OK && i < A05_SAMPLES; i++) {
        out[i] = fb_samples_get_value(&table, i, 0);
    }
    fb_samples_free(&table);
    return status;
}

int bench_run_a05(const char* root, FbCsvWriter* csv) {
    char path[1024];
    snprintf(path, sizeof path, "%s/models/governor.yaml", root);
    FbModel* model = bench_load(path, NULL, 0);
    Race race = {.model = model,
                 .ways = {{.name = "engine"},
                          {.name = "hand-derived, our Radau"},
                          {.name = "hand-derived, CVODE BDF"}}};
    if (model == NULL || read_reference(root, race.reference) < 0) {
        printf("A05: the model or its reference cannot be read\n");
        fb_model_destroy(model);
        return 1;
    }
    for (int i = 0; i < N_WAYS; i++) {
        find_limit(&race, i);
    }
    time_ways(&race);
    print_race(&race, csv);
    fb_model_destroy(model);
    return race.ways[0].run.failure != NULL;
}
