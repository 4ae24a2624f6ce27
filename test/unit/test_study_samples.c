// Samples of studies: Sobol' points, Latin hypercubes, random points, distributions and the
// functions that they are made of.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "math/portable.h"
#include "study/distribution.h"
#include "study/samples.h"
#include "study/sobol.h"

static void assert_near(double value, double wanted, double tolerance) {
    if (!(fabs(value - wanted) <= tolerance)) {
        fail_msg("%.17g instead of %.17g", value, wanted);
    }
}

static FbStudy* read_study(const char* path) {
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    FbStudy* s = NULL;
    FbStatus status = fb_study_read(path, NULL, 0, &s, diagnostics);
    if (status != FB_OK && fb_diagnostics_count(diagnostics) > 0) {
        print_message("%s\n", fb_diagnostics_get(diagnostics, 0)->text);
    }
    assert_int_equal(status, FB_OK);
    fb_diagnostics_destroy(diagnostics);
    return s;
}

static void test_portable_functions(void** state) {
    (void)state;
    for (double x = 1e-300; x < 1e300; x *= 1.0137) {
        double exact = log(x);
        assert_near(fb_portable_log(x), exact, 4e-16 * fmax(fabs(exact), 1e-2));
    }
    for (double x = -745.0; x < 709.7; x += 0.37) {
        double exact = exp(x);
        assert_near(fb_portable_exp(x), exact, 1e-15 * exact + 5e-324);
    }
    assert_true(fb_portable_exp(0.0) == 1.0 && fb_portable_log(1.0) == 0.0);
    assert_true(isinf(fb_portable_exp(711.0)) && fb_portable_exp(-800.0) == 0.0);
    // P(X <= x) = erfc(-x/sqrt(2))/2; small errors of x are large ones of P in the tails.
    for (double u = 1e-300; u < 0.5; u *= 1.31) {
        double x = fb_normal_quantile(u), P = 0.5 * erfc(-x / sqrt(2.0));
        assert_near(P / u, 1.0, 1e-15 * fmax(x * x, 1.0));
        if (u > 1e-10) {
            assert_near(fb_normal_quantile(1.0 - u), -fb_normal_quantile(1.0 - (1.0 - u)),
                        1e-15 * fabs(x));
        }
    }
    assert_true(fb_normal_quantile(0.5) == 0.0);
    assert_near(fb_normal_quantile(0.975), 1.959963984540054, 1e-15);
}

static void test_first_sobol_points(void** state) {
    (void)state;
    // Joe and Kuo's own program prints these for three dimensions.
    static const double points[8][3] = {{0, 0, 0},
                                        {0.5, 0.5, 0.5},
                                        {0.75, 0.25, 0.25},
                                        {0.25, 0.75, 0.75},
                                        {0.375, 0.375, 0.625},
                                        {0.875, 0.875, 0.125},
                                        {0.625, 0.125, 0.875},
                                        {0.125, 0.625, 0.375}};
    for (uint32_t i = 0; i < 8; i++) {
        for (int d = 0; d < 3; d++) {
            assert_true(fb_sobol_point(d, i) * 0x1p-32 == points[i][d]);
        }
    }
}

static void test_sobol_points_are_balanced(void** state) {
    (void)state;
    enum { N = 1024 };
    for (int d = 0; d < FB_SOBOL_DIMENSIONS; d++) {
        // Every aligned block of 2^k points has one in each interval of length 2^-k.
        for (uint32_t block = 0; block < 3; block++) {
            bool has[N] = {false};
            for (uint32_t i = 0; i < N; i++) {
                has[fb_sobol_point(d, block * N + i) >> 22U] = true;
            }
            for (int i = 0; i < N; i++) {
                assert_true(has[i]);
            }
        }
    }
}

