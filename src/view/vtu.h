// Meshes with fields as VTU files (XML of VTK, unstructured grid, raw appended data), which
// ParaView and VTK read.
#ifndef FLYBALL_VIEW_VTU_H
#define FLYBALL_VIEW_VTU_H

#include "base/error.h"
#include "describe/kept_mesh.h"

// A number, a vector or a symmetric tensor (xx, yy, zz, xy, yz, zx) at each point, ground axes.
typedef struct FbVtuField {
    const char* name;
    int n_components;      // 1, 3 or 6
    const double* values;  // [n_components n_points]
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
