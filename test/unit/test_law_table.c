// Tables: exact for cubics, of fourth order for smooth data, C2, periodic, straight, and what they
// refuse.
#include "law_support.h"

enum { MAX_POINTS = 200 };
static const double PI = 3.14159265358979323846;

static void test_spline_is_exact_for_cubics(void** state) {
    const double times[] = {-1.0, -0.4, 0.3, 0.5, 1.7, 2.0};
    double values[6];
    for (int i = 0; i < 6; i++) {
        values[i] = 1.0 + times[i] * (2.0 + times[i] * (-3.0 + 0.5 * times[i]));
    }
    // 4, 5 and 6 points: not-a-knot reproduces the cubic.
    for (int n = 4; n <= 6; n++) {
        FbTableLawDef def = {.head = {.name = "c", .type = "table"},
                             .times = times,
                             .values = values,
                             .n_points = n};
        FbLaw law = build(&def.head, *state);
        for (double t = -1.0; t < times[n - 1]; t += 0.07) {
            double out[3];
            fb_law_calc(&law, t, out);
            assert_near(out[0], 1.0 + t * (2.0 + t * (-3.0 + 0.5 * t)), 1e-13);
            assert_near(out[1], 2.0 + t * (-6.0 + 1.5 * t), 1e-12);
            assert_near(out[2], -6.0 + 3.0 * t, 1e-11);
        }
    }
}

static void test_three_points_give_a_parabola(void** state) {
    const double times[] = {0.0, 1.0, 3.0}, values[] = {0.0, 1.0, 9.0};
    FbTableLawDef def = {
        .head = {.name = "q", .type = "table"}, .times = times, .values = values, .n_points = 3};
    FbLaw law = build(&def.head, *state);
    double out[3];
    fb_law_calc(&law, 1.7, out);
    assert_near(out[0], 1.7 * 1.7, 1e-14);
    assert_near(out[1], 3.4, 1e-14);
    assert_near(out[2], 2.0, 1e-14);
}

// Largest error over 0 ... 2 pi of a table of sin through n + 1 points.
static double sine_error(int n, bool is_periodic, FbArena* arena) {
    double times[MAX_POINTS], values[MAX_POINTS], error = 0.0;
    for (int i = 0; i <= n; i++) {
        times[i] = 2.0 * PI * i / n;
        values[i] = sin(times[i] + 0.4);
    }
    FbTableLawDef def = {.head = {.name = "s", .type = "table"},
                         .times = times,
                         .values = values,
                         .n_points = n + 1,
                         .is_periodic = is_periodic};
    FbLaw law = build(&def.head, arena);
    for (double t = 0.0; t < 2.0 * PI; t += 0.013) {
        double out[3];
        fb_law_calc(&law, t, out);
        error = fmax(error, fabs(out[0] - sin(t + 0.4)));
    }
    return error;
}

static void test_spline_has_order_four(void** state) {
    for (int periodic = 0; periodic < 2; periodic++) {
        double coarse = sine_error(40, periodic, *state), fine = sine_error(80, periodic, *state);
        assert_true(log2(coarse / fine) > 3.7);
    }
}

static void test_periodic_spline_repeats_smoothly(void** state) {
    const double times[] = {0.5, 0.7, 1.1, 1.6, 2.0, 2.5},
                 values[] = {1.0, 3.0, -1.0, 0.5, 2.0, 1.0};
    FbTableLawDef def = {.head = {.name = "p", .type = "table"},
                         .times = times,
                         .values = values,
                         .n_points = 6,
                         .is_periodic = true};
    FbLaw law = build(&def.head, *state);
    for (double t = -4.0; t < 5.0; t += 0.11) {
        double here[3], later[3];
        fb_law_calc(&law, t, here);
        fb_law_calc(&law, t + 2.0, later);
        for (int i = 0; i < 3; i++) {
            assert_near(here[i], later[i], 1e-10);
        }
    }
    // C2 at every point, where it closes too.
    for (int i = 0; i < 6; i++) {
        double before[3], after[3];
        fb_law_calc(&law, times[i] - 1e-9, before);
        fb_law_calc(&law, times[i] + 1e-9, after);
        assert_near(after[0], values[i], 1e-6);
        assert_near(before[1], after[1], 1e-5);
        assert_near(before[2], after[2], 1e-4);
    }
    assert_true(isinf(fb_law_next_break(&law, 0.6)));
    assert_int_equal(fb_law_roughness(&law), 3);
}

