// Names of other parts in fields and expressions, looked up when all parts are known.
#ifndef FLYBALL_READ_REFERENCE_H
#define FLYBALL_READ_REFERENCE_H

#include "read/reader.h"

// Where a name stands.
typedef struct FbSite {
    FbReader* r;
    const FbOrigin* origin;
    const char* key;
    bool has_own_names;  // a force's expression: length, angle and rate have a meaning there
} FbSite;

// Names that a message may suggest.
enum { FB_MAX_KNOWN_NAMES = 2048 };
typedef struct FbKnownNames {
    const char* items[FB_MAX_KNOWN_NAMES];
    int count;
} FbKnownNames;

// The name of a part by its index, NULL after the last one; and all of them, as they would be
// written at the site.
typedef const char* (*FbNameAt)(const FbModelDef* def, int index);
const char* fb_joint_name_at(const FbModelDef* def, int index);
const char* fb_force_name_at(const FbModelDef* def, int index);
const char* fb_law_name_at(const FbModelDef* def, int index);
const char* fb_sensor_name_at(const FbModelDef* def, int index);
const char* fb_input_name_at(const FbModelDef* def, int index);
const char* fb_state_name_at(const FbModelDef* def, int index);
const char* fb_parameter_name_at(const FbModelDef* def, int index);
const char* fb_slider_name_at(const FbModelDef* def, int index);
void fb_add_known_names(FbKnownNames* names, const FbSite* s, FbNameAt name_at);

// "; did you mean 'x'?", or " (known: a, b, c)" where none is like the word and they are few, or
// "".
enum { FB_NAMES_HINT = 200 };
const char* fb_hint_known_names(const FbKnownNames* close, const FbKnownNames* all,
                                const char* word, char out[FB_NAMES_HINT]);

// The full name of a joint, constraint or force, or NULL.
const char* fb_find_part_name(const FbModelDef* def, const char* scope, const char* name);

// Replaces each name in an expression by its full name, or reports it.
void fb_resolve_expression(const FbSite* s, const char** expression);

#endif
