// Filling FbError and FbDiagnostics; FB_TRY for propagating a failed status.
#ifndef FLYBALL_BASE_ERROR_H
#define FLYBALL_BASE_ERROR_H

#include "flyball/status.h"

// Propagates a negative status.
#define FB_TRY(call)                     \
    do {                                 \
        FbStatus fb_try_status = (call); \
        if (fb_try_status < 0) {         \
            return fb_try_status;        \
        }                                \
    } while (0)

// Fills *err (which may be NULL) and returns status. `place` may be NULL.
FbStatus fb_fail(FbError* err, FbStatus status, const FbPlace* place, const char* format, ...)
    __attribute__((format(printf, 4, 5)));

// The same for running out of memory; here, so that every caller's compiler sees that it fails.
static inline FbStatus fb_fail_memory(FbError* err) {
    fb_fail(err, FB_ERR_MEMORY, NULL, "out of memory");
    return FB_ERR_MEMORY;
}

void fb_error_clear(FbError* err);

// Appends to the list; silently keeps only the counts when memory runs out (the list then reports
// FB_ERR_MEMORY).
void fb_diagnose(FbDiagnostics* list, FbSeverity severity, FbStatus status, const FbPlace* place,
                 const char* format, ...) __attribute__((format(printf, 5, 6)));
void fb_diagnose_error(FbDiagnostics* list, const FbError* err);

// The status of the first error in the list, FB_OK if there is none.
FbStatus fb_diagnostics_status(const FbDiagnostics* list);

#endif
