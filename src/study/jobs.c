// Independent jobs on POSIX threads.
#include "study/jobs.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const long watch_ns = 100000000;  // between two looks of the calling thread

typedef struct Pool {
    const FbJobs* jobs;
    pthread_mutex_t lock;
    pthread_cond_t ended;  // a thread has no more to do
    int next;              // job to begin
    int n_running;         // threads
    int failed_job;        // the lowest that was not FB_OK, or n_jobs
    FbStatus status;
    FbError err;
} Pool;

static int take_job(Pool* p) {
    pthread_mutex_lock(&p->lock);
    int job = p->status == FB_OK && p->next < p->jobs->n_jobs ? p->next++ : -1;
    pthread_mutex_unlock(&p->lock);
    return job;
}

static void note_failure(Pool* p, int job, FbStatus status, const FbError* err) {
    pthread_mutex_lock(&p->lock);
    if (job < p->failed_job) {
        p->failed_job = job;
        p->status = status;
        p->err = *err;
    }
    pthread_mutex_unlock(&p->lock);
}

static void work(Pool* p) {
    for (int job = take_job(p); job >= 0; job = take_job(p)) {
        FbError err;
        fb_error_clear(&err);
        FbStatus status = p->jobs->run(p->jobs->self, job, &err);
        if (status != FB_OK) {
            note_failure(p, job, status, &err);
        }
    }
}

static void* run_thread(void* self) {
    Pool* p = self;
    work(p);
    pthread_mutex_lock(&p->lock);
    p->n_running--;
    pthread_cond_signal(&p->ended);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static void watch_until_done(Pool* p) {
    pthread_mutex_lock(&p->lock);
    while (p->n_running > 0) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += watch_ns;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&p->ended, &p->lock, &until);
        pthread_mutex_unlock(&p->lock);
        if (p->jobs->watch) {
            p->jobs->watch(p->jobs->self);
        }
        pthread_mutex_lock(&p->lock);
    }
    pthread_mutex_unlock(&p->lock);
}

int fb_jobs_count_processors(void) {
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int)n : 1;
}

FbStatus fb_jobs_run(const FbJobs* jobs, FbError* err) {
    int n = jobs->n_threads > 0 ? jobs->n_threads : fb_jobs_count_processors();
    n = n < jobs->n_jobs ? n : jobs->n_jobs;
    Pool p = {.jobs = jobs, .failed_job = jobs->n_jobs};
    pthread_t* threads = calloc((size_t)n + 1, sizeof *threads);
    if (!threads) {
        return fb_fail_memory(err);
    }
    pthread_mutex_init(&p.lock, NULL);
    pthread_cond_init(&p.ended, NULL);
    int n_started = 0;
    pthread_mutex_lock(&p.lock);
    while (n_started < n && pthread_create(&threads[n_started], NULL, run_thread, &p) == 0) {
        n_started++;
    }
    p.n_running = n_started;
    pthread_mutex_unlock(&p.lock);
    if (n_started == 0) {
        work(&p);  // no threads available: one job after the other, here
    }
    watch_until_done(&p);
    for (int i = 0; i < n_started; i++) {
        pthread_join(threads[i], NULL);
    }
    pthread_cond_destroy(&p.ended);
    pthread_mutex_destroy(&p.lock);
    free(threads);
    if (p.status != FB_OK && err) {
        *err = p.err;
    }
    return p.status;
}
