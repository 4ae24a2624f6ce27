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

#define PARTS                                                                            \
    "flyball: 1\nmaterials: {m: {E: 1e6, nu: 0.3, density: 2}}\n"                        \
    "sections: {bar: {type: general, material: m, A: 1, Iy: 4e-3, Iz: 4e-3, J: 8e-3}}\n" \
    "simulation: {duration: 0.1, sample: 0.1}\n"
#define MEMBERS \
    "    members: {m: {from: A, to: B, section: bar}, n: {from: B, to: C, section: bar}}\n"
#define IN_SPACE(A, B, C)                                                           \
    "structures:\n  f:\n    nodes: {A: {at: [7, 8, 9]" A "}, B: {at: [8, 9, 9.5]" B \
    "}, C: "                                                                        \
    "{at: [8, 7, 10]" C "}}\n" MEMBERS
#define IN_PLANE(A, B, C)                                                                  \
    "structures:\n  f:\n    plane: xz\n    nodes: {A: {at: [7, 8]" A "}, B: {at: [8, 9]" B \
    "}, C: {at: [8, 7]" C "}}\n" MEMBERS
#define HUB(type)                                                         \
    "bodies: {hub: {position: [7, 8, 9], mass: 1, inertia: [1, 1, 1]}}\n" \
    "joints: {axle: {type: " type ", between: [ground, hub], point: [7, 8, 9]}}\n"

static void check_theory(const char* text, const char* structure, bool is_nonlinear) {
    FbModel* model = test_model_from_text(text);
    FbStructureInfo info = {0};
    bool is_found = false;
    for (int i = 0; fb_model_get_structure(model, i, &info) && !is_found; i++) {
        is_found = strcmp(info.name, structure) == 0;
        if (is_found && info.is_nonlinear != is_nonlinear) {
            fail_msg("%s should be %s in\n%s", structure, is_nonlinear ? "nonlinear" : "linear",
                     text);
        }
    }
    assert_true(is_found);
    fb_model_destroy(model);
}

// What the supports of a structure let it do (eq. 8.77).
static void supports(void** state) {
    (void)state;
    const struct {
        const char* text;
        bool is_nonlinear;
    } cases[] = {
        {PARTS IN_SPACE("", "", ""), true},
        {PARTS IN_SPACE("", ", support: clamped", ""), false},
        {PARTS IN_SPACE(", support: pinned", "", ""), true},
        {PARTS IN_SPACE(", support: pinned", ", support: pinned", ""), true},  // about A-B
        {PARTS IN_SPACE(", support: pinned", ", support: pinned", ", support: pinned"), false},
        {PARTS IN_SPACE(", support: pinned", ", support: pinned",
                        ", support: roller, direction: [-1, 2, 3]"),
         false},
        // A roller on the plane of all three nodes' normal holds; one along it does not.
        {PARTS IN_SPACE(", support: pinned", ", support: pinned",
                        ", support: roller, direction: [1, 1, 0.5]"),
         true},
        {PARTS IN_SPACE(", stiffness: [5, 5, 5]", ", stiffness: [5, 5, 5]",
                        ", stiffness: [5, 5, 5]"),
         false},
        {PARTS IN_SPACE(", stiffness: [5, 5, 5, 1, 1]", "", ""), true},
        {PARTS IN_SPACE(", stiffness: [5, 5, 5, 1, 1, 1]", "", ""), false},
        {PARTS IN_PLANE("", "", ""), true},
        {PARTS IN_PLANE(", support: pinned", "", ""), true},
        {PARTS IN_PLANE(", support: pinned", ", support: roller", ""), false},
        // The roller's normal leads through the pin: it can turn about it.
        {PARTS IN_PLANE(", support: pinned", ", support: roller, direction: [-1, 0, 1]", ""), true},
        {PARTS IN_PLANE(", support: clamped", "", ""), false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check_theory(cases[i].text, "f", cases[i].is_nonlinear);
    }
}

// What bodies and joints let it do, also through templates and other structures.
static void carriers(void** state) {
    (void)state;
    const char* on_hub = IN_SPACE(", body: hub", "", "");
    const char* turning[] = {"revolute",  "cylindrical", "planar",
                             "universal", "free",        "screw, pitch: 1"};
    const char* steady[] = {"fixed", "prismatic", "translation"};
    char text[3000];
    for (int i = 0; i < 9; i++) {
        snprintf(text, sizeof(text), PARTS "%s%s%s%s",
                 "bodies: {hub: {position: [7, 8, 9], mass: 1, inertia: [1, 1, 1]}}\n"
                 "joints: {axle: {between: [ground, hub], point: [7, 8, 9], type: ",
                 i < 6 ? turning[i] : steady[i - 6], "}}\n", on_hub);
        check_theory(text, "f", i < 6);
    }
    // A chain of sleds, listed from its end.
    snprintf(text, sizeof(text),
             PARTS
             "bodies: {hub: {position: [7, 8, 9], mass: 1}, sled: {mass: 1}}\n"
             "joints: {b: {type: fixed, between: [hub, sled]}, a: {type: prismatic, between: "
             "[ground, sled]}}\n%s",
             on_hub);
    check_theory(text, "f", false);
    // Joints of the structure itself.
    const char* own[] = {"revolute", "spherical", "fixed"};
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof(text),
                 PARTS "joints: {j: {type: %s, between: [ground, f.B], point: [8, 9, 9.5]}}\n%s",
                 own[i], IN_SPACE("", "", ""));
        check_theory(text, "f", i < 2);
    }
    // A spring may hold it or not.
    snprintf(text, sizeof(text),
             PARTS "forces: {s: {type: spring, a: ground, b: f.A, stiffness: 5}}\n%s",
             IN_SPACE(", support: pinned", "", ""));
    check_theory(text, "f", false);
    // On other structures, in whichever order.
    const char* base[] = {"A: {at: [0, 0, 0], support: clamped}",
                          "A: {at: [0, 0, 0], support: pinned}"};
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof(text),
                 PARTS
                 "%s  g:\n    nodes: {%s, B: [7, 8, 9]}\n    members: {m: {from: A, to: B, "
                 "section: bar}}\n",
                 IN_SPACE(", body: g.B", "", ""), base[i]);
        check_theory(text, "f", i == 1);
        check_theory(text, "g", i == 1);
    }
    // In a template, where names are those of the instance.
    snprintf(text, sizeof(text),
             PARTS
             "templates:\n  t:\n    bodies: {hub: {mass: 1, inertia: [1, 1, 1]}}\n    joints: "
             "{axle: {type: %s, between: [ground, hub]}}\n    structures: {f: {nodes: {A: {at: "
             "[0, 0, 0], body: hub}, B: [1, 0, 0]}, members: {m: {from: A, to: B, section: "
             "bar}}}}\ninstances: {one: {template: t, position: [1, 2, 3]}}\n",
             "revolute");
    check_theory(text, "one.f", true);
}

