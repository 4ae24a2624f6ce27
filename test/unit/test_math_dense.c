// Dense LU, Cholesky and the LAPACK decompositions: residuals of random problems, singular and
// non-finite matrices.
#include "math/dense.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "test_base_support.h"

enum { MAX_N = 60 };

static void fill_random(uint64_t* seed, int count, double* a) {
    for (int i = 0; i < count; i++) {
        a[i] = random_unit(seed);
    }
}

// max |A x - b| relative to |A| |x|, complex; both given as interleaved parts.
static double residual(int n, const double complex* a, const double complex* x,
                       const double complex* b) {
    double worst = 0.0, size = 0.0;
    for (int i = 0; i < n; i++) {
        double complex sum = -b[i];
        for (int j = 0; j < n; j++) {
            sum += a[j * n + i] * x[j];
            size = fmax(size, cabs(a[j * n + i]) * cabs(x[j]));
        }
        worst = fmax(worst, cabs(sum));
    }
    return worst / size;
}

static void to_complex(int count, const double* a, double complex* out) {
    for (int i = 0; i < count; i++) {
        out[i] = a[i];
    }
}

// Partial pivoting on random matrices: the residual is a small multiple of n eps.
static double allowed(int n) {
    return 4.0 * (n + 4) * DBL_EPSILON;
}

static void lu_solves_random_systems(void** state) {
    (void)state;
    static double a[MAX_N * MAX_N], lu[MAX_N * MAX_N], b[MAX_N], x[MAX_N];
    static double complex ac[MAX_N * MAX_N], bc[MAX_N], xc[MAX_N];
    uint64_t seed = 21;
    int pivot[MAX_N];
    for (int repeat = 0; repeat < 600; repeat++) {
        int n = 1 + repeat % MAX_N;
        fill_random(&seed, n * n, a);
        fill_random(&seed, n, b);
        for (int i = 0; repeat % 2 && i < n - 1; i++) {
            a[i * n + i] = 0.0;  // rows must be exchanged
        }
        memcpy(lu, a, sizeof lu);
        memcpy(x, b, sizeof x);
        assert_int_equal(fb_lu_factor(n, lu, pivot), -1);
        fb_lu_solve(n, lu, pivot, x);
        to_complex(n * n, a, ac);
        to_complex(n, b, bc);
        to_complex(n, x, xc);
        assert_near(residual(n, ac, xc, bc), 0.0, allowed(n));
    }
}

// Every row is the sum over the columns in their order, bit by bit, for all numbers of rows and
// vectors, also if only every other number of a vector counts; nothing else is written.
static void products_are_sums_in_order(void** state) {
    (void)state;
    enum { MOST = 3, STRIDES = 2 };
    static double a[MAX_N * MAX_N], y[MOST][STRIDES * MAX_N], out[MOST][MAX_N + 1];
    uint64_t seed = 23;
    for (int repeat = 0; repeat < MAX_N * MOST * STRIDES; repeat++) {
        int n = repeat % MAX_N, count = 1 + repeat / MAX_N % MOST, stride = 1 + repeat % STRIDES;
        int n_y = (int)(seed % 20);
        const double* from[MOST] = {y[0], y[1], y[2]};
        double* to[MOST] = {out[0], out[1], out[2]};
        fill_random(&seed, n * n_y, a);
        fill_random(&seed, MOST * STRIDES * MAX_N, y[0]);
        for (int k = 0; k < MOST; k++) {
            for (int i = 0; i <= MAX_N; i++) {
                out[k][i] = 77.0;
            }
        }
        fb_dense_multiply(count, n, n_y, a, from, stride, to);
        for (int k = 0; k < MOST; k++) {
            for (int i = 0; i <= MAX_N; i++) {
                double sum = 0.0;
                for (int j = 0; i < n && j < n_y; j++) {
                    sum += a[j * n + i] * y[k][stride * j];
                }
                assert_true(out[k][i] == (k < count && i < n ? sum : 77.0));
            }
        }
    }
}

