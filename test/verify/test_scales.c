// The same mechanism in other units of length, mass and time: as many steps, and the same motion.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../every.h"
#include "run_support.h"

// Units that the numbers of a model are multiples of, as powers of two: then scaling does not
// round, and what methods decide by comparing numbers they decide alike.
typedef struct Units {
    int length, mass, time;
} Units;

// From 1e-6 to 1e7 m, 1e-15 to 1e12 kg, 1e-6 to 1e7 s: all at once and each alone.
static const Units UNITS[] = {{-10, -20, -10}, {-20, -50, -20}, {10, 30, 4}, {23, 40, 23},
                              {-20, 0, 0},     {23, 0, 0},      {0, -50, 0}, {0, 40, 0},
                              {0, 0, -20},     {0, 0, 23}};
enum { N_UNITS = sizeof(UNITS) / sizeof(UNITS[0]) };
enum { EVERY = TEST_EVERY(5) };

static TestRun run_in(const char* name, Units u, const char* integrator) {
    char path[200];
    snprintf(path, sizeof(path), "test/verify/scales/%s.yaml", name);
    return test_run_with(path, (TestMethod){.integrator = integrator}, "L=%.17g; M=%.17g; T=%.17g",
                         ldexp(1.0, u.length), ldexp(1.0, u.mass), ldexp(1.0, u.time));
}

// Errors relative to the largest value of each output.
static double largest_difference(const TestRun* a, const TestRun* b) {
    double worst = 0.0;
    assert_int_equal(a->n_rows, b->n_rows);
    for (int c = 0; c < fb_result_get_column_count(a->result); c++) {
        double size = 0.0, difference = 0.0;
        for (int i = 0; i < a->n_rows; i++) {
            double x = fb_result_get_value(a->result, i, c);
            size = fmax(size, fabs(x));
            difference = fmax(difference, fabs(x - fb_result_get_value(b->result, i, c)));
        }
        worst = fmax(worst, difference / size);
    }
    return worst;
}

// Multistep methods choose orders and steps by comparisons that rounding can tip.
static double allowed(const char* integrator) {
    bool is_multistep = strcmp(integrator, "bdf") == 0 || strcmp(integrator, "adams") == 0;
    return is_multistep ? 2e3 : 10.0;
}

static void compare(const char* name, const char* integrator) {
    TestRun one = run_in(name, (Units){0, 0, 0}, integrator);
    const FbRunStats* expected = fb_result_get_stats(one.result);
    for (int i = 0; i < N_UNITS; i += EVERY) {
        TestRun run = run_in(name, UNITS[i], integrator);
        const FbRunStats* stats = fb_result_get_stats(run.result);
        char what[200];
        snprintf(what, sizeof(what), "%s with %s, units 2^%d m, 2^%d kg, 2^%d s", name, integrator,
                 UNITS[i].length, UNITS[i].mass, UNITS[i].time);
        test_close(what, (double)stats->steps, (double)expected->steps,
                   0.1 * (double)expected->steps + 2.0);
        test_close(what, largest_difference(&one, &run), 0.0, allowed(integrator) * expected->rtol);
        test_run_free(&run);
    }
    test_run_free(&one);
}

static void all_units(void** state) {
    (void)state;
    static const char* const names[] = {"fourbar", "governor", "chain",
                                        "crank",   "portal",   "crossing"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        for (const char* const* method = test_integrators(); *method; method++) {
            compare(names[i], *method);
        }
        compare(names[i], "auto");
    }
}

// A mass on a spring, hanging about a place far from the drawing under weight; a pendulum; a loop
// of four bars that swings like one; a beam of small displacements. `digits` is what rounding
// leaves of 1e-12: the coordinate's own, or that of weight and lengths.
typedef struct Tiny {
    const char* name;  // of the file; its parameter A is the amplitude
    double offset;
    double frequency;  // rad/s
    double digits;
} Tiny;

static const Tiny tiny_models[] = {
    {"tiny_spring", 0.0, 10.0, 0.0},
    {"tiny_hanging_spring", -0.0981, 10.0, 3e-3},
    {"tiny_pendulum", 0.0, 2.986332502951039, 3e-3},
    {"tiny_parallelogram", 0.0, 3.1320919526731652, 5e-3},
};
enum { N_TINY = sizeof tiny_models / sizeof *tiny_models };

static double tiny_error(const Tiny* m, const char* method, double A, long* steps) {
    char path[100];
    snprintf(path, sizeof(path), "test/verify/scales/%s.yaml", m->name);
    TestRun run = test_run_with(path, (TestMethod){.integrator = method}, "A=%.17g", A);
    double worst = 0.0, x0 = test_run_value(&run, 0, "x") - m->offset;
    for (int i = 0; i < run.n_rows; i++) {
        double exact = x0 * cos(m->frequency * test_run_time(&run, i));
        worst = fmax(worst, fabs(test_run_value(&run, i, "x") - m->offset - exact) / fabs(x0));
    }
    *steps = fb_result_get_stats(run.result)->steps;
    test_run_free(&run);
    return worst;
}

// As many digits whatever the amplitude, as far as rounding lets.
static void tiny_oscillations(void** state) {
    (void)state;
    static const double amplitudes[] = {1e-5, 1e-6, 1e-9, 1e-12, 1e-30};
    for (int k = 0; k < N_TINY; k++) {
        const Tiny* m = &tiny_models[k];
        for (const char* const* method = test_integrators(); *method; method++) {
            for (size_t i = 0; i < sizeof(amplitudes) / sizeof(amplitudes[0]); i++) {
                double A = amplitudes[i], rounding = m->digits * 1e-12 / A;
                long steps;
                if (rounding > 0.01) {
                    continue;  // only rounding
                }
                double e = tiny_error(m, *method, A, &steps), allowed = 3e-5 + rounding;
                if (!(e < allowed) || steps > 10000) {
                    fail_msg("%s, %s, %g: error %.3g of %.3g, %ld steps", m->name, *method, A, e,
                             allowed, steps);
                }
            }
        }
    }
}

// A linear beam answers in proportion to its load, with as many digits.
static void tiny_loads(void** state) {
    (void)state;
    double first[21] = {0}, largest = 0.0;
    for (double A = 1.0; A > 0.9e-9; A *= 1e-3) {
        TestRun run = test_run_with("test/verify/scales/tiny_loads.yaml",
                                    (TestMethod){.integrator = "radau"}, "A=%.17g", A);
        for (int i = 0; i < run.n_rows && i < 21; i++) {
            double x = test_run_value(&run, i, "x") / A;
            first[i] = A == 1.0 ? x : first[i];
            largest = fmax(largest, fabs(first[i]));
            test_close("in proportion", x, first[i], 1e-7 * largest);
        }
        test_run_free(&run);
    }
}

// A pendulum that hangs at rest stays there, in steps that do not follow its rounding.
static void at_rest(void** state) {
    (void)state;
    for (const char* const* method = test_integrators(); *method; method++) {
        TestRun run = test_run_file("test/verify/scales/hanging_at_rest.yaml",
                                    (TestMethod){.integrator = *method});
        test_close("at rest", test_run_last(&run, "x"), test_run_value(&run, 0, "x"), 1e-12);
        test_close("at rest", test_run_last(&run, "y"), test_run_value(&run, 0, "y"), 1e-12);
        assert_true(fb_result_get_stats(run.result)->steps < 500);
        test_run_free(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_units),
        cmocka_unit_test(tiny_oscillations),
        cmocka_unit_test(tiny_loads),
        cmocka_unit_test(at_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
