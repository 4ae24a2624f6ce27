// The editable description of a model: what a file reader, an importer or a C program builds.
//
// Every struct starts from its fb_*_def_default(); text and arrays are copied when a part is added.
// SI units and radians. Names: letters, digits and '_'; parts of an instance are called "instance.part".
#ifndef FLYBALL_MODEL_H
#define FLYBALL_MODEL_H

#include "flyball/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct FbModelDef FbModelDef;

// Where a part and its fields were written, and the instance ("w1.") in which names are looked up first.
typedef struct FbFieldPlace {
    const char* key;
    int line;
    int col;
} FbFieldPlace;

typedef struct FbOrigin {
    FbPlace place;
    const FbFieldPlace* fields;
    int n_fields;
    const char* scope; // NULL or "instance."
} FbOrigin;

// A point fixed in a body. Either a named point of the body, or coordinates in the body frame, or (is_global) coordinates
// of the drawing position in the ground frame.
typedef struct FbPointDef {
    const char* body;  // "ground" is predefined
    const char* point; // named point of that body, or NULL
    double at[3];      // m
    bool is_global;
} FbPointDef;

// A frame fixed in a body: a point and the rotation matrix (row-major) of the frame's axes in the body frame (or, is_global,
// in the ground frame at the drawing position).
typedef struct FbFrameDef {
    FbPointDef origin;
    double rotation[9];
} FbFrameDef;

// A solid or idealised shape that gives mass and is drawn. Either density or mass is > 0; dimensions by type.
// Types: box (size), cylinder (radius, length; along z), tube (radius, inner_radius, length), sphere (radius),
// rod (from, to: slender), point (mass at `at`), and "none" of mass: visual = true.
typedef struct FbShapeDef {
    const char* type;
    double size[3];
    double radius;
    double inner_radius;
    double length;
    double from[3], to[3];
    double at[3];          // centre of the shape in the body frame
    double rotation[9];    // axes of the shape in the body frame
    double density;        // kg/m3, NaN: not given
    double mass;           // kg, NaN: not given
    bool is_visual_only;   // drawn, but without mass
    FbOrigin origin;
} FbShapeDef;

typedef struct FbNamedPoint {
    const char* name;
    double at[3];
} FbNamedPoint;

typedef struct FbBodyDef {
    const char* name;
    double position[3];    // of the body frame in the ground frame, drawing position
    double rotation[9];    // row-major
    // Given mass properties add to those of the shapes.
    double mass;           // kg
    double center[3];      // centre of mass of `mass`, body frame
    double inertia[6];     // about that centre: xx, yy, zz, xy, xz, yz (tensor components: -int x y dm off the diagonal)
    const FbShapeDef* shapes;
    int n_shapes;
    const FbNamedPoint* points;
    int n_points;
    const char* color;     // "#rrggbb" or NULL
    FbOrigin origin;
} FbBodyDef;

enum { FB_MAX_JOINT_Q = 7, FB_MAX_JOINT_V = 6 };

// A joint between bodies a and b. Its frame is z = axis; coordinates measure b relative to a.
typedef struct FbJointDef {
    const char* name;
    const char* type;      // see `flyball schema`: fixed, revolute, prismatic, ...
    const char* body_a;
    const char* body_b;
    bool has_frames;       // true: frame_a, frame_b; false: point, axis, x_axis in the drawing position
    FbFrameDef frame_a, frame_b;
    double point[3];
    double axis[3];
    double x_axis[3];      // NaN: chosen perpendicular to axis
    double pitch;          // screw: m per turn
    double offset[FB_MAX_JOINT_V];        // coordinate values in the drawing position (only with point/axis)
    bool has_position[FB_MAX_JOINT_V];    // set by the user: kept by the assembly
    double position[FB_MAX_JOINT_V];      // ball joints: rotation vector
    bool has_velocity[FB_MAX_JOINT_V];
    double velocity[FB_MAX_JOINT_V];
    FbOrigin origin;
} FbJointDef;

