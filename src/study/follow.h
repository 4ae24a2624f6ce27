// Modes of a study followed from the model's own parameters to those of a trial.
#ifndef FLYBALL_STUDY_FOLLOW_H
#define FLYBALL_STUDY_FOLLOW_H

#include "linear/mode_set.h"
#include "study/study.h"

// The operating point that the study asks for, of the model at these parameters.
FbStatus fb_study_create_point(const FbStudy* study, const FbModel* model, const double* parameters,
                               FbOperatingPoint** out, FbError* err);

// The modes at a point.
FbStatus fb_study_create_modes(FbOperatingPoint* op, FbModeSet** out, FbError* err);

// The index of mode `number`, from 1, of the physical ones: of those with im >= 0, or of all. -1:
// there are fewer.
int fb_study_find_mode(const FbModeSet* set, int number, bool counts_all);

// How it went.
typedef struct FbFollowed {
    bool is_uncertain;
    double worst;  // match where it was worst
    double at;     // 0 ... 1: where that was, on the way
    int n_steps;
} FbFollowed;

// Follows all modes that measures name to `end`, the modes at `parameters`; found[n_followed] are
// their indices there. FB_STOPPED: it was stopped.
FbStatus fb_study_follow(const FbStudy* study, const double* parameters, const FbModeSet* end,
                         const FbStop* stop, int* found, FbFollowed* out, FbError* err);

#endif
