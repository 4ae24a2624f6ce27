// Status codes, single errors and lists of messages. Nothing here prints or exits.
#ifndef FLYBALL_STATUS_H
#define FLYBALL_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flyball/export.h"

#ifdef __cplusplus
extern "C" {
#endif

// How a call ended. 0: success; > 0: stopped, or not possible here but perhaps with a smaller step
// or another start; < 0: failed.
typedef enum FbStatus {
    FB_OK = 0,                 // success
    FB_RETRY = 1,              // not converged, singular or not finite here: take a smaller step
    FB_STOPPED = 2,            // an event or the caller asked to stop; results so far are valid
    FB_ERR_MEMORY = -1,        // out of memory
    FB_ERR_IO = -2,            // a file could not be read or written
    FB_ERR_SYNTAX = -3,        // not YAML, not an expression
    FB_ERR_NAME = -4,          // unknown or duplicate name or key
    FB_ERR_UNIT = -5,          // a unit that does not match the field
    FB_ERR_RANGE = -6,         // a value outside its range
    FB_ERR_MODEL = -7,         // the model as a whole does not make sense
    FB_ERR_ASSEMBLY = -8,      // loops that cannot be closed
    FB_ERR_SINGULAR = -9,      // a singular mass or loop matrix
    FB_ERR_CONVERGENCE = -10,  // Newton's method or the integrator failed
    FB_ERR_ARGUMENT = -11,     // a wrong call of the library
    FB_ERR_UNAVAILABLE = -12,  // a part that this build does not contain
    FB_ERR_ACCURACY = -13,     // an accuracy limit was exceeded
} FbStatus;

// A place in a file.
typedef struct FbPlace {
    const char* file;  // NULL: none
    int line;          // from 1; 0: not known
    int col;           // from 1; 0: not known
} FbPlace;

// Size of the text of an error, with its terminating zero.
enum { FB_ERROR_TEXT = 512 };

// One error, filled by a call that failed and left unchanged otherwise. The caller owns it;
// it needs no initialization.
typedef struct FbError {
    FbStatus status;
    FbPlace place;             // place.file is NULL or points to `file`, also in a copy: use `file`
    char file[256];            // the name of the file; "": none
    char text[FB_ERROR_TEXT];  // the message without the place
} FbError;

// The severity of a message.
typedef enum FbSeverity {
    FB_NOTE,     // for information
    FB_WARNING,  // the model is accepted, but look at this
    FB_SEVERE,   // an error: there is no model
} FbSeverity;

// One message of a list.
typedef struct FbDiagnostic {
    FbSeverity severity;
    FbStatus status;  // what kind of problem; FB_OK: none in particular
    FbPlace place;
    const char* text;  // the message without the place
} FbDiagnostic;

// All messages of a reader or compiler, in the order in which they were found.
typedef struct FbDiagnostics FbDiagnostics;

// An empty list, or NULL if memory ran out.
FB_API FbDiagnostics* fb_diagnostics_create(void);
// Frees the list and its messages; NULL is allowed.
FB_API void fb_diagnostics_destroy(FbDiagnostics* list);
// How many messages there are, notes and warnings included.
FB_API int fb_diagnostics_count(const FbDiagnostics* list);
// How many of them are errors.
FB_API int fb_diagnostics_error_count(const FbDiagnostics* list);
// A message, 0 <= index < count; it lives until the next message is added. NULL: no such index.
FB_API const FbDiagnostic* fb_diagnostics_get(const FbDiagnostics* list, int index);

// A short English name of a status ("out of range"); a constant text, never NULL.
FB_API const char* fb_status_text(FbStatus status);

// "FILE:LINE:COL: error: TEXT", without what is unknown. Returns the length of the whole text like
// snprintf; `out` holds at most `size` bytes of it, terminated.
FB_API int fb_error_format(const FbError* err, char* out, size_t size);
// The same for a message, with its severity.
FB_API int fb_diagnostic_format(const FbDiagnostic* d, char* out, size_t size);

// The version of the library, "MAJOR.MINOR.PATCH".
FB_API const char* fb_version(void);

// Frees what a function returned through a char**; NULL is allowed.
FB_API void fb_free(void* memory);

#ifdef __cplusplus
}
#endif
#endif
