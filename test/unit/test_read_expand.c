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
#include "read_support.h"

static const char* formula(const FbModelDef* def, int sensor) {
    return ((const FbExpressionSensorDef*)def->sensors[sensor])->value;
}

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

// N windows: N + 1 verticals, N couplers, each hung between its neighbours.
static void test_repeat(void** state) {
    (void)state;
    FbModelDef* def = test_read_file("test/unit/read_expand/windows.yaml");
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
    assert_string_equal(formula(def, 2), "P2.q*(2) + 1e-3");
    fb_model_def_destroy(def);
}

static void test_nested_repeat(void** state) {
    (void)state;
    FbModelDef* def = test_read_file("test/unit/read_expand/nested_repeat.yaml");
    assert_int_equal(def->n_bodies, 3);
    assert_string_equal(def->bodies[0].name, "b1_10");
    assert_string_equal(def->bodies[1].name, "b1_20");
    assert_string_equal(def->bodies[2].name, "b2_20");
    assert_near(def->bodies[2].mass, 22);
    fb_model_def_destroy(def);
}

static const char pendulum[] = "test/unit/read_expand/pendulums.yaml";

static void test_instances(void** state) {
    (void)state;
    FbModelDef* def = test_read_file(pendulum);
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
    FbModelDef* def = test_read_file(pendulum);
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
    const FbDistanceDef* rod = (const FbDistanceDef*)def->constraints[0];
    assert_vector(rod->b.at, 10, 1, 0);
    assert_string_equal(rod->a.body, "left.rod");
    assert_string_equal(rod->a.point, "tip");
    // So do directions.
    assert_vector(((const FbPointOnPlaneDef*)def->constraints[1])->normal, 0, 1, 0);
    assert_vector(((const FbPointOnPlaneDef*)def->constraints[2])->normal, 1, 0, 0);
    fb_model_def_destroy(def);
}

static void test_instance_expressions(void** state) {
    (void)state;
    FbModelDef* def = test_read_file(pendulum);
    // Local numbers, parts of the instance by their full names; in a force `angle` is its own.
    assert_string_equal(((const FbSpringDef*)def->forces[0])->force,
                        "(7)*length + (3)*left.pin.q + angle + k");
    assert_string_equal(((const FbSpringDef*)def->forces[0])->b.point, "hook");
    assert_string_equal(def->sensors[0]->name, "left.angle");
    assert_string_equal(formula(def, 0), "left.pin.q");
    assert_string_equal(formula(def, 1), "left.angle*t + 2");
    assert_string_equal(def->states[1].rate, "right.angle");
    assert_string_equal(def->events[1].expression, "right.sum - (1)");
    assert_string_equal(def->initials[0].sensor, "left.angle");
    assert_near(def->initials[0].value, 3);
    assert_string_equal(formula(def, 4), "left.angle + right.angle + left.pin.v");
    fb_model_def_destroy(def);
}

// An instance in a template in a repeat: poses and scopes multiply.
static void test_nested_instances(void** state) {
    (void)state;
    FbModelDef* def = test_read_file("test/unit/read_expand/nested_instances.yaml");
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
    FbModelDef* def = test_read_with("test/unit/read_expand/unused_template.yaml", NULL, 1);
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
