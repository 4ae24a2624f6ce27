// DOP853: the coefficients' order conditions, accuracy, dense output, constraints, stiffness
// warning.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "solve/dop853_coefficients.h"
#include "solve_models.h"

static const FbIntegratorType* const dop = &fb_integrator_dop853;

static const double* const b = fb_dop_a[FB_DOP_STAGES];

// Row sums are the nodes.
static void test_nodes(void** state) {
    (void)state;
    for (int i = 0; i < FB_DOP_ALL_STAGES; i++) {
        double sum = 0.0, size = 1.0;
        for (int j = 0; j < i; j++) {
            sum += fb_dop_a[i][j];
            size += fabs(fb_dop_a[i][j]);
        }
        assert_true(fabs(sum - fb_dop_c[i]) < 2e-16 * size);
    }
}

static double power(double x, int k) {
    return k == 0 ? 1.0 : pow(x, k);
}

// sum b_i c_i^p (A c^q)_i = 1 / ((q+1)(p+q+2)) for the trees of up to two levels, and all bushy
// trees up to order 8.
static void test_order_conditions(void** state) {
    (void)state;
    for (int p = 0; p <= 7; p++) {
        double bushy = 0.0;
        for (int i = 0; i < FB_DOP_STAGES; i++) {
            bushy += b[i] * power(fb_dop_c[i], p);
        }
        assert_true(fabs(bushy - 1.0 / (p + 1)) < 1e-14);
        for (int q = 1; p + q + 2 <= 8; q++) {
            double sum = 0.0;
            for (int i = 0; i < FB_DOP_STAGES; i++) {
                for (int j = 0; j < i; j++) {
                    sum += b[i] * power(fb_dop_c[i], p) * fb_dop_a[i][j] * power(fb_dop_c[j], q);
                }
            }
            assert_true(fabs(sum - 1.0 / ((q + 1.0) * (p + q + 2.0))) < 2e-14);
        }
    }
}

// b A^k c = 1/(k+2)!: the tall trees up to order 8.
static void test_tall_trees(void** state) {
    (void)state;
    double x[FB_DOP_STAGES], factorial = 1.0;
    memcpy(x, fb_dop_c, sizeof x);
    for (int order = 2; order <= 8; order++) {
        double sum = 0.0, next[FB_DOP_STAGES] = {0};
        factorial *= order;
        for (int i = 0; i < FB_DOP_STAGES; i++) {
            sum += b[i] * x[i];
            for (int j = 0; j < i; j++) {
                next[i] += fb_dop_a[i][j] * x[j];
            }
        }
        assert_true(fabs(sum - 1.0 / factorial) < 1e-15);
        memcpy(x, next, sizeof x);
    }
}

// The error weights integrate polynomials of degree below their order to zero.
static void test_error_weights(void** state) {
    (void)state;
    for (int p = 0; p < 5; p++) {
        double e3 = 0.0, e5 = 0.0;
        for (int i = 0; i < FB_DOP_STAGES; i++) {
            e3 += fb_dop_e3[i] * power(fb_dop_c[i], p);
            e5 += fb_dop_e5[i] * power(fb_dop_c[i], p);
        }
        assert_true(fabs(e5) < 1e-14);
        assert_true(p < 3 ? fabs(e3) < 1e-14 : fabs(e3) > 1e-6);
    }
}

static void test_tolerances(void** state) {
    (void)state;
    for (double rtol = 1e-6; rtol > 1e-13; rtol *= 1e-3) {
        TestModel m;
        double storage[6][TEST_MAX];
        FbPoint p;
        FbIntegratorOptions o = test_tolerance(rtol);
        test_point_init(&p, storage);
        test_pendulum_init(&m, 1.5);
        test_integrate(&m, dop, &o, 10.0, &p, NULL);
        assert_true(fabs(p.q[0] - test_pendulum_angle(1.5, 10.0)) < 100.0 * rtol);
    }
}

