// Every analytic Jacobian block of the contract against finite differences: all joints, constraints
// and forces, in the tree and across loops.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model_support.h"

static const double TOLERANCE =
    1e-8;  // of the block's size: fourth-order differences with h = 1e-3

static void check_scattered(FbModel* model, const char* name, double size) {
    unsigned seed = 7;
    TestSystem t;
    test_system_init(&t, model);
    for (int round = 0; round < 3; round++) {
        test_system_scatter(&t, &seed, size);
        assert_true(test_compare_blocks(&t, name) < TOLERANCE);
    }
    test_system_free(&t);
}

#define BODY \
    "{mass: 1.3, center: [0.2, -0.1, 0.15], inertia: [0.31, 0.42, 0.53, 0.02, -0.03, 0.04]}"

// A chain of two joints of one type between generic axes, with a third body behind.
static void every_joint_in_the_tree(void** state) {
    (void)state;
    const char* types[] = {"revolute",  "prismatic", "cylindrical",       "universal",
                           "spherical", "planar",    "screw, pitch: 0.3", "free",
                           "fixed",     "pin_slot",  "translation",       "gimbal",
                           "node"};
    for (int reversed = 0; reversed < 2; reversed++) {
        for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
            char text[2000];
            snprintf(
                text, sizeof(text),
                "flyball: 1\ngravity: [1, -2, -9.81]\nbodies:\n  A: " BODY "\n  B: " BODY
                "\n  C: " BODY
                "\njoints:\n  j0: {type: spherical, between: [ground, A], point: [0.1, 0.2, 0.3]}\n"
                "  j1: {type: %s, between: [%s], point: [0.5, 0.1, -0.2], axis: [0.3, 0.5, 0.8], "
                "x_axis: [1, 0, 0]}\n"
                "  j2: {type: revolute, between: [B, C], point: [0.9, -0.2, 0.1], axis: [0.6, "
                "-0.5, 0.2]}\n",
                types[i], reversed ? "B, A" : "A, B");
            check_scattered(test_model_from_text(text), types[i], 0.6);
        }
    }
}

// The same joints as loop closures: A and B hang on their own joints, the tested joint closes the
// loop.
static void every_joint_as_a_loop(void** state) {
    (void)state;
    const char* types[] = {
        "revolute",          "prismatic", "cylindrical", "universal",   "spherical", "planar",
        "screw, pitch: 0.3", "fixed",     "pin_slot",    "translation", "gimbal"};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        char text[2000];
        snprintf(
            text, sizeof(text),
            "flyball: 1\ngravity: [1, -2, -9.81]\nbodies:\n  A: " BODY "\n  B: " BODY "\n  C: " BODY
            "\njoints:\n  j0: {type: spherical, between: [ground, A], point: [0.1, 0.2, 0.3]}\n"
            "  j1: {type: cylindrical, between: [A, B], point: [0.5, 0.1, -0.2], axis: [0.3, 0.5, "
            "0.8]}\n"
            "  j2: {type: planar, between: [ground, C], point: [0.9, -0.2, 0.1], axis: [0.6, -0.5, "
            "0.2]}\n"
            "  loop: {type: %s, between: [B, C], point: [0.4, 0.4, 0.6], axis: [-0.2, 0.7, 0.3], "
            "x_axis: [1, 0.2, 0]}\n",
            types[i]);
        check_scattered(test_model_from_text(text), types[i], 0.5);
    }
}

