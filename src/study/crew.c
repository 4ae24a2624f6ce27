// The threads of one rank.
#include "study/crew.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/error.h"

struct FbCrew {
    FbWork work;
    pthread_t* threads;
    int n_threads;
    pthread_mutex_t lock;  // of all that follows
    pthread_cond_t changed;
    char* jobs;  // in store, first one at `next`
    int next, n_jobs, capacity;
    int n_running;
    FbText results;
    atomic_bool is_ended;
    FbStatus status;
    FbError err;
};

static bool is_wanted(void* self) {
    FbCrew* c = self;
    const FbStop* stop = &c->work.stop;
    return atomic_load(&c->is_ended) || (stop->is_wanted && stop->is_wanted(stop->self));
}

// Copies the next job; false at the end.
static bool wait_for_job(FbCrew* c, char* job) {
    size_t size = FB_CREW_JOB_SIZE(&c->work);
    pthread_mutex_lock(&c->lock);
    while (c->next == c->n_jobs && !atomic_load(&c->is_ended)) {
        pthread_cond_wait(&c->changed, &c->lock);
    }
    bool has_job = !atomic_load(&c->is_ended);
    if (has_job) {
        memcpy(job, c->jobs + size * (size_t)c->next++, size);
        c->n_running++;
    }
    pthread_mutex_unlock(&c->lock);
    return has_job;
}

static void note_end(FbCrew* c, FbStatus status, FbCrewResult* head, const FbText* result,
                     const FbError* err) {
    pthread_mutex_lock(&c->lock);
    c->n_running--;
    if (status == FB_OK) {
        head->size = (int)result->length;
        fb_text_add_n(&c->results, (const char*)head, sizeof *head);
        fb_text_add_n(&c->results, result->data, result->length);
    } else if (status < 0 && c->status == FB_OK) {
        c->status = status;
        c->err = *err;
    }
    pthread_mutex_unlock(&c->lock);
}

static void run_job(FbCrew* c, const char* job) {
    double start = fb_clock_wall_s();
    FbStop stop = {is_wanted, c};
    FbError err;
    FbText result;
    FbCrewResult head;
    fb_error_clear(&err);
    fb_text_init(&result);
    FbStatus status = c->work.run(c->work.self, job + sizeof(int), &stop, &result, &err);
    if (status == FB_OK && (result.has_failed || !result.data)) {
        status = fb_fail_memory(&err);
    }
    memcpy(&head.job, job, sizeof head.job);
    head.wall_s = fb_clock_wall_s() - start;
    note_end(c, status, &head, &result, &err);
    fb_text_free(&result);
}

static void* run_thread(void* self) {
    FbCrew* c = self;
    char* job = malloc(FB_CREW_JOB_SIZE(&c->work));
    if (!job) {
        pthread_mutex_lock(&c->lock);
        c->status = fb_fail_memory(&c->err);
        pthread_mutex_unlock(&c->lock);
        return NULL;
    }
    while (wait_for_job(c, job)) {
        run_job(c, job);
    }
    free(job);
    return NULL;
}

FbStatus fb_crew_create(const FbWork* work, FbCrew** out, FbError* err) {
    int n_threads = work->n_threads > 0 ? work->n_threads : 1;
    *out = NULL;
    FbCrew* c = calloc(1, sizeof *c);
    if (!c || !(c->threads = calloc((size_t)n_threads, sizeof *c->threads))) {
        free(c);
        return fb_fail_memory(err);
    }
    c->work = *work;
    fb_text_init(&c->results);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    while (c->n_threads < n_threads &&
           pthread_create(&c->threads[c->n_threads], NULL, run_thread, c) == 0) {
        c->n_threads++;
    }
    if (c->n_threads == 0) {
        fb_crew_destroy(c);
        return fb_fail(err, FB_ERR_UNAVAILABLE, NULL, "no thread could be started");
    }
    *out = c;
    return FB_OK;
}

FbStatus fb_crew_give(FbCrew* c, const char* jobs, int n, FbError* err) {
    FbStatus status = FB_OK;
    size_t size = FB_CREW_JOB_SIZE(&c->work);
    pthread_mutex_lock(&c->lock);
    if (c->next > 0) {
        memmove(c->jobs, c->jobs + size * (size_t)c->next, size * (size_t)(c->n_jobs - c->next));
    }
    c->n_jobs -= c->next;
    c->next = 0;
    for (int i = 0; i < n && status == FB_OK; i++) {
        if (fb_grow((void**)&c->jobs, &c->capacity, c->n_jobs, size)) {
            memcpy(c->jobs + size * (size_t)c->n_jobs++, jobs + size * (size_t)i, size);
        } else {
            status = fb_fail_memory(err);
        }
    }
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    return status;
}

int fb_crew_count_hungry(FbCrew* c) {
    pthread_mutex_lock(&c->lock);
    int n_stored = c->n_jobs - c->next;
    int n_free = c->n_threads - n_stored - c->n_running;
    int n = c->work.has_store ? (n_stored < c->n_threads ? c->n_threads : 0) : n_free;
    pthread_mutex_unlock(&c->lock);
    return n > 0 ? n : 0;
}

bool fb_crew_is_idle(FbCrew* c) {
    pthread_mutex_lock(&c->lock);
    bool is_idle = c->n_jobs == c->next && c->n_running == 0;
    pthread_mutex_unlock(&c->lock);
    return is_idle;
}

FbStatus fb_crew_collect(FbCrew* c, FbText* out, FbError* err) {
    pthread_mutex_lock(&c->lock);
    *out = c->results;
    fb_text_init(&c->results);
    FbStatus status = c->status;
    if (status != FB_OK && err) {
        *err = c->err;
    }
    pthread_mutex_unlock(&c->lock);
    return status == FB_OK && out->has_failed ? fb_fail_memory(err) : status;
}

void fb_crew_destroy(FbCrew* c) {
    if (!c) {
        return;
    }
    pthread_mutex_lock(&c->lock);
    atomic_store(&c->is_ended, true);
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    for (int i = 0; i < c->n_threads; i++) {
        pthread_join(c->threads[i], NULL);
    }
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
    fb_text_free(&c->results);
    free(c->jobs);
    free(c->threads);
    free(c);
}