// One coordinate of a joint: `joint` and its index from 0.
typedef struct FbCoordinateDef {
    const char* joint;
    int index;
} FbCoordinateDef;

typedef struct FbCouplingTerm {
    FbCoordinateDef coordinate;
    double factor;
} FbCouplingTerm;

// What removes freedom; which fields count depends on the type.
typedef struct FbConstraintDef {
    const char* name;
    const char* type;      // distance, point_on_line, point_on_plane, coupling, gear, rack, motion, point_motion, rolling
    FbPointDef a, b;
    double axis[3];        // line direction, plane normal, wheel axis, motion direction: in the frame of body b (point_*), a (rolling)
    double normal[3];      // rolling: plane normal in body b
    double length;         // distance; NaN: as drawn
    double ratio;          // gear: turns of b per turn of a; rack: radius in m
    double radius;         // rolling
    bool is_sphere;        // rolling: sphere instead of thin disc
    FbCoordinateDef coordinate, coordinate_b;
    const FbCouplingTerm* terms;
    int n_terms;
    const char* law;       // name of a law, or NULL
    const char* expression;// of t, instead of a law
    double offset;
    FbOrigin origin;
} FbConstraintDef;

typedef struct FbForceDef {
    const char* name;
    const char* type;      // spring, torsion, bushing, friction, force, torque, actuator
    FbPointDef a, b;
    FbFrameDef frame_a, frame_b;   // bushing
    FbCoordinateDef coordinate;    // torsion, friction, actuator
    double stiffness, damping, rest; // spring, torsion; rest NaN: as drawn
    double preload;
    double translation_stiffness[3], translation_damping[3]; // bushing
    double rotation_stiffness[3], rotation_damping[3];
    double coulomb, viscous, stribeck, stribeck_velocity, smoothing_velocity; // friction
    const char* law;               // actuator
    const char* expression;        // spring: of length and rate; torsion: of angle and rate; actuator: any
    const char* vector[3];         // force, torque: three expressions
    bool in_body_frame;            // force, torque: vector in the axes of body a instead of ground
    FbOrigin origin;
} FbForceDef;

typedef struct FbLawDef {
    const char* name;
    const char* type;      // constant, expression, table, harmonic, ramp, trapezoid, jerk, moves
    double value;
    const char* expression;
    const double* times;
    const double* values;
    int n_points;
    bool is_linear;        // table: piecewise linear instead of a C2 spline
    bool is_periodic;      // table
    double amplitude, frequency, phase, offset; // harmonic: offset + amplitude sin(frequency t + phase), rad/s
    double from, to, start, duration;           // ramp, trapezoid, jerk; duration also moves
    double max_rate, max_acceleration;          // trapezoid, jerk; moves (NaN: no limit)
    double max_jerk;                            // jerk
    // moves: from inner to outer where `outward` crosses zero, back where `inward` does.
    double inner, outer;
    const char* outward;   // expressions of sensors
    const char* inward;
    int outward_direction; // +1 rising, -1 falling, 0 both
    int inward_direction;
    bool starts_outer;
    double lead;           // s before the predicted event, by a harmonic signal of `frequency`; 0: at the event
    FbOrigin origin;
} FbLawDef;

typedef struct FbSensorDef {
    const char* name;
    const char* type;      // coordinate, rate, position, velocity, acceleration, orientation, ..., expression
    FbPointDef point;      // of what
    FbPointDef relative_to;// body NULL: ground origin
    const char* frame;     // axes: body name, or NULL for ground
    const char* part;      // joint, force, constraint, member or slider by name (reaction, spring length, multiplier, section_forces, ...)
    double at;             // section_forces, stress: fraction of the member's length, 0 .. 1
    int mode;              // modal_amplitude: from 1
    const char* row;       // composite_mass, composite_coriolis: entry of the matrix, by displacements of the element's
    const char* column;    // ends: ax, ay, az, amx, amy, amz, bx, ...
    FbCoordinateDef coordinate;
    int component;         // 0..2 of a vector, -1 all
    const char* expression;
    const char* unit;      // of an expression, for headers
    double period, delay;  // hold: s between samples; age of the sample that is shown, s
    double initial;        // hold: value until the first sample is old enough; NaN: the first sample
    bool has_gravity;      // accelerometer: less gravity, as an instrument shows it
    const char* limits;    // expression: "a|b|c", the value is a sum of 1, 2, 4 for each of these limits that binds; a run reports their shares
    bool is_recorded;
    FbOrigin origin;
} FbSensorDef;

