// Radau IIA: coefficients, stiff limits, constraints, ball joints, states, quadratures, failures.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "math/rotation.h"
#include "solve/radau.h"
#include "solve_models.h"

static const FbIntegratorType* const radau = &fb_integrator_radau;

// B(2s-1) and C(s) of collocation, and A = T diag(1/gamma) T^-1.
static void test_coefficients(void** state) {
    (void)state;
    for (int s = 3; s <= 7; s += 2) {
        FbRadauMethod m;
        fb_radau_method_init(&m, s);
        assert_true(m.c[s - 1] == 1.0);
        for (int k = 1; k <= 2 * s - 1; k++) {
            double sum = 0.0;
            for (int j = 0; j < s; j++) {
                sum += m.A[s - 1][j] * pow(m.c[j], k - 1);
            }
            assert_true(fabs(sum - 1.0 / k) < 1e-15);
        }
        for (int i = 0; i < s; i++) {
            for (int j = 0; j < s; j++) {
                double a = m.t0[i] * m.t0_inv[j] / m.gamma0;
                for (int k = 0; k < m.n_pair; k++) {
                    a += 2.0 * creal(m.t[i][k] * m.t_inv[k][j] / m.gamma[k]);
                }
                assert_true(fabs(a - m.A[i][j]) < 1e-13);
            }
        }
    }
}

static void test_basis(void** state) {
    (void)state;
    FbRadauMethod m;
    double value[FB_RADAU_MAX_STAGES], integral[FB_RADAU_MAX_STAGES], sum = 0.0, area = 0.0;
    fb_radau_method_init(&m, 5);
    fb_radau_basis(&m, 0.3, value);
    fb_radau_basis_integral(&m, 0.3, integral);
    for (int j = 0; j < 5; j++) {
        sum += value[j] * pow(m.c[j], 4);
        area += integral[j] * pow(m.c[j], 4);
    }
    assert_true(fabs(sum - pow(0.3, 4)) < 1e-15);
    assert_true(fabs(area - pow(0.3, 5) / 5.0) < 1e-15);
}

static double radau_pendulum_error(double rtol, FbIntegratorStats* stats) {
    TestModel m;
    double storage[6][TEST_MAX];
    FbPoint p;
    FbIntegratorOptions o = test_tolerance(rtol);
    test_point_init(&p, storage);
    test_pendulum_init(&m, 1.5);
    test_integrate(&m, radau, &o, 10.0, &p, stats);
    return fabs(p.q[0] - test_pendulum_angle(1.5, 10.0));
}

static void test_tolerances(void** state) {
    (void)state;
    FbIntegratorStats loose, tight;
    assert_true(radau_pendulum_error(1e-6, &loose) < 1e-4);
    assert_true(radau_pendulum_error(1e-9, &loose) < 1e-7);
    assert_true(radau_pendulum_error(1e-13, &tight) < 1e-11);
    assert_int_equal(tight.max_order, 13);
    assert_true(tight.steps < 150);
}

// Prothero & Robinson with an eigenvalue of -1e8: no order reduction to speak of, few steps, few
// Jacobians.
static void test_stiff_limit(void** state) {
    (void)state;
    TestModel m;
    double storage[6][TEST_MAX];
    FbPoint p;
    FbIntegratorStats stats;
    for (int order = 5; order <= 13; order += 4) {
        FbIntegratorOptions o = test_tolerance(1e-8);
        o.order = order;
        test_point_init(&p, storage);
        test_prothero_init(&m, 1e8);
        test_integrate(&m, radau, &o, 10.0, &p, &stats);
        assert_true(fabs(p.q[0] - sin(10.0)) < 1e-8);
        assert_true(fabs(p.v[0] - cos(10.0)) < 1e-8);
        assert_true(stats.steps < 300);
        assert_true(stats.jacobian_evals < 20);
    }
}

