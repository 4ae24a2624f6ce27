// What is measured of the turns of linear nodes is linear in them, and the same in other axes: a
// frame with its axes exchanged (x to y to z to x) shows the same vectors, exchanged.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "run_support.h"

// A bent post of an angle of two members, pinned at the other end; turns of about 0.1 rad.
static TestRun run(int shift, double load) {
    static const char* const paths[] = {"test/verify/linear_turns/post_along_z.yaml",
                                        "test/verify/linear_turns/post_along_x.yaml",
                                        "test/verify/linear_turns/post_along_y.yaml"};
    return test_run_with(paths[shift], (TestMethod){0}, "load=%.17g", load);
}

static double value(const TestRun* r, int row, const char* sensor, int axis) {
    char name[16];
    snprintf(name, sizeof name, "%s.%c", sensor, "xyz"[axis]);
    return test_run_value(r, row, name);
}

static void same_in_other_axes(void** state) {
    (void)state;
    static const char* const sensors[] = {"w", "a", "g", "r", "o", "d", "s"};
    TestRun original = run(0, 1.0);
    double most = 0.0;
    for (int shift = 1; shift < 3; shift++) {
        TestRun turned = run(shift, 1.0);
        for (int row = 0; row < original.n_rows; row++) {
            test_close("o.w", test_run_value(&turned, row, "o.w"),
                       test_run_value(&original, row, "o.w"), 1e-9);
            for (int i = 0; i < 7 * 3; i++) {
                const char* s = sensors[i / 3];
                double expected = value(&original, row, s, i % 3);
                double size = *s == 'a' || *s == 's' ? 100.0 : 1.0;
                test_close(s, value(&turned, row, s, (i + shift) % 3), expected, 1e-8 * size);
                most = *s == 'o' ? fmax(most, fabs(expected)) : most;
            }
        }
        test_run_free(&turned);
    }
    assert_true(most > 0.03);  // turned enough to tell
    test_run_free(&original);
}

static double largest(const TestRun* r, const char* sensor) {
    double most = 0.0;
    for (int k = 0; k < 3 * r->n_rows; k++) {
        most = fmax(most, fabs(value(r, k / 3, sensor, k % 3)));
    }
    return most;
}

// Twice the load, twice the angular velocity: at any size. The small motion is resolved to
// 1e3 atol = 10 rtol = 1e-9 of itself in each step (6.15), and the steps of many swings add up.
static void linear_in_the_loads(void** state) {
    (void)state;
    static const double DIGITS = 5e-7;
    TestRun one = run(0, 1e-3), many = run(0, 4.0);
    double w = DIGITS * largest(&many, "w"), a = DIGITS * largest(&many, "a");
    for (int row = 0; row < one.n_rows; row++) {
        for (int i = 0; i < 3; i++) {
            test_close("w", value(&many, row, "w", i), 4e3 * value(&one, row, "w", i), w);
            test_close("a", value(&many, row, "a", i), 4e3 * value(&one, row, "a", i), a);
        }
    }
    test_run_free(&one);
    test_run_free(&many);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_in_other_axes),
        cmocka_unit_test(linear_in_the_loads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
