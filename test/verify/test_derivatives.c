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

// A chain of two joints of one type between generic axes, with a third body behind.
static void every_joint_in_the_tree(void** state) {
    (void)state;
    const char* types[] = {"revolute",  "prismatic", "cylindrical",       "universal",
                           "spherical", "planar",    "screw, pitch: 0.3", "free",
                           "fixed",     "pin_slot",  "translation",       "gimbal",
                           "node"};
    for (int reversed = 0; reversed < 2; reversed++) {
        for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
            test_check_blocks(test_model_with("test/verify/derivatives/joint_in_a_tree.yaml",
                                              "j1: {type: revolute => j1: {type: %s; A, B => %s",
                                              types[i], reversed ? "B, A" : "A, B"),
                              types[i], 0.6);
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
        test_check_blocks(test_model_with("test/verify/derivatives/joint_in_a_loop.yaml",
                                          "type: revolute => type: %s", types[i]),
                          types[i], 0.5);
    }
}

// Cardan angles of a joint that closes a loop, as forces and in expressions.
static void cardan_angles(void** state) {
    (void)state;
    for (int i = 1; i <= 3; i++) {
        test_check_blocks(test_model_with("test/verify/derivatives/cardan_angles.yaml",
                                          "joint: loop.q1 => joint: loop.q%d; "
                                          "joint: loop.q2 => joint: loop.q%d; "
                                          "loop.q1: => loop.q%d:",
                                          i, i % 3 + 1, i == 2 ? 3 : i),
                          "cardan angles", 0.5);
    }
}

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
        FbModel* model =
            test_model_with("test/verify/derivatives/constraint.yaml",
                            "{type: motion, joint: j1, value: 0.4*sin(2*t)} => %s", constraints[i]);
        test_check_blocks(model, constraints[i], 0.4);
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
        FbModel* model = test_model_with(
            "test/verify/derivatives/force.yaml",
            "{type: torsion, joint: j1, stiffness: 3, damping: 0.4, rest: 0.2} => %s", forces[i]);
        test_check_blocks(model, forces[i], 0.4);
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
        FbModel* model = test_model_with(
            "test/verify/derivatives/many_bodies.yaml",
            "forces:\n  f: {type: torsion, joint: loop, stiffness: 3, damping: 0.4}\n => %s",
            parts[i]);
        test_check_blocks(model, parts[i], 0.3);
    }
}

static void benchmark_models(void** state) {
    (void)state;
    const char* files[] = {"models/governor.yaml", "models/squeezer.yaml", "models/bricard.yaml",
                           "models/windows.yaml", "models/rolling_disc.yaml"};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        test_check_blocks(test_model_from_file(files[i]), files[i], 0.05);
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
