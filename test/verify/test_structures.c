// Structures and sliders in the equations: every Jacobian block against finite differences, and the
// balance of energy.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model_support.h"
#include "run_support.h"

static const double TOLERANCE =
    1e-8;  // of the block's size: fourth-order differences with h = 1e-3

static void check_blocks(const char* text, const char* name, double size) {
    unsigned seed = 11;
    TestSystem t;
    test_system_init(&t, test_model_from_text(text));
    for (int round = 0; round < 3; round++) {
        test_system_scatter(&t, &seed, size);
        assert_true(test_compare_blocks(&t, name) < TOLERANCE);
    }
    test_system_free(&t);
}

#define HEAD                                                                        \
    "flyball: 1\ngravity: [1, -2, -9.81]\n"                                         \
    "materials: {soft: {E: 210, nu: 0.3, density: 7.85}}\n"                         \
    "sections:\n"                                                                   \
    "  bar: {type: general, material: soft, A: 0.4, Iy: 0.02, Iz: 0.03, J: 0.025, " \
    "shear_y: 0.8, shear_z: 0.7}\n"

#define PLANE_FRAME(theory, extra)                                                     \
    "structures:\n  f:\n    plane: xy\n    theory: " theory                            \
    "\n    damping: {alpha: 0.3, beta: 0.02}\n" extra                                  \
    "    nodes:\n      A: {at: [0, 0, 0], support: clamped}\n      B: [0.1, 1.1, 0]\n" \
    "      C: [1.3, 1.2, 0]\n      D: {at: [1.4, 0.1, 0], support: pinned}\n"          \
    "    members:\n      left: {from: A, to: B, section: bar, elements: 2}\n"          \
    "      top: {from: B, to: C, section: bar, elements: 1, load: [\"0.3*f.B.v1\", "   \
    "\"sin(t)\", 0]}\n"                                                                \
    "      right: {from: D, to: C, section: bar, hinge: to}\n"

static void plane_frames(void** state) {
    (void)state;
    check_blocks(HEAD PLANE_FRAME("linear", ""), "linear plane frame", 0.4);
    check_blocks(HEAD PLANE_FRAME("linear", "    beam: timoshenko\n    mass: lumped\n"),
                 "linear plane frame with shear", 0.4);
    check_blocks(HEAD PLANE_FRAME("nonlinear", ""), "nonlinear plane frame", 0.4);
    check_blocks(HEAD PLANE_FRAME("nonlinear", "    beam: timoshenko\n    mass: lumped\n"),
                 "nonlinear plane frame with shear", 0.4);
}

#define SPACE_FRAME(theory)                                                              \
    "structures:\n  f:\n    theory: " theory                                             \
    "\n    damping: {alpha: 0.3, beta: 0.02}\n"                                          \
    "    nodes:\n      A: {at: [0, 0, 0], support: clamped}\n      B: [0.1, 1.1, 0.2]\n" \
    "      C: [1.3, 1.2, -0.3]\n      D: {at: [1.4, 0.1, 0], support: pinned}\n"         \
    "    members:\n      left: {from: A, to: B, section: bar, elements: 2}\n"            \
    "      top: {from: B, to: C, section: bar, load: [0, 0, -0.7]}\n"                    \
    "      right: {from: C, to: D, section: bar}\n"

static void space_frames(void** state) {
    (void)state;
    check_blocks(HEAD SPACE_FRAME("linear"), "linear space frame", 0.4);
    check_blocks(HEAD SPACE_FRAME("nonlinear"), "nonlinear space frame", 0.4);
}

