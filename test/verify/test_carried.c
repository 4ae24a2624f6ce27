// Structures at the start of a run: their nodes move with what carries them, turned and moved, on
// drives, in loops, on two bodies and on each other; what is set of a node is kept.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "math/vec3.h"
#include "model_support.h"

#define PARTS                                                                          \
    "flyball: 1\ngravity: [0, 0, 0]\n"                                                 \
    "materials: {steel: {E: 210e9, nu: 0.3, density: 7850}}\n"                         \
    "sections: {bar: {type: rectangle, material: steel, width: 0.02, height: 5e-3}}\n" \
    "simulation: {duration: 1, sample: 1}\n"

typedef struct Motions {
    TestSystem t;
    double poses[200 * 7], motions[200 * 6];
} Motions;

static void start(Motions* m, const char* text) {
    test_system_init(&m->t, test_model_from_text(text));
    fb_system_calc_poses(m->t.system, m->t.p.q, m->poses);
    fb_system_calc_body_motions(m->t.system, m->t.p.q, m->t.p.v, m->motions);
}

static int find(const Motions* m, const char* name) {
    const char* other;
    for (int b = 0; (other = fb_model_get_body_name(m->t.model, b)) != NULL; b++) {
        if (strcmp(other, name) == 0) {
            return b;
        }
    }
    fail_msg("there is no body '%s'", name);
    return -1;
}

static FbVec3 place_of(const Motions* m, int b) {
    return fb_vec3_from(m->poses + 7 * b);
}
static FbVec3 velocity_of(const Motions* m, int b) {
    return fb_vec3_from(m->motions + 6 * b);
}
static FbVec3 turn_of(const Motions* m, int b) {
    return fb_vec3_from(m->motions + 6 * b + 3);
}

// Every body whose name starts so turns at w about a point that moves at v.
static void check_rigid(const Motions* m, const char* prefix, FbVec3 w, FbVec3 point, FbVec3 v,
                        double tolerance) {
    const char* name;
    int n = 0;
    double size = fb_norm(w) + fb_norm(v);
    for (int b = 0; (name = fb_model_get_body_name(m->t.model, b)) != NULL; b++) {
        if (strncmp(name, prefix, strlen(prefix)) != 0) {
            continue;
        }
        FbVec3 expected = fb_add(v, fb_cross(w, fb_sub(place_of(m, b), point)));
        double error = fb_norm(fb_sub(velocity_of(m, b), expected));
        double turn = fb_norm(fb_sub(turn_of(m, b), w));
        if (!(error <= tolerance * size && turn <= tolerance * size)) {
            fail_msg("%s moves by (%g, %g, %g) m/s, off by %.3g, and turns off by %.3g", name,
                     velocity_of(m, b).x, velocity_of(m, b).y, velocity_of(m, b).z, error, turn);
        }
        n++;
    }
    assert_true(n > 1);
}

// A hub far off the origin with a skew axis; its rate is set, or driven, or both.
static void arm_on_hub(void** state) {
    (void)state;
    const char* rates[] = {"", ", velocity: 44.8", ", velocity: 44.8"};
    const char* drives[] = {
        "constraints: {drive: {type: motion, joint: axle, value: 0.7 + 44.8*t}}\n", "",
        "constraints: {drive: {type: motion, joint: axle, value: 0.7 + 44.8*t}}\n"};
    const char* forms[] = {"", "    beam: timoshenko\n", "    mass: lumped\n"};
    for (int i = 0; i < 9; i++) {
        char text[3000];
        Motions m;
        snprintf(text, sizeof(text),
                 PARTS
                 "bodies: {hub: {position: [30, -20, 7], mass: 1, inertia: [1, 1, 1]}}\n"
                 "joints: {axle: {type: revolute, between: [ground, hub], point: [30, -20, 7], "
                 "axis: [1, 2, 2], position: 0.7%s}}\n"
                 "structures:\n  arm:\n    theory: nonlinear\n%s    nodes: {root: {at: [30, -20, "
                 "7], body: hub}, tip: [31, -20.3, 7.4], side: [31, -19, 7]}\n"
                 "    members:\n      beam: {from: root, to: tip, section: bar, elements: 12}\n"
                 "      rib: {from: tip, to: side, section: bar, elements: 3, hinge: from}\n%s",
                 rates[i / 3], forms[i % 3], drives[i / 3]);
        start(&m, text);
        FbVec3 axis = {1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0}, none = {0, 0, 0};
        check_rigid(&m, "arm.", fb_scale(44.8, axis), fb_vec3(30, -20, 7), none, 2e-12);
        test_system_free(&m.t);
    }
}

