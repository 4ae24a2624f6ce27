// Structures: how nodes and members become bodies, joints, forces and beams.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// cmocka needs the headers above.
#include <cmocka.h>

#include "base/error.h"
#include "describe/def.h"
#include "read_support.h"

static void assert_near(double value, double expected) {
    if (!(fabs(value - expected) <= 1e-13 * (1 + fabs(expected)))) {
        fail_msg("%.17g instead of %.17g", value, expected);
    }
}

static void assert_vector(const double v[3], double x, double y, double z) {
    assert_near(v[0], x);
    assert_near(v[1], y);
    assert_near(v[2], z);
}

static const FbBodyDef* body(const FbModelDef* def, const char* name) {
    int i = fb_def_find_body(def, NULL, name);
    if (i < 0) {
        fail_msg("there is no body %s", name);
    }
    return &def->bodies[i];
}

static const FbJointDef* joint(const FbModelDef* def, const char* name) {
    int i = fb_def_find_joint(def, NULL, name);
    if (i < 0) {
        fail_msg("there is no joint %s", name);
    }
    return &def->joints[i];
}

static const FbForceDef* force(const FbModelDef* def, const char* name) {
    int i = fb_def_find_force(def, NULL, name);
    if (i < 0) {
        fail_msg("there is no force %s", name);
    }
    return def->forces[i];
}

static void assert_joint(const FbModelDef* def, const char* name, const char* type) {
    assert_string_equal(joint(def, name)->type, type);
    assert_string_equal(joint(def, name)->body_b, name);
}

static const char portal[] = "test/unit/mesh_structure/portal.yaml";

static void test_portal(void** state) {
    (void)state;
    FbModelDef* def = test_read_file(portal);
    assert_int_equal(def->n_bodies, 4 + 5 + 1);
    assert_int_equal(def->n_joints, 10);
    assert_int_equal(def->n_beams, 9);
    assert_int_equal(def->n_forces, 0);
    assert_joint(def, "frame.A", "fixed");
    assert_joint(def, "frame.B", "planar");
    assert_joint(def, "frame.D", "revolute");
    assert_joint(def, "frame.left.n5", "planar");
    assert_joint(def, "frame.top.n1", "planar");
    assert_vector(body(def, "frame.left.n2")->position, 0, 1, 0);
    assert_vector(body(def, "frame.top.n1")->position, 2, 3, 0);
    assert_vector(joint(def, "frame.top.n1")->point, 2, 3, 0);
    assert_vector(joint(def, "frame.B")->axis, 0, 0, 1);
    assert_vector(joint(def, "frame.B")->x_axis, 1, 0, 0);
    assert_near(body(def, "frame.B")->mass, 0.0);
    assert_near(body(def, "frame.C")->mass, 3.0);
    assert_near(body(def, "frame.C")->inertia[2], 0.1);
    assert_int_equal(body(def, "frame.B")->origin.place.line, 12);
    assert_int_equal(body(def, "frame.left.n1")->origin.place.line, 16);
    assert_false(joint(def, "frame.B")->has_position[0]);
    fb_model_def_destroy(def);
}

static void test_beams(void** state) {
    (void)state;
    FbModelDef* def = test_read_file(portal);
    const FbBeamDef* first = &def->beams[0];
    assert_string_equal(first->name, "frame.left.e1");
    assert_string_equal(first->member, "frame.left");
    assert_string_equal(first->body_a, "frame.A");
    assert_string_equal(first->body_b, "frame.left.n1");
    assert_string_equal(def->beams[5].body_a, "frame.left.n5");
    assert_string_equal(def->beams[5].body_b, "frame.B");
    assert_string_equal(def->beams[8].name, "frame.right.e1");
    assert_int_equal(fb_def_find_member(def, NULL, "frame.top"), 6);
    assert_vector(first->y_axis, -1, 0, 0);  // across the column, z of the section along the normal
    assert_vector(def->beams[6].y_axis, 0, 1, 0);
    assert_near(first->EA, 210e9 * 1.2e-3);
    assert_near(first->EIz, 210e9 * 8e-7);
    assert_near(first->EIy, 0.0);  // does not exist in the plane
    assert_near(first->GJ, 0.0);
    assert_true(isinf(first->GAy) && isinf(first->GAz));
    assert_near(first->mass_per_length, 7850 * 1.2e-3);
    assert_near(first->inertia_z, 0.0);  // Euler-Bernoulli
    assert_near(first->alpha, 0.1);
    assert_near(first->beta, 1e-4);
    assert_true(first->is_linear);
    assert_false(first->is_lumped);
    assert_null(first->load[1]);
    assert_string_equal(def->beams[7].load[1], "-100");
    assert_string_equal(def->beams[7].load[2], "2*t");
    assert_near(def->beams[7].EIz, 210e9 * 0.02 * pow(0.04, 3) / 12);
    assert_near(def->beams[7].edge_y, 0.02);
    assert_true(def->beams[7].GJ > 0);
    assert_true(isnan(first->edge_y) && isnan(first->torsion_modulus));
    assert_int_equal(def->n_structures, 1);
    assert_string_equal(def->structures[0].name, "frame");
    assert_int_equal(def->structures[0].n_nodes, 0);
    fb_model_def_destroy(def);
}