// A beam between two rigid bodies that turn, and a body hanging on a node.
static void beams_on_bodies(void** state) {
    (void)state;
    check_blocks(HEAD
                 "bodies:\n"
                 "  hub: {mass: 1.3, center: [0.2, -0.1, 0.1], inertia: [0.3, 0.4, 0.5]}\n"
                 "  arm: {mass: 0.7, center: [0.1, 0.2, 0], inertia: [0.2, 0.3, 0.4], "
                 "position: [0.5, 0, 0]}\n"
                 "  bob: {mass: 0.4, center: [0, -0.2, 0.1], inertia: [0.1, 0.1, 0.2]}\n"
                 "joints:\n"
                 "  spin: {type: universal, between: [ground, hub], point: [0, 0, 0]}\n"
                 "  elbow: {type: revolute, between: [hub, arm], point: [0.5, 0, 0], axis: "
                 "[0.2, 0.3, 1]}\n"
                 "  hang: {type: spherical, between: [f.N, bob], point: [1.8, 0.4, 0]}\n"
                 "structures:\n  f:\n    theory: nonlinear\n    damping: {beta: 0.02}\n"
                 "    nodes:\n      M: {at: [0.8, 0.1, 0], body: arm}\n"
                 "      N: [1.8, 0.4, 0]\n      O: {at: [0.1, 0.9, 0], body: hub}\n"
                 "    members:\n      a: {from: M, to: N, section: bar}\n"
                 "      b: {from: N, to: O, section: bar}\n",
                 "beams on bodies", 0.4);
}

static void sliders_by_law(void** state) {
    (void)state;
    const char* linear[] = {"linear_consistent", "convective", "form_1a"};
    const char* nonlinear[] = {"consistent", "convective", "form_1a"};
    for (int i = 0; i < 6; i++) {
        char text[4000];
        snprintf(text, sizeof(text),
                 HEAD
                 "%s"
                 "sliders:\n  m: {guide: f.left, mass: 2.5, theory: %s, value: \"0.6 + "
                 "0.3*sin(2*t + 0.4)\"}\n"
                 "  n: {guide: [f.top], mass: 1.5, rotary_inertia: 0.2, theory: %s, value: "
                 "\"0.6 - 0.3*cos(3*t)\"}\n",
                 i < 3 ? PLANE_FRAME("linear", "") : PLANE_FRAME("nonlinear", ""),
                 i < 3 ? linear[i] : nonlinear[i - 3], i < 3 ? linear[i] : nonlinear[i - 3]);
        check_blocks(text, i < 3 ? linear[i] : nonlinear[i - 3], 0.3);
    }
    check_blocks(HEAD PLANE_FRAME("linear", "") "sliders:\n  m: {guide: [f.left], mass: 2.5, "
                                                "theory: convective, inertia: transverse, value: "
                                                "\"0.6 + 0.3*sin(2*t + 0.4)\"}\n",
                 "transverse", 0.3);
    check_blocks(HEAD SPACE_FRAME("nonlinear") "sliders:\n  m: {guide: [f.left], mass: 2.5, "
                                               "value: \"0.6 + 0.3*sin(2*t + 0.4)\"}\n",
                 "consistent in space", 0.3);
}

static void free_sliders(void** state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[4000];
        snprintf(text, sizeof(text),
                 HEAD
                 "%s"
                 "sliders:\n  m: {guide: [f.left], mass: 2.5, free: true, position: 0.4, "
                 "damping: 0.3, stiffness: 2, rest: 0.5, force: \"0.2*f.B.q1 + m.v\"}\n",
                 i ? PLANE_FRAME("nonlinear", "") : PLANE_FRAME("linear", ""));
        check_blocks(text, i ? "free on a nonlinear frame" : "free on a linear frame", 0.3);
    }
}

static void sliders_by_feedback(void** state) {
    (void)state;
    const char* theory[] = {"linear_consistent", "convective", "form_1a", "consistent", "form_1a"};
    for (int i = 0; i < 5; i++) {
        char text[4000];
        snprintf(text, sizeof(text),
                 HEAD
                 "%s"
                 "states:\n  c_s: {initial: 0.6, rate: c_v}\n"
                 "  c_v: {initial: 0.1, rate: \"-3*(c_s - 0.5) - c_v + f.B.q1*f.B.v2\"}\n"
                 "sliders:\n  m: {guide: f.left, mass: 2.5, theory: %s, state: c}\n",
                 i < 3 ? PLANE_FRAME("linear", "") : PLANE_FRAME("nonlinear", ""), theory[i]);
        check_blocks(text, theory[i], 0.15);
    }
}

