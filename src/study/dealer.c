// Deals the points of a sweep out to ranks.
#include "study/dealer.h"

#include <math.h>
#include <stdlib.h>

// Time for which a rank gets points at once, plus what rank 0 needs for the messages of all ranks,
// twice: with many short points and many ranks it would be the bottleneck otherwise.
static const double chunk_s = 0.25;
static const double load = 0.5;        // of rank 0, at most
static const double message_s = 4e-5;  // measured: docs/scale.md
// A point is late after this many times the longest one so far, and this many seconds.
static const double patience = 3.0, patience_s = 2.0;

FbStatus fb_dealer_init(FbDealer* d, int n_points, int n_ranks, FbError* err) {
    *d = (FbDealer){.n_ranks = n_ranks, .message_s = message_s};
    FbStatus status = fb_dealer_extend(d, n_points, err);
    if (status < 0) {
        fb_dealer_free(d);
    }
    return status;
}

static bool grow(void** items, size_t n, size_t size) {
    void* grown = realloc(*items, n * size);
    if (!grown) {
        return false;
    }
    *items = grown;
    return true;
}

FbStatus fb_dealer_extend(FbDealer* d, int n_points, FbError* err) {
    if (n_points >= d->capacity) {
        size_t n = (size_t)n_points + (size_t)d->n_points / 2 + 1;
        if (!grow((void**)&d->again, n, sizeof(int)) || !grow((void**)&d->open, n, sizeof(int)) ||
            !grow((void**)&d->place, n, sizeof(int)) ||
            !grow((void**)&d->is_done, n, sizeof(bool)) ||
            !grow((void**)&d->dealt, n, sizeof(FbDealt))) {
            return fb_fail_memory(err);
        }
        d->capacity = (int)n;
    }
    for (int i = d->n_points; i < n_points; i++) {
        d->place[i] = -1;
        d->is_done[i] = false;
        d->dealt[i] = (FbDealt){.rank = -1};
    }
    d->n_points = n_points > d->n_points ? n_points : d->n_points;
    return FB_OK;
}

void fb_dealer_free(FbDealer* d) {
    free(d->again);
    free(d->open);
    free(d->place);
    free(d->is_done);
    free(d->dealt);
    *d = (FbDealer){0};
}

bool fb_dealer_is_done(const FbDealer* d) {
    return d->n_done == d->n_points;
}

// Points that keep n_threads busy for a while. Nothing is known before the first one is done, and
// towards the end every rank gets its share only.
static int size_of_chunk(const FbDealer* d, int n_threads) {
    if (d->n_timed == 0) {
        return n_threads;
    }
    double mean_s = fmax(d->sum_s / d->n_timed, 1e-6);
    double time_s = chunk_s + d->n_ranks * d->message_s / load;
    double left = d->n_points - d->next + d->n_again;
    double n = fmin(n_threads * time_s / mean_s, left / (2.0 * d->n_ranks));
    return n > n_threads ? (int)n : n_threads;
}

// An open point that is late, of another rank; -1: none. The one that was dealt first.
static int find_late(const FbDealer* d, int rank, double now_s) {
    int found = -1;
    for (int i = 0; i < d->n_open; i++) {
        const FbDealt* a = &d->dealt[d->open[i]];
        if (a->rank != rank && a->limit_s < now_s &&
            (found < 0 || a->dealt_s < d->dealt[found].dealt_s)) {
            found = d->open[i];
        }
    }
    return found;
}

static void open_point(FbDealer* d, int point) {
    if (d->place[point] < 0) {
        d->place[point] = d->n_open;
        d->open[d->n_open++] = point;
    }
}

static void close_point(FbDealer* d, int point) {
    int place = d->place[point];
    if (place >= 0) {
        int last = d->open[--d->n_open];
        d->open[place] = last;
        d->place[last] = place;
        d->place[point] = -1;
    }
}

static int next_point(FbDealer* d) {
    while (d->n_again > 0) {
        int point = d->again[--d->n_again];
        if (!d->is_done[point]) {
            return point;
        }
    }
    return d->next < d->n_points ? d->next++ : -1;
}

int fb_dealer_deal(FbDealer* d, int rank, int n_threads, double now_s, int room, int* out) {
    int n = 0, most = size_of_chunk(d, n_threads);
    most = most < room ? most : room;
    double wait_s = patience_s + patience * d->longest_s * (1.0 + (double)most / n_threads);
    for (int point = 0; n < most && (point = next_point(d)) >= 0;) {
        out[n++] = point;
        open_point(d, point);
        d->dealt[point] = (FbDealt){rank, now_s, now_s + wait_s};
    }
    int late = n == 0 && room > 0 ? find_late(d, rank, now_s) : -1;
    if (late >= 0) {
        // Each time it waits twice as long: a point that takes longer than all others is not late.
        FbDealt* a = &d->dealt[late];
        wait_s = fmax(wait_s, 2.0 * (now_s - a->dealt_s));
        *a = (FbDealt){rank, now_s, now_s + wait_s};
        out[n++] = late;
        d->n_dealt_again++;
    }
    return n;
}

void fb_dealer_drop(FbDealer* d, int point) {
    if (!d->is_done[point]) {
        d->is_done[point] = true;
        d->n_done++;
        close_point(d, point);
    }
}

bool fb_dealer_take(FbDealer* d, int point, double run_s) {
    if (d->is_done[point]) {
        return false;
    }
    fb_dealer_drop(d, point);
    d->n_timed++;
    d->sum_s += run_s;
    d->longest_s = fmax(d->longest_s, run_s);
    return true;
}

void fb_dealer_lose(FbDealer* d, int rank) {
    for (int i = d->n_open - 1; i >= 0; i--) {
        int point = d->open[i];
        if (d->dealt[point].rank == rank) {
            close_point(d, point);
            d->dealt[point].rank = -1;
            d->again[d->n_again++] = point;
        }
    }
}
