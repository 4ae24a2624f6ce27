// Line charts into texts that grow: those of flyball/chart.h, and tiny ones for tables.
#ifndef FLYBALL_VIEW_CHART_H
#define FLYBALL_VIEW_CHART_H

#include "base/text.h"
#include "flyball/chart.h"

void fb_chart_add_svg(FbText* text, const FbLineChart* chart);

void fb_chart_add_text(FbText* text, const FbTextChart* chart);

// An svg element of the given size for a table in HTML.
void fb_chart_add_sparkline(FbText* text, const FbSeries* series, int width, int height);

// Characters of markup become entities; also right inside quoted attributes.
void fb_text_add_markup(FbText* text, const char* s);

#endif
