// Status codes, single errors and lists of diagnostics; nothing here prints or exits.
#ifndef FLYBALL_STATUS_H
#define FLYBALL_STATUS_H

#include <stdbool.h>
#include <stddef.h>

#include "flyball/export.h"

#ifdef __cplusplus
extern "C" {
#endif

// 0 ok; > 0 the call may succeed with a smaller step or another guess; < 0 it failed.
typedef enum FbStatus {
    FB_OK = 0,
    FB_RETRY = 1,             // not converged, singular or not finite here: take a smaller step
    FB_STOPPED = 2,           // an event or the caller asked to stop; results so far are valid
    FB_ERR_MEMORY = -1,
    FB_ERR_IO = -2,           // a file could not be read or written
    FB_ERR_SYNTAX = -3,       // not YAML, not an expression
    FB_ERR_NAME = -4,         // unknown or duplicate name or key
    FB_ERR_UNIT = -5,         // a unit that does not fit the field
    FB_ERR_RANGE = -6,        // a value outside its range
    FB_ERR_MODEL = -7,        // the model as a whole does not make sense
    FB_ERR_ASSEMBLY = -8,     // loops that cannot be closed
    FB_ERR_SINGULAR = -9,     // a singular mass or loop matrix
    FB_ERR_CONVERGENCE = -10, // Newton or the integrator gave up
    FB_ERR_ARGUMENT = -11,    // a wrong call of the library
    FB_ERR_UNAVAILABLE = -12, // a part that this build does not contain
    FB_ERR_ACCURACY = -13,    // an accuracy limit was missed
} FbStatus;

// Where something stands in a file; line and col count from 1; line 0 means "no place known".
typedef struct FbPlace {
    const char* file;
    int line;
    int col;
} FbPlace;

enum { FB_ERROR_TEXT = 512 };

// One error. `text` is the whole message without the place; `place.file` is copied into `file`.
typedef struct FbError {
    FbStatus status;
    FbPlace place;
    char file[256];
    char text[FB_ERROR_TEXT];
} FbError;

typedef enum FbSeverity { FB_NOTE, FB_WARNING, FB_SEVERE } FbSeverity;

typedef struct FbDiagnostic {
    FbSeverity severity;
    FbStatus status;
    FbPlace place;      // place.file is owned by the list
    const char* text;   // owned by the list
} FbDiagnostic;

// All messages of a reader or validator, in the order they were found.
typedef struct FbDiagnostics FbDiagnostics;

FB_API FbDiagnostics* fb_diagnostics_create(void);
FB_API void fb_diagnostics_destroy(FbDiagnostics* list);
FB_API int fb_diagnostics_count(const FbDiagnostics* list);
FB_API int fb_diagnostics_error_count(const FbDiagnostics* list);
FB_API const FbDiagnostic* fb_diagnostics_get(const FbDiagnostics* list, int index);

// A short English name of a status, for messages: "out of range", ...
FB_API const char* fb_status_text(FbStatus status);

// "FILE:LINE:COL: error: TEXT" (parts that are unknown are left out); returns the length like snprintf.
FB_API int fb_error_format(const FbError* err, char* out, size_t size);
FB_API int fb_diagnostic_format(const FbDiagnostic* d, char* out, size_t size);

// The version of the library, "MAJOR.MINOR.PATCH".
FB_API const char* fb_version(void);

#ifdef __cplusplus
}
#endif
#endif
