// Jacobi's rotations: residuals, orthogonality and small eigenvalues of graded matrices.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "math/jacobi.h"

enum { N = 30 };

static double random_number(unsigned* seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

// D (1 + 0.3 random) D with the diagonal D of `decades` decades; negative rows where asked.
static void make(unsigned* seed, double decades, int n_negative, double a[N * N]) {
    for (int j = 0; j < N; j++) {
        for (int i = 0; i <= j; i++) {
            double size = pow(10.0, 0.5 * decades * (i + j) / N);
            double x = size * 0.3 / N * random_number(seed);
            a[j * N + i] = a[i * N + j] = i != j ? x : j < n_negative ? x - size : x + size;
        }
    }
}

static double at(const double* a, const double* x, const double* y) {
    double sum = 0.0;
    for (int j = 0; j < N; j++) {
        for (int i = 0; i < N; i++) {
            sum += x[i] * a[j * N + i] * y[j];
        }
    }
    return sum;
}

// X' K X = diag(w), X' M X = 1, each entry to rounding of the sizes of its row and column.
static void check(unsigned seed, double decades, int n_negative, double scale) {
    double K[N * N], M[N * N], k[N * N], m[N * N], X[N * N], w[N];
    int negative = 0;
    make(&seed, decades, n_negative, K);
    make(&seed, 2.0, 0, M);
    for (int e = 0; e < N * N; e++) {
        k[e] = K[e] *= scale;
        m[e] = M[e];
    }
    assert_true(fb_jacobi_pencil(N, k, m, X, w));
    for (int j = 0; j < N; j++) {
        negative += w[j] < 0.0;
        for (int i = 0; i < N; i++) {
            const double *x = X + i * N, *y = X + j * N;
            double size = sqrt(fabs(w[i] * w[j]));
            assert_true(fabs(at(M, x, y) - (i == j)) <= 1e-13);
            assert_true(fabs(at(K, x, y) - (i == j ? w[j] : 0.0)) <= 1e-12 * size);
        }
    }
    assert_int_equal(negative, n_negative);
}

static void pencils(void** state) {
    (void)state;
    for (unsigned i = 0; i < 8; i++) {
        check(17 + i, 0.0, 0, 1.0);
        check(170 + i, 8.0, 0, 1e7);
        check(1700 + i, 6.0, 5, 1e-6);
    }
}

// Two equal eigenvalues, and one that is zero.
static void multiple(void** state) {
    (void)state;
    double a[9] = {2, -1, -1, -1, 2, -1, -1, -1, 2}, v[9], w[3];
    assert_true(fb_jacobi(3, a, v, w));
    double least = fmin(fabs(w[0]), fmin(fabs(w[1]), fabs(w[2])));
    assert_true(least < 1e-15);
    assert_true(fabs(w[0] + w[1] + w[2] - 6.0) < 1e-14);
    assert_true(fabs(w[0] * w[0] + w[1] * w[1] + w[2] * w[2] - 18.0) < 1e-13);
}

static void rejected(void** state) {
    (void)state;
    double k[4] = {1, 0, 0, 1}, m[4] = {1, 2, 2, 1}, x[4], w[2];
    assert_false(fb_jacobi_pencil(2, k, m, x, w));  // not definite
    double bad[4] = {1, NAN, NAN, 1};
    assert_false(fb_jacobi(2, bad, x, w));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pencils),
        cmocka_unit_test(multiple),
        cmocka_unit_test(rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
