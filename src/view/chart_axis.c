// An axis: range, ticks at round numbers, and places on the picture.
#include "view/chart_axis.h"

#include <math.h>
#include <stdio.h>

double fb_series_x(const FbSeries* s, int i) {
    return s->times[(size_t)i * (size_t)s->time_stride];
}

double fb_series_y(const FbSeries* s, int i) {
    return s->values[(size_t)i * (size_t)s->value_stride];
}

static double scaled(const FbAxis* a, double value) {
    return !a->is_log ? value : value > 0.0 ? log10(value) : NAN;
}

// A curve that does not change still needs a range around it.
static void open_range(FbAxis* a) {
    if (!(a->low <= a->high)) {
        a->low = 0.0;
        a->high = 1.0;
    }
    double size = fmax(fabs(a->low), fabs(a->high));
    if (a->high - a->low <= 1e-13 * size || a->high == a->low) {
        double half = size > 0.0 ? 0.05 * size : 0.5;
        a->low -= half;
        a->high += half;
    }
}

void fb_axis_fit(FbAxis* a, const FbChartCurve* curves, int n, bool is_x) {
    a->low = INFINITY;
    a->high = -INFINITY;
    for (int c = 0; c < n; c++) {
        for (int i = 0; i < curves[c].data.n; i++) {
            double v =
                scaled(a, is_x ? fb_series_x(&curves[c].data, i) : fb_series_y(&curves[c].data, i));
            if (isfinite(v)) {
                a->low = fmin(a->low, v);
                a->high = fmax(a->high, v);
            }
        }
    }
    open_range(a);
}

void fb_axis_join(FbAxis* a, const FbAxis* other) {
    a->low = fmin(a->low, other->low);
    a->high = fmax(a->high, other->high);
}

// 1, 2 or 5 times a power of ten that is not below x.
static double round_up(double x) {
    double power = pow(10.0, floor(log10(x)));
    double factor = x / power;
    return power * (factor <= 1.0 ? 1.0 : factor <= 2.0 ? 2.0 : factor <= 5.0 ? 5.0 : 10.0);
}

void fb_axis_choose_ticks(FbAxis* a, double unit, int max_ticks) {
    double least = (a->high - a->low) / max_ticks;
    if (a->is_log) {
        a->step = fmax(1.0, ceil(least));
    } else if (unit > 0.0) {
        a->step = unit * fmax(1.0, ceil(least / unit));
    } else {
        a->step = round_up(least);
    }
    double size = fmax(fabs(a->low), fabs(a->high));
    bool is_plain = a->is_log || (size < 1e5 && size >= 1e-2);
    a->exponent = is_plain ? 0 : 3 * (int)floor(log10(size) / 3.0 + 1e-9);
}

void fb_axis_widen(FbAxis* a) {
    a->low = a->step * floor(a->low / a->step + 1e-9);
    a->high = a->step * ceil(a->high / a->step - 1e-9);
}

double fb_axis_place_tick(const FbAxis* a, double tick) {
    return a->from + (tick - a->low) / (a->high - a->low) * (a->to - a->from);
}

double fb_axis_place(const FbAxis* a, double value) {
    return fb_axis_place_tick(a, scaled(a, value));
}

// A tick may lie outside the range by this share of a step: rounding.
static const double TICK_SLACK = 1e-9;

static double first_tick(const FbAxis* a) {
    return ceil(a->low / a->step - TICK_SLACK);
}

int fb_axis_tick_count(const FbAxis* a) {
    return 1 + (int)(floor(a->high / a->step + TICK_SLACK) - first_tick(a));
}

double fb_axis_tick(const FbAxis* a, int i) {
    return a->step * (first_tick(a) + i);
}

void fb_axis_format(const FbAxis* a, double tick, char out[32]) {
    if (a->is_log) {
        snprintf(out, 32, "%g", pow(10.0, tick));
        return;
    }
    double unit = pow(10.0, a->exponent), step = a->step / unit, value = tick / unit;
    int decimals = (int)-floor(log10(step) + 1e-9);
    decimals = decimals < 0 ? 0 : decimals > 12 ? 12 : decimals;
    snprintf(out, 32, "%.*f", decimals, fabs(value) < 0.5 * pow(10.0, -decimals) ? 0.0 : value);
}
