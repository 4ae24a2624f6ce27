// Structures that can turn: which theory they get if they name none, which are refused, and what
// becomes of linear ones that turn in a run.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "run_support.h"

// Changes of the nodes in the files space.yaml and plane.yaml.
#define IN_SPACE(A, B, C)                                          \
    "[7, 8, 9]} => [7, 8, 9]" A "}; [8, 9, 9.5]} => [8, 9, 9.5]" B \
    "}; [8, 7, 10]} => [8, 7, 10]" C "}"
#define IN_PLANE(A, B, C) \
    "[7, 8]} => [7, 8]" A "}; [8, 9]} => [8, 9]" B "}; [8, 7]} => [8, 7]" C "}"
#define FOLDER "test/verify/turning/"

static void check_theory(const char* path, const char* changes, const char* structure,
                         bool is_nonlinear) {
    FbModel* model = test_model_with(path, "%s", changes);
    FbStructureInfo info = {0};
    bool is_found = false;
    for (int i = 0; fb_model_get_structure(model, i, &info) && !is_found; i++) {
        is_found = strcmp(info.name, structure) == 0;
        if (is_found && info.is_nonlinear != is_nonlinear) {
            fail_msg("%s should be %s in %s: %s", structure, is_nonlinear ? "nonlinear" : "linear",
                     path, changes);
        }
    }
    assert_true(is_found);
    fb_model_destroy(model);
}

