// The reader on good files: every kind of field, units, expressions, parameters and overrides.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
// cmocka needs the headers above.
#include <cmocka.h>

#include "describe/def.h"
#include "read_support.h"

static const double PI = 3.14159265358979323846;

static void assert_near(double value, double expected) {
    if (!(fabs(value - expected) <= 1e-14 * (1 + fabs(expected)))) {
        fail_msg("%.17g instead of %.17g", value, expected);
    }
}

static void test_header(void** state) {
    (void)state;
    FbModelDef* def = test_read_file("test/unit/read_model/good.yaml");
    assert_string_equal(def->name, "good");
    assert_string_equal(def->title, "A title");
    assert_string_equal(def->file, "test/unit/read_model/good.yaml");
    assert_int_equal(strlen(def->sha256), 64);
    assert_near(def->gravity[2], -9.81);
    assert_near(def->settings.duration, 10);
    assert_near(def->settings.sample, 0.1);
    assert_near(def->settings.rtol, 1e-6);
    assert_near(def->settings.atol, 0.0);
    assert_string_equal(def->settings.integrator, "radau");
    fb_model_def_destroy(def);
    def = test_read_file("test/unit/read_model/model.json");
    assert_string_equal(def->name, "json-model");
    fb_model_def_destroy(def);
}

static double parameter(const FbModelDef* def, const char* name) {
    int i = fb_def_find_parameter(def, NULL, name);
    assert_true(i >= 0);
    return def->parameters[i].value;
}

static void test_numbers(void** state) {
    (void)state;
    FbModelDef* def = test_read_file("test/unit/read_model/numbers.yaml");
    assert_near(parameter(def, "rho"), 3000);
    assert_near(parameter(def, "beta"), PI / 6);
    assert_near(parameter(def, "k"), 8e5);
    assert_near(parameter(def, "a"), 0.004);
    assert_near(parameter(def, "b"), 0.005);
    assert_near(parameter(def, "c"), 0.06);
    assert_near(parameter(def, "d"), 4 * PI);
    assert_near(parameter(def, "f"), 7);
    assert_near(parameter(def, "g"), -1.5e-3);
    assert_near(parameter(def, "h"), 2 * PI);
    assert_near(parameter(def, "i"), 3);
    assert_near(parameter(def, "j"), 0.5);
    assert_near(parameter(def, "n"), 8);
    assert_int_equal(def->parameters[1].place.line, 4);
    fb_model_def_destroy(def);
}

static void test_overrides(void** state) {
    (void)state;
    FbOverride overrides[] = {{"L", "1"}, {"L", "2*k mm"}};
    FbReadOptions options = {.overrides = overrides, .n_overrides = 2};
    FbModelDef* def = test_read_with("test/unit/read_model/overrides.yaml", &options, 0);
    assert_near(parameter(def, "L"), 0.006);
    assert_near(parameter(def, "twice"), 0.012);
    fb_model_def_destroy(def);
}

static const char mechanism[] = "test/unit/read_model/mechanism.yaml";

static FbModelDef* read_mechanism(void) {
    return test_read_file(mechanism);
}

