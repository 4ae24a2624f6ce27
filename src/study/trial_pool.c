// Trials that searches wait for, run by threads or ranks.
#include "study/trial_pool.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "study/trial_bytes.h"

FbStatus fb_pool_init(FbTrialPool* p, const FbStudy* study, int n_workers, FbError* err) {
    *p = (FbTrialPool){.study = study, .n_workers = n_workers, .arena = fb_arena_create()};
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    return p->arena ? FB_OK : fb_fail_memory(err);
}

void fb_pool_free(FbTrialPool* p) {
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    fb_arena_destroy(p->arena);
    free(p->jobs);
    free(p->ahead);
}

static size_t size_of_parameters(const FbStudy* study) {
    return sizeof(double) * (size_t)study->n_parameters;
}

static void copy_trial(const FbStudy* s, const FbTrial* from, FbTrial* to) {
    size_t n = (size_t)s->n_parameters + (size_t)s->n_measures;
    memcpy(to->values, from->values, sizeof(double) * n);
    memcpy(to->message, from->message, FB_TRIAL_MESSAGE);
    to->status = from->status;
    to->steps = from->steps;
    to->wall_s = from->wall_s;
    to->objective = from->objective;
}

// All of the following with the lock held.

static int add_job(FbTrialPool* p, const double* parameters, bool is_wanted) {
    FbTrial* t = fb_trial_create(p->study, p->arena);
    if (!t || !fb_grow((void**)&p->jobs, &p->capacity, p->n_jobs, sizeof *p->jobs)) {
        return -1;
    }
    memcpy(t->values, parameters, size_of_parameters(p->study));
    p->jobs[p->n_jobs] = (FbPoolJob){.trial = t, .is_wanted = is_wanted};
    p->n_open++;
    pthread_cond_broadcast(&p->changed);
    return p->n_jobs++;
}

// The place in `ahead` of a job with these parameters; -1: none.
static int find_ahead(const FbTrialPool* p, const double* parameters) {
    for (int i = 0; i < p->n_ahead; i++) {
        const FbTrial* t = p->jobs[p->ahead[i]].trial;
        if (memcmp(t->values, parameters, size_of_parameters(p->study)) == 0) {
            return i;
        }
    }
    return -1;
}

// The search has gone elsewhere: what has not been begun is not run, results are not needed.
static void forget_ahead(FbTrialPool* p) {
    for (int i = p->n_ahead - 1; i >= 0; i--) {
        FbPoolJob* job = &p->jobs[p->ahead[i]];
        if (job->is_done || p->ahead[i] >= p->next) {
            p->n_open -= !job->is_done;
            job->is_done = true;
            p->ahead[i] = p->ahead[--p->n_ahead];
        }
    }
}

int fb_pool_want(FbTrialPool* p, const double* parameters) {
    pthread_mutex_lock(&p->lock);
    int place = find_ahead(p, parameters), job;
    if (place >= 0) {
        job = p->ahead[place];
        p->jobs[job].is_wanted = true;
        p->ahead[place] = p->ahead[--p->n_ahead];
        p->n_hits++;
    } else {
        forget_ahead(p);
        job = add_job(p, parameters, true);
    }
    pthread_mutex_unlock(&p->lock);
    return job;
}

FbStatus fb_pool_wait(FbTrialPool* p, int job, FbTrial* out, FbError* err) {
    pthread_mutex_lock(&p->lock);
    while (!p->jobs[job].is_done && p->ended == FB_OK) {
        pthread_cond_wait(&p->changed, &p->lock);
    }
    FbStatus status = p->jobs[job].is_done ? FB_OK : p->ended;
    if (status == FB_OK) {
        copy_trial(p->study, p->jobs[job].trial, out);
    } else if (status < 0 && err) {
        *err = p->err;
    }
    pthread_mutex_unlock(&p->lock);
    return status;
}

bool fb_pool_look(FbTrialPool* p, const double* parameters, FbTrial* out, bool* is_new) {
    pthread_mutex_lock(&p->lock);
    int place = find_ahead(p, parameters);
    bool is_known = place >= 0 && p->jobs[p->ahead[place]].is_done;
    *is_new = false;
    if (is_known) {
        copy_trial(p->study, p->jobs[p->ahead[place]].trial, out);
    } else if (place < 0 &&
               fb_grow((void**)&p->ahead, &p->ahead_capacity, p->n_ahead, sizeof *p->ahead)) {
        int job = add_job(p, parameters, false);
        if (job >= 0) {
            p->ahead[p->n_ahead++] = job;
            *is_new = true;
        }
    }
    pthread_mutex_unlock(&p->lock);
    return is_known;
}

int fb_pool_count_free(FbTrialPool* p) {
    pthread_mutex_lock(&p->lock);
    int n = p->n_workers - p->n_open;
    pthread_mutex_unlock(&p->lock);
    return n > 0 ? n : 0;
}

