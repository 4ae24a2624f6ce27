// Charts of two parameters or measures against each other, as svg elements for pages: scatter
// plots, curves in a plane such as root loci, and maps of a value over two axes with contour lines.
#ifndef FLYBALL_VIEW_PLANE_H
#define FLYBALL_VIEW_PLANE_H

#include "view/chart.h"

// Curves in a plane.
typedef struct FbPlaneChart {
    const char *title, *x_label, *y_label;
    bool is_x_log, is_y_log;
    const FbChartCurve* curves;  // [n_curves]; references are drawn as marks alone
    int n_curves;
    bool has_marks;  // also on the lines
    bool has_zeros;  // the lines x = 0 and y = 0
    int width, height;
} FbPlaneChart;

void fb_plane_add_svg(FbText* text, const FbPlaneChart* chart);

// A value on a grid.
typedef struct FbMapChart {
    const char *title, *x_label, *y_label;
    bool is_x_log, is_y_log;
    const double *x, *y;  // [nx], [ny] ascending
    int nx, ny;
    const double* z;  // [nx x ny], y changes fastest; not finite: no value
    int width, height;
} FbMapChart;

void fb_map_add_svg(FbText* text, const FbMapChart* chart);

// Where the contour of `level` cuts a cell with corner values z at (0,0), (1,0), (1,1), (0,1): up
// to two segments, {x1, y1, x2, y2} each. Returns how many.
int fb_contour_cell(const double z[4], double level, double segments[2][4]);

#endif
