// Long chains of balls: what a link cannot be given by its neighbours stays zero, and a rope costs
// what its motion asks for.
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "run_support.h"
#include "system/work.h"

typedef struct Rope {
    int n;
    double length, width;  // of a link, m
    double load;           // mass of the last link, kg; the others have 0.02
    bool is_held;          // at both ends
} Rope;

// Links of square section along x from the origin, joined by balls.
static FbModel* rope(const Rope* r) {
    static char text[60000];
    int n = snprintf(text, sizeof(text), "flyball: 1\ngravity: [0, 0, -9.81]\nbodies:\n");
    for (int i = 0; i < r->n; i++) {
        n += snprintf(text + n, sizeof(text) - (size_t)n,
                      "  k%d: {position: [%.17g, 0, 0], shapes: [{type: box, size: [%.17g, %.17g, "
                      "%.17g], at: [%.17g, 0, 0], mass: %g}]}\n",
                      i, i * r->length, r->length, r->width, r->width, 0.5 * r->length,
                      i == r->n - 1 ? r->load : 0.02);
    }
    n += snprintf(text + n, sizeof(text) - (size_t)n, "joints:\n");
    for (int i = 0; i < r->n; i++) {
        char parent[20] = "ground";
        if (i > 0) {
            snprintf(parent, sizeof(parent), "k%d", i - 1);
        }
        n += snprintf(text + n, sizeof(text) - (size_t)n,
                      "  b%d: {type: spherical, between: [%s, k%d], point: [%.17g, 0, 0]}\n", i,
                      parent, i, i * r->length);
    }
    if (r->is_held) {
        n += snprintf(text + n, sizeof(text) - (size_t)n,
                      "  end: {type: spherical, between: [k%d, ground], point: [%.17g, 0, 0]}\n",
                      r->n - 1, r->n * r->length);
    }
    n +=
        snprintf(text + n, sizeof(text) - (size_t)n,
                 "forces:\n  wind: {type: force, point: {body: k%d, at: [%.17g, 0, 0]}, value: [0, "
                 "0.01, 0]}\noutputs: {y: {type: position, component: y, point: {body: k%d, at: "
                 "[%.17g, 0, 0]}}, E: {type: energy}}\n",
                 r->n / 2, 0.5 * r->length, r->n / 2, 0.5 * r->length);
    assert_true((size_t)n < sizeof(text));
    return test_model_from_text(text);
}

// A ball transmits no moment, and a link of square section has none about its own axis from its own
// motion: its spin does not change. In any pose, at any speed.
static void check_spins(const Rope* r, double speed, double tolerance) {
    TestSystem t;
    unsigned seed = 3;
    FbError err;
    test_system_init(&t, rope(r));
    for (int round = 0; round < 5; round++) {
        test_system_scatter(&t, &seed, 0.5);
        for (int j = 0; j < t.d->size.n_v; j++) {
            t.p.v[j] *= speed;
        }
        assert_int_equal(t.d->ops->accelerations(t.d, &t.p, &err), FB_OK);
        double spin = 0.0, bend = 0.0;
        for (int i = 0; i < r->n; i++) {
            const FbKinematics* k = &t.system->k;
            FbVec3 alpha = fb_mul3_transposed(&k->R[i], k->A[i].ang);
            spin = fmax(spin, fabs(alpha.x));
            bend = fmax(bend, hypot(alpha.y, alpha.z));
        }
        if (!(spin < tolerance * bend)) {
            print_message("%d links: spin %.3g, bending %.3g rad/s^2\n", r->n, spin, bend);
        }
        assert_true(spin < tolerance * bend);
    }
    test_system_free(&t);
}

static void balls_do_not_spin(void** state) {
    (void)state;
    for (int n = 3; n <= 96; n *= 2) {
        check_spins(&(Rope){n, 0.05, 0.01, 0.02, false}, 0.0, 1e-13);
        check_spins(&(Rope){n, 0.05, 0.01, 0.02, false}, 5.0, 1e-13);
    }
}

// A spin inertia of 1e-6 of the others is that much more sensitive, and so is a light link to a
// heavy load.
static void thin_links_and_heavy_loads(void** state) {
    (void)state;
    check_spins(&(Rope){40, 0.05, 1e-4, 0.02, false}, 5.0, 1e-9);
    check_spins(&(Rope){20, 0.05, 0.01, 2e4, false}, 1.0, 1e-6);
    check_spins(&(Rope){20, 0.05, 0.01, 2e7, false}, 1.0, 1e-3);
}

