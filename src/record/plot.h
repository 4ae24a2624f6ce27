// Curves over a common abscissa as a stand-alone SVG picture: panels one above the other.
#ifndef FLYBALL_RECORD_PLOT_H
#define FLYBALL_RECORD_PLOT_H

#include "base/text.h"

typedef struct FbPlotPanel {
    const char* label;  // of the y axis
    const double* y;    // [n]; a gap where not finite (or, is_log, not positive)
    bool is_log;
    double tick_step;  // y ticks at multiples of it, or of a multiple of it; 0: round numbers
} FbPlotPanel;

typedef struct FbPlot {
    const char* title;
    const char* x_label;
    bool is_x_log;
    const double* x;  // [n], ascending
    int n;
    const FbPlotPanel* panels;
    int n_panels;
} FbPlot;

void fb_plot_add_svg(FbText* text, const FbPlot* plot);

#endif
