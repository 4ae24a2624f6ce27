// The choice between two methods by measured work, on made-up costs.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "solve/arms.h"

// Work of a step and its length for each arm, before and after a change at t = 1.
typedef struct Regime {
    double work[FB_ARMS], dt[FB_ARMS];
} Regime;

typedef struct Outcome {
    double work, best;  // done, and by the better one all the time
    int changes;        // that stayed
    int last;
} Outcome;

static const double COST[FB_ARMS] = {120.0, 120.0};

static double rate(const Regime* r, int m) {
    return r->work[m] / r->dt[m];
}

static Outcome play(int first, const Regime* before, const Regime* after, double t_end,
                    bool has_hint) {
    FbArms a;
    Outcome o = {0};
    fb_arms_init(&a, first, COST);
    for (double t = 0.0; t < t_end;) {
        const Regime* r = t < 1.0 ? before : after;
        int m = a.active;
        FbArmsAnswer answer =
            fb_arms_step(&a, r->work[m], r->dt[m], has_hint && m == FB_ARM_EXPLICIT && r == after);
        o.work += r->work[m];
        o.best += fmin(rate(r, 0), rate(r, 1)) * r->dt[m];
        t += r->dt[m];
        o.changes += answer == FB_ARMS_KEEP;
    }
    o.last = a.active;
    return o;
}

static void the_cheaper_one_is_found(void** state) {
    (void)state;
    Regime stiff = {{12.0, 10.0}, {1e-4, 1e-2}}, smooth = {{12.0, 30.0}, {1e-2, 1e-2}};
    for (int first = 0; first < FB_ARMS; first++) {
        Outcome o = play(first, &stiff, &stiff, 20.0, false);
        assert_int_equal(o.last, FB_ARM_IMPLICIT);
        assert_true(o.work < 1.3 * o.best);
        o = play(first, &smooth, &smooth, 20.0, false);
        assert_int_equal(o.last, FB_ARM_EXPLICIT);
        assert_true(o.work < 1.3 * o.best);
    }
}

// Friction that begins to stick: the explicit method's steps become a hundred times shorter.
static void a_change_of_regime_is_noticed(void** state) {
    (void)state;
    Regime smooth = {{12.0, 20.0}, {2e-3, 1e-3}}, stiff = {{12.0, 10.0}, {1e-5, 1e-2}};
    for (int hint = 0; hint < 2; hint++) {
        Outcome o = play(FB_ARM_EXPLICIT, &smooth, &stiff, 10.0, hint == 1);
        assert_int_equal(o.changes, 1);
        assert_true(o.work < 1.5 * o.best);
        o = play(FB_ARM_IMPLICIT, &stiff, &smooth, 10.0, false);
        assert_int_equal(o.last, FB_ARM_EXPLICIT);
        assert_true(o.work < 1.5 * o.best);
    }
}

// A collapse of the steps is a hint by itself: the trial does not wait until it is due.
static void a_collapse_is_a_hint(void** state) {
    (void)state;
    Regime smooth = {{12.0, 40.0}, {1e-4, 1e-4}}, stiff = {{12.0, 10.0}, {1e-6, 1e-2}};
    FbArms a;
    fb_arms_init(&a, FB_ARM_EXPLICIT, COST);
    while (a.work < 1e4) {
        fb_arms_step(&a, smooth.work[a.active], smooth.dt[a.active], false);
    }
    while (a.is_trial) {
        fb_arms_step(&a, smooth.work[a.active], smooth.dt[a.active], false);
    }
    double start = a.work;
    while (!a.is_trial) {
        fb_arms_step(&a, stiff.work[0], stiff.dt[0], false);
        assert_true(a.work < start + 0.3 * start);
    }
}

static void equal_methods_do_not_alternate(void** state) {
    (void)state;
    Regime equal = {{12.0, 12.0}, {1e-2, 1e-2}};
    for (int first = 0; first < FB_ARMS; first++) {
        Outcome o = play(first, &equal, &equal, 100.0, true);
        assert_true(o.changes <= 1);
    }
}

