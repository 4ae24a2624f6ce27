// Structures at the start of a run: their nodes move with the bodies that carry them, turned and
// moved, on drives, in loops, on two bodies and on each other; what is set of a node is kept.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "math/vec3.h"
#include "model_support.h"

typedef struct Motions {
    TestSystem t;
    double poses[200 * 7], motions[200 * 6];
} Motions;

static void start(Motions* m, FbModel* model) {
    test_system_init(&m->t, model);
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
    const char* starts[] = {
        ", velocity: 44.8 =>",
        "constraints: {drive: {type: motion, joint: axle, value: 0.7 + 44.8*t}} =>", ""};
    const char* forms[] = {"", "theory: nonlinear => theory: nonlinear\n    beam: timoshenko",
                           "theory: nonlinear => theory: nonlinear\n    mass: lumped"};
    for (int i = 0; i < 9; i++) {
        Motions m;
        start(&m, test_model_with("test/verify/carried/arm_on_hub.yaml", "%s; %s", starts[i / 3],
                                  forms[i % 3]));
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
    start(&m, test_model_from_file("test/verify/carried/structure_on_structure.yaml"));
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
    start(&m, test_model_from_file("test/verify/carried/linear_on_sled.yaml"));
    check_rigid(&m, "f.", fb_vec3(0, 0, 0), fb_vec3(0, 0, 0), fb_vec3(3, 0, 4), 1e-12);
    test_system_free(&m.t);
}

// Between two sleds that move differently the velocities are those of the static deflection: linear
// along the beam, cubic across it.
static void between_two_bodies(void** state) {
    (void)state;
    const char* theories[] = {"linear", "nonlinear"};
    for (int i = 0; i < 2; i++) {
        Motions m;
        start(&m, test_model_with("test/verify/carried/between_two_bodies.yaml",
                                  "theory: linear => theory: %s", theories[i]));
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
    start(&m, test_model_from_file("test/verify/carried/coupler.yaml"));
    // v_b = v_a + w x (b - a) lies across the rocker: (-16 - 1.2 w, 12 + 2.4 w) . (0, 2) = 0
    double w = -5.0;
    check_rigid(&m, "f.", fb_vec3(0, 0, w), fb_vec3(0.6, 0.8, 0), fb_vec3(-16, 12, 0), 1e-11);
    test_system_free(&m.t);
}

// What is set of a node is kept; the others are carried.
static void set_nodes_are_kept(void** state) {
    (void)state;
    Motions m;
    start(&m, test_model_from_file("test/verify/carried/set_node.yaml"));
    FbVec3 v = velocity_of(&m, find(&m, "arm.b"));
    assert_true(fb_norm(fb_sub(v, fb_vec3(1, 20, 3))) < 1e-12);
    check_rigid(&m, "arm.m.", fb_vec3(0, 0, 20), fb_vec3(0, 0, 0), fb_vec3(0, 0, 0), 1e-10);
    test_system_free(&m.t);
}

// A structure that hangs on a joint of its own, without a body between.
static void structure_on_a_joint(void** state) {
    (void)state;
    Motions m;
    start(&m, test_model_from_file("test/verify/carried/structure_on_a_joint.yaml"));
    check_rigid(&m, "arm.", fb_vec3(0, 6, 8), fb_vec3(1, 2, 3), fb_vec3(0, 0, 0), 1e-11);
    test_system_free(&m.t);
}

// Meshes of solids and shells, whole and reduced, far away and in other units: K takes the place of
// strains.
static void meshes_on_sled(void** state) {
    (void)state;
    const char* const forms[4] = {"", "reduce: {modes: 3} => mass: lumped", "X=1e5; Y=-3e4",
                                  "k=1e-3"};
    for (int i = 0; i < 4; i++) {
        double k = i == 3 ? 1e-3 : 1.0;
        Motions m;
        FbVec3 still = {0, 0, 0}, v = fb_vec3(3.0 * k, 0, 4.0 * k);
        start(&m, test_model_with("test/verify/carried/mesh_on_sled.yaml", "%s", forms[i]));
        FbVec3 sled = place_of(&m, find(&m, "sled"));
        check_rigid(&m, "f.row", still, sled, v, 1e-9 / k);  // turns count by metres
        check_rigid(&m, "g.row", still, sled, v, 1e-9 / k);
        test_system_free(&m.t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arm_on_hub),           cmocka_unit_test(structure_on_structure),
        cmocka_unit_test(linear_on_sled),       cmocka_unit_test(between_two_bodies),
        cmocka_unit_test(coupler_in_a_loop),    cmocka_unit_test(set_nodes_are_kept),
        cmocka_unit_test(structure_on_a_joint), cmocka_unit_test(meshes_on_sled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
