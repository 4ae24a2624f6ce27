// The tables of structures of solid and shell elements.
#ifndef FLYBALL_DESCRIBE_MESH_TABLE_H
#define FLYBALL_DESCRIBE_MESH_TABLE_H

#include "describe/types.h"
#include "flyball/mesh.h"

// The map `mesh` of a structure as it is written.
typedef struct FbMeshSource {
    const char* file;
    double unit;
    const char *type, *element;
    const double* size;
    int n_size;
    double radius, inner_radius, length, angle;
    const double* divisions;
    int n_divisions;
    double position[3], rotation[9];
} FbMeshSource;

// A place of `stresses` as it is written.
typedef struct FbMeshPlaceSource {
    double at[3];
    int element;
    const char* group;
    int side;  // 0 top, 1 middle, 2 bottom
} FbMeshPlaceSource;

extern const FbTypeInfo fb_mesh_structure_table;  // into FbMeshStructureDef
extern const FbTypeInfo fb_mesh_table;            // into FbMeshSource
extern const FbTypeInfo fb_mesh_group_table;      // into FbMeshGroupDef
extern const FbTypeInfo fb_mesh_node_table;       // into FbMeshNodeDef
extern const FbTypeInfo fb_mesh_load_table;       // into FbMeshLoadDef
extern const FbTypeInfo fb_mesh_prestress_table;  // into FbMeshStateDef
extern const FbTypeInfo fb_mesh_buckling_table;   // into FbMeshStateDef
extern const FbTypeInfo fb_mesh_place_table;      // into FbMeshPlaceSource

#endif
