// Moments and eccentric forces on nodes of linear structures: everything is proportional to the
// load, the stiffness stays symmetric, and the work of the loads is what the structure gets.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "math/vec3.h"
#include "run_support.h"
#include "test_linear_support.h"

static const double L = 2.0, EI = 210e9 * 3.14159265358979323846 * 0.03 * 0.03 * 0.03 * 0.03 / 4.0;

// A round cantilever along (2, 3, 6)/7, loaded at its tip.
#define CANTILEVER                                                                              \
    "flyball: 1\ngravity: [0, 0, 0]\nmaterials: {m: {E: 210e9, nu: 0.3, density: 7850}}\n"      \
    "sections: {s: {type: circle, material: m, radius: 0.03}}\n"                                \
    "structures:\n  f:\n    damping: {beta: 1e-5}\n    nodes:\n      A: {at: [100, -50, 20], "  \
    "support: clamped}\n      B: {at: [100 + 4/7, -50 + 6/7, 20 + 12/7]%s}\n    members: {m1: " \
    "{from: A, to: B, section: s, elements: 3}}\n%s"

static FbVec3 tip(const FbOperatingPoint* point, int first) {
    double x[3];
    for (int i = 0; i < 3; i++) {
        char name[20];
        snprintf(name, sizeof(name), "f.B.q%d", first + i);
        x[i] = test_coordinate(point, name);
    }
    return fb_vec3_from(x);
}

static void check_vector(const char* what, FbVec3 got, FbVec3 expected) {
    test_close(what, fb_norm(fb_sub(got, expected)) / fb_norm(expected), 0.0, 1e-11);
}

// turn = L (M across / EI + M along / GJ), displacement = L^2/(2 EI) M x axis
static void moments(void** state) {
    (void)state;
    const double factors[] = {1e-6, 1.0, 20.0};
    FbVec3 axis = {2.0 / 7.0, 3.0 / 7.0, 6.0 / 7.0}, M = {1000, 3000, -5000};
    double GJ = EI / 1.3;
    for (int i = 0; i < 3; i++) {
        char text[2000], load[200];
        snprintf(load, sizeof(load), ", moment: [%.17g, %.17g, %.17g]", factors[i] * M.x,
                 factors[i] * M.y, factors[i] * M.z);
        snprintf(text, sizeof(text), CANTILEVER, load, "");
        TestLinear t = test_linear_text(text, TEST_AT_EQUILIBRIUM);
        FbVec3 along = fb_scale(fb_dot(M, axis), axis), across = fb_sub(M, along);
        FbVec3 turn = fb_add(fb_scale(L / EI, across), fb_scale(L / GJ, along));
        FbVec3 move = fb_scale(L * L / (2.0 * EI), fb_cross(M, axis));
        check_vector("turn", tip(t.point, 4), fb_scale(factors[i], turn));
        check_vector("displacement", tip(t.point, 1), fb_scale(factors[i], move));
        test_linear_free(&t);
    }
}

// Forces beside the node, in ground and in body axes.
static void eccentric_forces(void** state) {
    (void)state;
    const double factors[] = {1e-6, 1.0, 20.0};
    const char* axes[] = {"ground", "body"};
    for (int i = 0; i < 6; i++) {
        char text[2000], load[300];
        double f = factors[i / 2];
        snprintf(
            load, sizeof(load),
            "forces: {p: {type: force, point: {body: f.B, at: [0.1, 0.2, 0.3]}, value: [%.17g, "
            "%.17g, %.17g], axes: %s}}\n",
            300 * f, 200 * f, -500 * f, axes[i % 2]);
        snprintf(text, sizeof(text), CANTILEVER, "", load);
        TestLinear t = test_linear_text(text, TEST_AT_EQUILIBRIUM);
        FbVec3 F = {300, 200, -500}, arm = {0.1, 0.2, 0.3}, M = fb_cross(arm, F);
        FbVec3 axis = {2.0 / 7.0, 3.0 / 7.0, 6.0 / 7.0};
        FbVec3 along = fb_scale(fb_dot(M, axis), axis), across = fb_sub(M, along);
        FbVec3 turn = fb_add(fb_scale(L / EI, across), fb_scale(L * 1.3 / EI, along));
        turn = fb_add(turn, fb_scale(L * L / (2.0 * EI), fb_cross(axis, F)));
        check_vector("turn", tip(t.point, 4), fb_scale(f, turn));
        test_linear_free(&t);
    }
}

// Frequencies do not depend on the loads, and the symmetric problem is solved.
static void frequencies(void** state) {
    (void)state;
    double frequency[2][6];
    for (int i = 0; i < 2; i++) {
        char text[2000];
        snprintf(text, sizeof(text), CANTILEVER, i ? ", moment: [1000, 3000, -5000]" : "", "");
        TestLinear t = test_linear_text(text, TEST_AT_EQUILIBRIUM);
        FbError err;
        assert_int_equal(fb_linearization_run_undamped(t.l, &err), FB_OK);
        for (int k = 0; k < 6; k++) {
            frequency[i][k] = fb_linearization_get_mode(t.l, 2 * k)->frequency_hz;
        }
        test_linear_free(&t);
    }
    for (int k = 0; k < 6; k++) {
        test_close("frequency", frequency[1][k] / frequency[0][k], 1.0, 1e-11);
    }
}

// A moment that depends on time, positions and velocities: blocks and energy balance.
static void work(void** state) {
    (void)state;
    char text[2000];
    snprintf(text, sizeof(text), CANTILEVER,
             ", moment: [\"3e3*sin(300*t)\", \"2e3 - 1e3*f.B.q5\", \"2e3*cos(200*t) - f.B.v6\"]",
             "outputs: {E: {type: energy}, q: f.B.q4}\nsimulation: {duration: 0.05, sample: "
             "0.001}\n");
    TestSystem t;
    test_system_init(&t, test_model_from_text(text));
    unsigned seed = 3;
    test_system_scatter(&t, &seed, 0.3);
    assert_true(test_compare_blocks(&t, "moments") < 1e-6);
    test_system_free(&t);
    TestRun run =
        test_run_text(text, (TestMethod){.integrator = "radau", .rtol = 1e-9, .atol = 1e-11});
    FbRunStats info = *fb_result_get_stats(run.result);
    assert_true(fabs(info.energy_end) > 0.1);
    test_close("balance", info.energy_balance / info.energy_end, 0.0, 1e-7);
    test_run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments),
        cmocka_unit_test(eccentric_forces),
        cmocka_unit_test(frequencies),
        cmocka_unit_test(work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
