// Repeats, templates and instances: names, local parameters, scopes and poses.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka needs the headers above.
#include <cmocka.h>

#include "describe/def.h"
#include "model_types.h"
#include "read/read.h"

static void assert_near(double value, double expected) {
    if (!(fabs(value - expected) <= 1e-14 * (1 + fabs(expected)))) {
        fail_msg("%.17g instead of %.17g", value, expected);
    }
}

static void assert_vector(const double v[3], double x, double y, double z) {
    assert_near(v[0], x);
    assert_near(v[1], y);
    assert_near(v[2], z);
}

static FbModelDef* read_text(const char* text, int n_messages) {
    FbTypeSet types = test_types();
    FbDiagnostics* list = fb_diagnostics_create();
    FbModelDef* def = NULL;
    FbStatus status = fb_read_model(text, strlen(text), "m.yaml", NULL, &types, &def, list);
    for (int i = 0; i < fb_diagnostics_count(list); i++) {
        char line[512];
        fb_diagnostic_format(fb_diagnostics_get(list, i), line, sizeof line);
        print_message("%s\n", line);
    }
    assert_int_equal(status, FB_OK);
    assert_int_equal(fb_diagnostics_count(list), n_messages);
    fb_diagnostics_destroy(list);
    return def;
}

// N windows: N + 1 verticals, N couplers, each hung between its neighbours.
static void test_repeat(void** state) {
    (void)state;
    FbModelDef* def = read_text(
        "flyball: 1\n"
        "parameters: {N: 3}\n"
        "repeat:\n"
        "  - for: i\n"
        "    from: 0\n"
        "    to: N\n"
        "    bodies: {\"V{i}\": {position: [i, 0, 0], points: {top: [0, 1, 0]}}}\n"
        "    joints: {\"P{i}\": {type: revolute, between: [ground, \"V{i}\"], point: [i, 0, 0]}}\n"
        "    outputs: {\"a{i}\": \"P{i}.q*i + 1e-3\"}\n"
        "  - {for: i, from: 1, to: N, parameters: {x: i - 0.5}, bodies: {\"H{i}\": {position: [x, "
        "1, 0]}},\n"
        "     joints: {\"L{i}\": {type: revolute, a: \"V{i-1}.top\", b: \"H{i}\"}}}\n",
        0);
    assert_int_equal(def->n_bodies, 7);
    assert_string_equal(def->bodies[3].name, "V3");
    assert_vector(def->bodies[3].position, 3, 0, 0);
    assert_vector(def->bodies[4].position, 0.5, 1, 0);
    assert_string_equal(def->bodies[6].name, "H3");
    assert_int_equal(def->n_joints, 7);
    assert_string_equal(def->joints[2].body_b, "V2");
    assert_vector(def->joints[2].point, 2, 0, 0);
    assert_string_equal(def->joints[6].body_a, "V2");
    assert_string_equal(def->joints[6].frame_a.origin.point, "top");
    assert_string_equal(def->joints[6].body_b, "H3");
    // The loop variable means nothing outside: it is in the text as a number.
    assert_string_equal(def->sensors[2].expression, "P2.q*(2) + 1e-3");
    fb_model_def_destroy(def);
}

static void test_nested_repeat(void** state) {
    (void)state;
    FbModelDef* def = read_text(
        "flyball: 1\n"
        "repeat:\n"
        "  - for: i\n"
        "    from: 1\n"
        "    to: 2\n"
        "    repeat:\n"
        "      - {for: j, from: i, to: 2, bodies: {\"b{i}_{10*j}\": {mass: i + 10*j}}}\n"
        "  - {for: k, from: 1, to: 0, bodies: {never: {}}}\n",
        0);
    assert_int_equal(def->n_bodies, 3);
    assert_string_equal(def->bodies[0].name, "b1_10");
    assert_string_equal(def->bodies[1].name, "b1_20");
    assert_string_equal(def->bodies[2].name, "b2_20");
    assert_near(def->bodies[2].mass, 22);
    fb_model_def_destroy(def);
}

static const char pendulum[] =
    "flyball: 1\n"
    "parameters: {k: 7}\n"
    "bodies: {base: {points: {hook: [0, 0, 1]}}}\n"
    "templates:\n"
    "  pendulum:\n"
    "    parameters: {L: 1, m: 2*L, c: k}\n"
    "    bodies:\n"
    "      rod:\n"
    "        position: [1, 0, 0]\n"
    "        mass: m\n"
    "        points: {tip: [L, 0, 0]}\n"
    "    joints:\n"
    "      pin: {type: revolute, between: [base, rod], point: [1, 0, 0], axis: [1, 0, 0], x_axis: "
    "[0, 1, 0]}\n"
    "      end: {type: revolute, a: {body: rod, at: [1, 2, 3], z: [0, 1, 0]}, b: {body: ground, "
    "at: [1, 0, 0], z: [1, 0, 0]}}\n"
    "    constraints:\n"
    "      hold: {type: distance, a: rod.tip, b: {body: base, global: [1, 0, 0]}}\n"
    "    forces:\n"
    "      pull: {type: spring, a: rod.tip, b: base.hook, force: \"c*length + L*pin.q + angle + "
    "k\"}\n"
    "    outputs: {angle: pin.q, far: \"angle*t + 2\"}\n"
    "    states: {sum: {rate: angle}}\n"
    "    events: {up: {when: sum - L}}\n"
    "    initial: {start: {sensor: angle, value: L}}\n"
    "instances:\n"
    "  left: {template: pendulum, parameters: {L: 3}, position: [10, 0, 0], orientation: {axis: "
    "[0, 0, 1], angle: 90 deg}}\n"
    "  right: {template: pendulum}\n"
    "outputs: {both: left.angle + right.angle + left.pin.v}\n";

