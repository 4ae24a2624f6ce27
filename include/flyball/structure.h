// Structures in a description: frames of beams meshed into finite elements, structures given by
// their matrices, and masses that slide along them.
//
// A structure needs its materials and sections first. Its nodes become bodies and joints of the
// description, which other parts refer to by name as to any body (docs/guide/structures.md).
#ifndef FLYBALL_STRUCTURE_H
#define FLYBALL_STRUCTURE_H

#include "flyball/model.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Materials and sections ----

// A linear elastic material: isotropic, or orthotropic (of meshes) where E1, ... are given instead
// of the Young's modulus.
typedef struct FbMaterialDef {
    const char* name;
    double youngs_modulus;  // Pa, > 0
    double shear_modulus;   // Pa; NaN: from `poisson`
    double poisson;         // > -1 and < 0.5; NaN: 0.3 where the shear modulus is not given
    double density;         // kg/m3; 0: massless
    FbOrigin origin;
    double E1, E2, E3;        // Pa: along its axes; NaN: not given
    double nu12, nu13, nu23;  // nu12: contraction along 2 by stress along 1; NaN: not given
    double G12, G13, G23;     // Pa; NaN: not given
    uint64_t reserved[4];
} FbMaterialDef;

// A cross-section in the member's y and z axes; x runs along the member. The height is measured
// along y and the width along z, so that Iz = width height^3 / 12 of a rectangle resists bending in
// the x-y plane.
typedef struct FbSectionDef {
    const char* name;
    const char* type;         // rectangle, circle, tube, i (a web along y, two flanges), general
    const char* material;     // name
    double width, height;     // m, along z and along y: rectangle; i, of the whole
    double radius;            // m: circle, tube (outer)
    double inner_radius;      // m: tube
    double flange_thickness;  // m: i
    double web_thickness;     // m: i
    double area;              // m2: general
    double Iy, Iz;            // m4: general, int z^2 dA and int y^2 dA
    double J;                 // m4: general, torsion constant
    double shear_y, shear_z;  // shear areas along y and z as a fraction of the area; NaN: by type
    double edge_y, edge_z;    // m: largest |y| and |z|, for stresses; NaN: by type
    FbOrigin origin;
    uint64_t reserved[8];
} FbSectionDef;

// A material of which nothing is given (NaN).
FB_API FbMaterialDef fb_material_def_default(void);
// Adds a copy of a material.
FB_API FbStatus fb_model_def_add_material(FbModelDef* def, const FbMaterialDef* material,
                                          FbError* err);
// A section of no type, of which nothing is given (NaN).
FB_API FbSectionDef fb_section_def_default(void);
// Adds a copy of a section; its material may be added later, but before a structure that uses it.
FB_API FbStatus fb_model_def_add_section(FbModelDef* def, const FbSectionDef* section,
                                         FbError* err);

// ---- Frames of beams ----

// A node of a structure. It becomes the body "structure.node", held by a joint of the same name.
// Places, directions, stiffnesses, displacements and velocities are in the structure's axes, loads
// in ground axes.
typedef struct FbNodeDef {
    const char* name;
    double at[3];           // m, drawing position
    const char* body;       // the body that it is welded to; NULL: none
    const char* support;    // free, clamped, pinned, roller; NULL: free
    double direction[3];    // roller: the way it rolls (plane structures; NaN: along the first axis
                            // of the plane), or the normal of the plane it rolls on (in space)
    double stiffness[6];    // springs to the ground: N/m along x, y, z, N m/rad about them; 0: none
    double damping[6];      // dampers to the ground: N s/m, N m s/rad; 0: none
    const char* force[3];   // N: load, expressions; NULL: none
    const char* moment[3];  // N m: load, expressions; NULL: none
    double mass;            // kg, lumped at the node
    double inertia;         // kg m2, lumped at the node, the same about every axis
    bool has_displacement;  // starts displaced
    double displacement[6];  // m along x, y, z, then rad about them
    bool has_velocity;       // starts moving
    double velocity[6];      // m/s along x, y, z, then rad/s about them
    FbOrigin origin;
    uint64_t reserved[8];
} FbNodeDef;

// A point along a member that gets its own node, "structure.member.station".
typedef struct FbStationDef {
    const char* name;
    double at;              // fraction of the member's length, > 0 and < 1
    const FbNodeDef* node;  // what else it has (without name and place); NULL: nothing
} FbStationDef;

