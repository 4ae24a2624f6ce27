// The schema and the manual of model files, from the tables of a build.
#ifndef FLYBALL_SCHEMA_SCHEMA_H
#define FLYBALL_SCHEMA_SCHEMA_H

#include "describe/types.h"

// The JSON Schema (2020-12) of model files, and their reference manual in Markdown; the caller
// frees *out.
FbStatus fb_schema_json_for(const FbTypeSet* types, char** out, FbError* err);
FbStatus fb_schema_markdown_for(const FbTypeSet* types, char** out, FbError* err);

#endif
