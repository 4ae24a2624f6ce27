// The threads of one rank: they run the jobs that they are given and collect their results as
// bytes, in the form of a message.
#ifndef FLYBALL_STUDY_CREW_H
#define FLYBALL_STUDY_CREW_H

#include "study/work.h"

typedef struct FbCrew FbCrew;

// A job in a message: its number, then work->job_size bytes.
#define FB_CREW_JOB_SIZE(work) (sizeof(int) + (work)->job_size)

// A result in a message: this, then its bytes.
typedef struct FbCrewResult {
    int job;
    int size;
    double wall_s;
} FbCrewResult;

// Starts the threads of `work`, as many as can be started, at least one. They ask its `stop` too.
FbStatus fb_crew_create(const FbWork* work, FbCrew** out, FbError* err);

// Further jobs, n times FB_CREW_JOB_SIZE bytes.
FbStatus fb_crew_give(FbCrew* crew, const char* jobs, int n, FbError* err);

// For how many threads it is time to ask for jobs: with a store all of them, if there are fewer
// jobs in store; without, those that have nothing to do.
int fb_crew_count_hungry(FbCrew* crew);

// Whether all jobs that were given are done.
bool fb_crew_is_idle(FbCrew* crew);

// Moves the results so far to `out`, which is empty before. Not FB_OK: a thread could not continue.
FbStatus fb_crew_collect(FbCrew* crew, FbText* out, FbError* err);

// Stops the runs under way, forgets the jobs in store, ends the threads. NULL is allowed.
void fb_crew_destroy(FbCrew* crew);

#endif
