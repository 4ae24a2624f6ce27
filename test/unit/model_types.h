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
static const FbTypeInfo revolute_type = {"revolute", "Turns.", revolute_fields, N(revolute_fields)};
static const FbTypeInfo screw_type = {"screw", "Screws.", screw_fields, N(screw_fields)};
static const FbTypeInfo* const some_joints[] = {&revolute_type, &screw_type, NULL};

static const FbField distance_fields[] = {
    {OF(FbConstraintDef, "a", FB_FIELD_POINT, a)},
    {OF(FbConstraintDef, "b", FB_FIELD_POINT, b)},
    {REAL(FbConstraintDef, "length", length, "m"), .is_optional = true, .min = 0, .max = INFINITY,
     .has_open_min = true},
};
static const FbField coupling_fields[] = {
    {.key = "terms",
     .kind = FB_FIELD_TERMS,
     .offset = offsetof(FbConstraintDef, terms),
     .offset2 = offsetof(FbConstraintDef, n_terms),
     .unit = "",
     .doc = "Factors."},
    {OF(FbConstraintDef, "axis", FB_FIELD_VEC3, axis), .is_optional = true, ANY_VALUE},
    {OF(FbConstraintDef, "law", FB_FIELD_LAW, law), .is_optional = true},
};
static const FbTypeInfo distance_type = {"distance", "Keeps a distance.", distance_fields,
                                         N(distance_fields)};
static const FbTypeInfo coupling_type = {"coupling", "Couples.", coupling_fields,
                                         N(coupling_fields)};
static const FbTypeInfo* const some_constraints[] = {&distance_type, &coupling_type, NULL};

static const FbField spring_fields[] = {
    {OF(FbForceDef, "a", FB_FIELD_POINT, a)},
    {OF(FbForceDef, "b", FB_FIELD_POINT, b)},
    {REAL(FbForceDef, "stiffness", stiffness, "N/m"), .default_text = "0", .min = 0,
     .max = INFINITY},
    {REAL(FbForceDef, "rest", rest, "m"), .is_optional = true, .min = 0, .max = INFINITY},
    {.key = "force",
     .kind = FB_FIELD_EXPRESSION,
     .offset = offsetof(FbForceDef, expression),
     .unit = "N",
     .is_optional = true,
     .doc = "Pull."},
};
static const FbField torque_fields[] = {
    {.key = "body",
     .kind = FB_FIELD_BODY,
     .offset = offsetof(FbForceDef, a) + offsetof(FbPointDef, body),
     .unit = "",
     .doc = "Body."},
    {.key = "value",
     .kind = FB_FIELD_EXPR3,
     .offset = offsetof(FbForceDef, vector),
     .unit = "N*m",
     .doc = "Torque."},
    {.key = "axes",
     .kind = FB_FIELD_CHOICE,
     .offset = offsetof(FbForceDef, in_body_frame),
     .unit = "",
     .default_text = "ground",
     .choices = "ground|body",
     .doc = "Axes."},
    {OF(FbForceDef, "joint", FB_FIELD_COORDINATE, coordinate), .is_optional = true},
};
static const FbField bushing_fields[] = {
    {OF(FbForceDef, "a", FB_FIELD_FRAME, frame_a)},
    {OF(FbForceDef, "b", FB_FIELD_FRAME, frame_b)},
};
static const FbTypeInfo spring_type = {"spring", "Pulls.", spring_fields, N(spring_fields)};
static const FbTypeInfo torque_type = {"torque", "Turns.", torque_fields, N(torque_fields)};
static const FbTypeInfo bushing_type = {"bushing", "Holds.", bushing_fields, N(bushing_fields)};
static const FbTypeInfo* const some_forces[] = {&spring_type, &torque_type, &bushing_type, NULL};

static const FbField table_fields[] = {
    {.key = "times",
     .kind = FB_FIELD_REALS,
     .offset = offsetof(FbLawDef, times),
     .offset2 = offsetof(FbLawDef, n_points),
     .unit = "s",
     ANY_VALUE,
     .doc = "Times."},
    {.key = "values",
     .kind = FB_FIELD_REALS,
     .offset = offsetof(FbLawDef, values),
     .offset2 = offsetof(FbLawDef, n_points),
     .unit = "",
     ANY_VALUE,
     .doc = "Values."},
    {OF(FbLawDef, "linear", FB_FIELD_BOOL, is_linear), .default_text = "false"},
};
static const FbTypeInfo table_type = {"table", "Values over time.", table_fields, N(table_fields)};
static const FbTypeInfo* const some_laws[] = {&table_type, NULL};

static const FbField position_fields[] = {
    {OF(FbSensorDef, "point", FB_FIELD_POINT, point)},
    {OF(FbSensorDef, "frame", FB_FIELD_BODY, frame), .is_optional = true},
    {OF(FbSensorDef, "component", FB_FIELD_COMPONENT, component), .is_optional = true},
};
static const FbField reaction_fields[] = {{OF(FbSensorDef, "part", FB_FIELD_PART, part)}};
static const FbField expression_fields[] = {
    {OF(FbSensorDef, "value", FB_FIELD_EXPRESSION, expression)},
    {OF(FbSensorDef, "unit", FB_FIELD_TEXT, unit), .is_optional = true},
};
static const FbTypeInfo position_type = {"position", "Where.", position_fields, N(position_fields)};
static const FbTypeInfo reaction_type = {"reaction", "Force.", reaction_fields, N(reaction_fields)};
static const FbTypeInfo expression_type = {"expression", "Formula.", expression_fields,
                                           N(expression_fields)};
static const FbTypeInfo* const some_sensors[] = {&position_type, &reaction_type, &expression_type,
                                                 NULL};

static inline FbTypeSet test_types(void) {
    return (FbTypeSet){some_joints, some_constraints, some_forces,
                       some_laws,   some_sensors,     fb_shape_types};
}

#endif
