// The editable description of a model: what a file reader, an importer or a C program builds.
//
// Read a file with fb_model_def_read_file(), or create an empty description and add parts to it.
// flyball.h states the rules for all definitions; which fields a type uses, their units and
// defaults are in docs/reference/model-file.md (`flyball schema --markdown`). Structures made of
// beams and masses that slide along them are in structure.h.
//
// Names consist of letters, digits and '_' and do not start with a digit; parts of an instance of a
// template are called "instance.part". The body "ground" is predefined. The drawing position is
// where the description puts the bodies; the assembly starts from it.
#ifndef FLYBALL_MODEL_H
#define FLYBALL_MODEL_H

#include "flyball/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// A description. It owns copies of everything that was added to it.
typedef struct FbModelDef FbModelDef;

// ---- Files ----

// A parameter or the default of an input that gets another value, as with `--set NAME=VALUE`.
typedef struct FbOverride {
    const char* name;   // of a parameter or an input
    const char* value;  // an expression with an optional unit, as in "80 cm"
} FbOverride;

// What is kept of the meshes of structures beside their matrices, for pictures and fields.
typedef enum FbMeshKeeping {
    FB_MESH_DROPPED,  // nothing
    FB_MESH_SURFACE,  // what reports draw
    FB_MESH_WHOLE     // all nodes and elements
} FbMeshKeeping;

// How a file is read; {0} changes nothing.
typedef struct FbReadOptions {
    const FbOverride* overrides;  // [n_overrides]
    int n_overrides;
    FbMeshKeeping meshes;                 // as of fb_model_def_keep_meshes()
    const struct FbReduction* reduction;  // of the program's own; NULL: structures are reduced here
    // Factor of the largest sizes of models (parts, repeats, rows of matrices, elements), above
    // which they are rejected before they take memory; at most 10; 0: 1.
    double size_limit;
    uint64_t reserved[6];
} FbReadOptions;

// Reads a YAML or JSON model file. All errors and warnings go to `diagnostics`; *out is NULL if
// there was an error, whose status is returned. `options` may be NULL.
FB_API FbStatus fb_model_def_read_file(const char* path, const FbReadOptions* options,
                                       FbModelDef** out, FbDiagnostics* diagnostics);
// The same from `size` bytes of memory. `file_name` is used in messages, gives the model its name
// if the text does not, and is what paths in the text are relative to.
FB_API FbStatus fb_model_def_read_text(const char* text, size_t size, const char* file_name,
                                       const FbReadOptions* options, FbModelDef** out,
                                       FbDiagnostics* diagnostics);

// A model file that was read once, for models with other values of its parameters. It never
// changes, and any number of threads may share it.
typedef struct FbSource FbSource;

// Reads a file. All errors of its form go to `diagnostics`; those of its content are found by
// fb_source_create_def().
FB_API FbStatus fb_source_read_file(const char* path, FbSource** out, FbDiagnostics* diagnostics);
// The same from memory, as fb_model_def_read_text().
FB_API FbStatus fb_source_read_text(const char* text, size_t size, const char* file_name,
                                    FbSource** out, FbDiagnostics* diagnostics);
// Frees a source; descriptions and models that were made from it stay. NULL is allowed.
FB_API void fb_source_destroy(FbSource* source);
// A description with these values of parameters and defaults of inputs, as from
// fb_model_def_read_file(). `options` may be NULL.
FB_API FbStatus fb_source_create_def(const FbSource* source, const FbReadOptions* options,
                                     FbModelDef** out, FbDiagnostics* diagnostics);
// What descriptions of a source, and the models made of them, had to make, and what they took over
// from earlier ones because nothing that it depends on had changed.
typedef struct FbSourceCounts {
    int structures_made, structures_taken;  // of meshes and matrices, with their reduction
    int formulas_made, formulas_taken;      // equations of small models
    uint64_t reserved[2];
} FbSourceCounts;
// The counts so far.
FB_API void fb_source_get_counts(const FbSource* source, FbSourceCounts* counts);

// The JSON Schema (2020-12) of the model file; free *out with fb_free().
FB_API FbStatus fb_schema_json(char** out, FbError* err);
// The reference manual of the model file in Markdown; free *out with fb_free().
FB_API FbStatus fb_schema_markdown(char** out, FbError* err);

// ---- The description as a whole ----

