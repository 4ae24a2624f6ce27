// Stability by definite matrices agrees with that by eigenvalues, and claims nothing where it
// cannot.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "test_linear_support.h"

// Largest real part of a physical eigenvalue, relative; +1 where a motion is free.
static double calc_growth(const TestLinear* t) {
    double growth = -INFINITY;
    for (int k = 0; k < fb_linearization_get_mode_count(t->l); k++) {
        const FbMode* mode = fb_linearization_get_mode(t->l, k);
        double size = hypot(mode->re, mode->im);
        growth = fmax(growth, mode->class_ == FB_MODE_RIGID_BODY ? 1.0 : mode->re / size);
    }
    return growth;
}

static void check(const char* text, bool expected) {
    TestLinear t = test_linear_text(text, TEST_AT_EQUILIBRIUM);
    bool is_stable;
    FbError err;
    assert_int_equal(fb_operating_point_check_stable(t.point, &is_stable, &err), FB_OK);
    assert_int_equal(is_stable, expected);
    assert_int_equal(calc_growth(&t) < 1e-7, expected);
    test_linear_free(&t);
}

// A hanging chain whose end is closed by a hinge.
static void chain(void** state) {
    (void)state;
    check(
        "flyball: 1\ngravity: [0, -9.81, 0]\nparameters: {N: 12}\nrepeat:\n  - for: i\n    from: "
        "1\n"
        "    to: N\n    bodies: {\"b{i}\": {position: [0.3*(i - 0.5), -3*(i - 0.5)/N*(1 - (i - "
        "0.5)/N), 0], mass: 1, inertia: [0.01, 0.01, 0.01]}}\n"
        "    joints: {\"j{i}\": {type: revolute, between: [\"b{i-1}\", \"b{i}\"], point: "
        "[0.3*(i - 1), -3*(i - 1)/N*(1 - (i - 1)/N), 0], axis: [0, 0, 1]}}\n"
        "bodies: {b0: {mass: 1, inertia: [1, 1, 1]}}\n"
        "joints: {root: {type: fixed, between: [ground, b0]}, end: {type: revolute, between: "
        "[\"b12\", ground], point: [3.6, 0, 0], axis: [0, 0, 1]}}\n",
        true);
}

#define MASS                                                                                       \
    "flyball: 1\nbodies: {m: {mass: 2, inertia: [1, 1, 1]}}\njoints: {j: {type: planar, "          \
    "between: [ground, m], axis: [0, 0, 1]}}\nforces:\n  x: {type: actuator, joint: j.q1, value: " \
    "\"%s*j.q1\"}\n  y: {type: spring, a: {body: ground, at: [0, -1, 0]}, b: {body: m}, "          \
    "stiffness: 50, damping: %g}\n  r: {type: torsion, joint: j.q3, damping: 1, stiffness: "       \
    "%g}\n%s"

// A force that drives x away is harmless where a constraint holds x; dampers must take energy; free
// motions are not stable.
static void small_models(void** state) {
    (void)state;
    const struct {
        const char* kx;
        double damping, turn;
        const char* more;
        bool is_stable;
    } cases[] = {
        {"-30", 1.0, 4.0, "", true},
        {"-30", 0.0, 4.0, "", true},
        {"30", 1.0, 4.0, "", false},
        {"30", 1.0, 4.0, "constraints: {hold: {type: motion, joint: j.q1, value: 0}}\n", true},
        {"-30", 1.0, 0.0, "", false}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[2000];
        snprintf(text, sizeof(text), MASS, cases[i].kx, cases[i].damping, cases[i].turn,
                 cases[i].more);
        check(text, cases[i].is_stable);
    }
}

// Force along the velocity instead of against it.
static void negative_damping(void** state) {
    (void)state;
    check(
        "flyball: 1\nbodies: {m: {mass: 2}}\njoints: {j: {type: prismatic, between: [ground, m]}}\n"
        "forces: {f: {type: actuator, joint: j, value: \"-3*j.q + 0.1*j.v\"}}\n",
        false);
    check(
        "flyball: 1\nbodies: {m: {mass: 2}}\njoints: {j: {type: prismatic, between: [ground, m]}}\n"
        "forces: {f: {type: actuator, joint: j, value: \"-3*j.q - 0.1*j.v\"}}\n",
        true);
}

// A column below and above Euler's load, pi^2 EI/(4 L^2) = 616.85 N.
static void column(void** state) {
    (void)state;
    const double loads[] = {600.0, 640.0};
    for (int i = 0; i < 2; i++) {
        char text[2000];
        snprintf(
            text, sizeof(text),
            "flyball: 1\nmaterials: {m: {E: 1e6, nu: 0.3, density: 2}}\nsections: {bar: {type: "
            "general, material: m, A: 1, Iy: 4e-3, Iz: 4e-3, J: 8e-3}}\nstructures:\n  f:\n    "
            "theory: nonlinear\n    nodes: {A: {at: [7, 8, 9], support: clamped}, B: {at: [7, 8 "
            "- 2.4, 9 + 3.2], force: [0, 0.6*%g, -0.8*%g]}}\n    members: {m: {from: A, to: B, "
            "section: bar, elements: 12}}\n",
            loads[i], loads[i]);
        check(text, i == 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain),
        cmocka_unit_test(small_models),
        cmocka_unit_test(negative_damping),
        cmocka_unit_test(column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