// Cardan angles of a joint that closes a loop, as forces and in expressions.
static void cardan_angles(void** state) {
    (void)state;
    for (int i = 1; i <= 3; i++) {
        char text[2000];
        snprintf(
            text, sizeof(text),
            "flyball: 1\ngravity: [1, -2, -9.81]\nbodies:\n  A: " BODY "\n  B: " BODY
            "\njoints:\n  j0: {type: spherical, between: [ground, A], point: [0.1, 0.2, 0.3]}\n"
            "  j1: {type: free, between: [ground, B], point: [0.5, 0.1, -0.2]}\n"
            "  loop: {type: gimbal, between: [A, B], point: [0.4, 0.4, 0.6], axis: [-0.2, 0.7, "
            "0.3], x_axis: [1, 0.2, 0]}\n"
            "forces:\n  f: {type: torsion, joint: loop.q%d, stiffness: 3, damping: 0.4}\n"
            "  g: {type: actuator, joint: loop.q%d, value: 2*loop.q1 + loop.v2*loop.q3}\n"
            "constraints: {c: {type: coupling, terms: {loop.q%d: 2, loop.q2: 0.7}, value: t^2}}\n",
            i, i % 3 + 1, i == 2 ? 3 : i);
        check_scattered(test_model_from_text(text), "cardan angles", 0.5);
    }
}

#define THREE_BODIES                                                                            \
    "flyball: 1\ngravity: [1, -2, -9.81]\n"                                                     \
    "bodies:\n  A: " BODY "\n  B: " BODY "\n  C: " BODY                                         \
    "\n"                                                                                        \
    "joints:\n  j0: {type: universal, between: [ground, A], point: [0.1, 0.2, 0.3]}\n"          \
    "  j1: {type: revolute, between: [A, B], point: [0.5, 0.1, -0.2], axis: [0.3, 0.5, 0.8]}\n" \
    "  j2: {type: free, between: [ground, C]}\n"

static void every_constraint(void** state) {
    (void)state;
    const char* constraints[] = {
        "{type: distance, a: {body: B, at: [0.3, 0.1, 0.2]}, b: {body: C, at: [1.5, -0.3, 0.2]}, "
        "length: 1.1}",
        "{type: distance, a: {body: B, at: [0.3, 0.1, 0.2]}, b: {body: A, at: [1.5, -0.3, 0.2]}, "
        "value: 1 + 0.2*sin(3*t)}",
        "{type: point_on_line, point: {body: B, at: [0.3, 0.1, 0.2]}, line: {body: C, at: [0.1, "
        "-0.3, 0.2]}, axis: [1, 2, 3]}",
        "{type: point_on_plane, point: {body: C, at: [0.3, 0.1, 0.2]}, plane: {body: A, at: [0.1, "
        "-0.3, 0.2]}, normal: [1, 2, 3]}",
        "{type: gear, a: j1, b: j0.q2, ratio: -2.5}",
        "{type: rack, pinion: j1, rack: j2.q3, radius: 0.2}",
        "{type: coupling, terms: {j1: 2, j0.q1: -1, j2.q2: 0.7}, offset: 0.1, value: t^2}",
        "{type: motion, joint: j1, value: 0.4*sin(2*t)}",
        "{type: point_motion, point: {body: C, at: [0.3, 0.1, 0.2]}, relative_to: {body: B, at: "
        "[0, 0.1, 0]}, axis: [0, 1, 2], value: 0.1*t}",
        "{type: rolling, center: {body: C, at: [0.1, 0, 0]}, axis: [0.1, 1, 0.2], radius: 0.4, "
        "plane: {body: A, at: [0, 0, -0.4]}, normal: [0.1, 0, 1]}",
        "{type: rolling, center: {body: C, at: [0.1, 0, 0]}, shape: sphere, radius: 0.4, plane: "
        "{body: ground, at: [0, 0, -0.4]}}",
    };
    for (size_t i = 0; i < sizeof(constraints) / sizeof(constraints[0]); i++) {
        char text[3000];
        snprintf(text, sizeof(text), THREE_BODIES "constraints:\n  c: %s\n", constraints[i]);
        check_scattered(test_model_from_text(text), constraints[i], 0.4);
    }
}