static void test_bodies(void** state) {
    (void)state;
    FbModelDef* def = read_mechanism();
    assert_int_equal(def->n_bodies, 4);
    const FbBodyDef* b = &def->bodies[0];
    assert_near(b->position[2], 0.01);
    static const double about_y[9] = {0, 0, 1, 0, 1, 0, -1, 0, 0};
    static const double about_z[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
    static const double half_z[9] = {-1, 0, 0, 0, -1, 0, 0, 0, 1};
    static const double axes[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
    for (int i = 0; i < 9; i++) {
        assert_near(b->rotation[i], about_y[i]);
        assert_near(def->bodies[1].rotation[i], about_z[i]);
        assert_near(def->bodies[2].rotation[i], half_z[i]);
        assert_near(def->bodies[3].rotation[i], axes[i]);
    }
    assert_near(b->mass, 2);
    assert_near(b->center[2], 0.5);
    assert_near(b->inertia[5], 0.3);
    assert_int_equal(b->n_shapes, 2);
    assert_string_equal(b->shapes[0].type, "box");
    assert_near(b->shapes[0].size[0], 0.01);
    assert_near(b->shapes[0].density, 3000);
    assert_true(b->shapes[1].is_visual_only && !b->shapes[0].is_visual_only);
    assert_string_equal(b->points[0].name, "tip");
    assert_string_equal(b->color, "#3366cc");
    assert_int_equal(b->origin.place.line, 4);
    assert_int_equal(fb_origin_place(&b->origin, "mass").line, 7);
    assert_int_equal(fb_origin_place(&b->origin, "mass").col, 11);
    fb_model_def_destroy(def);
}

static void test_joints(void** state) {
    (void)state;
    FbModelDef* def = read_mechanism();
    const FbJointDef *spin = &def->joints[0], *arm = &def->joints[1], *tilt = &def->joints[2];
    assert_string_equal(spin->type, "revolute");
    assert_string_equal(spin->body_a, "ground");
    assert_string_equal(spin->body_b, "shaft");
    assert_false(spin->has_frames);
    assert_near(spin->point[2], 1);
    assert_true(spin->has_velocity[0] && !spin->has_velocity[1] && !spin->has_position[0]);
    assert_near(spin->velocity[0], 2 * PI);
    assert_true(isnan(spin->x_axis[0]));
    assert_true(arm->has_frames && arm->has_position[0]);
    assert_string_equal(arm->body_b, "rod");
    assert_near(arm->frame_a.origin.at[2], 1);
    // z axis of the frame along y
    assert_near(arm->frame_a.rotation[2], 0);
    assert_near(arm->frame_a.rotation[5], 1);
    assert_near(arm->frame_b.rotation[0], 1);
    assert_near(arm->position[0], PI / 6);
    assert_string_equal(tilt->body_a, "shaft");
    assert_string_equal(tilt->frame_a.origin.point, "tip");
    assert_true(tilt->frame_b.origin.is_global);
    assert_near(tilt->frame_b.origin.at[1], 2);
    assert_true(!tilt->has_position[0] && tilt->has_position[1]);
    assert_near(tilt->position[1], 2);
    fb_model_def_destroy(def);
}

static void test_other_parts(void** state) {
    (void)state;
    FbModelDef* def = read_mechanism();
    const FbDistanceDef* rod = (const FbDistanceDef*)def->constraints[0];
    assert_string_equal(rod->a.body, "shaft");
    assert_string_equal(rod->a.point, "tip");
    assert_string_equal(rod->b.body, "ground");
    assert_true(isnan(rod->length));
    const FbCouplingDef* coupling = (const FbCouplingDef*)def->constraints[1];
    assert_int_equal(coupling->n_terms, 2);
    assert_string_equal(coupling->terms[1].coordinate.joint, "arm");
    assert_int_equal(coupling->terms[1].coordinate.index, 1);
    assert_near(coupling->terms[1].factor, -2);
    assert_string_equal(coupling->law, "swing");
    const FbSpringDef* spring = (const FbSpringDef*)def->forces[0];
    assert_near(spring->stiffness, 8e5);
    assert_true(isnan(spring->rest));
    assert_string_equal(spring->force, "k3*length");
    assert_string_equal(spring->b.point, "end");
    const FbPointTorqueDef* torque = (const FbPointTorqueDef*)def->forces[1];
    assert_string_equal(torque->value[0], "0");
    assert_string_equal(torque->value[1], "5 kN*m");
    assert_string_equal(torque->value[2], "sin(t)*spin.v");
    assert_true(torque->in_body_frame);
    assert_near(((const FbBushingDef*)def->forces[2])->a.rotation[1], -1);
    const FbTorsionDef* torsion = (const FbTorsionDef*)def->forces[3];
    assert_string_equal(torsion->joint.joint, "arm");
    assert_int_equal(torsion->joint.index, 1);
    const FbTableLawDef* law = (const FbTableLawDef*)def->laws[0];
    assert_int_equal(law->n_points, 3);
    assert_near(law->values[1], 1);
    assert_true(law->is_linear);
    fb_model_def_destroy(def);
}

static void test_outputs_and_events(void** state) {
    (void)state;
    FbModelDef* def = read_mechanism();
    FbSensorDef** s = def->sensors;
    assert_int_equal(def->n_sensors, 4);
    assert_string_equal(s[0]->type, "expression");
    assert_string_equal(((const FbExpressionSensorDef*)s[0])->value, "spin.q");
    assert_true(s[0]->is_recorded && !s[3]->is_recorded);
    assert_string_equal(((const FbPointSensorDef*)s[1])->frame, "shaft");
    assert_int_equal(s[1]->component, 1);
    assert_string_equal(((const FbAppliedSensorDef*)s[2])->force, "s1");
    assert_int_equal(s[2]->component, -1);
    assert_int_equal(s[0]->component, -1);
    assert_string_equal(s[3]->unit, "rad");
    assert_near(def->states[0].initial, 1);
    assert_string_equal(def->states[0].rate, "1 - angle");
    const FbEventDef* e = def->events;
    assert_int_equal(e[0].direction, -1);
    assert_int_equal(e[0].action, FB_EVENT_STOP);
    assert_int_equal(e[0].max_count, 3);
    assert_int_equal(e[1].direction, 0);
    assert_int_equal(e[1].action, FB_EVENT_SWITCH);
    assert_string_equal(e[1].to, "swing");
    assert_string_equal(def->initials[0].sensor, "tip.y");
    assert_near(def->initials[0].value, 1e-3);
    fb_model_def_destroy(def);
}

static void test_anchors(void** state) {
    (void)state;
    FbModelDef* def = test_read_file("test/unit/read_model/anchors.yaml");
    assert_int_equal(def->n_bodies, 3);
    assert_near(def->bodies[1].mass, 2);
    assert_near(def->bodies[2].inertia[1], 1);
    fb_model_def_destroy(def);
}

static void test_files(void** state) {
    (void)state;
    char* text;
    size_t size;
    FbError err;
    assert_int_equal(fb_read_file("no/such/file.yaml", &text, &size, &err), FB_ERR_IO);
    assert_string_equal(err.file, "no/such/file.yaml");
    assert_non_null(strstr(err.text, "No such file"));
    assert_int_equal(fb_read_file("/", &text, &size, &err), FB_ERR_IO);
    assert_int_equal(fb_read_file("/dev/null", &text, &size, &err), FB_OK);
    assert_int_equal(size, 0);
    assert_string_equal(text, "");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_header),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_overrides),
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_joints),
        cmocka_unit_test(test_other_parts),
        cmocka_unit_test(test_outputs_and_events),
        cmocka_unit_test(test_anchors),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
