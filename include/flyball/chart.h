// Line charts: SVG for documents, characters for a terminal. What `flyball plot` draws.
#ifndef FLYBALL_CHART_H
#define FLYBALL_CHART_H

#include "flyball/compare.h"
#include "flyball/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif

// A curve of a chart.
typedef struct FbChartCurve {
    FbSeries data;      // gaps where it is not finite or, on a logarithmic axis, not positive
    bool is_reference;  // drawn with marks or dashes
    int color;          // 0, 1, ...; curves and their references share a number
    uint64_t reserved[4];
} FbChartCurve;

// Curves over one y axis.
typedef struct FbChartPanel {
    const char* label;           // of the y axis
    const FbChartCurve* curves;  // [n_curves]
    int n_curves;
    bool is_log;       // logarithmic y axis
    double tick_step;  // y ticks at multiples of a multiple of it; 0: at round numbers
    uint64_t reserved[4];
} FbChartPanel;

// Panels one above the other over a common x axis.
typedef struct FbLineChart {
    const char* title;
    const char* x_label;         // of the x axis
    bool is_x_log;               // logarithmic x axis
    const FbChartPanel* panels;  // [n_panels]
    int n_panels;
    uint64_t reserved[4];
} FbLineChart;

// A chart in characters.
typedef struct FbTextChart {
    const char* label;           // above it
    const FbChartCurve* curves;  // [n_curves]; references are drawn as marks
    int n_curves;
    int columns, rows;  // characters, without labels; > 0
    bool is_unicode;    // Braille dots; false: ASCII
    uint64_t reserved[4];
} FbTextChart;

// The chart as a stand-alone SVG document; free *out with fb_free().
FB_API FbStatus fb_chart_svg(const FbLineChart* chart, char** out, FbError* err);
// The chart as lines of text; free *out with fb_free().
FB_API FbStatus fb_chart_text(const FbTextChart* chart, char** out, FbError* err);

// An output of a run, or a reference for one.
typedef struct FbChartOutput {
    FbSeries data;      // with its name
    const char* unit;   // "": none
    bool is_reference;  // of the output with the same name
    uint64_t reserved[4];
} FbChartOutput;

// Outputs over time as a stand-alone SVG document, one panel for each unit in the order in which
// they come; free *out with fb_free().
FB_API FbStatus fb_chart_outputs_svg(const char* title, const FbChartOutput* outputs, int n,
                                     char** out, FbError* err);
// The same for outputs of a result. `columns` [n]; NULL: all of them. `title` NULL: that of the
// model. FB_ERR_ARGUMENT: no such column.
FB_API FbStatus fb_result_svg(const FbResult* result, const char* title, const int* columns, int n,
                              char** out, FbError* err);

#ifdef __cplusplus
}
#endif
#endif