// An empty description without gravity. `name` is that of the results; NULL: "model".
FB_API FbStatus fb_model_def_create(const char* name, FbModelDef** out, FbError* err);
// Frees the description and everything in it; NULL is allowed.
FB_API void fb_model_def_destroy(FbModelDef* def);
// The name of the model.
FB_API const char* fb_model_def_get_name(const FbModelDef* def);
// Gravity in ground axes, m/s2.
FB_API void fb_model_def_set_gravity(FbModelDef* def, const double gravity[3]);
// What is kept of meshes that are added from now on; FB_MESH_DROPPED at first. Memory for each
// kept node: about 100 bytes and, where the structure is reduced, 24 bytes for each coordinate.
FB_API void fb_model_def_keep_meshes(FbModelDef* def, FbMeshKeeping keeping);
// A named number for use in expressions, in SI units; a second call replaces its value.
// FB_ERR_NAME: the name is malformed or belongs to a sensor, state or input.
FB_API FbStatus fb_model_def_set_parameter(FbModelDef* def, const char* name, double value,
                                           FbError* err);

// ---- Places ----

// Where a field of a part was written; readers fill it for messages.
typedef struct FbFieldPlace {
    const char* key;
    int line;  // from 1
    int col;   // from 1
} FbFieldPlace;

// Where a part comes from; {0} in parts that a C program adds.
typedef struct FbOrigin {
    FbPlace place;
    const FbFieldPlace* fields;  // [n_fields]
    int n_fields;
    const char* scope;  // "instance.", in which names are looked up first; NULL: none
} FbOrigin;

// A point fixed in a body.
typedef struct FbPointDef {
    const char* body;   // name; "ground" is allowed
    const char* point;  // a named point of that body; NULL: `at` applies
    double at[3];       // m, in the body frame
    bool is_global;     // `at` is in the ground frame, at the drawing position
} FbPointDef;

// A frame fixed in a body.
typedef struct FbFrameDef {
    FbPointDef origin;
    double rotation[9];  // row-major: columns are the frame's axes in the body frame (if
                         // origin.is_global: in the ground frame, at the drawing position)
} FbFrameDef;

// ---- Bodies ----

// A shape that gives a body mass and is drawn. Give a density or a mass, or make it visual only.
typedef struct FbShapeDef {
    const char* type;       // box, cylinder, tube, sphere, rod (slender), point, mesh
    double size[3];         // m: box, edge lengths along its x, y and z
    double radius;          // m: cylinder, tube (outer), sphere
    double inner_radius;    // m: tube
    double length;          // m: cylinder and tube, along the shape's z axis
    double from[3], to[3];  // m: rod, ends in the body frame
    double at[3];           // m: centre of the shape in the body frame; not for rods
    double rotation[9];     // row-major: columns are the shape's axes in the body frame
    double density;         // kg/m3; NaN: not given; not for rods and points
    double mass;            // kg; NaN: not given
    bool is_visual_only;    // drawn, but without mass
    FbOrigin origin;
    const char* file;  // mesh: path of an STL file with a closed surface, in the shape's axes
    double unit;       // m: mesh, length of one unit of the file
    uint64_t reserved[6];
} FbShapeDef;

// A point of a body that other parts can refer to by name.
typedef struct FbNamedPoint {
    const char* name;
    double at[3];  // m, in the body frame
} FbNamedPoint;

// A rigid body. Given mass properties add to those of the shapes.
typedef struct FbBodyDef {
    const char* name;
    double position[3];  // m: origin of the body frame in the ground frame, drawing position
    double rotation[9];  // row-major: columns are the body's axes in the ground frame
    double mass;         // kg
    double center[3];    // m: centre of mass of `mass` in the body frame
    double inertia[6];   // kg m2 of `mass` about that centre, body axes: xx, yy, zz, xy, xz, yz
                         // (tensor components: xy is minus the integral of x y dm)
    const FbShapeDef* shapes;  // [n_shapes]
    int n_shapes;
    const FbNamedPoint* points;  // [n_points]
    int n_points;
    const char* color;  // in reports, "#rrggbb"; NULL: chosen
    FbOrigin origin;
    uint64_t reserved[8];
} FbBodyDef;

