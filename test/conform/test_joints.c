// Every joint type in every place: in the tree, backwards in the tree, closing a loop; at the
// ground or at a moving body; placed by the drawing or by frames. The same machine must move the
// same way.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "run_support.h"
#include "tree/joint.h"

// How the tested joint "T" is described.
typedef struct Variant {
    bool is_reversed;  // between [B, A] instead of [A, B]
    bool is_loop;      // B moves freely otherwise, so that T closes a loop
    bool is_grounded;  // A is the ground
    bool has_frames;
    bool is_passive;  // without a drive in the joint
} Variant;

typedef struct Text {
    char at[6000];
    size_t used;
} Text;

static void add(Text* t, const char* format, ...) __attribute__((format(printf, 2, 3)));
static void add(Text* t, const char* format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->at + t->used, sizeof(t->at) - t->used, format, args);
    va_end(args);
    assert_true(n >= 0 && (size_t)n < sizeof(t->at) - t->used);
    t->used += (size_t)n;
}

// The drawing: pose of A (turned about z), pose of B (turned about x), the joint's frame.
static const double P_A[3] = {0.3, -0.2, 0.1}, TURN_A = 0.7;
static const double P_B[3] = {0.9, 0.4, -0.3}, TURN_B = -1.1;
static const double POINT[3] = {0.6, 0.1, 0.2};
static const double AXIS[3] = {2.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0};
static const double X_AXIS[3] = {1.0 / 3.0, -2.0 / 3.0, -2.0 / 3.0};

static void turn_back(int axis, double angle, const double in[3], double out[3]) {
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    out[axis] = in[axis];
    out[i] = cos(angle) * in[i] + sin(angle) * in[j];
    out[j] = cos(angle) * in[j] - sin(angle) * in[i];
}

// Side A or B of the joint as a frame on its body.
static void add_frame(Text* t, const char* key, bool is_b, bool is_grounded) {
    const double* p = is_b ? P_B : P_A;
    double shift[3], at[3], z[3], x[3];
    bool is_ground = !is_b && is_grounded;
    for (int i = 0; i < 3; i++) {
        shift[i] = POINT[i] - (is_ground ? 0.0 : p[i]);
    }
    double angle = is_ground ? 0.0 : is_b ? TURN_B : TURN_A;
    turn_back(is_b ? 0 : 2, angle, shift, at);
    turn_back(is_b ? 0 : 2, angle, AXIS, z);
    turn_back(is_b ? 0 : 2, angle, X_AXIS, x);
    add(t,
        "%s: {body: %s, at: [%.17g, %.17g, %.17g], z: [%.17g, %.17g, %.17g], x: [%.17g, %.17g, "
        "%.17g]}",
        key,
        is_ground ? "ground"
        : is_b    ? "B"
                  : "A",
        at[0], at[1], at[2], z[0], z[1], z[2], x[0], x[1], x[2]);
}

static void add_placement(Text* t, Variant v) {
    if (v.has_frames) {
        add_frame(t, "a", v.is_reversed, v.is_grounded);
        add(t, ", ");
        add_frame(t, "b", !v.is_reversed, v.is_grounded);
        return;
    }
    const char* A = v.is_grounded ? "ground" : "A";
    add(t,
        "between: [%s, %s], point: [%.17g, %.17g, %.17g], axis: [%.17g, %.17g, %.17g], x_axis: "
        "[%.17g, %.17g, %.17g]",
        v.is_reversed ? "B" : A, v.is_reversed ? A : "B", POINT[0], POINT[1], POINT[2], AXIS[0],
        AXIS[1], AXIS[2], X_AXIS[0], X_AXIS[1], X_AXIS[2]);
}

static void add_bodies(Text* t, Variant v) {
    add(t, "flyball: 1\ngravity: [0, 1, -9.81]\nbodies:\n");
    if (!v.is_grounded) {
        add(t,
            "  A: {position: [%.17g, %.17g, %.17g], orientation: {axis: [0, 0, 1], angle: %.17g}, "
            "mass: 1.3, center: [0.2, 0.1, 0], inertia: [0.3, 0.4, 0.5, 0.02, 0.01, 0.03]}\n",
            P_A[0], P_A[1], P_A[2], TURN_A);
    }
    add(t,
        "  B: {position: [%.17g, %.17g, %.17g], orientation: {axis: [1, 0, 0], angle: %.17g}, "
        "mass: "
        "0.9, center: [-0.1, 0.2, 0.1], inertia: [0.2, 0.4, 0.3, 0.01, 0.02, -0.03]}\njoints:\n",
        P_B[0], P_B[1], P_B[2], TURN_B);
    if (!v.is_grounded) {
        add(t,
            "  S: {type: spherical, between: [ground, A], point: [0, 0, 0], velocity: [0.5, -1, "
            "0.3]}\n");
    }
    if (v.is_loop) {
        add(t,
            "  hold: {type: free, between: [ground, B], point: [%.17g, %.17g, %.17g], position: "
            "[0, "
            "0, 0, 0, 0, 0]}\n",
            POINT[0], POINT[1], POINT[2]);
    }
}

