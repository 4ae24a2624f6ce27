// Sliders: every key of the file, and the chain of members that a guide is.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
// cmocka needs the headers above.
#include <cmocka.h>

#include "base/error.h"
#include "describe/def.h"
#include "describe/slider_check.h"
#include "read_support.h"

static void assert_near(double value, double expected) {
    if (!(fabs(value - expected) <= 1e-13 * (1 + fabs(expected)))) {
        fail_msg("%.17g instead of %.17g", value, expected);
    }
}

// A square A B C D with members of two elements, one of them against the round, one hinged.
static void test_keys(void** state) {
    (void)state;
    FbModelDef* def = test_read_file("test/unit/describe_slider/keys.yaml");
    const FbSliderDef *a = &def->sliders[0], *b = &def->sliders[1], *c = &def->sliders[2];
    assert_int_equal(def->n_sliders, 4);
    assert_string_equal(a->guide[0], "f.ab");
    assert_int_equal(a->n_guide, 1);
    assert_near(a->mass, 7.5);
    assert_near(a->rotary_inertia, 0.2);
    assert_string_equal(a->theory, "form_1b");
    assert_true(a->is_transverse);
    assert_string_equal(a->law, "reel");
    assert_false(a->is_free);
    assert_string_equal(b->body, "arm");
    assert_int_equal(b->n_points, 3);
    assert_near(b->points[5], 2);
    assert_near(b->points[8], 3);
    assert_null(b->theory);
    assert_false(b->is_transverse);
    assert_string_equal(b->expression, "2 + a.s");
    assert_true(c->is_free);
    assert_near(c->position, 0.5);
    assert_near(c->velocity, -1);
    assert_near(c->friction, 2);
    assert_near(c->stiffness, 3);
    assert_near(c->rest, 0.25);
    assert_string_equal(c->force, "5 kN");
    assert_string_equal(def->sliders[3].state, "drive");
    fb_model_def_destroy(def);
}

static void test_guide(void** state) {
    (void)state;
    FbModelDef* def = test_read_file("test/unit/describe_slider/guide.yaml");
    FbGuideMember m[4];
    assert_int_equal(fb_slider_calc_guide(def, &def->sliders[0], m, NULL), FB_OK);
    assert_int_equal(m[0].first_beam, 0);
    assert_int_equal(m[0].n_beams, 2);
    assert_int_equal(m[1].first_beam, 2);
    assert_int_equal(m[1].n_beams, 3);
    assert_false(m[0].is_backwards);
    assert_true(m[1].is_backwards);
    assert_false(m[2].is_backwards);  // begins at a hinge, which is at the node's place
    assert_false(m[3].is_backwards);
    // The first of two is travelled towards the second.
    assert_int_equal(fb_slider_calc_guide(def, &def->sliders[1], m, NULL), FB_OK);
    assert_true(m[0].is_backwards);
    assert_true(m[1].is_backwards);
    fb_model_def_destroy(def);
}

// Points on the ground move with the instance, those in its bodies do not.
static void test_instance(void** state) {
    (void)state;
    FbModelDef* def = test_read_file("test/unit/describe_slider/instance.yaml");
    assert_near(def->sliders[0].points[5], 5);
    assert_near(def->sliders[1].points[5], 0);
    assert_string_equal(def->sliders[0].name, "w.g");
    assert_string_equal(def->sliders[1].body, "w.car");
    assert_string_equal(def->sliders[1].expression, "w.g.s");
    fb_model_def_destroy(def);
}

static void assert_refused(const FbSliderDef* s, FbStatus status, const char* text) {
    FbError err;
    fb_error_clear(&err);
    assert_int_equal(fb_slider_check(s, &err), status);
    if (!strstr(err.text, text)) {
        fail_msg("'%s' does not contain '%s'", err.text, text);
    }
}

static void test_refused(void** state) {
    (void)state;
    static const char* const guide[] = {"f.ab"};
    FbSliderDef s = fb_slider_def_default();
    s.name = "s";
    s.guide = guide;
    s.n_guide = 1;
    s.law = "l";
    assert_refused(&s, FB_ERR_RANGE, "mass of slider 's' is nan kg; it must be > 0");
    s.mass = 1.0;
    assert_refused(&s, FB_OK, "");
    s.rotary_inertia = -1.0;
    assert_refused(&s, FB_ERR_RANGE, "rotary_inertia");
    s.rotary_inertia = 0.0;
    s.force = "1";
    assert_refused(&s, FB_ERR_MODEL, "would ignore 'force'");
    s.law = NULL;
    s.is_free = true;
    assert_refused(&s, FB_OK, "");
    s.friction = -1.0;
    assert_refused(&s, FB_ERR_RANGE, "damping of slider 's' is -1; it must be finite and >= 0");
    s.friction = 0.0;
    s.rest = INFINITY;
    assert_refused(&s, FB_ERR_RANGE, "rest of slider 's' is inf");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_guide),
        cmocka_unit_test(test_instance),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