static void test_spline_goes_straight_on(void** state) {
    const double times[] = {0.0, 1.0, 2.0, 3.0}, values[] = {0.0, 1.0, 8.0, 27.0};
    FbTableLawDef def = {
        .head = {.name = "s", .type = "table"}, .times = times, .values = values, .n_points = 4};
    FbLaw law = build(&def.head, *state);
    double out[3];
    fb_law_calc(&law, 4.0, out);
    assert_near(out[0], 27.0 + 27.0, 1e-12);
    assert_near(out[1], 27.0, 1e-12);
    assert_near(out[2], 0.0, 0.0);
    fb_law_calc(&law, 3.0, out);
    assert_near(out[2], 0.0, 0.0);
    assert_near(fb_law_next_break(&law, -1.0), 0.0, 0.0);
    assert_near(fb_law_next_break(&law, 1.5), 3.0, 0.0);
    assert_int_equal(fb_law_roughness(&law), 2);
}

static void test_straight_pieces(void** state) {
    const double times[] = {0.0, 1.0, 3.0}, values[] = {0.0, 2.0, 0.0};
    FbTableLawDef def = {.head = {.name = "l", .type = "table"},
                         .times = times,
                         .values = values,
                         .n_points = 3,
                         .is_linear = true};
    FbLaw law = build(&def.head, *state);
    double out[3];
    fb_law_calc(&law, 2.0, out);
    assert_near(out[0], 1.0, 1e-15);
    assert_near(out[1], -1.0, 1e-15);
    fb_law_calc(&law, 1.0, out);
    assert_near(out[1], -1.0, 1e-15);
    assert_near(fb_law_next_break(&law, 0.0), 1.0, 0.0);
    assert_true(isinf(fb_law_next_break(&law, 1.0)));
    assert_int_equal(fb_law_roughness(&law), 1);
}

// Walking from corner to corner never stands still and finds every corner of ten periods.
static void test_periodic_corners(void** state) {
    const double times[] = {0.1, 0.4, 0.8}, values[] = {0.0, 2.0, 0.0};
    FbTableLawDef def = {.head = {.name = "l", .type = "table"},
                         .times = times,
                         .values = values,
                         .n_points = 3,
                         .is_linear = true,
                         .is_periodic = true};
    FbLaw law = build(&def.head, *state);
    double t = 0.0;
    for (int i = 0; i < 20; i++) {
        double corner = i % 2 == 0 ? 0.1 : 0.4;
        t = fb_law_next_break(&law, t);
        assert_near(t, corner + 0.7 * (i / 2), 1e-13);
    }
}

static void test_refusals(void** state) {
    const double times[] = {0.0, 1.0, 1.0, 2.0}, values[] = {0.0, 1.0, 1.0, 2.0},
                 odd[] = {0.0, NAN, 1.0, 2.0};
    FbTableLawDef def = {
        .head = {.name = "x", .type = "table"}, .times = times, .values = values, .n_points = 1};
    assert_refused(&def.head, *state, "at least 2");
    def.n_points = 4;
    assert_refused(&def.head, *state, "must increase");
    def.times = values;
    def.values = odd;
    assert_refused(&def.head, *state, "not finite");
    const double rising[] = {0.0, 1.0, 2.0, 3.0};
    def.times = rising;
    def.values = rising;
    def.is_periodic = true;
    assert_refused(&def.head, *state, "closing point");
    def.n_points = 3;
    assert_refused(&def.head, *state, "at least 4");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spline_is_exact_for_cubics),
        cmocka_unit_test(test_three_points_give_a_parabola),
        cmocka_unit_test(test_spline_has_order_four),
        cmocka_unit_test(test_periodic_spline_repeats_smoothly),
        cmocka_unit_test(test_spline_goes_straight_on),
        cmocka_unit_test(test_straight_pieces),
        cmocka_unit_test(test_periodic_corners),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