static void add_values(Text* t, const char* key, const FbJointType* type, double sign) {
    add(t, ", %s: [", key);
    for (int i = 0; i < type->n_v; i++) {
        add(t, "%s%.17g", i > 0 ? ", " : "", sign * (0.4 + 0.3 * i));
    }
    add(t, "]");
}

static bool is_scalar(const FbJointType* type, int i) {
    return type->coordinates[i].kind != FB_COORD_NONE;
}

static void add_outputs(Text* t, Variant v, const FbJointType* type) {
    if (type->n_v > 0 && is_scalar(type, 0) && !v.is_passive) {
        add(t, "forces: {drive: {type: actuator, joint: T, value: 2}}\n");
    }
    add(t,
        "outputs:\n  p: {type: position, point: {body: B, at: [0.3, 0.2, 0.1]}}\n"
        "  v: {type: velocity, point: {body: B, at: [0.3, 0.2, 0.1]}}\n"
        "  a: {type: acceleration, point: {body: B, at: [0.3, 0.2, 0.1]}}\n"
        "  w: {type: angular_velocity, body: B}\n"
        "  F: {type: reaction, joint: T}\n  M: {type: reaction_torque, joint: T}\n");
    for (int i = 0; i < type->n_v; i++) {
        if (is_scalar(type, i)) {
            add(t, "  q%d: T.q%d\n", i + 1, i + 1);
            add(t, "  acc%d: T.a%d\n", i + 1, i + 1);
        }
        add(t, "  v%d: T.v%d\n", i + 1, i + 1);
    }
}

// Velocities (times sign) of all coordinates, and positions where asked.
static TestRun run(const FbJointType* type, Variant v, double sign, bool has_position) {
    Text* t = &(Text){.used = 0};
    add_bodies(t, v);
    add(t, "  T: {type: %s, %s", type->info.name, type == &fb_joint_screw ? "pitch: 0.5, " : "");
    add_placement(t, v);
    if (type->n_v > 0 && !v.is_loop) {
        add_values(t, "velocity", type, sign);
        if (has_position) {
            add_values(t, "position", type, 1.0);
        }
    }
    add(t, "}\n");
    if (type->n_v > 0 && v.is_loop) {  // a joint with values of its own would be taken for the tree
        add(t, "initial:\n");
        for (int i = 0; i < type->n_v; i++) {
            add(t, "  i%d: {sensor: v%d, value: %.17g}\n", i, i + 1, sign * (0.4 + 0.3 * i));
        }
    }
    add_outputs(t, v, type);
    return test_run_text(t->at, (TestMethod){"radau", 0.5, 0.05, 1e-11, 1e-13});
}

static double tolerance_of(const char* name) {
    return strchr("FMa", name[0]) ? 1e-6 : 1e-8;  // accelerations and reactions
}

// Compares the outputs of two runs whose names begin with a letter of `names`.
static void compare(const FbJointType* type, const TestRun* a, const TestRun* b, const char* names,
                    const char* what) {
    assert_int_equal(a->n_rows, b->n_rows);
    for (int o = 0; o < fb_model_get_output_count(a->model); o++) {
        const char* name = fb_model_get_output_name(a->model, o);
        for (int i = 0; strchr(names, name[0]) && i < a->n_rows; i++) {
            double x = test_run_value(a, i, name), y = test_run_value(b, i, name);
            if (!(fabs(x - y) <= tolerance_of(name))) {
                fail_msg("%s %s: %s differs in row %d: %.12g and %.12g", type->info.name, what,
                         name, i, x, y);
            }
        }
    }
}

static bool closes_a_loop(const FbModel* model) {
    const char* joint = fb_model_get_loop_joint(model, 0);
    return joint && strcmp(joint, "T") == 0;
}

// Tree and loop, drawing and frames, of one description of the joint.
static void check_one_way(const FbJointType* type, bool is_reversed, bool is_grounded) {
    Variant v = {.is_reversed = is_reversed, .is_grounded = is_grounded};
    TestRun base = run(type, v, 1.0, false);
    assert_false(closes_a_loop(base.model));
    for (int k = 1; k < 4; k++) {
        v.is_loop = k & 1;
        v.has_frames = k & 2;
        TestRun other = run(type, v, 1.0, false);
        assert_int_equal(closes_a_loop(other.model), v.is_loop && type->n_rows > 0);
        compare(type, &base, &other, "pvawqFM", v.is_loop ? "as a loop" : "by frames");
        test_run_free(&other);
    }
    for (int i = 0; i < type->n_v; i++) {
        char name[16];
        snprintf(name, sizeof(name), "v%d", i + 1);
        test_close(name, test_run_value(&base, 0, name), 0.4 + 0.3 * i, 1e-12);
    }
    test_run_free(&base);
}

