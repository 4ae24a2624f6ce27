// Trials that searches wait for, and those that they will probably want next; threads of this
// process or other ranks run them.
#ifndef FLYBALL_STUDY_TRIAL_POOL_H
#define FLYBALL_STUDY_TRIAL_POOL_H

#include <pthread.h>

#include "study/trial.h"
#include "study/work.h"

typedef struct FbPoolJob {
    FbTrial* trial;  // its parameters are given
    bool is_done;
    bool is_wanted;  // a search waits for it; otherwise it is run ahead
} FbPoolJob;

typedef struct FbTrialPool {
    const FbStudy* study;
    int n_workers;  // trials that can run at a time, as far as is known
    FbArena* arena;
    pthread_mutex_t lock;  // of all that follows
    pthread_cond_t changed;
    FbPoolJob* jobs;  // all there ever were
    int n_jobs, capacity;
    int next;    // the jobs from here on have not been taken
    int n_open;  // jobs that are not done
    int* ahead;  // jobs that no search has wanted yet
    int n_ahead, ahead_capacity;
    int n_hits;      // trials that were wanted after they had been run ahead, or begun
    bool is_ended;   // the searches are over
    FbStatus ended;  // FB_OK: it continues; otherwise no further trial is run
    FbError err;     // why
} FbTrialPool;

FbStatus fb_pool_init(FbTrialPool* pool, const FbStudy* study, int n_workers, FbError* err);
void fb_pool_free(FbTrialPool* pool);

// Searches: a trial with given parameters is wanted; returns its job, -1: out of memory.
int fb_pool_want(FbTrialPool* pool, const double* parameters);
// Waits for a job and copies its result. Not FB_OK: the pool was stopped.
FbStatus fb_pool_wait(FbTrialPool* pool, int job, FbTrial* out, FbError* err);
// A trial that may be wanted later: true and its result, if it has one already; otherwise it is
// run ahead, *is_new if it was not yet.
bool fb_pool_look(FbTrialPool* pool, const double* parameters, FbTrial* out, bool* is_new);
// How many trials could be begun now beside those under way.
int fb_pool_count_free(FbTrialPool* pool);

// A thread that runs trials until the pool ends.
FbStatus fb_pool_work(FbTrialPool* pool, const FbStop* stop, FbError* err);

// For fb_share: how many jobs there are (-1: the searches are over), what they are, their results.
int fb_pool_count(void* self, bool* is_all);
bool fb_pool_describe(void* self, int job, char* out);
FbStatus fb_pool_add(void* self, int job, const char* result, size_t size, FbError* err);
// The work of any rank: trials at given parameters.
FbWork fb_pool_make_work(const FbStudy* study, const FbStudyOptions* options);

// The searches are over; what was begun ahead is not needed.
void fb_pool_end(FbTrialPool* pool);
// Nothing more is run: searches that wait get this status.
void fb_pool_stop(FbTrialPool* pool, FbStatus status, const FbError* err);

#endif