// An extra first-order state x' = rate(t, sensors, states).
typedef struct FbStateDef {
    const char* name;
    double initial;
    const char* rate;
    const char* unit;
    FbOrigin origin;
} FbStateDef;

typedef enum FbEventAction { FB_EVENT_RECORD, FB_EVENT_STOP, FB_EVENT_SWITCH } FbEventAction;

typedef struct FbEventDef {
    const char* name;
    const char* expression; // the event happens where it crosses zero
    int direction;          // +1 rising, -1 falling, 0 both
    FbEventAction action;
    const char* law;        // switch: this law ...
    const char* to;         // ... is replaced by that one from now on
    int max_count;          // 0: any number
    FbOrigin origin;
} FbEventDef;

// A value that the assembly must reach: "sensor component = value" for an initial position or velocity.
typedef struct FbInitialDef {
    const char* sensor;     // name, or name.x
    double value;
    FbOrigin origin;
} FbInitialDef;

typedef struct FbSettings {
    double start;           // s
    double duration;        // s
    double sample;          // s between rows; 0: duration/100
    const char* integrator; // auto, radau, dop853, bdf, adams, ...
    double rtol;
    double atol;
    double max_step;        // 0: none
    int max_steps;          // 0: none
    bool starts_at_equilibrium;  // the run starts where all forces balance at the start time, not at the initial positions
    int start_mode;              // the run starts displaced in this vibration mode, from 1 by rising frequency; 0: not
    const char* start_output;    // ... so far that this output (name or name.x) changes ...
    double start_value;          // ... by this much
    const char* const* release;  // forces that act only in that equilibrium and vanish when the run starts
    int n_release;
} FbSettings;

// A vibration that is examined after a run: its effective damping (flyball/damping.h).
typedef struct FbDampingDef {
    const char* output;     // a recorded output; NULL: nothing is examined
    int cycles;             // that the overall ratio is over; 0: all that are there
    double about;           // the value about which the output vibrates
    int points;             // samples that the polynomial at a peak goes through, 3 to 12; 0: as many as it likes
    const char* energy;     // a recorded output: energy of the vibration, J; NULL: none
    const char* power;      // a recorded output: power that goes into the vibration, W; NULL: none
    double bound;           // ratio that no law can exceed; NaN: not known
    const double* masses;   // [2] least and largest modal mass, which give the bound; NULL: not known
    int n_masses;
    FbOrigin origin;
} FbDampingDef;

// ---- Structures: nodes joined by beam members, meshed into finite elements -----------------------------------------------

typedef struct FbMaterialDef {
    const char* name;
    double youngs_modulus; // Pa
    double shear_modulus;  // Pa; NaN: from poisson
    double poisson;        // NaN: 0.3 where the shear modulus is not given
    double density;        // kg/m3; 0: massless
    FbOrigin origin;
} FbMaterialDef;

// A cross-section in the member's y and z axes (x along the member): height is measured along y, width along z, so that
// Iz = width height^3/12 of a rectangle resists bending in the x-y plane. By type: rectangle (width, height), circle
// (radius), tube (radius, inner_radius), i (a web along y with two flanges), or general with the numbers themselves.
typedef struct FbSectionDef {
    const char* name;
    const char* type;                 // rectangle, circle, tube, i, general
    const char* material;
    double width, height;             // along z and along y; i: of the whole
    double radius, inner_radius;      // circle, tube
    double flange_thickness, web_thickness; // i
    double area, Iy, Iz, J;           // general (NaN: not given): m2, int z^2 dA, int y^2 dA, torsion constant m4
    double shear_y, shear_z;          // shear areas along y and z / area; NaN: by type
    double edge_y, edge_z;            // largest |y| and |z| of the section, for stresses; NaN: by type
    FbOrigin origin;
} FbSectionDef;

