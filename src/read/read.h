// Reading model files with the types of a build.
#ifndef FLYBALL_READ_READ_H
#define FLYBALL_READ_READ_H

#include "describe/types.h"
#include "read/yaml.h"

// Reads a whole file; *text is terminated, the caller frees it.
FbStatus fb_read_file(const char* path, char** text, size_t* size, FbError* err);
// The same with diagnostics.
FbStatus fb_read_file_or_diagnose(const char* path, char** text, size_t* size,
                                  FbDiagnostics* diagnostics);
// The same for tables and states of runs, which may be larger than models.
FbStatus fb_read_result_file(const char* path, char** text, size_t* size, FbError* err);

// Reads a model. All errors go to `diagnostics` (may be NULL); *out is NULL if there was one.
// `file` is used in messages and gives the model its name if the text does not. `options` may be
// NULL.
FbStatus fb_read_model(const char* text, size_t size, const char* file,
                       const FbReadOptions* options, const FbTypeSet* types, FbModelDef** out,
                       FbDiagnostics* diagnostics);

// FB_ERR_SYNTAX (reported): the text is of a format that is known, but not read.
FbStatus fb_check_format(const char* text, size_t size, const char* file,
                         FbDiagnostics* diagnostics);

// The tree of a model's text, for many readings with other parameters; any number of threads may
// read it.
typedef struct FbParsedModel {
    const char* file;  // for messages, and the name of the model
    const FbNode* root;
    struct FbKept*
        kept;         // what readings keep for later ones (kept.h), of the caller; NULL: nothing
    char sha256[65];  // of the text
} FbParsedModel;

// The tree lives in `arena`, `file` as long as it. False (reported): the text is not YAML.
bool fb_parse_model(const char* text, size_t size, const char* file, FbArena* arena,
                    FbParsedModel* out, FbDiagnostics* diagnostics);
// As fb_read_model.
FbStatus fb_read_parsed(const FbParsedModel* parsed, const FbReadOptions* options,
                        const FbTypeSet* types, FbModelDef** out, FbDiagnostics* diagnostics);

// One format: a row in the table of formats.c.
typedef FbStatus FbReadFormat(const char* text, size_t size, const char* file,
                              const FbReadOptions* options, const FbTypeSet* types,
                              FbModelDef** out, FbDiagnostics* diagnostics);
FbReadFormat fb_read_yaml;  // read.c

#endif