// A body at the origin of the ground without mass, shapes and points.
FB_API FbBodyDef fb_body_def_default(void);
// A shape of no type at the origin of its body; dimensions, density and mass are not given (NaN).
FB_API FbShapeDef fb_shape_def_default(void);
// Adds a copy of a body. This and all other functions that add a part fail with FB_ERR_NAME on a
// malformed or duplicate name; the description is then unchanged.
FB_API FbStatus fb_model_def_add_body(FbModelDef* def, const FbBodyDef* body, FbError* err);

// ---- Joints ----

// The most coordinates (Q; a ball joint is stored as a quaternion) and velocities (V) of a joint.
enum { FB_MAX_JOINT_Q = 7, FB_MAX_JOINT_V = 6 };

// A joint between bodies a and b. Its coordinates measure b relative to a, about or along the z
// axis of the joint frame. Joints that close loops are found by fb_model_create().
typedef struct FbJointDef {
    const char* name;
    const char* type;             // fixed, revolute, prismatic, cylindrical, universal, spherical,
                                  // planar, screw, free, pin_slot, translation, gimbal, node
    const char* body_a;           // the body that b is measured relative to
    const char* body_b;           // the other body; either may be the ground
    bool has_frames;              // frame_a and frame_b place it; false: point, axis and x_axis
    FbFrameDef frame_a, frame_b;  // the joint frame on either body
    double point[3];              // m: where it is in the drawing position, ground frame
    double axis[3];               // z of the joint frame in the drawing position, ground frame
    double x_axis[3];             // x of the joint frame, made perpendicular; NaN: chosen
    double pitch;                 // m per turn: screw
    double offset[FB_MAX_JOINT_V];      // coordinates as drawn (only with point and axis)
    bool has_position[FB_MAX_JOINT_V];  // the initial position is given and kept by the assembly
    double position[FB_MAX_JOINT_V];    // m or rad; ball joints: a rotation vector
    bool has_velocity[FB_MAX_JOINT_V];  // the initial velocity is given and kept by the assembly
    double velocity[FB_MAX_JOINT_V];    // m/s or rad/s
    FbOrigin origin;
    uint64_t reserved[8];
} FbJointDef;

// One coordinate of a joint.
typedef struct FbCoordinateDef {
    const char* joint;  // name
    int index;          // from 0
} FbCoordinateDef;

// A joint at the origin along z, of no type.
FB_API FbJointDef fb_joint_def_default(void);
// Adds a copy of a joint.
FB_API FbStatus fb_model_def_add_joint(FbModelDef* def, const FbJointDef* joint, FbError* err);

// ---- States, events, initial values ----

// An additional first-order state x' = rate, such as that of a controller.
typedef struct FbStateDef {
    const char* name;
    double initial;    // value at the start
    const char* rate;  // expression of t, coordinates, sensors and states
    const char* unit;  // for headers; NULL: none
    FbOrigin origin;
    uint64_t reserved[4];
} FbStateDef;

// A value that is set from outside while the model runs: a command, a load, a disturbance. Within a
// step it is constant. Expressions use it by its name.
typedef struct FbInputDef {
    const char* name;
    double value;      // until it is set (the file's `default`), SI units
    double min, max;   // what it may be set to
    const char* unit;  // what it is, for headers and checks of units; NULL: not known
    FbOrigin origin;
    uint64_t reserved[4];
} FbInputDef;

// What an event does besides being recorded.
typedef enum FbEventAction {
    FB_EVENT_RECORD,  // nothing
    FB_EVENT_STOP,    // ends the run
    FB_EVENT_SWITCH,  // replaces one law by another
} FbEventAction;

// Something that happens when an expression crosses zero; a step of the run ends there.
typedef struct FbEventDef {
    const char* name;
    const char* expression;  // of t, coordinates, sensors and states
    int direction;           // crossings that count: +1 rising, -1 falling, 0 both
    FbEventAction action;
    const char* law;  // switch: this law ...
    const char* to;   // ... is replaced by that one from now on
    int max_count;    // how often it may occur; 0: any number of times
    FbOrigin origin;
    uint64_t reserved[4];
} FbEventDef;

// A value that the assembly must reach: an initial position or velocity of a sensor.
typedef struct FbInitialDef {
    const char* sensor;  // name, or name.x for a component
    double value;        // in the sensor's unit
    FbOrigin origin;
    uint64_t reserved[4];
} FbInitialDef;

