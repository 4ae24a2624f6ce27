// Effective damping against closed forms: damped and growing oscillators, a pendulum of varying
// length, ripples, phases of energy and power.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record/curve.h"
#include "record/damping.h"

enum { MAX = 4001 };
static const double pi = 3.14159265358979323846;

typedef struct Series {
    int n;
    double t[MAX], y[MAX], e[MAX];
} Series;

// n samples at a distance of h.
static void fill(Series* s, int n, double h, double (*f)(double)) {
    s->n = n;
    for (int i = 0; i < n; i++) {
        s->t[i] = h * i;
        s->y[i] = f(s->t[i]);
    }
}

static void assert_near(double value, double wanted, double tolerance) {
    if (!(fabs(value - wanted) <= tolerance)) {
        fail_msg("%.15g instead of %.15g, difference %.3g > %.3g", value, wanted, value - wanted,
                 tolerance);
    }
}

static FbDamping calc(const Series* s, FbDampingInput in, FbArena* arena) {
    FbDamping d;
    FbError err;
    in.t = s->t;
    in.y = s->y;
    in.n = s->n;
    assert_int_equal(fb_damping_calc(&in, arena, &d, &err), FB_OK);
    return d;
}

// Released at rest from 2: zeta 0.05, 1 rad/s.
static double released(double t) {
    double z = 0.05, w = sqrt(1.0 - z * z);
    return 2.0 * exp(-z * t) * (cos(w * t) + z / w * sin(w * t));
}

static void test_released(void** state) {
    (void)state;
    static Series s;
    FbArena* arena = fb_arena_create();
    double w = sqrt(1.0 - 0.0025);
    fill(&s, 700, 2.0 * pi / 20.0, released);
    FbDamping d = calc(&s, (FbDampingInput){.cycles = 9, .bound = 0.1}, arena);
    assert_true(d.starts_at_rest);
    assert_true(d.is_complete);
    assert_near(d.t_0, 0.0, 0.0);
    assert_near(d.amplitude_0, 2.0, 0.0);
    // The peaks of a damped oscillator are a damped period apart: ln(A_0/A_n)/(2 pi n) = zeta/w.
    assert_near(d.ratio, 0.05 / w, 1e-10);
    assert_near(d.share, 0.5 / w, 1e-9);
    assert_near(d.frequency_hz, w / (2.0 * pi), 1e-10);
    assert_in_range(d.n_cycles, 33, 35);
    for (int k = 0; k < d.n_cycles; k++) {
        assert_near(d.cycles[k].t, 2.0 * pi * (k + 1) / w, 2e-8);
        assert_near(d.cycles[k].ratio, 0.05 / w, 1e-9);
        assert_near(d.cycles[k].overall, 0.05 / w, 1e-9);
    }
    // Both signs make the envelope, which only falls.
    assert_in_range(d.n_peaks, 2 * d.n_cycles, 2 * d.n_cycles + 2);
    assert_near(d.peaks[1].t, pi / w, 1e-8);
    assert_int_equal(d.n_phases, 1);
    assert_int_equal(d.phases[0].direction, -1);
    assert_string_equal(d.phases_from, "envelope");
    assert_true(isnan(d.cycles[0].energy));
    assert_near(d.cycles[3].falling_s, 2.0 * pi / w, 1e-7);
    fb_arena_destroy(arena);
}

// Neither starts at a peak nor about zero, and grows.
static double growing(double t) {
    return 7.0 + 0.01 * exp(0.02 * t) * cos(t + 0.5);
}

static void test_growing(void** state) {
    (void)state;
    static Series s;
    FbArena* arena = fb_arena_create();
    fill(&s, 900, 0.2, growing);
    FbDamping d = calc(&s, (FbDampingInput){.about = 7.0, .bound = NAN}, arena);
    assert_false(d.starts_at_rest);
    // Peaks where tan(t + 0.5) = 0.02: the first one after the start is in the next cycle.
    assert_near(d.t_0, 2.0 * pi - 0.5 + atan(0.02), 1e-7);
    assert_near(d.ratio, -0.02, 1e-10);
    assert_int_equal(d.n_asked, d.n_cycles);
    assert_int_equal(d.phases[0].direction, 1);
    assert_true(isnan(d.share));
    fb_arena_destroy(arena);
}