// A straight beam between two nodes, or an arc of a circle. Its inner nodes are the bodies
// "structure.member.n1", ...
typedef struct FbMemberDef {
    const char* name;
    const char* from;     // node at its start
    const char* to;       // node at its end
    const char* section;  // name
    int n_elements;       // finite elements that it is meshed into, >= 1
    double y_axis[3];     // of the section; NaN: in the plane (plane structures) or as near to z
                          // as can be (in space; to y for members along z)
    bool has_hinge_from;  // hinged to its first node instead of rigidly joined
    bool has_hinge_to;    // likewise at its second
    const char* load[3];  // N/m: force per length in ground axes, expressions; NULL: none
    const FbStationDef* stations;  // [n_stations]
    int n_stations;
    FbOrigin origin;
    double through[3];  // m: a point of the arc of a circle that it is drawn as; NaN: straight
    uint64_t reserved[5];
} FbMemberDef;

// Nodes joined by members.
typedef struct FbStructureDef {
    const char* name;
    double position[3];    // m: origin of the structure's axes in the ground frame
    double rotation[9];    // row-major: columns are the structure's axes in the ground frame
    int plane_normal;      // a plane structure with the normal x (0), y (1) or z (2); -1: in space
    bool is_nonlinear;     // large rotations; false: small displacements from the drawing
    bool is_theory_open;   // large rotations also if what the description holds so far lets it turn
    bool has_shear;        // Timoshenko beams; false: Euler-Bernoulli
    bool is_lumped;        // lumped instead of consistent mass
    double alpha, beta;    // 1/s and s: Rayleigh damping, alpha M + beta K
    double damping_ratio;  // modal damping of every mode; 0: none
    const FbNodeDef* nodes;  // [n_nodes]
    int n_nodes;
    const FbMemberDef* members;  // [n_members]
    int n_members;
    FbOrigin origin;
    bool is_fourth_order;  // large rotations: elements of fourth instead of second order
    uint64_t reserved[7];
} FbStructureDef;

// One finite element between the origins of two bodies, its nodes. Structures are meshed into
// these; a C program may add them one by one.
typedef struct FbBeamDef {
    const char* name;    // "frame.left.e1"
    const char* member;  // "frame.left": elements of one member follow one another; NULL: a member
                         // of its own
    const char* body_a;  // node at its start
    const char* body_b;  // node at its end
    double y_axis[3];    // of the section in the drawing, ground axes (made perpendicular to the
                         // element); NaN: chosen
    double EA, GJ;       // N and N m2
    double EIy, EIz;     // N m2; EIz: bending in the x-y plane
    double GAy, GAz;     // N; INFINITY: no shear deformation (Euler-Bernoulli)
    double mass_per_length;                  // kg/m
    double inertia_x, inertia_y, inertia_z;  // kg m: rotary inertia of the section per length
    double area;                             // m2, for stresses; NaN: no stresses
    double edge_y, edge_z;                   // m, for stresses; NaN: no stresses
    double torsion_modulus;  // m3, for stresses: shear stress = torque / torsion_modulus
    bool is_linear;          // small displacements from the drawing; false: large rotations
    bool is_lumped;          // lumped instead of consistent mass
    bool is_fourth_order;    // large rotations: of fourth instead of second order
    double alpha, beta;      // 1/s and s: Rayleigh damping, alpha M + beta K
    const char* load[3];     // N/m: force per length in ground axes, expressions; NULL: none
    FbOrigin origin;
    double turn[3];  // rad: of an element drawn as an arc of a circle, the turn of its end against
                     // its start, across the line between them, ground axes; 0: straight
    uint64_t reserved[5];
} FbBeamDef;

// A free node at the origin without loads and mass.
FB_API FbNodeDef fb_node_def_default(void);
// A member of one element, rigidly joined, without load.
FB_API FbMemberDef fb_member_def_default(void);
// A linear Euler-Bernoulli structure in space, undamped, in ground axes.
FB_API FbStructureDef fb_structure_def_default(void);
// Meshes a structure: adds its bodies, joints, constraints, forces and beams. Its sections must be
// there; the bodies that its nodes are welded to may be added later. If it fails on what the
// structure says, nothing is added.
FB_API FbStatus fb_model_def_add_structure(FbModelDef* def, const FbStructureDef* structure,
                                           FbError* err);
// An element with large rotations, without shear deformation; stiffnesses and mass are not given
// (NaN).
FB_API FbBeamDef fb_beam_def_default(void);
// Adds a copy of an element.
FB_API FbStatus fb_model_def_add_beam(FbModelDef* def, const FbBeamDef* beam, FbError* err);

// ---- Structures given by matrices ----

// A node of a structure that is given by matrices.
typedef struct FbMatrixNodeDef {
    const char* name;
    double at[3];     // m, drawing position
    int dofs[6];      // rows of the matrices, from 1, of its displacements along x, y, z
                      // and its rotations about them; 0: none
    bool is_clamped;  // these rows do not move
    FbOrigin origin;
    uint64_t reserved[4];
} FbMatrixNodeDef;