static void test_timoshenko_and_lumped(void** state) {
    (void)state;
    FbModelDef* def = test_read_file("test/unit/mesh_structure/timoshenko_and_lumped.yaml");
    const FbBeamDef* b = &def->beams[0];
    double A = 8e-4, G = 84e9;
    assert_false(b->is_linear);
    assert_true(b->is_lumped);
    assert_near(b->GAy, G * A * 5 / 6);
    assert_near(b->inertia_z, 7850 * 0.02 * pow(0.04, 3) / 12);
    assert_near(b->inertia_x, b->inertia_y + b->inertia_z);
    assert_near(b->GJ / G * pow(0.02, -3) / 0.04, 0.228681677119571);
    assert_vector(b->y_axis, 0, 1, 0);             // along z: y
    assert_vector(def->beams[1].y_axis, 0, 0, 1);  // otherwise up
    assert_near(def->structures[0].damping_ratio, 0.02);
    assert_near(b->alpha, 0);
    assert_joint(def, "f.B", "free");
    // The y axis is made perpendicular to the member (1, 0, 2)/sqrt(5).
    const double* y = def->beams[2].y_axis;
    assert_near(y[0] + 2 * y[2], 0);
    assert_near(y[1] / y[2], 2.0 / 1.0);
    fb_model_def_destroy(def);
}

// 0.25 and 0.5 of six elements: 2 + 1 + 3 (the nearest integers), each node counted.
static void test_stations(void** state) {
    (void)state;
    FbModelDef* def = test_read_file("test/unit/mesh_structure/stations.yaml");
    assert_vector(body(def, "f.even.n1")->position, 2, 0, 0);
    assert_vector(body(def, "f.even.third")->position, 4, 0, 0);
    assert_vector(body(def, "f.even.mid")->position, 6, 0, 0);
    assert_vector(body(def, "f.even.n5")->position, 10, 0, 0);
    assert_int_equal(fb_def_find_body(def, NULL, "f.even.n3"), FB_NOT_FOUND);
    assert_vector(body(def, "f.odd.n1")->position, 1.5, 0, 0);
    assert_vector(body(def, "f.odd.quarter")->position, 3, 0, 0);
    assert_vector(body(def, "f.odd.mid")->position, 6, 0, 0);
    assert_vector(body(def, "f.odd.n5")->position, 10, 0, 0);
    assert_near(body(def, "f.odd.quarter")->mass, 7);
    assert_string_equal(((const FbPointForceDef*)force(def, "f.odd.quarter.force"))->value[2],
                        "-5");
    assert_vector(body(def, "f.crowd.a")->position, 11.76, 0, 0);
    assert_int_equal(def->n_beams, 6 + 6 + 3);
    assert_string_equal(def->beams[7].body_b, "f.odd.quarter");
    fb_model_def_destroy(def);
}