// Begins 0.1 rad after a peak: nearly a whole quarter cycle is left, but the slope is there.
static double passing(double t) {
    return exp(-0.02 * t) * cos(t + 0.1);
}

// Begins 0.5 rad after a peak, and a ripple hides the slope: only the short quarter tells.
static double short_quarter(double t) {
    return exp(-0.01 * t) * (cos(t + 0.5) + 0.05 * cos(9.3 * t));
}

// A start that the vibration passes on its way is not a peak, although it is the largest of its
// lobe: the first amplitude would be too small, and so would be the damping.
static void test_start_is_no_peak(void** state) {
    (void)state;
    static Series s;
    FbArena* arena = fb_arena_create();
    fill(&s, 900, 0.1, passing);
    FbDamping d = calc(&s, (FbDampingInput){.cycles = 3, .bound = NAN}, arena);
    assert_false(d.starts_at_rest);
    assert_near(d.t_0, 2.0 * pi - 0.1 - atan(0.02), 1e-7);
    assert_near(d.ratio, 0.02, 1e-9);
    fill(&s, 400, 0.2, short_quarter);
    d = calc(&s, (FbDampingInput){.cycles = 3, .bound = NAN}, arena);
    assert_false(d.starts_at_rest);
    assert_near(d.t_0, 2.0 * pi - 0.5, 0.3);
    assert_near(d.ratio, 0.01, 0.002);
    fb_arena_destroy(arena);
}

static double rippled(double t) {
    return exp(-0.01 * t) * (cos(t) + 0.02 * cos(9.3 * t));
}

static void test_ripples_are_no_cycles(void** state) {
    (void)state;
    static Series s;
    FbArena* arena = fb_arena_create();
    fill(&s, 4001, 2.0 * pi / 200.0, rippled);  // 20 cycles
    FbDamping d = calc(&s, (FbDampingInput){.bound = NAN}, arena);
    assert_int_equal(d.n_cycles, 19);
    assert_near(d.cycles[18].t, 2.0 * pi * 19.0, 0.5);
    assert_near(d.ratio, 0.01, 3e-4);
    fb_arena_destroy(arena);
}

// theta'' of a pendulum whose length is 1 + 0.1 sin(2 W t + 3.218412).
static void pendulum(double t, const double x[2], double dx[2]) {
    double w = 2.0 * sqrt(9.81), p = w * t + 3.218412;
    double s = 1.0 + 0.1 * sin(p), ds = 0.1 * w * cos(p);
    dx[0] = x[1];
    dx[1] = -(2.0 * ds * x[1] + 9.81 * sin(x[0])) / s;
}

static void step_pendulum(double t, double h, double x[2]) {
    double k[4][2], y[2];
    for (int i = 0; i < 4; i++) {
        double part = i == 0 ? 0.0 : i == 3 ? h : 0.5 * h;
        for (int c = 0; c < 2; c++) {
            y[c] = x[c] + (i > 0 ? part * k[i - 1][c] : 0.0);
        }
        pendulum(t + part, y, k[i]);
    }
    for (int c = 0; c < 2; c++) {
        x[c] += h / 6.0 * (k[0][c] + 2.0 * k[1][c] + 2.0 * k[2][c] + k[3][c]);
    }
}

