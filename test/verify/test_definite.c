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

static void check(FbModelDef* def, bool expected) {
    TestLinear t = test_linear_def(def, TEST_AT_EQUILIBRIUM);
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
    check(test_def_from_file("test/verify/definite/hanging_chain.yaml"), true);
}

// A force that drives x away is harmless where a constraint holds x; dampers must take energy; free
// motions are not stable.
static void small_models(void** state) {
    (void)state;
    const char* mass = "test/verify/definite/planar_mass.yaml";
    check(test_def_from_file(mass), true);
    check(test_def_with(mass, "damping=0"), true);
    check(test_def_with(mass, "kx=30"), false);
    check(test_def_from_file("test/verify/definite/held_planar_mass.yaml"), true);
    check(test_def_with(mass, "turn=0"), false);
}

// Force along the velocity instead of against it.
static void negative_damping(void** state) {
    (void)state;
    check(test_def_from_file("test/verify/definite/negative_damping.yaml"), false);
    check(test_def_from_file("test/verify/definite/damped_slide.yaml"), true);
}

// A column below and above Euler's load, pi^2 EI/(4 L^2) = 616.85 N.
static void column(void** state) {
    (void)state;
    const double loads[] = {600.0, 640.0};
    for (int i = 0; i < 2; i++) {
        check(test_def_with("test/verify/definite/column.yaml", "load=%g", loads[i]), i == 0);
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
