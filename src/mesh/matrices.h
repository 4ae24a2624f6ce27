// The internals of fb_model_def_add_matrix_structure: matrices that were read, checked and reduced.
#ifndef FLYBALL_MESH_MATRICES_H
#define FLYBALL_MESH_MATRICES_H

#include "describe/def.h"
#include "describe/kept_mesh.h"
#include "math/craig_bampton.h"

// A load of a structure: the forces along its rows by a unit of a value.
typedef struct FbMatrixLoad {
    const char *name, *value, *unit;
    const char* key;  // of the value in the model file
    const FbOrigin* origin;
} FbMatrixLoad;

typedef struct FbMatrixLoads {
    FbMatrixLoad* items;  // [count]
    double* vectors;      // [n x count]
    int count;
} FbMatrixLoads;

// A place where values are measured: rows over the displacements.
typedef struct FbMatrixPlace {
    const char* name;  // "structure.place"
    bool is_shell;
    int n_values;
    const FbOrigin* origin;
} FbMatrixPlace;

typedef struct FbMatrixPlaces {
    FbMatrixPlace* items;  // [count]
    int count;
    double* vectors;  // [n x n_vectors] of all places
    int n_vectors;
} FbMatrixPlaces;

typedef struct FbMatrixPlan {
    FbModelDef* def;
    const FbMatrixStructureDef* s;
    FbArena* arena;
    FbError* err;
    int n_file;                 // rows of the files
    FbStructureMatrices whole;  // without clamped rows, damping complete
    int n;                      // rows of it
    int* row_of;                // [n_file] row within, -1: clamped
    int* named;  // [n_named] rows of named nodes, in the order of nodes and x, y, z, rx, ry, rz
    int n_named;
    int first;  // `whole` has the columns from this row on: all, or those of this process
    // whole.loads: first the three of a unit gravity along the structure's axes if these are known,
    // then those of `loads`, then the rows of `places`.
    bool has_weight;
    FbMatrixLoads loads;
    FbMatrixPlaces places;
    int n_elements, n_nodes;  // of the mesh; 0: none
    double* load_factors;     // [n_load_factors] of buckling
    int n_load_factors;
    bool has_load_factors;
    double mesh_mass, mesh_size[3];
    bool may_be_millimetres;
    const char** row_names;  // [n_file] of the joints of other rows; NULL: "structure.d17"
    FbKeptMesh* kept;        // by rows of the matrices until it is expanded; NULL: not requested
} FbMatrixPlan;

// C + alpha M + beta K, unless the structure is reduced.
FbStatus fb_matrix_complete_damping(FbMatrixPlan* plan);

// matrices_parts.c: bodies and joints of nodes and of the other rows or modes, and the
// superelement that acts on them.
FbStatus fb_matrix_expand(FbMatrixPlan* plan);

// mesh_keep.c: a kept mesh by the coordinates of the superelement: of [n_rows] is the coordinate of
// each row, or the structure was reduced.
void fb_mesh_keep_whole(FbKeptMesh* kept, const int* of, int n);
FbStatus fb_mesh_keep_reduced(FbKeptMesh* kept, const FbReduced* reduced, FbError* err);

#endif
