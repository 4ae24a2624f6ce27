// What must stay constant: energy, the balance of energy and work, momenta, with every integrator.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "run_support.h"

// At rtol = 1e-9, times the model's scale. Multistep methods lose more digits at the same
// tolerance.
static double allowed(const char* integrator) {
    return test_is_bdf(integrator) ? 1e-7 : strcmp(integrator, "adams") == 0 ? 2e-8 : 2e-9;
}

static TestMethod tight(const char* integrator, double duration) {
    return (TestMethod){integrator, duration, duration / 50.0, 1e-9, 1e-11};
}

static void check_constant(const char* path, double duration, double scale,
                           const char* const* outputs) {
    for (const char* const* method = test_all_integrators(); *method; method++) {
        TestRun run = test_run_file(path, tight(*method, duration));
        for (int i = 0; outputs[i]; i++) {
            char what[200];
            snprintf(what, sizeof(what), "drift of %s with %s", outputs[i], *method);
            test_close(what, test_run_drift(&run, outputs[i]), 0.0, scale * allowed(*method));
        }
        const FbRunStats* stats = fb_result_get_stats(run.result);
        assert_true(stats->max_constraint_error < 1e-10);
        assert_true(fabs(stats->energy_balance) < scale * allowed(*method));
        test_run_free(&run);
    }
}

// A tree with balls, cardans, a screw and springs of every conservative kind.
static void energy_of_a_tree(void** state) {
    (void)state;
    check_constant("test/verify/invariants/springs_in_a_tree.yaml", 4.0, 50.0,
                   (const char* const[]){"energy", NULL});
}

// A spring in the coordinate of the joint that closes the loop, and one across it.
static void energy_of_a_loop(void** state) {
    (void)state;
    const char* path = "test/verify/invariants/four_bar.yaml";
    FbModel* model = test_model_from_file(path);
    assert_string_equal(fb_model_get_loop_joint(model, 0), "c");
    fb_model_destroy(model);
    check_constant(path, 5.0, 50.0, (const char* const[]){"energy", NULL});
}

static void check_balance(const char* path, double duration, double scale) {
    check_constant(path, duration, scale, (const char* const[]){"balance", NULL});
    // The works are really there: without them the energy is not constant.
    TestRun run = test_run_file(path, tight("radau", duration));
    assert_true(test_run_drift(&run, "E") > 1e-3 * scale);
    test_run_free(&run);
}

// Dampers, friction, an actuator by expression, a spring by expression, bushings with damping.
static void balance_of_a_tree(void** state) {
    (void)state;
    check_balance("test/verify/invariants/forces_in_a_tree.yaml", 3.0, 50.0);
}

// Motion that is prescribed does work, whether by a coordinate, a point or a distance; the work is
// as accurate as the motion, also where only this is left to integrate.
static void balance_of_driven_loops(void** state) {
    (void)state;
    check_balance("test/verify/invariants/driven_four_bar.yaml", 4.0, 50.0);
    check_balance("test/verify/invariants/driven_points.yaml", 3.0, 20.0);
}

// Springs and joints inside a free system change neither momentum.
static void momentum_of_a_free_system(void** state) {
    (void)state;
    static const char* const constant[] = {"p.x", "p.y", "p.z", "L.x", "L.y", "L.z", NULL};
    check_constant("test/verify/invariants/free_system.yaml", 3.0, 10.0, constant);
}

// Gravity changes the momentum by m g t, and its moment about the origin by the path of the centre.
static void momentum_in_free_fall(void** state) {
    (void)state;
    for (const char* const* method = test_all_integrators(); *method; method++) {
        TestRun run = test_run_file("test/verify/invariants/free_fall.yaml", tight(*method, 2.0));
        double p[3] = {test_run_value(&run, 0, "p.x"), test_run_value(&run, 0, "p.y"),
                       test_run_value(&run, 0, "p.z")};
        double c = test_run_value(&run, 0, "c.z"), m = 2.6;
        for (int i = 0; i < run.n_rows; i++) {
            double t = test_run_time(&run, i), tolerance = 30.0 * allowed(*method);
            test_close("p.x", test_run_value(&run, i, "p.x"), p[0] + m * t, tolerance);
            test_close("p.y", test_run_value(&run, i, "p.y"), p[1] - 2.0 * m * t, tolerance);
            test_close("p.z", test_run_value(&run, i, "p.z"), p[2] - 9.81 * m * t, tolerance);
            test_close("c.z", test_run_value(&run, i, "c.z"), c + p[2] / m * t - 0.5 * 9.81 * t * t,
                       tolerance);
        }
        test_run_free(&run);
    }
}

// Rolling does no work.
static void energy_of_rolling(void** state) {
    (void)state;
    for (const char* const* method = test_all_integrators(); *method; method++) {
        TestRun run = test_run_file("models/rolling_disc.yaml", tight(*method, 5.0));
        assert_true(test_run_drift(&run, "energy") < 20.0 * allowed(*method));
        assert_true(fb_result_get_stats(run.result)->max_constraint_error < 1e-10);
        test_run_free(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_of_a_tree),          cmocka_unit_test(energy_of_a_loop),
        cmocka_unit_test(balance_of_a_tree),         cmocka_unit_test(balance_of_driven_loops),
        cmocka_unit_test(momentum_of_a_free_system), cmocka_unit_test(momentum_in_free_fall),
        cmocka_unit_test(energy_of_rolling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
