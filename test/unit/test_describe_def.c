// The editable model: defaults, copies, names and scopes.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
// cmocka needs the headers above.
#include <cmocka.h>

#include "describe/def.h"
#include "model_types.h"

static FbModelDef* new_def(void) {
    FbModelDef* def = NULL;
    FbTypeSet types = test_types();
    assert_int_equal(fb_def_create("test", &types, &def, NULL), FB_OK);
    return def;
}

static FbStatus add_body(FbModelDef* def, const char* name, FbError* err) {
    FbBodyDef body = fb_body_def_default();
    body.name = name;
    return fb_model_def_add_body(def, &body, err);
}

static void test_defaults(void** state) {
    (void)state;
    FbShapeDef shape = fb_shape_def_default();
    assert_true(isnan(shape.mass) && isnan(shape.density) && isnan(shape.radius) &&
                isnan(shape.size[2]));
    assert_true(shape.rotation[0] == 1 && shape.rotation[4] == 1 && shape.rotation[8] == 1);
    assert_true(isnan(fb_joint_def_default().x_axis[0]) && isnan(fb_joint_def_default().pitch));
    assert_string_equal(fb_settings_default().integrator, "auto");
    assert_true(fb_settings_default().rtol == 1e-9 && fb_settings_default().atol == 0.0);
    assert_true(fb_body_def_default().rotation[4] == 1);
    assert_true(fb_state_def_default().initial == 0 && fb_event_def_default().direction == 0);
}

// Nothing of the caller's memory is kept.
static void test_deep_copy(void** state) {
    (void)state;
    FbModelDef* def = new_def();
    char name[] = "arm", point[] = "tip", file[] = "f.yaml", key[] = "mass", type[] = "box";
    FbShapeDef shape = fb_shape_def_default();
    shape.type = type;
    FbNamedPoint p = {point, {1, 2, 3}};
    FbFieldPlace field = {key, 7, 9};
    FbBodyDef body = fb_body_def_default();
    body.name = name;
    body.shapes = &shape, body.n_shapes = 1;
    body.points = &p, body.n_points = 1;
    body.origin = (FbOrigin){.place = {file, 5, 3}, .fields = &field, .n_fields = 1};
    assert_int_equal(fb_model_def_add_body(def, &body, NULL), FB_OK);
    memset(name, 'x', 3), memset(point, 'x', 3), memset(file, 'x', 6), memset(key, 'x', 4);
    memset(type, 'x', 3), memset(&p, 0, sizeof p), memset(&field, 0, sizeof field);
    const FbBodyDef* copy = &def->bodies[0];
    assert_string_equal(copy->name, "arm");
    assert_string_equal(copy->shapes[0].type, "box");
    assert_string_equal(copy->points[0].name, "tip");
    assert_true(copy->points[0].at[2] == 3);
    FbPlace place = fb_origin_place(&copy->origin, "mass");
    assert_string_equal(place.file, "f.yaml");
    assert_int_equal(place.line, 7);
    assert_int_equal(place.col, 9);
    assert_int_equal(fb_origin_place(&copy->origin, "center").line, 5);
    fb_model_def_destroy(def);
}

