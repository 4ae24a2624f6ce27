// The internals of FbModelDef: plain arrays of parts in file order, owned by one arena.
#ifndef FLYBALL_DESCRIBE_DEF_H
#define FLYBALL_DESCRIBE_DEF_H

#include "base/arena.h"
#include "base/names.h"
#include "base/quantity.h"
#include "describe/types.h"
#include "math/tape_store.h"

typedef struct FbParameter {
    const char* name;
    double value;
    FbQuantity quantity;
    FbPlace place;
} FbParameter;

// Nodes of a structure one after the other along a line, under one name.
typedef struct FbNodeRow {
    const char* name;
    const int* bodies;  // [n]
    int n;
} FbNodeRow;

// The function of a sensor of type "callback".
typedef struct FbSetCallback {
    const char* sensor;
    FbCallback function;
} FbSetCallback;

struct FbModelDef {
    FbTypeSet types;  // that its parts may have
    FbArena* arena;
    const char* name;
    const char* title;
    const char* file;  // NULL if built in memory
    char sha256[65];   // of the file's text; "" if built in memory
    double gravity[3];
    FbMeshKeeping keeps;  // of meshes
    const struct FbReduction*
        reduction;       // how structures are reduced (mesh/reduction.h); NULL: here
    double size_limit;   // FbReadOptions.size_limit
    FbTapeStore* tapes;  // that its model may share with others; NULL: none
    FbSettings settings;
    FbOrigin simulation;  // where they were written
    FbDampingDef damping;
    FbParameter* parameters;
    int n_parameters, parameters_capacity;
    FbNames parameters_names;
    FbBodyDef* bodies;
    int n_bodies, bodies_capacity;
    FbNames bodies_names;
    FbJointDef* joints;
    int n_joints, joints_capacity;
    FbNames joints_names;
    FbConstraintDef** constraints;  // each the head of the struct of its type
    int n_constraints, constraints_capacity;
    FbNames constraints_names;
    FbForceDef** forces;  // likewise
    int n_forces, forces_capacity;
    FbNames forces_names;
    FbLawDef** laws;  // likewise
    int n_laws, laws_capacity;
    FbNames laws_names;
    FbSensorDef** sensors;  // likewise, in `outputs` order
    int n_sensors, sensors_capacity;
    FbNames sensors_names;
    FbSetCallback* callbacks;
    int n_callbacks, callbacks_capacity;
    FbStateDef* states;
    int n_states, states_capacity;
    FbNames states_names;
    FbInputDef* inputs;
    int n_inputs, inputs_capacity;
    FbNames inputs_names;
    FbEventDef* events;
    int n_events, events_capacity;
    FbNames events_names;
    FbMaterialDef* materials;
    int n_materials, materials_capacity;
    FbNames materials_names;
    FbSectionDef* sections;
    int n_sections, sections_capacity;
    FbNames sections_names;
    FbBeamDef* beams;  // those of one member follow one another
    int n_beams, beams_capacity;
    FbNames beams_names;
    FbNames members_names;       // index of the member's first beam
    FbStructureDef* structures;  // without their nodes and members, which became bodies and beams
    int n_structures, structures_capacity;
    FbNames structures_names;
    FbSuperelementDef* superelements;
    int n_superelements, superelements_capacity;
    FbNames superelements_names;
    FbNodeRow* rows;  // of meshes: what a guide may pass
    int n_rows, rows_capacity;
    FbNames rows_names;
    FbSliderDef* sliders;
    int n_sliders, sliders_capacity;
    FbNames sliders_names;
    FbInitialDef* initials;
    int n_initials, initials_capacity;
    FbQuantity* quantities;  // that values of any unit were written as (def_quantities.c)
    int n_quantities, quantities_capacity;
    FbNames quantities_names;
    const char** files;  // paths of the files that the model file names: matrices, meshes, surfaces
    int n_files, files_capacity;
    FbNames files_names;
};

// fb_model_def_create() with the types that its parts may have, whose lists must outlive it.
FbStatus fb_def_create(const char* name, const FbTypeSet* types, FbModelDef** out, FbError* err);

