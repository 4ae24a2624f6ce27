// Laws of moves: jerk-limited profiles in all their cases, quintic durations, moves that events
// start, and where laws jump.
#include "law/moves.h"
#include "law/profile.h"
#include "law_support.h"

// Between breaks the rate is the slope of the value and the acceleration that of the rate; at
// breaks none of them jumps.
static void assert_smooth(const FbLaw* law, double t0, double t1) {
    const double h = 1e-5;
    for (double t = t0; t < t1; t += (t1 - t0) / 97.0) {
        double out[3], low[3], high[3];
        fb_law_calc(law, t, out);
        fb_law_calc(law, t - h, low);
        fb_law_calc(law, t + h, high);
        // The jerk jumps at breaks: one-sided there, so the tolerance is of order h.
        assert_near(out[1], (high[0] - low[0]) / (2.0 * h), 1e-8);
        assert_near(out[2], (high[1] - low[1]) / (2.0 * h), 1e-4);
    }
    for (double t = fb_law_next_break(law, t0); t < INFINITY; t = fb_law_next_break(law, t)) {
        double left[3], right[3];
        fb_law_calc(law, nextafter(t, -INFINITY), left);
        fb_law_calc(law, t, right);
        for (int k = 0; k < 3; k++) {
            assert_near(right[k], left[k], 1e-13);
        }
    }
}

// The jerk of the exact profile, integrated three times, arrives: duration, peaks of rate and
// acceleration.
static void assert_jerk_profile(FbJerkLawDef def, FbArena* arena, double duration, double rate,
                                double acceleration) {
    FbLaw law = build(&def.head, arena);
    double largest[3] = {0, 0, 0}, out[3], end = def.start + duration;
    assert_smooth(&law, def.start - 0.1, end + 0.1);
    const int n = 20000;
    for (int i = 0; i <= n; i++) {
        fb_law_calc(&law, def.start + duration * i / n, out);
        for (int k = 0; k < 3; k++) {
            largest[k] = fmax(largest[k], fabs(out[k]));
        }
    }
    assert_near(largest[1], rate, 1e-6 * rate);
    assert_true(largest[1] <= def.max_rate * (1.0 + 1e-14));
    assert_near(largest[2], acceleration, 1e-3 * acceleration);
    assert_true(largest[2] <= def.max_acceleration * (1.0 + 1e-14));
    fb_law_calc(&law, def.start, out);
    assert_near(out[0], def.from, 0.0);
    fb_law_calc(&law, end * (1.0 + 1e-14), out);
    assert_near(out[0], def.to, 0.0);
    fb_law_calc(&law, 0.5 * (def.start + end), out);
    assert_near(out[0], 0.5 * (def.from + def.to), 1e-14);
    assert_near(fb_law_next_break(&law, end - 1e-9), end, 1e-14);
    assert_true(isinf(fb_law_next_break(&law, end)));
    assert_int_equal(fb_law_roughness(&law), 3);
}

static void test_jerk(void** state) {
    FbJerkLawDef def = {.head = {.name = "j", .type = "jerk"},
                        .from = 1.0,
                        .to = 11.0,
                        .start = 0.25,
                        .max_rate = 2.0,
                        .max_acceleration = 1.0,
                        .max_jerk = 2.0};
    // All seven pieces: t_j = 0.5, t_a = 1.5, t_v = 2.5.
    assert_jerk_profile(def, *state, 7.5, 2.0, 1.0);
    // Backwards.
    def.to = -9.0;
    assert_jerk_profile(def, *state, 7.5, 2.0, 1.0);
    // The rate is not reached: t_a = (sqrt(t_j^2 + 4 D/a) - 3 t_j)/2 with D = 2.
    def.to = 3.0;
    double t_a = 0.5 * (sqrt(0.25 + 8.0) - 1.5);
    assert_jerk_profile(def, *state, 2.0 * (1.0 + t_a), 0.5 + t_a, 1.0);
    // Neither is the acceleration: t_j = (D/(2 j))^(1/3), rate j t_j^2.
    def.to = 1.25;
    double t_j = cbrt(0.25 / 4.0);
    assert_jerk_profile(def, *state, 4.0 * t_j, 2.0 * t_j * t_j, 2.0 * t_j);
    // The rate is reached, the acceleration not: t_j = sqrt(v/j).
    def.to = 2.0;
    def.max_rate = 0.25;
    t_j = sqrt(0.125);
    assert_jerk_profile(def, *state, 4.0 * t_j + (4.0 - 2.0 * t_j), 0.25, 2.0 * t_j);
    // No way to go.
    def.to = 1.0;
    FbLaw law = build(&def.head, *state);
    double out[3];
    fb_law_calc(&law, 0.25, out);
    assert_near(out[0], 1.0, 0.0);
    assert_near(out[1], 0.0, 0.0);
}

