// Recorded vectors of forces and their power: against Newton and Euler for both bodies, against the
// law of the bushing, and against the load that a bushing carries at rest.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "math/rotation.h"
#include "run_support.h"

typedef struct Body {
    const char* name;
    double mass, inertia[3];  // about the centre, in its own axes
} Body;

static const Body A = {"A", 1.5, {0.3, 0.2, 0.25}}, B = {"B", 2.0, {0.05, 0.07, 0.03}};
static const FbVec3 GRAVITY = {0.7, -9.81, 2};

typedef struct Force {
    const char* path;
    bool is_pair;  // acts on A, too
} Force;

static const Force FORCES[] = {
    {"test/verify/applied_forces/pair_bushing.yaml", true},
    {"test/verify/applied_forces/spring.yaml", true},
    {"test/verify/applied_forces/actuator.yaml", true},
    {"test/verify/applied_forces/force_on_a_body.yaml", false},
    {"test/verify/applied_forces/torque_on_a_body.yaml", false},
};
enum { N_FORCES = sizeof FORCES / sizeof *FORCES };

static TestRun run_force(const Force* force) {
    return test_run_file(force->path, (TestMethod){"dop853", 0.5, 0.05, 1e-11, 1e-12});
}

static FbVec3 vector(const TestRun* run, int row, const char* name, const char* body) {
    double v[3];
    for (int c = 0; c < 3; c++) {
        char output[40];
        snprintf(output, sizeof output, "%s%s.%c", name, body, "xyz"[c]);
        v[c] = test_run_value(run, row, output);
    }
    return fb_vec3_from(v);
}

static FbMat3 rotation(const TestRun* run, int row, const char* body) {
    double e[4];
    for (int i = 0; i < 4; i++) {
        char output[40];
        snprintf(output, sizeof output, "turn%s.%c", body, "wxyz"[i]);
        e[i] = test_run_value(run, row, output);
    }
    return fb_rotation_from_quaternion(e);
}

static void check_vector(const char* what, FbVec3 found, FbVec3 expected, double tolerance) {
    test_close(what, found.x, expected.x, tolerance);
    test_close(what, found.y, expected.y, tolerance);
    test_close(what, found.z, expected.z, tolerance);
}

static FbVec3 times(const double d[3], FbVec3 v) {
    return fb_vec3(d[0] * v.x, d[1] * v.y, d[2] * v.z);
}

// R D R' v
static FbVec3 times_turned(const FbMat3* R, const double d[3], FbVec3 v) {
    return fb_mul3(R, times(d, fb_mul3_transposed(R, v)));
}

// sign F = m (a - g);  sign (M + (at - c) x F) = I alpha + w x I w, with I in ground axes
static void check_newton_euler(const TestRun* run, int row, const Body* body, double sign) {
    FbMat3 R = rotation(run, row, body->name);
    FbVec3 F = fb_scale(sign, vector(run, row, "F", ""));
    FbVec3 M = fb_scale(sign, vector(run, row, "M", ""));
    FbVec3 w = vector(run, row, "w", body->name), alpha = vector(run, row, "alpha", body->name);
    FbVec3 arm = fb_sub(vector(run, row, "at", ""), vector(run, row, "c", body->name));
    FbVec3 a = fb_sub(vector(run, row, "a", body->name), GRAVITY);
    FbVec3 spin = fb_add(times_turned(&R, body->inertia, alpha),
                         fb_cross(w, times_turned(&R, body->inertia, w)));
    check_vector(body->name, F, fb_scale(body->mass, a), 1e-10);
    check_vector(body->name, fb_add(M, fb_cross(arm, F)), spin, 1e-10);
}

// What F and M do on a body: F . (v + w x arm) + M . w
static double power_on(const TestRun* run, int row, const Body* body) {
    FbVec3 arm = fb_sub(vector(run, row, "at", ""), vector(run, row, "c", body->name));
    FbVec3 w = vector(run, row, "w", body->name), v = vector(run, row, "v", body->name);
    return fb_dot(vector(run, row, "F", ""), fb_add(v, fb_cross(w, arm))) +
           fb_dot(vector(run, row, "M", ""), w);
}

static void forces_are_what_the_motion_needs(void** state) {
    (void)state;
    for (int i = 0; i < N_FORCES; i++) {
        TestRun run = run_force(&FORCES[i]);
        for (int row = 0; row < run.n_rows; row++) {
            FbMat3 R_A = rotation(&run, row, "A"), R_B = rotation(&run, row, "B");
            FbVec3 F = vector(&run, row, "F", ""), M = vector(&run, row, "M", "");
            check_newton_euler(&run, row, &B, 1.0);
            check_newton_euler(&run, row, &A, FORCES[i].is_pair ? -1.0 : 0.0);
            check_vector("frame A", vector(&run, row, "FA", ""), fb_mul3_transposed(&R_A, F),
                         1e-11);
            check_vector("frame A", vector(&run, row, "MA", ""), fb_mul3_transposed(&R_A, M),
                         1e-11);
            test_close("frame B", test_run_value(&run, row, "MBy"), fb_mul3_transposed(&R_B, M).y,
                       1e-11);
            double on_a = FORCES[i].is_pair ? power_on(&run, row, &A) : 0.0;
            test_close("power", test_run_value(&run, row, "P"), power_on(&run, row, &B) - on_a,
                       1e-10);
        }
        test_run_free(&run);
    }
}

