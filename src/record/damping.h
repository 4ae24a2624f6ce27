// Effective damping from samples: what fb_damping_create() does once the series are arrays.
#ifndef FLYBALL_RECORD_DAMPING_H
#define FLYBALL_RECORD_DAMPING_H

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "flyball/damping.h"

typedef struct FbDampingInput {
    const double* t;       // [n] strictly increasing
    const double* y;       // [n]
    const double* energy;  // [n] or NULL
    const double* power;   // [n] or NULL; used where there is no energy
    int n;
    int cycles;    // 0: all that are there
    double about;  // the value about which y vibrates
    double bound;  // NaN: none
    int points;    // of the polynomial at a peak; 0: the default number
} FbDampingInput;

// Arrays are taken from `arena`; `output` and `unit` are left to the caller.
FbStatus fb_damping_calc(const FbDampingInput* in, FbArena* arena, FbDamping* out, FbError* err);

// ln(m2/m1)/(2 pi) of the modal masses at the two ends of a stroke (eq. 11.6).
double fb_damping_bound(double m1, double m2);

// The object of a JSON document.
void fb_damping_write_json(FbJson* json, const FbDamping* damping);

#endif
