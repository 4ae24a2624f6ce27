// Laws other than tables: values in closed form, derivatives against differences, breaks, and
// refusals.
#include "law_support.h"

static double value_at(const FbLaw* law, double t) {
    double out[3];
    fb_law_calc(law, t, out);
    return out[0];
}

static double rate_at(const FbLaw* law, double t) {
    double out[3];
    fb_law_calc(law, t, out);
    return out[1];
}

// The rate is the slope of the value and the acceleration that of the rate, away from breaks.
static void assert_derivatives(const FbLaw* law, double t, double tolerance) {
    const double h = 1e-4;
    double out[3];
    fb_law_calc(law, t, out);
    double value_slope = (8.0 * (value_at(law, t + h) - value_at(law, t - h)) -
                          (value_at(law, t + 2 * h) - value_at(law, t - 2 * h))) /
                         (12.0 * h);
    double rate_slope = (8.0 * (rate_at(law, t + h) - rate_at(law, t - h)) -
                         (rate_at(law, t + 2 * h) - rate_at(law, t - 2 * h))) /
                        (12.0 * h);
    assert_near(out[1], value_slope, tolerance);
    assert_near(out[2], rate_slope, tolerance);
}

static void test_constant(void** state) {
    FbConstantLawDef def = {.head = {.name = "c", .type = "constant"}, .value = 2.5};
    FbLaw law = build(&def.head, *state);
    double out[3];
    fb_law_calc(&law, 17.0, out);
    assert_near(out[0], 2.5, 0.0);
    assert_near(out[1], 0.0, 0.0);
    assert_near(out[2], 0.0, 0.0);
    assert_true(isinf(fb_law_next_break(&law, 0.0)));
    assert_int_equal(fb_law_roughness(&law), 3);
}

static void test_expression(void** state) {
    FbExpressionLawDef def = {.head = {.name = "e", .type = "expression"},
                              .value = "0.5*sin(w*t)*exp(-t) + t^2"};
    FbLaw law = build(&def.head, *state);
    assert_near(value_at(&law, 0.7), 0.5 * sin(2.1) * exp(-0.7) + 0.49, 1e-15);
    for (double t = -1.0; t < 2.0; t += 0.13) {
        assert_derivatives(&law, t, 1e-9);
    }
}

static void test_expression_of_unknown_name(void** state) {
    FbExpressionLawDef def = {.head = {.name = "e", .type = "expression"}, .value = "2*speed"};
    FbLaw law;
    FbError err;
    assert_int_equal(fb_law_build(&def.head, resolve, NULL, *state, &law, &err), FB_ERR_NAME);
    assert_non_null(strstr(err.text, "speed"));
}

static void test_harmonic(void** state) {
    FbHarmonicLawDef def = {.head = {.name = "h", .type = "harmonic"},
                            .amplitude = 0.2,
                            .frequency = 5.0,
                            .phase = 0.3,
                            .offset = 1.0};
    FbLaw law = build(&def.head, *state);
    assert_near(value_at(&law, 2.0), 1.0 + 0.2 * sin(10.3), 1e-15);
    for (double t = -1.0; t < 2.0; t += 0.13) {
        assert_derivatives(&law, t, 1e-9);
    }
}

static void test_ramp(void** state) {
    FbRampLawDef def = {.head = {.name = "r", .type = "ramp"},
                        .from = 0.9,
                        .to = 1.1,
                        .start = 2.0,
                        .duration = 0.5};
    FbLaw law = build(&def.head, *state);
    double out[3];
    assert_near(value_at(&law, 0.0), 0.9, 0.0);
    assert_near(value_at(&law, 2.25), 1.0, 1e-15);
    assert_near(value_at(&law, 9.0), 1.1, 1e-15);
    fb_law_calc(&law, 2.5, out);
    assert_near(out[1], 0.0, 1e-12);
    assert_near(out[2], 0.0, 1e-12);
    for (double t = 2.01; t < 2.49; t += 0.03) {
        assert_derivatives(&law, t, 1e-8);
    }
    assert_near(fb_law_next_break(&law, 0.0), 2.0, 0.0);
    assert_near(fb_law_next_break(&law, 2.0), 2.5, 0.0);
    assert_true(isinf(fb_law_next_break(&law, 2.5)));
    assert_int_equal(fb_law_roughness(&law), 3);
}

// Continuous value and rate, limits kept and reached.
static void assert_profile(const FbLaw* law, double end, double from, double to, double peak) {
    double largest = 0.0, out[3];
    assert_near(value_at(law, 0.0), from, 0.0);
    assert_near(value_at(law, end + 1.0), to, 0.0);
    for (double t = fb_law_next_break(law, -1.0); t < INFINITY; t = fb_law_next_break(law, t)) {
        assert_near(value_at(law, t), value_at(law, nextafter(t, -1.0)), 1e-14);
        assert_near(rate_at(law, t), rate_at(law, nextafter(t, -1.0)), 1e-14);
        largest = fmax(largest, fabs(rate_at(law, t)));
        fb_law_calc(law, t, out);
        assert_true(fabs(out[2]) == 0.0 || fabs(out[2]) == 2.0);
    }
    assert_near(largest, peak, 1e-14);
    assert_near(fb_law_next_break(law, end - 1e-9), end, 1e-14);
}

static void test_trapezoid(void** state) {
    FbTrapezoidLawDef def = {.head = {.name = "p", .type = "trapezoid"},
                             .from = 1.0,
                             .to = -2.0,
                             .start = 0.5,
                             .max_rate = 1.0,
                             .max_acceleration = 2.0};
    FbLaw law = build(&def.head, *state);
    // 0.5 s up to 1/s over 0.25, 2.5 s at 1/s, 0.5 s down.
    assert_profile(&law, 4.0, 1.0, -2.0, 1.0);
    const double inside[] = {0.6, 0.9, 1.2, 2.7, 3.6, 3.9};
    for (int i = 0; i < 6; i++) {
        assert_derivatives(&law, inside[i], 1e-9);
    }
    assert_int_equal(fb_law_roughness(&law), 2);
    // Too short to reach the rate: a triangle with sqrt(D a) at its top.
    def.to = 1.125;
    law = build(&def.head, *state);
    assert_profile(&law, 1.0, 1.0, 1.125, 0.5);
    // No move at all.
    def.to = 1.0;
    law = build(&def.head, *state);
    assert_near(value_at(&law, 0.5), 1.0, 0.0);
    assert_near(rate_at(&law, 0.5), 0.0, 0.0);
}

static void test_refusals(void** state) {
    FbLawDef unknown = {.name = "u", .type = "sawtooth"};
    assert_refused(&unknown, *state, "sawtooth");
    FbRampLawDef ramp = {.head = {.name = "r", .type = "ramp"}, .duration = NAN};
    assert_refused(&ramp.head, *state, "duration of law 'r'");
    FbTrapezoidLawDef move = {.head = {.name = "m", .type = "trapezoid"}, .max_rate = 1.0};
    assert_refused(&move.head, *state, "max_acceleration");
    move.max_rate = -1.0;
    assert_refused(&move.head, *state, "max_rate");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constant),
        cmocka_unit_test(test_expression),
        cmocka_unit_test(test_expression_of_unknown_name),
        cmocka_unit_test(test_harmonic),
        cmocka_unit_test(test_ramp),
        cmocka_unit_test(test_trapezoid),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
