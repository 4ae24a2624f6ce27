// Loading, running, timing and statistics for the benchmark program.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bench.h"

// Runs that get stuck end here; the longest case takes a third of it.
enum { MAX_STEPS = 50000 };

double bench_cpu_time(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare_doubles(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

double bench_median(double* values, int n) {
    qsort(values, (size_t)n, sizeof(double), compare_doubles);
    return n % 2 == 1 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

double bench_exponent(const double* x, const double* y, int n) {
    double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
    for (int i = 0; i < n; i++) {
        double lx = log(x[i]), ly = log(y[i]);
        sx += lx;
        sy += ly;
        sxx += lx * lx;
        sxy += lx * ly;
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

static void print_diagnostics(const FbDiagnostics* list) {
    for (int i = 0; i < fb_diagnostics_count(list); i++) {
        char text[1024];
        fb_diagnostic_format(fb_diagnostics_get(list, i), text, sizeof text);
        fprintf(stderr, "%s\n", text);
    }
}

FbModel* bench_load(const char* path, const FbOverride* overrides, int n_overrides) {
    FbReadOptions options = {.overrides = overrides, .n_overrides = n_overrides};
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    FbModelDef* def = NULL;
    FbModel* model = NULL;
    if (diagnostics == NULL) {
        return NULL;
    }
    if (fb_model_def_read_file(path, &options, &def, diagnostics) >= 0) {
        fb_model_create(def, &model, diagnostics);
    }
    if (model == NULL) {
        print_diagnostics(diagnostics);
    }
    fb_model_def_destroy(def);
    fb_diagnostics_destroy(diagnostics);
    return model;
}

FbStatus bench_simulate(const FbModel* model, const BenchRun* run, FbResult** out, double* cpu_s,
                        FbError* err) {
    FbRunOptions options = fb_run_options_default(model);
    FbSettings* s = &options.settings;
    s->duration = isnan(run->duration) ? s->duration : run->duration;
    s->sample = isnan(run->sample) ? s->sample : run->sample;
    s->rtol = isnan(run->rtol) ? s->rtol : run->rtol;
    s->atol = isnan(run->atol) ? s->atol : run->atol;
    s->integrator = run->integrator != NULL ? run->integrator : s->integrator;
    s->max_steps = s->max_steps > 0 ? s->max_steps : MAX_STEPS;
    double start = bench_cpu_time();
    *out = NULL;
    FbStatus status = fb_simulate(model, &options, out, err);
    if (cpu_s != NULL) {
        *cpu_s = bench_cpu_time() - start;
    }
    if (status < 0) {
        fb_result_destroy(*out);
        *out = NULL;
    }
    return status;
}

void bench_write(FbCsvWriter* csv, const char* section, const char* name, const char* quantity,
                 double value, const char* unit) {
    fb_csv_writer_add_text(csv, section);
    fb_csv_writer_add_text(csv, name);
    fb_csv_writer_add_text(csv, quantity);
    fb_csv_writer_add_number(csv, value);
    fb_csv_writer_add_text(csv, unit);
    fb_csv_writer_end_row(csv);
}