// The energy changes by what is supplied less what is dissipated, also in dampers of a bushing.
static void work_is_counted(void** state) {
    (void)state;
    for (int i = 0; i < N_FORCES; i++) {
        TestRun run = run_force(&FORCES[i]);
        double change = test_run_last(&run, "E") - test_run_value(&run, 0, "E");
        double work = test_run_last(&run, "W") - test_run_last(&run, "D");
        test_close(FORCES[i].path, change, work, 1e-8);
        assert_true(fabs(work) > 0.1);
        test_run_free(&run);
    }
}

// f = -Kt p - Ct v, tau = -k phi - Cr w along the axes of frame a (eq. 3.11 with equal rotation
// stiffnesses: J' phi = phi).
static void bushing_follows_its_law(void** state) {
    (void)state;
    static const double kt[3] = {200, 350, 150}, ct[3] = {3, 7, 5};
    static const double kr[3] = {20, 20, 20}, cr[3] = {0.2, 0.5, 0.3};
    FbMat3 R_a = fb_rotation_from_vector(fb_scale(0.9, fb_vec3(0.6, 0, 0.8)));
    FbMat3 R_b = fb_rotation_from_vector(fb_scale(1.3, fb_vec3(0, 0.8, -0.6)));
    TestRun run = run_force(&FORCES[0]);
    for (int row = 0; row < run.n_rows; row++) {
        FbMat3 R_A = rotation(&run, row, "A"), R_B = rotation(&run, row, "B");
        FbMat3 G_a = fb_mat3_mul(&R_A, &R_a), G_b = fb_mat3_mul(&R_B, &R_b);
        FbMat3 R_ab = fb_mat3_mul_tn(&G_a, &G_b);
        FbVec3 phi = fb_rotation_to_vector(&R_ab);
        FbVec3 force = fb_add(times_turned(&R_a, kt, vector(&run, row, "p", "")),
                              times_turned(&R_a, ct, vector(&run, row, "v", "")));
        FbVec3 torque = fb_add(fb_mul3(&R_a, times(kr, phi)),
                               times_turned(&R_a, cr, vector(&run, row, "w", "")));
        check_vector("force", vector(&run, row, "FA", ""), fb_scale(-1.0, force), 1e-9);
        check_vector("torque", vector(&run, row, "MA", ""), fb_scale(-1.0, torque), 1e-9);
    }
    test_run_free(&run);
}

// At rest the bushing carries the weight and the loads, whatever its frames and stiffnesses; its
// displacement is the force over the stiffness along its axes.
static void bushing_carries_the_load(void** state) {
    (void)state;
    static const double kt[3] = {200, 350, 150};
    TestRun run = test_run_file("test/verify/applied_forces/bushing.yaml",
                                (TestMethod){"radau", 1e-3, 1e-3, 1e-10, 1e-12});
    FbVec3 load = {3, 5, -4}, twist = {0.5, -0.8, 0.4}, weight = fb_scale(2.0, GRAVITY);
    FbVec3 at = vector(&run, 0, "at", "");
    FbVec3 moment = fb_add(twist, fb_add(fb_cross(fb_sub(vector(&run, 0, "r", ""), at), load),
                                         fb_cross(fb_sub(vector(&run, 0, "c", ""), at), weight)));
    FbMat3 R_a = fb_rotation_from_vector(fb_scale(0.9, fb_vec3(0.6, 0, 0.8)));
    FbVec3 p = fb_sub(at, fb_vec3(7, -7.9, 9.1));
    check_vector("F", vector(&run, 0, "F", ""), fb_scale(-1.0, fb_add(load, weight)), 1e-9);
    check_vector("M", vector(&run, 0, "M", ""), fb_scale(-1.0, moment), 1e-9);
    check_vector("p", times_turned(&R_a, kt, p), fb_add(load, weight), 1e-9);
    test_close("P", test_run_value(&run, 0, "P"), 0.0, 1e-12);
    test_run_free(&run);
}

// The spring of a node takes its share of the load on a cantilever, k/(k + 3 EI/L^3), and the load
// itself can be recorded.
static void springs_of_nodes(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/applied_forces/springs_of_nodes.yaml",
                                (TestMethod){"radau", 1e-3, 1e-3, 1e-10, 1e-12});
    double beam = 3.0 * 2e11 * 1e-8 / 8.0;
    check_vector("F", vector(&run, 0, "F", ""), fb_vec3(0, 0, 30.0 * 500.0 / (500.0 + beam)), 1e-8);
    test_close("L", test_run_value(&run, 0, "L"), -30.0, 1e-12);
    test_run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_what_the_motion_needs),
        cmocka_unit_test(work_is_counted),
        cmocka_unit_test(bushing_follows_its_law),
        cmocka_unit_test(bushing_carries_the_load),
        cmocka_unit_test(springs_of_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
