// A small line drawing of a mechanism at the start of a run, for lists of reports.
#ifndef FLYBALL_VIEW_THUMBNAIL_H
#define FLYBALL_VIEW_THUMBNAIL_H

#include "flyball/simulate.h"

// An SVG element as text, to be freed with fb_free(); NULL: poses were not recorded, nothing can be
// drawn by lines, or out of memory.
char* fb_thumbnail_create(const FbResult* result, int width, int height);

#endif
