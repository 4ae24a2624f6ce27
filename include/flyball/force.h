// Forces in a description: one struct for each type, with a common head.
//
// Start from the default function of the type, name it in `head.name`, set the fields, and add its
// head: fb_model_def_add_force(def, &spring.head, &err). Fields have the names of the keys in the
// model file (docs/reference/model-file.md).
#ifndef FLYBALL_FORCE_H
#define FLYBALL_FORCE_H

#include "flyball/model.h"

#ifdef __cplusplus
extern "C" {
#endif

// What all forces have; the first member of the struct of each type.
typedef struct FbForceDef {
    const char* name;
    const char* type;  // set by the default function of the type, which also says the struct:
                       // spring FbSpringDef, torsion FbTorsionDef, bushing FbBushingDef, friction
                       // FbFrictionDef, force FbPointForceDef, torque FbPointTorqueDef,
                       // actuator FbActuatorDef
    size_t size;       // of that struct, set by the default function
    FbOrigin origin;
    uint64_t reserved[4];
} FbForceDef;

// A spring and damper along the line between two points: it pulls them together with
// stiffness (length - rest) + damping rate + preload + force.
typedef struct FbSpringDef {
    FbForceDef head;    // type "spring"
    FbPointDef a, b;    // the ends
    double stiffness;   // N/m
    double damping;     // N s/m
    double rest;        // m: length at which the stiffness exerts nothing; NaN: as drawn
    double preload;     // N: pull at the rest length
    const char* force;  // N: a further pull, an expression of length and rate; NULL: none
    uint64_t reserved[4];
} FbSpringDef;

// A torsion spring and damper in a joint, or along a slide: it turns the joint back with
// stiffness (angle - rest) + damping rate + preload + torque.
typedef struct FbTorsionDef {
    FbForceDef head;        // type "torsion"
    FbCoordinateDef joint;  // the coordinate that it acts on
    double stiffness;       // N m/rad, or N/m along a slide
    double damping;         // N m s/rad, or N s/m
    double rest;            // rad or m: where the stiffness exerts nothing; NaN: as drawn
    double preload;         // N m or N: resistance at the rest angle
    const char* torque;     // N m or N: a further resistance, an expression of angle and rate;
                            // NULL: none
    uint64_t reserved[4];
} FbTorsionDef;

// An elastic, damped mount between two frames.
typedef struct FbBushingDef {
    FbForceDef head;                  // type "bushing"
    FbFrameDef a, b;                  // unloaded where they coincide; the axes are those of a
    double translation_stiffness[3];  // N/m along x, y and z of a
    double translation_damping[3];    // N s/m
    double rotation_stiffness[3];     // N m/rad
    double rotation_damping[3];       // N m s/rad
    uint64_t reserved[4];
} FbBushingDef;

// Friction in a joint: dry with a Stribeck peak, and viscous, smooth around zero rate.
typedef struct FbFrictionDef {
    FbForceDef head;            // type "friction"
    FbCoordinateDef joint;      // the coordinate with friction
    double coulomb;             // N or N m: dry friction when sliding
    double viscous;             // N s/m or N m s/rad
    double stribeck;            // N or N m: excess over `coulomb` when sliding starts
    double stribeck_velocity;   // m/s or rad/s over which the excess decays
    double smoothing_velocity;  // m/s or rad/s below which friction creeps instead of sticking
    uint64_t reserved[4];
} FbFrictionDef;

// A force on a point of a body.
typedef struct FbPointForceDef {
    FbForceDef head;       // type "force"
    FbPointDef point;      // where it acts
    const char* value[3];  // N: expressions
    bool in_body_frame;    // `value` is along the axes of the body, not of the ground
    uint64_t reserved[4];
} FbPointForceDef;

// A torque on a body.
typedef struct FbPointTorqueDef {
    FbForceDef head;       // type "torque"
    const char* body;      // what it acts on
    const char* value[3];  // N m: expressions
    bool in_body_frame;    // `value` is along the axes of the body, not of the ground
    uint64_t reserved[4];
} FbPointTorqueDef;

// A motor in a joint, or a cylinder between two points: positive values drive the coordinate up, or
// the points apart. Give either the joint or both points, and either the law or the value.
typedef struct FbActuatorDef {
    FbForceDef head;        // type "actuator"
    FbCoordinateDef joint;  // the coordinate that is driven; joint NULL: a and b
    FbPointDef a, b;        // the ends
    const char* law;        // N or N m: name of a law; NULL: none
    const char* value;      // N or N m: an expression; NULL: none
    uint64_t reserved[4];
} FbActuatorDef;

// A spring without stiffness and damping, its rest length as drawn.
FB_API FbSpringDef fb_spring_def_default(void);
// A torsion spring without stiffness and damping, its rest angle as drawn.
FB_API FbTorsionDef fb_torsion_def_default(void);
// A bushing without stiffness and damping.
FB_API FbBushingDef fb_bushing_def_default(void);
// Friction that resists nothing, with the smoothing of the model file.
FB_API FbFrictionDef fb_friction_def_default(void);
// A force along the axes of the ground, without values.
FB_API FbPointForceDef fb_point_force_def_default(void);
// A torque along the axes of the ground, without values.
FB_API FbPointTorqueDef fb_point_torque_def_default(void);
// An actuator that acts nowhere yet.
FB_API FbActuatorDef fb_actuator_def_default(void);

// Adds a copy of the struct that `force` is the head of. FB_ERR_MODEL: its type and its size do not
// belong together, because it does not come from the default function of its type.
FB_API FbStatus fb_model_def_add_force(FbModelDef* def, const FbForceDef* force, FbError* err);
// How many forces there are.
FB_API int fb_model_def_get_force_count(const FbModelDef* def);
// The head of a force by index, good as long as the description; NULL: no such index. Its type says
// which struct it is the head of.
FB_API const FbForceDef* fb_model_def_get_force(const FbModelDef* def, int index);

#ifdef __cplusplus
}
#endif
#endif
