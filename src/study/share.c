// Rank 0 of a distributed sweep: deals the points out, and hands their results on.
#include "study/share.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "study/crew.h"
#include "study/dealer.h"
#include "study/rank_message.h"

static const double look_s = 1e-3;   // between two looks at the threads
static const double watch_s = 0.5;   // between two reports of progress
static const double again_s = 0.05;  // between two questions of its own threads
enum { MOST_POINTS = 4096 };         // of one message

typedef struct Host {
    const FbShare* d;
    FbDealer dealer;
    FbCrew* crew;  // its own threads
    int* job_of;   // [points of the grid] index in d->todo; -1: not in it
    int n_grid;
    double watched_s, ask_from_s;
    FbTrial* spare;  // for a result that turned out to be a second one
} Host;

// Results, one after the other. Of two for one point the first counts.
static FbStatus take_results(Host* h, int rank, const char* data, size_t size, FbError* err) {
    const FbShare* d = h->d;
    while (size > 0) {
        FbTrial* t = h->spare ? h->spare : d->create(d->self);
        if (!t) {
            return fb_fail_memory(err);
        }
        h->spare = t;
        size_t n = fb_crew_unpack(d->study, data, size, t);
        if (n == 0 || t->point < 0 || t->point >= h->n_grid || h->job_of[t->point] < 0) {
            return fb_fail(err, FB_ERR_IO, NULL, "a rank sent bytes that are not results");
        }
        data += n;
        size -= n;
        if (fb_dealer_take(&h->dealer, h->job_of[t->point], t->wall_s)) {
            h->spare = NULL;
            if (d->ranks->n_computed) {
                d->ranks->n_computed[rank]++;
            }
            FB_TRY(d->add(d->self, t, err));
        }
    }
    return FB_OK;
}

// Points of the grid for a rank; returns their number.
static int deal(Host* h, int rank, int n_threads, int points[MOST_POINTS]) {
    int n = fb_dealer_deal(&h->dealer, rank, n_threads, fb_clock_wall_s(), MOST_POINTS, points);
    for (int i = 0; i < n; i++) {
        points[i] = h->d->todo[points[i]];
    }
    return n;
}

static FbStatus answer(Host* h, int rank, int n_threads, FbError* err) {
    int points[MOST_POINTS];
    int n = deal(h, rank, n_threads > 0 ? n_threads : 1, points);
    FbRankHead head = {.kind = FB_RANK_POINTS, .n = n};
    return fb_rank_send(h->d->ranks, rank, &head, points, sizeof(int) * (size_t)n, err);
}

static FbStatus check_study(const Host* h, int rank, const FbRankHead* head, FbError* err) {
    const FbStudy* s = h->d->study;
    if (memcmp(head->sha256, s->sha256, sizeof head->sha256) == 0) {
        return FB_OK;
    }
    return fb_fail(err, FB_ERR_MODEL, NULL,
                   "rank %d has read another study, model or version of %s than rank 0; all ranks "
                   "must see the same files",
                   rank, s->file);
}

static FbStatus take_message(Host* h, int rank, const FbRankHead* head, const char* body,
                             size_t size, FbError* err) {
    if (head->kind == FB_RANK_FAIL) {
        return fb_fail(err, head->n < 0 ? (FbStatus)head->n : FB_ERR_IO, NULL, "rank %d: %.*s",
                       rank, (int)(size < 400 ? size : 400), body);
    }
    FB_TRY(check_study(h, rank, head, err));
    FB_TRY(take_results(h, rank, body, size, err));
    if (head->kind == FB_RANK_LEAVE) {
        fb_dealer_lose(&h->dealer, rank);
    }
    return head->kind == FB_RANK_ASK ? answer(h, rank, head->n, err) : FB_OK;
}

// All messages that are there; waits a moment for the first one.
static FbStatus take_messages(Host* h, FbError* err) {
    const FbRanks* r = h->d->ranks;
    int from = 0;
    for (double wait_s = look_s; from >= 0; wait_s = 0.0) {
        const void* data;
        size_t size;
        FB_TRY(r->receive(r->self, wait_s, &from, &data, &size, err));
        if (from > 0 && size >= sizeof(FbRankHead)) {
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
    FbText results;
    FbStatus status = fb_crew_collect(h->crew, &results, err);
    if (status == FB_OK && results.length > 0) {
        status = take_results(h, 0, results.data, results.length, err);
    }
    fb_text_free(&results);
    double now = fb_clock_wall_s();
    if (status == FB_OK && now >= h->ask_from_s && fb_crew_is_hungry(h->crew)) {
        int points[MOST_POINTS];
        int n = deal(h, 0, fb_crew_count_threads(h->crew), points);
        h->ask_from_s = n > 0 ? 0.0 : now + again_s;
        status = n > 0 ? fb_crew_give(h->crew, points, n, err) : FB_OK;
    }
    return status;
}

static FbStatus host(Host* h, FbError* err) {
    const FbShare* d = h->d;
    while (!fb_dealer_is_done(&h->dealer)) {
        if (d->options->stop.is_wanted(d->options->stop.self)) {
            return FB_STOPPED;
        }
        FB_TRY(serve_crew(h, err));
        FB_TRY(take_messages(h, err));
        double now = fb_clock_wall_s();
        if (d->watch && now - h->watched_s > watch_s) {
            h->watched_s = now;
            d->watch(d->self);
        }
    }
    return FB_OK;
}

static FbStatus prepare(Host* h, FbError* err) {
    const FbShare* d = h->d;
    h->n_grid = d->n_todo > 0 ? d->todo[d->n_todo - 1] + 1 : 0;
    h->job_of = malloc(sizeof(int) * ((size_t)h->n_grid + 1));
    if (!h->job_of) {
        return fb_fail_memory(err);
    }
    for (int i = 0; i < h->n_grid; i++) {
        h->job_of[i] = -1;
    }
    for (int i = 0; i < d->n_todo; i++) {
        h->job_of[d->todo[i]] = i;
    }
    FB_TRY(fb_dealer_init(&h->dealer, d->n_todo, d->ranks->n_ranks, err));
    int n = d->options->n_threads > 0 ? d->options->n_threads : 1;
    return fb_crew_create(d->study, &d->options->stop, n, &h->crew, err);
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
    free(h.job_of);
    return status;
}
