// Joints with three turns at and through gimbal lock, where no part of the model needs their
// angles: the same motion as on a ball joint, and angles that stay continuous.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "math/rotation.h"
#include "run_support.h"

typedef struct Start {
    double angle[3], rate[3];
} Start;

static const double RIGHT = 1.57079632679489662;

static FbMat3 rotation_of(const double angle[3]) {
    FbMat3 x = fb_rotation_about(0, angle[0]), y = fb_rotation_about(1, angle[1]),
           z = fb_rotation_about(2, angle[2]), xy = fb_mat3_mul(&x, &y);
    return fb_mat3_mul(&xy, &z);
}

// The angular velocity in the axes of b: (Ry Rz)' x, Rz' y and z with the rates.
static FbVec3 turn_of(const Start* s) {
    FbMat3 z = fb_rotation_about(2, s->angle[2]), y = fb_rotation_about(1, s->angle[1]);
    FbVec3 w = fb_mul3_transposed(&y, fb_vec3(s->rate[0], 0, 0));
    w = fb_mul3_transposed(&z, fb_add(w, fb_vec3(0, s->rate[1], 0)));
    return fb_add(w, fb_vec3(0, 0, s->rate[2]));
}

static TestRun run_from(const char* path, TestMethod how, const double p[3], const double w[3]) {
    return test_run_with(path, how, "p1=%.17g; p2=%.17g; p3=%.17g; w1=%.17g; w2=%.17g; w3=%.17g",
                         p[0], p[1], p[2], w[0], w[1], w[2]);
}

static TestRun run_ball(const Start* s, TestMethod how) {
    FbMat3 R = rotation_of(s->angle);
    FbVec3 phi = fb_rotation_to_vector(&R), w = turn_of(s);
    return run_from("test/verify/gimbal_lock/ball.yaml", how, (double[]){phi.x, phi.y, phi.z},
                    (double[]){w.x, w.y, w.z});
}

// As the ball: the same angles by a gimbal, or by a node that a bushing of no size lets turn.
static TestRun run_turns(const Start* s, TestMethod how, bool is_node) {
    return run_from(
        is_node ? "test/verify/gimbal_lock/node.yaml" : "test/verify/gimbal_lock/gimbal.yaml", how,
        s->angle, s->rate);
}

// Positions agree, the angles are those of the orientation and continue without jumps.
static void compare(const TestRun* turns, const TestRun* ball, double tolerance) {
    static const char* const P[3] = {"p.x", "p.y", "p.z"};
    static const char* const A[3] = {"a1", "a2", "a3"};
    double before[3] = {0};
    for (int row = 0; row < turns->n_rows; row++) {
        double angle[3],
            e[4] = {test_run_value(ball, row, "o.w"), test_run_value(ball, row, "o.x"),
                    test_run_value(ball, row, "o.y"), test_run_value(ball, row, "o.z")};
        FbMat3 expected = fb_rotation_from_quaternion(e);
        for (int i = 0; i < 3; i++) {
            test_close(P[i], test_run_value(turns, row, P[i]), test_run_value(ball, row, P[i]),
                       tolerance);
            angle[i] = test_run_value(turns, row, A[i]);
        }
        // Next to lock only the sum (or difference) of the outer turns is steady.
        double sign = angle[1] > 0.0 ? 1.0 : -1.0;
        double turned = fabs(angle[0] - before[0] + sign * (angle[2] - before[2]));
        assert_true(row == 0 || (turned < 1.0 && fabs(angle[1] - before[1]) < 1.0));
        memcpy(before, angle, sizeof(before));
        FbMat3 R = rotation_of(angle);
        for (int i = 0; i < 9; i++) {
            test_close("orientation", R.m[i / 3][i % 3], expected.m[i / 3][i % 3], tolerance);
        }
    }
}

static const Start STARTS[] = {
    {{0, RIGHT - 1e-9, 0}, {1, 0, 1}},   // next to lock
    {{0.3, RIGHT, 0.4}, {0, 2, 0}},      // in lock, and through it
    {{0.1, -RIGHT, -0.4}, {0.5, 0, 2}},  // the other one
    {{0, 2.0, 0}, {1, 2, 3}},            // beyond it
    {{0.2, 1.2, 0.4}, {0, 3, 10}},       // fast through its neighbourhood
};
enum { N_STARTS = sizeof(STARTS) / sizeof(STARTS[0]) };

static void moves_as_a_ball(void** state) {
    (void)state;
    for (int i = 0; i < N_STARTS; i++) {
        for (const char* const* method = test_all_integrators(); *method; method++) {
            bool is_coarse = test_is_bdf(*method) || strcmp(*method, "adams") == 0;
            TestMethod how = {*method, 0, 0, 1e-10, 1e-12};
            TestRun ball = run_ball(&STARTS[i], how), turns = run_turns(&STARTS[i], how, false);
            compare(&turns, &ball, is_coarse ? 1e-6 : 1e-8);
            test_close("rate at the start", test_run_value(&turns, 0, "v2"), STARTS[i].rate[1],
                       1e-8);
            test_run_free(&ball);
            test_run_free(&turns);
        }
    }
}

// Three turns behind translations that constraints hold.
static void nodes_as_well(void** state) {
    (void)state;
    for (int i = 0; i < N_STARTS; i++) {
        TestMethod how = {"dop853", 1.0, 0, 1e-10, 1e-12};
        TestRun ball = run_ball(&STARTS[i], how), turns = run_turns(&STARTS[i], how, true);
        compare(&turns, &ball, 1e-8);
        test_run_free(&ball);
        test_run_free(&turns);
    }
}

// Two arms of a pendulum by gimbals that swing through lock in one plane, as by hinges: the second
// one is written from its second body to its first.
static void swings_as_a_hinge(void** state) {
    (void)state;
    TestRun gimbals =
        test_run_file("test/verify/gimbal_lock/pendulum_of_gimbals.yaml", (TestMethod){0});
    TestRun hinges =
        test_run_file("test/verify/gimbal_lock/pendulum_of_hinges.yaml", (TestMethod){0});
    assert_true(fabs(test_run_last(&hinges, "a")) > 2.0);
    test_close("first arm", test_run_last(&gimbals, "a"), test_run_last(&hinges, "a"), 1e-6);
    test_close("second arm", test_run_last(&gimbals, "b"), test_run_last(&hinges, "b"), 1e-6);
    test_run_free(&gimbals);
    test_run_free(&hinges);
}

// Where a force acts by an angle a run that ends at lock says so, with the joint and what to do;
// also where steps become short without end.
static void lock_is_named(void** state) {
    (void)state;
    static const char* const methods[] = {"radau", "dop853"};
    for (int i = 0; i < 2; i++) {
        FbModel* model = test_model_from_file("test/verify/gimbal_lock/damped.yaml");
        FbRunOptions o = fb_run_options_default(model);
        FbResult* result = NULL;
        FbError err = {0};
        o.settings.integrator = methods[i];
        assert_true(fb_simulate(model, &o, &result, &err) < 0);
        assert_non_null(strstr(err.text, "at t = 0.182"));
        assert_non_null(strstr(err.text, "joint 'f'"));
        assert_non_null(strstr(err.text, "gimbal lock"));
        assert_non_null(strstr(err.text, "use a spherical or free joint"));
        assert_int_equal(err.place.line, 7);
        fb_result_destroy(result);
        fb_model_destroy(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_as_a_ball),
        cmocka_unit_test(nodes_as_well),
        cmocka_unit_test(swings_as_a_hinge),
        cmocka_unit_test(lock_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
