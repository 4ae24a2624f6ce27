// Meshes with fields as VTU files (XML of VTK, unstructured grid, raw appended data), which
// ParaView and VTK read.
#ifndef FLYBALL_VIEW_VTU_H
#define FLYBALL_VIEW_VTU_H

#include "base/error.h"
#include "describe/kept_mesh.h"

// A vector at each point, ground axes.
typedef struct FbVtuField {
    const char* name;
    const double* values;  // [3 n_points]
} FbVtuField;

// Points where they are drawn, all cells, and the fields.
FbStatus fb_vtu_write(const FbKeptMesh* mesh, const FbVtuField* fields, int n_fields,
                      const char* path, FbError* err);

// A file that lists others with a time for each: ParaView opens it as a series.
typedef struct FbPvdEntry {
    double time;
    int part;          // which mesh
    const char* file;  // name beside the list
} FbPvdEntry;
FbStatus fb_pvd_write(const FbPvdEntry* entries, int n, const char* path, FbError* err);

#endif
