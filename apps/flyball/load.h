// From a file name to a compiled model, with every error reported and the right exit code.
#ifndef FLYBALL_APP_LOAD_H
#define FLYBALL_APP_LOAD_H

#include "flyball/simulate.h"
#include "options.h"

typedef struct LoadedModel {
    const char* path;
    FbModelDef* def;  // kept for compiling it again in other coordinates
    FbModel* model;
    FbDiagnostics* diagnostics;  // warnings that were found
    char* text;                  // of the file; NULL: too long to show
    char sha256[65];
    double load_s;
} LoadedModel;

// Reads and compiles; prints all diagnostics (warnings not with --quiet). Returns an exit code;
// `loaded` must be freed in any case.
int load_model(const Options* options, const char* path, LoadedModel* loaded);
// The same, where a command adds to the description before it is compiled.
int load_model_with(const Options* options, const char* path,
                    FbStatus (*add)(FbModelDef*, FbError*), LoadedModel* loaded);
void free_model(LoadedModel* loaded);
// Warns about structures that can move without strain: adds to the diagnostics and prints.
void warn_of_mechanisms(const Options* options, LoadedModel* loaded);

// Prints diagnostics from the index `first` on (warnings not with --quiet).
void report_diagnostics(const Options* options, const LoadedModel* loaded, int first);
// Prints all diagnostics of a model that could not be read; returns the exit code.
int report_errors(const Options* options, const LoadedModel* loaded, FbStatus status);

int exit_code_of(FbStatus status);
// The same for a run: an integrator that the command line named and that is not available is a
// usage error.
int exit_code_of_run(const Options* options, FbStatus status);

// Prints an error of a computation on a model that was read and compiled, as report_error does:
// whatever it says about the model, the file is valid.
int report_failure(const Options* options, const char* model_path, const FbError* err);

// The warnings of the reader as texts for a run's record: `texts` has room for all diagnostics;
// returns how many.
int get_warnings(const FbDiagnostics* diagnostics, const char** texts);

// Prints an error, with --json also as the JSON document of a failed command; returns its exit
// code.
int report_error(const Options* options, const char* model_path, const FbError* err);

#endif
