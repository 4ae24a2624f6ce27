// The surfaces and edges of a mesh that loads act on.
#ifndef FLYBALL_MESH_MESH_SKIN_H
#define FLYBALL_MESH_MESH_SKIN_H

#include "fem/face.h"
#include "mesh/mesh.h"

typedef struct FbMeshFace {
    int key[4];  // its corners, ascending; the first -1: a triangle
    int nodes[FB_FACE_MAX_NODES];
    int n_nodes, n_corners;
    int solid;  // the element it belongs to; -1: it is a shell
} FbMeshFace;

// The faces of all elements of a structure, sorted by their keys.
typedef struct FbMeshSkin {
    const FbMesh* mesh;
    FbMeshFace* faces;
    int n_faces;
} FbMeshSkin;

// A surface or an edge with a load on it.
typedef struct FbMeshPatch {
    int nodes[FB_FACE_MAX_NODES];
    int n_nodes;
    bool is_edge;
    double pressure;  // +1: along its normal, -1: against it
} FbMeshPatch;

typedef struct FbMeshPatches {
    FbMeshPatch* items;  // freed by the caller
    int count, capacity;
} FbMeshPatches;

typedef enum FbMeshFound {
    FB_MESH_FOUND,
    FB_MESH_LOOSE,   // no element with a material has this face
    FB_MESH_INSIDE,  // between two solids
    FB_MESH_NO_MEMORY
} FbMeshFound;

// owner [n_elements]: -1 where an element is not part of the structure.
FbStatus fb_mesh_skin_create(const FbMesh* mesh, const int* owner, FbArena* arena, FbMeshSkin* out,
                             FbError* err);
// The face that a surface element of the mesh covers.
FbMeshFound fb_mesh_skin_add_surface(const FbMeshSkin* skin, const FbMeshElement* e,
                                     FbMeshPatches* out);
// These return false when out of memory. All outer faces, or all edges, whose nodes are marked.
bool fb_mesh_skin_mark_faces(const FbMeshSkin* skin, const bool* is_marked, FbMeshPatches* out);
bool fb_mesh_skin_mark_edges(const FbMeshSkin* skin, const bool* is_marked, FbMeshPatches* out);
bool fb_mesh_skin_add_edge(const FbMeshSkin* skin, const FbMeshElement* e, FbMeshPatches* out);

#endif
