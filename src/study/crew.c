// The threads of one rank of a distributed sweep.
#include "study/crew.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct FbCrew {
    const FbStudy* study;
    const FbStop* stop;
    pthread_t* threads;
    int n_threads;
    pthread_mutex_t lock;  // of all that follows
    pthread_cond_t changed;
    int* points;  // in store, first one at `next`
    int next, n_points, capacity;
    int n_running;
    FbText results;
    atomic_bool is_ended;
    FbStatus status;
    FbError err;
};

// What a result holds besides its values and its message.
typedef struct Packed {
    int point, status, n_values, n_message;
    long steps;
    double wall_s, objective;
} Packed;

void fb_crew_pack(const FbStudy* study, const FbTrial* t, FbText* out) {
    int n = study->n_parameters + study->n_measures;
    Packed p = {.point = t->point,
                .status = (int)t->status,
                .n_values = n,
                .n_message = (int)strlen(t->message),
                .steps = t->steps,
                .wall_s = t->wall_s,
                .objective = t->objective};
    fb_text_add_n(out, (const char*)&p, sizeof p);
    fb_text_add_n(out, (const char*)t->values, sizeof(double) * (size_t)n);
    fb_text_add_n(out, t->message, (size_t)p.n_message);
}

size_t fb_crew_unpack(const FbStudy* study, const char* data, size_t size, FbTrial* t) {
    Packed p;
    int n = study->n_parameters + study->n_measures;
    if (size < sizeof p) {
        return 0;
    }
    memcpy(&p, data, sizeof p);
    size_t n_bytes = sizeof(double) * (size_t)n;
    if (p.n_values != n || p.n_message < 0 || p.n_message >= FB_TRIAL_MESSAGE || p.status < 0 ||
        p.status >= FB_N_TRIAL_STATUSES || size < sizeof p + n_bytes + (size_t)p.n_message) {
        return 0;
    }
    t->point = p.point;
    t->status = (FbTrialStatus)p.status;
    t->steps = p.steps;
    t->wall_s = p.wall_s;
    t->objective = p.objective;
    memcpy(t->values, data + sizeof p, n_bytes);
    memcpy(t->message, data + sizeof p + n_bytes, (size_t)p.n_message);
    t->message[p.n_message] = '\0';
    return sizeof p + n_bytes + (size_t)p.n_message;
}

static bool is_wanted(void* self) {
    FbCrew* c = self;
    return atomic_load(&c->is_ended) || c->stop->is_wanted(c->stop->self);
}

// The next point, or -1 at the end.
static int wait_for_point(FbCrew* c) {
    pthread_mutex_lock(&c->lock);
    while (c->next == c->n_points && !atomic_load(&c->is_ended)) {
        pthread_cond_wait(&c->changed, &c->lock);
    }
    int point = atomic_load(&c->is_ended) ? -1 : c->points[c->next++];
    c->n_running += point >= 0;
    pthread_mutex_unlock(&c->lock);
    return point;
}

static FbStatus run_point(FbCrew* c, int point, FbArena* arena, FbTrial** out, FbError* err) {
    FbTrial* t = fb_trial_create(c->study, arena);
    if (!t) {
        return fb_fail_memory(err);
    }
    fb_study_get_point(c->study, point, t->values);
    t->point = point;
    *out = t;
    FbStop stop = {is_wanted, c};
    FB_TRY(fb_trial_run(c->study, &stop, t, err));
    return FB_OK;
}

static void note_end(FbCrew* c, FbStatus status, const FbTrial* t, const FbError* err) {
    pthread_mutex_lock(&c->lock);
    c->n_running--;
    if (status == FB_OK) {
        fb_crew_pack(c->study, t, &c->results);
    } else if (status < 0 && c->status == FB_OK) {
        c->status = status;
        c->err = *err;
    }
    pthread_mutex_unlock(&c->lock);
}

static void* run_thread(void* self) {
    FbCrew* c = self;
    for (int point = wait_for_point(c); point >= 0; point = wait_for_point(c)) {
        FbError err;
        fb_error_clear(&err);
        FbTrial* t = NULL;
        FbArena* arena = fb_arena_create();
        FbStatus status = arena ? run_point(c, point, arena, &t, &err) : fb_fail_memory(&err);
        note_end(c, status, t, &err);
        fb_arena_destroy(arena);
    }
    return NULL;
}

FbStatus fb_crew_create(const FbStudy* study, const FbStop* stop, int n_threads, FbCrew** out,
                        FbError* err) {
    *out = NULL;
    FbCrew* c = calloc(1, sizeof *c);
    if (!c || !(c->threads = calloc((size_t)n_threads, sizeof *c->threads))) {
        free(c);
        return fb_fail_memory(err);
    }
    c->study = study;
    c->stop = stop;
    fb_text_init(&c->results);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    while (c->n_threads < n_threads &&
           pthread_create(&c->threads[c->n_threads], NULL, run_thread, c) == 0) {
        c->n_threads++;
    }
    if (c->n_threads == 0) {
        fb_crew_destroy(c);
        return fb_fail(err, FB_ERR_UNAVAILABLE, NULL, "no thread can be started here");
    }
    *out = c;
    return FB_OK;
}

int fb_crew_count_threads(const FbCrew* c) {
    return c->n_threads;
}

FbStatus fb_crew_give(FbCrew* c, const int* points, int n, FbError* err) {
    FbStatus status = FB_OK;
    pthread_mutex_lock(&c->lock);
    if (c->next > 0) {
        memmove(c->points, c->points + c->next, sizeof(int) * (size_t)(c->n_points - c->next));
    }
    c->n_points -= c->next;
    c->next = 0;
    for (int i = 0; i < n && status == FB_OK; i++) {
        if (fb_grow((void**)&c->points, &c->capacity, c->n_points, sizeof(int))) {
            c->points[c->n_points++] = points[i];
        } else {
            status = fb_fail_memory(err);
        }
    }
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    return status;
}

bool fb_crew_is_hungry(FbCrew* c) {
    pthread_mutex_lock(&c->lock);
    bool is_hungry = c->n_points - c->next < c->n_threads;
    pthread_mutex_unlock(&c->lock);
    return is_hungry;
}

bool fb_crew_is_idle(FbCrew* c) {
    pthread_mutex_lock(&c->lock);
    bool is_idle = c->n_points == c->next && c->n_running == 0;
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
    free(c->points);
    free(c->threads);
    free(c);
}