static void test_all_kinds(void** state) {
    (void)state;
    FbModelDef* def = new_def();
    FbJointDef joint = fb_joint_def_default();
    joint.name = "j", joint.type = "revolute", joint.body_a = "ground", joint.body_b = "b";
    assert_int_equal(fb_model_def_add_joint(def, &joint, NULL), FB_OK);
    FbCouplingTerm term = {{"j", 0}, 2.0};
    FbCouplingDef c;
    fb_type_fill(&coupling_type, &c);
    c.head.name = "c", c.terms = &term, c.n_terms = 1;
    assert_int_equal(fb_model_def_add_constraint(def, &c.head, NULL), FB_OK);
    FbPointTorqueDef force;
    char value[] = "t";
    fb_type_fill(&torque_type, &force);
    force.head.name = "f", force.value[1] = value;
    assert_int_equal(fb_model_def_add_force(def, &force.head, NULL), FB_OK);
    value[0] = 'x';
    double times[2] = {0, 1}, values[2] = {3, 4};
    FbTableLawDef law;
    fb_type_fill(&table_type, &law);
    law.head.name = "l", law.times = times, law.values = values, law.n_points = 2;
    assert_int_equal(fb_model_def_add_law(def, &law.head, NULL), FB_OK);
    FbExpressionSensorDef sensor;
    char unit[] = "rad", limits[] = "a|b";
    fb_type_fill(&expression_type, &sensor);
    sensor.head.name = "s", sensor.value = "j.q", sensor.head.unit = unit;
    sensor.head.limits = limits;
    assert_int_equal(fb_model_def_add_sensor(def, &sensor.head, NULL), FB_OK);
    unit[0] = limits[0] = 'x';
    assert_string_equal(def->sensors[0]->unit, "rad");
    assert_string_equal(def->sensors[0]->limits, "a|b");
    FbStateDef x = fb_state_def_default();
    x.name = "x", x.rate = "s";
    assert_int_equal(fb_model_def_add_state(def, &x, NULL), FB_OK);
    FbEventDef event = fb_event_def_default();
    event.name = "e1", event.expression = "s";
    assert_int_equal(fb_model_def_add_event(def, &event, NULL), FB_OK);
    assert_int_equal(
        fb_model_def_add_initial(def, &(FbInitialDef){.sensor = "s", .value = 1}, NULL), FB_OK);
    memset(values, 0, sizeof values);
    term.factor = 0;
    assert_true(((const FbTableLawDef*)def->laws[0])->values[1] == 4 &&
                ((const FbCouplingDef*)def->constraints[0])->terms[0].factor == 2);
    const FbPointTorqueDef* torque = (const FbPointTorqueDef*)def->forces[0];
    assert_string_equal(torque->value[1], "t");
    assert_null(torque->value[0]);
    fb_model_def_set_gravity(def, (double[3]){0, 0, -9.81});
    FbSettings settings = fb_settings_default();
    settings.duration = 3;
    fb_model_def_set_settings(def, &settings);
    assert_true(fb_model_def_get_settings(def)->duration == 3 && def->gravity[2] == -9.81);
    assert_string_equal(fb_model_def_get_name(def), "test");
    fb_model_def_destroy(def);
}

// The head says which struct it is the head of, and a wrong one is refused before anything behind
// it is read; a type that is not known is left to the compiler.
static void test_heads(void** state) {
    (void)state;
    FbModelDef* def = new_def();
    FbSpringDef spring;
    FbError err;
    fb_type_fill(&spring_type, &spring);
    assert_string_equal(spring.head.type, "spring");
    assert_int_equal(spring.head.size, sizeof spring);
    assert_true(spring.stiffness == 0 && isnan(spring.rest) && !spring.force);
    spring.head.name = "s";
    spring.head.type = "bushing";
    assert_int_equal(fb_model_def_add_force(def, &spring.head, &err), FB_ERR_MODEL);
    assert_non_null(strstr(err.text, "start from the default function of its type"));
    assert_int_equal(def->n_forces, 0);
    FbForceDef bare = {.name = "s", .type = "sprong"};
    assert_int_equal(fb_model_def_add_force(def, &bare, &err), FB_OK);
    assert_string_equal(fb_model_def_get_force(def, 0)->type, "sprong");
    fb_model_def_destroy(def);
}

