// Generated models whose motion is known: in closed form, or by a run at the tightest tolerance.
#ifndef FLYBALL_TEST_VERIFY_ERROR_CASES_H
#define FLYBALL_TEST_VERIFY_ERROR_CASES_H

#include <stdbool.h>

#include "flyball/flyball.h"

enum { ERROR_CASE_TEXT = 6000, ERROR_CASE_FAMILIES = 12 };

typedef struct ErrorCase {
    const char* family;
    const char* path;            // of the model; NULL: it is the text
    char text[ERROR_CASE_TEXT];  // ... or the values of its parameters, "a=1; b=2"
    bool is_kinked;
    // The method of the reference run and its largest step (0: none); unused with a closed form.
    const char* reference;
    double reference_step;
    // All outputs at time t; NULL: none.
    void (*exact)(const double* data, double t, double* outputs);
    double data[8];
} ErrorCase;

void error_case_write(unsigned seed, ErrorCase* c);
// Paths are relative to the source folder. NULL: it cannot be read.
FbModel* error_case_model(const ErrorCase* c);

#endif
