// Structures of solid and shell elements, from a mesh that is read from a file or generated.
//
// Displacements are small, from the drawing. Named nodes become bodies "structure.node", held by
// joints of the same name: a single node of a solid has three displacements (a `translation`
// joint), a node of a shell and a coupled group also three small rotations (a `node` joint). All
// other displacements become coordinates of their own or, where the structure is reduced, modes.
#ifndef FLYBALL_MESH_H
#define FLYBALL_MESH_H

#include "flyball/model.h"

// What the elements of a group are made of.
typedef struct FbMeshGroupDef {
    const char* name;      // of a group of elements of the mesh; "all": those of no other group
    const char* material;  // name
    double thickness;      // m: of shells; NaN: not given
    double offset;         // m: of the middle surface of shells from the nodes, along the normal
    FbOrigin origin;
    double axes[9];    // row-major: columns are the axes of an orthotropic material in the mesh's
                       // axes; on shells the first one is projected onto the surface
    double angle;      // rad: further turn of the material's axes about the normal of shells
    double around[3];  // direction of an axis in the mesh's axes: those of the material are then
                       // around it, along it and away from it, turned by `axes`; zero: none
    double center[3];  // m: a point of this axis
    uint64_t reserved[2];
} FbMeshGroupDef;

// A group of nodes that does not move, in some directions.
typedef struct FbMeshSupportDef {
    const char* group;  // of the mesh, or a named node of it
    bool is_fixed[6];   // displacements along x, y, z and rotations about them, mesh's axes
    FbOrigin origin;
    uint64_t reserved[4];
} FbMeshSupportDef;

// A node where other parts attach: a node of the mesh, or a group of nodes that is coupled to a new
// one. Or a row of nodes "name.n1", "name.n2", ...: those on the line between two places, or those
// of a group along an edge; guides of sliders pass it as a whole.
typedef struct FbMeshNodeDef {
    const char* name;
    double at[3];       // m, in the mesh's axes; NaN: in the middle of the group
    const char* group;  // NULL: the node of the mesh that is at `at`
    bool is_averaging;  // false: the group moves as a rigid body with the node; true: the node
                        // follows the mean motion of the group, which stays flexible
    bool is_clamped;    // it does not move
    FbOrigin origin;
    double from[3], to[3];  // m, in the mesh's axes: a row of all nodes on the line; NaN: none
    const char* along;      // a row of all nodes of this group, from that at `from` or from an end
    double spacing;         // m: a row of nodes about this far apart, with its ends; 0: all nodes
} FbMeshNodeDef;

// A load on a group of a mesh; exactly one of pressure, traction, line and force is given. It keeps
// its directions while the structure moves. Values are expressions of time and of sensors.
typedef struct FbMeshLoadDef {
    const char* name;
    const char* group;        // of the mesh: surfaces, shells, solids (their outside), edges, nodes
    const char* pressure;     // Pa: onto solids, along the normal of shells; NULL: none
    const char* traction[3];  // Pa: force per area, in ground axes; NULL: none
    const char* line[3];      // N/m: force per length of edges, in ground axes; NULL: none
    const char* force[3];     // N: total, spread evenly over the group, in ground axes; NULL: none
    FbOrigin origin;
    uint64_t reserved[8];
} FbMeshLoadDef;

// A place where stresses are measured: the sensor "structure.name" of type mesh_stress with the
// components xx, yy, zz, xy, yz, zx (in the axes of the mesh) and mises; at shells also the section
// forces Nx, Ny, Nxy, Qx, Qy (N/m) and moments Mx, My, Mxy (N), in the axes of the material.
typedef struct FbMeshPlaceDef {
    const char* name;
    double at[3];       // m: of a node of the mesh, the mean of the elements around it; NaN: none
    int element;        // instead: the middle of the element with this number; 0: none
    const char* group;  // the elements that count; NULL: all of one material
    int side;           // of shells: 1 top (where the normal points), 0 middle, -1 bottom
    FbOrigin origin;
    uint64_t reserved[8];
} FbMeshPlaceDef;

// A state of rest under loads of the structure, which stresses it.
typedef struct FbMeshStateDef {
    const char* const* loads;  // [n_loads] names of loads whose values are constant
    int n_loads;
    double gravity[3];  // m/s2, in ground axes
    int n_factors;      // of buckling: how many load factors are calculated
    FbOrigin origin;
    double spin[3];   // rad/s, in ground axes: it turns with its supports at this rate ...
    double about[3];  // m, in the mesh's axes: ... about an axis through this point
    uint64_t reserved[4];
} FbMeshStateDef;

// A structure of solid or shell elements.
typedef struct FbMeshStructureDef {
    const char* name;
    double position[3];   // m: origin of the mesh's axes in the ground frame
    double rotation[9];   // row-major: columns are the mesh's axes in the ground frame
    const char* file;     // path of a mesh: Gmsh (.msh) or Abaqus and CalculiX (.inp); NULL: made
                          // here
    double unit;          // m: length of one unit of the file
    const char* type;     // of a mesh made here: block, plate or cylinder
    const char* element;  // of a mesh made here: hex8, hex20, wedge6, wedge15, tet4, tet10, quad4,
                          // tri3
    double size[3];       // m: of a block, or of a plate (the first two)
    double radius, inner_radius;   // m: of a cylinder; NaN: not given. A solid one is a tube.
    double length;                 // m: of a cylinder, along z
    double angle;                  // rad: of the sector of a cylinder
    int divisions[3];              // elements along the three directions; of a cylinder around,
                                   // along, and through its wall
    bool is_lumped;                // masses at the nodes alone
    double alpha, beta;            // 1/s and s: Rayleigh damping
    bool is_reduced;               // to the named nodes and n_modes modes (Craig and Bampton)
    int n_modes;                   // modes with all named nodes held
    const FbMeshGroupDef* groups;  // [n_groups]
    int n_groups;
    const FbMeshSupportDef* supports;  // [n_supports]
    int n_supports;
    const FbMeshNodeDef* nodes;  // [n_nodes]
    int n_nodes;
    FbOrigin origin;
    const FbMeshLoadDef* loads;  // [n_loads]
    int n_loads;
    double damping_ratio;          // modal damping of every mode, in addition; 0: none
    const FbMeshPlaceDef* places;  // [n_places]
    int n_places;
    const FbMeshStateDef* prestress;  // its stresses stiffen or soften the structure; NULL: none
    const FbMeshStateDef* buckling;   // by how much it can be multiplied; NULL: not requested
    uint64_t reserved[9];
} FbMeshStructureDef;

// A group of which nothing is given (NaN).
FB_API FbMeshGroupDef fb_mesh_group_def_default(void);
// A node without a place and without a group.
FB_API FbMeshNodeDef fb_mesh_node_def_default(void);
// A place of stresses at the top of shells, neither at a node nor in an element.
FB_API FbMeshPlaceDef fb_mesh_place_def_default(void);
// A structure without a mesh, in ground axes, in metres, not reduced.
FB_API FbMeshStructureDef fb_mesh_structure_def_default(void);
// Reads or makes the mesh, checks it, forms its matrices, reduces them if requested, and adds
// bodies, joints and a superelement. Materials must have been added before.
FB_API FbStatus fb_model_def_add_mesh_structure(FbModelDef* def,
                                                const FbMeshStructureDef* structure, FbError* err);

#endif