static void every_force(void** state) {
    (void)state;
    const char* forces[] = {
        "{type: spring, a: {body: B, at: [0.3, 0.1, 0.2]}, b: {body: C, at: [1.5, -0.3, 0.2]}, "
        "stiffness: 30, damping: 4, rest: 0.7}",
        "{type: spring, a: {body: A, at: [0.3, 0.1, 0.2]}, b: {body: B, at: [1.5, -0.3, 0.2]}, "
        "force: 3*length^3 + rate*length + sin(s.x)*x1}",
        "{type: torsion, joint: j1, stiffness: 3, damping: 0.4, rest: 0.2}",
        "{type: torsion, joint: j0.q2, torque: angle^3 + rate^2*c.v}",
        "{type: bushing, a: {body: B, at: [0.3, 0.1, 0.2], z: [1, 1, 0]}, b: {body: C, at: [0.5, "
        "0.3, -0.2], z: [0.3, 1, 0.2]}, "
        "translation_stiffness: [10, 20, 30], translation_damping: [1, 2, 3], rotation_stiffness: "
        "[4, 5, 6], rotation_damping: [0.4, 0.5, 0.6]}",
        "{type: friction, joint: j1, coulomb: 2, viscous: 0.3, smoothing_velocity: 0.5}",
        "{type: force, point: {body: B, at: [0.3, 0.1, 0.2]}, value: [s.x*2, sv.y + x1, t*j1.q]}",
        "{type: force, point: {body: B, at: [0.3, 0.1, 0.2]}, value: [1, 2*sv.z, dist], axes: "
        "body}",
        "{type: torque, body: C, value: [s.z, om.x, 3]}",
        "{type: torque, body: C, value: [s.z, om.x, 3], axes: body}",
        "{type: actuator, joint: j1, value: -3*j1.q - 0.4*j1.v + k2.force}",
        "{type: actuator, a: {body: A, at: [0.1, 0, 0]}, b: {body: C, at: [0.3, 0.2, 0.1]}, value: "
        "2*x1 + dist^2}",
    };
    for (size_t i = 0; i < sizeof(forces) / sizeof(forces[0]); i++) {
        char text[4000];
        snprintf(text, sizeof(text),
                 THREE_BODIES
                 "  c: {type: cylindrical, between: [B, C], point: [0.4, 0.4, 0.6], axis: [-0.2, "
                 "0.7, 0.3]}\n"
                 "forces:\n  f: %s\n"
                 "  k2: {type: spring, a: {body: A, at: [0.2, 0.1, 0]}, b: {body: ground, at: [1, "
                 "1, 1]}, stiffness: 5, damping: 1, rest: 0.3}\n"
                 "states:\n  x1: {initial: 0.2, rate: -x1*dist + s.y*c.v}\n"
                 "sensors:\n  s: {type: position, point: {body: C, at: [0.2, 0.1, 0]}, frame: A}\n"
                 "  sv: {type: velocity, point: {body: C, at: [0.2, 0.1, 0]}, frame: B}\n"
                 "  om: {type: angular_velocity, body: B, frame: A}\n"
                 "  dist: {type: distance, a: {body: A, at: [0.2, 0.1, 0]}, b: {body: C, at: [0, "
                 "0.3, 0]}}\n",
                 forces[i]);
        check_scattered(test_model_from_text(text), forces[i], 0.4);
    }
}

