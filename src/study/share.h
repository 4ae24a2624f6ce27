// A sweep over several processes: rank 0 has the table and deals the points out, all ranks run
// them.
#ifndef FLYBALL_STUDY_SHARE_H
#define FLYBALL_STUDY_SHARE_H

#include "study/ranks.h"
#include "study/trial.h"

// What rank 0 shares out.
typedef struct FbShare {
    const FbStudy* study;
    const FbStudyOptions* options;
    FbRanks* ranks;
    const int* todo;  // [n_todo] points of the grid, ascending
    int n_todo;
    // A trial for a result, and what is done with it, each point once.
    FbTrial* (*create)(void* self);
    FbStatus (*add)(void* self, FbTrial* trial, FbError* err);
    void (*watch)(void* self);  // about ten times a second; may be NULL
    void* self;
} FbShare;

// Rank 0: until every point is done, however many ranks are left. FB_STOPPED: it was stopped.
FbStatus fb_share(const FbShare* d, FbError* err);

// The other ranks: run points until rank 0 has no more. FB_STOPPED: it was stopped, and has given
// its points back; FB_ERR_IO: rank 0 cannot be reached.
FbStatus fb_share_work(const FbStudy* study, const FbStudyOptions* options, FbRanks* ranks,
                       FbError* err);

// Rank 0, at the end: the others may go.
void fb_share_end(const FbRanks* ranks);

// The last thing that a program does on all ranks: finds out whether all have come here. Not on a
// rank whose work ended with FB_ERR_IO: rank 0 is gone. Rank 0 waits for the others for
// a while, less if points were late; the others wait for rank 0.
void fb_share_close(FbRanks* ranks);

// A rank that cannot take part, because it could not read the study, tells rank 0.
void fb_share_fail(const FbRanks* ranks, FbStatus status, const char* text);

#endif
