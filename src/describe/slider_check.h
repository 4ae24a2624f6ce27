// Checks of a slider's description, and the chain of members that forms its guide.
#ifndef FLYBALL_DESCRIBE_SLIDER_CHECK_H
#define FLYBALL_DESCRIBE_SLIDER_CHECK_H

#include "describe/def.h"

// One guide, one drive, possible values; the names of other parts are not looked up.
FbStatus fb_slider_check(const FbSliderDef* slider, FbError* err);

// A member of a guide in the direction of travel: its beams follow one another in def->beams, from
// the last to the first if backwards.
typedef struct FbGuideMember {
    int first_beam, n_beams;
    bool is_backwards;
} FbGuideMember;

// Finds the members of the guide and the directions in which they join; out [n_guide] may be NULL.
FbStatus fb_slider_calc_guide(const FbModelDef* def, const FbSliderDef* slider, FbGuideMember* out,
                              FbError* err);

#endif
