// One search: its trials come from the table, are run here, or by the threads and ranks of a pool.
#include "study/optimize_search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "study/optimize.h"
#include "study/search.h"

// Methods without constraints see the objective plus this many times its first size for each
// relative violation (eq. 11.10).
static const double penalty = 100.0;

// One search.
typedef struct Run {
    FbOptimizer* o;
    int start, point;
    bool has_value;  // some trial could be measured
    double worst;    // of the values so far, for trials that fail
    double best;     // of the values so far
    double size;     // of the first value, for penalties
    double* scales;  // [n_constraints] 0: not known yet
    double* excess;  // [n_constraints] of the last trial, relative
    double* work;
    double* parameters;
    double* x;  // [n_parameters] in the unit cube
    FbStatus status;
    FbError* err;
    char first_failure[FB_TRIAL_MESSAGE];
} Run;

// A search that is repeated, up to what is not known yet.
typedef struct Ahead {
    Run run;
    const double* wanted;  // parameters of the trial that the search waits for
    FbTrial* room;         // for a trial of the pool
    int n_new;             // trials that it may still begin
    int n_unknown;         // that it may still meet
} Ahead;

// The trial in the table, if it exists. If several starts reach one point, it belongs to the first
// of them, whichever thread was faster.
static FbTrial* find_trial(Run* r) {
    FbTrial* t = fb_table_find(&r->o->out->table, r->parameters);
    if (t && (r->start < t->start || (r->start == t->start && r->point < t->point))) {
        t->start = r->start;
        t->point = r->point;
    }
    return t;
}

static void look_ahead(const Run* r);

// What others can do meanwhile is found while the trial that is needed is under way.
static FbStatus run_in_pool(Run* r, FbTrial* t) {
    FbTrialPool* pool = &r->o->pool;
    int job = fb_pool_want(pool, r->parameters);
    if (job < 0) {
        return fb_fail_memory(r->err);
    }
    look_ahead(r);
    return fb_pool_wait(pool, job, t, r->err);
}

// The trial at these parameters: from the table, or run now. NULL: stopped or failed for good.
static FbTrial* get_trial(Run* r) {
    FbOptimizer* o = r->o;
    FbStudyOutcome* out = o->out;
    pthread_mutex_lock(&o->lock);
    FbTrial* known = find_trial(r);
    FbTrial* t = known ? known : fb_table_create_trial(&out->table, r->parameters);
    pthread_mutex_unlock(&o->lock);
    if (known || !t) {
        r->status = t ? FB_OK : fb_fail_memory(r->err);
        return t;
    }
    t->start = r->start;
    t->point = r->point;
    r->status =
        o->has_pool ? run_in_pool(r, t) : fb_trial_run(o->study, &o->options->stop, t, r->err);
    if (r->status != FB_OK) {
        return NULL;
    }
    t->wall_s = o->options->is_untimed ? 0.0 : t->wall_s;
    pthread_mutex_lock(&o->lock);
    known = find_trial(r);
    if (!known) {
        r->status = fb_table_add(&out->table, t, r->err);
        out->n_computed++;
    }
    pthread_mutex_unlock(&o->lock);
    return r->status != FB_OK ? NULL : known ? known : t;
}

// A trial that fails looks worse than all so far, and violates every constraint: searches turn away
// from it without a value that would spoil their models of the function.
static void set_failed(Run* r, const FbTrial* t, double* value) {
    double range = r->worst - r->best;
    *value = r->has_value ? r->worst + 0.1 * range + 1e-3 * fabs(r->worst) : 1.0;
    for (int c = 0; c < r->o->study->n_constraints; c++) {
        r->excess[c] = 1.0;
    }
    if (t && !r->first_failure[0]) {
        snprintf(r->first_failure, sizeof r->first_failure, "%s", t->message);
    }
}

static void set_measured(Run* r, const FbTrial* t, double* value) {
    const FbStudy* s = r->o->study;
    *value = s->is_maximum ? -t->objective : t->objective;
    r->size = r->has_value ? r->size : *value != 0.0 ? fabs(*value) : 1.0;
    bool is_penalized = !fb_study_takes_constraints(s->search.algorithm);
    for (int c = 0; c < s->n_constraints; c++) {
        double scale, excess = fb_trial_calc_violation(s, c, t->values, r->work, &scale);
        r->scales[c] = r->scales[c] > 0.0 ? r->scales[c] : scale > 0.0 ? scale : 1.0;
        r->excess[c] = excess / r->scales[c];
        *value += is_penalized ? penalty * r->size * fmax(0.0, r->excess[c]) : 0.0;
    }
    r->worst = r->has_value ? fmax(r->worst, *value) : *value;
    r->best = r->has_value ? fmin(r->best, *value) : *value;
    r->has_value = true;
}

static bool see_trial(Run* r, const FbTrial* t, double* value, double* constraints) {
    const FbStudy* s = r->o->study;
    int n = fb_study_takes_constraints(s->search.algorithm) ? s->n_constraints : 0;
    r->point++;
    if (!t || t->status == FB_TRIAL_FAILED) {
        set_failed(r, t, value);
    } else {
        set_measured(r, t, value);
    }
    memcpy(constraints, r->excess, sizeof(double) * (size_t)n);
    return true;
}