// Two columns at a time give the numbers of one at a time.
static void lu_has_the_numbers_of_the_textbook(void** state) {
    (void)state;
    static double a[MAX_N * MAX_N], lu[MAX_N * MAX_N];
    uint64_t seed = 24;
    int pivot[MAX_N];
    for (int n = 1; n < MAX_N; n++) {
        fill_random(&seed, n * n, a);
        memcpy(lu, a, sizeof lu);
        assert_int_equal(fb_lu_factor(n, lu, pivot), -1);
        for (int k = 0; k < n; k++) {
            for (int j = 0; j < n; j++) {
                double t = a[j * n + k];
                a[j * n + k] = a[j * n + pivot[k]];
                a[j * n + pivot[k]] = t;
            }
            for (int i = k; i < n; i++) {
                assert_true(fabs(a[k * n + i]) <= fabs(a[k * n + k]));
            }
            a[k * n + k] = 1.0 / a[k * n + k];
            for (int i = k + 1; i < n; i++) {
                a[k * n + i] *= a[k * n + k];
                for (int j = k + 1; j < n; j++) {
                    a[j * n + i] -= a[j * n + k] * a[k * n + i];
                }
            }
        }
        assert_memory_equal(a, lu, sizeof(double) * (size_t)(n * n));
    }
}

static void complex_lu_solves_random_systems(void** state) {
    (void)state;
    static double complex a[MAX_N * MAX_N], lu[MAX_N * MAX_N], b[MAX_N], x[MAX_N];
    uint64_t seed = 22;
    int pivot[MAX_N];
    for (int repeat = 0; repeat < 600; repeat++) {
        int n = 1 + repeat % MAX_N;
        fill_random(&seed, 2 * n * n, (double*)a);
        fill_random(&seed, 2 * n, (double*)b);
        for (int i = 0; repeat % 2 && i < n - 1; i++) {
            a[i * n + i] = 0.0;
        }
        memcpy(lu, a, sizeof lu);
        memcpy(x, b, sizeof x);
        assert_int_equal(fb_lu_factor_complex(n, lu, pivot), -1);
        fb_lu_solve_complex(n, lu, pivot, x);
        assert_near(residual(n, a, x, b), 0.0, allowed(n));
    }
}

static void lu_survives_extreme_scales(void** state) {
    (void)state;
    int pivot[2];
    double complex big[4] = {CMPLX(3e200, 4e200), 0.0, 0.0, CMPLX(1e-200, -1e-200)};
    double complex b[2] = {CMPLX(3e200, 4e200), CMPLX(1e-200, -1e-200)};
    assert_int_equal(fb_lu_factor_complex(2, big, pivot), -1);
    fb_lu_solve_complex(2, big, pivot, b);
    for (int i = 0; i < 2; i++) {
        assert_near(creal(b[i]), 1.0, 1e-15);
        assert_near(cimag(b[i]), 0.0, 1e-15);
    }
}

static void lu_names_the_column_of_a_bad_pivot(void** state) {
    (void)state;
    int pivot[3];
    double twice[9] = {1, 2, 3, 2, 4, 6, 0, 1, 1};  // second column = 2 * first
    assert_int_equal(fb_lu_factor(3, twice, pivot), 1);
    double zero[9] = {0, 0, 0, 2, 4, 6, 0, 1, 1};
    assert_int_equal(fb_lu_factor(3, zero, pivot), 0);
    double complex both[4] = {1.0, I, I, -1.0};  // rows differ by the factor i
    assert_int_equal(fb_lu_factor_complex(2, both, pivot), 1);
    double tiny[1] = {4e-324};
    assert_int_equal(fb_lu_factor(1, tiny, pivot), 0);
}

// Wherever a NaN or infinity stands, it is found.
static void lu_finds_what_is_not_finite(void** state) {
    (void)state;
    enum { N = 7 };
    uint64_t seed = 23;
    int pivot[N];
    for (int at = 0; at < N * N; at++) {
        for (int kind = 0; kind < 2; kind++) {
            double a[N * N];
            double complex c[N * N];
            fill_random(&seed, N * N, a);
            a[(at + N) % (N * N)] = 0.0;
            a[at] = kind ? NAN : -INFINITY;
            to_complex(N * N, a, c);
            c[at] = CMPLX(0.5, a[at]);
            assert_true(fb_lu_factor(N, a, pivot) >= 0);
            assert_true(fb_lu_factor_complex(N, c, pivot) >= 0);
        }
    }
}

