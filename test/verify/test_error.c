// Errors of generated runs: what is certified is never below the true error, and not far above it.
// ERROR_CASES=1000 in the environment tries as many, ERROR_SEED=100000 others, ERROR_TEST=cert*
// only the certificates; ERROR_VERBOSE=1 prints them.
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

static unsigned first_seed(void) {
    const char* text = getenv("ERROR_SEED");
    return text ? (unsigned)atoi(text) : 0;
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
    int n_certified, n_refused, n_broken, n_failed, n_cut, n_lost;
    double cost, dearest;  // of companions: sum, largest
    double* ratios;
    int n_ratios;
} Tally;

static void certify(unsigned seed, Tally* tally) {
    static const double targets[] = {1e-4, 1e-6, 1e-8};
    ErrorCase c;
    error_case_write(seed, &c);
    FbModel* model = error_case_model(&c);
    assert_non_null(model);
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
        certify(first_seed() + (unsigned)i, &tally);
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

// The largest error of any output that has a scale, relative to it, until a time.
static double true_relative(const ErrorCase* c, const FbModel* model, const FbResult* result,
                            double until) {
    int rows = fb_result_get_row_count(result), n = fb_result_get_column_count(result);
    double* exact = exact_values(c, model, result);
    double largest = 0.0;
    for (int k = 0; k < n; k++) {
        double scale = fb_result_get_output_scale(result, k);
        for (int i = 0; i < rows && isfinite(scale); i++) {
            double error = fabs(exact[i * n + k] - fb_result_get_value(result, i, k));
            bool is_seen = fb_result_get_time(result, i) <= until * (1.0 + 1e-12);
            largest = is_seen ? fmax(largest, error / scale) : largest;
        }
    }
    free(exact);
    return largest;
}

static void note_estimate(unsigned seed, const ErrorCase* c, const FbModel* model,
                          const FbResult* result, Tally* tally) {
    const FbErrorEstimate* e = fb_result_get_error_estimate(result);
    const FbRunStats* stats = fb_result_get_stats(result);
    double error = true_relative(c, model, result, e->until);
    if (getenv("ERROR_VERBOSE")) {
        printf("estimate %u %s rtol %g: %.2g true %.2g lost %g cost %.2f until %.2f (%s)\n", seed,
               c->family, stats->rtol, e->relative, error, e->lost_from, e->cost,
               e->until / stats->t_end, stats->integrator);
    }
    tally->cost += e->cost;
    tally->dearest = fmax(tally->dearest, e->cost);
    tally->n_cut += e->until < stats->t_end;
    if (isfinite(e->lost_from)) {
        tally->n_lost++;
    } else if (error > FLOOR) {
        tally->ratios[tally->n_ratios++] = e->relative / error;
    }
}

static void estimate(unsigned seed, double rtol, Tally* tally) {
    ErrorCase c;
    error_case_write(seed, &c);
    FbModel* model = error_case_model(&c);
    assert_non_null(model);
    FbRunOptions o = fb_run_options_default(model);
    FbResult* result = NULL;
    FbError err;
    o.settings.rtol = rtol;
    o.settings.atol = 1e-2 * rtol;
    assert_int_equal(fb_simulate(model, &o, &result, &err), FB_OK);
    assert_null(fb_result_get_error_estimate(result));  // only on request
    if (fb_result_estimate_error(result, &o, &err) < 0) {
        printf("case %u (%s), rtol %g: %s\n", seed, c.family, rtol, err.text);
        tally->n_failed++;
    } else {
        note_estimate(seed, &c, model, result, tally);
    }
    fb_result_destroy(result);
    fb_model_destroy(model);
}

// What every run says: not a bound, but of the right magnitude and seldom too small, for half of
// the run's work.
static void estimates_are_good(void** state) {
    (void)state;
    int n = count_cases(72);
    Tally tally = {.ratios = calloc((size_t)n + 1, sizeof(double))};
    for (int i = 0; i < n; i++) {
        const double tolerances[] = {1e-9, 1e-7, 1e-10};
        estimate(first_seed() + (unsigned)i, tolerances[(i / ERROR_CASE_FAMILIES) % 3], &tally);
    }
    const double* r = tally.ratios;
    int m = tally.n_ratios, n_twice = 0, n_tenfold = 0;
    qsort(tally.ratios, (size_t)m, sizeof(double), compare_doubles);
    for (int i = 0; i < m; i++) {
        n_twice += r[i] < 0.5;
        n_tenfold += r[i] < 0.1;
    }
    printf(
        "estimated/true of %d runs: smallest %.2g, a twentieth below %.2g, median %.2g, a "
        "twentieth above %.2g; %d estimates of %d digits lost, %d cut short, %d not made; "
        "cost: mean %.2f, largest %.2f\n",
        m, r[0], r[m / 20], r[m / 2], r[m - 1 - m / 20], n_twice, tally.n_lost, tally.n_cut,
        tally.n_failed, tally.cost / n, tally.dearest);
    assert_true(m > n / 2);
    assert_true(tally.n_failed <= n / 50);
    assert_true(n_twice <= m / 20);         // true error <= 2 x estimate in 95 of 100
    assert_true(n_tenfold <= 1 + m / 300);  // and hardly ever beyond ten times
    assert_true(r[m / 2] > 1.0 && r[m / 2] < 10.0);
    assert_true(r[m - 1 - m / 20] < 300.0);
    assert_true(tally.cost / n < 0.45 && tally.dearest <= 0.5);
    assert_true(tally.n_cut <= 1 + n / 25);  // stopped before the end because of that
    free(tally.ratios);
}

// One ratio of increments made Newton's iteration stop too early in one step of radau, which left
// 600 times the tolerance in all that followed.
static void newton_is_not_stopped_too_early(void** state) {
    (void)state;
    ErrorCase c;
    error_case_write(225, &c);
    FbModel* model = error_case_model(&c);
    assert_non_null(model);
    FbRunOptions o = fb_run_options_default(model);
    FbResult* result = NULL;
    FbError err;
    o.settings.rtol = 1e-10;
    o.settings.atol = 1e-12;
    assert_int_equal(fb_simulate(model, &o, &result, &err), FB_OK);
    double error = true_error(&c, model, result);
    if (!(error < 2e-8)) {
        fail_msg("error %g at rtol 1e-10", error);
    }
    fb_result_destroy(result);
    fb_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(certificates_hold),
                                       cmocka_unit_test(estimates_are_good),
                                       cmocka_unit_test(newton_is_not_stopped_too_early)};
    if (getenv("ERROR_TEST")) {
        cmocka_set_test_filter(getenv("ERROR_TEST"));
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