// Starts off the slow manifold: the transient is damped, not followed.
static void test_stiff_transient(void** state) {
    (void)state;
    TestModel m;
    double storage[6][TEST_MAX];
    FbPoint p;
    FbIntegratorStats stats;
    FbIntegratorOptions o = test_tolerance(1e-6);
    test_point_init(&p, storage);
    test_oscillator_init(&m, 1.0, 1e6, 1e6);
    test_integrate(&m, radau, &o, 5.0, &p, &stats);
    // Slow root of s^2 + 1e6 s + 1e6 and its share of q(0) = 1.
    double root = -1e6 / (0.5e6 + sqrt(0.25e12 - 1e6)), fast = -1e6 - root;
    assert_true(fabs(p.q[0] - fast / (fast - root) * exp(root * 5.0)) < 1e-7);
    assert_true(stats.steps < 150);
}

static double pendulum_energy(const FbPoint* p) {
    return 0.5 * (p->v[0] * p->v[0] + p->v[1] * p->v[1]) + 9.81 * p->q[1];
}

// Index 2 with projection: no drift over 10000 steps, the angle and the energy stay right.
static void test_constraint_drift(void** state) {
    (void)state;
    TestModel m;
    double storage[6][TEST_MAX], drift = 0.0;
    FbPoint p;
    FbError err = {0};
    FbIntegrator* s = NULL;
    FbIntegratorOptions o = test_tolerance(1e-12);
    o.max_step = 2e-3;
    test_point_init(&p, storage);
    test_point_pendulum_init(&m, 1.5);
    double energy = pendulum_energy(&m.at);
    assert_int_equal(radau->create(&m.dynamics, &o, &s, &err), FB_OK);
    assert_int_equal(radau->restart(s, &m.at, &err), FB_OK);
    for (p.t = 0.0; p.t < 20.0;) {
        assert_int_equal(radau->step(s, 20.0, &p, &err), FB_OK);
        double position = 0.5 * fabs(p.q[0] * p.q[0] + p.q[1] * p.q[1] - 1.0);
        double velocity = fabs(p.q[0] * p.v[0] + p.q[1] * p.v[1]);
        drift = fmax(drift, fmax(position, velocity));
    }
    assert_true(radau->stats(s)->steps >= 10000);
    assert_true(drift < 1e-12);
    assert_true(fabs(pendulum_energy(&p) - energy) < 1e-9);
    assert_true(fabs(atan2(p.q[0], -p.q[1]) - test_pendulum_angle(1.5, 20.0)) < 1e-9);
    // Tension of the rod.
    double speed2 = p.v[0] * p.v[0] + p.v[1] * p.v[1];
    assert_true(fabs(p.lambda[0] - (speed2 - 9.81 * p.q[1])) < 1e-6);
    radau->destroy(s);
}

// A free body tumbling about its unstable axis: momentum in space and energy are kept.
static void test_tumbling_body(void** state) {
    (void)state;
    const double inertia[3] = {1.0, 2.0, 3.0}, omega[3] = {0.01, 5.0, 0.02};
    TestModel m;
    double storage[6][TEST_MAX], before[3], after[3];
    FbPoint p;
    FbIntegratorOptions o = test_tolerance(1e-11);
    test_point_init(&p, storage);
    test_top_init(&m, inertia, 0.0, omega);
    double energy = test_top_energy(&m, &m.at);
    test_top_momentum(&m, &m.at, before);
    test_integrate(&m, radau, &o, 10.0, &p, NULL);
    test_top_momentum(&m, &p, after);
    assert_true(fabs(test_top_energy(&m, &p) - energy) < 1e-8);
    for (int i = 0; i < 3; i++) {
        assert_true(fabs(after[i] - before[i]) < 2e-8);
    }
    double norm = sqrt(p.q[0] * p.q[0] + p.q[1] * p.q[1] + p.q[2] * p.q[2] + p.q[3] * p.q[3]);
    assert_true(fabs(norm - 1.0) < 1e-14);
}

