// Reactions against Newton and Euler: what a joint transmits to a body is what its motion needs,
// whatever the joint's type, its offset or frames, and whether it stands in the tree or closes a
// loop.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "math/rotation.h"
#include "run_support.h"

typedef struct Joint {
    const char* type;
    const char* offset;
    const char* more;
} Joint;

static const Joint joints[] = {
    {"fixed", NULL, ""},
    {"revolute", "0.7", ""},
    {"prismatic", "0.4", ""},
    {"cylindrical", "[0.6, -0.3]", ""},
    {"universal", "[0.5, -0.2]", ""},
    {"spherical", NULL, ""},
    {"planar", "[0.3, -0.5, 0.9]", ""},
    {"screw", "1.3", ", pitch: 0.2"},
    {"pin_slot", "[0.3, 0.8]", ""},
    {"translation", "[0.3, -0.2, 0.5]", ""},
    {"gimbal", "[0.4, 0.3, -0.6]", ""},
    {"node", "[0.2, 0.3, -0.4, 0.1, 0.2, 0.3]", ""},
    {"free", "[0.2, 0.3, -0.4, 0.1, 0.2, 0.3]", ""},
};
enum { N_JOINTS = sizeof joints / sizeof *joints };

// Inertia of B about its centre, in its own axes.
static const double MASS = 2.0, INERTIA[3] = {0.05, 0.07, 0.03};
#define POINT "[0.4, -0.2, 0.3]"
#define CENTER "[0.1, 0.25, -0.05]"

// A turned body P swings about a skew axis and carries B by the joint; B is not symmetric to
// anything. In a loop B has a joint of its own that transmits nothing.
#define PLACE "between: [P, B], point: " POINT ", axis: [2, -1, 0.5], x_axis: [0, 1, 0]"
#define FRAME "global: " POINT ", z: [2, -1, 0.5], x: [0, 1, 0]}"
#define FRAMES "a: {body: P, " FRAME ", b: {body: B, " FRAME
static void write_model(const Joint* joint, bool has_offset, bool is_loop, bool is_framed,
                        char* out, size_t n) {
    char offset[256] = "";
    if (has_offset) {
        snprintf(offset, sizeof offset, is_loop ? ", offset: %s" : ", offset: %s, position: %s",
                 joint->offset, joint->offset);
    }
    if (joint->offset && !is_loop) {
        strcat(offset, ", velocity: [0");
        for (const char* c = joint->offset; (c = strchr(c, ',')) != NULL; c++) {
            strcat(offset, ", 0");
        }
        strcat(offset, "]");
    }
    snprintf(
        out, n,
        "flyball: 1\ngravity: [0.7, -9.81, 2]\n"
        "bodies:\n"
        "  P: {mass: 1.5, center: [0.1, 0, 0.2], inertia: [0.3, 0.2, 0.25]}\n"
        "  B: {mass: 2, center: " CENTER
        ", position: [0.2, -0.3, 0.1], orientation: {zyx: [0.4, "
        "0.3, -0.5]}, inertia: [0.05, 0.07, 0.03]}\n"
        "joints:\n"
        "  swing: {type: revolute, between: [ground, P], point: [0, 0, 0], axis: [1, 2, 3], "
        "position: 0, velocity: 2.5}\n"
        "  J: {type: %s, %s%s%s}\n"
        "%s"
        "outputs:\n"
        "  F: {type: reaction, joint: J}\n  T: {type: reaction_torque, joint: J}\n"
        "  at: {type: position, point: {body: B, global: " POINT
        "}}\n"
        "  c: {type: position, point: {body: B, at: " CENTER
        "}}\n"
        "  a: {type: acceleration, point: {body: B, at: " CENTER
        "}}\n"
        "  w: {type: angular_velocity, body: B}\n"
        "  alpha: {type: angular_acceleration, body: B}\n  turn: {type: orientation, body: B}\n",
        joint->type, is_framed ? FRAMES : PLACE, offset, joint->more,
        is_loop ? "  carry: {type: free, between: [ground, B], point: [0.2, -0.3, 0.1], position: "
                  "[0, 0, 0, 0, 0, 0]}\n"
                : "");
}

static FbVec3 vector(const TestRun* run, const char* name) {
    double v[3];
    for (int c = 0; c < 3; c++) {
        char output[40];
        snprintf(output, sizeof output, "%s.%c", name, "xyz"[c]);
        v[c] = test_run_value(run, 0, output);
    }
    return fb_vec3_from(v);
}

static void check_vector(const char* what, FbVec3 found, FbVec3 expected) {
    test_close(what, found.x, expected.x, 1e-10);
    test_close(what, found.y, expected.y, 1e-10);
    test_close(what, found.z, expected.z, 1e-10);
}

// R I R' v
static FbVec3 times_inertia(const FbMat3* R, FbVec3 v) {
    FbVec3 local = fb_mul3_transposed(R, v);
    return fb_mul3(R, fb_vec3(INERTIA[0] * local.x, INERTIA[1] * local.y, INERTIA[2] * local.z));
}

