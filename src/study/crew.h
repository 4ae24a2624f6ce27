// The threads of one rank: they run the points that they are given and collect their results as
// bytes, in the form of a message.
#ifndef FLYBALL_STUDY_CREW_H
#define FLYBALL_STUDY_CREW_H

#include "study/trial.h"

typedef struct FbCrew FbCrew;

// Starts n_threads threads. They ask `stop` too.
FbStatus fb_crew_create(const FbStudy* study, const FbStop* stop, int n_threads, FbCrew** out,
                        FbError* err);

// As many as could be started, at least one.
int fb_crew_count_threads(const FbCrew* crew);

// Further points.
FbStatus fb_crew_give(FbCrew* crew, const int* points, int n, FbError* err);

// Whether there are fewer points in store than threads: time to ask for more.
bool fb_crew_is_hungry(FbCrew* crew);

// Whether all points that were given are done.
bool fb_crew_is_idle(FbCrew* crew);

// Moves the results so far to `out`, which is empty before. Not FB_OK: a thread could not go on.
FbStatus fb_crew_collect(FbCrew* crew, FbText* out, FbError* err);

// Stops the runs under way, forgets the points in store, ends the threads. NULL is allowed.
void fb_crew_destroy(FbCrew* crew);

// A result as bytes, appended; and from the `size` bytes at `data` into a trial of the same study:
// returns how many it took, 0: these are none.
void fb_crew_pack(const FbStudy* study, const FbTrial* trial, FbText* out);
size_t fb_crew_unpack(const FbStudy* study, const char* data, size_t size, FbTrial* trial);

#endif