// One finite element between the origins of two bodies (its nodes). A structure is meshed into these; a C program may
// add them one by one.
typedef struct FbBeamDef {
    const char* name;              // "frame.left.e1"
    const char* member;            // "frame.left": elements of one member follow one another; NULL: a member of its own
    const char* body_a;            // nodes
    const char* body_b;
    double y_axis[3];              // of the section in the drawing, ground axes (made perpendicular to the element);
                                   // NaN: chosen
    double EA, GJ, EIy, EIz;       // N, N m2; EIz: bending in the x-y plane
    double GAy, GAz;               // N; INFINITY: no shear deformation (Euler-Bernoulli)
    double mass_per_length;        // kg/m
    double inertia_x, inertia_y, inertia_z; // rotary inertia of the section per length, kg m
    double area, edge_y, edge_z;   // for stresses, m2 and m; NaN: no stresses
    double torsion_modulus;        // for stresses, m3: shear stress = torque / torsion_modulus
    bool is_linear;                // small displacements from the drawing; false: large rotations
    bool is_lumped;                // lumped instead of consistent mass
    double alpha, beta;            // Rayleigh damping: alpha M + beta K, 1/s and s
    const char* load[3];           // force per length, N/m, ground axes: expressions; NULL: none
    FbOrigin origin;
} FbBeamDef;

// Nodes of a structure become bodies "structure.node", held by joints of the same name (docs/guide/structures.md lists
// them). Places, directions, stiffnesses, displacements and velocities are in the structure's axes, loads in ground axes.
typedef struct FbNodeDef {
    const char* name;
    double at[3];                  // drawing position
    const char* body;              // welded to this body; NULL: not
    const char* support;           // NULL or free, clamped, pinned, roller
    double direction[3];           // roller: the way it rolls (plane structures; NaN: along the first axis of the
                                   // plane) or the normal of the plane it rolls on (in space)
    double stiffness[6], damping[6]; // springs to the ground: along x, y, z, about x, y, z; 0: none
    const char* force[3];          // load on the node, N, ground axes; NULL: none
    const char* moment[3];         // N m
    double mass;                   // kg, lumped at the node
    double inertia;                // kg m2, the same about every axis
    bool has_displacement;         // starts displaced by ...
    double displacement[6];        // ... this: m along x, y, z, rad about x, y, z
    bool has_velocity;
    double velocity[6];
    FbOrigin origin;
} FbNodeDef;

// A point along a member that gets a node of its own: "structure.member.station".
typedef struct FbStationDef {
    const char* name;
    double at;                     // fraction of the member's length, > 0 and < 1
    const FbNodeDef* node;         // its support, loads, mass, ...; `name` and `at` in it do not count; NULL: a plain node
} FbStationDef;

typedef struct FbMemberDef {
    const char* name;
    const char* from;              // nodes
    const char* to;
    const char* section;
    int n_elements;
    double y_axis[3];              // of the section; NaN: in the plane (plane structures) or as near to z as can be
                                   // (in space; to y for members along z)
    bool has_hinge_from, has_hinge_to; // hinged to the node instead of rigidly joined
    const char* load[3];           // force per length, ground axes; NULL: none
    const FbStationDef* stations;
    int n_stations;
    FbOrigin origin;
} FbMemberDef;

typedef struct FbStructureDef {
    const char* name;
    double position[3];            // of the structure's axes in the ground frame
    double rotation[9];            // row-major
    int plane_normal;              // 0, 1, 2: a plane structure with this normal (x, y, z); -1: in space
    bool is_nonlinear;             // large rotations
    bool is_theory_open;           // large rotations also if what the description holds so far lets it turn
    bool has_shear;                // Timoshenko beams
    bool is_lumped;                // lumped mass
    double alpha, beta;            // Rayleigh damping
    double damping_ratio;          // modal damping of every mode; 0: none
    const FbNodeDef* nodes;
    int n_nodes;
    const FbMemberDef* members;
    int n_members;
    FbOrigin origin;
} FbStructureDef;