static void ropes_fall(void** state) {
    (void)state;
    for (int n = 25; n <= 50; n *= 2) {
        TestRun run = test_run_model(rope(&(Rope){n, 0.05, 0.01, 0.02, false}),
                                     (TestMethod){"dop853", 1.0, 0.01, 1e-9, 1e-11});
        const FbRunStats* stats = fb_result_get_stats(run.result);
        assert_true(stats->steps < 1200);
        test_close("energy", test_run_last(&run, "E"), 0.01 * test_run_last(&run, "y"), 1e-10);
        test_run_free(&run);
    }
}

// Radau sees the same motion in no more steps than the explicit method: the mass matrix of a rope
// changes by far more than its motion does, thin links most of all, and must not hold up Newton's
// iteration (5.19).
static void ropes_fall_with_radau(void** state) {
    (void)state;
    const double width[] = {0.01, 1e-4};
    for (int i = 0; i < 2; i++) {
        const Rope r = {16, 0.05, width[i], 0.02, false};
        TestRun explicit_run =
            test_run_model(rope(&r), (TestMethod){"dop853", 0.6, 0.01, 1e-10, 1e-12});
        double y = test_run_last(&explicit_run, "y");
        long steps = fb_result_get_stats(explicit_run.result)->steps, work = LONG_MAX;
        for (double rtol = 1e-9; rtol < 0.01; rtol *= 100.0) {
            TestRun run = test_run_model(rope(&r), (TestMethod){"radau", 0.6, 0.01, rtol, 1e-11});
            const FbRunStats* stats = fb_result_get_stats(run.result);
            assert_true(stats->steps < steps);
            assert_true(stats->rhs_evals < work);  // what looser tolerances are for
            work = stats->rhs_evals;
            test_close("y", test_run_last(&run, "y"), y, 10.0 * rtol * fabs(y));
            test_close("energy", test_run_last(&run, "E"), 0.01 * test_run_last(&run, "y"),
                       fmax(1e-10, rtol * 1e-2));
            test_run_free(&run);
        }
        test_run_free(&explicit_run);
    }
}

// Two bodies of 5 and 1 kg on a rod of length L (or on springs from the middle, held by turning)
// that turn about their centre of mass at the rate w in a tilted plane. Their inertia is
// (1e-6 L)^2 kg: a moment of the pull's rounding over the length would spin them.
static const char* const PULLS[] = {
    "constraints: {rod: {type: distance, a: p, b: c}}",
    "constraints: {rod: {type: distance, a: c, b: p}}",
    "forces: {s: {type: spring, a: p, b: c, stiffness: 5/6*w^2, rest: 0}}",
    "forces: {s: {type: spring, a: c, b: p, stiffness: 5/6*w^2, rest: 0}}",
    "forces: {m: {type: actuator, a: c, b: p, value: -5/6*w^2*L}}",
    ("forces: {k: {type: spring, a: c, b: ground, stiffness: w^2, rest: 0}, l: {type: spring, a: "
     "p, "
     "b: ground, stiffness: 5*w^2, rest: 0}}"),
};

static void check_bolas(const char* pull, const char* integrator, double length, double rate) {
    TestRun run =
        test_run_with("test/verify/ropes/bolas.yaml", (TestMethod){.integrator = integrator},
                      "L=%.17g; w=%.17g; constraints: {rod: {type: distance, a: p, b: c}} => %s",
                      length, rate, pull);
    const char* const spins[] = {"sp.x", "sp.y", "sp.z", "sc.x", "sc.y", "sc.z"};
    for (int i = 0; i < 6; i++) {
        assert_true(test_run_drift(&run, spins[i]) <= 1e-12 * rate);
    }
    for (int i = 0; i < run.n_rows; i++) {
        test_close("y", test_run_value(&run, i, "y"),
                   5.0 / 6.0 * length * sin(rate * test_run_time(&run, i)), 3e-8 * length);
    }
    assert_true(fb_result_get_stats(run.result)->steps < 60);
    test_run_free(&run);
}

static void small_bodies_on_long_ropes(void** state) {
    (void)state;
    for (size_t i = 0; i < sizeof(PULLS) / sizeof(PULLS[0]); i++) {
        check_bolas(PULLS[i], "auto", 1.0, 1.0);
        check_bolas(PULLS[i], "auto", 1e5, 1e-3);
        check_bolas(PULLS[i], "dop853", 1e-5, 1e3);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_do_not_spin),
        cmocka_unit_test(thin_links_and_heavy_loads),
        cmocka_unit_test(ropes_fall),
        cmocka_unit_test(ropes_fall_with_radau),
        cmocka_unit_test(small_bodies_on_long_ropes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
