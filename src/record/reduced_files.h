// The files of a reduced structure, as a model file reads them under `matrices`.
#ifndef FLYBALL_RECORD_REDUCED_FILES_H
#define FLYBALL_RECORD_REDUCED_FILES_H

#include "mesh/reduction.h"

// Writes NAME_M.mtx, NAME_K.mtx, and NAME_C.mtx and NAME_weight.mtx where there are any, and
// NAME.yaml, a model of the structure alone, into a folder; dots of the name become '_'. Signs of
// modes are chosen, so that equal reductions give equal files but for rounding.
FbStatus fb_reduced_write(const char* folder, const FbReducedStructure* structure, FbError* err);

#endif
