// Line charts without a browser: SVG for documents, characters for the terminal, and tiny ones for
// tables.
#ifndef FLYBALL_VIEW_CHART_H
#define FLYBALL_VIEW_CHART_H

#include "base/text.h"
#include "record/compare.h"

typedef struct FbChartCurve {
    FbSeries data;      // gaps where not finite (or, on a logarithmic axis, not positive)
    bool is_reference;  // drawn with marks or dashes
    int color;          // curves and their references share a number
} FbChartCurve;

typedef struct FbChartPanel {
    const char* label;  // of the y axis
    const FbChartCurve* curves;
    int n_curves;
    bool is_log;
    double tick_step;  // y ticks at multiples of a multiple of it; 0: at round numbers
} FbChartPanel;

// Panels one above the other over a common x axis.
typedef struct FbChart {
    const char* title;
    const char* x_label;
    bool is_x_log;
    const FbChartPanel* panels;
    int n_panels;
} FbChart;

void fb_chart_add_svg(FbText* text, const FbChart* chart);

// One curve, with references as marks; `columns` x `rows` characters without labels. Braille where
// is_unicode.
typedef struct FbTextChart {
    const char* label;
    const FbChartCurve* curves;
    int n_curves;
    int columns, rows;
    bool is_unicode;
} FbTextChart;

void fb_chart_add_text(FbText* text, const FbTextChart* chart);

// An svg element of the given size for a table in HTML.
void fb_chart_add_sparkline(FbText* text, const FbSeries* series, int width, int height);

// Characters of markup become entities; also right inside quoted attributes.
void fb_text_add_markup(FbText* text, const char* s);

#endif
