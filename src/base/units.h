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

// The name of a unit by its place in the table; NULL when there are no more.
const char* fb_unit_name(int index);

// The names of all units for messages: "m, mm, cm, ...".
enum { FB_UNIT_LIST = 256 };
void fb_unit_list(char out[FB_UNIT_LIST]);

// How many characters at the beginning of `text` are the unit of a value inside an expression; 0 if
// there is none. It is a product and then divisors, N*m/s^2 or 1/s or kg/(m*s), of known units with
// whole powers: what follows is the expression's, the second '*' of N/m*x too. A `t` after the
// first unit is the time, not a tonne. `has_spaces` reads on over spaces around * / ^.
size_t fb_unit_span(const char* text, bool has_spaces);

// "kg*m/s^2 (force)"-like text for messages.
void fb_dimension_format(FbDimension d, char* out, size_t size);

#endif
