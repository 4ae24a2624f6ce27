// Linearization methods by name, timed executions, and the error of a spectrum.
#ifndef FLYBALL_LINEAR_SPECTRUM_H
#define FLYBALL_LINEAR_SPECTRUM_H

#include "base/text.h"
#include "flyball/linear.h"

enum { FB_N_METHODS = FB_METHOD_PENALTY + 1, FB_N_CLASSES = FB_MODE_ARTEFACT + 1 };
extern const char* const fb_method_names[FB_N_METHODS];
extern const char* const fb_class_names[FB_N_CLASSES];

// -1: there is no such method.
int fb_find_method(const char* name);

// Belongs to the mechanism, and not to the formulation?
bool fb_mode_is_true(const FbMode* mode);

// Executes `repeat` times (terms, eigenvalues and their classes); *wall_s receives the time of all.
// FB_STOPPED: interrupted.
FbStatus fb_linearization_run_repeatedly(FbLinearization* l, int repeat, bool (*is_stopped)(void),
                                         double* wall_s, FbError* err);

typedef struct FbExactValue {
    double re, im;
} FbExactValue;

// *error: 2-norm of the differences between the exact eigenvalues, with their conjugates, and the
// true ones of the linearization that are next to them; NaN if it has too few.
FbStatus fb_calc_spectrum_error(const FbLinearization* l, const FbExactValue* exact, int n,
                                double* error, FbError* err);

#endif
