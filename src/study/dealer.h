// Who computes which point (of a sweep; a trial of a search, a case): rank 0 deals them out. Pure
// decisions, without messages or clocks, so that tests and simulations can drive it
// (docs/scale.md).
//
// A rank that asks gets points for a fraction of a second, judged by those that are done. What was
// dealt and does not come back in time is dealt once more to whoever is idle: a rank that died
// costs only its points. Runs are deterministic, so it does not matter whose answer counts.
#ifndef FLYBALL_STUDY_DEALER_H
#define FLYBALL_STUDY_DEALER_H

#include <stdbool.h>

#include "base/error.h"

typedef struct FbDealt {
    int rank;        // that has the point; -1: nobody
    double dealt_s;  // when
    double limit_s;  // when it may be dealt again
} FbDealt;

typedef struct FbDealer {
    int n_points, n_ranks;
    int capacity;      // of the arrays
    int next;          // the points from here on have never been dealt
    int n_done;        //
    int n_timed;       // of them, those that were run
    int* again;        // points that a rank gave back
    int n_again;       //
    int* open;         // points that are dealt and not done
    int* place;        // [n_points] index in `open`; -1: not there
    int n_open;        //
    bool* is_done;     // [n_points]
    FbDealt* dealt;    // [n_points]
    double sum_s;      // time of the points that are done
    double longest_s;  // the longest of them
    double message_s;  // that a message costs rank 0
    int n_dealt_again;
} FbDealer;

FbStatus fb_dealer_init(FbDealer* d, int n_points, int n_ranks, FbError* err);
void fb_dealer_free(FbDealer* d);

// There are more points now, n_points in all.
FbStatus fb_dealer_extend(FbDealer* d, int n_points, FbError* err);

// Points for a rank with n_threads processors, at most `room`, into `out`; returns their number. 0:
// none at present.
int fb_dealer_deal(FbDealer* d, int rank, int n_threads, double now_s, int room, int* out);

// A point has come back after it took run_s. False: it had come before.
bool fb_dealer_take(FbDealer* d, int point, double run_s);

// A point is not needed any more.
void fb_dealer_drop(FbDealer* d, int point);

// A rank ends and will not bring what it has.
void fb_dealer_lose(FbDealer* d, int rank);

bool fb_dealer_is_done(const FbDealer* d);

#endif
