// Observed orders of convergence of the integrators and their dense output, against the pendulum's
// closed form.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "solve_models.h"

static const double START = 1.5, END = 2.4;

typedef struct Errors {
    double end;     // of q at the end
    double ends;    // largest of q at the ends of steps
    double inside;  // largest of q inside the steps
} Errors;

static Errors run(const FbIntegratorType* type, int order, double h,
                  void (*init)(TestModel*, double)) {
    TestModel m;
    double storage[6][TEST_MAX], inside_storage[6][TEST_MAX];
    FbPoint p, inside;
    FbError err = {0};
    FbIntegrator* s = NULL;
    FbIntegratorOptions o = {
        .rtol = 1e-12, .atol = 1e-12, .max_step = INFINITY, .order = order, .fixed_step = h};
    Errors e = {0.0, 0.0, 0.0};
    init(&m, START);
    test_point_init(&p, storage);
    test_point_init(&inside, inside_storage);
    assert_int_equal(type->create(&m.dynamics, &o, &s, &err), FB_OK);
    assert_int_equal(type->restart(s, &m.at, &err), FB_OK);
    for (p.t = 0.0; p.t < END;) {
        double before = p.t;
        if (type->step(s, END, &p, &err) != FB_OK) {
            fail_msg("%s", err.text);
        }
        double now = test_pendulum_angle(START, p.t);
        e.ends = fmax(e.ends, fabs(p.q[0] - (m.dynamics.size.n_c > 0 ? sin(now) : now)));
        // In the first step after a restart the dense output is only that of collocation.
        for (int k = before > 0.0 ? 1 : 6; k < 6; k++) {
            double t = before + k * (p.t - before) / 6.0, angle = test_pendulum_angle(START, t);
            assert_int_equal(type->interpolate(s, t, &inside), FB_OK);
            e.inside =
                fmax(e.inside, fabs(inside.q[0] - (m.dynamics.size.n_c > 0 ? sin(angle) : angle)));
        }
    }
    double angle = test_pendulum_angle(START, END);
    e.end = fabs(p.q[0] - (m.dynamics.size.n_c > 0 ? sin(angle) : angle));
    type->destroy(s);
    return e;
}

// The order seen between steps h and h/2.
static void check_order(const FbIntegratorType* type, int order, double h,
                        void (*init)(TestModel*, double), double lo, double hi, double dense_lo) {
    Errors coarse = run(type, order, h, init), fine = run(type, order, 0.5 * h, init);
    double seen = log2(coarse.end / fine.end), dense = log2(coarse.inside / fine.inside);
    if (!(seen > lo && seen < hi) || !(dense > dense_lo)) {
        fail_msg("%s of order %d: order %.2f seen (%.2g, %.2g), dense output %.2f (%.2g, %.2g)",
                 type->name, order, seen, coarse.end, fine.end, dense, coarse.inside, fine.inside);
    }
}

static void test_radau_5(void** state) {
    (void)state;
    check_order(&fb_integrator_radau, 5, END / 32, test_pendulum_init, 4.8, 5.2, 4.8);
    check_order(&fb_integrator_radau, 5, END / 32, test_point_pendulum_init, 4.8, 5.2, 4.8);
}

static void test_radau_9(void** state) {
    (void)state;
    check_order(&fb_integrator_radau, 9, END / 16, test_pendulum_init, 8.6, 9.4, 7.5);
    check_order(&fb_integrator_radau, 9, END / 20, test_point_pendulum_init, 8.6, 9.4, 5.6);
}

// The errors of the constrained pendulum shrink evenly; those of the angle happen to cross zero.
static void test_radau_13(void** state) {
    (void)state;
    check_order(&fb_integrator_radau, 13, END / 11, test_point_pendulum_init, 12.4, 13.5, 7.5);
}

static void test_dop853(void** state) {
    (void)state;
    check_order(&fb_integrator_dop853, 0, 0.2, test_pendulum_init, 7.6, 9.6, 6.7);
    check_order(&fb_integrator_dop853, 0, 0.1, test_point_pendulum_init, 7.6, 9.6, 6.7);
}

// The same from the errors at all ends of steps: that of a single one may cross zero.
static void check_orders_of_ends(const FbIntegratorType* type, double order, int n) {
    void (*const inits[])(TestModel*, double) = {test_pendulum_init, test_point_pendulum_init};
    for (int i = 0; i < 2; i++) {
        Errors coarse = run(type, 0, END / n, inits[i]),
               fine = run(type, 0, END / (2 * n), inits[i]);
        double seen = log2(coarse.ends / fine.ends), dense = log2(coarse.inside / fine.inside);
        if (!(fabs(seen - order) < 0.15) || !(dense > fmin(order, 6.0) - 0.2)) {
            fail_msg("%s, model %d: order %.2f seen (%.2g, %.2g), dense output %.2f (%.2g, %.2g)",
                     type->name, i, seen, coarse.ends, fine.ends, dense, coarse.inside,
                     fine.inside);
        }
    }
}

static void test_alpha(void** state) {
    (void)state;
    check_orders_of_ends(&fb_integrator_alpha, 2.0, 256);
}

static void test_gauss(void** state) {
    (void)state;
    check_orders_of_ends(&fb_integrator_gauss2, 2.0, 256);
    check_orders_of_ends(&fb_integrator_gauss4, 4.0, 64);
    check_orders_of_ends(&fb_integrator_gauss6, 6.0, 56);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_radau_5),  cmocka_unit_test(test_radau_9),
        cmocka_unit_test(test_radau_13), cmocka_unit_test(test_dop853),
        cmocka_unit_test(test_alpha),    cmocka_unit_test(test_gauss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
