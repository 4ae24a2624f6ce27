// Linearization: time of an execution by each method next to the closed form of the four-bar
// linkage, and cost against size for chains of loops.
#include <complex.h>
#include <math.h>
#include <stdio.h>

#include "bench.h"
#include "linear/spectrum.h"

static const double MEASURING_TIME = 0.2;  // s of each of the interleaved rounds
enum { ROUNDS = 5, N_SIZES = 4 };
static const int sizes[N_SIZES] = {2, 10, 50, 200};
// Small chains are ruled by costs that do not grow: the exponent is fitted from here on.
static const int FIT_FROM = 10;

// What the problem states by hand: m_e, c_e, k_e at the equilibrium angle, and their roots.
static double complex calc_closed_form(double phi) {
    const double m = 1.0, length = 1.0, g = 9.81, k = 25.0, c = 1.0, rest = sqrt(2.0);
    double s = sin(phi), co = cos(phi), w = 2.0 * (1.0 + co), d = sqrt(w);
    double m_e = 5.0 / 3.0 * m * length * length;
    double c_e = c * length * length * s / d * sin(0.5 * phi);
    double k_e = -2.0 * m * g * length * s - k * length * length * co +
                 k * length * rest / d * (co + s * s / w);
    double half = 0.5 * c_e / m_e;
    return -half + csqrt(half * half - k_e / m_e);
}

// Mean time of an evaluation, in s. The angle is read anew, so that nothing can be kept.
static double time_closed_form(void) {
    volatile double angle = 2.234331019017586;
    volatile double sink = 0.0;
    double start = bench_cpu_time(), now = start;
    long n = 0;
    while (now - start < MEASURING_TIME) {
        for (int i = 0; i < 10000; i++, n++) {
            sink = cimag(calc_closed_form(angle));
        }
        now = bench_cpu_time();
    }
    (void)sink;
    return (now - start) / (double)n;
}

// Mean time of an execution, in s; NaN if it failed.
static double time_method(FbLinearization* l) {
    FbError err;
    double start = bench_cpu_time(), now = start;
    long n = 0;
    while (now - start < MEASURING_TIME) {
        if (fb_linearization_run(l, &err) < 0) {
            fprintf(stderr, "%s\n", err.text);
            return NAN;
        }
        n++;
        now = bench_cpu_time();
    }
    return (now - start) / (double)n;
}

static FbOperatingPoint* find_equilibrium(const FbModel* model) {
    FbOperatingOptions options = fb_operating_options_default();
    FbOperatingPoint* point = NULL;
    FbError err;
    if (model != NULL && fb_operating_point_create(model, &options, &point, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
    }
    return point;
}

static FbLinearization* create(FbOperatingPoint* point, FbLinearMethod method) {
    FbLinearOptions options = fb_linear_options_default();
    options.method = method;
    FbLinearization* l = NULL;
    FbError err;
    if (point != NULL && fb_linearization_create(point, &options, &l, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
    }
    return l;
}

// Rounds of all methods and the closed form in turn, so that a change of the machine's speed hits
// them all; the medians are reported.
static int run_methods(const char* root, FbCsvWriter* csv) {
    char path[1024];
    snprintf(path, sizeof path, "%s/models/fourbar.yaml", root);
    FbModel* model = bench_load(path, NULL, 0);
    FbOperatingPoint* point = find_equilibrium(model);
    double times[FB_N_METHODS + 1][ROUNDS];
    FbLinearization* l[FB_N_METHODS];
    for (int m = 0; m < FB_N_METHODS; m++) {
        l[m] = create(point, (FbLinearMethod)m);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int m = 0; m < FB_N_METHODS; m++) {
            times[m][round] = l[m] != NULL ? time_method(l[m]) : NAN;
        }
        times[FB_N_METHODS][round] = time_closed_form();
    }
    int failures = 0;
    for (int m = 0; m <= FB_N_METHODS; m++) {
        const char* name = m < FB_N_METHODS ? fb_method_names[m] : "closed form";
        double t = bench_median(times[m], ROUNDS);
        printf("%-14s %12.3f\n", name, 1e6 * t);
        bench_write(csv, "linearization", name, "cpu per execution", t, "s");
        failures += isnan(t);
    }
    for (int m = 0; m < FB_N_METHODS; m++) {
        fb_linearization_destroy(l[m]);
    }
    fb_operating_point_destroy(point);
    fb_model_destroy(model);
    return failures;
}

static double time_chain(const char* root, int n) {
    char path[1024], value[16];
    snprintf(path, sizeof path, "%s/models/windows.yaml", root);
    snprintf(value, sizeof value, "%d", n);
    FbOverride override = {"N", value};
    FbModel* model = bench_load(path, &override, 1);
    FbOperatingPoint* point = find_equilibrium(model);
    FbLinearization* l = create(point, FB_METHOD_INDEPENDENT);
    double t = l != NULL ? time_method(l) : NAN;
    fb_linearization_destroy(l);
    fb_operating_point_destroy(point);
    fb_model_destroy(model);
    return t;
}

static int run_sizes(const char* root, FbCsvWriter* csv) {
    double x[N_SIZES], y[N_SIZES];
    int n = 0, failures = 0;
    for (int i = 0; i < N_SIZES; i++) {
        double t = time_chain(root, sizes[i]);
        char name[64];
        snprintf(name, sizeof name, "A02 N=%d", sizes[i]);
        printf("%-14s %12.3f\n", name, 1e6 * t);
        fflush(stdout);
        bench_write(csv, "linearization", name, "cpu per execution", t, "s");
        failures += isnan(t);
        if (sizes[i] >= FIT_FROM && !isnan(t)) {
            x[n] = sizes[i];
            y[n++] = t;
        }
    }
    double exponent = n > 1 ? bench_exponent(x, y, n) : NAN;
    printf("%-14s cost per execution ~ N^%.2f (from N = %d)\n", "A02", exponent, FIT_FROM);
    bench_write(csv, "linearization", "A02", "exponent", exponent, "");
    return failures;
}

int bench_run_linear(const char* root, FbCsvWriter* csv) {
    printf("\nLinearization (terms, eigenvalues and classes; four-bar linkage, then A02 chains)\n");
    printf("%-14s %12s\n", "", "CPU [us]");
    int failures = run_methods(root, csv);
    return failures + run_sizes(root, csv);
}