// A structure meshed by another program, in Matrix Market files. Named nodes become bodies
// "structure.node", held by joints of the same name. Every other row becomes a joint
// "structure.d17" (of row 17) or, where the structure is reduced, is replaced by modes
// "structure.mode1", ...
typedef struct FbMatrixStructureDef {
    const char* name;
    double position[3];     // m: origin of the structure's axes in the ground frame
    double rotation[9];     // row-major: columns are the structure's axes in the ground frame
    const char* mass;       // path of a file
    const char* stiffness;  // path of a file
    const char* damping;    // path of a file; NULL: none
    const char* weight;     // path of a file with [n x 3] forces by a gravity of 1 m/s2 along x, y
                            // and z; NULL: from the nodes
    double alpha, beta;     // 1/s and s: additional Rayleigh damping
    bool is_reduced;        // to the named nodes and n_modes modes (Craig and Bampton)
    int n_modes;            // modes with all named nodes held
    const FbMatrixNodeDef* nodes;  // [n_nodes]
    int n_nodes;
    FbOrigin origin;
    double damping_ratio;  // modal damping of every mode, besides; 0: none
    uint64_t reserved[7];
} FbMatrixStructureDef;

// A load on a superelement: generalized forces in proportion to a value that may vary.
typedef struct FbSuperelementLoadDef {
    const char* name;      // of the load: "wind"
    const char* value;     // an expression
    const char* unit;      // of the value: "Pa"
    const char* key;       // where the value was written: "pressure"; NULL: not known
    const double* forces;  // [n] by a unit of the value
    FbOrigin origin;
    double left_out;  // by a reduction: part of the static response with the named nodes held that
                      // the modes do not contain
    uint64_t reserved[3];
} FbSuperelementLoadDef;

// A place of a superelement where stresses are measured: each value is a sum of the coordinates'
// displacements, and of what gravity and loads add directly (in a reduced structure).
typedef struct FbSuperelementPlaceDef {
    const char* name;  // "plate.root", also that of its sensor
    bool is_shell;     // 14 values instead of 6, see FbMeshPlaceDef
    int n_values;
    const double* rows;        // [n x n_values]
    const double* by_gravity;  // [3 x n_values] by 1 m/s2 along x, y and z of the ground
    const double* by_load;     // [n_loads x n_values] by a unit of each load's value
    FbOrigin origin;
    uint64_t reserved[4];
} FbSuperelementPlaceDef;

// A linear structure by its matrices, which act on coordinates of joints:
// M a + C v + K (q - q of the drawing) = weight + other forces.
typedef struct FbSuperelementDef {
    const char* name;
    const FbCoordinateDef* coordinates;  // [n]
    int n;                               // size of the matrices
    const int* rows;          // [n_entries] from 0, row >= column (the matrices are symmetric);
                              // entries at the same place add up
    const int* cols;          // [n_entries]
    const double* mass;       // [n_entries]
    const double* damping;    // [n_entries]
    const double* stiffness;  // [n_entries]
    int n_entries;
    const double* weight;  // [n x 3] generalized forces by a gravity of 1 m/s2 along x, y and
                           // z of the ground; NULL: not known
    FbOrigin origin;
    int n_elements, n_nodes;             // of the mesh it stands for; 0: none
    double mesh_mass;                    // kg
    double mesh_size[3];                 // m, along the axes of the mesh
    const FbSuperelementLoadDef* loads;  // [n_loads]
    int n_loads;
    double damping_ratio;                  // modal damping of every mode, besides; 0: none
    const FbSuperelementPlaceDef* places;  // [n_places]
    int n_places;
    const double* load_factors;  // [n_load_factors] of buckling, ascending; none: not requested
    int n_load_factors;
    bool has_load_factors;          // requested: without any it does not buckle
    bool may_be_millimetres;        // of a file that is read as metres, and larger than parts are
    int n_others;                   // coordinates that are not those of named nodes, the last ones
    const struct FbKeptMesh* mesh;  // of fb_model_def_add_mesh_structure(); NULL: none is kept
    uint64_t reserved[2];
} FbSuperelementDef;

// In ground axes, not reduced, without files.
FB_API FbMatrixStructureDef fb_matrix_structure_def_default(void);
// Reads and checks the matrices, reduces them if requested, and adds bodies, joints and a
// superelement.
FB_API FbStatus fb_model_def_add_matrix_structure(FbModelDef* def,
                                                  const FbMatrixStructureDef* structure,
                                                  FbError* err);
