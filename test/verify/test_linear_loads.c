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
        TestLinear t = test_linear_with("test/verify/linear_loads/moment.yaml", TEST_AT_EQUILIBRIUM,
                                        "f=%.17g", factors[i]);
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
        double f = factors[i / 2];
        TestLinear t =
            test_linear_with("test/verify/linear_loads/eccentric_force.yaml", TEST_AT_EQUILIBRIUM,
                             "f=%.17g; axes: ground => axes: %s", f, axes[i % 2]);
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
        TestLinear t = test_linear_with("test/verify/linear_loads/moment.yaml", TEST_AT_EQUILIBRIUM,
                                        "f=%d", i);
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
    const char* path = "test/verify/linear_loads/moment_in_time.yaml";
    TestSystem t;
    test_system_init(&t, test_model_from_file(path));
    unsigned seed = 3;
    test_system_scatter(&t, &seed, 0.3);
    assert_true(test_compare_blocks(&t, "moments") < 1e-6);
    test_system_free(&t);
    TestRun run =
        test_run_file(path, (TestMethod){.integrator = "radau", .rtol = 1e-9, .atol = 1e-11});
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
