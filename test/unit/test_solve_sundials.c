// CVODE's and IDA's methods against closed forms and against Radau; where SUNDIALS is absent they
// say so.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "solve_models.h"

static bool is_available(void) {
    TestModel m;
    FbError err = {0};
    FbIntegrator* s = NULL;
    FbIntegratorOptions o = test_tolerance(1e-8);
    test_pendulum_init(&m, 1.5);
    FbStatus status = fb_integrator_bdf.create(&m.dynamics, &o, &s, &err);
    if (status != FB_OK) {
        assert_int_equal(status, FB_ERR_UNAVAILABLE);
        assert_non_null(strstr(err.text, "SUNDIALS"));
        return false;
    }
    fb_integrator_bdf.destroy(s);
    return true;
}

static const FbIntegratorType* const all[] = {&fb_integrator_bdf, &fb_integrator_adams,
                                              &fb_integrator_ida};
enum { N_ALL = sizeof all / sizeof *all };

static void test_pendulum(void** state) {
    (void)state;
    for (int k = 0; k < N_ALL && is_available(); k++) {
        TestModel m;
        double storage[6][TEST_MAX];
        FbPoint p;
        FbIntegratorOptions o = test_tolerance(1e-10);
        test_point_init(&p, storage);
        test_pendulum_init(&m, 1.5);
        test_integrate(&m, all[k], &o, 10.0, &p, NULL);
        assert_true(fabs(p.q[0] - test_pendulum_angle(1.5, 10.0)) < 2e-7);
    }
}

// The result is on the constraints to rounding, and right.
static void test_constraint(void** state) {
    (void)state;
    for (int k = 0; k < N_ALL && is_available(); k++) {
        TestModel m;
        double storage[6][TEST_MAX];
        FbPoint p;
        FbIntegratorOptions o = test_tolerance(1e-10);
        test_point_init(&p, storage);
        test_point_pendulum_init(&m, 1.5);
        test_integrate(&m, all[k], &o, 10.0, &p, NULL);
        assert_true(fabs(p.q[0] * p.q[0] + p.q[1] * p.q[1] - 1.0) < 1e-13);
        assert_true(fabs(p.q[0] * p.v[0] + p.q[1] * p.v[1]) < 1e-13);
        assert_true(fabs(atan2(p.q[0], -p.q[1]) - test_pendulum_angle(1.5, 10.0)) < 1e-6);
    }
}

// A stiff problem is solved by BDF with few evaluations: the analytic blocks are used and right.
static void test_stiff(void** state) {
    (void)state;
    const FbIntegratorType* const stiff[] = {&fb_integrator_bdf, &fb_integrator_ida};
    const long most[] = {1500, 1800};  // evaluations
    for (int k = 0; k < 2 && is_available(); k++) {
        TestModel m;
        double storage[6][TEST_MAX];
        FbPoint p;
        FbIntegratorStats stats;
        FbIntegratorOptions o = test_tolerance(1e-8);
        test_point_init(&p, storage);
        test_prothero_init(&m, 1e6);
        test_integrate(&m, stiff[k], &o, 10.0, &p, &stats);
        assert_true(fabs(p.q[0] - sin(10.0)) < 1e-6);
        assert_true(stats.rhs_evals < most[k]);
        assert_true(stats.jacobian_evals < 60 && stats.jacobian_evals > 0);
        test_vdp_init(&m, 100.0);
        test_point_init(&p, storage);
        test_integrate(&m, stiff[k], &o, 200.0, &p, &stats);
        double seen = p.x[0];
        test_vdp_init(&m, 100.0);
        test_integrate(&m, &fb_integrator_radau, &o, 200.0, &p, NULL);
        assert_true(fabs(p.x[0] - seen) < 1e-4);
    }
}

static void test_heavy_top(void** state) {
    (void)state;
    const double inertia[3] = {1.0, 1.2, 0.5}, omega[3] = {0.3, 0.1, 8.0};
    for (int k = 0; k < N_ALL && is_available(); k++) {
        TestModel m;
        double storage[6][TEST_MAX], reference_storage[6][TEST_MAX];
        FbPoint p, reference;
        FbIntegratorStats stats;
        FbIntegratorOptions o = test_tolerance(1e-10);
        test_point_init(&p, storage);
        test_point_init(&reference, reference_storage);
        test_top_init(&m, inertia, 5.0, omega);
        test_integrate(&m, &fb_integrator_radau, &o, 3.0, &reference, NULL);
        test_top_init(&m, inertia, 5.0, omega);
        test_integrate(&m, all[k], &o, 3.0, &p, &stats);
        for (int i = 0; i < 3; i++) {
            assert_true(fabs(p.v[i] - reference.v[i]) < 1e-6);
        }
        assert_true(stats.newton_failures == 0);
    }
}

static void test_dense_and_restart(void** state) {
    (void)state;
    for (int k = 0; k < N_ALL && is_available(); k++) {
        TestModel m;
        double storage[6][TEST_MAX], inside[6][TEST_MAX];
        FbPoint p, q;
        FbError err = {0};
        FbIntegrator* s = NULL;
        FbIntegratorOptions o = test_tolerance(1e-9);
        test_point_init(&p, storage);
        test_point_init(&q, inside);
        test_pendulum_init(&m, 1.5);
        assert_int_equal(all[k]->create(&m.dynamics, &o, &s, &err), FB_OK);
        assert_int_equal(all[k]->restart(s, &m.at, &err), FB_OK);
        for (double end = 1.0; end <= 2.0; end += 1.0) {
            while (p.t < end) {
                double before = p.t;
                assert_int_equal(all[k]->step(s, end, &p, &err), FB_OK);
                double t = 0.5 * (before + p.t);
                assert_int_equal(all[k]->interpolate(s, t, &q), FB_OK);
                assert_true(fabs(q.q[0] - test_pendulum_angle(1.5, t)) < 1e-6);
            }
            assert_true(p.t == end);
            assert_int_equal(all[k]->restart(s, &p, &err), FB_OK);
        }
        long steps = all[k]->stats(s)->steps;
        assert_true(steps > 50);
        all[k]->destroy(s);
    }
}

static void test_failure(void** state) {
    (void)state;
    for (int k = 0; k < N_ALL && is_available(); k++) {
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
        assert_int_equal(all[k]->create(&m.dynamics, &o, &s, &err), FB_OK);
        assert_int_equal(all[k]->restart(s, &m.at, &err), FB_OK);
        while (status == FB_OK && p.t < 1.0) {
            status = all[k]->step(s, 1.0, &p, &err);
        }
        assert_int_equal(status, FB_ERR_CONVERGENCE);
        assert_non_null(strstr(err.text, all[k]->name));
        assert_true(p.t <= 0.5);
        all[k]->destroy(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum),
        cmocka_unit_test(test_constraint),
        cmocka_unit_test(test_stiff),
        cmocka_unit_test(test_heavy_top),
        cmocka_unit_test(test_dense_and_restart),
        cmocka_unit_test(test_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
