// The steps of a run and of a companion that follows them, on made-up steps.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "solve/step_log.h"

static void close_to(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance)) {
        fail_msg("%.17g instead of %.17g", value, expected);
    }
}

static FbStepLog log_of;

static void fill(int n, double h, int order) {
    fb_step_log_start(&log_of, 0.0);
    for (int i = 1; i <= n; i++) {
        fb_step_log_add(&log_of, i * h, order);
    }
}

// Steps of the companion from 0 to the end.
static int walk(double stretch, double end) {
    FbStepPlan plan = {.log = &log_of, .stretch = stretch};
    int n = 0, order;
    for (double t = 0.0; t < end * (1.0 - 1e-12); n++) {
        double h = fb_step_plan_next(&plan, t, &order);
        assert_true(h > 0.0 && n < 100000);
        t += h;
    }
    return n;
}

// Any number of steps has room, in any unit of time, and is counted.
static void long_runs_are_thinned_out(void** state) {
    (void)state;
    for (int n = 10; n <= 1000000; n *= 10) {
        double h = 1e-3 * n;
        fill(n, h, 8);
        assert_true(log_of.n <= FB_STEP_LOG_NODES);
        close_to(fb_step_log_count(&log_of, n * h), n, 2.0 * log_of.stride);
        close_to(fb_step_log_count(&log_of, 0.5 * n * h), 0.5 * n, 1.0);
    }
}

static void companions_take_longer_steps(void** state) {
    (void)state;
    const int orders[] = {5, 8, 9, 13};
    for (int i = 0; i < 4; i++) {
        for (double stretch = 1.0; stretch < 2.0; stretch += 0.3) {
            for (int n = 50; n <= 50000; n *= 10) {
                fill(n, 0.1, orders[i]);
                double ratio = fb_step_plan_ratio(orders[i], stretch);
                close_to(walk(stretch, log_of.t[log_of.n - 1]), n / ratio, 2.0 + 1e-3 * n);
            }
        }
    }
    // The higher the order, the faster errors grow with the length.
    assert_true(fb_step_plan_ratio(5, 1.0) > fb_step_plan_ratio(9, 1.0));
    assert_true(fb_step_plan_ratio(9, 1.0) > fb_step_plan_ratio(13, 1.0));
}

// Steps that shrink, and a change of the method: the companion does the same at the same time.
static void changes_are_followed(void** state) {
    (void)state;
    fb_step_log_start(&log_of, 0.0);
    for (int i = 1; i <= 30; i++) {
        fb_step_log_add(&log_of, 0.1 * i, 8);
    }
    for (int i = 1; i <= 300; i++) {
        fb_step_log_add(&log_of, 3.0 + 0.001 * i, 13);
    }
    FbStepPlan plan = {.log = &log_of, .stretch = 1.0};
    int order;
    close_to(fb_step_plan_next(&plan, 1.0, &order), 0.1 * fb_step_plan_ratio(8, 1.0), 1e-12);
    assert_int_equal(order, 8);
    // From the last long step on: its rest, then short ones.
    double part = 1.0 - 1.0 / fb_step_plan_ratio(8, 1.0);
    close_to(fb_step_plan_next(&plan, 2.9, &order),
             0.1 + 0.001 * part * fb_step_plan_ratio(13, 1.0), 1e-12);
    assert_int_equal(order, 8);
    close_to(fb_step_plan_next(&plan, 3.0, &order), 0.001 * fb_step_plan_ratio(13, 1.0), 1e-12);
    assert_int_equal(order, 13);
    // The last one ends at the end.
    close_to(fb_step_plan_next(&plan, 3.2999, &order), 0.0001, 1e-12);
}

// Steps become longer where the work would not suffice, within limits.
static void late_companions_hurry(void** state) {
    (void)state;
    int order;
    fill(100, 0.1, 8);
    FbStepPlan plan = {.log = &log_of, .stretch = 1.0};
    double usual = fb_step_plan_next(&plan, 5.0, &order);
    fb_step_plan_hurry(&plan, 0.5);
    close_to(fb_step_plan_next(&plan, 5.0, &order), usual, 1e-12);
    fb_step_plan_hurry(&plan, 0.65);
    double longer = fb_step_plan_next(&plan, 5.0, &order);
    assert_true(longer > 1.1 * usual && longer < 1.3 * usual);
    fb_step_plan_hurry(&plan, 0.99);
    assert_true(fb_step_plan_next(&plan, 5.0, &order) < 1.5 * usual);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_runs_are_thinned_out),
        cmocka_unit_test(companions_take_longer_steps),
        cmocka_unit_test(changes_are_followed),
        cmocka_unit_test(late_companions_hurry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