// F = m (a - g);  T + (at - c) x F = I alpha + w x I w, with I in ground axes
static void check_newton_euler(const TestRun* run, const char* what) {
    const FbVec3 gravity = {0.7, -9.81, 2};
    const char* const parts[] = {"turn.w", "turn.x", "turn.y", "turn.z"};
    double e[4];
    for (int i = 0; i < 4; i++) {
        e[i] = test_run_value(run, 0, parts[i]);
    }
    FbMat3 R = fb_rotation_from_quaternion(e);
    FbVec3 w = vector(run, "w"), F = vector(run, "F");
    FbVec3 needed = fb_scale(MASS, fb_sub(vector(run, "a"), gravity));
    FbVec3 spin =
        fb_add(times_inertia(&R, vector(run, "alpha")), fb_cross(w, times_inertia(&R, w)));
    FbVec3 arm = fb_sub(vector(run, "at"), vector(run, "c"));
    check_vector(what, F, needed);
    check_vector(what, fb_add(vector(run, "T"), fb_cross(arm, F)), spin);
}

static TestRun start(const Joint* joint, bool has_offset, bool is_loop, bool is_framed) {
    char text[4000];
    write_model(joint, has_offset, is_loop, is_framed, text, sizeof text);
    return test_run_text(text, (TestMethod){"radau", 1e-3, 1e-3, 0.0, 0.0});
}

static void every_joint_transmits_what_the_motion_needs(void** state) {
    (void)state;
    for (int i = 0; i < N_JOINTS; i++) {
        for (int variant = 0; variant < 8; variant++) {
            bool has_offset = variant & 1, is_loop = variant & 2, is_framed = variant & 4;
            char what[64];
            if (has_offset && (!joints[i].offset || is_framed)) {
                continue;
            }
            snprintf(what, sizeof what, "%s%s%s%s", joints[i].type, has_offset ? ", offset" : "",
                     is_loop ? ", loop" : "", is_framed ? ", frames" : "");
            TestRun run = start(&joints[i], has_offset, is_loop, is_framed);
            if (is_loop && strcmp(joints[i].type, "free") != 0 &&
                strcmp(joints[i].type, "node") != 0) {
                assert_string_equal(fb_model_get_loop_joint(run.model, 0), "J");
            }
            check_newton_euler(&run, what);
            test_run_free(&run);
        }
    }
}

// The same state counted from elsewhere: forces, moments and accelerations do not know. Only the
// first angle of a universal joint says where its second axis is in the drawing.
static void offsets_change_nothing(void** state) {
    (void)state;
    static const char* const names[] = {"F", "T", "at", "a", "w", "alpha"};
    for (int i = 0; i < N_JOINTS; i++) {
        if (strcmp(joints[i].type, "universal") == 0) {
            continue;
        }
        TestRun plain = start(&joints[i], false, false, false);
        TestRun moved = start(&joints[i], joints[i].offset != NULL, false, false);
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            char what[64];
            snprintf(what, sizeof what, "%s of %s", names[k], joints[i].type);
            check_vector(what, vector(&moved, names[k]), vector(&plain, names[k]));
        }
        test_run_free(&plain);
        test_run_free(&moved);
    }
}

// A drive along a coordinate pulls at the joint's point, wherever the coordinate is counted from.
static void drives_act_at_the_point(void** state) {
    (void)state;
    static const char* const offsets[] = {"", ", offset: [2, -3, 0]"};
    for (int i = 0; i < 2; i++) {
        TestRun run =
            test_run_with("test/verify/reaction_points/pushed_plate.yaml",
                          (TestMethod){"radau", 0.1, 0.1, 0.0, 0.0}, "0]} => 0]%s}", offsets[i]);
        test_close("a", test_run_value(&run, 0, "a.x"), 5.0, 1e-12);
        test_close("turn", test_run_value(&run, 0, "turn"), 0.0, 1e-12);
        test_close("T", test_run_value(&run, 0, "T.z"), 0.0, 1e-12);
        test_run_free(&run);
    }
}

// A bead in a tube that turns at 5 rad/s: r = r0 cosh(5 t); the tube pushes with 2 m w r', without
// a moment about the bead's centre.
static void bead_in_a_tube(void** state) {
    (void)state;
    const double r0 = 0.2, w = 5.0;
    TestRun run = test_run_file("test/verify/reaction_points/bead_in_a_tube.yaml",
                                (TestMethod){"radau", 0.4, 0.1, 1e-11, 1e-13});
    for (int i = 0; i < run.n_rows; i++) {
        double t = test_run_time(&run, i), rate = r0 * w * sinh(w * t);
        test_close("r", test_run_value(&run, i, "r"), r0 * cosh(w * t), 1e-8);
        test_close("F.y", test_run_value(&run, i, "F.y"), 2.0 * 2.0 * w * rate, 1e-6);
        test_close("F.z", test_run_value(&run, i, "F.z"), 2.0 * 9.81, 1e-9);
        for (int c = 0; c < 3; c++) {
            const char* const names[] = {"T.x", "T.y", "T.z"};
            test_close(names[c], test_run_value(&run, i, names[c]), 0.0, 1e-9);
        }
    }
    test_run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_joint_transmits_what_the_motion_needs),
        cmocka_unit_test(offsets_change_nothing),
        cmocka_unit_test(drives_act_at_the_point),
        cmocka_unit_test(bead_in_a_tube),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
