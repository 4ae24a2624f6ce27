// The frame of a chart in a plane: axes with ticks, grid and labels.
#ifndef FLYBALL_VIEW_PLANE_FRAME_H
#define FLYBALL_VIEW_PLANE_FRAME_H

#include "view/chart_axis.h"

typedef struct FbPlaneFrame {
    const char *title, *x_label, *y_label;
    int width, height, right;  // px; `right`: kept free beside the axes
    bool is_map;               // whose colours mean values: they are the same in the dark
    FbAxis x, y;               // with the ranges of the values; places and ticks are chosen
} FbPlaneFrame;

// Opens the svg element and draws all but the content.
void fb_plane_begin(FbText* text, FbPlaneFrame* frame);

// Text at a place; `attributes` begin with a blank.
void fb_plane_add_label(FbText* text, double x, double y, const char* attributes, const char* s);

#endif