static void cholesky_solves_definite_systems(void** state) {
    (void)state;
    static double g[MAX_N * MAX_N], a[MAX_N * MAX_N], l[MAX_N * MAX_N];
    static double complex ac[MAX_N * MAX_N], bc[MAX_N], xc[MAX_N];
    double b[MAX_N], x[MAX_N];
    uint64_t seed = 24;
    for (int n = 1; n <= MAX_N; n++) {
        fill_random(&seed, n * n, g);
        fill_random(&seed, n, b);
        for (int i = 0; i < n * n; i++) {
            a[i] = i / n == i % n ? 1.0 : 0.0;
            for (int k = 0; k < n; k++) {
                a[i] += g[k * n + i / n] * g[k * n + i % n];
            }
        }
        memcpy(l, a, sizeof l);
        memcpy(x, b, sizeof x);
        for (int i = 0; i < n * n; i++) {
            l[i] = i % n < i / n ? NAN : l[i];  // the upper part is not read
        }
        assert_int_equal(fb_cholesky_factor(n, l), -1);
        fb_cholesky_solve(n, l, x);
        to_complex(n * n, a, ac);
        to_complex(n, b, bc);
        to_complex(n, x, xc);
        assert_near(residual(n, ac, xc, bc), 0.0, allowed(n));
    }
    double indefinite[4] = {1, 2, 2, 1};
    assert_int_equal(fb_cholesky_factor(2, indefinite), 1);
    double none[1] = {NAN};
    assert_int_equal(fb_cholesky_factor(1, none), 0);
}

static void svd_rebuilds_the_matrix(void** state) {
    (void)state;
    uint64_t seed = 25;
    for (int repeat = 0; repeat < 40; repeat++) {
        int m = 1 + random_below(&seed, 9), n = 1 + random_below(&seed, 9), r = m < n ? m : n;
        double a[81], copy[81], s[9], s2[9], u[81], vt[81];
        fill_random(&seed, m * n, a);
        memcpy(copy, a, sizeof a);
        assert_int_equal(fb_svd(m, n, copy, s, u, vt, NULL), FB_OK);
        for (int i = 0; i < m * n; i++) {
            double sum = 0.0;
            for (int k = 0; k < r; k++) {
                sum += u[k * m + i % m] * s[k] * vt[i / m * n + k];
            }
            assert_near(sum, a[i], 1e-14);
        }
        memcpy(copy, a, sizeof a);
        assert_int_equal(fb_svd(m, n, copy, s2, NULL, NULL, NULL), FB_OK);
        for (int k = 0; k < r; k++) {
            assert_near(s2[k], s[k], 1e-14);
            assert_true(k == 0 || s[k] <= s[k - 1]);
        }
    }
}

static void eigenvectors_satisfy_their_equation(void** state) {
    (void)state;
    uint64_t seed = 26;
    for (int n = 1; n <= 12; n++) {
        double a[144], copy[144];
        double complex w[12], v[144];
        fill_random(&seed, n * n, a);
        memcpy(copy, a, sizeof a);
        assert_int_equal(fb_eigen_general(n, copy, w, v, NULL), FB_OK);
        for (int j = 0; j < n; j++) {
            double norm = 0.0;
            for (int i = 0; i < n; i++) {
                double complex sum = -w[j] * v[j * n + i];
                for (int k = 0; k < n; k++) {
                    sum += a[k * n + i] * v[j * n + k];
                }
                norm += creal(v[j * n + i] * conj(v[j * n + i]));
                assert_near(cabs(sum), 0.0, 1e-13);
            }
            assert_near(norm, 1.0, 1e-13);
        }
    }
    double turn[4] = {0, 1, -1, 0};
    double complex w[2];
    assert_int_equal(fb_eigen_general(2, turn, w, NULL, NULL), FB_OK);
    assert_near(fabs(cimag(w[0])), 1.0, 1e-15);
    assert_near(creal(w[0]), 0.0, 1e-15);
}

