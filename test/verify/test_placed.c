// Structures start where the bodies that carry them are set, not where they are drawn: without
// strain where a rigid motion leads there, else with the strain of the static deflection.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "math/rotation.h"
#include "run_support.h"

static TestRun start(const char* name, const char* phi) {
    char path[200];
    snprintf(path, sizeof(path), "test/verify/placed/%s.yaml", name);
    return phi ? test_run_with(path, (TestMethod){0}, "phi=%s", phi)
               : test_run_file(path, (TestMethod){0});
}

static void check_place(const TestRun* run, const char* sensor, FbVec3 expected, double tolerance) {
    static const char* const axis[3] = {"x", "y", "z"};
    double x[3];
    fb_vec3_to(expected, x);
    for (int i = 0; i < 3; i++) {
        char name[20];
        snprintf(name, sizeof(name), "%s.%s", sensor, axis[i]);
        test_close(name, test_run_value(run, 0, name), x[i], tolerance);
    }
}

// The tip turned about the hub's centre. No strain: a bent arm would hold joules.
static void check_turned(const char* model, const char* phi, FbVec3 turn) {
    TestRun run = start(model, phi);
    FbMat3 R = fb_rotation_from_vector(turn);
    FbVec3 hub = {1, 2, 3}, arm = {1.1, 0, 0.3};
    check_place(&run, "p", fb_add(hub, fb_mul3(&R, arm)), 1e-13);
    test_close("energy", test_run_value(&run, 0, "en"), 0.0, 1e-20);
    test_run_free(&run);
}

static void arm_on_hub(void** state) {
    (void)state;
    const char* models[] = {"hub", "drive"};
    const char* angles[] = {"0.7", "2.5", "-6", "1e-9"};
    for (int i = 0; i < 8; i++) {
        double phi = strtod(angles[i / 2], NULL) / 3.0;
        check_turned(models[i % 2], angles[i / 2], fb_vec3(phi, 2.0 * phi, 2.0 * phi));
    }
    check_turned("ball", NULL, fb_vec3(0.4, -1.5, 0.9));
}

// Crank 0.5 m, coupler sqrt(5) m, rocker 1.5 m: as the rigid four-bar.
static void coupler_in_a_loop(void** state) {
    (void)state;
    const char* angles[] = {"0.3", "1", "-0.7"};
    for (int i = 0; i < 3; i++) {
        TestRun run = start("four_bar", angles[i]);
        double phi = strtod(angles[i], NULL), rocker = test_run_value(&run, 0, "d");
        FbVec3 b = {2.0 - 1.5 * sin(rocker), 1.5 * cos(rocker), 0},
               a = {-0.5 * sin(phi), 0.5 * cos(phi), 0};
        test_close("crank", test_run_value(&run, 0, "a"), phi, 1e-12);
        test_close("coupler", fb_norm(fb_sub(b, a)), sqrt(5.0), 1e-12);
        check_place(&run, "p", b, 1e-12);
        test_close("energy", test_run_value(&run, 0, "en"), 0.0, 1e-20);
        test_run_free(&run);
    }
}

// Both ends move by 0.3 m, one 0.1 mm further across: the middle of an S. E = 12 EI d^2/(2 L^3),
// but for the stretch by 3/5 d^2/L.
static void static_deflection(void** state) {
    (void)state;
    TestRun run = start("sleds", NULL);
    double EI = 210e9 * 5e-3 * pow(0.02, 3) / 12.0, d = 1e-4, L = 2.0;
    check_place(&run, "p", fb_vec3(1.3, 0.5 * d, 0), 1e-10);
    double bending = 6.0 * EI * d * d / (L * L * L);
    test_close("energy", test_run_value(&run, 0, "en"), bending, 2e-5 * bending);
    test_run_free(&run);
}

static void set_node_is_kept(void** state) {
    (void)state;
    TestRun run = start("set_node", NULL);
    check_place(&run, "p", fb_vec3(0.5 * cos(0.1), 0.5 * sin(0.1), 0), 1e-9);
    check_place(&run, "c", fb_vec3(1.1, 0.2, 0), 1e-12);
    test_run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arm_on_hub),
        cmocka_unit_test(coupler_in_a_loop),
        cmocka_unit_test(static_deflection),
        cmocka_unit_test(set_node_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
