// Messages between the processes that share a sweep, a search or cases. The library sends none
// itself: the program gives it these functions (MPI: ranks_mpi.c, a module that is loaded only
// with --mpi).
#ifndef FLYBALL_STUDY_RANKS_H
#define FLYBALL_STUDY_RANKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef struct FbRanks {
    void* self;
    int rank, n_ranks;  // rank 0 has the table
    // Takes a copy of the message and does not wait for the receiver, which may be gone.
    FbStatus (*send)(void* self, int to, const void* data, size_t size, FbError* err);
    // The next message from anyone; waits for wait_s at most. *from: -1 if there was none. *data
    // stays until the next call.
    FbStatus (*receive)(void* self, double wait_s, int* from, const void** data, size_t* size,
                        FbError* err);
    // The last call. Not is_whole: a rank is gone, and what waits for all ranks would not end.
    void (*close)(void* self, bool is_whole);
    int* n_computed;  // [n_ranks] on rank 0: points whose results came from each; NULL: not counted
    bool has_late;    // points of some rank did not come back in time: it may be gone
    bool is_whole;    // at the end: all ranks have said that they end
    bool has_ended;   // another rank: rank 0 has said that nothing is left to do
    double silence_s;  // after which a rank takes rank 0 for gone; 0: a minute
} FbRanks;

// How long a rank waits for an answer of rank 0, which never takes long.
static inline double fb_ranks_get_silence_s(const FbRanks* ranks) {
    return ranks->silence_s > 0.0 ? ranks->silence_s : 60.0;
}

// The one function of a module with such messages: starts them.
#define FB_RANKS_OPEN "fb_ranks_open"
typedef FbStatus (*FbRanksOpen)(FbRanks* out, FbError* err);

#endif