// What the supports of a structure let it do (eq. 8.77).
static void supports(void** state) {
    (void)state;
    const struct {
        const char *path, *changes;
        bool is_nonlinear;
    } cases[] = {
        {FOLDER "space.yaml", IN_SPACE("", "", ""), true},
        {FOLDER "space.yaml", IN_SPACE("", ", support: clamped", ""), false},
        {FOLDER "space.yaml", IN_SPACE(", support: pinned", "", ""), true},
        {FOLDER "space.yaml", IN_SPACE(", support: pinned", ", support: pinned", ""),
         true},  // about A-B
        {FOLDER "space.yaml",
         IN_SPACE(", support: pinned", ", support: pinned", ", support: pinned"), false},
        {FOLDER "space.yaml",
         IN_SPACE(", support: pinned", ", support: pinned",
                  ", support: roller, direction: [-1, 2, 3]"),
         false},
        // A roller on the plane of all three nodes' normal holds; one along it does not.
        {FOLDER "space.yaml",
         IN_SPACE(", support: pinned", ", support: pinned",
                  ", support: roller, direction: [1, 1, 0.5]"),
         true},
        {FOLDER "space.yaml",
         IN_SPACE(", stiffness: [5, 5, 5]", ", stiffness: [5, 5, 5]", ", stiffness: [5, 5, 5]"),
         false},
        {FOLDER "space.yaml", IN_SPACE(", stiffness: [5, 5, 5, 1, 1]", "", ""), true},
        {FOLDER "space.yaml", IN_SPACE(", stiffness: [5, 5, 5, 1, 1, 1]", "", ""), false},
        {FOLDER "plane.yaml", IN_PLANE("", "", ""), true},
        {FOLDER "plane.yaml", IN_PLANE(", support: pinned", "", ""), true},
        {FOLDER "plane.yaml", IN_PLANE(", support: pinned", ", support: roller", ""), false},
        // The roller's normal leads through the pin: it can turn about it.
        {FOLDER "plane.yaml",
         IN_PLANE(", support: pinned", ", support: roller, direction: [-1, 0, 1]", ""), true},
        {FOLDER "plane.yaml", IN_PLANE(", support: clamped", "", ""), false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check_theory(cases[i].path, cases[i].changes, "f", cases[i].is_nonlinear);
    }
}

// What bodies and joints let it do, also through templates and other structures.
static void carriers(void** state) {
    (void)state;
    const char* types[] = {"revolute",        "cylindrical", "planar",    "universal",  "free",
                           "screw, pitch: 1", "fixed",       "prismatic", "translation"};
    char changes[100];
    for (int i = 0; i < 9; i++) {
        snprintf(changes, sizeof(changes), "type: revolute => type: %s", types[i]);
        check_theory(FOLDER "on_hub.yaml", changes, "f", i < 6);
    }
    // A chain of sleds, listed from its end.
    check_theory(FOLDER "on_sleds.yaml", "", "f", false);
    // Joints of the structure itself.
    check_theory(FOLDER "own_joint.yaml", "", "f", true);
    check_theory(FOLDER "own_joint.yaml", "type: revolute => type: spherical", "f", true);
    check_theory(FOLDER "own_joint.yaml", "type: revolute => type: fixed", "f", false);
    // A spring may hold it or not.
    check_theory(FOLDER "on_a_spring.yaml", "", "f", false);
    // On other structures, in whichever order.
    for (int i = 0; i < 2; i++) {
        const char* support = i ? "support: clamped => support: pinned" : "";
        check_theory(FOLDER "on_a_structure.yaml", support, "f", i == 1);
        check_theory(FOLDER "on_a_structure.yaml", support, "g", i == 1);
    }
    // In a template, where names are those of the instance.
    check_theory(FOLDER "in_a_template.yaml", "", "one.f", true);
}

static void expect_error(const char* changes, const char* message) {
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    FbModelDef* def = test_def_with(FOLDER "linear_on_hub.yaml", "%s", changes);
    FbModel* model = NULL;
    assert_true(fb_model_create(def, &model, diagnostics) < 0);
    assert_non_null(strstr(fb_diagnostics_get(diagnostics, 0)->text, message));
    assert_int_equal(fb_diagnostics_get(diagnostics, 0)->place.line > 0, 1);
    fb_model_def_destroy(def);
    fb_diagnostics_destroy(diagnostics);
}

// A linear structure on what turns is refused; one that something holds is not.
static void refused(void** state) {
    (void)state;
    const char* message =
        "structure 'f' is linear, which is valid only for small displacements from the drawing, "
        "but it can rotate because joint 'axle' can";
    expect_error("type: prismatic => type: revolute", message);
    expect_error(
        "type: prismatic => type: revolute; structures: => "
        "constraints: {drive: {type: motion, joint: axle, value: 3*t}}\nstructures:",
        message);
    expect_error("type: prismatic => type: revolute; [8, 7, 10] => [8, 7, 10], body: hub", message);
    const char* held[] = {
        "type: prismatic => type: revolute; [8, 9, 9.5] => [8, 9, 9.5], support: clamped",
        "type: prismatic => type: revolute; [8, 7, 10] => [8, 7, 10], support: pinned",
        "type: prismatic => type: revolute; structures: => "
        "forces: {t: {type: torsion, joint: axle, stiffness: 5}}\nstructures:",
        "type: prismatic => type: revolute; structures: => "
        "constraints: {hold: {type: motion, joint: axle, value: 0}}\nstructures:",
        "",
    };
    for (size_t i = 0; i < sizeof(held) / sizeof(held[0]); i++) {
        fb_model_destroy(test_model_with(FOLDER "linear_on_hub.yaml", "%s", held[i]));
    }
    fb_model_destroy(test_model_from_file(FOLDER "linear_space.yaml"));
}

static FbStatus run_on_spring(double rate, char* warning, size_t size, FbError* err) {
    FbResult* result = NULL;
    FbModel* model = test_model_with(FOLDER "linear_on_a_torsion_spring.yaml", "rate=%g", rate);
    FbRunOptions options = fb_run_options_default(model);
    options.settings.duration = 3.0;
    options.settings.rtol = 1e-5;
    FbStatus status = fb_simulate(model, &options, &result, err);
    bool has_one = result && fb_result_get_warning_count(result) > 0;
    const char* first = has_one ? fb_result_get_warning(result, 0) : NULL;
    snprintf(warning, size, "%s", first ? first : "");
    fb_result_destroy(result);
    fb_model_destroy(model);
    return status;
}

// On a spring it may turn by a little, by more, or by too much.
static void watched(void** state) {
    (void)state;
    char warning[600];
    FbError err;
    assert_int_equal(run_on_spring(0.05, warning, sizeof(warning), &err), FB_OK);
    assert_string_equal(warning, "");
    assert_int_equal(run_on_spring(2.0, warning, sizeof(warning), &err), FB_OK);
    assert_non_null(strstr(warning, "rotated by up to"));
    assert_int_equal(run_on_spring(50.0, warning, sizeof(warning), &err), FB_ERR_MODEL);
    assert_non_null(strstr(err.text, "use `theory: nonlinear`"));
}

static FbStatus run_bent(const char* changes, char* warning, size_t size) {
    FbError err;
    FbResult* result = NULL;
    FbModel* model = test_model_with(FOLDER "bent.yaml", "%s", changes);
    FbRunOptions options = fb_run_options_default(model);
    FbStatus status = fb_simulate(model, &options, &result, &err);
    bool has_one = result && fb_result_get_warning_count(result) > 0;
    snprintf(warning, size, "%s", has_one ? fb_result_get_warning(result, 0) : "");
    fb_result_destroy(result);
    fb_model_destroy(model);
    return status;
}

// What is bent by 2 rad stays linear only where that is written, and is warned of.
static void bent(void** state) {
    (void)state;
    char warning[600];
    assert_int_equal(run_bent("theory: linear =>", warning, sizeof(warning)), FB_ERR_MODEL);
    assert_int_equal(run_bent("", warning, sizeof(warning)), FB_OK);
    assert_non_null(strstr(warning, "rotated by up to 2 rad"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(supports), cmocka_unit_test(carriers), cmocka_unit_test(refused),
        cmocka_unit_test(watched),  cmocka_unit_test(bent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
