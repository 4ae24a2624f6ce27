// The inside of FbModelDef: plain arrays of parts in file order, owned by one arena.
#ifndef FLYBALL_MODEL_DEF_H
#define FLYBALL_MODEL_DEF_H

#include "base/arena.h"
#include "base/names.h"
#include "flyball/model.h"

typedef struct FbParameter {
    const char* name;
    double value;
    FbPlace place;
} FbParameter;

struct FbModelDef {
    FbArena* arena;
    const char* name;
    const char* title;
    const char* file;  // NULL if built in memory
    char sha256[65];   // of the file's text; "" if built in memory
    double gravity[3];
    FbSettings settings;
    FbParameter* parameters;
    int n_parameters, parameters_capacity;
    FbNames parameters_names;
    FbBodyDef* bodies;
    int n_bodies, bodies_capacity;
    FbNames bodies_names;
    FbJointDef* joints;
    int n_joints, joints_capacity;
    FbNames joints_names;
    FbConstraintDef* constraints;
    int n_constraints, constraints_capacity;
    FbNames constraints_names;
    FbForceDef* forces;
    int n_forces, forces_capacity;
    FbNames forces_names;
    FbLawDef* laws;
    int n_laws, laws_capacity;
    FbNames laws_names;
    FbSensorDef* sensors;  // in `outputs` order
    int n_sensors, sensors_capacity;
    FbNames sensors_names;
    FbStateDef* states;
    int n_states, states_capacity;
    FbNames states_names;
    FbEventDef* events;
    int n_events, events_capacity;
    FbNames events_names;
    FbInitialDef* initials;
    int n_initials, initials_capacity;
};

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
int fb_def_find_parameter(const FbModelDef* def, const char* scope, const char* name);

// Letters, digits and '_', not starting with a digit; parts of instances are joined by '.'.
bool fb_name_is_valid(const char* name);

// The place of a field of a part (the part's own place if the field was not written).
FbPlace fb_origin_place(const FbOrigin* origin, const char* key);

#endif
