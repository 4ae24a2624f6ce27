// Reading model files with the types of a build, and writing their schema and manual.
#ifndef FLYBALL_MODEL_READ_H
#define FLYBALL_MODEL_READ_H

#include "model/types.h"

// Reads a whole file; *text is terminated, the caller frees it.
FbStatus fb_read_file(const char* path, char** text, size_t* size, FbError* err);

// Reads a model. All errors go to `diagnostics` (may be NULL); *out is NULL if there was one. `file` is used in messages and gives the
// model its name if the text does not. `options` may be NULL.
FbStatus fb_read_model(const char* text, size_t size, const char* file, const FbReadOptions* options,
                       const FbTypeSet* types, FbModelDef** out, FbDiagnostics* diagnostics);

// The JSON Schema (2020-12) of model files, and their reference manual in Markdown; the caller frees *out.
FbStatus fb_schema_json_for(const FbTypeSet* types, char** out, FbError* err);
FbStatus fb_schema_markdown_for(const FbTypeSet* types, char** out, FbError* err);

#endif
