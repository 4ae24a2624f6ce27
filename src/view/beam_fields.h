// The beams of a run as polylines with fields, for VTU files.
#ifndef FLYBALL_VIEW_BEAM_FIELDS_H
#define FLYBALL_VIEW_BEAM_FIELDS_H

#include "model/model.h"
#include "solve/result.h"
#include "view/vtu.h"

// Beams of a model that are drawn: not the segments of smooth guides.
int fb_beam_fields_count(const FbModel* m);

// Polylines along all beams as they are drawn, in the ground; NULL: out of memory. Labels number
// the elements from 1. fb_kept_mesh_release() frees it.
FbKeptMesh* fb_beam_fields_create(const FbModel* m);

// Displacements of its points in a row of a run, [3 n_points], ground axes; and the largest normal
// stress, [n_points], linear between the ends of an element (`stress` NULL: not asked for).
void fb_beam_fields_calc(const FbResult* result, int row, double* u, double* stress);
// Are stresses of all beams known?
bool fb_beam_fields_have_stress(const FbModel* m);

#endif
