// The messages of ranks that share jobs. Every rank asks, rank 0 answers; no message is lost while
// both live.
#ifndef FLYBALL_STUDY_RANK_MESSAGE_H
#define FLYBALL_STUDY_RANK_MESSAGE_H

#include "base/text.h"
#include "study/ranks.h"

typedef enum FbRankMessageKind {
    FB_RANK_ASK,      // to 0: room for jobs; results follow the head
    FB_RANK_RESULTS,  // to 0: results follow the head
    FB_RANK_LEAVE,    // to 0: gives its jobs back; results follow the head
    FB_RANK_FAIL,     // to 0: an error ends all; its text follows the head
    FB_RANK_BYE,      // to 0: it has seen the end
    FB_RANK_HERE,     // to 0: has left, and asks whether rank 0 lives; from 0: it does
    FB_RANK_JOBS,     // from 0: jobs follow the head; none: ask again later
    FB_RANK_END,      // from 0: nothing is left to do
    FB_RANK_CLOSE,    // from 0: whether all ranks have said BYE
} FbRankMessageKind;

typedef struct FbRankHead {
    int kind;  // FbRankMessageKind
    int n;     // ASK: threads that have room; FAIL: the status; JOBS: how many; CLOSE: 1: yes
    char sha256[65];  // of what the sender has read: all must have read the same
} FbRankHead;

// Sends the head and the bytes of `body` (NULL: none).
FbStatus fb_rank_send(const FbRanks* ranks, int to, const FbRankHead* head, const void* body,
                      size_t size, FbError* err);

#endif