static void sliders_on_curves(void** state) {
    (void)state;
    const char* drive[] = {"value: \"0.6 + 0.3*sin(2*t)\"", "free: true, position: 0.5"};
    for (int i = 0; i < 2; i++) {
        char text[3000];
        snprintf(text, sizeof(text),
                 HEAD
                 "bodies:\n"
                 "  hub: {mass: 1.3, center: [0.2, -0.1, 0.1], inertia: [0.3, 0.4, 0.5]}\n"
                 "joints:\n  spin: {type: spherical, between: [ground, hub], point: [0, 0, "
                 "0]}\n"
                 "sliders:\n  m: {body: hub, points: [[0, 0, 0], [0.5, 0.2, 0.1], [1, 0.1, "
                 "-0.2], [1.2, -0.4, 0]], mass: 2.5, rotary_inertia: 0.1, %s}\n",
                 drive[i]);
        check_blocks(text, "on a curve", 0.3);
    }
}

// Change of energy = work of actuators - losses, for every theory that is a mechanical system.
static void energy_is_balanced(void** state) {
    (void)state;
    const char* linear[] = {"linear_consistent", "convective", "form_1a", "form_1b"};
    const char* nonlinear[] = {"consistent", "form_1a"};
    for (int i = 0; i < 6; i++) {
        char text[4000];
        snprintf(text, sizeof(text),
                 HEAD
                 "%s"
                 "sliders:\n  m: {guide: f.left, mass: 2.5, theory: %s, value: \"0.6 + "
                 "0.3*sin(2*t + 0.4)\"}\n"
                 "outputs:\n  total: {type: energy}\n  work: {type: supplied_work}\n"
                 "  lost: {type: dissipated_work}\n  balance: total - work + lost\n"
                 "simulation: {duration: 3}\n",
                 i < 4 ? PLANE_FRAME("linear", "") : PLANE_FRAME("nonlinear", ""),
                 i < 4 ? linear[i] : nonlinear[i - 4]);
        TestRun run = test_run_text(text, (TestMethod){.integrator = "radau"});
        assert_true(fabs(test_run_last(&run, "work")) > 1e-3);
        test_close(i < 4 ? linear[i] : nonlinear[i - 4], test_run_drift(&run, "balance"), 0.0,
                   1e-6);
        test_run_free(&run);
    }
}

// The largest |output| from time t on, relative to its start.
static double remainder_of(const char* path, const char* output, double t) {
    TestRun run = test_run_file(path, (TestMethod){0});
    double largest = 0.0, start = fabs(test_run_value(&run, 0, output));
    for (int i = 0; i < run.n_rows; i++) {
        if (test_run_time(&run, i) >= t) {
            largest = fmax(largest, fabs(test_run_value(&run, i, output)));
        }
    }
    test_run_free(&run);
    return largest / start;
}

// The shipped examples do what they promise. Structural damping alone would leave 99 % of the sway.
static void examples_are_damped(void** state) {
    (void)state;
    assert_true(remainder_of("models/crane.yaml", "angle", 21.0) < 0.35);
    assert_true(remainder_of("models/tower.yaml", "sway", 60.0) < 0.92);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plane_frames),        cmocka_unit_test(space_frames),
        cmocka_unit_test(beams_on_bodies),     cmocka_unit_test(sliders_by_law),
        cmocka_unit_test(free_sliders),        cmocka_unit_test(sliders_by_feedback),
        cmocka_unit_test(sliders_on_curves),   cmocka_unit_test(energy_is_balanced),
        cmocka_unit_test(examples_are_damped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
