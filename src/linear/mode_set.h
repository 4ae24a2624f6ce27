// The modes of a linearization, kept to find them again where the parameters of the model differ.
//
// Two sets belong to models with the same coordinates: the same parts, with other numbers.
#ifndef FLYBALL_LINEAR_MODE_SET_H
#define FLYBALL_LINEAR_MODE_SET_H

#include "base/complex.h"
#include "flyball/linear.h"

typedef struct FbModeSet FbModeSet;

// Copies the modes of a linearization in independent coordinates that has run.
FbStatus fb_mode_set_create(const FbLinearization* l, FbModeSet** out, FbError* err);
void fb_mode_set_destroy(FbModeSet* set);  // NULL is allowed

int fb_mode_set_count(const FbModeSet* set);
// Physical ones first, in order of increasing |lambda|; of conjugates the one with im > 0 first.
const FbMode* fb_mode_set_get(const FbModeSet* set, int index);

// How certainly modes were found again.
typedef struct FbModeMatch {
    double worst;      // the least 1 - |1 - c_ij| of the pairs (eq. 7.31): 1 is the same vector
    bool is_clear;     // each c_ij is near 1
    bool has_crossed;  // the difference of two eigenvalues has turned: they have come close between
                       // the two sets, and crossed or not
    bool has_met;      // a mode has become one of several with the same eigenvalue
} FbModeMatch;

// For modes modes[n] of a finds those of b, next[n]. FB_ERR_MODEL: other coordinates.
FbStatus fb_mode_set_match(const FbModeSet* a, const FbModeSet* b, const int* modes, int n,
                           int* next, FbModeMatch* match, FbError* err);

#endif
