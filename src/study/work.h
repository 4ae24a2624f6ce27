// What ranks share: jobs of one kind (points of a sweep, trials of a search, cases of a benchmark),
// each described by a few bytes and answered by some.
#ifndef FLYBALL_STUDY_WORK_H
#define FLYBALL_STUDY_WORK_H

#include "base/text.h"
#include "flyball/study.h"

typedef struct FbWork {
    const char* file;    // that all ranks have read, for messages
    const char* sha256;  // of what they have read
    size_t job_size;     // bytes of a job
    bool has_store;      // plenty of jobs: a rank asks for more before it is idle
    int n_threads;       // of this rank
    FbStop stop;
    // Runs a job, in any thread, and appends its result. FB_STOPPED: `stop` requested it.
    FbStatus (*run)(void* self, const char* job, const FbStop* stop, FbText* result, FbError* err);
    void* self;
} FbWork;

#endif
