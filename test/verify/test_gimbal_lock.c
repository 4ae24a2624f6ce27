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

// A body at the joint; %s: the joint, outputs of the angles.
static const char* const MODEL =
    "flyball: 1\ngravity: [0, 0, -9.81]\n"
    "bodies: {s: {mass: 1, inertia: [0.1, 0.2, 0.25], center: [0.3, 0.1, -0.2],\n"
    "             points: {e: [1, 0, 0]}}}\n"
    "joints: {f: {%s}}\n"
    "outputs: {p: {type: position, point: s.e}, o: {type: orientation, body: s}%s}\n"
    "simulation: {duration: 3, sample: 0.01}\n";
static const char* const OUTPUTS[2] = {", a1: f.q1, a2: f.q2, a3: f.q3, v2: f.v2",
                                       ", a1: f.q4, a2: f.q5, a3: f.q6, v2: f.v5"};

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

static TestRun run_ball(const Start* s, TestMethod how) {
    char joint[400], text[1600];
    FbMat3 R = rotation_of(s->angle);
    FbVec3 phi = fb_rotation_to_vector(&R), w = turn_of(s);
    snprintf(joint, sizeof joint,
             "type: spherical, a: ground, b: s, position: [%.17g, %.17g, %.17g], velocity: [%.17g, "
             "%.17g, %.17g]",
             phi.x, phi.y, phi.z, w.x, w.y, w.z);
    snprintf(text, sizeof text, MODEL, joint, "");
    return test_run_text(text, how);
}

// As the ball: the same angles by a gimbal, or by a node that a bushing of no size lets turn.
static TestRun run_turns(const Start* s, TestMethod how, bool is_node) {
    char joint[400], text[1600], move[40] = "";
    const double *a = s->angle, *v = s->rate;
    snprintf(move, sizeof move, is_node ? "0, 0, 0, " : "");
    snprintf(joint, sizeof joint,
             "type: %s, a: ground, b: s, position: [%s%.17g, %.17g, %.17g], velocity: [%s%.17g, "
             "%.17g, %.17g]",
             is_node ? "node" : "gimbal", move, a[0], a[1], a[2], move, v[0], v[1], v[2]);
    snprintf(text, sizeof text, MODEL, joint, OUTPUTS[is_node]);
    if (is_node) {
        strcat(text,
               "constraints: {x: {type: motion, joint: f.q1, value: 0},\n"
               "  y: {type: motion, joint: f.q2, value: 0},\n"
               "  z: {type: motion, joint: f.q3, value: 0}}\n");
    }
    return test_run_text(text, how);
}

// Positions agree, the angles are those of the orientation and go on without jumps.
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
        for (const char* const* method = test_integrators(); *method; method++) {
            bool is_coarse = strcmp(*method, "bdf") == 0 || strcmp(*method, "adams") == 0;
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
    static const char* const PENDULUM =
        "flyball: 1\ngravity: [0, 0, -9.81]\n"
        "bodies: {u: {mass: 1, inertia: [0.1, 0.2, 0.25], center: [0.5, 0, 0]},\n"
        "         l: {mass: 1, inertia: [0.1, 0.2, 0.25], position: [1, 0, 0], center: [0.5, 0, "
        "0]}}\n"
        "joints: {a: {%s, between: [ground, u], %s, velocity: %s},\n"
        "         b: {%s, between: [l, u], %s, point: [1, 0, 0], velocity: %s}}\n"
        "outputs: {a: a.%s, b: b.%s}\n"
        "simulation: {duration: 3, rtol: 1e-11}\n";
    char text[1600];
    snprintf(text, sizeof text, PENDULUM, "type: gimbal", "axis: [0, 0, 1], x_axis: [1, 0, 0]",
             "[0, 6, 0]", "type: gimbal", "axis: [0, 0, 1], x_axis: [1, 0, 0]", "[0, 5, 0]", "q2",
             "q2");
    TestRun gimbals = test_run_text(text, (TestMethod){0});
    snprintf(text, sizeof text, PENDULUM, "type: revolute", "axis: [0, 1, 0]", "6",
             "type: revolute", "axis: [0, 1, 0]", "5", "q", "q");
    TestRun hinges = test_run_text(text, (TestMethod){0});
    assert_true(fabs(test_run_last(&hinges, "a")) > 2.0);
    test_close("first arm", test_run_last(&gimbals, "a"), test_run_last(&hinges, "a"), 1e-6);
    test_close("second arm", test_run_last(&gimbals, "b"), test_run_last(&hinges, "b"), 1e-6);
    test_run_free(&gimbals);
    test_run_free(&hinges);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_as_a_ball),
        cmocka_unit_test(nodes_as_well),
        cmocka_unit_test(swings_as_a_hinge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
