// A small set of types for the tests of the reader: enough to use every kind of field.
#ifndef FLYBALL_TEST_MODEL_TYPES_H
#define FLYBALL_TEST_MODEL_TYPES_H

#include <math.h>
#include <stddef.h>

#include "describe/shape.h"
#include "describe/types.h"

#define N(a) ((int)(sizeof(a) / sizeof((a)[0])))
#define REAL(type, key_, member, unit_)                                                  \
    .key = key_, .kind = FB_FIELD_REAL, .offset = offsetof(type, member), .unit = unit_, \
    .doc = "A value."
#define OF(type, key_, kind_, member) \
    .key = key_, .kind = kind_, .offset = offsetof(type, member), .unit = "", .doc = "A field."
#define ANY_VALUE .min = -INFINITY, .max = INFINITY

static const FbField revolute_fields[] = {
    {OF(FbJointDef, "point", FB_FIELD_VEC3, point), .default_text = "[0, 0, 0]", ANY_VALUE},
    {OF(FbJointDef, "axis", FB_FIELD_VEC3, axis), .default_text = "[0, 0, 1]", ANY_VALUE},
    {OF(FbJointDef, "x_axis", FB_FIELD_VEC3, x_axis), .is_optional = true, ANY_VALUE},
    {.key = "position",
     .kind = FB_FIELD_REALS6,
     .offset = offsetof(FbJointDef, position),
     .offset2 = offsetof(FbJointDef, has_position),
     .unit = "rad",
     .is_optional = true,
     ANY_VALUE,
     .doc = "Start."},
    {.key = "velocity",
     .kind = FB_FIELD_REALS6,
     .offset = offsetof(FbJointDef, velocity),
     .offset2 = offsetof(FbJointDef, has_velocity),
     .unit = "rad/s",
     .is_optional = true,
     ANY_VALUE,
     .doc = "Rate."},
};
static const FbField screw_fields[] = {
    {OF(FbJointDef, "point", FB_FIELD_VEC3, point), .default_text = "[0, 0, 0]", ANY_VALUE},
    {OF(FbJointDef, "axis", FB_FIELD_VEC3, axis), .default_text = "[0, 0, 1]", ANY_VALUE},
    {REAL(FbJointDef, "pitch", pitch, "m"), ANY_VALUE},
};
static const FbTypeInfo revolute_type = {
    .name = "revolute", .doc = "Turns.", .fields = revolute_fields, .n_fields = N(revolute_fields)};
static const FbTypeInfo screw_type = {
    .name = "screw", .doc = "Screws.", .fields = screw_fields, .n_fields = N(screw_fields)};
static const FbTypeInfo* const some_joints[] = {&revolute_type, &screw_type, NULL};

static const FbField distance_fields[] = {
    {OF(FbDistanceDef, "a", FB_FIELD_POINT, a)},
    {OF(FbDistanceDef, "b", FB_FIELD_POINT, b)},
    {REAL(FbDistanceDef, "length", length, "m"), .is_optional = true, .min = 0, .max = INFINITY,
     .has_open_min = true},
};
static const FbField plane_fields[] = {
    {OF(FbPointOnPlaneDef, "point", FB_FIELD_POINT, point)},
    {OF(FbPointOnPlaneDef, "plane", FB_FIELD_POINT, plane)},
    {OF(FbPointOnPlaneDef, "normal", FB_FIELD_VEC3, normal),
     .offset2 = offsetof(FbPointOnPlaneDef, plane), .is_optional = true, ANY_VALUE},
};
static const FbField coupling_fields[] = {
    {.key = "terms",
     .kind = FB_FIELD_TERMS,
     .offset = offsetof(FbCouplingDef, terms),
     .offset2 = offsetof(FbCouplingDef, n_terms),
     .unit = "",
     .doc = "Factors."},
    {OF(FbCouplingDef, "law", FB_FIELD_LAW, law), .is_optional = true},
};
#define TYPE(type_name, text, table, def) \
    { type_name, text, table, N(table), sizeof(def), true }
static const FbTypeInfo distance_type = TYPE("distance", "Keeps.", distance_fields, FbDistanceDef);
static const FbTypeInfo plane_type =
    TYPE("point_on_plane", "Stays.", plane_fields, FbPointOnPlaneDef);
static const FbTypeInfo coupling_type =
    TYPE("coupling", "Couples.", coupling_fields, FbCouplingDef);
static const FbTypeInfo* const some_constraints[] = {&distance_type, &coupling_type, &plane_type,
                                                     NULL};