// Adds a copy of a superelement.
FB_API FbStatus fb_model_def_add_superelement(FbModelDef* def, const FbSuperelementDef* element,
                                              FbError* err);

// ---- Sliding masses ----

// A mass that slides along a guide: a chain of members, a smooth line through nodes, or a curve
// fixed in a body. Exactly one of law, expression, state and is_free says what moves it. Its place
// s is the length along the undeformed guide.
typedef struct FbSliderDef {
    const char* name;
    const char* const* guide;  // [n_guide] members ("frame.left") in the order of passing; with
                               // is_through: nodes ("plate.k3"), or rows of nodes
    int n_guide;
    const char* body;      // instead: the body that carries the curve ("ground" is allowed)
    const double* points;  // [n_points x 3] m, body frame: a line or a C2 spline by chord length
    int n_points;
    double mass;            // kg, > 0
    double rotary_inertia;  // kg m2 about every axis across the guide
    const char* theory;  // consistent, linear_consistent, convective, form_1a, form_1b; NULL: the
                         // most complete one for the guide
    bool is_transverse;  // only the inertia across the guide counts (form_1a, form_1b, convective
                         // on linear members)
    const char* law;     // name of the law s(t); NULL: none
    const char* expression;  // s as an expression of t, m; NULL: none
    const char* state;       // "<state>.s" and "<state>.v" are its place and speed; NULL: none
    bool is_free;            // moved by forces; it has the coordinate <slider>.s
    double position;         // m: free, at the start
    double velocity;         // m/s: free, at the start
    double friction;         // N s/m: free, viscous resistance along the guide
    double stiffness;        // N/m: free, spring along the guide
    double rest;             // m: free, where the spring is unloaded
    const char* force;       // N: free, force along the guide, an expression; NULL: none
    FbOrigin origin;
    bool is_through;  // the guide is the smooth line through the nodes in `guide`
    uint64_t reserved[7];
} FbSliderDef;

// A drive that follows a reference within limits, as the states "<name>.s" and "<name>.v"; a slider
// whose `state` is <name> moves by them. With w = bandwidth and e = clamp(reference, stroke) - s:
//   v_cmd = clamp(rate + approach(e), max_speed)
//   v' = clamp(acceleration + 2 w (v_cmd - v), limit)
// with approach(e) = w/2 e, slower where braking would need more than half of the limit.
typedef struct FbFeedbackDef {
    const char* name;
    const char* type;       // follow (a reference by expression), phase_locked (a sine of twice the
                            // frequency of a signal)
    const char* reference;  // m: follow, an expression
    const char* rate;       // follow: of the reference, NULL: not known; phase_locked: of `sensor`
    const char* acceleration;  // follow: of the reference; NULL: not known
    const char* sensor;        // phase_locked: the signal, about A cos(phase)
    double frequency;          // rad/s: phase_locked, first guess of the signal's frequency
    double lock_bandwidth;  // rad/s: phase_locked, of the estimator; NaN: a tenth of the frequency
    double centre, amplitude;  // m: phase_locked, centre + amplitude sin(2 phase + `phase`)
    double phase;              // rad: phase_locked
    double bandwidth;          // rad/s, of the drive
    double stroke[2];          // m: smallest and largest goal; NaN: no limit
    double max_speed;          // m/s; NaN: no limit
    double max_acceleration;   // m/s2; NaN: no limit
    double max_force, mass;    // N and kg: limit of mass times acceleration; NaN: no limit
    double position;           // m at the start; NaN: the reference there (phase_locked only)
    double velocity;           // m/s at the start
    FbOrigin origin;
    uint64_t reserved[8];
} FbFeedbackDef;

// A slider with the full inertia of a mass that is not given (NaN).
FB_API FbSliderDef fb_slider_def_default(void);
// Adds a copy of a slider; the members or the body of its guide may be added later.
FB_API FbStatus fb_model_def_add_slider(FbModelDef* def, const FbSliderDef* slider, FbError* err);
// A drive of type follow, without limits; numbers are not given (NaN).
FB_API FbFeedbackDef fb_feedback_def_default(void);
// Adds the states, the sensors "<name>.reference", ".goal", ".wanted_v" and ".wanted_a" (for
// phase_locked also the states ".phase" and ".frequency" and the sensor ".error"), and the output
// "<name>.limit": the sum of 1 while the stroke limit is active, 2 for the speed, 4 for the
// acceleration.
FB_API FbStatus fb_model_def_add_feedback(FbModelDef* def, const FbFeedbackDef* feedback,
                                          FbError* err);

#ifdef __cplusplus
}
#endif
#endif
