// Rank 0 of several: deals the jobs out, and hands their results on.
#include "study/share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "study/crew.h"
#include "study/dealer.h"
#include "study/rank_message.h"

static const double look_s = 1e-3;   // between two looks at the threads
static const double watch_s = 0.5;   // between two reports of progress
static const double again_s = 0.05;  // between two questions of its own threads
static const double parked_s =
    5.0;                    // a rank waits no longer for an answer, and less than its patience
enum { MOST_JOBS = 4096 };  // of one message

// A rank that has asked while there was nothing to do.
typedef struct Parked {
    int n_threads;  // 0: it is not waiting
    double until_s;
} Parked;

typedef struct Host {
    const FbShare* d;
    FbDealer dealer;
    FbCrew* crew;    // its own threads
    Parked* parked;  // [n_ranks]
    int turn;        // the parked rank that got jobs last: the others come before it
    bool is_all;     // no more jobs will come
    double watched_s, ask_from_s;
} Host;

// Results, one after the other. Of two for one job the first counts.
static FbStatus take_results(Host* h, int rank, const char* data, size_t size, FbError* err) {
    const FbShare* d = h->d;
    while (size > 0) {
        FbCrewResult head = {.size = -1};
        if (size >= sizeof head) {
            memcpy(&head, data, sizeof head);
        }
        if (head.size < 0 || size - sizeof head < (size_t)head.size || head.job < 0 ||
            head.job >= h->dealer.n_points) {
            return fb_fail(err, FB_ERR_IO, NULL, "rank %d sent bytes that are not results", rank);
        }
        if (fb_dealer_take(&h->dealer, head.job, head.wall_s)) {
            if (d->ranks->n_computed) {
                d->ranks->n_computed[rank]++;
            }
            FB_TRY(d->add(d->self, head.job, data + sizeof head, (size_t)head.size, err));
        }
        data += sizeof head + (size_t)head.size;
        size -= sizeof head + (size_t)head.size;
    }
    return FB_OK;
}

// Jobs for a rank, in the form of a message; *n: how many.
static FbStatus deal(Host* h, int rank, int n_threads, FbText* out, int* n, FbError* err) {
    int jobs[MOST_JOBS], n_dealt = 0;
    size_t size = h->d->work.job_size;
    char* bytes = malloc(size + 1);
    fb_text_init(out);
    *n = 0;
    do {
        n_dealt = fb_dealer_deal(&h->dealer, rank, n_threads, fb_clock_wall_s(), MOST_JOBS, jobs);
        for (int i = 0; bytes && i < n_dealt; i++) {
            if (h->d->describe(h->d->self, jobs[i], bytes)) {
                fb_text_add_n(out, (const char*)&jobs[i], sizeof jobs[i]);
                fb_text_add_n(out, bytes, size);
                ++*n;
            } else {
                fb_dealer_drop(&h->dealer, jobs[i]);
            }
        }
    } while (bytes && n_dealt > 0 && *n == 0);
    bool is_good = bytes && !out->has_failed;
    free(bytes);
    return is_good ? FB_OK : fb_fail_memory(err);
}

// May park the rank: where more jobs can come, it gets them as soon as they are there.
static FbStatus answer(Host* h, int rank, int n_threads, bool may_park, FbError* err) {
    FbText jobs;
    int n;
    FbStatus status = deal(h, rank, n_threads, &jobs, &n, err);
    if (status == FB_OK && n == 0 && may_park && !h->is_all) {
        double wait_s = fmin(parked_s, 0.3 * fb_ranks_get_silence_s(h->d->ranks));
        h->parked[rank] = (Parked){n_threads, fb_clock_wall_s() + wait_s};
    } else if (status == FB_OK) {
        FbRankHead head = {.kind = FB_RANK_JOBS, .n = n};
        h->parked[rank].n_threads = 0;
        status = fb_rank_send(h->d->ranks, rank, &head, jobs.data, jobs.length, err);
    }
    fb_text_free(&jobs);
    return status;
}

static FbStatus serve_parked(Host* h, FbError* err) {
    double now = fb_clock_wall_s();
    int n_others = h->d->ranks->n_ranks - 1, last = h->turn;
    for (int i = 0; i < n_others; i++) {
        int r = 1 + (last + i) % n_others;
        const Parked* p = &h->parked[r];
        if (p->n_threads > 0) {
            double until_s = p->until_s;
            FB_TRY(answer(h, r, p->n_threads, now < until_s, err));
            h->parked[r].until_s = until_s;
            h->turn = p->n_threads > 0 ? h->turn : r;
        }
    }
    return FB_OK;
}

