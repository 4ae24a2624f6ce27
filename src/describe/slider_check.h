// Checks of a slider's description, and the members or the nodes that form its guide.
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

// The bodies that a guide `{through: ...}` passes, in order: those of rows of nodes and of members
// one after the other, turned round where they join that way. Where two of them share an end it
// counts once.
typedef struct FbGuidePoints {
    const int* bodies;  // [n] in the arena
    int n;
} FbGuidePoints;
FbStatus fb_slider_calc_points(const FbModelDef* def, const FbSliderDef* slider, FbArena* arena,
                               FbGuidePoints* out, FbError* err);
// The place of an item of `guide` in the file.
FbPlace fb_slider_guide_place(const FbSliderDef* slider, int item);

#endif
