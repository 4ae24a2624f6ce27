// For each benchmark case: the loosest tolerance that keeps its limits, and what the run then costs
// and where.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"

static const char* const case_names[] = {"a01", "a02-n2", "a02-n40",  "a03",       "a03-ivp",
                                         "a04", "a05",    "a05-350s", "a05-turned"};
enum { N_CASES = sizeof case_names / sizeof case_names[0], REPETITIONS = 5 };

// Tolerances are tried from loose to tight, two a decade.
static const double LOOSEST = 1e-3, TIGHTEST = 1e-13, TIGHTER = 0.31622776601683794;
static const double ATOL_FACTOR = 0.01;
// A case that has not kept its limit after this time is given up.
static const double PATIENCE = 20.0;  // s

typedef struct Trial {
    BenchRun run;
    double error, limit;  // of the measure that is worst for its limit
    FbRunStats stats;
    char integrator[32];  // the texts of `stats` belong to the result
} Trial;

// `max-difference` compares two models and says nothing of accuracy.
FbStatus bench_judge(const FbBenchCase* c, const FbResult* result, double* error_out,
                     double* limit_out, FbError* err) {
    *error_out = 0.0;
    *limit_out = 1.0;
    for (int i = 0; i < c->n_measures; i++) {
        const FbCaseMeasure* m = &c->measures[i];
        double error;
        if (isnan(m->limit) || m->kind == FB_CASE_MAX_DIFFERENCE) {
            continue;
        }
        FbStatus status = fb_case_calc_measure(m, result, NULL, &error, err);
        if (status < 0) {
            return status;
        }
        if (!(error / m->limit <= *error_out / *limit_out)) {
            *error_out = error;
            *limit_out = m->limit;
        }
    }
    return FB_OK;
}

static FbStatus find_limit(const FbModel* model, const FbBenchCase* c, Trial* trial, FbError* err) {
    FbStatus status = FB_ERR_ACCURACY;
    double start = bench_cpu_time();
    for (double rtol = LOOSEST; rtol >= TIGHTEST && status != FB_OK; rtol *= TIGHTER) {
        FbResult* result;
        trial->run = (BenchRun){c->duration, c->sample, rtol, ATOL_FACTOR * rtol, NULL};
        status = bench_simulate(model, &trial->run, &result, NULL, err);
        if (bench_cpu_time() - start > PATIENCE) {
            fb_result_destroy(result);
            return status < 0 ? status : FB_ERR_ACCURACY;
        }
        if (status < 0) {
            continue;
        }
        status = bench_judge(c, result, &trial->error, &trial->limit, err);
        trial->stats = *fb_result_get_stats(result);
        snprintf(trial->integrator, sizeof trial->integrator, "%s", trial->stats.integrator);
        if (status == FB_OK && !(trial->error <= trial->limit)) {
            status = FB_ERR_ACCURACY;
        }
        fb_result_destroy(result);
    }
    return status;
}

static double time_runs(const FbModel* model, const BenchRun* run) {
    double times[REPETITIONS];
    for (int i = 0; i < REPETITIONS; i++) {
        FbResult* result;
        FbError err;
        if (bench_simulate(model, run, &result, &times[i], &err) < 0) {
            return NAN;
        }
        fb_result_destroy(result);
    }
    return bench_median(times, REPETITIONS);
}

// Shares of the time by unit costs; what is left is linear algebra, step control, projection and
// recording.
static void print_case(const char* name, const Trial* t, double cpu_s, const BenchPhases* phases,
                       FbCsvWriter* csv) {
    const FbRunStats* s = &t->stats;
    bool is_explicit = s->jacobian_evals == 0;
    double unit = is_explicit ? phases->accelerations : phases->residual;
    double evals = fmin((double)s->rhs_evals * unit / cpu_s, 1.0);
    double jacobians = fmin((double)s->jacobian_evals * phases->jacobian / cpu_s, 1.0);
    printf("%-11s %-8s %8.1e %9.1e %8.1e %9.3f %7ld %6ld %8ld %7ld %5.0f%% %5.0f%% %5.0f%%\n", name,
           t->integrator, s->rtol, t->error, t->limit, 1e3 * cpu_s, s->steps, s->rejected,
           s->rhs_evals, s->jacobian_evals, 100.0 * evals, 100.0 * jacobians,
           100.0 * fmax(1.0 - evals - jacobians, 0.0));
    bench_write(csv, "case", name, "rtol", s->rtol, "");
    bench_write(csv, "case", name, "error", t->error, "");
    bench_write(csv, "case", name, "limit", t->limit, "");
    bench_write(csv, "case", name, "cpu", cpu_s, "s");
    bench_write(csv, "case", name, "steps", (double)s->steps, "");
    bench_write(csv, "case", name, "rejected", (double)s->rejected, "");
    bench_write(csv, "case", name, "evaluations", (double)s->rhs_evals, "");
    bench_write(csv, "case", name, "jacobians", (double)s->jacobian_evals, "");
    bench_write(csv, "case", name, "factorizations", (double)s->factorizations, "");
    bench_write(csv, "case", name, "share of evaluations", evals, "");
    bench_write(csv, "case", name, "share of jacobians", jacobians, "");
}

static int run_case(const char* root, const char* name, FbCsvWriter* csv) {
    char folder[1024];
    snprintf(folder, sizeof folder, "%s/bench/cases/%s", root, name);
    FbBenchCase* c = NULL;
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    FbStatus status =
        diagnostics != NULL ? fb_bench_case_read(folder, &c, diagnostics) : FB_ERR_MEMORY;
    fb_diagnostics_destroy(diagnostics);
    if (status < 0) {
        printf("%-11s cannot be read: %s\n", name, fb_status_text(status));
        return 1;
    }
    FbModel* model = bench_load(c->model, c->overrides, c->n_overrides);
    Trial trial = {0};
    BenchPhases phases = {0};
    FbError err = {.text = "the model cannot be read"};
    status = model != NULL ? find_limit(model, c, &trial, &err) : FB_ERR_MODEL;
    if (status == FB_OK) {
        bench_calc_phases(model, &phases, &err);
        print_case(name, &trial, time_runs(model, &trial.run), &phases, csv);
    } else {
        printf("%-11s no tolerance keeps its limit: %s\n", name,
               status == FB_ERR_ACCURACY ? "accuracy" : err.text);
    }
    fb_model_destroy(model);
    fb_bench_case_destroy(c);
    return status != FB_OK;
}

int bench_run_cases(const char* root, FbCsvWriter* csv) {
    int failures = 0;
    printf("Each case at the loosest tolerance that keeps its limit (CPU: median of %d runs)\n",
           REPETITIONS);
    printf("%-11s %-8s %8s %9s %8s %9s %7s %6s %8s %7s %6s %6s %6s\n", "case", "method", "rtol",
           "error", "limit", "CPU [ms]", "steps", "reject", "evals", "jacobs", "evals", "jacobs",
           "rest");
    for (int i = 0; i < N_CASES; i++) {
        failures += run_case(root, case_names[i], csv);
        fflush(stdout);
    }
    return failures;
}
