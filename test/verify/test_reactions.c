// Reactions: statics by hand, the same joint in the tree and as a loop, redundant supports.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "run_support.h"

static const double G = 9.81;

// Three rods welded end to end to a wall: nothing moves, and the wall carries weight and moment.
static void cantilever(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/reactions/cantilever.yaml",
                                (TestMethod){"auto", 1.0, 0.5, 0.0, 0.0});
    for (int i = 0; i < run.n_rows; i++) {
        test_close("F.z", test_run_value(&run, i, "F.z"), 6.0 * G, 1e-10);
        test_close("T.x", test_run_value(&run, i, "T.x"), 3.0 * 0.5 * G, 1e-10);
        test_close("T.y", test_run_value(&run, i, "T.y"), -(0.5 + 2.0 * 1.5 + 3.0 * 2.0) * G,
                   1e-10);
        // On A, the second body of ab, acts what carries B and C, reversed.
        test_close("Fab.z", test_run_value(&run, i, "Fab.z"), -5.0 * G, 1e-10);
        test_close("Tab.y", test_run_value(&run, i, "Tab.y"), (2.0 * 0.5 + 3.0) * G, 1e-10);
        test_close("Tbc.x", test_run_value(&run, i, "Tbc.x"), 3.0 * 0.5 * G, 1e-10);
        test_close("Tbc.y", test_run_value(&run, i, "Tbc.y"), 0.0, 1e-10);
    }
    test_run_free(&run);
}

// A beam on a hinge and a roller with a load at 1/4 of the span.
static void simply_supported(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/reactions/simply_supported.yaml",
                                (TestMethod){"auto", 1.0, 0.5, 0.0, 0.0});
    for (int i = 0; i < run.n_rows; i++) {
        test_close("hinge", test_run_value(&run, i, "F.y"), 5.0 * G + 75.0, 1e-8);
        test_close("roller", -test_run_value(&run, i, "R"), 5.0 * G + 25.0, 1e-8);
    }
    test_run_free(&run);
}

// The spatial slider-crank is the same machine whichever joint closes its loop.
static const char* const OUTPUTS[] = {"x",      "angle",    "motor_F",  "motor_T", "ball_F",
                                      "ball_T", "cardan_F", "cardan_T", "guide_F", "guide_T"};

static TestRun run_slider_crank(const char* changes, const char* loop) {
    TestRun run = test_run_with("test/verify/reactions/slider_crank.yaml",
                                (TestMethod){"radau", 2.0, 0.05, 1e-11, 1e-13}, "%s", changes);
    assert_string_equal(fb_model_get_loop_joint(run.model, 0), loop);
    return run;
}

static void loop_and_tree_agree(void** state) {
    (void)state;
    // x x' = -y y' - z z' with the pin at (0, 0.1, 0.2), moving with -0.08 * 6 along y.
    TestRun a = run_slider_crank("", "cardan");
    TestRun b = run_slider_crank(
        ",\n    velocity: 6 =>; offset: 0.2 => offset: 0.2, velocity: 0.24", "ball");
    for (int i = 0; i < a.n_rows; i++) {
        for (size_t o = 0; o < sizeof(OUTPUTS) / sizeof(OUTPUTS[0]); o++) {
            for (int c = 0; c < (o < 2 ? 1 : 3); c++) {
                char name[40];
                snprintf(name, sizeof(name), o < 2 ? "%s" : "%s.%c", OUTPUTS[o], "xyz"[c]);
                test_close(name, test_run_value(&b, i, name), test_run_value(&a, i, name), 1e-6);
            }
        }
        // What the joints cannot transmit.
        test_close("motor about x", test_run_value(&a, i, "motor_T.x"), 0.0, 1e-9);
        test_close("ball about x", test_run_value(&a, i, "ball_T.x"), 0.0, 1e-9);
        test_close("guide along x", test_run_value(&a, i, "guide_F.x"), 0.0, 1e-9);
    }
    test_run_free(&a);
    test_run_free(&b);
}

