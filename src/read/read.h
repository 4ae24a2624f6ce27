// Reading model files with the types of a build.
#ifndef FLYBALL_READ_READ_H
#define FLYBALL_READ_READ_H

#include "describe/types.h"

// Reads a whole file; *text is terminated, the caller frees it.
FbStatus fb_read_file(const char* path, char** text, size_t* size, FbError* err);

// Reads a model. All errors go to `diagnostics` (may be NULL); *out is NULL if there was one.
// `file` is used in messages and gives the model its name if the text does not. `options` may be
// NULL.
FbStatus fb_read_model(const char* text, size_t size, const char* file,
                       const FbReadOptions* options, const FbTypeSet* types, FbModelDef** out,
                       FbDiagnostics* diagnostics);

// One format: a row in the table of formats.c.
typedef FbStatus FbReadFormat(const char* text, size_t size, const char* file,
                              const FbReadOptions* options, const FbTypeSet* types,
                              FbModelDef** out, FbDiagnostics* diagnostics);
FbReadFormat fb_read_yaml;  // read.c

#endif
