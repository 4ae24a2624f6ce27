// Errors of generated runs: what is certified is never below the true error, and not far above it.
// ERROR_CASES=1000 in the environment tries as many; ERROR_VERBOSE=1 prints them.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "error_cases.h"
#include "model_support.h"

static int count_cases(int otherwise) {
    const char* text = getenv("ERROR_CASES");
    return text ? atoi(text) : otherwise;
}

// Exact outputs at the rows of `result`; [rows x columns], owned by the caller.
static double* exact_values(const ErrorCase* c, const FbModel* model, const FbResult* result) {
    int rows = fb_result_get_row_count(result), n = fb_result_get_column_count(result);
    double* values = calloc((size_t)(rows * n + 1), sizeof(double));
    FbResult* exact = NULL;
    if (!c->exact) {
        FbRunOptions o = fb_run_options_default(model);
        FbError err;
        o.settings.rtol = 1e-13;
        o.settings.atol = 1e-16;
        o.settings.integrator = c->reference;
        o.settings.max_step = c->reference_step;
        assert_int_equal(fb_simulate(model, &o, &exact, &err), FB_OK);
        assert_int_equal(fb_result_get_row_count(exact), rows);
    }
    for (int i = 0; i < rows; i++) {
        if (c->exact) {
            c->exact(c->data, fb_result_get_time(result, i), values + i * n);
        }
        for (int k = 0; exact && k < n; k++) {
            values[i * n + k] = fb_result_get_value(exact, i, k);
        }
    }
    fb_result_destroy(exact);
    return values;
}

// Relative to the largest value of each output, as certificates are.
static double true_error(const ErrorCase* c, const FbModel* model, const FbResult* result) {
    int rows = fb_result_get_row_count(result), n = fb_result_get_column_count(result);
    double* exact = exact_values(c, model, result);
    double largest = 0.0;
    for (int k = 0; k < n; k++) {
        double size = 0.0, error = 0.0;
        for (int i = 0; i < rows; i++) {
            size = fmax(size, fabs(exact[i * n + k]));
            error = fmax(error, fabs(exact[i * n + k] - fb_result_get_value(result, i, k)));
        }
        largest = fmax(largest, size > 0.0 ? error / size : 0.0);
    }
    free(exact);
    return largest;
}

