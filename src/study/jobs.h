// Independent jobs on threads: each thread takes the next free job.
#ifndef FLYBALL_STUDY_JOBS_H
#define FLYBALL_STUDY_JOBS_H

#include "base/error.h"

typedef struct FbJobs {
    int n_jobs;
    int n_threads;  // at most; 0: as many as there are processors
    // In any thread. Not FB_OK: no further job is started, and this status is passed on.
    FbStatus (*run)(void* self, int job, FbError* err);
    // In the calling thread, about ten times a second; may be NULL.
    void (*watch)(void* self);
    void* self;
} FbJobs;

// All jobs, or up to the first that is not FB_OK; returns its status (of several, that of the
// lowest job).
FbStatus fb_jobs_run(const FbJobs* jobs, FbError* err);

// Processors that are there, at least one.
int fb_jobs_count_processors(void);

#endif