// A linear structure by its matrices, acting on coordinates of joints: mass M, damping C, stiffness K in
// M a + C v + K (q - q of the drawing) = weight + other forces.
typedef struct FbSuperelementDef {
    const char* name;
    const FbCoordinateDef* coordinates; // [n]
    int n;
    const int* rows;               // [n_entries] of the symmetric matrices, from 0, row >= column; entries at the same
                                   // place add up
    const int* cols;
    const double* mass;            // [n_entries]
    const double* damping;
    const double* stiffness;
    int n_entries;
    const double* weight;          // [n x 3] generalized forces of a gravity of 1 m/s2 along x, y, z of the ground;
                                   // NULL: not known
    FbOrigin origin;
} FbSuperelementDef;

// A node of a structure that is given by matrices.
typedef struct FbMatrixNodeDef {
    const char* name;
    double at[3];                  // drawing position
    int dofs[6];                   // which rows of the matrices, from 1, are its displacements along x, y, z and its
                                   // turns about x, y, z; 0: none
    bool is_clamped;               // these do not move
    FbOrigin origin;
} FbMatrixNodeDef;

// A structure meshed elsewhere: matrices in Matrix Market files. Named nodes become bodies "structure.node" held by joints
// of the same name; every other row becomes a joint "structure.d17", or, where it is reduced, is replaced by modes
// "structure.mode1", ...
typedef struct FbMatrixStructureDef {
    const char* name;
    double position[3];            // of the structure's axes in the ground frame
    double rotation[9];            // row-major
    const char* mass;              // paths of files
    const char* stiffness;
    const char* damping;           // NULL: none
    const char* weight;            // [n x 3] forces of a gravity of 1 m/s2 along x, y, z; NULL: from the nodes
    double alpha, beta;            // Rayleigh damping besides
    bool is_reduced;               // Craig-Bampton
    int n_modes;                   // with all named nodes held
    const FbMatrixNodeDef* nodes;
    int n_nodes;
    FbOrigin origin;
} FbMatrixStructureDef;

// A mass that slides along a guide: a chain of members, or a curve fixed in a body. One of law, expression, state and
// is_free says what moves it along.
typedef struct FbSliderDef {
    const char* name;
    const char* const* guide;      // members ("frame.left") in the order in which they are travelled
    int n_guide;
    const char* body;              // instead: the curve through `points` is fixed in this body ("ground" allowed)
    const double* points;          // [n_points x 3] body frame; two: a straight line, more: a C2 spline by chord length
    int n_points;
    double mass;                   // kg
    double rotary_inertia;         // kg m2 about every axis across the guide
    const char* theory;            // consistent, linear_consistent, convective, form_1a, form_1b; NULL: the best for
                                   // the guide
    bool is_transverse;            // only the inertia across the guide counts (form_1a, form_1b, convective on linear
                                   // members)
    const char* law;               // s(t), the length along the undeformed guide from its start: a law ...
    const char* expression;        // ... or an expression of t
    const char* state;             // ... or driven by feedback: states "<state>.s" and "<state>.v" exist; s'' is the
                                   // rate of the second
    bool is_free;                  // ... or free: forces decide; it has the coordinate <slider>.s
    double position, velocity;     // free: at the start
    double friction;               // free: viscous resistance along the guide, N s/m (there is no Coulomb friction)
    double stiffness, rest;        // free: spring along the guide, N/m, about s = rest
    const char* force;             // free: force along the guide, N, an expression
    FbOrigin origin;
} FbSliderDef;

