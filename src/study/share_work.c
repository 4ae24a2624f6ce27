// A rank other than 0: asks for jobs, runs them, sends their results.
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "study/crew.h"
#include "study/rank_message.h"
#include "study/share.h"
#include "study/share_close.h"

static const double look_s = 1e-3;      // between two looks at the threads
static const double flush_s = 0.5;      // results wait no longer than this
static const double ask_again_s = 0.5;  // after an answer without jobs

typedef struct Worker {
    const FbWork* work;
    FbRanks* ranks;
    FbCrew* crew;
    bool is_waiting;  // for an answer
    bool is_ended;
    double asked_s, sent_s;  // when it last asked, and when it last sent results
    double ask_from_s;       // not before
} Worker;

static FbRankHead make_head(const FbWork* work, FbRankMessageKind kind, int n) {
    FbRankHead head = {.kind = (int)kind, .n = n};
    if (work) {
        snprintf(head.sha256, sizeof head.sha256, "%s", work->sha256);
    }
    return head;
}

// Results so far, and with them what else there is to say.
static FbStatus send_results(Worker* w, FbRankMessageKind kind, int n, FbError* err) {
    FbText results;
    FbStatus status = fb_crew_collect(w->crew, &results, err);
    if (status == FB_OK && (results.length > 0 || kind != FB_RANK_RESULTS)) {
        FbRankHead head = make_head(w->work, kind, n);
        status = fb_rank_send(w->ranks, 0, &head, results.data, results.length, err);
        w->sent_s = fb_clock_wall_s();
    }
    fb_text_free(&results);
    return status;
}

static FbStatus take_jobs(Worker* w, const FbRankHead* head, const char* body, size_t size,
                          FbError* err) {
    w->is_waiting = false;
    if (head->kind == FB_RANK_END) {
        w->is_ended = w->ranks->has_ended = true;
        fb_share_say_bye(w->ranks);  // before the threads have ended, which takes longer
    }
    if (head->kind != FB_RANK_JOBS || head->n < 1) {
        w->ask_from_s = fb_clock_wall_s() + ask_again_s;
        return FB_OK;
    }
    if (size != FB_CREW_JOB_SIZE(w->work) * (size_t)head->n) {
        return fb_fail(err, FB_ERR_IO, NULL, "rank 0 sent %zu bytes for %d jobs", size, head->n);
    }
    return fb_crew_give(w->crew, body, head->n, err);
}

static FbStatus receive(Worker* w, FbError* err) {
    int from;
    const void* data;
    size_t size;
    FB_TRY(w->ranks->receive(w->ranks->self, look_s, &from, &data, &size, err));
    if (from == 0 && size >= sizeof(FbRankHead)) {
        FbRankHead head;
        memcpy(&head, data, sizeof head);
        return take_jobs(w, &head, (const char*)data + sizeof head, size - sizeof head, err);
    }
    return FB_OK;
}

// Results wait for others only where there are plenty.
static bool is_due(Worker* w, double now) {
    return !w->work->has_store || now - w->sent_s > flush_s || fb_crew_is_idle(w->crew);
}

static FbStatus ask(Worker* w, FbError* err) {
    double now = fb_clock_wall_s();
    double silence_s = fb_ranks_get_silence_s(w->ranks);
    if (w->is_waiting && now - w->asked_s > silence_s) {
        return fb_fail(err, FB_ERR_IO, NULL, "rank 0 has not answered for %g s", silence_s);
    }
    int n_hungry = fb_crew_count_hungry(w->crew);
    if (!w->is_waiting && now >= w->ask_from_s && n_hungry > 0) {
        w->is_waiting = true;
        w->asked_s = now;
        return send_results(w, FB_RANK_ASK, n_hungry, err);
    }
    return is_due(w, now) ? send_results(w, FB_RANK_RESULTS, 0, err) : FB_OK;
}

static FbStatus work(Worker* w, FbError* err) {
    const FbStop* stop = &w->work->stop;
    while (!w->is_ended) {
        if (stop->is_wanted && stop->is_wanted(stop->self)) {
            FB_TRY(send_results(w, FB_RANK_LEAVE, 0, err));
            return FB_STOPPED;
        }
        FB_TRY(ask(w, err));
        FB_TRY(receive(w, err));
    }
    return FB_OK;
}

void fb_share_fail(const FbRanks* ranks, FbStatus status, const char* text) {
    FbRankHead head = make_head(NULL, FB_RANK_FAIL, (int)status);
    FbError ignored;
    fb_rank_send(ranks, 0, &head, text, strlen(text), &ignored);
}

FbStatus fb_share_work(const FbWork* what, FbRanks* ranks, FbError* err) {
    Worker w = {.work = what, .ranks = ranks};
    FbStatus status = fb_crew_create(what, &w.crew, err);
    if (status == FB_OK) {
        status = work(&w, err);
    }
    if (status < 0 && status != FB_ERR_IO) {
        fb_share_fail(ranks, status, err->text);
    }
    fb_crew_destroy(w.crew);
    return status;
}