// The type of a part, or NULL; and the defaults of one, for a part that another one brings along:
// `size` is that of *out. Fails with FB_ERR_NAME where there is no type of that name and size.
const FbTypeInfo* fb_def_constraint_type(const FbModelDef* def, const FbConstraintDef* c);
const FbTypeInfo* fb_def_force_type(const FbModelDef* def, const FbForceDef* force);
const FbTypeInfo* fb_def_law_type(const FbModelDef* def, const FbLawDef* law);
const FbTypeInfo* fb_def_sensor_type(const FbModelDef* def, const FbSensorDef* sensor);
FbStatus fb_def_fill(const FbTypeInfo* const* types, const char* type, size_t size, void* out,
                     FbError* err);

// A largest size, `usual` (also for no def) unless the reader was asked for another.
double fb_def_limit(const FbModelDef* def, double usual);

// Looks a name up in an instance's scope ("w1.") outwards; index or -1. "ground" as a body gives
// FB_GROUND.
enum { FB_GROUND = -1, FB_NOT_FOUND = -2 };
int fb_def_find_body(const FbModelDef* def, const char* scope, const char* name);
int fb_def_find_joint(const FbModelDef* def, const char* scope, const char* name);
int fb_def_find_constraint(const FbModelDef* def, const char* scope, const char* name);
int fb_def_find_force(const FbModelDef* def, const char* scope, const char* name);
int fb_def_find_law(const FbModelDef* def, const char* scope, const char* name);
int fb_def_find_sensor(const FbModelDef* def, const char* scope, const char* name);
int fb_def_find_state(const FbModelDef* def, const char* scope, const char* name);
int fb_def_find_input(const FbModelDef* def, const char* scope, const char* name);
int fb_def_find_material(const FbModelDef* def, const char* scope, const char* name);
int fb_def_find_section(const FbModelDef* def, const char* scope, const char* name);
int fb_def_find_member(const FbModelDef* def, const char* scope,
                       const char* name);  // its first beam
int fb_def_find_row(const FbModelDef* def, const char* scope, const char* name);
int fb_def_find_structure(const FbModelDef* def, const char* scope, const char* name);
int fb_def_find_slider(const FbModelDef* def, const char* scope, const char* name);
// The slider whose carriage ("<slider>.carriage", a body that exists where something is attached to
// it) or whose rail
// ("<slider>.rail", a body beside the model that counts how far a free slider is) has this name.
int fb_def_find_carriage(const FbModelDef* def, const char* scope, const char* name);
int fb_def_find_rail(const FbModelDef* def, const char* scope, const char* name);
int fb_def_find_parameter(const FbModelDef* def, const char* scope, const char* name);

// The function that was set for a sensor; NULL: none.
const FbCallback* fb_def_find_callback(const FbModelDef* def, const char* sensor);

// Remembers what a value was written as whose unit depends on its use; false: out of memory. And
// what the value of a part's field was written as: not known where it had no unit, or was not read
// from a file.
bool fb_def_note_quantity(FbModelDef* def, const char* scope, int line, int col, FbQuantity q);
FbQuantity fb_def_find_quantity(const FbModelDef* def, const FbOrigin* origin, const char* key);

// Has a new part a good name that no other part of its kind has (`existing`: the origin of one that
// has it, or NULL), and is it clear in expressions?
FbStatus fb_def_check_new(const char* kind, const char* name, const FbOrigin* origin,
                          const FbOrigin* existing, FbError* err);
FbStatus fb_def_check_value_name(const FbModelDef* def, const char* kind, const char* name,
                                 const FbOrigin* origin, FbError* err);

// Keeps the structure itself, without nodes and members.
FbStatus fb_def_append_structure(FbModelDef* def, const FbStructureDef* structure, FbError* err);

// Keeps a row of nodes; `bodies` is copied.
FbStatus fb_def_append_row(FbModelDef* def, const char* name, const int* bodies, int n,
                           FbError* err);

// Keeps the slider itself, without what a free one needs (slider_add.c).
FbStatus fb_def_append_slider(FbModelDef* def, const FbSliderDef* slider, FbError* err);

// Letters, digits and '_', not starting with a digit; parts of instances are joined by '.'.
bool fb_name_is_valid(const char* name);

// The place of a field of a part (the part's own place if the field was not written).
FbPlace fb_origin_place(const FbOrigin* origin, const char* key);

#endif