// A drive that follows a reference within limits, as the states "<name>.s" and "<name>.v" (a slider whose `state` is
// <name> moves by them). With w = bandwidth and e = clamp(reference, stroke) - s:
//   v_cmd = clamp(rate + approach(e), max_speed),  v' = clamp(acceleration + 2 w (v_cmd - v), limit),
// where approach(e) = w/2 e, slower where braking from there would need more than half the limit of the acceleration.
typedef struct FbFeedbackDef {
    const char* name;
    const char* type;              // follow (a reference by expression), phase_locked (a sine of twice the frequency of
                                   // a signal)
    const char* reference;         // follow: expression, m
    const char* rate;              // follow: of the reference, NULL: not known; phase_locked: of `sensor`
    const char* acceleration;      // follow: of the reference, NULL: not known
    const char* sensor;            // phase_locked: the signal, about A cos(phase)
    double frequency;              // phase_locked: first guess of its frequency, rad/s
    double lock_bandwidth;         // phase_locked: of the estimator, rad/s; NaN: a tenth of the frequency
    double centre, amplitude;      // phase_locked: reference = centre + amplitude sin(2 phase + `phase`)
    double phase;
    double bandwidth;              // of the drive, rad/s
    double stroke[2];              // smallest and largest goal; NaN: no limit
    double max_speed;              // NaN: no limit
    double max_acceleration;       // NaN: no limit
    double max_force, mass;        // limit of mass times acceleration, N; NaN: no limit
    double position, velocity;     // at the start; position NaN: phase_locked only, the reference there
    FbOrigin origin;
} FbFeedbackDef;

FB_API FbMaterialDef fb_material_def_default(void);
FB_API FbSectionDef fb_section_def_default(void);
FB_API FbBeamDef fb_beam_def_default(void);
FB_API FbNodeDef fb_node_def_default(void);
FB_API FbMemberDef fb_member_def_default(void);
FB_API FbStructureDef fb_structure_def_default(void);
FB_API FbMatrixStructureDef fb_matrix_structure_def_default(void);
FB_API FbSliderDef fb_slider_def_default(void);
FB_API FbFeedbackDef fb_feedback_def_default(void);

FB_API FbStatus fb_model_def_add_material(FbModelDef* def, const FbMaterialDef* material, FbError* err);
FB_API FbStatus fb_model_def_add_section(FbModelDef* def, const FbSectionDef* section, FbError* err);
FB_API FbStatus fb_model_def_add_beam(FbModelDef* def, const FbBeamDef* beam, FbError* err);
// Meshes the structure: adds its bodies, joints, constraints, forces and beams. Its sections and materials must be there; the
// bodies that its nodes are welded to may come later. It adds nothing if it fails on what the structure says.
FB_API FbStatus fb_model_def_add_structure(FbModelDef* def, const FbStructureDef* structure, FbError* err);
// Reads and checks the matrices, reduces them on request, and adds bodies, joints and a superelement.
FB_API FbStatus fb_model_def_add_matrix_structure(FbModelDef* def, const FbMatrixStructureDef* structure, FbError* err);
FB_API FbStatus fb_model_def_add_superelement(FbModelDef* def, const FbSuperelementDef* element, FbError* err);
FB_API FbStatus fb_model_def_add_slider(FbModelDef* def, const FbSliderDef* slider, FbError* err);
// Adds the states, the sensors "<name>.reference", ".goal", ".wanted_v", ".wanted_a" (and for phase_locked the states
// "<name>.phase", ".frequency" and the sensor ".error"), and the output "<name>.limit": the sum of 1 where the stroke
// binds, 2 the speed, 4 the acceleration.
FB_API FbStatus fb_model_def_add_feedback(FbModelDef* def, const FbFeedbackDef* feedback, FbError* err);

FB_API FbShapeDef fb_shape_def_default(void);
FB_API FbBodyDef fb_body_def_default(void);
FB_API FbJointDef fb_joint_def_default(void);
FB_API FbConstraintDef fb_constraint_def_default(void);
FB_API FbForceDef fb_force_def_default(void);
FB_API FbLawDef fb_law_def_default(void);
FB_API FbSensorDef fb_sensor_def_default(void);
FB_API FbStateDef fb_state_def_default(void);
FB_API FbEventDef fb_event_def_default(void);
FB_API FbSettings fb_settings_default(void);
FB_API FbDampingDef fb_damping_def_default(void);

