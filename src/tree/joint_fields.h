// Field rows that joint tables share: placement in the drawing and initial values.
#ifndef FLYBALL_TREE_JOINT_FIELDS_H
#define FLYBALL_TREE_JOINT_FIELDS_H

#include "tree/joint.h"

#define FB_JOINT_POINT                                                                             \
    {                                                                                              \
        .key = "point", .kind = FB_FIELD_VEC3, .offset = offsetof(FbJointDef, point), .unit = "m", \
        .default_text = "[0, 0, 0]", .min = -__builtin_inf(), .max = __builtin_inf(),              \
        .doc =                                                                                     \
            "Where the joint is in the drawing position, in ground coordinates: the point of b "   \
            "to which its coordinates, drives and moments refer."                                  \
    }

#define FB_JOINT_AXIS(text)                                                                       \
    {                                                                                             \
        .key = "axis", .kind = FB_FIELD_VEC3, .offset = offsetof(FbJointDef, axis), .unit = "1",  \
        .default_text = "[0, 0, 1]", .min = -__builtin_inf(), .max = __builtin_inf(), .doc = text \
    }

#define FB_JOINT_X_AXIS(text)                                                              \
    {                                                                                      \
        .key = "x_axis", .kind = FB_FIELD_VEC3, .offset = offsetof(FbJointDef, x_axis),    \
        .unit = "1", .is_optional = true, .min = -__builtin_inf(), .max = __builtin_inf(), \
        .doc = text                                                                        \
    }

// Units of the coordinates and of their rates: one for all, or one for each ("m, m, rad").
#define FB_JOINT_INITIAL(unit_text, rate_text)                                                  \
    {.key = "offset",                                                                           \
     .kind = FB_FIELD_REALS6,                                                                   \
     .offset = offsetof(FbJointDef, offset),                                                    \
     .unit = unit_text,                                                                         \
     .is_optional = true,                                                                       \
     .min = -__builtin_inf(),                                                                   \
     .max = __builtin_inf(),                                                                    \
     .doc =                                                                                     \
         "Value of the coordinates in the drawing position (default: 0). It only shifts their " \
         "zero; the mechanism is the same."},                                                   \
        {.key = "position",                                                                     \
         .kind = FB_FIELD_REALS6,                                                               \
         .offset = offsetof(FbJointDef, position),                                              \
         .offset2 = offsetof(FbJointDef, has_position),                                         \
         .unit = unit_text,                                                                     \
         .is_optional = true,                                                                   \
         .min = -__builtin_inf(),                                                               \
         .max = __builtin_inf(),                                                                \
         .doc =                                                                                 \
             "Initial value of the coordinates; kept by the assembly. Default: as drawn, free " \
             "to adapt."},                                                                      \
    {                                                                                           \
        .key = "velocity", .kind = FB_FIELD_REALS6, .offset = offsetof(FbJointDef, velocity),   \
        .offset2 = offsetof(FbJointDef, has_velocity), .unit = rate_text, .is_optional = true,  \
        .min = -__builtin_inf(), .max = __builtin_inf(),                                        \
        .doc =                                                                                  \
            "Initial rate of the coordinates; kept by the assembly. Default: as slow as the "   \
            "rest allows."                                                                      \
    }

#define FB_COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

// The rows of closures, named by what they forbid.
#define FB_NO_X \
    { FB_ROW_SLIDE, 0, 0, "translation along x" }
#define FB_NO_Y \
    { FB_ROW_SLIDE, 1, 0, "translation along y" }
#define FB_NO_Z \
    { FB_ROW_SLIDE, 2, 0, "translation along z" }
#define FB_NO_RX \
    { FB_ROW_DOT, 1, 2, "rotation about x" }
#define FB_NO_RY \
    { FB_ROW_DOT, 0, 2, "rotation about y" }
#define FB_NO_RZ \
    { FB_ROW_DOT, 0, 1, "rotation about z" }

#endif
