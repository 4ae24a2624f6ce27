// Members of a schema that describe a field of a table.
#ifndef FLYBALL_SCHEMA_SCHEMA_FIELD_H
#define FLYBALL_SCHEMA_SCHEMA_FIELD_H

#include "base/text.h"
#include "describe/types.h"

// The field's key with all that is known of its value.
void fb_schema_write_field(FbJson* j, const FbField* f);

// The fields of a table as a table of the manual.
void fb_schema_write_table(FbText* out, const FbTypeInfo* type);

// "key": "value"; "key": {"$ref": "#/$defs/name"}; "key": ["a", "b", "c"] from "a|b|c"; "type":
// ["first", "second"].
void fb_schema_key_string(FbJson* j, const char* key, const char* value);
void fb_schema_key_ref(FbJson* j, const char* key, const char* name);
void fb_schema_write_names(FbJson* j, const char* key, const char* names);
void fb_schema_write_types(FbJson* j, const char* first, const char* second);

#endif
