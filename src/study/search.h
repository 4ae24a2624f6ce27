// Looking for the least value of a function without derivatives, under constraints, in the unit
// cube: a narrow interface to an optimization library.
#ifndef FLYBALL_STUDY_SEARCH_H
#define FLYBALL_STUDY_SEARCH_H

#include "study/study.h"

typedef struct FbSearch {
    FbStudySearch settings;
    int n;  // parameters, each in 0 .. 1
    int n_constraints;
    // The value at x and the constraints, which are met where <= 0. false: stop.
    bool (*evaluate)(void* self, const double* x, double* value, double* constraints);
    void* self;
} FbSearch;

// From x, which ends at the best point. *reason says why it ended. FB_STOPPED: evaluate() requested
// it; FB_ERR_UNAVAILABLE: this build has no optimization library.
FbStatus fb_search_run(const FbSearch* search, double* x, const char** reason, FbError* err);

bool fb_search_is_available(void);

#endif
