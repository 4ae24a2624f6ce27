// A trial that leaves the domain of an expression, overflows or meets a singular matrix is a step
// that was too long. Only steps that cannot shrink end a run, and they name the cause.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "run_support.h"

// A bead is thrown at a wall whose force c/q has no value behind it; it turns round at
// q = exp(-v^2/(2 c)), far closer to the wall than a free step is long. Lengths L, times T.
static void write_barrier(char* text, size_t size, double L, double T) {
    snprintf(
        text, size,
        "flyball: 1\ngravity: [0, 0, 0]\nparameters: {c: %.17g}\n"
        "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
        "joints: {x: {type: prismatic, between: [ground, b], axis: [1, 0, 0], position: %.17g,"
        " velocity: %.17g}}\n"
        "forces: {wall: {type: actuator, joint: x, value: 'c*exp(-log(x.q/%.17g))/%.17g'}}\n"
        "outputs: {q: x.q, energy: {type: expression, value: '0.5*x.v^2 - c*log(x.q/%.17g)'}}\n"
        "simulation: {duration: %.17g, atol: %.3g}\n",
        0.05 * L * L / (T * T), L, -L / T, L, L, L, 3.0 * T, 1e-12 * fmin(L, L / T));
}

static void trials_behind_a_wall(void** state) {
    (void)state;
    static const double scales[][2] = {{1, 1}, {1, 1e-6}, {1e-3, 1e6}, {1e3, 1}};
    for (int k = 0; k < 4; k++) {
        for (const char* const* name = test_integrators(); *name; name++) {
            double L = scales[k][0], T = scales[k][1], e0 = 0.5 * L * L / (T * T);
            char text[1024];
            write_barrier(text, sizeof text, L, T);
            TestRun run = test_run_text(text, (TestMethod){.integrator = *name, .rtol = 1e-9});
            test_close(*name, test_run_drift(&run, "energy") / e0, 0.0, 1e-4);
            assert_true(test_run_last(&run, "q") > 0.5 * L);
            test_run_free(&run);
        }
    }
}

// sqrt(1 - q) ends at q = 1, which the body passes: the message names the expression and its value.
static void cause_is_named(void** state) {
    (void)state;
    static const char* const text =
        "flyball: 1\ngravity: [0, 0, 0]\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
        "joints: {x: {type: prismatic, between: [ground, b], axis: [1, 0, 0], velocity: 1}}\n"
        "forces: {f: {type: actuator, joint: x, value: \"-0.1*sqrt(1 - x.q)\"}}\n"
        "outputs: {x: x.q}\nsimulation: {duration: 10}\n";
    for (const char* const* name = test_integrators(); *name; name++) {
        FbModel* model = test_model_from_text(text);
        FbRunOptions o = fb_run_options_default(model);
        FbResult* result = NULL;
        FbError err = {0};
        o.settings.integrator = *name;
        assert_int_equal(fb_simulate(model, &o, &result, &err), FB_ERR_CONVERGENCE);
        assert_non_null(strstr(err.text, "force 'f'"));
        assert_non_null(strstr(err.text, "sqrt of -"));
        assert_non_null(strstr(err.text, *name));
        assert_int_equal(err.place.line, 5);
        assert_int_equal(err.place.col, 53);
        // What was computed up to there is kept.
        test_close("end", fb_result_get_stats(result)->t_end, 1.0433032, 1e-6);
        fb_result_destroy(result);
        fb_model_destroy(model);
    }
}

// Hunt-Crossley contact that is hit again and again: samples, events and steps fall together.
static void ball_comes_to_rest(void** state) {
    (void)state;
    static const char* const text =
        "flyball: 1\ngravity: [0, 0, -9.81]\nparameters: {R: 0.05, k: 1e6, al: 0.3, h: 1}\n"
        "bodies: {ball: {position: [0, 0, h], shapes: [{type: sphere, radius: R, mass: 0.5}]}}\n"
        "joints: {fly: {type: free, a: ground, b: ball, position: [0, 0, h, 0, 0, 0], velocity: "
        "[1, 0, 0, 0, 0, 0]}}\n"
        "forces: {contact: {type: force, point: ball, value: [0, 0, 'k*max(0, R - "
        "fly.q3)^1.5*max(0, 1 - al*fly.v3)']}}\n"
        "events: {hit: {when: fly.q3 - R, direction: falling}}\n"
        "outputs: {x: fly.q1, z: fly.q3, E: {type: energy}}\n"
        "simulation: {duration: 5, sample: 0.01}\n";
    for (const char* const* name = test_integrators(); *name; name++) {
        TestRun run = test_run_text(text, (TestMethod){.integrator = *name});
        test_close("x", test_run_last(&run, "x"), 5.0, 1e-8);
        test_close("z", test_run_last(&run, "z"), 0.0497457, 2e-6);
        test_run_free(&run);
    }
}

// A sampled controller whose times miss those of the rows by rounding: each sample is taken once.
static void times_closer_than_rounding_are_one(void** state) {
    (void)state;
    static const char* const text =
        "flyball: 1\ngravity: [0, 0, 0]\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
        "joints: {x: {type: prismatic, between: [ground, b], axis: [1, 0, 0]}}\n"
        "forces: {f: {type: actuator, joint: x, value: 'held'}}\n"
        "sensors: {held: {type: hold, of: 't + x.q*0', period: %s}}\n"
        "outputs: {x: x.q, v: x.v}\nsimulation: {duration: 3, sample: 0.1}\n";
    static const char* const periods[] = {"0.1", "0.1*(1 + 1e-15)", "0.1*(1 - 1e-15)"};
    for (int k = 0; k < 3; k++) {
        for (const char* const* name = test_integrators(); *name; name++) {
            char full[1024];
            snprintf(full, sizeof full, text, periods[k]);
            TestRun run = test_run_text(full, (TestMethod){.integrator = *name});
            // v(3) = sum of 0.1 * 0.1 k, k = 0 ... 29
            test_close("v", test_run_last(&run, "v"), 4.35, 1e-9);
            test_run_free(&run);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trials_behind_a_wall),
        cmocka_unit_test(cause_is_named),
        cmocka_unit_test(ball_comes_to_rest),
        cmocka_unit_test(times_closer_than_rounding_are_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
