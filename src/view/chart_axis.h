// An axis: range, ticks at round numbers, and places on the picture.
#ifndef FLYBALL_VIEW_CHART_AXIS_H
#define FLYBALL_VIEW_CHART_AXIS_H

#include "view/chart.h"

typedef struct FbAxis {
    bool is_log;
    double low, high;  // of the values, or of their decimal logarithms
    double from, to;   // places of low and high
    double step;       // between ticks
    int exponent;      // ticks are labelled in units of 10^exponent
} FbAxis;

double fb_series_x(const FbSeries* s, int i);
double fb_series_y(const FbSeries* s, int i);

// The range of all finite values of the curves, never empty; ticks not more than `max_ticks`.
void fb_axis_fit(FbAxis* a, const FbChartCurve* curves, int n, bool is_x);
void fb_axis_join(FbAxis* a, const FbAxis* other);
void fb_axis_choose_ticks(FbAxis* a, double unit, int max_ticks);
// Makes the range end at ticks.
void fb_axis_widen(FbAxis* a);

double fb_axis_place(const FbAxis* a, double value);  // NaN where it has none
double fb_axis_place_tick(const FbAxis* a, double tick);
int fb_axis_tick_count(const FbAxis* a);
double fb_axis_tick(const FbAxis* a, int i);
void fb_axis_format(const FbAxis* a, double tick, char out[32]);

#endif
