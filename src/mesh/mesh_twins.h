// Elements that a file repeats: Gmsh 2.2 writes an element once for each of its physical groups.
#ifndef FLYBALL_MESH_MESH_TWINS_H
#define FLYBALL_MESH_MESH_TWINS_H

#include "mesh/mesh.h"

typedef struct FbMeshTwin {
    int element, entity;  // element -1: an empty slot
} FbMeshTwin;

// A hash table of the elements that have been read; zeros are an empty one.
typedef struct FbMeshTwins {
    FbMeshTwin* slots;
    size_t n_slots, count;  // n_slots: a power of two
} FbMeshTwins;

// The element of this entity with the same nodes, in any order; -1: none.
int fb_mesh_twins_find(const FbMeshTwins* t, const FbMesh* mesh, int entity, const int* nodes,
                       int n);
bool fb_mesh_twins_add(FbMeshTwins* t, const FbMesh* mesh, int entity, int element);

#endif
