// Unit suffixes: "30 deg", "5 mm", "120 rpm", "8e5 N/m", "3 kg*m^2/s".
#ifndef FLYBALL_BASE_UNITS_H
#define FLYBALL_BASE_UNITS_H

#include "base/error.h"

// Exponents of kg, m, s, rad (angles are kept apart from pure numbers for checking; rad is accepted
// as dimensionless and the reverse).
typedef struct FbDimension {
    signed char kg, m, s, rad;
} FbDimension;

// Parses a unit such as "N*s/m"; writes its SI factor and dimension. Hz counts cycles, so it is 2
// pi rad/s, as rev/s is.
FbStatus fb_unit_parse(const char* text, double* factor, FbDimension* dimension, FbError* err);

// "kg*m/s^2 (force)"-like text for messages.
void fb_dimension_format(FbDimension d, char* out, size_t size);

// May a value with dimension `given` stand where `wanted` is asked?
bool fb_dimension_fits(FbDimension given, FbDimension wanted);

#endif