// Trials that do not pay become rare: their share of the work stays small and falls.
static void trials_cost_little(void** state) {
    (void)state;
    Regime smooth = {{12.0, 200.0}, {1e-2, 1e-3}};
    Outcome short_run = play(FB_ARM_EXPLICIT, &smooth, &smooth, 2.0, false);
    Outcome long_run = play(FB_ARM_EXPLICIT, &smooth, &smooth, 200.0, false);
    assert_true(short_run.work < 1.5 * short_run.best);
    assert_true(long_run.work < 1.05 * long_run.best);
    assert_int_equal(long_run.changes, 0);
}

static void what_fails_is_left(void** state) {
    (void)state;
    FbArms a;
    fb_arms_init(&a, FB_ARM_EXPLICIT, COST);
    fb_arms_fail(&a);
    assert_int_equal(a.active, FB_ARM_IMPLICIT);
    for (int i = 0; i < 50; i++) {
        assert_int_equal(fb_arms_step(&a, 10.0, 1.0, false), FB_ARMS_GO_ON);
    }
}

// A motion that is easy and hard in turn, for both alike: a trial in an easy stretch is no reason
// to change, whenever it falls.
static void the_course_of_the_motion_is_no_merit(void** state) {
    (void)state;
    for (int phase = 0; phase < 24; phase++) {
        FbArms a;
        int changes = 0;
        fb_arms_init(&a, FB_ARM_EXPLICIT, COST);
        for (int i = 0; i < 2000; i++) {
            double dt = 1e-2 * (1.0 + 0.35 * sin(2.0 * 3.14159265358979 * (i + phase) / 24.0));
            changes += fb_arms_step(&a, 12.0, dt, false) == FB_ARMS_KEEP;
        }
        assert_int_equal(changes, 0);
    }
}

// The one whose steps cost a third is tried long before one whose steps cost the same.
static void the_better_bet_is_tried_sooner(void** state) {
    (void)state;
    const double costs[2][FB_ARMS] = {{120.0, 14.0 * 120.0 / 9.0}, {120.0, 14.0 * 40.0 / 9.0}};
    double work[2];
    for (int i = 0; i < 2; i++) {
        FbArms a;
        fb_arms_init(&a, FB_ARM_EXPLICIT, costs[i]);
        while (!a.is_trial) {
            fb_arms_step(&a, 12.0, 1e-2, false);
        }
        work[i] = a.work / costs[i][FB_ARM_IMPLICIT];
    }
    assert_true(work[1] < 0.7 * work[0]);
}

// Dear steps that say nothing neither bring a trial nearer nor count as a collapse.
static void skipped_steps_do_not_count(void** state) {
    (void)state;
    FbArms a;
    fb_arms_init(&a, FB_ARM_EXPLICIT, COST);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(fb_arms_step(&a, 12.0, 1e-2, false), FB_ARMS_GO_ON);
    }
    double left = a.due - a.work;
    for (int i = 0; i < 100; i++) {
        fb_arms_skip(&a, 500.0);
    }
    assert_true(fabs(a.due - a.work - left) < 1e-9 * a.work);
    assert_int_equal(fb_arms_step(&a, 12.0, 1e-2, true), FB_ARMS_GO_ON);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cheaper_one_is_found),
        cmocka_unit_test(a_change_of_regime_is_noticed),
        cmocka_unit_test(a_collapse_is_a_hint),
        cmocka_unit_test(equal_methods_do_not_alternate),
        cmocka_unit_test(trials_cost_little),
        cmocka_unit_test(what_fails_is_left),
        cmocka_unit_test(the_course_of_the_motion_is_no_merit),
        cmocka_unit_test(the_better_bet_is_tried_sooner),
        cmocka_unit_test(skipped_steps_do_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
