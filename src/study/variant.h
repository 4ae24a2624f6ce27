// The model of a study at other values of its parameters.
#ifndef FLYBALL_STUDY_VARIANT_H
#define FLYBALL_STUDY_VARIANT_H

#include "study/study.h"

// Reads and compiles the model at parameters [n_parameters]. `message` [size] says why it failed,
// with the place.
FbStatus fb_variant_create(const FbStudy* study, const double* parameters, FbModel** out,
                           char* message, size_t size);

#endif
