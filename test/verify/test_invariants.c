// What must stay constant: energy, the balance of energy and work, momenta, with every integrator.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "run_support.h"

#define BODY \
    "{mass: 1.3, center: [0.2, -0.1, 0.15], inertia: [0.31, 0.42, 0.53, 0.02, -0.03, 0.04]}"

// At rtol = 1e-9, times the model's scale. Multistep methods lose more digits at the same
// tolerance.
static double allowed(const char* integrator) {
    return strcmp(integrator, "bdf") == 0 ? 1e-7 : strcmp(integrator, "adams") == 0 ? 2e-8 : 2e-9;
}

static TestMethod tight(const char* integrator, double duration) {
    return (TestMethod){integrator, duration, duration / 50.0, 1e-9, 1e-11};
}

static void check_constant(const char* text, double duration, double scale,
                           const char* const* outputs) {
    for (const char* const* method = test_integrators(); *method; method++) {
        TestRun run = test_run_text(text, tight(*method, duration));
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
    check_constant(
        "flyball: 1\ngravity: [0, -3, -9.81]\nbodies:\n  A: " BODY "\n  B: " BODY "\n  C: " BODY
        "\n  D: " BODY
        "\njoints:\n"
        "  j0: {type: spherical, between: [ground, A], point: [0.1, 0.2, 0.3], velocity: [1, 2, "
        "0]}\n"
        "  j1: {type: universal, between: [B, A], point: [0.5, 0.1, -0.2], axis: [0.3, 0.5, 0.8]}\n"
        "  j2: {type: screw, between: [A, C], point: [0.9, -0.2, 0.1], axis: [0.6, -0.5, 0.2], "
        "pitch: 0.2}\n"
        "  j3: {type: free, between: [B, D], velocity: [0, 1, 0, 0, 0, 1]}\n"
        "forces:\n"
        "  s1: {type: spring, a: {body: A, at: [0.5, 0, 0]}, b: {body: C, at: [0, 0.5, 1]}, "
        "stiffness: 50, rest: 0.4}\n"
        "  s2: {type: torsion, joint: j1.q2, stiffness: 5}\n"
        "  s3: {type: bushing, a: {body: B}, b: {body: D, at: [0.1, 0, 0]}, "
        "translation_stiffness: [40, 50, 60], rotation_stiffness: [5, 6, 7]}\n"
        "outputs:\n  energy: {type: energy}\n",
        4.0, 50.0, (const char* const[]){"energy", NULL});
}

#define FOUR_BAR                                                                             \
    "flyball: 1\ngravity: [0, -9.81, 0]\nbodies:\n"                                          \
    "  crank: {shapes: [{type: rod, from: [0, 0, 0], to: [0, 1, 0], mass: 1}]}\n"            \
    "  coupler: {position: [0, 1, 0], shapes: [{type: rod, from: [0, 0, 0], to: [3, 1, 0], " \
    "mass: 2}]}\n"                                                                           \
    "  rocker: {position: [3, 0, 0], shapes: [{type: rod, from: [0, 0, 0], to: [0, 2, 0], "  \
    "mass: 1.5}]}\n"                                                                         \
    "joints:\n"                                                                              \
    "  a: {type: revolute, between: [ground, crank], point: [0, 0, 0], velocity: -3}\n"      \
    "  b: {type: revolute, between: [crank, coupler], point: [0, 1, 0]}\n"                   \
    "  c: {type: revolute, between: [coupler, rocker], point: [3, 2, 0]}\n"                  \
    "  d: {type: revolute, between: [ground, rocker], point: [3, 0, 0]}\n"

static const char* loop_joint(const char* text) {
    static char name[32];
    FbModel* model = test_model_from_text(text);
    snprintf(name, sizeof(name), "%s", fb_model_get_loop_joint(model, 0));
    fb_model_destroy(model);
    return name;
}

// A spring in the coordinate of the joint that closes the loop, and one across it.
static void energy_of_a_loop(void** state) {
    (void)state;
    char text[3000];
    const char* loop = loop_joint(FOUR_BAR);
    snprintf(text, sizeof(text),
             FOUR_BAR
             "forces:\n  in_loop: {type: torsion, joint: %s, stiffness: 4}\n"
             "  across: {type: spring, a: {body: ground}, b: {body: rocker, at: [0, 2, 0]}, "
             "stiffness: 30}\n"
             "outputs:\n  energy: {type: energy}\n  angle: %s.q\n",
             loop, loop);
    check_constant(text, 5.0, 50.0, (const char* const[]){"energy", NULL});
}

static void check_balance(const char* text, double duration, double scale) {
    char full[5000];
    snprintf(full, sizeof(full),
             "%soutputs:\n  E: {type: energy}\n  supplied: {type: supplied_work}\n"
             "  lost: {type: dissipated_work}\n"
             "  balance: E - supplied + lost\n",
             text);
    check_constant(full, duration, scale, (const char* const[]){"balance", NULL});
    // The works are really there: without them the energy is not constant.
    TestRun run = test_run_text(full, tight("radau", duration));
    assert_true(test_run_drift(&run, "E") > 1e-3 * scale);
    test_run_free(&run);
}

// Dampers, friction, an actuator by expression, a spring by expression, bushings with damping.
static void balance_of_a_tree(void** state) {
    (void)state;
    check_balance(
        "flyball: 1\ngravity: [0, -3, -9.81]\nbodies:\n  A: " BODY "\n  B: " BODY "\n  C: " BODY
        "\njoints:\n"
        "  j0: {type: universal, between: [ground, A], point: [0.1, 0.2, 0.3]}\n"
        "  j1: {type: revolute, between: [A, B], point: [0.5, 0.1, -0.2], axis: [0.3, 0.5, 0.8]}\n"
        "  j2: {type: free, between: [ground, C]}\n"
        "laws:\n  shake: {type: harmonic, amplitude: 3, frequency: 5}\n"
        "forces:\n"
        "  f1: {type: spring, a: {body: B, at: [0.5, 0, 0]}, b: {body: C, at: [0, 0.5, 1]}, "
        "stiffness: 50, damping: 2, rest: 0.4}\n"
        "  f2: {type: torsion, joint: j0.q2, stiffness: 5, damping: 0.3}\n"
        "  f3: {type: bushing, a: {body: ground}, b: {body: C, at: [0.1, 0, 0]}, "
        "translation_stiffness: [40, 50, 60], translation_damping: [1, 2, 3], "
        "rotation_stiffness: [5, 6, 7], rotation_damping: [0.1, 0.2, 0.3]}\n"
        "  f4: {type: friction, joint: j1, coulomb: 0.4, viscous: 0.1, smoothing_velocity: 0.3}\n"
        "  f5: {type: actuator, joint: j1, value: 2*sin(3*t) - 0.5*j1.v}\n"
        "  f6: {type: spring, a: {body: A, at: [0.5, 0, 0]}, b: {body: C, at: [0, 0, 1]}, "
        "force: 20*(length - 1)^3 + 2*rate}\n"
        "  f7: {type: force, point: {body: A, at: [0.2, 0.1, 0]}, value: [sin(t), 2, t], axes: "
        "body}\n"
        "  f8: {type: torque, body: C, value: [1, 0.2*t, cos(2*t)]}\n"
        "  f9: {type: actuator, a: {body: A}, b: {body: C, at: [0.3, 0, 0.4]}, law: shake}\n",
        3.0, 50.0);
}

// Motion that is prescribed does work, whether by a coordinate, a point or a distance; the work is
// as accurate as the motion, also where nothing but it is left to integrate.
static void balance_of_driven_loops(void** state) {
    (void)state;
    check_balance(FOUR_BAR
                  "forces:\n  brake: {type: torsion, joint: d, damping: 0.7}\n"
                  "constraints:\n  drive: {type: motion, joint: a, value: -3*t + 0.2*sin(4*t)^2}\n",
                  4.0, 50.0);
    check_balance(
        "flyball: 1\ngravity: [0, 0, -9.81]\nbodies:\n  A: " BODY "\n  B: " BODY
        "\njoints:\n"
        "  j0: {type: spherical, between: [ground, A], point: [0.1, 0.2, 0.3]}\n"
        "  j1: {type: universal, between: [A, B], point: [0.5, 0.1, -0.2], axis: [0.3, 0.5, 0.8]}\n"
        "forces:\n  d: {type: torsion, joint: j1.q1, damping: 0.4}\n"
        "constraints:\n"
        "  lift: {type: point_motion, point: {body: A, at: [0.6, 0, 0]}, relative_to: ground, "
        "axis: "
        "[0, 0, 1], value: 0.3*sin(2*t)}\n"
        "  stretch: {type: distance, a: {body: B, at: [0.4, 0.3, 0]}, b: {body: ground, at: [1, 1, "
        "1]}, value: 1.4663 + 0.2*sin(3*t)}\n",
        3.0, 20.0);
}

// Springs and joints inside a free system change neither momentum.
static void momentum_of_a_free_system(void** state) {
    (void)state;
    static const char* const constant[] = {"p.x", "p.y", "p.z", "L.x", "L.y", "L.z", NULL};
    check_constant(
        "flyball: 1\nbodies:\n  A: " BODY "\n  B: " BODY "\n  C: " BODY "\n  D: " BODY
        "\njoints:\n"
        "  f: {type: free, between: [ground, A], velocity: [0.5, -0.2, 0.3, 1, 2, -1]}\n"
        "  j1: {type: universal, between: [B, A], point: [0.5, 0.1, -0.2], axis: [0.3, 0.5, 0.8], "
        "velocity: [2, -1]}\n"
        "  j2: {type: spherical, between: [B, C], point: [0.9, -0.2, 0.1]}\n"
        "  j3: {type: cylindrical, between: [C, D], point: [0.9, 0.4, 0.1], axis: [1, 0, 1]}\n"
        "  loop: {type: spherical, between: [D, A], point: [0.2, 0.7, 0.4]}\n"
        "forces:\n"
        "  s1: {type: spring, a: {body: A, at: [0.5, 0, 0]}, b: {body: C, at: [0, 0.5, 1]}, "
        "stiffness: 50, damping: 1, rest: 0.4}\n"
        "  s2: {type: torsion, joint: j1.q2, stiffness: 5, damping: 0.2}\n"
        "  s3: {type: actuator, joint: j3.q2, value: 3*sin(2*t)}\n"
        "outputs:\n  p: {type: momentum}\n  L: {type: angular_momentum}\n",
        3.0, 10.0, constant);
}

// Gravity changes the momentum by m g t, and its moment about the origin by the path of the centre.
static void momentum_in_free_fall(void** state) {
    (void)state;
    for (const char* const* method = test_integrators(); *method; method++) {
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
    for (const char* const* method = test_integrators(); *method; method++) {
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
