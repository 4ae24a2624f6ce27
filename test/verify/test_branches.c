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

// Crank 1 m, coupler 3 m, rocker 2 m, ground 3 m: the crank goes round. The coupler pin D is drawn
// above the line from the crank pin to the rocker's pivot (open) or below it (crossed).
static void write_four_bar(char* text, size_t size, bool is_crossed, const char* crank,
                           const char* rest) {
    // The crank stands upright: pin C = (0, 1), pivot B = (3, 0), |CD| = 3, |DB| = 2.
    double dx = 3.0, dy = -1.0, d2 = dx * dx + dy * dy, a = (9.0 - 4.0 + d2) / (2.0 * d2);
    double h = sqrt(9.0 / d2 - a * a) * (is_crossed ? -1.0 : 1.0);
    double x = a * dx - h * dy, y = 1.0 + a * dy + h * dx;
    snprintf(text, size,
             "flyball: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
             "  crank: {shapes: [{type: rod, from: [0, 0, 0], to: [0, 1, 0], mass: 1}], points: "
             "{pin: [0, 1, 0]}}\n"
             "  coupler: {shapes: [{type: rod, from: [0, 1, 0], to: [%.17g, %.17g, 0], mass: 2}], "
             "points: {pin: [%.17g, %.17g, 0]}}\n"
             "  rocker: {shapes: [{type: rod, from: [3, 0, 0], to: [%.17g, %.17g, 0], mass: 1}]}\n"
             "joints:\n"
             "  a: {type: revolute, between: [ground, crank], point: [0, 0, 0]%s}\n"
             "  b: {type: revolute, between: [crank, coupler], point: [0, 1, 0]}\n"
             "  c: {type: revolute, between: [coupler, rocker], point: [%.17g, %.17g, 0]}\n"
             "  d: {type: revolute, between: [rocker, ground], point: [3, 0, 0]}\n"
             "outputs:\n  q: a.q\n  v: a.v\n  C: {type: position, point: crank.pin}\n"
             "  D: {type: position, point: coupler.pin}\n  turn: {type: angles, body: rocker}\n%s",
             x, y, x, y, x, y, crank, x, y, rest);
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
            char text[3000], crank[100];
            snprintf(crank, sizeof(crank), ", position: %d deg, velocity: 1", angle);
            write_four_bar(text, sizeof(text), crossed, crank, "");
            TestRun run = test_run_text(text, (TestMethod){"radau", 0.01, 0.01, 1e-8, 1e-10});
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
            char text[3000], first[200], value[200];
            // Where is joint b with the crank at this angle?
            write_four_bar(text, sizeof(text), crossed, "", "  b: b.q\n  c: c.q\n");
            snprintf(first, sizeof(first), ", position: %d deg", angle);
            write_four_bar(text, sizeof(text), crossed, first, "  b: b.q\n  c: c.q\n");
            TestRun one = test_run_text(text, (TestMethod){"radau", 0.01, 0.01, 1e-8, 1e-10});
            snprintf(value, sizeof(value),
                     "  b: b.q\n  c: c.q\ninitial: {i: {sensor: b, value: %.17g}}\n",
                     test_run_value(&one, 0, "b"));
            write_four_bar(text, sizeof(text), crossed, "", value);
            TestRun two = test_run_text(text, (TestMethod){"radau", 0.01, 0.01, 1e-8, 1e-10});
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
        for (const char* const* method = test_integrators(); *method; method++) {
            char text[3000];
            write_four_bar(text, sizeof(text), crossed, ", velocity: 12", "");
            TestRun run = test_run_text(text, (TestMethod){*method, 10.0, 0.02, 1e-6, 1e-8});
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
        char text[3000];
        snprintf(text, sizeof(text),
                 "flyball: 1\nbodies:\n"
                 "  crank: {shapes: [{type: rod, from: [0, 0.1, 0.12], to: [0, 0.1, 0.2], mass: "
                 "0.12}]}\n"
                 "  rod: {shapes: [{type: rod, from: [0, 0.1, 0.2], to: [0.2, 0, 0], mass: 0.5}]}\n"
                 "  slider: {shapes: [{type: box, size: [0.06, 0.04, 0.04], at: [0.2, 0, 0], mass: "
                 "2}]}\n"
                 "joints:\n"
                 "  motor: {type: revolute, between: [ground, crank], point: [0, 0.1, 0.12], axis: "
                 "[1, 0, 0], position: %d deg}\n"
                 "  ball: {type: spherical, between: [crank, rod], point: [0, 0.1, 0.2]}\n"
                 "  cardan: {type: universal, between: [slider, rod], point: [0.2, 0, 0], axis: "
                 "[-0.2, 0.1, 0.2]}\n"
                 "  guide: {type: prismatic, between: [ground, slider], point: [0.2, 0, 0], axis: "
                 "[1, 0, 0], offset: 0.2}\n"
                 "outputs: {x: guide.q, bend: cardan.q1, tilt: cardan.q2}\n",
                 angle);
        TestRun run = test_run_text(text, (TestMethod){"radau", 0.01, 0.01, 1e-8, 1e-10});
        double phi = angle * PI / 180.0, y = 0.1 - 0.08 * sin(phi), z = 0.12 + 0.08 * cos(phi);
        test_close("x", test_run_value(&run, 0, "x"), sqrt(0.09 - y * y - z * z), 1e-11);
        assert_true(fabs(test_run_value(&run, 0, "bend")) < 1.5);
        assert_true(fabs(test_run_value(&run, 0, "tilt")) < 1.5);
        test_run_free(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crank_set_far_from_the_drawing),
        cmocka_unit_test(loop_joint_set_far_from_the_drawing),
        cmocka_unit_test(motion_stays_on_the_branch),
        cmocka_unit_test(slider_stays_on_its_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
