// What kind of quantity a value is: known dimensions that follow from units, or not known.
#ifndef FLYBALL_BASE_QUANTITY_H
#define FLYBALL_BASE_QUANTITY_H

#include "base/units.h"

// Powers of kg, m, s, rad; not whole for a root. A plain number is not known: it may represent any
// quantity in SI units, and so may its product with anything. Quantities that follow from written
// units are distinguished from those that only follow from the model (t is a time, sin() a pure
// number): a factor 1 with a unit may have been omitted there, so only the written ones can
// conflict.
typedef struct FbQuantity {
    bool is_known;
    bool is_written;
    double power[4];
} FbQuantity;

// A value and what it is.
typedef struct FbNumber {
    double value;
    FbQuantity quantity;
} FbNumber;

FbQuantity fb_quantity_pure(void);
FbQuantity fb_quantity_written(FbDimension dimension);
// Of a field's or signal's unit, not written by the user; not known if it is NULL, empty or none of
// ours.
FbQuantity fb_quantity_of_unit(const char* unit);
// Does it fit the unit of a field, or one of several ("N or N*m", of what may slide or turn)?
bool fb_quantity_fits_unit(FbQuantity q, const char* units);

// a b^exponent
FbQuantity fb_quantity_times(FbQuantity a, FbQuantity b, double exponent);
FbQuantity fb_quantity_power(FbQuantity a, double exponent);

// Are the two incompatible in sums, comparisons and assignments? They are if both are known, they
// differ, and one of them is written. Angles are pure numbers here.
bool fb_quantity_contradicts(FbQuantity a, FbQuantity b);
// What the sum of two that do not contradict is.
FbQuantity fb_quantity_merge(FbQuantity a, FbQuantity b);

// "kg*m/s^2 (force)"
void fb_quantity_format(FbQuantity q, char* out, size_t size);

// A unit with factor 1 that fb_unit_parse() and expressions read; "" if not known or the powers are
// not whole.
void fb_quantity_format_unit(FbQuantity q, char* out, size_t size);

#endif
