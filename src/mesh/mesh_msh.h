// What the readers of Gmsh's files share: entities, physical groups, numbers in text or binary.
#ifndef FLYBALL_MESH_MESH_MSH_H
#define FLYBALL_MESH_MESH_MSH_H

#include "mesh/mesh_file.h"
#include "mesh/mesh_twins.h"

// The physical groups of the entities of a dimension (version 4).
typedef struct FbMshEntity {
    int dimension, tag;
    int first, count;  // of FbMsh.physicals
} FbMshEntity;

typedef struct FbMshPhysical {
    int dimension, tag, group;
} FbMshPhysical;

typedef struct FbMsh {
    FbMeshFile* f;
    bool is_binary, is_new;  // is_new: version 4.1
    FbMshPhysical* names;
    int n_names, names_capacity;
    FbMshEntity* entities;
    int n_entities, entities_capacity;
    int* physicals;
    int n_physicals, physicals_capacity;
    FbMeshTwins twins;  // of version 2
} FbMsh;

// Counts and tags that have eight bytes in binary files of version 4, otherwise four.
bool fb_msh_take_long(FbMsh* m, long* out);
bool fb_msh_take_int(FbMsh* m, long* out);
FbStatus fb_msh_fail_cut(FbMsh* m, const char* section);

// The group of a physical group; name NULL: its number, unless it has been named.
FbStatus fb_msh_add_physical(FbMsh* m, int dimension, int tag, const char* name, int* group);

FbStatus fb_msh_read_elements_2(FbMsh* m);
FbStatus fb_msh_read_elements_4(FbMsh* m);

#endif