// The rib turns freely about its hinge: what the least kinetic energy would slow down moves rigidly
// with the rest only if the strain decides first. Here a second structure hangs on the first.
static void structure_on_structure(void** state) {
    (void)state;
    Motions m;
    start(
        &m, PARTS
        "bodies: {hub: {mass: 1, inertia: [1, 1, 1]}}\n"
        "joints: {axle: {type: cylindrical, between: [ground, hub], axis: [0, 1, 0], velocity: [3, "
        "20]}}\n"
        "structures:\n"
        "  tip:\n    theory: nonlinear\n    nodes: {a: {at: [1, 0, 0], body: arm.b}, b: [1.5, 0.5, "
        "0]}\n    members: {m: {from: a, to: b, section: bar, elements: 4}}\n"
        "  arm:\n    theory: nonlinear\n    nodes: {a: {at: [0, 0, 0], body: hub}, b: [1, 0, 0]}\n"
        "    members: {m: {from: a, to: b, section: bar, elements: 4}}\n");
    FbVec3 w = turn_of(&m, find(&m, "hub")), v = velocity_of(&m, find(&m, "hub"));
    assert_true(fabs(fb_norm(w) * fb_norm(v) - 60.0) < 1e-9);
    check_rigid(&m, "arm.", w, fb_vec3(0, 0, 0), v, 1e-12);
    check_rigid(&m, "tip.", w, fb_vec3(0, 0, 0), v, 1e-12);
    test_system_free(&m.t);
}

// A linear structure moves along with a sled.
static void linear_on_sled(void** state) {
    (void)state;
    Motions m;
    start(
        &m, PARTS
        "bodies: {sled: {mass: 1}}\n"
        "joints: {rail: {type: prismatic, between: [ground, sled], axis: [3, 0, 4], velocity: 5}}\n"
        "structures:\n  f:\n    theory: linear\n    nodes: {a: {at: [0, 0, 0], body: sled}, b: [0, "
        "0, 1], c: [1, 0, 1]}\n    members: {m: {from: a, to: b, section: bar, elements: 4}, n: "
        "{from: b, to: c, section: bar, elements: 2}}\n");
    check_rigid(&m, "f.", fb_vec3(0, 0, 0), fb_vec3(0, 0, 0), fb_vec3(3, 0, 4), 1e-12);
    test_system_free(&m.t);
}

// Between two sleds that move differently the velocities are those of the static deflection: linear
// along the beam, cubic across it.
static void between_two_bodies(void** state) {
    (void)state;
    const char* theories[] = {"linear", "nonlinear"};
    for (int i = 0; i < 2; i++) {
        char text[2000];
        Motions m;
        snprintf(text, sizeof(text),
                 PARTS
                 "bodies: {one: {mass: 1}, two: {position: [2, 0, 0], mass: 3}}\n"
                 "joints:\n  r1: {type: translation, between: [ground, one], velocity: [1, 0, 0]}\n"
                 "  r2: {type: translation, between: [ground, two], point: [2, 0, 0], velocity: "
                 "[3, 4, -2]}\n"
                 "structures:\n  f:\n    theory: %s\n    nodes: {a: {at: [0, 0, 0], body: one}, b: "
                 "{at: [2, 0, 0], body: two}}\n    members: {m: {from: a, to: b, section: bar, "
                 "elements: 8}}\n",
                 theories[i]);
        start(&m, text);
        for (int k = 1; k < 8; k++) {
            char name[20];
            snprintf(name, sizeof(name), "f.m.n%d", k);
            int b = find(&m, name);
            double x = k / 8.0, cubic = x * x * (3.0 - 2.0 * x), slope = 6.0 * x * (1.0 - x) / 2.0;
            FbVec3 v = {1.0 + 2.0 * x, 4.0 * cubic, -2.0 * cubic},
                   w = {0, 2.0 * slope, 4.0 * slope};
            assert_true(fb_norm(fb_sub(velocity_of(&m, b), v)) < 1e-9);
            assert_true(fb_norm(fb_sub(turn_of(&m, b), w)) < 1e-9);
        }
        test_system_free(&m.t);
    }
}

