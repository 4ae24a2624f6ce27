// Linearization methods by name, timed executions, and the error of a spectrum.
#ifndef FLYBALL_APP_LINEAR_RUN_H
#define FLYBALL_APP_LINEAR_RUN_H

#include "base/text.h"
#include "flyball/linear.h"

enum { N_METHODS = FB_METHOD_PENALTY + 1, N_CLASSES = FB_MODE_ARTEFACT + 1 };
extern const char* const method_names[N_METHODS];
extern const char* const class_names[N_CLASSES];

// -1: there is no such method.
int find_method(const char* name);

// Belongs to the mechanism, and not to the formulation?
bool is_true_mode(const FbMode* mode);

// Executes `repeat` times (terms, eigenvalues and their classes); *wall_s receives the time of all.
// FB_STOPPED: interrupted.
FbStatus run_repeatedly(FbLinearization* l, int repeat, bool (*is_stopped)(void), double* wall_s,
                        FbError* err);

typedef struct ExactValue {
    double re, im;
} ExactValue;

// 2-norm of the differences between the exact eigenvalues, with their conjugates, and the true
// ones of the linearization that are next to them; NaN if it has too few.
double calc_spectrum_error(const FbLinearization* l, const ExactValue* exact, int n);

#endif
