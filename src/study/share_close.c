// The end of a shared sweep. Ranks may be gone, and MPI cannot be closed without them: rank 0 asks
// who is there, and tells all whether that is everyone.
#include "study/share_close.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "study/rank_message.h"
#include "study/share.h"

// Rank 0 waits this long for a rank that may be slow, and this long if it is probably gone.
static const double slow_s = 60.0, gone_s = 3.0;
static const double look_s = 0.05;

static void send_all(const FbRanks* ranks, FbRankMessageKind kind, int n) {
    FbRankHead head = {.kind = (int)kind, .n = n};
    for (int r = 1; r < ranks->n_ranks; r++) {
        FbError ignored;
        fb_rank_send(ranks, r, &head, NULL, 0, &ignored);
    }
}

// A rank that is gone does not receive it, and nobody waits for that.
void fb_share_end(const FbRanks* ranks) {
    send_all(ranks, FB_RANK_END, 0);
}

void fb_share_say_bye(const FbRanks* ranks) {
    FbRankHead head = {.kind = FB_RANK_BYE};
    FbError ignored;
    fb_rank_send(ranks, 0, &head, NULL, 0, &ignored);
}

// The head of the next message; false: none came, or none can come.
static bool receive_head(const FbRanks* ranks, FbRankHead* head, int* from, bool* has_failed) {
    const void* data;
    size_t size;
    FbError ignored;
    *has_failed = ranks->receive(ranks->self, look_s, from, &data, &size, &ignored) < 0;
    if (*has_failed || *from < 0 || size < sizeof *head) {
        return false;
    }
    memcpy(head, data, sizeof *head);
    return true;
}

// Rank 0: everything else that still arrives has come too late.
static bool wait_for_all(const FbRanks* ranks) {
    double end = fb_clock_wall_s() + (ranks->has_late ? gone_s : slow_s);
    bool* is_there = calloc((size_t)ranks->n_ranks, sizeof *is_there);
    int n_missing = ranks->n_ranks - 1;
    bool has_failed = !is_there;
    while (n_missing > 0 && !has_failed && fb_clock_wall_s() < end) {
        FbRankHead head;
        int from;
        if (receive_head(ranks, &head, &from, &has_failed) && head.kind == FB_RANK_BYE &&
            from < ranks->n_ranks && !is_there[from]) {
            is_there[from] = true;
            n_missing--;
        }
    }
    free(is_there);
    return n_missing == 0;
}

// Another rank, which may have left early or not have begun.
static bool wait_for_answer(const FbRanks* ranks) {
    FbRankHead head;
    int from;
    for (bool has_failed = false; !has_failed;) {
        if (!receive_head(ranks, &head, &from, &has_failed)) {
            continue;
        }
        if (head.kind == FB_RANK_END) {
            fb_share_say_bye(ranks);
        } else if (head.kind == FB_RANK_CLOSE) {
            return head.n == 1;
        }
    }
    return false;
}

void fb_share_close(FbRanks* ranks) {
    if (ranks->rank > 0) {
        ranks->is_whole = wait_for_answer(ranks);
        return;
    }
    ranks->is_whole = wait_for_all(ranks);
    send_all(ranks, FB_RANK_CLOSE, ranks->is_whole);
}