static FbStatus check_files(const Host* h, int rank, const FbRankHead* head, FbError* err) {
    const FbWork* w = &h->d->work;
    if (strncmp(head->sha256, w->sha256, sizeof head->sha256) == 0) {
        return FB_OK;
    }
    return fb_fail(err, FB_ERR_MODEL, NULL,
                   "rank %d has read another study, model or version of %s than rank 0; all ranks "
                   "must see the same files",
                   rank, w->file);
}

static FbStatus take_message(Host* h, int rank, const FbRankHead* head, const char* body,
                             size_t size, FbError* err) {
    if (head->kind == FB_RANK_FAIL) {
        return fb_fail(err, head->n < 0 ? (FbStatus)head->n : FB_ERR_IO, NULL, "rank %d: %.*s",
                       rank, (int)(size < 400 ? size : 400), body);
    }
    if (head->kind == FB_RANK_HERE) {
        FbRankHead here = {.kind = FB_RANK_HERE};
        return fb_rank_send(h->d->ranks, rank, &here, NULL, 0, err);
    }
    FB_TRY(check_files(h, rank, head, err));
    FB_TRY(take_results(h, rank, body, size, err));
    if (head->kind == FB_RANK_LEAVE) {
        h->parked[rank].n_threads = 0;
        fb_dealer_lose(&h->dealer, rank);
    }
    int n_threads = head->n > 0 ? head->n : 1;
    return head->kind == FB_RANK_ASK ? answer(h, rank, n_threads, true, err) : FB_OK;
}

// All messages that are there; waits a moment for the first one.
static FbStatus take_messages(Host* h, FbError* err) {
    const FbRanks* r = h->d->ranks;
    int from = 0;
    for (double wait_s = look_s; from >= 0; wait_s = 0.0) {
        const void* data;
        size_t size;
        FB_TRY(r->receive(r->self, wait_s, &from, &data, &size, err));
        if (from > 0 && from < r->n_ranks && size >= sizeof(FbRankHead)) {
            FbRankHead head;
            memcpy(&head, data, sizeof head);
            FB_TRY(take_message(h, from, &head, (const char*)data + sizeof head, size - sizeof head,
                                err));
        }
    }
    return FB_OK;
}

// Its own threads are a rank like the others.
static FbStatus serve_crew(Host* h, FbError* err) {
    FbText text;
    FbStatus status = fb_crew_collect(h->crew, &text, err);
    if (status == FB_OK && text.length > 0) {
        status = take_results(h, 0, text.data, text.length, err);
    }
    fb_text_free(&text);
    double now = fb_clock_wall_s();
    int n_hungry = fb_crew_count_hungry(h->crew);
    if (status == FB_OK && now >= h->ask_from_s && n_hungry > 0) {
        int n;
        status = deal(h, 0, n_hungry, &text, &n, err);
        h->ask_from_s = n > 0 || !h->is_all ? 0.0 : now + again_s;
        if (status == FB_OK && n > 0) {
            status = fb_crew_give(h->crew, text.data, n, err);
        }
        fb_text_free(&text);
    }
    return status;
}

static FbStatus host(Host* h, FbError* err) {
    const FbShare* d = h->d;
    const FbStop* stop = &d->work.stop;
    for (;;) {
        int n = d->count(d->self, &h->is_all);
        FB_TRY(fb_dealer_extend(&h->dealer, n, err));
        if (n < 0 || (h->is_all && fb_dealer_is_done(&h->dealer))) {
            return FB_OK;
        }
        if (stop->is_wanted && stop->is_wanted(stop->self)) {
            return FB_STOPPED;
        }
        FB_TRY(serve_crew(h, err));
        FB_TRY(serve_parked(h, err));
        FB_TRY(take_messages(h, err));
        double now = fb_clock_wall_s();
        if (d->watch && now - h->watched_s > watch_s) {
            h->watched_s = now;
            d->watch(d->watch_self);
        }
    }
}

static FbStatus prepare(Host* h, FbError* err) {
    const FbShare* d = h->d;
    h->parked = calloc((size_t)d->ranks->n_ranks, sizeof *h->parked);
    if (!h->parked) {
        return fb_fail_memory(err);
    }
    FB_TRY(fb_dealer_init(&h->dealer, 0, d->ranks->n_ranks, err));
    return fb_crew_create(&d->work, &h->crew, err);
}

FbStatus fb_share(const FbShare* d, FbError* err) {
    Host h = {.d = d};
    FbStatus status = prepare(&h, err);
    if (status == FB_OK) {
        status = host(&h, err);
    }
    d->ranks->has_late = h.dealer.n_dealt_again > 0 || status == FB_STOPPED;
    fb_crew_destroy(h.crew);
    fb_dealer_free(&h.dealer);
    free(h.parked);
    return status;
}