// A ball that spins steadily is a straight line in its chart, so that any step looks good; but the
// chart ends at a full turn: no step turns it by more than 2 rad, also where it is fixed.
static void test_turn_per_step(void** state) {
    (void)state;
    const double inertia[3] = {1.0, 1.0, 1.0}, omega[3] = {12.0, -24.0, 24.0};
    const double rate = 36.0, t_end = 2.0;
    for (int is_fixed = 0; is_fixed < 2; is_fixed++) {
        TestModel m;
        double storage[6][TEST_MAX], expected[4];
        FbPoint p;
        FbIntegratorStats stats;
        FbIntegratorOptions o = test_tolerance(1e-6);
        o.fixed_step = is_fixed ? 0.25 : 0.0;
        test_point_init(&p, storage);
        test_top_init(&m, inertia, 0.0, omega);
        fb_quaternion_plus(m.at.q, fb_scale(t_end, fb_vec3_from(omega)), expected);
        test_integrate(&m, radau, &o, t_end, &p, &stats);
        assert_true(stats.max_step_taken * rate <= 2.0 * (1.0 + 1e-3));
        FbVec3 error = fb_quaternion_minus(p.q, expected);
        assert_true(fb_norm(error) < 1e-5);
    }
}

// All orders agree on a heavy top with each other and with the explicit method.
static void test_heavy_top(void** state) {
    (void)state;
    const double inertia[3] = {1.0, 1.2, 0.5}, omega[3] = {0.3, 0.1, 8.0};
    TestModel m;
    double reference_storage[6][TEST_MAX], storage[6][TEST_MAX];
    FbPoint reference, p;
    FbIntegratorOptions o = test_tolerance(1e-12);
    test_point_init(&reference, reference_storage);
    test_top_init(&m, inertia, 5.0, omega);
    test_integrate(&m, &fb_integrator_dop853, &o, 3.0, &reference, NULL);
    for (int order = 5; order <= 13; order += 4) {
        o.order = order;
        test_point_init(&p, storage);
        test_top_init(&m, inertia, 5.0, omega);
        test_integrate(&m, radau, &o, 3.0, &p, NULL);
        for (int i = 0; i < 3; i++) {
            assert_true(fabs(p.v[i] - reference.v[i]) < 1e-8);
        }
    }
}

// Van der Pol, mu = 1000, in the states: the value at t = 2000 that the test set for initial value
// problems gives.
static void test_states(void** state) {
    (void)state;
    TestModel m;
    double storage[6][TEST_MAX];
    FbPoint p;
    FbIntegratorStats stats;
    FbIntegratorOptions o = test_tolerance(1e-9);
    test_point_init(&p, storage);
    test_vdp_init(&m, 1000.0);
    test_integrate(&m, radau, &o, 2000.0, &p, &stats);
    assert_true(fabs(p.x[0] - 1.706167732170469) < 1e-7);
    assert_true(stats.steps < 600);
}

// The work of the damper is the energy that is missing.
static void test_quadrature(void** state) {
    (void)state;
    TestModel m;
    double storage[6][TEST_MAX];
    FbPoint p;
    FbIntegratorOptions o = test_tolerance(1e-9);
    test_point_init(&p, storage);
    test_oscillator_init(&m, 2.0, 0.8, 50.0);
    test_integrate(&m, radau, &o, 3.0, &p, NULL);
    double energy = 0.5 * 2.0 * p.v[0] * p.v[0] + 0.5 * 50.0 * p.q[0] * p.q[0];
    assert_true(p.w[0] > 5.0);
    assert_true(fabs(p.w[0] - (25.0 - energy)) < 1e-6);
}

static void check_inside(FbIntegrator* s, FbPoint* p, double t, double limit, bool is_refined) {
    if (is_refined) {
        assert_int_equal(radau->refine(s, t, p), FB_OK);
    } else {
        assert_int_equal(radau->interpolate(s, t, p), FB_OK);
    }
    assert_true(p->t == t);
    assert_true(fabs(p->q[0] - test_pendulum_angle(1.5, t)) < limit);
}