// The coupler of a driven four-bar is a beam: it starts as a rigid coupler would.
static void coupler_in_a_loop(void** state) {
    (void)state;
    Motions m;
    start(&m, PARTS
          "bodies:\n  crank: {position: [0, 0, 0], mass: 1, inertia: [1, 1, 1]}\n"
          "  rocker: {position: [3, 0, 0], mass: 1, inertia: [1, 1, 1]}\n"
          "joints:\n  a: {type: revolute, between: [ground, crank], point: [0, 0, 0], axis: [0, 0, "
          "1]}\n"
          "  b: {type: revolute, between: [crank, f.a], point: [0.6, 0.8, 0], axis: [0, 0, 1]}\n"
          "  c: {type: revolute, between: [f.b, rocker], point: [3, 2, 0], axis: [0, 0, 1]}\n"
          "  d: {type: revolute, between: [rocker, ground], point: [3, 0, 0], axis: [0, 0, 1]}\n"
          "structures:\n  f:\n    theory: nonlinear\n    nodes: {a: [0.6, 0.8, 0], b: [3, 2, 0]}\n"
          "    members: {m: {from: a, to: b, section: bar, elements: 6}}\n"
          "constraints: {drive: {type: motion, joint: a, value: 10*sin(2*t)}}\n");
    // v_b = v_a + w x (b - a) lies across the rocker: (-16 - 1.2 w, 12 + 2.4 w) . (0, 2) = 0
    double w = -5.0;
    check_rigid(&m, "f.", fb_vec3(0, 0, w), fb_vec3(0.6, 0.8, 0), fb_vec3(-16, 12, 0), 1e-11);
    test_system_free(&m.t);
}

// What is set of a node is kept; the others are carried.
static void set_nodes_are_kept(void** state) {
    (void)state;
    Motions m;
    start(
        &m, PARTS
        "bodies: {hub: {mass: 1, inertia: [1, 1, 1]}}\n"
        "joints: {axle: {type: revolute, between: [ground, hub], axis: [0, 0, 1], velocity: 20}}\n"
        "structures:\n  arm:\n    theory: nonlinear\n    mass: lumped\n    nodes: {a: {at: [0, 0, "
        "0], body: hub}, b: "
        "{at: [1, 0, 0], velocity: [1, 20, 3, 0, 0, 20]}}\n"
        "    members: {m: {from: a, to: b, section: bar, elements: 4}}\n");
    FbVec3 v = velocity_of(&m, find(&m, "arm.b"));
    assert_true(fb_norm(fb_sub(v, fb_vec3(1, 20, 3))) < 1e-12);
    check_rigid(&m, "arm.m.", fb_vec3(0, 0, 20), fb_vec3(0, 0, 0), fb_vec3(0, 0, 0), 1e-10);
    test_system_free(&m.t);
}

// A structure that hangs on a joint of its own, without a body between.
static void structure_on_a_joint(void** state) {
    (void)state;
    Motions m;
    start(&m, PARTS
          "joints: {axle: {type: revolute, between: [ground, arm.a], point: [1, 2, 3], axis: [0, "
          "3, 4], "
          "velocity: 10}}\n"
          "structures:\n  arm:\n    theory: nonlinear\n    nodes: {a: [1, 2, 3], b: [2, 2, 3]}\n"
          "    members: {m: {from: a, to: b, section: bar, elements: 6}}\n");
    check_rigid(&m, "arm.", fb_vec3(0, 6, 8), fb_vec3(1, 2, 3), fb_vec3(0, 0, 0), 1e-11);
    test_system_free(&m.t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arm_on_hub),           cmocka_unit_test(structure_on_structure),
        cmocka_unit_test(linear_on_sled),       cmocka_unit_test(between_two_bodies),
        cmocka_unit_test(coupler_in_a_loop),    cmocka_unit_test(set_nodes_are_kept),
        cmocka_unit_test(structure_on_a_joint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