// A drive along x of a planar joint that stands off in y: no torque is left for the joint.
static void drive_of_a_planar_joint(void** state) {
    (void)state;
    for (int reversed = 0; reversed < 2; reversed++) {
        TestRun run = test_run_with("test/verify/reactions/planar_table.yaml",
                                    (TestMethod){"auto", 0.2, 0.1, 0.0, 0.0}, "ground, plate => %s",
                                    reversed ? "plate, ground" : "ground, plate");
        for (int i = 0; i < run.n_rows; i++) {
            test_close("F.x", test_run_value(&run, i, "F.x"), 0.0, 1e-10);
            test_close("F.y", test_run_value(&run, i, "F.y"), 0.0, 1e-10);
            test_close("T.z", test_run_value(&run, i, "T.z"), 0.0, 1e-10);
        }
        test_run_free(&run);
    }
}

// A planar four-bar of hinges has three rows too many, out of its plane: named, and without
// reactions of their own.
static void redundant_four_bar(void** state) {
    (void)state;
    const char* path = "test/verify/reactions/redundant_four_bar.yaml";
    TestSystem t;
    FbRedundancy r;
    test_system_init(&t, test_model_from_file(path));
    assert_int_equal(t.assembly.degrees_of_freedom, 1);
    assert_int_equal(t.assembly.n_redundant_rows, 3);
    assert_int_equal(t.assembly.n_redundancies, 1);
    fb_system_get_redundancy(t.system, 0, &r);
    assert_string_equal(r.part, fb_model_get_loop_joint(t.model, 0));
    assert_string_equal(r.rows, "translation along z, rotation about x, rotation about y");
    assert_int_equal(r.n_rows, 3);
    assert_true(r.place.line >= 8 && r.place.line <= 11);
    test_system_free(&t);
    // Standing upright it is in equilibrium: each side carries half of the top.
    TestRun run = test_run_file(path, (TestMethod){"radau", 0.01, 0.01, 1e-9, 1e-11});
    test_close("a.y", test_run_value(&run, 0, "a.y"), 2.0 * G, 1e-9);
    test_close("b.y", test_run_value(&run, 0, "b.y"), G, 1e-9);
    test_close("c.y", test_run_value(&run, 0, "c.y"), -G, 1e-9);
    test_close("d.y", test_run_value(&run, 0, "d.y"), -2.0 * G, 1e-9);
    const char* const zero[] = {"a.z", "b.z", "c.z", "d.z", "at.x", "at.y", "bt.x", "ct.y"};
    for (size_t i = 0; i < sizeof(zero) / sizeof(zero[0]); i++) {
        test_close(zero[i], test_run_value(&run, 0, zero[i]), 0.0, 1e-9);
    }
    test_run_free(&run);
}

// Two equal stops of one door carry the same part: the smallest multipliers that do it.
static void minimum_norm(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/reactions/two_equal_stops.yaml",
                                (TestMethod){"radau", 0.5, 0.1, 0.0, 0.0});
    assert_int_equal(fb_result_get_assembly(run.result)->degrees_of_freedom, 0);
    assert_int_equal(fb_result_get_assembly(run.result)->n_redundant_rows, 3);
    for (int i = 0; i < run.n_rows; i++) {
        test_close("one", test_run_value(&run, i, "one"), -3.0, 1e-8);
        test_close("two", test_run_value(&run, i, "two"), -3.0, 1e-8);
    }
    test_run_free(&run);
}

// Two laws for one coordinate agree at the start and part later: the run ends and says which.
static void contradicting_laws(void** state) {
    (void)state;
    FbModel* model = test_model_from_file("test/verify/reactions/contradicting_laws.yaml");
    for (const char* const* method = test_integrators(); *method; method++) {
        FbRunOptions o = fb_run_options_default(model);
        FbResult* result = NULL;
        FbError err = {0};
        o.settings.integrator = *method;
        o.settings.duration = 1.0;
        o.settings.sample = 0.1;
        assert_int_equal(fb_simulate(model, &o, &result, &err), FB_ERR_ASSEMBLY);
        assert_non_null(strstr(err.text, "constraint 'd' contradicts"));
        assert_int_equal(err.place.line, 6);
        assert_true(fb_result_get_row_count(result) >= 5);  // what was right is kept
        fb_result_destroy(result);
    }
    fb_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cantilever),          cmocka_unit_test(simply_supported),
        cmocka_unit_test(loop_and_tree_agree), cmocka_unit_test(drive_of_a_planar_joint),
        cmocka_unit_test(redundant_four_bar),  cmocka_unit_test(minimum_norm),
        cmocka_unit_test(contradicting_laws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