// refine() is as accurate as the steps where the dense output of high orders is not.
static void test_refine(void** state) {
    (void)state;
    TestModel m;
    double storage[6][TEST_MAX], inside[6][TEST_MAX];
    FbPoint p, q;
    FbError err = {0};
    FbIntegrator* s = NULL;
    FbIntegratorOptions o = test_tolerance(1e-11);
    o.order = 13;
    test_point_init(&p, storage);
    test_point_init(&q, inside);
    test_pendulum_init(&m, 1.5);
    assert_int_equal(radau->create(&m.dynamics, &o, &s, &err), FB_OK);
    assert_int_equal(radau->restart(s, &m.at, &err), FB_OK);
    assert_false(radau->is_dense_accurate(s));
    while (p.t < 2.0) {
        double before = p.t;
        assert_int_equal(radau->step(s, 2.0, &p, &err), FB_OK);
        for (int k = 1; k < 8; k++) {
            double t = before + k * (p.t - before) / 8.0;
            check_inside(s, &q, t, 1e-5, false);
            check_inside(s, &q, t, 3e-10, true);
        }
    }
    assert_true(fabs(p.q[0] - test_pendulum_angle(1.5, 2.0)) < 3e-10);
    radau->destroy(s);
}

// Where the step to a sample fails, shorter ones lead there; where all fail, the run says so.
static void test_refine_fails(void** state) {
    (void)state;
    TestModel m;
    double storage[6][TEST_MAX], inside[6][TEST_MAX];
    FbPoint p, q;
    FbError err = {0};
    FbIntegrator* s = NULL;
    FbIntegratorOptions o = test_tolerance(1e-11);
    o.order = 13;
    test_point_init(&p, storage);
    test_point_init(&q, inside);
    test_pendulum_init(&m, 1.5);
    assert_int_equal(radau->create(&m.dynamics, &o, &s, &err), FB_OK);
    assert_int_equal(radau->restart(s, &m.at, &err), FB_OK);
    double before = 0.0;
    while (p.t < 1.0) {
        before = p.t;
        assert_int_equal(radau->step(s, 2.0, &p, &err), FB_OK);
    }
    double t = before + 0.6 * (p.t - before);
    m.retries = 1;
    check_inside(s, &q, t, 3e-10, true);
    assert_int_equal(m.retries, 0);
    assert_null(radau->warning(s));
    m.retry_beyond = before;
    check_inside(s, &q, t, 1e-5, true);
    assert_non_null(strstr(radau->warning(s), "max_step"));
    radau->destroy(s);
}

static void test_failure_message(void** state) {
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
    assert_int_equal(radau->create(&m.dynamics, &o, &s, &err), FB_OK);
    assert_int_equal(radau->restart(s, &m.at, &err), FB_OK);
    while (status == FB_OK && p.t < 1.0) {
        status = radau->step(s, 1.0, &p, &err);
    }
    assert_int_equal(status, FB_ERR_CONVERGENCE);
    assert_true(fabs(p.t - 0.5) < 1e-9);
    assert_non_null(strstr(err.text, "t = 0.5"));
    assert_non_null(strstr(err.text, "rtol"));
    radau->destroy(s);
}

static void test_bad_order(void** state) {
    (void)state;
    TestModel m;
    FbError err = {0};
    FbIntegrator* s = NULL;
    FbIntegratorOptions o = test_tolerance(1e-8);
    o.order = 7;
    test_pendulum_init(&m, 1.5);
    assert_int_equal(radau->create(&m.dynamics, &o, &s, &err), FB_ERR_RANGE);
    assert_null(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coefficients),    cmocka_unit_test(test_basis),
        cmocka_unit_test(test_tolerances),      cmocka_unit_test(test_stiff_limit),
        cmocka_unit_test(test_stiff_transient), cmocka_unit_test(test_constraint_drift),
        cmocka_unit_test(test_tumbling_body),   cmocka_unit_test(test_heavy_top),
        cmocka_unit_test(test_states),          cmocka_unit_test(test_quadrature),
        cmocka_unit_test(test_refine),          cmocka_unit_test(test_refine_fails),
        cmocka_unit_test(test_failure_message), cmocka_unit_test(test_bad_order),
        cmocka_unit_test(test_turn_per_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