static void every_joint_everywhere(void** state) {
    (void)state;
    for (int j = 0; fb_joint_types[j]; j++) {
        for (int k = 0; k < 4; k++) {
            check_one_way(fb_joint_types[j], k & 1, k & 2);
        }
    }
}

// A universal joint written backwards is another machine: its first axis belongs to the other body;
// and so is a slot.
static bool is_same_backwards(const FbJointType* type) {
    return type != &fb_joint_universal && type != &fb_joint_pin_slot;
}

// Written backwards and started backwards, the machine moves as before.
static void both_directions(void** state) {
    (void)state;
    for (int j = 0; fb_joint_types[j]; j++) {
        for (int grounded = 0; grounded < 2 && is_same_backwards(fb_joint_types[j]); grounded++) {
            Variant v = {.is_grounded = grounded, .is_passive = true};
            TestRun forward = run(fb_joint_types[j], v, 1.0, false);
            v.is_reversed = true;
            TestRun backward = run(fb_joint_types[j], v, -1.0, false);
            compare(fb_joint_types[j], &forward, &backward, "pw", "backwards");
            test_run_free(&forward);
            test_run_free(&backward);
        }
    }
}

// What the user sets is there at the start.
static void initial_values_are_kept(void** state) {
    (void)state;
    for (int j = 0; fb_joint_types[j]; j++) {
        const FbJointType* type = fb_joint_types[j];
        for (int k = 0; k < 4; k++) {
            Variant v = {.is_reversed = k & 1, .is_grounded = k & 2};
            TestRun r = run(type, v, 1.0, true);
            for (int i = 0; i < type->n_v; i++) {
                char name[16];
                snprintf(name, sizeof(name), "v%d", i + 1);
                test_close(name, test_run_value(&r, 0, name), 0.4 + 0.3 * i, 1e-11);
                snprintf(name, sizeof(name), "q%d", i + 1);
                if (is_scalar(type, i)) {
                    test_close(name, test_run_value(&r, 0, name), 0.4 + 0.3 * i, 1e-11);
                }
            }
            v.has_frames = true;
            TestRun framed = run(type, v, 1.0, true);
            compare(type, &r, &framed, "pvawqFM", "by frames, moved at the start");
            test_run_free(&framed);
            test_run_free(&r);
        }
    }
}

// The rotation of a ball that was set is the one that the body shows.
static void ball_orientation_is_kept(void** state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        const char* ball = k & 1 ? "; spherical => free; position: [ => position: [0, 0, 0, "
                                   "; velocity: [ => velocity: [0, 0, 0, "
                                 : "";
        TestRun r =
            test_run_with("test/conform/joints/ball.yaml", (TestMethod){"auto", 0.1, 0.1, 0.0, 0.0},
                          "%s%s", k & 2 ? "ground, B => B, ground" : "", ball);
        double angle = sqrt(0.5), sign = k & 2 ? -1.0 : 1.0, s = sign * sin(angle / 2.0) / angle;
        test_close("w", test_run_value(&r, 0, "q.w"), cos(angle / 2.0), 1e-12);
        test_close("x", test_run_value(&r, 0, "q.x"), s * 0.3, 1e-12);
        test_close("y", test_run_value(&r, 0, "q.y"), s * -0.4, 1e-12);
        test_close("z", test_run_value(&r, 0, "q.z"), s * 0.5, 1e-12);
        double wx = test_run_value(&r, 0, "w.x"), wy = test_run_value(&r, 0, "w.y"),
               wz = test_run_value(&r, 0, "w.z");
        test_close("|w|", sqrt(wx * wx + wy * wy + wz * wz), sqrt(14.0), 1e-12);
        test_close("w along the rotation", 0.3 * wx - 0.4 * wy + 0.5 * wz, sign * (0.3 - 0.8 + 1.5),
                   1e-12);
        test_run_free(&r);
    }
}

// `offset` counts from another zero, over full turns, in the tree and at a loop.
static void offsets(void** state) {
    (void)state;
    const char* const types[] = {"revolute", "screw, pitch: 0.5", "cylindrical", "prismatic"};
    for (int k = 0; k < 8; k++) {
        TestRun r = test_run_with(
            k < 4 ? "test/conform/joints/offset.yaml" : "test/conform/joints/offset_in_a_loop.yaml",
            (TestMethod){"auto", 0.1, 0.1, 0.0, 0.0}, "revolute => %s", types[k % 4]);
        test_close(types[k % 4], test_run_value(&r, 0, "q"), 20.0, 1e-12);
        test_close("z", test_run_value(&r, 0, "z"), 0.3, 1e-12);
        test_run_free(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_joint_everywhere),
        cmocka_unit_test(both_directions),
        cmocka_unit_test(initial_values_are_kept),
        cmocka_unit_test(ball_orientation_is_kept),
        cmocka_unit_test(offsets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