// x'' = -P x of rank one, w^2 = trace P, with rounding where a column of P should be zero: equal
// sizes of rows and columns would make much of nothing.
static void eigenvectors_do_not_rest_on_rounding(void** state) {
    (void)state;
    for (int e = -16; e > -320; e -= 4) {
        double P[5][5], a[100] = {0};
        double left[5] = {1, 1, 1, -1, -1}, right[5] = {3.27, 4.905, 3.27, 0, 0};
        double complex w[10], v[100];
        right[4] = 4.6 * pow(10.0, e);
        for (int i = 0; i < 5; i++) {
            for (int j = 0; j < 5; j++) {
                P[i][j] = left[i] * right[j] * (1.0 + ((3 * i + 7 * j) % 5) * 2.3e-16);
                a[10 * j + 5 + i] = -P[i][j];
            }
            a[10 * (5 + i) + i] = 1.0;
        }
        assert_int_equal(fb_eigen_general(10, a, w, v, NULL), FB_OK);
        int n_found = 0;
        for (int k = 0; k < 10; k++) {
            if (cabs(w[k]) < 1.0) {
                continue;
            }
            n_found++;
            assert_near(fabs(cimag(w[k])), sqrt(11.445), 1e-12);
            for (int i = 0; i < 5; i++) {  // the shape is `left`
                assert_near(cabs(v[10 * k + i] - left[i] * v[10 * k]), 0.0, 1e-13);
                assert_near(cabs(v[10 * k + 5 + i] - w[k] * v[10 * k + i]), 0.0, 1e-13);
            }
        }
        assert_int_equal(n_found, 2);
    }
}

// Two equal masses and three equal springs in a row: w = k/m and 3 k/m.
static void pencil_gives_the_modes_of_two_masses(void** state) {
    (void)state;
    double k[4] = {200, -100, -100, 200}, m[4] = {4, 0, 0, 4}, w[2];
    assert_int_equal(fb_eigen_symmetric_pencil(2, k, m, w, NULL), FB_OK);
    assert_near(w[0], 25.0, 1e-12);
    assert_near(w[1], 75.0, 1e-12);
    assert_near(4.0 * (k[0] * k[0] + k[1] * k[1]), 1.0, 1e-14);
    assert_near(k[0] - k[1], 0.0, 1e-14);
    double k2[4] = {1, 0, 0, 1}, bad[4] = {1, 0, 0, -1};
    FbError err = {0};
    assert_int_equal(fb_eigen_symmetric_pencil(2, k2, bad, w, &err), FB_ERR_SINGULAR);
    assert_string_equal(err.text, "the mass matrix is not positive definite (row 2)");
}

static void lapack_refuses_what_is_not_finite(void** state) {
    (void)state;
    double a[4] = {1, NAN, 0, 1}, m[4] = {1, 0, 0, 1}, s[2];
    double complex w[2];
    assert_int_equal(fb_svd(2, 2, a, s, NULL, NULL, NULL), FB_ERR_RANGE);
    assert_int_equal(fb_eigen_general(2, a, w, NULL, NULL), FB_ERR_RANGE);
    assert_int_equal(fb_eigen_symmetric_pencil(2, a, m, s, NULL), FB_ERR_RANGE);
    assert_int_equal(fb_eigen_general(0, a, w, NULL, NULL), FB_OK);
    assert_int_equal(fb_svd(0, 2, a, s, NULL, m, NULL), FB_OK);
    assert_near(m[3], 1.0, 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lu_solves_random_systems),
        cmocka_unit_test(products_are_sums_in_order),
        cmocka_unit_test(lu_has_the_numbers_of_the_textbook),
        cmocka_unit_test(complex_lu_solves_random_systems),
        cmocka_unit_test(lu_survives_extreme_scales),
        cmocka_unit_test(lu_names_the_column_of_a_bad_pivot),
        cmocka_unit_test(lu_finds_what_is_not_finite),
        cmocka_unit_test(cholesky_solves_definite_systems),
        cmocka_unit_test(svd_rebuilds_the_matrix),
        cmocka_unit_test(eigenvectors_satisfy_their_equation),
        cmocka_unit_test(eigenvectors_do_not_rest_on_rounding),
        cmocka_unit_test(pencil_gives_the_modes_of_two_masses),
        cmocka_unit_test(lapack_refuses_what_is_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