// Sampled 20 times a cycle, ten samples are 1/500 s: the published ratio of this benchmark comes
// out.
static void test_pendulum_of_varying_length(void** state) {
    (void)state;
    static Series s;
    FbArena* arena = fb_arena_create();
    const double samples[] = {0.1, 0.02}, tolerances[] = {2e-7, 1e-12};
    for (int c = 0; c < 2; c++) {
        double x[2] = {0.2, 0.0}, h = 5e-5;
        int n = (int)lround(samples[c] / h);
        s.n = 1 + (int)lround(20.0 / samples[c]);
        for (int i = 0; i < s.n; i++) {
            s.t[i] = samples[c] * i;
            s.y[i] = x[0];
            for (int k = 0; k < n; k++) {
                step_pendulum(s.t[i] + k * h, h, x);
            }
        }
        FbDamping d = calc(&s, (FbDampingInput){.cycles = 9, .bound = 0.0958131993}, arena);
        assert_true(d.starts_at_rest);
        assert_near(d.ratio, 0.075313716098, tolerances[c]);
        assert_near(d.share, 0.786, 1e-3);
    }
    fb_arena_destroy(arena);
}

static double oscillation(double t) {
    return exp(-0.01 * t) * cos(t);
}

// Falls by 2 % in a unit of time and swings by 20 %: it grows for a part of every half cycle.
static double energy(double t) {
    return exp(-0.02 * t) * (1.0 + 0.2 * sin(2.0 * t));
}

static double power(double t) {
    return exp(-0.02 * t) * (0.4 * cos(2.0 * t) - 0.02 * (1.0 + 0.2 * sin(2.0 * t)));
}

static void check_phases(const FbDamping* d, double tolerance) {
    // Grows where 0.4 cos 2t - 0.004 sin 2t > 0.02, from the start on.
    double middle = atan(-0.01), half = acos(0.02 / hypot(0.4, 0.004));
    assert_int_equal(d->phases[0].direction, 1);
    assert_int_equal(d->phases[1].direction, -1);
    assert_near(d->phases[0].to, 0.5 * (middle + half), tolerance);
    assert_near(d->phases[2].from, 0.5 * (middle - half) + pi, tolerance);
    assert_near(d->phases[2].to, 0.5 * (middle + half) + pi, tolerance);
    assert_near(d->cycles[3].growing_s, 2.0 * half, 0.02);
    assert_near(d->cycles[3].growing_s + d->cycles[3].falling_s, 2.0 * pi, 0.02);
    for (int k = 1; k < 5; k++) {
        double from = energy(d->cycles[k - 1].t), to = energy(d->cycles[k].t);
        assert_near(d->cycles[k].energy_change, to - from, 1e-8);
    }
}

static void test_energy_and_power(void** state) {
    (void)state;
    static Series s;
    FbArena* arena = fb_arena_create();
    fill(&s, 400, 0.1, oscillation);
    for (int i = 0; i < s.n; i++) {
        s.e[i] = energy(s.t[i]);
    }
    FbDamping d = calc(&s, (FbDampingInput){.energy = s.e, .bound = NAN}, arena);
    assert_string_equal(d.phases_from, "energy");
    assert_near(d.cycles[2].energy, energy(d.cycles[2].t), 1e-9);
    // Within the dead band of a thousandth of the largest power.
    check_phases(&d, 2e-3);
    for (int i = 0; i < s.n; i++) {
        s.e[i] = power(s.t[i]);
    }
    d = calc(&s, (FbDampingInput){.power = s.e, .bound = NAN}, arena);
    assert_string_equal(d.phases_from, "power");
    assert_true(isnan(d.cycles[2].energy));
    check_phases(&d, 2e-3);
    fb_arena_destroy(arena);
}

