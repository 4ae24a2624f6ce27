// Type tables: what the reader, validator, schema writer and compiler know about each joint,
// constraint, force, law and sensor type.
#ifndef FLYBALL_DESCRIBE_TYPES_H
#define FLYBALL_DESCRIBE_TYPES_H

#include <stddef.h>

#include "flyball/constraint.h"
#include "flyball/force.h"
#include "flyball/law.h"
#include "flyball/sensor.h"
#include "flyball/structure.h"

// How a field is written in a file and where it lands in its def struct (at `offset`, in the C type
// named here).
typedef enum FbFieldKind {
    FB_FIELD_REAL,        // double: number, "5 mm", expression of parameters
    FB_FIELD_INT,         // int
    FB_FIELD_BOOL,        // bool
    FB_FIELD_TEXT,        // const char*
    FB_FIELD_VEC3,        // double[3]; offset2 not 0: a direction in the axes of the body of the
                          // FbPointDef there
    FB_FIELD_ROTATION,    // double[9]: see docs (axis-angle, zyx angles, z/x axes)
    FB_FIELD_REALS,       // const double* + int count at offset2
    FB_FIELD_EXPRESSION,  // const char*: kept as text, compiled with the model; parameters are
                          // constants in it
    FB_FIELD_EXPR3,       // const char*[3]
    FB_FIELD_BODY,        // const char*: name of a body (or ground)
    FB_FIELD_JOINT,       // const char*: name of a joint
    FB_FIELD_PART,        // const char*: name of a joint, constraint or force
    FB_FIELD_LAW,         // const char*: name of a law
    FB_FIELD_POINT,       // FbPointDef: "body", "body.point", {body:, at:}, {body:, global:}
    FB_FIELD_FRAME,       // FbFrameDef: a point plus optional axis/x_axis or rotation
    FB_FIELD_COORDINATE,  // FbCoordinateDef: "joint" or "joint.q2"
    FB_FIELD_TERMS,       // const FbCouplingTerm* + int count at offset2: {joint: factor, ...}
    FB_FIELD_CHOICE,  // int/bool index into `choices` ("a|b|c"): stored as int if `is_int_choice`,
                      // as const char* if `is_text_choice`, else as bool (index 1 = true)
    FB_FIELD_COMPONENT,    // int: x, y, z -> 0, 1, 2
    FB_FIELD_TEXTS,        // const char* const* + int count at offset2: a list of names
    FB_FIELD_EXPRESSIONS,  // const char* const* + int count at offset2: a list of expressions
    FB_FIELD_MATERIAL,     // const char*: name of a material
    FB_FIELD_MEMBERS,      // const char* const* + int count at offset2: a member or a list of them
    FB_FIELD_POINTS,       // const double* [3 x count] + int count at offset2: a list of points
    FB_FIELD_REALS6,       // double[6]: one number or a list, and bool[6] `has` flags at offset2
                           // (offset2 0: no flags)
} FbFieldKind;

typedef struct FbField {
    const char* key;
    FbFieldKind kind;
    size_t offset;
    size_t offset2;
    const char* unit;  // SI unit as text ("N/m", "m", "rad", "1", "" for none); the dimension that
                       // is checked FB_FIELD_REALS6: perhaps one for each value, "m, m, rad"; the
                       // last holds for all further ones; "N or N*m" where it depends on the joint
    const char* default_text;  // as it would be written; NULL: required unless is_optional
    bool is_optional;
    double min, max;    // inclusive unless has_open_min
    bool has_open_min;  // min itself is excluded
    const char* choices;
    const char* doc;      // one sentence
    bool is_int_choice;   // FB_FIELD_CHOICE: stored as int, not as bool
    bool is_text_choice;  // FB_FIELD_CHOICE: stored as text
    bool is_list;         // FB_FIELD_REALS6: a single number will not do
} FbField;

// Shorthand for "no range".
#define FB_ANY -__builtin_inf(), __builtin_inf()

typedef struct FbTypeInfo {
    const char* name;
    const char* doc;  // one or two sentences for the manual
    const FbField* fields;
    int n_fields;
    size_t size;  // of the type's own struct, which begins with an FbHead; 0: all types of the kind
                  // share one struct (joints, shapes)
    bool can_hold;  // forces: elastic, so that it can keep a part from moving away
} FbTypeInfo;

// How the struct of a type begins, whatever its kind: FbForceDef and the like begin with the same.
typedef struct FbHead {
    const char* name;
    const char* type;
    size_t size;
    FbOrigin origin;
} FbHead;

// The types of a build, by kind. A description gets them from above (compile/type_set.c), so that
// describe, mesh and read know of no type but by its name.
typedef struct FbTypeSet {
    const FbTypeInfo* const* joints;  // each list is ended by NULL
    const FbTypeInfo* const* constraints;
    const FbTypeInfo* const* forces;
    const FbTypeInfo* const* laws;
    const FbTypeInfo* const* sensors;
    const FbTypeInfo* const* shapes;
} FbTypeSet;

// A field by key, or NULL.
const FbField* fb_field_find(const FbField* fields, int n_fields, const char* key);

const FbTypeInfo* fb_type_find(const FbTypeInfo* const* list, const char* name);  // NULL: none

// The first field of a kind, or NULL.
const FbField* fb_type_field(const FbTypeInfo* type, FbFieldKind kind);

// The defaults of a type with a struct of its own: what its table says, else NaN or NULL, without a
// name; out has type->size bytes.
void fb_type_fill(const FbTypeInfo* type, void* out);

// Calls `visit` with each body and each joint that a part refers to (NULL where it leaves it out);
// the other one is NULL. `type` may be NULL.
typedef void (*FbVisitName)(void* self, const FbField* field, const char* body, const char* joint);
void fb_type_visit_names(const FbTypeInfo* type, const void* part, FbVisitName visit, void* self);

#endif
