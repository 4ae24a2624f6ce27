// A mesh in memory: points, elements and named groups, from a file or made here.
#ifndef FLYBALL_MESH_MESH_H
#define FLYBALL_MESH_MESH_H

#include "base/arena.h"
#include "describe/def.h"
#include "fem/element.h"
#include "flyball/mesh.h"

typedef struct FbMeshElement {
    const FbElementType* type;  // NULL: an edge or a point, in the mesh only for its nodes
    int dimension;              // 3: solid, 2: surface, 1: edge, 0: point
    int n_nodes, first;         // of FbMesh.nodes
    int label;                  // its number in the file, or from 1
} FbMeshElement;

// Nodes and elements with a common name; a set of nodes has no elements.
typedef struct FbMeshGroup {
    const char* name;
    int* elements;
    int n_elements, elements_capacity;
    int* nodes;  // of a set of nodes, without those of elements
    int n_nodes, nodes_capacity;
} FbMeshGroup;

typedef struct FbMesh {
    FbArena* arena;  // of names
    FbVec3* points;
    int* labels;  // [n_points] their numbers in the file, or from 1
    int n_points, points_capacity, labels_capacity;
    FbMeshElement* elements;
    int n_elements, elements_capacity;
    int* nodes;  // of all elements, one after the other, numbered as in fem/
    int n_nodes, nodes_capacity;
    FbMeshGroup* groups;
    int n_groups, groups_capacity;
    bool ignores_case;  // of the names of groups, as Abaqus does
} FbMesh;

void fb_mesh_destroy(FbMesh* mesh);  // what it owns, not the arena

// These return an index, or -1 when out of memory.
int fb_mesh_add_point(FbMesh* mesh, FbVec3 p, int label);
int fb_mesh_add_element(FbMesh* mesh, const FbElementType* type, int dimension, const int* nodes,
                        int n_nodes, int label);
int fb_mesh_find_group(const FbMesh* mesh, const char* name);  // -1: none
bool fb_mesh_has_all(const FbMesh* mesh);  // a group of just this name, instead of all elements
int fb_mesh_add_group(FbMesh* mesh, const char* name);  // the one there is, or a new one
bool fb_mesh_group_add_element(FbMesh* mesh, int group, int element);
bool fb_mesh_group_add_node(FbMesh* mesh, int group, int node);

// Marks all nodes of a group, by elements and as a set.
void fb_mesh_mark_group(const FbMesh* mesh, int group, bool* is_marked);

// The diagonal of the box around all points, m.
double fb_mesh_calc_size(const FbMesh* mesh);

// Element types that meshes are made of, by name; NULL: none.
const FbElementType* fb_mesh_find_type(const char* name);

// mesh_made.c: blocks, plates and cylinders.
FbStatus fb_mesh_make(const FbModelDef* def, const FbMeshStructureDef* s, FbMesh* out,
                      FbError* err);

// mesh_file.c: Gmsh, Abaqus and CalculiX.
FbStatus fb_mesh_read(const FbModelDef* def, const FbMeshStructureDef* s, FbMesh* out,
                      FbError* err);

#endif
