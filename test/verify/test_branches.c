// Assembly stays on the branch of the drawing, however far away the values are that the user sets;
// motion stays on it too.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "run_support.h"

static const double PI = 3.14159265358979323846;

static TestRun run_four_bar(bool is_crossed, double angle_deg, double rate, TestMethod method) {
    return test_run_with("test/verify/branches/four_bar.yaml", method,
                         "side=%d; angle=%.17g deg; rate=%g", is_crossed ? -1 : 1, angle_deg, rate);
}

// Twice the area of C, B, D: its sign tells the branches apart.
static double branch_of(const TestRun* run, int row) {
    double cx = test_run_value(run, row, "C.x"), cy = test_run_value(run, row, "C.y");
    double dx = test_run_value(run, row, "D.x"), dy = test_run_value(run, row, "D.y");
    return (3.0 - cx) * (dy - cy) - (0.0 - cy) * (dx - cx);
}

static void check_row(const TestRun* run, int row, bool is_crossed) {
    double cx = test_run_value(run, row, "C.x"), cy = test_run_value(run, row, "C.y");
    double dx = test_run_value(run, row, "D.x"), dy = test_run_value(run, row, "D.y");
    test_close("coupler", hypot(dx - cx, dy - cy), 3.0, 1e-10);
    test_close("rocker", hypot(dx - 3.0, dy), 2.0, 1e-10);
    test_close("plane", test_run_value(run, row, "D.z"), 0.0, 1e-12);
    // Nothing is turned over: the rocker's own z axis still points up.
    test_close("pitch", test_run_value(run, row, "turn.pitch"), 0.0, 1e-10);
    test_close("roll", test_run_value(run, row, "turn.roll"), 0.0, 1e-10);
    assert_true(is_crossed ? branch_of(run, row) < -0.5 : branch_of(run, row) > 0.5);
}

static void crank_set_far_from_the_drawing(void** state) {
    (void)state;
    for (int crossed = 0; crossed < 2; crossed++) {
        for (int angle = -340; angle <= 340; angle += 20) {
            TestRun run =
                run_four_bar(crossed, angle, 1.0, (TestMethod){"radau", 0.01, 0.01, 1e-8, 1e-10});
            test_close("q", test_run_value(&run, 0, "q"), angle * PI / 180.0, 1e-12);
            test_close("v", test_run_value(&run, 0, "v"), 1.0, 1e-12);
            check_row(&run, 0, crossed);
            assert_true(fb_result_get_assembly(run.result)->position_error < 1e-12);
            assert_true(fb_result_get_assembly(run.result)->velocity_error < 1e-12);
            test_run_free(&run);
        }
    }
}

// The same value set at a joint that closes the loop.
static void loop_joint_set_far_from_the_drawing(void** state) {
    (void)state;
    for (int crossed = 0; crossed < 2; crossed++) {
        for (int angle = -160; angle <= 160; angle += 40) {
            // Where is joint b with the crank at this angle?
            TestMethod method = {"radau", 0.01, 0.01, 1e-8, 1e-10};
            TestRun one = run_four_bar(crossed, angle, 0.0, method);
            TestRun two = test_run_with("test/verify/branches/four_bar_by_loop_joint.yaml", method,
                                        "side=%d; angle_b=%.17g rad", crossed ? -1 : 1,
                                        test_run_value(&one, 0, "b"));
            test_close("b", test_run_value(&two, 0, "b"), test_run_value(&one, 0, "b"), 1e-11);
            test_close("c", test_run_value(&two, 0, "c"), test_run_value(&one, 0, "c"), 1e-9);
            test_close("q", test_run_value(&two, 0, "q"), angle * PI / 180.0, 1e-9);
            test_run_free(&one);
            test_run_free(&two);
        }
    }
}

static void motion_stays_on_the_branch(void** state) {
    (void)state;
    for (int crossed = 0; crossed < 2; crossed++) {
        for (const char* const* method = test_all_integrators(); *method; method++) {
            TestRun run =
                run_four_bar(crossed, 0.0, 12.0, (TestMethod){*method, 10.0, 0.02, 1e-6, 1e-8});
            for (int i = 0; i < run.n_rows; i++) {
                check_row(&run, i, crossed);
            }
            // It goes round many times.
            assert_true(fabs(test_run_last(&run, "q")) > 10.0 * 2.0 * PI);
            test_run_free(&run);
        }
    }
}

// The spatial slider-crank: x = +sqrt(...) as drawn, for every crank angle.
static void slider_stays_on_its_side(void** state) {
    (void)state;
    for (int angle = -180; angle <= 180; angle += 15) {
        TestRun run =
            test_run_with("test/verify/branches/slider_crank.yaml",
                          (TestMethod){"radau", 0.01, 0.01, 1e-8, 1e-10}, "angle=%d deg", angle);
        double phi = angle * PI / 180.0, y = 0.1 - 0.08 * sin(phi), z = 0.12 + 0.08 * cos(phi);
        test_close("x", test_run_value(&run, 0, "x"), sqrt(0.09 - y * y - z * z), 1e-11);
        assert_true(fabs(test_run_value(&run, 0, "bend")) < 1.5);
        assert_true(fabs(test_run_value(&run, 0, "tilt")) < 1.5);
        test_run_free(&run);
    }
}

// Values further away than the approach has steps; nothing but coordinates is set directly.
static void set_very_far_from_the_drawing(void** state) {
    (void)state;
    static const char* const CHANGES[] = {"far=%.17g",
                                          "far=%.17g; 2, 0, 0.3, 0] => 2, null, null, null]; "
                                          "constraints:\n  tether: {type: distance, "
                                          "a: a, b: b, length: 10} => "};
    for (double far = 3.0e3; far < 1e8; far *= 5000.0) {
        for (int k = 0; k < 2; k++) {
            TestRun run =
                test_run_with("test/verify/branches/orbit.yaml", (TestMethod){0}, CHANGES[k], far);
            test_close("a.x", test_run_value(&run, 0, "pa.x"), far, 1e-15 * far);
            test_close("b.y", test_run_value(&run, 0, "pb.y"), 10.0 - far / 3.0, 1e-15 * far);
            test_close("pitch", test_run_value(&run, 0, "turn.pitch"), k == 0 ? 0.3 : 0.0, 1e-12);
            test_run_free(&run);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crank_set_far_from_the_drawing),
        cmocka_unit_test(set_very_far_from_the_drawing),
        cmocka_unit_test(loop_joint_set_far_from_the_drawing),
        cmocka_unit_test(motion_stays_on_the_branch),
        cmocka_unit_test(slider_stays_on_its_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