static bool evaluate(void* self, const double* x, double* value, double* constraints) {
    Run* r = self;
    *value = 0.0;
    fb_optimize_from_unit(r->o->study, x, r->parameters);
    FbTrial* t = get_trial(r);
    return t && see_trial(r, t, value, constraints);
}

// The trials that are known give their values again; the next ones, which the method asks for
// before it knows them, count as failed.
static bool evaluate_ahead(void* self, const double* x, double* value, double* constraints) {
    Ahead* a = self;
    Run* r = &a->run;
    size_t size = sizeof(double) * (size_t)r->o->study->n_parameters;
    *value = 0.0;
    fb_optimize_from_unit(r->o->study, x, r->parameters);
    pthread_mutex_lock(&r->o->lock);
    const FbTrial* t = fb_table_find(&r->o->out->table, r->parameters);
    pthread_mutex_unlock(&r->o->lock);
    if (!t && memcmp(r->parameters, a->wanted, size) != 0) {
        bool is_new;
        t = fb_pool_look(&r->o->pool, r->parameters, a->room, &is_new) ? a->room : NULL;
        a->n_new -= is_new;
    }
    a->n_unknown -= !t;
    return a->n_new > 0 && a->n_unknown > 0 && see_trial(r, t, value, constraints);
}

static FbSearch make_problem(const FbStudy* s) {
    bool has_constraints = fb_study_takes_constraints(s->search.algorithm);
    return (FbSearch){.settings = s->search,
                      .n = s->n_parameters,
                      .n_constraints = has_constraints ? s->n_constraints : 0};
}

static FbStatus search(Run* r, FbError* err) {
    const FbStudy* s = r->o->study;
    FbSearch problem = make_problem(s);
    problem.evaluate = evaluate;
    problem.self = r;
    const char* reason;
    fb_optimize_get_start(s, r->start, r->x);
    FbStatus status = fb_search_run(&problem, r->x, &reason, err);
    if (r->status != FB_OK) {
        return r->status;
    }
    if (r->start == 0) {
        r->o->out->reason = reason;
    }
    if (status == FB_OK && !r->has_value && s->search.starts == 1) {
        return fb_fail(err, FB_ERR_CONVERGENCE, NULL, "every trial failed; the first: %s",
                       r->first_failure);
    }
    return status;
}

static bool init_run(Run* r, FbOptimizer* o, int start) {
    const FbStudy* s = o->study;
    *r = (Run){.o = o,
               .start = start,
               .scales = calloc((size_t)s->n_constraints + 1, sizeof(double)),
               .excess = calloc((size_t)s->n_constraints + 1, sizeof(double)),
               .work = calloc(s->work_size + 1, sizeof(double)),
               .parameters = calloc((size_t)s->n_parameters + 1, sizeof(double)),
               .x = calloc((size_t)s->n_parameters + 1, sizeof(double))};
    return r->scales && r->excess && r->work && r->parameters && r->x;
}

static void free_run(Run* r) {
    free(r->scales);
    free(r->excess);
    free(r->work);
    free(r->parameters);
    free(r->x);
}

static void* run_ahead(void* self) {
    Ahead* a = self;
    FbSearch problem = make_problem(a->run.o->study);
    problem.evaluate = evaluate_ahead;
    problem.self = a;
    const char* reason;
    FbError ignored;
    fb_optimize_get_start(a->run.o->study, a->run.start, a->run.x);
    fb_search_run(&problem, a->run.x, &reason, &ignored);
    return NULL;
}

bool fb_optimize_can_look_ahead(int algorithm) {
    return algorithm == FB_STUDY_DIRECT || algorithm == FB_STUDY_ISRES ||
           algorithm == FB_STUDY_CRS2;
}

// In a thread of its own: the method's random numbers belong to the thread. Without memory or a
// thread nothing is run ahead, and nothing else changes.
static void look_ahead(const Run* r) {
    FbOptimizer* o = r->o;
    int n_free = fb_pool_count_free(&o->pool);
    if (!fb_optimize_can_look_ahead(o->study->search.algorithm) || 2 * n_free < o->pool.n_workers ||
        n_free == 0) {
        return;
    }
    FbArena* arena = fb_arena_create();
    Ahead a = {.wanted = r->parameters,
               .room = arena ? fb_trial_create(o->study, arena) : NULL,
               .n_new = n_free + 1,
               .n_unknown = 4 * o->pool.n_workers};
    pthread_t thread;
    if (init_run(&a.run, o, r->start) && a.room &&
        pthread_create(&thread, NULL, run_ahead, &a) == 0) {
        pthread_join(thread, NULL);
    }
    free_run(&a.run);
    fb_arena_destroy(arena);
}

FbStatus fb_optimize_search(void* self, int job, FbError* err) {
    Run r;
    bool has_memory = init_run(&r, self, job);
    r.err = err;
    FbStatus status = has_memory ? search(&r, err) : fb_fail_memory(err);
    free_run(&r);
    return status;
}
