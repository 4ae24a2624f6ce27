// The parts of a drawing: frames of the animation, and what structures add to it.
#ifndef FLYBALL_VIEW_DRAWING_H
#define FLYBALL_VIEW_DRAWING_H

#include "model/model.h"
#include "view/report.h"

// The row of a frame: evenly spread, with the first and the last.
int fb_drawing_row_of_frame(const FbReportSource* source, int frame);

// structure_drawing.c: the pose of a body in the drawing, from which displacements count.
void fb_drawing_write_drawn(FbStream* s, const FbBody* body);
// A node of a structure, by its position in the drawing and small numbers for its displacement.
void fb_drawing_write_node(FbStream* s, const FbReportSource* source, int body);
// Members with their elements, and sliders with where they are.
void fb_drawing_write_members(FbStream* s, const FbReportSource* source);
void fb_drawing_write_sliders(FbStream* s, const FbReportSource* source);

#endif