static void test_quintic_limits(void** state) {
    (void)state;
    assert_near(fb_quintic_duration(-0.2, 0.15, INFINITY, INFINITY), 0.15, 0.0);
    const double rates[] = {1.0, INFINITY}, accelerations[] = {INFINITY, 20.0};
    for (int i = 0; i < 2; i++) {
        double T = fb_quintic_duration(0.2, 0.15, rates[i], accelerations[i]);
        double rate = 0.0, acceleration = 0.0;
        for (int k = 0; k <= 100000; k++) {
            double out[3];
            fb_quintic_calc(0.2, 3.0, T, 3.0 + T * k / 100000.0, out);
            rate = fmax(rate, fabs(out[1]));
            acceleration = fmax(acceleration, fabs(out[2]));
        }
        assert_true(T > 0.15);
        assert_near(i == 0 ? rate : acceleration, i == 0 ? 1.0 : 20.0, 1e-7);
    }
}

static FbMovesLawDef moves_def(void) {
    return (FbMovesLawDef){.head = {.name = "arm", .type = "moves"},
                           .inner = 0.9,
                           .outer = 1.1,
                           .outward = "y",
                           .inward = "v",
                           .duration = 0.15,
                           .frequency = NAN,
                           .max_rate = NAN,
                           .max_acceleration = NAN};
}

static void test_moves(void** state) {
    FbMovesLawDef def = moves_def();
    FbLaw law = build(&def.head, *state);
    const FbMoves* m = law.data;
    FbMoveState at = fb_moves_start(m);
    double out[3];
    fb_moves_calc(m, &at, 7.0, out);
    assert_near(out[0], 0.9, 0.0);
    assert_int_equal(fb_moves_waits_for(&at, 7.0), FB_MOVE_OUTWARD);
    fb_moves_go(m, &at, 7.0);
    assert_int_equal(fb_moves_waits_for(&at, 7.1), -1);
    fb_moves_calc(m, &at, 7.075, out);
    assert_near(out[0], 1.0, 1e-13);
    assert_near(out[1], 1.875 * 0.2 / 0.15, 1e-12);
    assert_int_equal(fb_moves_waits_for(&at, at.end), FB_MOVE_INWARD);
    fb_moves_calc(m, &at, at.end, out);
    assert_near(out[0], 1.1, 0.0);
    fb_moves_go(m, &at, 8.0);
    fb_moves_calc(m, &at, 8.15 + 1e-12, out);
    assert_near(out[0], 0.9, 0.0);
    assert_int_equal((int)at.count[FB_MOVE_OUTWARD], 1);
    assert_int_equal((int)at.count[FB_MOVE_INWARD], 1);
    def.max_rate = 1.0;
    law = build(&def.head, *state);
    assert_near(((const FbMoves*)law.data)->duration, 0.375, 1e-15);
    def.starts_outer = true;
    law = build(&def.head, *state);
    fb_law_calc(&law, 0.0, out);
    assert_near(out[0], 1.1, 0.0);
}

