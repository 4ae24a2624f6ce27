// A small line drawing of a mechanism at the start of a run or where it was linearized, for lists
// of reports.
#ifndef FLYBALL_VIEW_THUMBNAIL_H
#define FLYBALL_VIEW_THUMBNAIL_H

#include "flyball/linear.h"
#include "flyball/simulate.h"

// An SVG element as text, to be freed with fb_free(); NULL: poses were not recorded, nothing can be
// drawn by lines, or out of memory.
char* fb_thumbnail_create(const FbResult* result, int width, int height);
// The same at an operating point.
char* fb_thumbnail_create_at(const FbOperatingPoint* point, int width, int height);

#endif