FB_API FbStatus fb_model_def_create(const char* name, FbModelDef** out, FbError* err);
FB_API void fb_model_def_destroy(FbModelDef* def);

// Each add copies its argument; it fails on a duplicate or malformed name and on an unknown type.
FB_API FbStatus fb_model_def_add_body(FbModelDef* def, const FbBodyDef* body, FbError* err);
FB_API FbStatus fb_model_def_add_joint(FbModelDef* def, const FbJointDef* joint, FbError* err);
FB_API FbStatus fb_model_def_add_constraint(FbModelDef* def, const FbConstraintDef* c, FbError* err);
FB_API FbStatus fb_model_def_add_force(FbModelDef* def, const FbForceDef* force, FbError* err);
FB_API FbStatus fb_model_def_add_law(FbModelDef* def, const FbLawDef* law, FbError* err);
FB_API FbStatus fb_model_def_add_sensor(FbModelDef* def, const FbSensorDef* sensor, FbError* err);
FB_API FbStatus fb_model_def_add_state(FbModelDef* def, const FbStateDef* state, FbError* err);
FB_API FbStatus fb_model_def_add_event(FbModelDef* def, const FbEventDef* event, FbError* err);
FB_API FbStatus fb_model_def_add_initial(FbModelDef* def, const FbInitialDef* initial, FbError* err);
FB_API FbStatus fb_model_def_set_parameter(FbModelDef* def, const char* name, double value, FbError* err);
FB_API void fb_model_def_set_gravity(FbModelDef* def, const double gravity[3]);
FB_API void fb_model_def_set_settings(FbModelDef* def, const FbSettings* settings);
FB_API const FbSettings* fb_model_def_get_settings(const FbModelDef* def);
// Copies; a second call replaces the first.
FB_API FbStatus fb_model_def_set_damping(FbModelDef* def, const FbDampingDef* damping, FbError* err);
FB_API const char* fb_model_def_get_name(const FbModelDef* def);

// The parts that are there, in the order in which they were added; NULL: no such index. What is returned belongs to the
// description and is good until a part of the same kind is added to it or it is destroyed; its texts stay until then.
FB_API int fb_model_def_get_body_count(const FbModelDef* def);
FB_API const FbBodyDef* fb_model_def_get_body(const FbModelDef* def, int index);
FB_API int fb_model_def_get_joint_count(const FbModelDef* def);
FB_API const FbJointDef* fb_model_def_get_joint(const FbModelDef* def, int index);
FB_API int fb_model_def_get_force_count(const FbModelDef* def);
FB_API const FbForceDef* fb_model_def_get_force(const FbModelDef* def, int index);

// `--set NAME=VALUE` overrides; VALUE is an expression with an optional unit.
typedef struct FbOverride {
    const char* name;
    const char* value;
} FbOverride;

typedef struct FbReadOptions {
    const FbOverride* overrides;
    int n_overrides;
} FbReadOptions;

// Reads a YAML or JSON model file. All errors go to `diagnostics`; *out is NULL if there was one.
FB_API FbStatus fb_model_def_read_file(const char* path, const FbReadOptions* options, FbModelDef** out,
                                       FbDiagnostics* diagnostics);
FB_API FbStatus fb_model_def_read_text(const char* text, size_t size, const char* file_name,
                                       const FbReadOptions* options, FbModelDef** out,
                                       FbDiagnostics* diagnostics);

// The JSON Schema (2020-12) of the model file, or the reference manual in Markdown; free with fb_free().
FB_API FbStatus fb_schema_json(char** out, FbError* err);
FB_API FbStatus fb_schema_markdown(char** out, FbError* err);
FB_API void fb_free(void* memory);

#ifdef __cplusplus
}
#endif
#endif