static void test_supports_in_space(void** state) {
    (void)state;
    FbModelDef* def = test_read_file("test/unit/mesh_structure/roller_in_space.yaml");
    assert_joint(def, "f.A", "gimbal");
    assert_joint(def, "f.B", "node");
    assert_vector(joint(def, "f.B")->axis, 0, 0, 1);
    assert_vector(joint(def, "f.B")->x_axis, 1, 0, 0);
    assert_int_equal(def->n_constraints, 1);
    const FbPointOnPlaneDef* roller = (const FbPointOnPlaneDef*)def->constraints[0];
    assert_string_equal(roller->head.name, "f.B.roller");
    assert_string_equal(roller->head.type, "point_on_plane");
    assert_string_equal(roller->point.body, "f.B");
    assert_vector(roller->normal, 0, 0.6, 0.8);
    assert_vector(roller->plane.at, 1, 0, 0);
    fb_model_def_destroy(def);
    def = test_read_file("test/unit/mesh_structure/oblique_roller_in_space.yaml");
    assert_joint(def, "f.A", "spherical");
    assert_joint(def, "f.B", "free");
    fb_model_def_destroy(def);
}

static void test_start_in_plane(void** state) {
    (void)state;
    // In the x-z plane the angle counts from x to z, which is against y.
    FbModelDef* def = test_read_file("test/unit/mesh_structure/start_in_plane.yaml");
    assert_joint(def, "f.A", "pin_slot");
    const FbJointDef *a = joint(def, "f.A"), *b = joint(def, "f.B");
    assert_vector(a->x_axis, 0.6, 0, 0.8);
    assert_vector(a->axis, 0, -1, 0);
    assert_near(a->position[0], 0.5);
    assert_near(a->position[1], -0.1);
    assert_true(a->has_position[1] && !a->has_position[2] && !a->has_velocity[0]);
    assert_near(b->position[0], 0.1);
    assert_near(b->position[1], 0.2);
    assert_near(b->position[2], -0.3);
    assert_near(b->velocity[2], -3);
    assert_vector(b->point, 1, 0, 2);
    fb_model_def_destroy(def);
    def = test_read_file("test/unit/mesh_structure/start_in_another_plane.yaml");
    assert_vector(body(def, "f.B")->position, 0, 1, 2);
    assert_near(joint(def, "f.B")->position[0], 0.1);
    assert_near(joint(def, "f.B")->position[2], 0.3);
    assert_vector(joint(def, "f.B")->axis, 1, 0, 0);
    assert_vector(joint(def, "f.B")->x_axis, 0, 1, 0);
    fb_model_def_destroy(def);
}

// The angular velocity of a ball is in the axes of the node, turned by 90 degrees about z.
static void test_start_in_space(void** state) {
    (void)state;
    FbModelDef* def = test_read_file("test/unit/mesh_structure/start_in_space.yaml");
    const FbJointDef* b = joint(def, "f.B");
    assert_near(b->position[5], 1.5707963267948966);
    assert_near(b->velocity[0], 7);
    assert_near(b->velocity[3], 0);
    assert_near(b->velocity[4], -1);
    assert_near(b->velocity[5], 2);
    fb_model_def_destroy(def);
}

static void test_springs_loads_and_welds(void** state) {
    (void)state;
    FbModelDef* def = test_read_file("test/unit/mesh_structure/springs_loads_and_welds.yaml");
    assert_joint(def, "f.A", "fixed");
    assert_string_equal(joint(def, "f.A")->body_a, "hub");
    assert_vector(joint(def, "f.A")->point, 0, 0, 1);
    const FbBushingDef* spring = (const FbBushingDef*)force(def, "f.B.spring");
    assert_string_equal(spring->head.type, "bushing");
    assert_string_equal(spring->a.origin.body, "ground");
    assert_string_equal(spring->b.origin.body, "f.B");
    assert_vector(spring->a.origin.at, 2, 0, 1);
    assert_vector(spring->translation_stiffness, 1, 2, 3);
    assert_vector(spring->rotation_stiffness, 4, 5, 6);
    assert_vector(spring->translation_damping, 0.1, 0, 0);
    const FbPointForceDef* load = (const FbPointForceDef*)force(def, "f.B.force");
    assert_string_equal(load->head.type, "force");
    assert_string_equal(load->point.body, "f.B");
    assert_string_equal(load->value[0], "10 kN");
    assert_string_equal(load->value[2], "f.B.q3*t");
    assert_string_equal(force(def, "f.B.moment")->type, "torque");
    assert_int_equal(def->n_forces, 3);
    fb_model_def_destroy(def);
}

