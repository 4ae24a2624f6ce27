// What is measured of the turns of linear nodes is linear in them, and the same in other axes: a
// frame with its axes exchanged (x to y to z to x) shows the same vectors, exchanged.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "run_support.h"

static void put(char* text, const double v[3], int shift) {
    snprintf(text, 100, "[%g, %g, %g]", v[(3 - shift) % 3], v[(4 - shift) % 3], v[(5 - shift) % 3]);
}

// A bent post of an angle of two members, pinned at the other end; turns of about 0.1 rad.
static TestRun run(int shift, double load) {
    static const double at[4][3] = {{0, 0, 0}, {0, 0, 1}, {0.8, 0.3, 1}, {0.8, 0.9, 0.2}};
    double force[3] = {30 * load, -20 * load, 10 * load},
           moment[3] = {5 * load, 9 * load, -7 * load};
    char p[4][100], f[100], m[100], text[3000];
    for (int i = 0; i < 4; i++) {
        put(p[i], at[i], shift);
    }
    put(f, force, shift);
    put(m, moment, shift);
    snprintf(text, sizeof text,
             "flyball: 1\ngravity: [0, 0, 0]\n"
             "materials: {m: {E: 1e6, nu: 0.3, density: 100}}\n"
             "sections: {s: {type: circle, material: m, radius: 0.1}}\n"
             "structures:\n  f:\n    theory: linear\n    nodes:\n"
             "      A: {at: %s, support: clamped}\n      B: {at: %s, force: %s, moment: %s}\n"
             "      C: %s\n      D: {at: %s, support: pinned}\n"
             "    members: {m: {from: A, to: B, section: s, elements: 2},\n"
             "              n: {from: B, to: C, section: s, elements: 2},\n"
             "              o: {from: C, to: D, section: s, elements: 2}}\n"
             "outputs:\n  w: {type: angular_velocity, body: f.B}\n"
             "  a: {type: angular_acceleration, body: f.B}\n  g: {type: gyro, body: f.B}\n"
             "  r: {type: angular_velocity, body: f.B, frame: f.D}\n"
             "  o: {type: orientation, body: f.B}\n  d: {type: orientation, body: f.D}\n"
             "  s: {type: accelerometer, point: f.B}\n"
             "simulation: {duration: 0.2, sample: 0.02, rtol: 1e-10, integrator: radau}\n",
             p[0], p[1], f, m, p[2], p[3]);
    return test_run_text(text, (TestMethod){0});
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
    double largest = 0.0;
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
                largest = *s == 'o' ? fmax(largest, fabs(expected)) : largest;
            }
        }
        test_run_free(&turned);
    }
    assert_true(largest > 0.03);  // turned enough to tell
    test_run_free(&original);
}

// Twice the load, twice the angular velocity: at any size.
static void linear_in_the_loads(void** state) {
    (void)state;
    TestRun one = run(0, 1e-3), many = run(0, 4.0);
    for (int row = 0; row < one.n_rows; row++) {
        for (int i = 0; i < 3; i++) {
            test_close("w", value(&many, row, "w", i), 4e3 * value(&one, row, "w", i), 1e-4);
            test_close("a", value(&many, row, "a", i), 4e3 * value(&one, row, "a", i), 0.1);
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