static void test_instances(void** state) {
    (void)state;
    FbModelDef* def = read_text(pendulum, 0);
    assert_int_equal(def->n_bodies, 3);
    const FbBodyDef *left = &def->bodies[1], *right = &def->bodies[2];
    assert_string_equal(left->name, "left.rod");
    assert_string_equal(left->origin.scope, "left.");
    assert_near(left->mass, 6);
    assert_near(right->mass, 2);
    // Turned by 90 deg about z, then moved by 10 along x.
    assert_vector(left->position, 10, 1, 0);
    assert_vector(right->position, 1, 0, 0);
    assert_near(left->rotation[1], -1);
    assert_near(left->rotation[3], 1);
    assert_near(left->points[0].at[0], 3);
    fb_model_def_destroy(def);
}

static void test_instance_joints(void** state) {
    (void)state;
    FbModelDef* def = read_text(pendulum, 0);
    assert_string_equal(def->joints[0].name, "left.pin");
    assert_string_equal(def->joints[0].body_a, "base");
    assert_string_equal(def->joints[0].body_b, "left.rod");
    assert_vector(def->joints[0].point, 10, 1, 0);
    assert_vector(def->joints[0].axis, 0, 1, 0);
    assert_vector(def->joints[0].x_axis, -1, 0, 0);
    // Frames in bodies stay, frames on the ground move.
    assert_vector(def->joints[1].frame_a.origin.at, 1, 2, 3);
    assert_near(def->joints[1].frame_a.rotation[5], 1);
    assert_vector(def->joints[1].frame_b.origin.at, 10, 1, 0);
    assert_near(def->joints[1].frame_b.rotation[5], 1);  // its z axis was x and is y now
    assert_vector(def->constraints[0].b.at, 10, 1, 0);
    assert_string_equal(def->constraints[0].a.body, "left.rod");
    assert_string_equal(def->constraints[0].a.point, "tip");
    fb_model_def_destroy(def);
}

static void test_instance_expressions(void** state) {
    (void)state;
    FbModelDef* def = read_text(pendulum, 0);
    // Local numbers, parts of the instance by their full names; in a force `angle` is its own.
    assert_string_equal(def->forces[0].expression, "(7)*length + (3)*left.pin.q + angle + k");
    assert_string_equal(def->forces[0].b.point, "hook");
    assert_string_equal(def->sensors[0].name, "left.angle");
    assert_string_equal(def->sensors[0].expression, "left.pin.q");
    assert_string_equal(def->sensors[1].expression, "left.angle*t + 2");
    assert_string_equal(def->states[1].rate, "right.angle");
    assert_string_equal(def->events[1].expression, "right.sum - (1)");
    assert_string_equal(def->initials[0].sensor, "left.angle");
    assert_near(def->initials[0].value, 3);
    assert_string_equal(def->sensors[4].expression, "left.angle + right.angle + left.pin.v");
    fb_model_def_destroy(def);
}

// An instance in a template in a repeat: poses and scopes multiply.
static void test_nested_instances(void** state) {
    (void)state;
    FbModelDef* def = read_text(
        "flyball: 1\n"
        "templates:\n"
        "  dot: {parameters: {r: 1}, bodies: {p: {position: [r, 0, 0]}}}\n"
        "  pair:\n"
        "    parameters: {d: 1}\n"
        "    instances:\n"
        "      one: {template: dot, parameters: {r: 2*d}}\n"
        "      two: {template: dot, position: [0, d, 0], orientation: {zyx: [90 deg, 0, 0]}}\n"
        "    joints: {pin: {type: revolute, between: [one.p, two.p]}}\n"
        "repeat:\n"
        "  - {for: i, from: 1, to: 2, instances: {\"w{i}\": {template: pair, parameters: {d: i}, "
        "position: [0, 0, i],\n"
        "     orientation: {axis: [0, 0, 1], angle: 180 deg}}}}\n",
        0);
    assert_int_equal(def->n_bodies, 4);
    assert_string_equal(def->bodies[2].name, "w2.one.p");
    assert_vector(def->bodies[2].position, -4, 0, 2);
    assert_string_equal(def->bodies[3].name, "w2.two.p");
    assert_vector(def->bodies[3].position, 0, -3, 2);
    assert_string_equal(def->joints[1].name, "w2.pin");
    assert_string_equal(def->joints[1].body_b, "w2.two.p");
    fb_model_def_destroy(def);
}

static void test_unused_template(void** state) {
    (void)state;
    FbModelDef* def = read_text("flyball: 1\ntemplates: {spare: {bodies: {b: {mass: 1}}}}\n", 1);
    assert_int_equal(def->n_bodies, 0);
    fb_model_def_destroy(def);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repeat),
        cmocka_unit_test(test_nested_repeat),
        cmocka_unit_test(test_instances),
        cmocka_unit_test(test_instance_joints),
        cmocka_unit_test(test_instance_expressions),
        cmocka_unit_test(test_nested_instances),
        cmocka_unit_test(test_unused_template),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