// A mass that rests between moves: neither amplified nor attenuated.
static void test_rest_between_moves(void** state) {
    (void)state;
    static Series s;
    FbArena* arena = fb_arena_create();
    fill(&s, 2001, 0.01, oscillation);
    for (int i = 0; i < s.n; i++) {
        double x = fmod(s.t[i], pi) / 0.5;
        s.e[i] = x < 1.0 ? -pow(x * (1.0 - x), 2.0) : 0.0;
    }
    FbDamping d = calc(&s, (FbDampingInput){.power = s.e, .bound = NAN}, arena);
    for (int i = 0; i < d.n_phases; i++) {
        assert_int_equal(d.phases[i].direction, -1);
        assert_in_range((int)(100.0 * (d.phases[i].to - d.phases[i].from)), 40, 50);
    }
    assert_int_equal(d.n_phases, 7);
    fb_arena_destroy(arena);
}

static double overdamped(double t) {
    return exp(-t);
}

static void test_too_few_cycles(void** state) {
    (void)state;
    static Series s;
    FbArena* arena = fb_arena_create();
    fill(&s, 100, 0.1, released);
    FbDamping d = calc(&s, (FbDampingInput){.cycles = 5, .bound = NAN}, arena);
    assert_false(d.is_complete);
    assert_int_equal(d.n_cycles, 1);
    assert_true(isnan(d.ratio));
    fill(&s, 100, 0.1, overdamped);
    d = calc(&s, (FbDampingInput){.bound = NAN}, arena);
    assert_int_equal(d.n_cycles, 0);
    assert_false(d.is_complete);
    memset(s.y, 0, sizeof s.y);
    d = calc(&s, (FbDampingInput){.bound = NAN}, arena);
    assert_int_equal(d.n_cycles, 0);
    fb_arena_destroy(arena);
}

static void test_bad_series(void** state) {
    (void)state;
    static Series s;
    FbArena* arena = fb_arena_create();
    FbDamping d;
    FbError err;
    fill(&s, 100, 0.1, released);
    FbDampingInput in = {.t = s.t, .y = s.y, .n = 2, .bound = NAN};
    assert_int_equal(fb_damping_calc(&in, arena, &d, &err), FB_ERR_ARGUMENT);
    in.n = 100;
    s.t[40] = s.t[39];
    assert_int_equal(fb_damping_calc(&in, arena, &d, &err), FB_ERR_ARGUMENT);
    assert_non_null(strstr(err.text, "sample 40"));
    s.t[40] = 4.0;
    s.y[7] = NAN;
    assert_int_equal(fb_damping_calc(&in, arena, &d, &err), FB_ERR_ARGUMENT);
    assert_non_null(strstr(err.text, "not finite"));
    fb_arena_destroy(arena);
}

static void test_bound(void** state) {
    (void)state;
    // To first order in eps = (m2 - m1)/(m2 + m1): eps/pi.
    assert_near(fb_damping_bound(0.9, 1.1), 0.0319377331, 1e-10);
}

// Values, slopes and integrals of an uneven series, of full order.
static void test_curve(void** state) {
    (void)state;
    static Series s;
    s.n = 60;
    for (int i = 0; i < s.n; i++) {
        s.t[i] = 0.1 * i + 0.02 * sin(5.0 * i);
        s.y[i] = sin(s.t[i]);
    }
    FbCurve curve = {s.t, s.y, s.n, 0};
    for (double t = 0.3; t < 5.5; t += 0.37) {
        assert_near(fb_curve_value(&curve, t), sin(t), 1e-13);
        assert_near(fb_curve_slope(&curve, t), cos(t), 1e-11);
        assert_near(fb_curve_integral(&curve, 0.2, t), cos(0.2) - cos(t), 1e-13);
    }
    double t, y;
    int top = 0;
    for (int i = 0; i < s.n; i++) {
        top = s.y[i] > s.y[top] ? i : top;
    }
    assert_true(fb_curve_extremum(&curve, top, 1, &t, &y));
    assert_near(t, 0.5 * pi, 1e-10);
    assert_near(y, 1.0, 1e-14);
    assert_false(fb_curve_extremum(&curve, 0, -1, &t, &y));
}