// A hinge between two members in a plane is one joint; the support's own hinge serves a member.
static void test_hinges_in_plane(void** state) {
    (void)state;
    FbModelDef* def = test_read_file("test/unit/mesh_structure/hinges_in_plane.yaml");
    assert_string_equal(def->beams[0].body_a, "f.A");
    assert_string_equal(def->beams[0].body_b, "f.B");
    assert_string_equal(def->beams[1].body_a, "f.bc.from");
    assert_string_equal(def->beams[1].body_b, "f.bc.to");
    assert_string_equal(def->beams[2].body_a, "f.bd.from");
    assert_string_equal(def->beams[3].body_b, "f.C");
    assert_joint(def, "f.bc.from", "revolute");
    assert_string_equal(joint(def, "f.bc.from")->body_a, "f.B");
    assert_string_equal(joint(def, "f.bc.to")->body_a, "f.C");
    assert_vector(body(def, "f.bc.to")->position, 2, 0, 0);
    assert_int_equal(def->n_bodies, 4 + 3);
    fb_model_def_destroy(def);
}

// In a truss nodes do not turn; a member between two hinges does not spin.
static void test_hinges_in_space(void** state) {
    (void)state;
    FbModelDef* def = test_read_file("test/unit/mesh_structure/hinges_in_space.yaml");
    assert_joint(def, "f.A", "fixed");
    assert_joint(def, "f.B", "translation");
    assert_joint(def, "f.C", "translation");
    assert_int_equal(def->n_constraints, 1);
    assert_joint(def, "f.ab.from", "gimbal");
    assert_joint(def, "f.ab.to", "universal");
    assert_joint(def, "f.cd.from", "gimbal");
    assert_vector(joint(def, "f.ab.to")->axis, 1, 0, 0);
    assert_string_equal(def->beams[2].body_b, "f.D");
    fb_model_def_destroy(def);
}

static void test_rayleigh(void** state) {
    (void)state;
    FbModelDef* def = test_read_file("test/unit/mesh_structure/rayleigh_damping.yaml");
    const double pi = 3.14159265358979323846;
    for (int i = 0; i < 2; i++) {
        double w = 2 * pi * (i ? 10 : 2);
        assert_near(def->beams[0].alpha / (2 * w) + def->beams[0].beta * w / 2, 0.02);
    }
    fb_model_def_destroy(def);
}

// A bridge of bays by repeat, used twice as a template, the second time upright.
static void test_repeat_and_instances(void** state) {
    (void)state;
    FbModelDef* def = test_read_file("test/unit/mesh_structure/bridges.yaml");
    assert_vector(body(def, "one.f.B3")->position, 9, 2, 0);
    assert_vector(body(def, "two.f.B3")->position, 9, 0, 9);
    assert_vector(joint(def, "two.f.B3")->axis, 0, -1, 0);
    assert_vector(joint(def, "two.f.B3")->x_axis, 1, 0, 0);
    assert_string_equal(joint(def, "two.f.B0")->type, "revolute");
    assert_string_equal(((const FbPointTorqueDef*)force(def, "two.f.B2.moment"))->value[1],
                        "two.f.B0.q - (2)*(4)");
    assert_int_equal(def->n_beams, 2 * (1 + 2 + 3));
    // The beam's own x axis is (3, 0, 4)/5, its y axis in the turned plane.
    assert_string_equal(def->beams[6].member, "two.f.c1");
    assert_vector(def->beams[6].y_axis, -0.8, 0, 0.6);
    assert_near(def->beams[6].area, 3.14159265358979323846 * 0.04);
    assert_string_equal(def->sliders[1].guide[1], "two.f.c2");
    assert_string_equal(def->sliders[1].expression, "two.f.B1.q2");
    assert_near(def->sliders[1].mass, 4);
    fb_model_def_destroy(def);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_portal),
        cmocka_unit_test(test_beams),
        cmocka_unit_test(test_timoshenko_and_lumped),
        cmocka_unit_test(test_stations),
        cmocka_unit_test(test_supports_in_space),
        cmocka_unit_test(test_start_in_plane),
        cmocka_unit_test(test_start_in_space),
        cmocka_unit_test(test_springs_loads_and_welds),
        cmocka_unit_test(test_hinges_in_plane),
        cmocka_unit_test(test_hinges_in_space),
        cmocka_unit_test(test_rayleigh),
        cmocka_unit_test(test_repeat_and_instances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
