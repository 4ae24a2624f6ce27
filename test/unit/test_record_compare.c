// Error norms by hand, exact matching of times, excluded samples, and NaN that cannot hide.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "record/compare.h"

static FbSeries make_series(const char* name, const double* times, const double* values, int n) {
    return (FbSeries){.name = name,
                      .times = times,
                      .values = values,
                      .time_stride = 1,
                      .value_stride = 1,
                      .n = n};
}

static void test_norms_by_hand(void** state) {
    (void)state;
    const double t[] = {0.0, 1.0, 2.0};
    const double x[] = {1.0, 2.2, 3.0};
    const double r[] = {1.0, 2.0, 4.0};
    FbSeries series = make_series("x", t, x, 3), reference = make_series("r", t, r, 3);
    FbCompareOptions options = fb_compare_options_default();
    FbErrorNorms norms;
    FbError err;
    assert_int_equal(fb_compare(&series, &reference, &options, &norms, &err), FB_OK);
    assert_true(fabs(norms.relative_rms - sqrt((0.01 + 0.0625) / 3.0)) < 1e-15);
    assert_true(fabs(norms.rms - sqrt((0.04 + 1.0) / 3.0)) < 1e-15);
    assert_true(norms.max == 1.0 && norms.max_time == 2.0);
    assert_true(norms.final == 1.0);
    assert_int_equal(norms.n, 3);
}

static void test_strides_and_finer_series(void** state) {
    (void)state;
    // Rows of (time, value), twice as fine as the reference; times equal to within rounding.
    const double rows[] = {0.0, 5.0, 0.1, 9.0, 0.1 + 0.1, 6.0, 0.30000000000000004, 9.0, 0.4, 7.0};
    const double t[] = {0.0, 0.2, 0.4};
    const double r[] = {5.0, 6.0, 7.5};
    FbSeries series = {.name = "x",
                       .times = rows,
                       .values = rows + 1,
                       .time_stride = 2,
                       .value_stride = 2,
                       .n = 5};
    FbSeries reference = make_series("r", t, r, 3);
    FbCompareOptions options = fb_compare_options_default();
    FbErrorNorms norms;
    FbError err;
    assert_int_equal(fb_compare(&series, &reference, &options, &norms, &err), FB_OK);
    assert_true(norms.max == 0.5 && norms.max_time == 0.4);
}

static void test_missing_time_is_an_error(void** state) {
    (void)state;
    const double t[] = {0.0, 1.0, 2.0}, late[] = {0.0, 1.0 + 2e-9, 2.0};
    const double x[] = {1.0, 1.0, 1.0};
    FbSeries series = make_series("angle", late, x, 3), reference = make_series("ref.csv", t, x, 3);
    FbCompareOptions options = fb_compare_options_default();
    FbErrorNorms norms;
    FbError err;
    assert_int_equal(fb_compare(&series, &reference, &options, &norms, &err), FB_ERR_ARGUMENT);
    assert_non_null(strstr(err.text, "angle has no sample at t = 1 s"));
    series = make_series("angle", t, x, 2);  // ends too early
    assert_int_equal(fb_compare(&series, &reference, &options, &norms, &err), FB_ERR_ARGUMENT);
    assert_non_null(strstr(err.text, "t = 2 s"));
}

static void test_exclusions(void** state) {
    (void)state;
    const double t[] = {0.0, 1.2, 2.0, 3.0};
    const double x[] = {1.0, 1.0, 1.0, 1.0}, r[] = {1.0, 50.0, 1.25, 90.0};
    const double outlier = 1.2;
    FbSeries series = make_series("x", t, x, 4), reference = make_series("r", t, r, 4);
    FbCompareOptions options = {.excluded_times = &outlier, .n_excluded = 1, .until = 2.0};
    FbErrorNorms norms;
    FbError err;
    assert_int_equal(fb_compare(&series, &reference, &options, &norms, &err), FB_OK);
    assert_int_equal(norms.n, 2);
    assert_true(norms.max == 0.25);
    options.until = -1.0;
    assert_int_equal(fb_compare(&series, &reference, &options, &norms, &err), FB_ERR_ARGUMENT);
}

static void test_nan_and_zero_reference(void** state) {
    (void)state;
    const double t[] = {0.0, 1.0, 2.0};
    const double x[] = {1.0, NAN, 1.0}, ones[] = {1.0, 1.0, 1.0}, zeros[] = {1.0, 0.0, 1.0};
    FbSeries series = make_series("x", t, x, 3), reference = make_series("r", t, ones, 3);
    FbCompareOptions options = fb_compare_options_default();
    FbErrorNorms norms;
    FbError err;
    assert_int_equal(fb_compare(&series, &reference, &options, &norms, &err), FB_OK);
    assert_true(isnan(norms.max) && isnan(norms.rms) && isnan(norms.relative_rms));
    series = make_series("x", t, ones, 3);
    reference = make_series("r", t, zeros, 3);
    assert_int_equal(fb_compare(&series, &reference, &options, &norms, &err), FB_OK);
    assert_true(isinf(norms.relative_rms) && norms.max == 1.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_norms_by_hand),
        cmocka_unit_test(test_strides_and_finer_series),
        cmocka_unit_test(test_missing_time_is_an_error),
        cmocka_unit_test(test_exclusions),
        cmocka_unit_test(test_nan_and_zero_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
