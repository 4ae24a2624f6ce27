// The parts of a drawing: frames of the animation, and what structures add to it.
#ifndef FLYBALL_VIEW_DRAWING_H
#define FLYBALL_VIEW_DRAWING_H

#include "model/model.h"
#include "view/report.h"

// The row of a frame: evenly spread, with the first and the last.
int fb_drawing_row_of_frame(const FbReportSource* source, int frame);

// The index of a body among those that are written; -1: the ground, or a body that is left out.
int fb_drawing_number(const FbModel* model, int body);

// structure_drawing.c: the pose of a body in the drawing, from which displacements count.
void fb_drawing_write_drawn(FbStream* s, const FbBody* body);
// A node of a structure, by its position in the drawing and small numbers for its displacement.
void fb_drawing_write_node(FbStream* s, const FbReportSource* source, int body);
// Members with their elements, and sliders with where they are.
void fb_drawing_write_members(FbStream* s, const FbReportSource* source);
void fb_drawing_write_sliders(FbStream* s, const FbReportSource* source);

// arrows.c: outputs that are forces and moments, and where they act.
void fb_drawing_write_arrows(FbStream* s, const FbReportSource* source);

// mesh_drawing.c: the pictures of all meshes that are kept, and what is written of them.
FbStatus fb_drawing_make_meshes(FbReportSource* source, FbArena* arena, FbError* err);
void fb_drawing_write_meshes(FbStream* s, const FbReportSource* source);
// How much of each shape of a mesh there is in `count` columns from `first` on; key NULL: an
// element of an array.
void fb_drawing_write_amplitudes(FbStream* s, const FbReportSource* source, int mesh, int first,
                                 int count, const char* key);

#endif