// Sobol's property A: of the first 2^d points each of the 2^d halves of a cube has one. That is so
// if the first bits of the direction numbers make a regular matrix over {0, 1}.
static void test_sobol_property_a(void** state) {
    (void)state;
    uint64_t rows[FB_SOBOL_DIMENSIONS];
    enum { BITS = FB_SOBOL_BITS };
    for (int n = 1; n <= BITS; n++) {
        for (int d = 0; d < n; d++) {
            rows[d] = 0;
            for (int k = 0; k < n; k++) {
                // The Gray code of this index has bit k alone.
                uint32_t index = (uint32_t)((UINT64_C(1) << (k + 1)) - 1);
                rows[d] |= (uint64_t)(fb_sobol_point(d, index) >> 31U) << k;
            }
        }
        int rank = 0;
        for (int k = 0; k < n; k++) {
            int pivot = rank;
            while (pivot < n && !((rows[pivot] >> k) & 1U)) {
                pivot++;
            }
            if (pivot == n) {
                continue;
            }
            uint64_t row = rows[pivot];
            rows[pivot] = rows[rank];
            rows[rank++] = row;
            for (int d = rank; d < n; d++) {
                rows[d] ^= (rows[d] >> k) & 1U ? row : 0;
            }
        }
        assert_int_equal(rank, n);
    }
}

static void test_sobol_integrates(void** state) {
    (void)state;
    // The mean of the product of (1 + (x_d - 1/2)/2) is 1; random points would be off by 0.02.
    enum { N = 4096 };
    double sum = 0.0;
    for (uint32_t i = 0; i < N; i++) {
        double f = 1.0;
        for (int d = 0; d < 12; d++) {
            f *= 1.0 + 0.5 * ((fb_sobol_point(d, i) + 0.5) * 0x1p-32 - 0.5);
        }
        sum += f / N;
    }
    assert_near(sum, 1.0, 1e-3);
}

static void test_random_stream(void** state) {
    (void)state;
    // By another program, which also gives the published outputs of SplitMix64. It must stay so:
    // tables of studies depend on it.
    assert_true(fb_random_bits(1, 0, 0) == UINT64_C(0x6ec85f1f8547bc0c));
    enum { N = 20000 };
    double mean = 0.0, square = 0.0, product = 0.0, lag = 0.0, last = 0.5;
    for (uint64_t i = 0; i < N; i++) {
        double u = fb_random_uniform(7, 0, i) - 0.5, v = fb_random_uniform(7, 1, i) - 0.5;
        assert_true(u > -0.5 && u < 0.5);
        mean += u / N;
        square += u * u / N;
        product += u * v / N;
        lag += u * last / N;
        last = u;
    }
    // Four standard errors.
    assert_near(mean, 0.0, 4.0 * sqrt(1.0 / 12.0 / N));
    assert_near(square, 1.0 / 12.0, 4.0 * sqrt(1.0 / 180.0 / N));
    assert_near(product, 0.0, 4.0 / 12.0 / sqrt(N));
    assert_near(lag, 0.0, 4.0 / 12.0 / sqrt(N));
}

static void test_latin_hypercube(void** state) {
    (void)state;
    FbStudy *s = read_study("test/unit/study/latin.study.yaml"),
            *again = read_study("test/unit/study/latin.study.yaml");
    int n = s->samples.n, n_same = 0;
    assert_int_equal(n, 500);
    assert_int_equal(fb_study_count_points(s), n);
    double p[2], q[2], product = 0.0;
    bool* has = calloc(2 * (size_t)n, sizeof *has);
    for (int i = n - 1; i >= 0; i--) {
        fb_study_get_point(s, i, p);
        fb_study_get_point(again, i, q);
        assert_true(p[0] == q[0] && p[1] == q[1]);
        double u[2] = {(p[0] - 1.0) / 3.0, log(p[1] / 0.01) / log(100.0)};
        for (int d = 0; d < 2; d++) {
            int cell = (int)floor(u[d] * n);
            assert_in_range(cell, 0, n - 1);
            assert_false(has[d * n + cell]);
            has[d * n + cell] = true;
        }
        product += 12.0 * (u[0] - 0.5) * (u[1] - 0.5) / n;
        n_same += (int)floor(u[0] * n) == i;
    }
    assert_near(product, 0.0, 4.0 / sqrt(n));
    assert_true(n_same < 10);  // it is not the identity
    free(has);
    fb_study_destroy(s);
    fb_study_destroy(again);
}

