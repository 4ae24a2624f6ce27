// The internals of fb_model_def_add_mesh_structure: a mesh with its properties, supports and
// couplings, on the way to matrices.
#ifndef FLYBALL_MESH_MESH_PLAN_H
#define FLYBALL_MESH_MESH_PLAN_H

#include "fem/shell.h"
#include "fem/solid.h"
#include "math/sparse.h"
#include "mesh/matrices.h"
#include "mesh/mesh.h"

// What the elements of one group have in common, for each type of element.
typedef struct FbMeshProperties {
    const FbMeshGroupDef* def;
    FbSolid solid;
    FbShell shell;
    FbMat3 axes;                     // of the material, or its turn from those around an axis
    bool is_around;                  // the axes follow an axis
    FbVec3 around, center;           // its direction, of length 1, and a point of it
    bool is_orthotropic, has_solid;  // has_solid: it can be that of a solid
} FbMeshProperties;

// A displacement of the mesh is a sum of rows of the matrices: one of them where it is free, none
// where it is fixed, several where it is coupled.
typedef struct FbMeshTerm {
    int row;
    double factor;
} FbMeshTerm;

typedef struct FbMeshTerms {
    FbMeshTerm* items;
    int count;
} FbMeshTerms;

// Named nodes one after the other along a line or an edge.
typedef struct FbMeshRow {
    const char* name;
    int* nodes;  // [n] of s->nodes
    int n;
} FbMeshRow;

// A group with more nodes is not an edge.
enum { FB_MESH_MOST_IN_ROW = 5000 };

typedef struct FbMeshPlan {
    FbModelDef* def;
    const FbMeshStructureDef* s;
    FbArena* arena;
    FbError* err;
    FbMesh mesh;
    FbMeshProperties* properties;  // [s->n_groups]
    int* owner;                    // [n_elements] its properties; -1: not part of the structure
    int* n_coordinates;            // [n_points] 0, 3 or 6
    bool* is_fixed;                // [6 n_points]
    int* coupled;                  // [n_points] the node of s->nodes it is coupled to; -1: none
    FbMeshTerms* terms;            // [6 n_points]
    int n_rows;
    int first, n_own;  // the rows whose matrices are assembled here: all, or those of this process
    int (*node_rows)[6];  // [s->n_nodes] rows of named nodes; -1: none
    FbVec3* node_at;      // [s->n_nodes]
    int* node_point;      // [s->n_nodes] the point of the mesh; -1: a coupled group
    FbMeshRow* rows;      // [n_named_rows]
    int n_named_rows;
} FbMeshPlan;

FbPlace fb_mesh_place(const FbOrigin* origin, const char* key);
// The group of the mesh with this name; a message lists those there are.
FbStatus fb_mesh_plan_find_group(FbMeshPlan* plan, const char* name, const FbOrigin* origin,
                                 const char* key, int* out);

// mesh_properties.c: materials, thicknesses, shapes of elements, connection of the whole.
FbStatus fb_mesh_plan_properties(FbMeshPlan* plan);
// The axes of the material in the middle of an element with n nodes at x.
FbMat3 fb_mesh_find_axes(const FbMeshProperties* p, const FbVec3* x, int n);
// mesh_rows.c: replaces rows of nodes in `s` by their nodes; and the rows in the description, once
// its nodes are bodies.
FbStatus fb_mesh_plan_name_rows(FbMeshPlan* plan);
FbStatus fb_mesh_plan_keep_rows(const FbMeshPlan* plan);
// mesh_coupling.c: where named nodes are, supports, rows, and what coupled displacements are.
FbStatus fb_mesh_plan_rows(FbMeshPlan* plan);
// The node of the structure at a place of the model file; fails if there is none.
FbStatus fb_mesh_find_point(FbMeshPlan* plan, const double at[3], const FbPlace* place, int* out);
// The moments of inertia of a group as of unit masses, about its centre: singular on a line.
FbMat3 fb_mesh_calc_spread(const FbMeshPlan* plan, int node, FbVec3 centre);
// What a displacement (6 point + direction) of the mesh is made of; rows below 0 are left out.
FbStatus fb_mesh_set_terms(FbMeshPlan* plan, int coordinate, const FbMeshTerm* items, int count);
// mesh_average.c: the rows of the group of a node, and those of its pivots by the others.
FbStatus fb_mesh_couple_on_average(FbMeshPlan* plan, int node);
// mesh_loads.c: loads as vectors along the rows.
FbStatus fb_mesh_plan_loads(FbMeshPlan* plan, FbMatrixLoads* out);
// mesh_stress.c: where stresses are measured.
FbStatus fb_mesh_plan_places(FbMeshPlan* plan, FbMatrixPlaces* out);
// mesh_assemble.c: the matrices, the forces by unit gravity, the mass.
FbStatus fb_mesh_plan_assemble(FbMeshPlan* plan, FbMatrixPlan* out);
// The geometric stiffness by displacements u [n_rows], with the pattern of `sum`.
FbStatus fb_mesh_assemble_geometric(const FbMeshPlan* plan, const double* u, FbSparse* sum);
// What a spin (rad/s, mesh's axes) about a point does: centrifugal forces [n_rows], and the
// stiffness that they lose or gain where points move across the axis (eqs. 12.22, 12.23); either
// may be NULL.
void fb_mesh_add_spin(const FbMeshPlan* plan, FbVec3 spin, FbVec3 about, double* forces,
                      FbSparse* sum);
// mesh_pattern.c: where the matrices have entries, and the block of an element [n x n] added there.
// Columns are those of the own rows.
FbStatus fb_mesh_plan_pattern(const FbMeshPlan* plan, FbPattern* out);
void fb_mesh_add_block(const FbMeshPlan* plan, FbSparse* sum, const FbMeshTerms* terms, int n,
                       const double* block);
// mesh_prestress.c: prestress changes the stiffness; load factors of buckling.
FbStatus fb_mesh_plan_prestress(FbMeshPlan* plan, FbMatrixPlan* m);
// mesh_keep.c: what the description wants to keep of the mesh, by rows; *out is NULL: nothing.
FbStatus fb_mesh_plan_keep(FbMeshPlan* plan, FbKeptMesh** out);
// mesh_keep_stress.c: the elements around the kept points; number [points of the mesh]: -1: not
// kept.
FbStatus fb_mesh_keep_stress(const FbMeshPlan* plan, const int* number, FbKeptMesh* kept);

#endif