static void test_refusals(void** state) {
    FbJerkLawDef jerk = {
        .head = {.name = "j", .type = "jerk"}, .max_rate = 1.0, .max_acceleration = 1.0};
    assert_refused(&jerk.head, *state, "max_jerk of law 'j' is 0");
    FbMovesLawDef def = moves_def();
    def.duration = 0.0;
    assert_refused(&def.head, *state, "duration of law 'arm'");
    def = moves_def();
    def.lead = 0.05;
    assert_refused(&def.head, *state, "frequency");
    def = moves_def();
    def.inward = NULL;
    assert_refused(&def.head, *state, "inward");
    def = moves_def();
    def.outer = NAN;
    assert_refused(&def.head, *state, "inner and outer");
    def = moves_def();
    def.max_acceleration = -1.0;
    assert_refused(&def.head, *state, "max_acceleration");
    def = moves_def();
    def.lead = -1.0;
    assert_refused(&def.head, *state, "lead of law 'arm' is -1");
}

static void assert_jump(const FbLaw* law, double expected, int derivative) {
    double t;
    int which;
    bool is_there = fb_law_first_jump(law, 2, 0.0, 10.0, &t, &which);
    assert_int_equal(is_there, isfinite(expected));
    assert_int_equal(which, derivative);
    if (is_there) {
        assert_near(t, expected, 1e-12);
    }
}

static void assert_expression_jump(const char* text, FbArena* arena, double t, int derivative) {
    FbExpressionLawDef def = {.head = {.name = "e", .type = "expression"}, .value = text};
    FbLaw law = build(&def.head, arena);
    assert_jump(&law, t, derivative);
}

static void test_jumps(void** state) {
    FbArena* arena = *state;
    assert_expression_jump("sin(3*t) + exp(-t)*t^2", arena, INFINITY, -1);
    assert_expression_jump("abs(t - 3.5)", arena, 3.5, 1);
    assert_expression_jump("abs(t - 3.5)^3", arena, INFINITY, -1);
    assert_expression_jump("abs(t - 3.5)*(t - 3.5)", arena, 3.5, 2);
    assert_expression_jump("if(t < 2.25, 0, t - 2)", arena, 2.25, 0);
    assert_expression_jump("max(0, sin(t))", arena, 3.14159265358979312, 1);
    assert_expression_jump("clamp(2*t, 0, 5)", arena, 2.5, 1);
    assert_expression_jump("smooth_step(t, 1, 0, 1.001, 5)", arena, INFINITY, -1);
    assert_expression_jump("floor(t)", arena, 1.0, 0);
    assert_expression_jump("step(t - 4)*t", arena, 4.0, 0);
    FbRampLawDef ramp = {
        .head = {.name = "r", .type = "ramp"}, .to = 1.0, .start = 1.0, .duration = 0.5};
    FbLaw law = build(&ramp.head, arena);
    assert_jump(&law, INFINITY, -1);
    FbTrapezoidLawDef trapezoid = {.head = {.name = "p", .type = "trapezoid"},
                                   .to = 1.0,
                                   .start = 0.5,
                                   .max_rate = 1.0,
                                   .max_acceleration = 2.0};
    law = build(&trapezoid.head, arena);
    assert_jump(&law, 0.5, 2);
    const double times[] = {0.0, 1.0, 2.5, 4.0}, values[] = {0.0, 1.0, 2.5, 1.0};
    FbTableLawDef table = {.head = {.name = "t", .type = "table"},
                           .times = times,
                           .values = values,
                           .n_points = 4,
                           .is_linear = true};
    law = build(&table.head, arena);
    assert_jump(&law, 2.5, 1);  // the corner at 1 is none
    FbJerkLawDef jerk = {.head = {.name = "p", .type = "jerk"},
                         .to = 1.0,
                         .start = 0.5,
                         .max_rate = 1.0,
                         .max_acceleration = 2.0,
                         .max_jerk = 5.0};
    law = build(&jerk.head, arena);
    assert_jump(&law, INFINITY, -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jerk),  cmocka_unit_test(test_quintic_limits),
        cmocka_unit_test(test_moves), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_jumps),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
