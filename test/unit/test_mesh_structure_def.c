// Structures by the C interface: large ones, and what is refused. How their cost grows is measured
// by the benchmark program (bench_growth.c).
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
#include "model_types.h"
#include "read_support.h"

static void assert_near(double value, double expected) {
    if (!(fabs(value - expected) <= 1e-13 * (1 + fabs(expected)))) {
        fail_msg("%.17g instead of %.17g", value, expected);
    }
}

static const FbBodyDef* body(const FbModelDef* def, const char* name) {
    int i = fb_def_find_body(def, NULL, name);
    if (i < 0) {
        fail_msg("there is no body %s", name);
    }
    return &def->bodies[i];
}

static FbModelDef* with_parts(void) {
    FbModelDef* def;
    FbTypeSet types = test_types();
    assert_int_equal(fb_def_create("m", &types, &def, NULL), FB_OK);
    FbMaterialDef material = fb_material_def_default();
    material.name = "steel";
    material.youngs_modulus = 210e9;
    material.density = 7850;
    assert_int_equal(fb_model_def_add_material(def, &material, NULL), FB_OK);
    FbSectionDef section = fb_section_def_default();
    section.name = "bar";
    section.type = "circle";
    section.material = "steel";
    section.radius = 0.01;
    assert_int_equal(fb_model_def_add_section(def, &section, NULL), FB_OK);
    return def;
}

typedef struct Beam {
    FbNodeDef nodes[2];
    FbMemberDef member;
    FbStructureDef s;
} Beam;

static void describe(Beam* b, int n_elements) {
    b->nodes[0] = b->nodes[1] = fb_node_def_default();
    b->nodes[0].name = "A";
    b->nodes[0].support = "clamped";
    b->nodes[1].name = "B";
    b->nodes[1].at[0] = 5.0;
    b->member = fb_member_def_default();
    b->member.name = "m";
    b->member.from = "A";
    b->member.to = "B";
    b->member.section = "bar";
    b->member.n_elements = n_elements;
    b->s = fb_structure_def_default();
    b->s.name = "f";
    b->s.nodes = b->nodes;
    b->s.n_nodes = 2;
    b->s.members = &b->member;
    b->s.n_members = 1;
}

static void add_elements(int n) {
    FbModelDef* def = with_parts();
    Beam beam;
    describe(&beam, n);
    assert_int_equal(fb_model_def_add_structure(def, &beam.s, NULL), FB_OK);
    assert_int_equal(def->n_bodies, n + 1);
    assert_int_equal(def->n_beams, n);
    char name[40];
    snprintf(name, sizeof(name), "f.m.n%d", n / 2);
    assert_near(body(def, name)->position[0], 2.5);
    fb_model_def_destroy(def);
}

static void test_large(void** state) {
    (void)state;
    add_elements(2);
    add_elements(40000);
}

// Every member has its own element, between its own nodes.
static void read_members(int n) {
    char value[20];
    snprintf(value, sizeof(value), "%d", n);
    FbOverride override = {"n", value};
    FbModelDef* def = test_read_with("test/unit/mesh_structure/many_members.yaml",
                                     &(FbReadOptions){.overrides = &override, .n_overrides = 1}, 0);
    assert_int_equal(def->n_beams, n);
    char name[40];
    snprintf(name, sizeof(name), "f.N%d", n);
    assert_near(body(def, name)->position[0], n);
    fb_model_def_destroy(def);
}

static void test_many_members(void** state) {
    (void)state;
    read_members(1);
    read_members(20000);
}

static void assert_refused(Beam* beam, FbStatus status, const char* text) {
    FbModelDef* def = with_parts();
    FbError err;
    fb_error_clear(&err);
    assert_int_equal(fb_model_def_add_structure(def, &beam->s, &err), status);
    if (!strstr(err.text, text)) {
        fail_msg("'%s' does not contain '%s'", err.text, text);
    }
    assert_int_equal(def->n_bodies + def->n_joints + def->n_beams + def->n_structures, 0);
    fb_model_def_destroy(def);
}

static void test_refused(void** state) {
    (void)state;
    Beam b;
    describe(&b, 0);
    assert_refused(&b, FB_ERR_RANGE, "member 'm' has 0 elements");
    describe(&b, 1);
    b.s.n_members = 0;
    assert_refused(&b, FB_ERR_MODEL, "needs at least two nodes and a member");
    describe(&b, 1);
    b.s.name = "2f";
    assert_refused(&b, FB_ERR_NAME, "'2f' is not a valid name");
    describe(&b, 1);
    b.s.beta = -1.0;
    assert_refused(&b, FB_ERR_RANGE, "both must be >= 0");
    describe(&b, 1);
    b.s.damping_ratio = 1.0;
    assert_refused(&b, FB_ERR_RANGE, "must be >= 0 and < 1");
    describe(&b, 1);
    b.s.plane_normal = 3;
    assert_refused(&b, FB_ERR_RANGE, "must be 0, 1, 2 or -1");
    describe(&b, 1);
    b.nodes[1].at[0] = 1e-300;
    b.nodes[0].at[1] = b.nodes[1].at[1] = 1.0;
    assert_refused(&b, FB_ERR_RANGE, "has no length");
    describe(&b, 1);
    b.nodes[1].at[2] = NAN;
    assert_refused(&b, FB_ERR_RANGE, "");
    describe(&b, 1);
    b.nodes[1].mass = -2.0;
    assert_refused(&b, FB_ERR_RANGE, "mass of node 'B' is -2 kg");
    describe(&b, 1);
    b.nodes[1].damping[3] = NAN;
    assert_refused(&b, FB_ERR_RANGE, "damping of node 'B'");
    describe(&b, 1);
    b.nodes[1].support = "clampd";
    assert_refused(&b, FB_ERR_NAME, "did you mean 'clamped'?");
    describe(&b, 1);
    b.nodes[1].name = "A";
    assert_refused(&b, FB_ERR_NAME, "has two nodes 'A'");
    describe(&b, 1);
    b.nodes[1].name = NULL;
    assert_refused(&b, FB_ERR_NAME, "is not a valid name for a node");
    describe(&b, 1);
    b.member.section = NULL;
    assert_refused(&b, FB_ERR_NAME, "there is no section ''");
}

static void test_twice(void** state) {
    (void)state;
    FbModelDef* def = with_parts();
    FbError err;
    Beam b;
    describe(&b, 3);
    assert_int_equal(fb_model_def_add_structure(def, &b.s, &err), FB_OK);
    assert_int_equal(fb_model_def_add_structure(def, &b.s, &err), FB_ERR_NAME);
    assert_string_equal(err.text, "there is already a structure 'f'; names must be unique");
    assert_int_equal(def->n_beams, 3);
    fb_model_def_destroy(def);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_many_members),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