static const FbField spring_fields[] = {
    {OF(FbSpringDef, "a", FB_FIELD_POINT, a)},
    {OF(FbSpringDef, "b", FB_FIELD_POINT, b)},
    {REAL(FbSpringDef, "stiffness", stiffness, "N/m"), .default_text = "0", .min = 0,
     .max = INFINITY},
    {REAL(FbSpringDef, "rest", rest, "m"), .is_optional = true, .min = 0, .max = INFINITY},
    {.key = "force",
     .kind = FB_FIELD_EXPRESSION,
     .offset = offsetof(FbSpringDef, force),
     .unit = "N",
     .is_optional = true,
     .doc = "Pull."},
};
static const FbField torsion_fields[] = {
    {OF(FbTorsionDef, "joint", FB_FIELD_COORDINATE, joint)},
    {REAL(FbTorsionDef, "stiffness", stiffness, "N*m/rad or N/m"), .default_text = "0", ANY_VALUE},
};
static const FbField actuator_fields[] = {
    {OF(FbActuatorDef, "joint", FB_FIELD_COORDINATE, joint), .is_optional = true},
    {OF(FbActuatorDef, "value", FB_FIELD_EXPRESSION, value), .is_optional = true},
};
static const FbField point_force_fields[] = {
    {OF(FbPointForceDef, "point", FB_FIELD_POINT, point)},
    {OF(FbPointForceDef, "value", FB_FIELD_EXPR3, value)},
};
static const FbField torque_fields[] = {
    {OF(FbPointTorqueDef, "body", FB_FIELD_BODY, body)},
    {.key = "value",
     .kind = FB_FIELD_EXPR3,
     .offset = offsetof(FbPointTorqueDef, value),
     .unit = "N*m",
     .doc = "Torque."},
    {.key = "axes",
     .kind = FB_FIELD_CHOICE,
     .offset = offsetof(FbPointTorqueDef, in_body_frame),
     .unit = "",
     .default_text = "ground",
     .choices = "ground|body",
     .doc = "Axes."},
};
static const FbField bushing_fields[] = {
    {OF(FbBushingDef, "a", FB_FIELD_FRAME, a)},
    {OF(FbBushingDef, "b", FB_FIELD_FRAME, b)},
};
static const FbTypeInfo spring_type = TYPE("spring", "Pulls.", spring_fields, FbSpringDef);
static const FbTypeInfo torsion_type = TYPE("torsion", "Twists.", torsion_fields, FbTorsionDef);
static const FbTypeInfo actuator_type = TYPE("actuator", "Drives.", actuator_fields, FbActuatorDef);
static const FbTypeInfo force_type = TYPE("force", "Pushes.", point_force_fields, FbPointForceDef);
static const FbTypeInfo torque_type = TYPE("torque", "Turns.", torque_fields, FbPointTorqueDef);
static const FbTypeInfo bushing_type = TYPE("bushing", "Holds.", bushing_fields, FbBushingDef);
static const FbTypeInfo* const some_forces[] = {
    &spring_type, &torque_type, &bushing_type, &torsion_type, &actuator_type, &force_type, NULL};

static const FbField table_fields[] = {
    {.key = "times",
     .kind = FB_FIELD_REALS,
     .offset = offsetof(FbTableLawDef, times),
     .offset2 = offsetof(FbTableLawDef, n_points),
     .unit = "s",
     ANY_VALUE,
     .doc = "Times."},
    {.key = "values",
     .kind = FB_FIELD_REALS,
     .offset = offsetof(FbTableLawDef, values),
     .offset2 = offsetof(FbTableLawDef, n_points),
     .unit = "",
     ANY_VALUE,
     .doc = "Values."},
    {OF(FbTableLawDef, "linear", FB_FIELD_BOOL, is_linear), .default_text = "false"},
};
static const FbTypeInfo table_type =
    TYPE("table", "Values over time.", table_fields, FbTableLawDef);
static const FbTypeInfo* const some_laws[] = {&table_type, NULL};

static const FbField position_fields[] = {
    {OF(FbPointSensorDef, "point", FB_FIELD_POINT, point)},
    {OF(FbPointSensorDef, "frame", FB_FIELD_BODY, frame), .is_optional = true},
    {OF(FbSensorDef, "component", FB_FIELD_COMPONENT, component), .is_optional = true},
};
static const FbField reaction_fields[] = {{OF(FbAppliedSensorDef, "part", FB_FIELD_PART, force)}};
static const FbField expression_fields[] = {
    {OF(FbExpressionSensorDef, "value", FB_FIELD_EXPRESSION, value)},
    {OF(FbSensorDef, "unit", FB_FIELD_TEXT, unit), .is_optional = true},
};
static const FbTypeInfo position_type =
    TYPE("position", "Where.", position_fields, FbPointSensorDef);
static const FbTypeInfo reaction_type =
    TYPE("reaction", "Force.", reaction_fields, FbAppliedSensorDef);
static const FbTypeInfo expression_type =
    TYPE("expression", "Formula.", expression_fields, FbExpressionSensorDef);
static const FbTypeInfo* const some_sensors[] = {&position_type, &reaction_type, &expression_type,
                                                 NULL};

static inline FbTypeSet test_types(void) {
    return (FbTypeSet){some_joints, some_constraints, some_forces,
                       some_laws,   some_sensors,     fb_shape_types};
}

#endif
