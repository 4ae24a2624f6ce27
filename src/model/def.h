// The inside of FbModelDef: plain arrays of parts in file order, owned by one arena.
#ifndef FLYBALL_MODEL_DEF_H
#define FLYBALL_MODEL_DEF_H

#include "base/arena.h"
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
    const char* file; // NULL if built in memory
    char sha256[65];  // of the file's text; "" if built in memory
    double gravity[3];
    FbSettings settings;
    FbParameter* parameters;
    int n_parameters, parameters_capacity;
    FbBodyDef* bodies;
    int n_bodies, bodies_capacity;
    FbJointDef* joints;
    int n_joints, joints_capacity;
    FbConstraintDef* constraints;
    int n_constraints, constraints_capacity;
    FbForceDef* forces;
    int n_forces, forces_capacity;
    FbLawDef* laws;
    int n_laws, laws_capacity;
    FbSensorDef* sensors; // in `outputs` order
    int n_sensors, sensors_capacity;
    FbStateDef* states;
    int n_states, states_capacity;
    FbEventDef* events;
    int n_events, events_capacity;
    FbInitialDef* initials;
    int n_initials, initials_capacity;
};

// Looks a name up in an instance's scope ("w1.") outwards; index or -1. "ground" as a body gives FB_GROUND.
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