static int compare_doubles(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// References and rounding say nothing below this.
static const double FLOOR = 2e-12;

typedef struct Tally {
    int n_certified, n_refused, n_broken, n_failed;
    double* ratios;
    int n_ratios;
} Tally;

static void certify(unsigned seed, Tally* tally) {
    static const double targets[] = {1e-4, 1e-6, 1e-8};
    ErrorCase c;
    error_case_write(seed, &c);
    FbModel* model = test_model_from_text(c.text);
    FbRunOptions o = fb_run_options_default(model);
    FbResult* result = NULL;
    FbCertificate certificate;
    FbError err;
    double target = targets[(seed / ERROR_CASE_FAMILIES) % 3];
    FbStatus status = fb_simulate_accurately(model, &o, target, &result, &certificate, &err);
    if (status < 0) {
        printf("case %u (%s): %s\n", seed, c.family, err.text);
        tally->n_failed++;
        fb_result_destroy(result);
        fb_model_destroy(model);
        return;
    }
    double error = certificate.is_reached ? true_error(&c, model, result) : NAN;
    if (getenv("ERROR_VERBOSE")) {
        printf("%u %s target %g: %s estimate %.2g true %.2g runs %d rtol %.2g (%s; %s %.2g)\n",
               seed, c.family, target, certificate.is_reached ? "certified" : certificate.message,
               certificate.estimate, error, certificate.n_runs, certificate.rtol,
               fb_result_get_stats(result)->integrator,
               certificate.cross_integrator ? certificate.cross_integrator : "-",
               certificate.cross_difference);
    }
    if (certificate.is_reached) {
        tally->n_certified++;
        assert_true(certificate.estimate <= target);
        assert_true(certificate.estimate >= certificate.cross_difference);
        if (!(error <= certificate.estimate + FLOOR)) {
            printf("case %u (%s): certified %.3g, true error %.3g\n", seed, c.family,
                   certificate.estimate, error);
            tally->n_broken++;
        }
        if (error > FLOOR) {
            tally->ratios[tally->n_ratios++] = certificate.estimate / error;
        }
    } else {
        tally->n_refused++;
    }
    fb_result_destroy(result);
    fb_model_destroy(model);
}

static void certificates_hold(void** state) {
    (void)state;
    int n = count_cases(72);
    Tally tally = {.ratios = calloc((size_t)n + 1, sizeof(double))};
    for (int i = 0; i < n; i++) {
        certify((unsigned)i, &tally);
    }
    qsort(tally.ratios, (size_t)tally.n_ratios, sizeof(double), compare_doubles);
    double median = tally.n_ratios > 0 ? tally.ratios[tally.n_ratios / 2] : NAN;
    printf(
        "%d certified, %d refused, %d failed, %d broken; certified/true: smallest %.2g, median "
        "%.2g, "
        "largest %.2g\n",
        tally.n_certified, tally.n_refused, tally.n_failed, tally.n_broken,
        tally.n_ratios ? tally.ratios[0] : NAN, median,
        tally.n_ratios ? tally.ratios[tally.n_ratios - 1] : NAN);
    assert_int_equal(tally.n_broken, 0);
    assert_true(tally.n_certified >= n / 2);
    assert_true(median < 10.0);
    free(tally.ratios);
}

// The largest error of any output that has a scale, relative to it.
static double true_relative(const ErrorCase* c, const FbModel* model, const FbResult* result) {
    int rows = fb_result_get_row_count(result), n = fb_result_get_column_count(result);
    double* exact = exact_values(c, model, result);
    double largest = 0.0;
    for (int k = 0; k < n; k++) {
        double scale = fb_result_get_output_scale(result, k);
        for (int i = 0; i < rows && isfinite(scale); i++) {
            double error = fabs(exact[i * n + k] - fb_result_get_value(result, i, k));
            largest = fmax(largest, error / scale);
        }
    }
    free(exact);
    return largest;
}

static void estimate(unsigned seed, double rtol, Tally* tally) {
    ErrorCase c;
    error_case_write(seed, &c);
    FbModel* model = test_model_from_text(c.text);
    FbRunOptions o = fb_run_options_default(model);
    FbResult* result = NULL;
    FbError err;
    o.settings.rtol = rtol;
    o.settings.atol = 1e-2 * rtol;
    if (fb_simulate(model, &o, &result, &err) >= 0) {
        assert_null(fb_result_get_error_estimate(result));  // only on request
        assert_int_equal(fb_result_estimate_error(result, &o, &err), FB_OK);
        const FbErrorEstimate* e = fb_result_get_error_estimate(result);
        double error = true_relative(&c, model, result);
        if (getenv("ERROR_VERBOSE")) {
            printf("estimate %u %s rtol %g: %.2g true %.2g lost %g (%s)\n", seed, c.family, rtol,
                   e->relative, error, e->lost_from, fb_result_get_stats(result)->integrator);
        }
        if (error > FLOOR) {
            tally->ratios[tally->n_ratios++] = e->relative / error;
        }
    }
    fb_result_destroy(result);
    fb_model_destroy(model);
}

// What every run says: not a bound, but of the right magnitude and seldom too small.
static void estimates_are_good(void** state) {
    (void)state;
    int n = count_cases(72);
    Tally tally = {.ratios = calloc((size_t)n + 1, sizeof(double))};
    for (int i = 0; i < n; i++) {
        estimate((unsigned)i, (i / ERROR_CASE_FAMILIES) % 2 == 0 ? 1e-9 : 1e-7, &tally);
    }
    const double* r = tally.ratios;
    int m = tally.n_ratios;
    qsort(tally.ratios, (size_t)m, sizeof(double), compare_doubles);
    printf(
        "estimated/true of %d runs: smallest %.2g, a tenth below %.2g, median %.2g, a tenth "
        "above %.2g\n",
        m, r[0], r[m / 10], r[m / 2], r[m - 1 - m / 10]);
    assert_true(m > n / 2);
    assert_true(r[0] > 0.05);
    assert_true(r[m / 10] > 0.5);
    assert_true(r[m / 2] > 1.0 && r[m / 2] < 30.0);
    assert_true(r[m - 1 - m / 10] < 300.0);
    free(tally.ratios);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(certificates_hold),
                                       cmocka_unit_test(estimates_are_good)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