// Mean, deviation and a quantile of what n Sobol' points give.
static void check_moments(FbStudyParameter p, double mean, double deviation, double third) {
    enum { N = 1 << 15 };
    static const double scales[] = {1.0, 1e-6, 1e7};
    for (int k = 0; k < 3; k++) {
        FbStudyParameter q = p;
        double c = scales[k], sum = 0.0, square = 0.0;
        q.low *= c;
        q.high *= c;
        q.mean *= c;
        q.deviation *= c;
        q.mode *= c;
        for (uint32_t i = 0; i < N; i++) {
            double x = fb_distribution_quantile(&q, (fb_sobol_point(1, i) + 0.5) * 0x1p-32) / c;
            sum += x / N;
            square += (x - mean) * (x - mean) / N;
        }
        assert_near(sum, mean, 2e-4 * deviation);
        assert_near(sqrt(square), deviation, 2e-3 * deviation);
        assert_near(fb_distribution_quantile(&q, 1.0 / 3.0) / c, third, 1e-12 * fabs(third));
    }
}

static void test_distributions(void** state) {
    (void)state;
    const double z = -0.430727299295457;  // of the standard normal distribution at 1/3
    check_moments((FbStudyParameter){.low = -1.0, .high = 5.0}, 2.0, 6.0 / sqrt(12.0), 1.0);
    check_moments(
        (FbStudyParameter){.distribution = FB_DISTRIBUTION_NORMAL, .mean = 3.0, .deviation = 0.5},
        3.0, 0.5, 3.0 + 0.5 * z);
    double s = sqrt(log(1.0 + 0.04));
    check_moments(
        (FbStudyParameter){
            .distribution = FB_DISTRIBUTION_LOGNORMAL, .mean = 10.0, .deviation = 2.0},
        10.0, 2.0, 10.0 * exp(s * z - 0.5 * s * s));
    // Density 2 (x - a)/((b - a)(c - a)) up to the mode c.
    check_moments(
        (FbStudyParameter){
            .distribution = FB_DISTRIBUTION_TRIANGULAR, .low = 1.0, .mode = 3.0, .high = 4.0},
        8.0 / 3.0, sqrt((1.0 + 9.0 + 16.0 - 3.0 - 4.0 - 12.0) / 18.0), 1.0 + sqrt(2.0));
    double l = log(100.0), mean = 0.99 / l;
    check_moments((FbStudyParameter){.low = 0.01, .high = 1.0, .is_log = true}, mean,
                  sqrt((1.0 - 1e-4) / (2.0 * l) - mean * mean), 0.01 * pow(100.0, 1.0 / 3.0));
    // Triangles without one side.
    FbStudyParameter ramp = {.distribution = FB_DISTRIBUTION_TRIANGULAR, .mode = 1.0, .high = 1.0};
    assert_near(fb_distribution_quantile(&ramp, 0.25), 0.5, 1e-15);
    ramp.mode = 0.0;
    assert_near(fb_distribution_quantile(&ramp, 0.75), 0.5, 1e-15);
}

static void test_choice_and_saltelli(void** state) {
    (void)state;
    FbStudy* s = read_study("test/unit/study/saltelli.study.yaml");
    enum { N = 64, D = 2 };
    double A[D], B[D], p[D];
    int counts[3] = {0};
    assert_int_equal(fb_study_count_points(s), N * (D + 2));
    for (int j = 0; j < N; j++) {
        fb_study_get_point(s, j * (D + 2), A);
        fb_study_get_point(s, j * (D + 2) + 1, B);
        for (int i = 0; i < D; i++) {
            fb_study_get_point(s, j * (D + 2) + 2 + i, p);
            assert_true(p[i] == B[i] && p[1 - i] == A[1 - i]);
        }
        assert_true(A[0] != B[0]);
        counts[A[1] == 0.1 ? 0 : A[1] == 0.2 ? 1 : 2]++;
        assert_true(A[1] == 0.1 || A[1] == 0.2 || A[1] == 0.5);
    }
    // Weights 1, 2, 1: balanced points give them exactly.
    assert_int_equal(counts[0], N / 4);
    assert_int_equal(counts[1], N / 2);
    assert_int_equal(counts[2], N / 4);
    fb_study_destroy(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_portable_functions),        cmocka_unit_test(test_first_sobol_points),
        cmocka_unit_test(test_sobol_points_are_balanced), cmocka_unit_test(test_sobol_property_a),
        cmocka_unit_test(test_sobol_integrates),          cmocka_unit_test(test_random_stream),
        cmocka_unit_test(test_latin_hypercube),           cmocka_unit_test(test_distributions),
        cmocka_unit_test(test_choice_and_saltelli)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
