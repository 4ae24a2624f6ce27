// A second run of a model beside the first: the same methods on the same steps, but several times
// as long, so that its errors are larger by a factor that theory gives (theory manual,
// section 6.5).
#ifndef FLYBALL_SOLVE_COMPANION_H
#define FLYBALL_SOLVE_COMPANION_H

#include "solve/result.h"

typedef struct FbCompanion {
    FbResult* result;  // owned by the caller; ends early if it became too expensive or failed
    double factor;     // its errors are this many times as large as those of the run
    double growth;  // the same without reserve for errors that come in bursts: what chaos grows by
    double cost;    // its work relative to the run's
    double t_end;   // as far as it came
    bool is_too_dear;
} FbCompanion;

// FB_OK: c->result is worth a comparison. Otherwise the error says why there is none.
FbStatus fb_companion_run(const FbResult* run, const FbRunOptions* options, FbCompanion* c,
                          FbError* err);

#endif
