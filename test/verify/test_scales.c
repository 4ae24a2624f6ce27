// The same mechanism in other units of length, mass and time: as many steps, and the same motion.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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

static TestRun run_in(const char* name, Units u, const char* integrator) {
    char path[200], values[3][40];
    snprintf(path, sizeof(path), "test/verify/scales/%s.yaml", name);
    snprintf(values[0], sizeof(values[0]), "%.17g", ldexp(1.0, u.length));
    snprintf(values[1], sizeof(values[1]), "%.17g", ldexp(1.0, u.mass));
    snprintf(values[2], sizeof(values[2]), "%.17g", ldexp(1.0, u.time));
    FbOverride overrides[] = {{"L", values[0]}, {"M", values[1]}, {"T", values[2]}};
    FbReadOptions options = {.overrides = overrides, .n_overrides = 3};
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    FbModelDef* def = NULL;
    FbModel* model = NULL;
    fb_model_def_read_file(path, &options, &def, diagnostics);
    assert_non_null(def);
    fb_model_create(def, &model, diagnostics);
    assert_non_null(model);
    fb_model_def_destroy(def);
    fb_diagnostics_destroy(diagnostics);
    return test_run_model(model, (TestMethod){.integrator = integrator});
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
    for (int i = 0; i < N_UNITS; i++) {
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

// Adams' method is held by stability, not by accuracy, in the stiff ones: its steps are chance.
static bool is_too_stiff(const char* name, const char* integrator) {
    bool is_explicit = strcmp(integrator, "adams") == 0 || strcmp(integrator, "dop853") == 0;
    bool is_stiff = strcmp(name, "governor") == 0 || strcmp(name, "portal") == 0 ||
                    strcmp(name, "crossing") == 0;
    return is_explicit && is_stiff;
}

static void all_units(void** state) {
    (void)state;
    static const char* const names[] = {"fourbar", "governor", "chain",
                                        "crank",   "portal",   "crossing"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        for (const char* const* method = test_integrators(); *method; method++) {
            bool is_slow = strcmp(names[i], "crossing") == 0 && strcmp(*method, "bdf") == 0;
            if (!is_too_stiff(names[i], *method) && !is_slow) {
                compare(names[i], *method);
            }
        }
        compare(names[i], "auto");
    }
}

// x'' = -100 x: as many digits whatever the amplitude. (Multistep methods weigh errors at the start
// of each step and so keep to the scales of the model.)
static void tiny_oscillations(void** state) {
    (void)state;
    static const double amplitudes[] = {1.0, 1e-6, 1e-12, 1e-30};
    for (size_t i = 0; i < sizeof(amplitudes) / sizeof(amplitudes[0]); i++) {
        for (const char* const* method = test_integrators(); *method; method++) {
            char text[800];
            if (strcmp(*method, "radau") != 0 && strcmp(*method, "dop853") != 0) {
                continue;
            }
            snprintf(text, sizeof(text),
                     "flyball: 1\nparameters: {A: %.17g}\ngravity: [0, 0, 0]\n"
                     "bodies: {m: {position: [1, 0, 0], mass: 1, inertia: [0.1, 0.1, 0.1]}}\n"
                     "joints: {j: {type: prismatic, between: [ground, m], point: [1, 0, 0],"
                     " axis: [1, 0, 0], position: A}}\n"
                     "forces: {s: {type: actuator, joint: j, value: \"-100*j.q\"}}\n"
                     "outputs: {x: {type: expression, value: j.q/A, unit: \"1\"}}\n"
                     "simulation: {duration: 10, sample: 0.5}\n",
                     amplitudes[i]);
            TestRun run = test_run_text(text, (TestMethod){.integrator = *method});
            test_close(*method, test_run_last(&run, "x"), cos(100.0), 1e-8);
            assert_in_range(fb_result_get_stats(run.result)->steps, 50, 5000);
            test_run_free(&run);
        }
    }
}

// A pendulum that hangs at rest stays there, in steps that do not follow its rounding.
static void at_rest(void** state) {
    (void)state;
    for (const char* const* method = test_integrators(); *method; method++) {
        TestRun run = test_run_text(
            "flyball: 1\ngravity: [0, -6, -9.81]\n"
            "bodies: {m: {position: [0, 0, 0], mass: 1, inertia: [0.1, 0.1, 0.1],"
            " center: [0, -0.6, -0.981]}}\n"
            "joints: {j: {type: universal, between: [ground, m], point: [0, 0, 0],"
            " axis: [1, 0, 0]}}\n"
            "outputs: {x: j.q1, y: j.q2}\n"
            "simulation: {duration: 100, sample: 10}\n",
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
        cmocka_unit_test(at_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
