// Force laws: how a generalized force depends on what it measures. Where it acts is up to the
// system.
#ifndef FLYBALL_FORCE_FORCE_H
#define FLYBALL_FORCE_FORCE_H

#include "describe/types.h"
#include "math/vec3.h"

// What a force type acts along.
typedef enum FbForceMeasure {
    FB_MEASURE_DISTANCE,                // length between points a and b
    FB_MEASURE_COORDINATE,              // a joint coordinate
    FB_MEASURE_COORDINATE_OR_DISTANCE,  // a coordinate if given, else points a and b
    FB_MEASURE_FRAMES,                  // relative motion of frame_b in frame_a
    FB_MEASURE_POINT_FORCE,             // three expressions: force at point a
    FB_MEASURE_POINT_TORQUE,            // three expressions: torque on the body of a
} FbForceMeasure;

// A scalar generalized force Q that does the work Q * rate on the measured value (a spring pulls: Q
// < 0 where value > rest).
typedef struct FbScalarForce {
    double q;
    double dq_dvalue;
    double dq_drate;
} FbScalarForce;

// A bushing's wrench on b, about and in frame a, for small or large relative motion, and its
// derivatives. See bushing.c.
typedef struct FbWrenchLaw {
    double
        force[6];  // torque xyz, force xyz: on b at the origin of frame b, in the axes of frame a
    double d_pose[36];   // row-major d force / d (rotation of b by a spatial rotation vector in a's
                         // axes, translation of b's origin)
    double d_rate[36];   // row-major d force / d (relative angular velocity, relative velocity of
                         // b's origin), in a's axes
    double energy;       // J: stored by the springs
    double dissipation;  // W: taken by the dampers, >= 0
} FbWrenchLaw;

typedef struct FbForceType {
    FbTypeInfo info;  // fields point into the struct of the type, which begins with FbForceDef
    FbForceMeasure measure;
    // What its expression or law (the field of that kind) adds to Q: sign * its value. +1: it
    // drives the value up (actuator). -1: it resists, as stiffness * (value - rest) does (spring,
    // torsion): written as a pull. 0: the type has no scalar expression.
    double expression_sign;
    // Offset of a double, the value at rest, where NaN stands for the drawn value; 0: none.
    size_t rest;
    // Offset of a bool: three expressions along the axes of the body instead of ground; 0: none.
    size_t in_body_frame;
    // Checks beyond the field ranges; may be NULL. This and the others get the head of the struct.
    FbStatus (*check)(const FbForceDef* head, FbError* err);
    // Is the scalar law below linear in value and rate, with constant factors?
    bool is_linear;
    // The scalar law without the expression; `rest` is that of the def with NaN replaced by the
    // drawn value. NULL: the value is the expression or the law alone.
    void (*scalar)(const FbForceDef* head, double rest, double value, double rate,
                   FbScalarForce* out);
    // The conservative part's stored energy and the dissipated power (>= 0 for passive elements) at
    // (value, rate). NULL: all work counts as supplied.
    double (*energy)(const FbForceDef* head, double rest, double value);
    double (*dissipation)(const FbForceDef* head, double rest, double value, double rate);
    // Frames: R_AB, p_AB (b in a), w_AB, v_AB (in a's axes).
    void (*wrench)(const FbForceDef* head, const FbMat3* R_AB, FbVec3 p_AB, FbVec3 w_AB,
                   FbVec3 v_AB, FbWrenchLaw* out);
} FbForceType;

// The list of all types, in the order of the manual: fb_force_spring, ...
#define FB_FORCE_TYPES(X) \
    X(spring)             \
    X(torsion)            \
    X(bushing)            \
    X(friction)           \
    X(force)              \
    X(torque)             \
    X(actuator)
#define FB_DECLARE_FORCE(name) extern const FbForceType fb_force_##name;
FB_FORCE_TYPES(FB_DECLARE_FORCE)
extern const FbForceType* const fb_force_types[];  // ended by NULL

const FbForceType* fb_force_type_find(const char* name);

#endif
