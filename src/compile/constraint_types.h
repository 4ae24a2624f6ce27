// Field rows and helpers that constraint types share.
#ifndef FLYBALL_COMPILE_CONSTRAINT_TYPES_H
#define FLYBALL_COMPILE_CONSTRAINT_TYPES_H

#include <stddef.h>

#include "compile/compile.h"

#define FB_COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

#define FB_CONSTRAINT_POINT(field_key, member, text)                                           \
    {                                                                                          \
        .key = field_key, .kind = FB_FIELD_POINT, .offset = offsetof(FbConstraintDef, member), \
        .unit = "m", .min = -__builtin_inf(), .max = __builtin_inf(), .doc = text              \
    }

#define FB_CONSTRAINT_AXIS(field_key, member, text, fallback)                                   \
    {                                                                                           \
        .key = field_key, .kind = FB_FIELD_VEC3, .offset = offsetof(FbConstraintDef, member),   \
        .unit = "1", .default_text = fallback, .min = -__builtin_inf(), .max = __builtin_inf(), \
        .doc = text                                                                             \
    }

#define FB_CONSTRAINT_REAL(field_key, member, unit_text, fallback, text)                      \
    {                                                                                         \
        .key = field_key, .kind = FB_FIELD_REAL, .offset = offsetof(FbConstraintDef, member), \
        .unit = unit_text, .default_text = fallback, .is_optional = (fallback) == NULL,       \
        .min = -__builtin_inf(), .max = __builtin_inf(), .doc = text                          \
    }

#define FB_CONSTRAINT_LAW                                                     \
    {.key = "law",                                                            \
     .kind = FB_FIELD_LAW,                                                    \
     .offset = offsetof(FbConstraintDef, law),                                \
     .is_optional = true,                                                     \
     .doc = "Name of the law that gives the value over time."},               \
    {                                                                         \
        .key = "value", .kind = FB_FIELD_EXPRESSION,                          \
        .offset = offsetof(FbConstraintDef, expression), .is_optional = true, \
        .doc = "Instead of a law: the value as an expression of t."           \
    }

#define FB_CONSTRAINT_COORDINATE(field_key, member, text)        \
    {                                                            \
        .key = field_key, .kind = FB_FIELD_COORDINATE,           \
        .offset = offsetof(FbConstraintDef, member), .doc = text \
    }

// Begins a row that belongs to constraint `index`.
static inline FbRow fb_constraint_row(const FbBuilder* b, int index, const char* text) {
    return (FbRow){
        .term = b->m->n_terms, .law = -1, .is_holonomic = true, .owner = index, .text = text};
}

static inline bool fb_constraint_check_law(FbBuilder* b, const FbConstraintDef* def, int law,
                                           const char* unit) {
    return fb_compile_check_law(b, law, unit, &def->origin, def->law ? "law" : "value");
}

// Adds one term and its row.
static inline bool fb_constraint_add(FbBuilder* b, FbRow* row, const FbTerm* term) {
    row->term = fb_compile_term(b, term);
    row->n_terms = 1;
    return row->term >= 0 && fb_compile_row(b, row) >= 0;
}

// A direction of the def in the link that carries `frame` (which fb_compile_point made),
// normalised; reports a zero one.
bool fb_constraint_direction(FbBuilder* b, const FbConstraintDef* def, const char* key,
                             const double axis[3], const FbLinkFrame* frame, FbVec3* out);

#endif
