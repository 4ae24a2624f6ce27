// Which components of reactions the motion determines where rows are redundant: statics by hand, at
// any tilt and size, and the same values whichever joint closes the loop.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "run_support.h"

static int column_of(const FbModel* model, const char* name) {
    for (int i = 0; i < fb_model_get_output_count(model); i++) {
        if (strcmp(fb_model_get_output_name(model, i), name) == 0) {
            return i;
        }
    }
    fail_msg("there is no output %s", name);
    return -1;
}

static void expect(const TestRun* run, const char* what, const char* name, bool is_unique) {
    if (fb_result_is_unique(run->result, column_of(run->model, name)) != is_unique) {
        fail_msg("%s: %s is %s", what, name, is_unique ? "called not unique" : "called unique");
    }
}

// Six components of each joint; `open` lists those that are not unique.
static void expect_joints(const TestRun* run, const char* what, const char* const* joints, int n,
                          const char* open) {
    static const char* const parts[] = {"F.x", "F.y", "F.z", "T.x", "T.y", "T.z"};
    for (int j = 0; j < n; j++) {
        for (int c = 0; c < 6; c++) {
            char name[40];
            snprintf(name, sizeof name, "%s%s", joints[j], parts[c]);
            expect(run, what, name, strstr(open, parts[c]) == NULL);
        }
    }
}

// A four-bar on a board that is tilted about a skew axis; `order` is that of its joints.
static TestRun run_fourbar(double tilt, double size, bool is_reversed) {
    const char* path = is_reversed ? "test/verify/uniqueness/four_bar_reversed.yaml"
                                   : "test/verify/uniqueness/four_bar.yaml";
    return test_run_with(path, (TestMethod){"radau", 1e-4, 1e-4, 0.0, 0.0}, "L=%.17g; tilt=%.17g",
                         size, tilt);
}

static void planes_at_any_tilt_and_size(void** state) {
    (void)state;
    static const char* const joints[] = {"A", "B", "C", "D"};
    static const double tilts[] = {0.0, 0.1, 0.7, 1.3, 2.9}, sizes[] = {1e-4, 1.0, 1e4};
    for (int i = 0; i < 15; i++) {
        char what[64];
        snprintf(what, sizeof what, "tilt %g, size %g", tilts[i % 5], sizes[i / 5]);
        TestRun run = run_fourbar(tilts[i % 5], sizes[i / 5], false);
        assert_int_equal(fb_result_get_assembly(run.result)->n_redundant_rows, 3);
        assert_int_equal(fb_result_get_assembly(run.result)->n_ambiguous, 12);
        expect_joints(&run, what, joints, 4, "F.z T.x T.y");
        test_run_free(&run);
    }
}

// What is called unique has one value, whichever rows are dropped.
static void unique_ones_do_not_depend_on_the_order(void** state) {
    (void)state;
    TestRun a = run_fourbar(0.7, 1.0, false), b = run_fourbar(0.7, 1.0, true);
    assert_string_not_equal(fb_model_get_loop_joint(a.model, 0),
                            fb_model_get_loop_joint(b.model, 0));
    int n_different = 0;
    for (int i = 0; i < fb_model_get_output_count(a.model); i++) {
        const char* name = fb_model_get_output_name(a.model, i);
        double x = test_run_value(&a, 0, name), y = test_run_value(&b, 0, name);
        if (fb_result_is_unique(a.result, i)) {
            test_close(name, y, x, 1e-9);
        } else {
            n_different += fabs(x - y) > 1e-3;
        }
    }
    assert_true(n_different > 0);
    test_run_free(&a);
    test_run_free(&b);
}

// A door on three hinges: each may carry any part of force and moment; their sums are statics.
static void door_on_three_hinges(void** state) {
    (void)state;
    static const char* const hinges[] = {"low", "mid", "top"};
    TestRun run = test_run_file("test/verify/uniqueness/door_on_three_hinges.yaml",
                                (TestMethod){"radau", 0.01, 0.01, 0.0, 0.0});
    assert_int_equal(fb_result_get_assembly(run.result)->n_redundant_rows, 10);
    expect_joints(&run, "door", hinges, 3, "F.x F.y F.z T.x T.y");
    expect(&run, "door", "weight", true);
    expect(&run, "door", "moment", true);
    expect(&run, "door", "part", false);
    test_close("weight", test_run_value(&run, 0, "weight"), 20 * 9.81, 1e-9);
    test_close("moment", test_run_value(&run, 0, "moment"), -20 * 9.81 * 0.5, 1e-9);
    test_run_free(&run);
}

// A bar between two ball joints that are fixed in the ground: only the force along the line between
// them is open, on a line of any direction.
static void bar_between_two_balls(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/uniqueness/bar_between_two_balls.yaml",
                                (TestMethod){"radau", 0.01, 0.01, 0.0, 0.0});
    static const char* const ends[] = {"a", "b"};
    assert_int_equal(fb_result_get_assembly(run.result)->n_redundant_rows, 1);
    expect_joints(&run, "bar", ends, 2, "F.z");
    expect(&run, "bar", "across.x", false);
    expect(&run, "bar", "across.z", false);
    test_run_free(&run);
}

// Of two equal stops neither is known; a third one elsewhere is.
static void multipliers(void** state) {
    (void)state;
    TestRun run = test_run_file("test/verify/uniqueness/multipliers.yaml",
                                (TestMethod){"radau", 0.01, 0.01, 0.0, 0.0});
    assert_int_equal(fb_result_get_assembly(run.result)->n_redundant_rows, 1);
    expect(&run, "stops", "one", false);
    expect(&run, "stops", "two", false);
    expect(&run, "stops", "rest", true);
    expect(&run, "stops", "both", true);
    expect(&run, "stops", "F.x", true);
    expect(&run, "stops", "F.y", true);
    test_run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planes_at_any_tilt_and_size),
        cmocka_unit_test(unique_ones_do_not_depend_on_the_order),
        cmocka_unit_test(door_on_three_hinges),
        cmocka_unit_test(bar_between_two_balls),
        cmocka_unit_test(multipliers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
