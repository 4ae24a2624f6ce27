// What is drawn of a mesh: some points of its surface, triangles between them, and the few shapes
// that their motion consists of.
#ifndef FLYBALL_VIEW_MESH_PICTURE_H
#define FLYBALL_VIEW_MESH_PICTURE_H

#include "base/error.h"
#include "describe/kept_mesh.h"

typedef struct FbMeshPicture {
    const char* name;
    const FbKeptMesh* mesh;
    int superelement;
    int n_points;
    int* points;  // [n_points] of the kept mesh
    int n_triangles;
    int* triangles;  // [3 n_triangles] numbers of drawn points
    int n_edges;
    int* edges;  // [2 n_edges] borders of elements; none where points were merged
    int n_shapes;
    double* shapes;      // [3 n_points x n_shapes] ground axes, the largest entry of each is 1
    double* amplitudes;  // [n_shapes x n] of the shapes, by coordinates of the superelement
    double* stress;      // [6 n_points x n_shapes] parts of stress_scales; NULL: not known
    double* scales;      // [n_shapes] Pa by a unit of an amplitude
    double largest;      // displacement, m
    double error;        // of displacements by these shapes, relative to the largest
} FbMeshPicture;

// Columns of coordinates that are to be shown: the frames of a run, or parts of modes.
typedef struct FbMeshColumns {
    const void* self;
    int n;
    bool is_continuous;  // neighbours are alike, so that some of them show the shapes of all
    // Coordinates c of a superelement in a column.
    void (*get)(const void* self, int superelement, int column, double* c);
} FbMeshColumns;

// mesh_decimate.c: about `most` points of the surface; all of them where they are fewer. Arrays are
// kept in the arena.
FbStatus fb_mesh_picture_choose_points(FbMeshPicture* picture, int most, FbArena* arena,
                                       FbError* err);
// mesh_shapes.c: at most `most` shapes whose sums are the columns.
FbStatus fb_mesh_picture_find_shapes(FbMeshPicture* picture, const FbMeshColumns* columns, int most,
                                     FbArena* arena, FbError* err);

#endif