// The next job for a thread. -1: the pool ends.
static int take_job(FbTrialPool* p) {
    pthread_mutex_lock(&p->lock);
    int job = -1;
    while (!p->is_ended && p->ended == FB_OK && job < 0) {
        while (p->next < p->n_jobs && p->jobs[p->next].is_done) {
            p->next++;
        }
        if (p->next < p->n_jobs) {
            job = p->next++;
        } else {
            pthread_cond_wait(&p->changed, &p->lock);
        }
    }
    pthread_mutex_unlock(&p->lock);
    return job;
}

static void finish_job(FbTrialPool* p, int job) {
    p->n_open -= !p->jobs[job].is_done;
    p->jobs[job].is_done = true;
    pthread_cond_broadcast(&p->changed);
}

typedef struct PoolStop {
    FbTrialPool* pool;
    const FbStop* stop;
} PoolStop;

static bool is_stop_wanted(void* self) {
    PoolStop* s = self;
    pthread_mutex_lock(&s->pool->lock);
    bool is_over = s->pool->is_ended || s->pool->ended != FB_OK;
    pthread_mutex_unlock(&s->pool->lock);
    return is_over || (s->stop->is_wanted && s->stop->is_wanted(s->stop->self));
}

FbStatus fb_pool_work(FbTrialPool* p, const FbStop* stop, FbError* err) {
    PoolStop own = {p, stop};
    FbStop asked = {is_stop_wanted, &own};
    for (int job = take_job(p); job >= 0; job = take_job(p)) {
        pthread_mutex_lock(&p->lock);
        FbTrial* t = p->jobs[job].trial;
        pthread_mutex_unlock(&p->lock);
        FbStatus status = fb_trial_run(p->study, &asked, t, err);
        if (status != FB_OK) {
            fb_pool_stop(p, status, err);
            return status;
        }
        pthread_mutex_lock(&p->lock);
        finish_job(p, job);
        pthread_mutex_unlock(&p->lock);
    }
    return FB_OK;
}

int fb_pool_count(void* self, bool* is_all) {
    FbTrialPool* p = self;
    pthread_mutex_lock(&p->lock);
    int n = p->is_ended ? -1 : p->n_jobs;
    *is_all = p->is_ended;
    pthread_mutex_unlock(&p->lock);
    return n;
}

bool fb_pool_describe(void* self, int job, char* out) {
    FbTrialPool* p = self;
    pthread_mutex_lock(&p->lock);
    bool is_needed = !p->jobs[job].is_done;
    memcpy(out, p->jobs[job].trial->values, size_of_parameters(p->study));
    p->next = job >= p->next ? job + 1 : p->next;
    pthread_mutex_unlock(&p->lock);
    return is_needed;
}

FbStatus fb_pool_add(void* self, int job, const char* result, size_t size, FbError* err) {
    FbTrialPool* p = self;
    pthread_mutex_lock(&p->lock);
    bool is_good = fb_trial_unpack(p->study, result, size, p->jobs[job].trial);
    if (is_good) {
        finish_job(p, job);
    }
    pthread_mutex_unlock(&p->lock);
    return is_good ? FB_OK
                   : fb_fail(err, FB_ERR_IO, NULL, "a rank sent bytes that are not a trial");
}

static FbStatus run_job(void* self, const char* job, const FbStop* stop, FbText* result,
                        FbError* err) {
    const FbStudy* study = self;
    FbArena* arena = fb_arena_create();
    FbTrial* t = arena ? fb_trial_create(study, arena) : NULL;
    FbStatus status = t ? FB_OK : fb_fail_memory(err);
    if (t) {
        memcpy(t->values, job, size_of_parameters(study));
        status = fb_trial_run(study, stop, t, err);
    }
    if (status == FB_OK) {
        fb_trial_pack(study, t, result);
    }
    fb_arena_destroy(arena);
    return status;
}

FbWork fb_pool_make_work(const FbStudy* study, const FbStudyOptions* options) {
    return (FbWork){.file = study->file,
                    .sha256 = study->sha256,
                    .job_size = size_of_parameters(study),
                    .n_threads = options->n_threads,
                    .stop = options->stop,
                    .run = run_job,
                    .self = (void*)study};
}

void fb_pool_end(FbTrialPool* p) {
    pthread_mutex_lock(&p->lock);
    p->is_ended = true;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

void fb_pool_stop(FbTrialPool* p, FbStatus status, const FbError* err) {
    pthread_mutex_lock(&p->lock);
    if (p->ended == FB_OK) {
        p->ended = status != FB_OK ? status : FB_STOPPED;
        if (status < 0 && err) {
            p->err = *err;
        }
    }
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}