static void expect_error(const char* text, const char* message) {
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    FbModelDef* def = NULL;
    FbModel* model = NULL;
    assert_int_equal(
        fb_model_def_read_text(text, strlen(text), "test.yaml", NULL, &def, diagnostics), FB_OK);
    assert_true(fb_model_create(def, &model, diagnostics) < 0);
    assert_non_null(strstr(fb_diagnostics_get(diagnostics, 0)->text, message));
    assert_int_equal(fb_diagnostics_get(diagnostics, 0)->place.line > 0, 1);
    fb_model_def_destroy(def);
    fb_diagnostics_destroy(diagnostics);
}

#define LINEAR(A, B, C)                                                      \
    "structures:\n  f:\n    theory: linear\n    nodes: {A: {at: [7, 8, 9]" A \
    "}, B: {at: [8, 9, "                                                     \
    "9.5]" B "}, C: {at: [8, 7, 10]" C "}}\n" MEMBERS

// A linear structure on what turns is refused; one that something holds is not.
static void refused(void** state) {
    (void)state;
    const char* message =
        "structure 'f' is linear, for small displacements from the drawing, but it "
        "can turn, because joint 'axle' can";
    expect_error(PARTS HUB("revolute") LINEAR(", body: hub", "", ""), message);
    expect_error(PARTS HUB("revolute")
                     LINEAR(", body: hub", "",
                            "") "constraints: {drive: {type: motion, joint: axle, value: 3*t}}\n",
                 message);
    expect_error(PARTS HUB("revolute") LINEAR(", body: hub", "", ", body: hub"), message);
    const char* held[] = {
        PARTS HUB("revolute") LINEAR(", body: hub", ", support: clamped", ""),
        PARTS HUB("revolute") LINEAR(", body: hub", "", ", support: pinned"),
        PARTS HUB("revolute") LINEAR(
            ", body: hub", "", "") "forces: {t: {type: torsion, joint: axle, stiffness: 5}}\n",
        PARTS HUB("revolute") LINEAR(
            ", body: hub", "", "") "constraints: {hold: {type: motion, joint: axle, value: 0}}\n",
        PARTS HUB("prismatic") LINEAR(", body: hub", "", ""),
        PARTS LINEAR("", "", ""),
    };
    for (size_t i = 0; i < sizeof(held) / sizeof(held[0]); i++) {
        fb_model_destroy(test_model_from_text(held[i]));
    }
}

static FbStatus run_on_spring(double rate, char* warning, size_t size, FbError* err) {
    char text[2000];
    FbResult* result = NULL;
    snprintf(text, sizeof(text),
             PARTS HUB("revolute, velocity: %g")
                 LINEAR(", body: hub", "",
                        "") "forces: {t: {type: torsion, joint: axle, stiffness: 100}}\n",
             rate);
    FbModel* model = test_model_from_text(text);
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
    assert_non_null(strstr(warning, "turned by up to"));
    assert_int_equal(run_on_spring(50.0, warning, sizeof(warning), &err), FB_ERR_MODEL);
    assert_non_null(strstr(err.text, "use `theory: nonlinear`"));
}

static FbStatus run_bent(const char* theory, char* warning, size_t size) {
    char text[1000];
    FbError err;
    FbResult* result = NULL;
    snprintf(text, sizeof(text),
             "flyball: 1\n"
             "materials: {m: {E: 1e6, density: 1, nu: 0.3}}\n"
             "sections: {bar: {type: general, material: m, A: 1, Iz: 1e-6}}\n"
             "structures: {s: {plane: xy, %s nodes: {A: {at: [0, 0], support: clamped}, "
             "B: {at: [1, 0], moment: [0, 0, 2]}}, members: {m: {from: A, to: B, section: bar}}}}\n"
             "simulation: {start_at: equilibrium, duration: 0.01}\n",
             theory);
    FbModel* model = test_model_from_text(text);
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
    assert_int_equal(run_bent("", warning, sizeof(warning)), FB_ERR_MODEL);
    assert_int_equal(run_bent("theory: linear,", warning, sizeof(warning)), FB_OK);
    assert_non_null(strstr(warning, "turned by up to 2 rad"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(supports), cmocka_unit_test(carriers), cmocka_unit_test(refused),
        cmocka_unit_test(watched),  cmocka_unit_test(bent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
