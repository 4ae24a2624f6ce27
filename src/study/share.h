// Jobs over several processes: rank 0 knows them and keeps their results, all ranks run them.
#ifndef FLYBALL_STUDY_SHARE_H
#define FLYBALL_STUDY_SHARE_H

#include "study/ranks.h"
#include "study/work.h"

// What rank 0 shares out.
typedef struct FbShare {
    FbWork work;
    FbRanks* ranks;
    // How many jobs there are so far; -1: results are not needed any more. *is_all: there will be
    // no more.
    int (*count)(void* self, bool* is_all);
    // Writes work.job_size bytes that describe a job. False: it is not needed any more.
    bool (*describe)(void* self, int job, char* out);
    // The result of a job, each once.
    FbStatus (*add)(void* self, int job, const char* result, size_t size, FbError* err);
    void* self;
    void (*watch)(void* self);  // about twice a second; may be NULL
    void* watch_self;
} FbShare;

// Rank 0: until every job is done, however many ranks are left. FB_STOPPED: it was stopped.
FbStatus fb_share(const FbShare* d, FbError* err);

// The other ranks: run jobs until rank 0 has no more. FB_STOPPED: it was stopped, and has given
// its jobs back; FB_ERR_IO: rank 0 cannot be reached.
FbStatus fb_share_work(const FbWork* work, FbRanks* ranks, FbError* err);

// Rank 0, at the end: the others may go.
void fb_share_end(const FbRanks* ranks);

// The last thing that a program does on all ranks: finds out whether all have come here. Not on a
// rank whose work ended with FB_ERR_IO: rank 0 is gone. Rank 0 waits for the others for
// a while, less if jobs were late; the others wait for rank 0 a little longer.
void fb_share_close(FbRanks* ranks);

// A rank that cannot take part, because it could not read its files, tells rank 0.
void fb_share_fail(const FbRanks* ranks, FbStatus status, const char* text);

#endif