// A state that starts at 0, without a rate.
FB_API FbStateDef fb_state_def_default(void);
// Adds a copy of a state.
FB_API FbStatus fb_model_def_add_state(FbModelDef* def, const FbStateDef* state, FbError* err);
// An input that is 0 until it is set, without limits.
FB_API FbInputDef fb_input_def_default(void);
// Adds a copy of an input. FB_ERR_RANGE: its value is not within its limits.
FB_API FbStatus fb_model_def_add_input(FbModelDef* def, const FbInputDef* input, FbError* err);
// An event that is recorded at every crossing.
FB_API FbEventDef fb_event_def_default(void);
// Adds a copy of an event.
FB_API FbStatus fb_model_def_add_event(FbModelDef* def, const FbEventDef* event, FbError* err);
// Adds a copy of an initial value. It has no name.
FB_API FbStatus fb_model_def_add_initial(FbModelDef* def, const FbInitialDef* initial,
                                         FbError* err);

// ---- How to simulate and what to examine ----

// How to simulate.
typedef struct FbSettings {
    double start;            // s
    double duration;         // s, >= 0
    double sample;           // s between rows; 0: a hundredth of the duration
    const char* integrator;  // auto, or one of fb_integrator_get_info
    double rtol;             // relative tolerance of one step, > 0 and <= 0.1
    double atol;      // absolute tolerance in rad, lengths of the model, and their rates; 0: a
                      // hundredth of rtol
    double max_step;  // s; 0: no limit
    int max_steps;    // 0: no limit
    bool starts_at_equilibrium;  // starts where all forces balance, not at the initial positions
    int start_mode;  // starts displaced in this vibration mode, from 1 by increasing frequency;
                     // 0: not
    const char* start_output;    // ... so far that this output (name or name.x) changes ...
    double start_value;          // ... by this much, in its unit
    const char* const* release;  // [n_release] forces that act only in that equilibrium
    int n_release;
    double step;             // s; > 0: steps of this length without error control; 0: error control
    double spectral_radius;  // of alpha at infinity, 0 ... 1
    uint64_t reserved[6];
} FbSettings;

// 10 s from t = 0 in 100 samples, integrator auto, rtol 1e-9, spectral radius 0.8.
FB_API FbSettings fb_settings_default(void);
// Copies the settings into the description; the run options of its models start from them.
FB_API void fb_model_def_set_settings(FbModelDef* def, const FbSettings* settings);
// The settings of the description.
FB_API const FbSettings* fb_model_def_get_settings(const FbModelDef* def);

// A vibration whose effective damping is computed from a run (damping.h).
typedef struct FbDampingDef {
    const char* output;  // a recorded output; NULL: nothing is examined
    int cycles;          // for the overall ratio; 0: all of them
    double about;        // the value about which the output oscillates, in its unit
    int points;          // samples interpolated by the polynomial at a peak, 3 to 12; 0: 12
    const char* energy;  // a recorded output: energy of the vibration, J; NULL: none
    const char* power;   // a recorded output: power fed into the vibration, W; NULL: none
    double bound;        // ratio that no law can exceed, > 0; NaN: not known
    const double*
        masses;    // [2] kg: smallest and largest modal mass, instead of `bound`; NULL: none
    int n_masses;  // 2, or 0
    FbOrigin origin;
    uint64_t reserved[8];
} FbDampingDef;

// No output, all cycles about 0, no bound.
FB_API FbDampingDef fb_damping_def_default(void);
// Copies the definition into the description; a second call replaces the first. FB_ERR_RANGE or
// FB_ERR_MODEL: it is inconsistent.
FB_API FbStatus fb_model_def_set_damping(FbModelDef* def, const FbDampingDef* damping,
                                         FbError* err);

// ---- Access to the parts ----
//
// Parts in the order in which they were added, nodes of structures included. A pointer is valid
// until a part of the same kind is added; the texts behind it live as long as the description.

// How many bodies there are, without the ground.
FB_API int fb_model_def_get_body_count(const FbModelDef* def);
// A body by index; NULL: no such index.
FB_API const FbBodyDef* fb_model_def_get_body(const FbModelDef* def, int index);
// How many joints there are.
FB_API int fb_model_def_get_joint_count(const FbModelDef* def);
// A joint by index; NULL: no such index.
FB_API const FbJointDef* fb_model_def_get_joint(const FbModelDef* def, int index);

#ifdef __cplusplus
}
#endif
#endif