// Ripples that the samples do not resolve: the peak is that of the curve through as many samples as
// asked for, and where the long polynomial has none, that of a parabola; no cycle is left out.
static void test_unresolved_ripples(void** state) {
    (void)state;
    static Series s;
    s.n = 15;
    for (int i = 0; i < s.n; i++) {
        s.t[i] = i;
        s.y[i] = 1.0 - 0.01 * (i - 7.0) * (i - 7.0) - (i == 5 || i == 9 ? 0.2 : 0.0);
    }
    double t, y;
    FbCurve three = {s.t, s.y, s.n, 3}, all = {s.t, s.y, s.n, 0};
    assert_true(fb_curve_extremum(&three, 7, 1, &t, &y));
    assert_near(t, 7.0, 1e-12);
    assert_near(y, 1.0, 1e-12);
    FbCurve seven = {s.t, s.y, s.n, 7};  // symmetric about sample 7, as an odd number of samples is
    assert_near(fb_curve_slope(&seven, 7.0), 0.0, 1e-12);
    for (double trend = -0.5; trend < 0.55;
         trend += 0.1) {  // next to sample 7 the long one may fall
        for (int i = 0; i < s.n; i++) {
            s.y[i] = trend * i + (i % 2 == 1 ? 0.3 : -0.3);
        }
        assert_true(fb_curve_extremum(&all, 7, 1, &t, &y));
        assert_true(t > 6.0 && t < 8.0 && y >= s.y[7]);
    }
}

// A decay that ends in a ripple of 0.01, 2.7 times as fast, which lasts.
static double decays_into_ripple(double t) {
    return exp(-0.05 * t) * cos(t) + 0.01 * cos(2.7 * t + 0.4);
}

// Slower and slower, to a third of the first frequency.
static double slows_down(double t) {
    return exp(-0.01 * t) * cos(t * (1.0 - t / 360.0));
}

// A decay to less than the rounding of its start.
static double dies(double t) {
    return exp(-0.5 * t) * cos(t);
}

static void test_clear_cycles(void** state) {
    (void)state;
    static Series s;
    FbArena* arena = fb_arena_create();
    fill(&s, 3000, 0.05, decays_into_ripple);
    FbDamping d = calc(&s, (FbDampingInput){.bound = NAN}, arena);
    int n = fb_damping_count_clear(&d);
    assert_true(n >= 10 && n < d.n_cycles - 5);
    for (int k = 0; k < n; k++) {
        assert_near(d.cycles[k].frequency_hz, 1.0 / (2.0 * pi), 0.35 / (2.0 * pi));
    }
    assert_true(d.cycles[n - 1].amplitude < 0.05);
    fill(&s, 2400, 0.05, slows_down);
    d = calc(&s, (FbDampingInput){.bound = NAN}, arena);
    assert_true(d.cycles[d.n_cycles - 1].frequency_hz < 0.5 * d.cycles[0].frequency_hz);
    assert_int_equal(fb_damping_count_clear(&d), d.n_cycles);
    fill(&s, 2000, 0.05, dies);
    d = calc(&s, (FbDampingInput){.bound = NAN}, arena);
    n = fb_damping_count_clear(&d);
    assert_true(n < d.n_cycles && d.cycles[n].amplitude <= 1e-12 * d.amplitude_0);
    d.n_cycles = 0;
    assert_int_equal(fb_damping_count_clear(&d), 0);
    fb_arena_destroy(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_released),
        cmocka_unit_test(test_growing),
        cmocka_unit_test(test_start_is_no_peak),
        cmocka_unit_test(test_ripples_are_no_cycles),
        cmocka_unit_test(test_pendulum_of_varying_length),
        cmocka_unit_test(test_energy_and_power),
        cmocka_unit_test(test_rest_between_moves),
        cmocka_unit_test(test_clear_cycles),
        cmocka_unit_test(test_too_few_cycles),
        cmocka_unit_test(test_bad_series),
        cmocka_unit_test(test_bound),
        cmocka_unit_test(test_curve),
        cmocka_unit_test(test_unresolved_ripples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
