// Field rows and helpers that constraint types share.
#ifndef FLYBALL_COMPILE_CONSTRAINT_TYPES_H
#define FLYBALL_COMPILE_CONSTRAINT_TYPES_H

#include <stddef.h>

#include "compile/compile.h"

// The list of all types, in the order of the manual: fb_constraint_distance, ...
#define FB_CONSTRAINT_TYPES(X) \
    X(distance)                \
    X(point_on_line)           \
    X(point_on_plane)          \
    X(coupling)                \
    X(gear)                    \
    X(rack)                    \
    X(motion)                  \
    X(point_motion)            \
    X(rolling)
#define FB_DECLARE_CONSTRAINT(name) extern const FbConstraintType fb_constraint_##name;
FB_CONSTRAINT_TYPES(FB_DECLARE_CONSTRAINT)

#define FB_COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

// Fields whose key is the name of the member.
#define FB_CONSTRAINT_POINT(type, member, text)                                                \
    {                                                                                          \
        .key = #member, .kind = FB_FIELD_POINT, .offset = offsetof(type, member), .unit = "m", \
        .min = -__builtin_inf(), .max = __builtin_inf(), .doc = text                           \
    }

// In the axes of the body of the point `of`.
#define FB_CONSTRAINT_AXIS(type, member, of, text, fallback)                     \
    {                                                                            \
        .key = #member, .kind = FB_FIELD_VEC3, .offset = offsetof(type, member), \
        .offset2 = offsetof(type, of), .unit = "1", .default_text = fallback,    \
        .min = -__builtin_inf(), .max = __builtin_inf(), .doc = text             \
    }

#define FB_CONSTRAINT_REAL(type, member, unit_text, fallback, text)                     \
    {                                                                                   \
        .key = #member, .kind = FB_FIELD_REAL, .offset = offsetof(type, member),        \
        .unit = unit_text, .default_text = fallback, .is_optional = (fallback) == NULL, \
        .min = -__builtin_inf(), .max = __builtin_inf(), .doc = text                    \
    }

#define FB_CONSTRAINT_LAW(type)                                                          \
    {.key = "law",                                                                       \
     .kind = FB_FIELD_LAW,                                                               \
     .offset = offsetof(type, law),                                                      \
     .is_optional = true,                                                                \
     .doc = "Name of the law that gives the value over time."},                          \
    {                                                                                    \
        .key = "value", .kind = FB_FIELD_EXPRESSION, .offset = offsetof(type, value),    \
        .is_optional = true, .doc = "Instead of a law: the value as an expression of t." \
    }

#define FB_CONSTRAINT_COORDINATE(type, member, text) \
    { .key = #member, .kind = FB_FIELD_COORDINATE, .offset = offsetof(type, member), .doc = text }

// Begins a row that belongs to constraint `index`.
static inline FbRow fb_constraint_row(const FbBuilder* b, int index, const char* text) {
    return (FbRow){
        .term = b->m->n_terms, .law = -1, .is_holonomic = true, .owner = index, .text = text};
}

// What a law or an expression gives to a row; false: it failed, and was reported.
static inline bool fb_constraint_law(FbBuilder* b, const FbConstraintDef* head, const char* law,
                                     const char* value, FbQuantity wanted, FbRow* row) {
    row->law = fb_compile_law_of(b, law, value, &head->origin);
    return row->law != -2 &&
           fb_compile_check_law(b, row->law, wanted, &head->origin, law ? "law" : "value");
}

// Adds one term and its row.
static inline bool fb_constraint_add(FbBuilder* b, FbRow* row, const FbTerm* term) {
    row->term = fb_compile_term(b, term);
    row->n_terms = 1;
    return row->term >= 0 && fb_compile_row(b, row) >= 0;
}

// A direction of the def in the link that carries `frame` (which fb_compile_point made),
// normalised; reports a zero one.
bool fb_constraint_direction(FbBuilder* b, const FbConstraintDef* head, const char* key,
                             const double axis[3], const FbLinkFrame* frame, FbVec3* out);

#endif