static void test_names(void** state) {
    (void)state;
    FbModelDef* def = new_def();
    FbError err;
    assert_int_equal(add_body(def, "rod", &err), FB_OK);
    assert_int_equal(add_body(def, "w1.rod", &err), FB_OK);
    assert_int_equal(add_body(def, "rod", &err), FB_ERR_NAME);
    assert_string_equal(err.text, "there is already a body 'rod'; names must be unique");
    assert_int_equal(add_body(def, "ground", &err), FB_ERR_NAME);
    static const char* const bad[] = {"", "2x", "a b", "a..b", ".a", "a.", "a-b", "\xc3\xa9"};
    for (int i = 0; i < 8; i++) {
        assert_int_equal(add_body(def, bad[i], &err), FB_ERR_NAME);
    }
    assert_int_equal(add_body(def, NULL, &err), FB_ERR_NAME);
    assert_int_equal(def->n_bodies, 2);
    fb_model_def_destroy(def);
}

// Parameters, sensors and states are found by bare names in expressions, so they share one space of
// names.
static void test_value_names(void** state) {
    (void)state;
    FbModelDef* def = new_def();
    FbError err;
    assert_int_equal(fb_model_def_set_parameter(def, "k", 1, &err), FB_OK);
    assert_int_equal(fb_model_def_set_parameter(def, "k", 2, &err), FB_OK);
    assert_int_equal(def->n_parameters, 1);
    assert_true(def->parameters[0].value == 2);
    assert_int_equal(fb_model_def_set_parameter(def, "pi", 3, &err), FB_ERR_NAME);
    FbExpressionSensorDef sensor;
    fb_type_fill(&expression_type, &sensor);
    sensor.head.name = "k";
    assert_int_equal(fb_model_def_add_sensor(def, &sensor.head, &err), FB_ERR_NAME);
    assert_non_null(strstr(err.text, "same name as a parameter"));
    sensor.head.name = "s";
    assert_int_equal(fb_model_def_add_sensor(def, &sensor.head, &err), FB_OK);
    FbStateDef x = fb_state_def_default();
    x.name = "s";
    assert_int_equal(fb_model_def_add_state(def, &x, &err), FB_ERR_NAME);
    x.name = "t";
    assert_int_equal(fb_model_def_add_state(def, &x, &err), FB_ERR_NAME);
    fb_model_def_destroy(def);
}

static void test_scopes(void** state) {
    (void)state;
    FbModelDef* def = new_def();
    static const char* const names[] = {"rod", "w1.rod", "w1.v2.rod", "w1.bar"};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(add_body(def, names[i], NULL), FB_OK);
    }
    assert_int_equal(fb_def_find_body(def, NULL, "rod"), 0);
    assert_int_equal(fb_def_find_body(def, "w1.", "rod"), 1);
    assert_int_equal(fb_def_find_body(def, "w1.v2.", "rod"), 2);
    assert_int_equal(fb_def_find_body(def, "w1.v2.", "bar"), 3);
    assert_int_equal(fb_def_find_body(def, "w2.", "rod"), 0);
    assert_int_equal(fb_def_find_body(def, "w1.", "w1.rod"), 1);
    assert_int_equal(fb_def_find_body(def, "w1.", "v2.rod"), 2);
    assert_int_equal(fb_def_find_body(def, "w1.", "ground"), FB_GROUND);
    assert_int_equal(fb_def_find_body(def, NULL, "bar"), FB_NOT_FOUND);
    assert_int_equal(fb_def_find_body(def, NULL, NULL), FB_NOT_FOUND);
    assert_int_equal(fb_def_find_joint(def, "w1.", "rod"), FB_NOT_FOUND);
    fb_model_def_destroy(def);
}

static void test_many(void** state) {
    (void)state;
    FbModelDef* def = new_def();
    char name[16];
    for (int i = 0; i < 500; i++) {
        snprintf(name, sizeof name, "b%d", i);
        assert_int_equal(add_body(def, name, NULL), FB_OK);
    }
    assert_int_equal(fb_def_find_body(def, NULL, "b499"), 499);
    fb_model_def_destroy(def);
    fb_model_def_destroy(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),  cmocka_unit_test(test_deep_copy),
        cmocka_unit_test(test_all_kinds), cmocka_unit_test(test_heads),
        cmocka_unit_test(test_names),     cmocka_unit_test(test_value_names),
        cmocka_unit_test(test_scopes),    cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
