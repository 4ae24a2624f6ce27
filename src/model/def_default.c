// Default values of all parts of a model: NaN or NULL where the user must say something.
#include <math.h>

#include "flyball/model.h"

#define IDENTITY \
    { 1, 0, 0, 0, 1, 0, 0, 0, 1 }
#define UNSET3 \
    { NAN, NAN, NAN }

FbShapeDef fb_shape_def_default(void) {
    return (FbShapeDef){
        .size = UNSET3,
        .radius = NAN,
        .inner_radius = NAN,
        .length = NAN,
        .from = UNSET3,
        .to = UNSET3,
        .rotation = IDENTITY,
        .density = NAN,
        .mass = NAN,
    };
}

FbBodyDef fb_body_def_default(void) {
    return (FbBodyDef){.rotation = IDENTITY};
}

FbJointDef fb_joint_def_default(void) {
    return (FbJointDef){
        .frame_a = {.rotation = IDENTITY},
        .frame_b = {.rotation = IDENTITY},
        .axis = {0, 0, 1},
        .x_axis = UNSET3,
        .pitch = NAN,
    };
}

FbConstraintDef fb_constraint_def_default(void) {
    return (FbConstraintDef){
        .axis = UNSET3,
        .normal = UNSET3,
        .length = NAN,
        .ratio = NAN,
        .radius = NAN,
    };
}

FbForceDef fb_force_def_default(void) {
    return (FbForceDef){
        .frame_a = {.rotation = IDENTITY},
        .frame_b = {.rotation = IDENTITY},
        .rest = NAN,
        .stribeck_velocity = 0.1,
        .smoothing_velocity = 1e-3,
    };
}

FbLawDef fb_law_def_default(void) {
    return (FbLawDef){
        .value = NAN,
        .amplitude = NAN,
        .frequency = NAN,
        .from = NAN,
        .to = NAN,
        .duration = NAN,
        .max_rate = NAN,
        .max_acceleration = NAN,
    };
}

FbSensorDef fb_sensor_def_default(void) {
    return (FbSensorDef){.component = -1, .is_recorded = true};
}

FbStateDef fb_state_def_default(void) {
    return (FbStateDef){.initial = 0.0};
}

FbEventDef fb_event_def_default(void) {
    return (FbEventDef){.action = FB_EVENT_RECORD};
}

FbSettings fb_settings_default(void) {
    return (FbSettings){
        .duration = 10.0,
        .integrator = "auto",
        .rtol = 1e-9,
        .atol = 1e-11,
    };
}