static void test_dense_output(void** state) {
    (void)state;
    TestModel m;
    double storage[6][TEST_MAX], inside[6][TEST_MAX];
    FbPoint p, q;
    FbError err = {0};
    FbIntegrator* s = NULL;
    FbIntegratorOptions o = test_tolerance(1e-10);
    test_point_init(&p, storage);
    test_point_init(&q, inside);
    test_pendulum_init(&m, 1.5);
    assert_int_equal(dop->create(&m.dynamics, &o, &s, &err), FB_OK);
    assert_int_equal(dop->restart(s, &m.at, &err), FB_OK);
    while (p.t < 5.0) {
        double before = p.t;
        assert_int_equal(dop->step(s, 5.0, &p, &err), FB_OK);
        for (int k = 1; k < 8; k++) {
            double t = before + k * (p.t - before) / 8.0;
            assert_int_equal(dop->interpolate(s, t, &q), FB_OK);
            assert_true(fabs(q.q[0] - test_pendulum_angle(1.5, t)) < 2e-9);
        }
    }
    dop->destroy(s);
}

static void test_constraint_and_quadrature(void** state) {
    (void)state;
    TestModel m;
    double storage[6][TEST_MAX];
    FbPoint p;
    FbIntegratorOptions o = test_tolerance(1e-10);
    test_point_init(&p, storage);
    test_point_pendulum_init(&m, 1.5);
    test_integrate(&m, dop, &o, 20.0, &p, NULL);
    assert_true(fabs(p.q[0] * p.q[0] + p.q[1] * p.q[1] - 1.0) < 1e-13);
    assert_true(fabs(p.q[0] * p.v[0] + p.q[1] * p.v[1]) < 1e-13);
    assert_true(fabs(atan2(p.q[0], -p.q[1]) - test_pendulum_angle(1.5, 20.0)) < 1e-8);
    test_point_init(&p, storage);
    memset(storage, 0, sizeof storage);
    test_oscillator_init(&m, 2.0, 0.8, 50.0);
    test_integrate(&m, dop, &o, 3.0, &p, NULL);
    double energy = p.v[0] * p.v[0] + 25.0 * p.q[0] * p.q[0];
    assert_true(fabs(p.w[0] - (25.0 - energy)) < 1e-8);
}

static void test_stiffness_warning(void** state) {
    (void)state;
    TestModel m;
    double storage[6][TEST_MAX];
    FbPoint p;
    FbError err = {0};
    FbIntegrator* s = NULL;
    FbIntegratorOptions o = test_tolerance(1e-6);
    test_point_init(&p, storage);
    test_prothero_init(&m, 1e4);
    assert_int_equal(dop->create(&m.dynamics, &o, &s, &err), FB_OK);
    assert_int_equal(dop->restart(s, &m.at, &err), FB_OK);
    assert_null(dop->warning(s));
    while (p.t < 1.0) {
        assert_int_equal(dop->step(s, 1.0, &p, &err), FB_OK);
    }
    assert_non_null(dop->warning(s));
    assert_non_null(strstr(dop->warning(s), "radau"));
    dop->destroy(s);
}

// A state that the dynamics cannot evaluate: the error names time and remedy, and the last good
// point stays.
static void test_failure(void** state) {
    (void)state;
    TestModel m;
    double storage[6][TEST_MAX];
    FbPoint p;
    FbError err = {0};
    FbIntegrator* s = NULL;
    FbIntegratorOptions o = test_tolerance(1e-8);
    FbStatus status = FB_OK;
    test_point_init(&p, storage);
    test_pendulum_init(&m, 1.5);
    m.retry_beyond = 0.5;
    assert_int_equal(dop->create(&m.dynamics, &o, &s, &err), FB_OK);
    assert_int_equal(dop->restart(s, &m.at, &err), FB_OK);
    while (status == FB_OK && p.t < 1.0) {
        status = dop->step(s, 1.0, &p, &err);
    }
    assert_int_equal(status, FB_ERR_CONVERGENCE);
    assert_true(p.t <= 0.5 && p.t > 0.499);
    assert_true(fabs(p.q[0] - test_pendulum_angle(1.5, p.t)) < 1e-7);
    assert_non_null(strstr(err.text, "t = 0.5"));
    dop->destroy(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nodes),
        cmocka_unit_test(test_order_conditions),
        cmocka_unit_test(test_tall_trees),
        cmocka_unit_test(test_error_weights),
        cmocka_unit_test(test_tolerances),
        cmocka_unit_test(test_dense_output),
        cmocka_unit_test(test_constraint_and_quadrature),
        cmocka_unit_test(test_stiffness_warning),
        cmocka_unit_test(test_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
