// The end of shared work. Ranks may be gone, and MPI cannot be closed without them: rank 0 asks
// who is there, and tells all whether that is everyone.
#include "study/share_close.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "study/rank_message.h"
#include "study/share.h"

// Rank 0 waits for a rank that may be slow as long as the others wait for it, and this part of
// that for one that is probably gone.
static const double gone_part = 0.05;
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

static void send_to_0(const FbRanks* ranks, FbRankMessageKind kind) {
    FbRankHead head = {.kind = (int)kind};
    FbError ignored;
    fb_rank_send(ranks, 0, &head, NULL, 0, &ignored);
}

void fb_share_say_bye(const FbRanks* ranks) {
    send_to_0(ranks, FB_RANK_BYE);
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
    double end =
        fb_clock_wall_s() + fb_ranks_get_silence_s(ranks) * (ranks->has_late ? gone_part : 1.0);
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

// Between two questions whether rank 0 lives, as a part of the longest silence.
static const double ask_part = 0.2;
// Once it has said that nothing is left to do, rank 0 may be busy with the table and a report.
static const double busy_factor = 10.0;

// Another rank, which may have left early or not have begun. False: not all ranks are there, or
// rank 0 is gone: it answers questions as long as it deals jobs out.
static bool wait_for_answer(FbRanks* ranks) {
    double silence_s = fb_ranks_get_silence_s(ranks) * (ranks->has_ended ? busy_factor : 1.0);
    double heard_s = fb_clock_wall_s(), asked_s = heard_s;
    for (bool has_failed = false; !has_failed;) {
        FbRankHead head;
        int from;
        double now = fb_clock_wall_s();
        if (receive_head(ranks, &head, &from, &has_failed)) {
            heard_s = now;
            if (head.kind == FB_RANK_END) {
                ranks->has_ended = true;
                silence_s = busy_factor * fb_ranks_get_silence_s(ranks);
                fb_share_say_bye(ranks);
            } else if (head.kind == FB_RANK_CLOSE) {
                return head.n == 1;
            }
        } else if (now - heard_s > silence_s) {
            return false;
        } else if (now - asked_s > ask_part * silence_s) {
            asked_s = now;
            send_to_0(ranks, FB_RANK_HERE);
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