// More than 32 velocities: the blocks are sparse, and every part must have its places in them.
static void sparse_blocks(void** state) {
    (void)state;
    const char* parts[] = {
        "forces:\n  f: {type: spring, a: {body: C2, at: [0.3, 0.1, 0.2]}, b: {body: D3, at: [1.5, "
        "-0.3, 0.2]}, stiffness: 30, damping: 4, rest: 0.7}\n",
        "forces:\n  f: {type: spring, a: {body: C2, at: [0.3, 0.1, 0.2]}, b: {body: C5, at: [1.5, "
        "-0.3, 0.2]}, force: 3*length^3 + rate*length + sin(s.x)*x1 + jD3.v1}\n",
        "forces:\n  f: {type: bushing, a: {body: C3}, b: {body: D4}, translation_stiffness: [10, "
        "20, 30], rotation_stiffness: [4, 5, 6], rotation_damping: [0.4, 0.5, 0.6]}\n",
        "forces:\n  f: {type: force, point: C4, value: [s.x*2, s.y + x1, k2.force], axes: body}\n"
        "  k2: {type: spring, a: D1, b: D4, force: length*s.z}\n",
        "forces:\n  f: {type: actuator, joint: jC3.q1, value: twice*dist}\n",
        "forces:\n  f: {type: torsion, joint: loop, stiffness: 3, damping: 0.4}\n",
        "forces:\n  f: {type: torsion, joint: loop, torque: angle*s.x + rate*x1}\n",
        "constraints:\n  c: {type: distance, a: {body: C4, at: [0.3, 0.1, 0.2]}, b: {body: D2, at: "
        "[1.5, -0.3, 0.2]}}\n",
        "constraints:\n  c: {type: coupling, terms: {jC2.q1: 2, jD4.q1: -1, loop: 0.5}, value: "
        "t^2}\n",
        "constraints:\n  c: {type: rolling, center: {body: D4, at: [0.1, 0, 0]}, axis: [0.1, 1, "
        "0.2], radius: 0.4, plane: {body: C5, at: [0, 0, -0.4]}, normal: [0.1, 0, 1]}\n",
    };
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        char text[6000];
        snprintf(
            text, sizeof(text),
            "flyball: 1\ngravity: [1, -2, -9.81]\n"
            "bodies:\n  C0: " BODY "\n  D0: " BODY "\n  E: " BODY
            "\njoints:\n  jC0: {type: free, between: [ground, C0]}\n"
            "  jD0: {type: free, between: [D0, ground]}\n"
            "  jE: {type: planar, between: [ground, E], axis: [1, 1, 3]}\n"
            "repeat:\n"
            "  - for: i\n    from: 1\n    to: 5\n"
            "    bodies: {\"C{i}\": " BODY ", \"D{i}\": " BODY
            "}\n"
            "    joints:\n"
            "      \"jC{i}\": {type: universal, between: [\"C{i-1}\", \"C{i}\"], point: [0.3*i, "
            "0.1, "
            "0], axis: [0.1, 0.2*i, 1]}\n"
            "      \"jD{i}\": {type: universal, between: [\"D{i}\", \"D{i-1}\"], point: [-0.2*i, "
            "0.5, "
            "0.1], axis: [1, 0.3, 0.1*i]}\n"
            "states:\n  x1: {initial: 0.2, rate: -x1*dist + s.y*jD2.v2}\n"
            "sensors:\n  s: {type: position, point: {body: D5, at: [0.2, 0.1, 0]}, frame: C1}\n"
            "  dist: {type: distance, a: {body: C5, at: [0.2, 0.1, 0]}, b: {body: E, at: [0, 0.3, "
            "0]}}\n"
            "  twice: 2*s.z + jC5.q2\n%s",
            parts[i]);
        char* joints = strstr(text, "repeat:");
        char with_loop[7000];
        snprintf(with_loop, sizeof(with_loop),
                 "%.*s  loop: {type: cylindrical, between: [C5, E], point: [0.4, 0.4, 0.6], axis: "
                 "[-0.2, 0.7, 0.3]}\n%s",
                 (int)(joints - text), text, joints);
        check_scattered(test_model_from_text(with_loop), parts[i], 0.3);
    }
}

static void benchmark_models(void** state) {
    (void)state;
    const char* files[] = {"models/governor.yaml", "models/squeezer.yaml", "models/bricard.yaml",
                           "models/windows.yaml", "models/rolling_disc.yaml"};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        check_scattered(test_model_from_file(files[i]), files[i], 0.05);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_joint_in_the_tree),
        cmocka_unit_test(every_joint_as_a_loop),
        cmocka_unit_test(cardan_angles),
        cmocka_unit_test(every_constraint),
        cmocka_unit_test(every_force),
        cmocka_unit_test(benchmark_models),
        cmocka_unit_test(sparse_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
