// Sensors in a description, values that are recorded or used in expressions: a struct for each
// family of types, with a common head.
//
// Start from the default function of the type, name it in `head.name`, set the fields, and add its
// head: fb_model_def_add_sensor(def, &sensor.head, &err). Fields have the names of the keys in the
// model file (docs/reference/model-file.md).
#ifndef FLYBALL_SENSOR_H
#define FLYBALL_SENSOR_H

#include "flyball/model.h"

#ifdef __cplusplus
extern "C" {
#endif

// What all sensors have; the first member of the struct of each type.
typedef struct FbSensorDef {
    const char* name;
    const char* type;  // set by the default function, see there
    size_t size;       // of the struct of the type, set by the default function
    FbOrigin origin;
    const char* unit;    // for headers; NULL: that of the value
    const char* limits;  // "a|b|c": the value is a sum of 1, 2, 4 for each of these limits that
                         // is active, and a run reports the fraction of samples; NULL: none
    int component;       // 0 to 2: only x, y or z of a vector is recorded; -1: all
    bool is_recorded;    // a column of the result
    uint64_t reserved[4];
} FbSensorDef;

// The motion of a point as an observer sees it.
typedef struct FbPointSensorDef {
    FbSensorDef head;        // type "position", "velocity" or "acceleration"
    FbPointDef point;        // what is observed
    FbPointDef relative_to;  // a point of the observer from where it is measured; body NULL: its
                             // origin
    const char* frame;       // the observer, a body whose axes are used; NULL: ground
    uint64_t reserved[4];
} FbPointSensorDef;

// The orientation or rotation of a body as an observer sees it.
typedef struct FbBodySensorDef {
    FbSensorDef head;   // type "orientation", "angles", "angular_velocity", "angular_acceleration"
    const char* body;   // what is observed
    const char* frame;  // the observer, a body whose axes are used; NULL: ground
    uint64_t reserved[4];
} FbBodySensorDef;

// A gyroscope that a body carries.
typedef struct FbGyroDef {
    FbSensorDef head;  // type "gyro"
    const char* body;  // that carries it
    uint64_t reserved[4];
} FbGyroDef;

// An accelerometer that a body carries.
typedef struct FbAccelerometerDef {
    FbSensorDef head;  // type "accelerometer"
    FbPointDef point;  // where it is mounted
    bool has_gravity;  // minus gravity, as an instrument reads it
    uint64_t reserved[4];
} FbAccelerometerDef;

// The distance between two points.
typedef struct FbDistanceSensorDef {
    FbSensorDef head;  // type "distance"
    FbPointDef a, b;   // the points
    uint64_t reserved[4];
} FbDistanceSensorDef;

// The force or torque that a joint exerts on its second body.
typedef struct FbReactionSensorDef {
    FbSensorDef head;   // type "reaction" or "reaction_torque"
    const char* joint;  // name
    const char* frame;  // axes of this body; NULL: ground
    uint64_t reserved[4];
} FbReactionSensorDef;

// The vectors that a force exerts.
typedef struct FbAppliedSensorDef {
    FbSensorDef head;   // type "applied_force" or "applied_torque"
    const char* force;  // name
    const char* frame;  // axes of this body; NULL: ground
    uint64_t reserved[4];
} FbAppliedSensorDef;

// The Lagrange multipliers of a constraint.
typedef struct FbMultiplierSensorDef {
    FbSensorDef head;        // type "multiplier"
    const char* constraint;  // name
    uint64_t reserved[4];
} FbMultiplierSensorDef;

// A sum over the whole model.
typedef struct FbSystemSensorDef {
    FbSensorDef head;  // type "kinetic_energy", "potential_energy", "energy", "supplied_work",
                       // "dissipated_work", "momentum", "angular_momentum", "center_of_mass"
    uint64_t reserved[4];
} FbSystemSensorDef;

// An expression.
typedef struct FbExpressionSensorDef {
    FbSensorDef head;   // type "expression"
    const char* value;  // of time, coordinates, sensors, forces and states
    uint64_t reserved[4];
} FbExpressionSensorDef;

// A value that is measured once in a period and held.
typedef struct FbHoldSensorDef {
    FbSensorDef head;  // type "hold"
    const char* of;    // an expression
    double period;     // s: between two samples
    double delay;      // s: age of a sample when it is shown
    double initial;    // until the first sample is old enough; NaN: the first sample
    uint64_t reserved[4];
} FbHoldSensorDef;

// Values that a function of the program computes from measurements: a force law, a controller. The
// function is set by fb_model_def_set_callback().
typedef struct FbCallbackSensorDef {
    FbSensorDef head;              // type "callback"
    const char* const* arguments;  // [n_arguments] expressions
    int n_arguments;
    int n_results;               // 0: one, which has the name of the sensor
    const char* const* results;  // [n_results] names: "pilot.force"
    double period;               // s: it is called once in a period and its results are held; NaN:
                                 // it is called whenever its results are needed
    double delay;                // s: age of results when they are shown, with a period
    double initial;              // until the first results are old enough; NaN: the first results
    double fallback;  // (`default` in the file) the results while no function is set; NaN: none
    uint64_t reserved[4];
} FbCallbackSensorDef;

// The amplitude of a mode of a linear structure.
typedef struct FbModalSensorDef {
    FbSensorDef head;       // type "modal_amplitude"
    const char* structure;  // name
    int mode;               // from 1 in order of increasing frequency
    uint64_t reserved[4];
} FbModalSensorDef;

// Forces or stresses in a section of a member.
typedef struct FbMemberSensorDef {
    FbSensorDef head;    // type "section_forces" or "stress"
    const char* member;  // structure.member
    double at;           // fraction of its length, 0 to 1
    uint64_t reserved[4];
} FbMemberSensorDef;

// The stresses at a place of a structure from a mesh.
typedef struct FbMeshSensorDef {
    FbSensorDef head;   // type "mesh_stress"
    const char* place;  // structure.place
    uint64_t reserved[4];
} FbMeshSensorDef;

// The motion and the forces of a sliding mass.
typedef struct FbSliderSensorDef {
    FbSensorDef head;    // type "slider_position", "slider_velocity", "slider_contact",
                         // "slider_coriolis"
    const char* slider;  // name
    uint64_t reserved[4];
} FbSliderSensorDef;

// An entry of a matrix of the element that a slider is on.
typedef struct FbCompositeSensorDef {
    FbSensorDef head;    // type "composite_mass" or "composite_coriolis"
    const char* slider;  // name
    const char* row;     // displacements of the element's ends: ax, ay, az, amx, ..., bx, ...
    const char* column;  // likewise
    uint64_t reserved[4];
} FbCompositeSensorDef;

// All of these are recorded, all components in the axes of the ground. Where a struct serves
// several types, `type` says which; with the name of a type of another struct, adding the sensor
// fails.

// type: position, velocity or acceleration.
FB_API FbPointSensorDef fb_point_sensor_def_default(const char* type);
// type: orientation, angles, angular_velocity or angular_acceleration.
FB_API FbBodySensorDef fb_body_sensor_def_default(const char* type);
// A gyroscope on no body.
FB_API FbGyroDef fb_gyro_def_default(void);
// An accelerometer that shows gravity.
FB_API FbAccelerometerDef fb_accelerometer_def_default(void);
// A distance between no points.
FB_API FbDistanceSensorDef fb_distance_sensor_def_default(void);
// type: reaction or reaction_torque.
FB_API FbReactionSensorDef fb_reaction_sensor_def_default(const char* type);
// type: applied_force or applied_torque.
FB_API FbAppliedSensorDef fb_applied_sensor_def_default(const char* type);
// Multipliers of no constraint.
FB_API FbMultiplierSensorDef fb_multiplier_sensor_def_default(void);
// type: kinetic_energy, potential_energy, energy, supplied_work, dissipated_work, momentum,
// angular_momentum or center_of_mass.
FB_API FbSystemSensorDef fb_system_sensor_def_default(const char* type);
// Without an expression.
FB_API FbExpressionSensorDef fb_expression_sensor_def_default(void);
// Without delay; the period is not given (NaN).
FB_API FbHoldSensorDef fb_hold_sensor_def_default(void);
// Called whenever it is needed, without arguments, with one result.
FB_API FbCallbackSensorDef fb_callback_sensor_def_default(void);
// A mode of no structure.
FB_API FbModalSensorDef fb_modal_sensor_def_default(void);
// type: section_forces or stress, at the beginning of the member.
FB_API FbMemberSensorDef fb_member_sensor_def_default(const char* type);
// Stresses of a mesh, at a place that is not given.
FB_API FbMeshSensorDef fb_mesh_sensor_def_default(void);
// type: slider_position, slider_velocity, slider_contact or slider_coriolis.
FB_API FbSliderSensorDef fb_slider_sensor_def_default(const char* type);
// type: composite_mass or composite_coriolis.
FB_API FbCompositeSensorDef fb_composite_sensor_def_default(const char* type);

// The function behind a sensor of type "callback". It must be a function of time and arguments
// alone: the library calls it at trial points too, as often and in whichever order it likes, does
// not call it again for the same time and arguments, and saved states do not contain what it
// remembers (a controller with a memory is sampled and has its own results among its arguments).
// Where several threads use a model, they call it at the same time.
typedef struct FbCallback {
    // Fills `results` from `arguments`, in SI units. Not FB_OK: there are no results. FB_RETRY: not
    // here; a step with error control is repeated with a smaller length. < 0: the call that needed
    // the results fails with this status and the text of *err. Results that are not finite count as
    // FB_RETRY, and FB_RETRY of a sample as a failure.
    FbStatus (*calc)(void* self, double t, const double* arguments, double* results, FbError* err);
    // Fills [n_results x n_arguments] derivatives, row by row (those of the first result first).
    // NULL: they are found by differences, two calls for each argument that the motion changes.
    FbStatus (*calc_derivatives)(void* self, double t, const double* arguments, double* derivatives,
                                 FbError* err);
    void* self;  // handed to both; it must outlive the models
    uint64_t reserved[4];
} FbCallback;

// Sets the function of a sensor of type "callback" for models that are made of the description from
// now on; NULL: none. FB_ERR_NAME: there is no such sensor; FB_ERR_ARGUMENT: `calc` is NULL.
FB_API FbStatus fb_model_def_set_callback(FbModelDef* def, const char* sensor,
                                          const FbCallback* callback, FbError* err);

// Adds a copy of the struct that `sensor` is the head of. Recorded ones become columns of the
// result in the order of adding. FB_ERR_MODEL: its type and its size do not belong together,
// because it does not come from the default function of its type.
FB_API FbStatus fb_model_def_add_sensor(FbModelDef* def, const FbSensorDef* sensor, FbError* err);

#ifdef __cplusplus
}
#endif
#endif
