// The best point of a study: searches from one or several starts, whose trials run on threads or
// ranks.
#include "study/optimize.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "study/distribution.h"
#include "study/jobs.h"
#include "study/optimize_search.h"
#include "study/share.h"

FbStatus fb_optimize_check(const FbStudy* study, FbError* err) {
    if (!study->objective_expr) {
        FbPlace place = {study->file, 1, 1};
        return fb_fail(err, FB_ERR_MODEL, &place,
                       "an optimization needs 'objective': {maximize: ...} or {minimize: ...}");
    }
    for (int i = 0; i < study->n_parameters; i++) {
        const FbStudyParameter* p = &study->parameters[i];
        if (p->is_distribution && p->distribution != FB_DISTRIBUTION_UNIFORM) {
            return fb_fail(err, FB_ERR_MODEL, &p->place,
                           "an optimization needs a range of '%s', {from: ..., to: ...}; this is a "
                           "%s distribution",
                           p->name, fb_distribution_names[p->distribution]);
        }
        if (p->is_list) {
            return fb_fail(err, FB_ERR_MODEL, &p->place,
                           "an optimization needs a range of '%s', {from: ..., to: ...}; this is a "
                           "list of values",
                           p->name);
        }
    }
    return FB_OK;
}

void fb_optimize_from_unit(const FbStudy* study, const double* x, double* parameters) {
    for (int i = 0; i < study->n_parameters; i++) {
        const FbStudyParameter* p = &study->parameters[i];
        double value =
            p->is_log ? p->low * pow(p->high / p->low, x[i]) : p->low + (p->high - p->low) * x[i];
        parameters[i] = !(x[i] > 0.0) ? p->low : !(x[i] < 1.0) ? p->high : value;
        parameters[i] = fmin(fmax(parameters[i], p->low), p->high);
    }
}

static double to_unit(const FbStudyParameter* p, double value) {
    return p->is_log ? log(value / p->low) / log(p->high / p->low)
                     : (value - p->low) / (p->high - p->low);
}

// Starts after the first: the sequence x_k = frac(1/2 + k a), a = (1/g, 1/g^2, ...), where g^(n+1)
// = g + 1 (eq. 11.9); it fills the cube evenly for any number of points.
void fb_optimize_get_start(const FbStudy* study, int start, double* x) {
    int n = study->n_parameters;
    double g = 2.0;
    for (int k = 0; k < 60; k++) {
        g = pow(1.0 + g, 1.0 / (n + 1));
    }
    for (int i = 0; i < n; i++) {
        const FbStudyParameter* p = &study->parameters[i];
        double whole;
        x[i] = start == 0 ? to_unit(p, p->start) : modf(0.5 + start * pow(g, -(i + 1)), &whole);
        x[i] = fmin(fmax(x[i], 0.0), 1.0);
    }
}

static void count(const FbStudy* study, FbStudyOutcome* out) {
    out->n_failed = out->n_infeasible = 0;
    out->best = NULL;
    for (int i = 0; i < out->table.n; i++) {
        const FbTrial* t = out->table.trials[i];
        out->n_failed += t->status == FB_TRIAL_FAILED;
        out->n_infeasible += t->status == FB_TRIAL_INFEASIBLE;
        out->best = fb_trial_is_better(study, t, out->best) ? t : out->best;
    }
    out->n_points = out->table.n;
    out->n_kept = out->table.n - out->n_computed;
}

static void watch(void* self) {
    FbOptimizer* o = self;
    if (!o->options->progress) {
        return;
    }
    pthread_mutex_lock(&o->lock);
    count(o->study, o->out);
    FbStudyProgress p = {.n_done = o->out->n_points,
                         .n_kept = o->out->n_kept,
                         .n_failed = o->out->n_failed,
                         .best = o->out->best ? o->out->best->objective : NAN,
                         .wall_s = fb_clock_wall_s() - o->start_s};
    pthread_mutex_unlock(&o->lock);
    o->options->progress(o->options->progress_self, &p);
}

// The searches of all starts, most of which wait for their trials.
typedef struct Searches {
    FbOptimizer* o;
    FbJobs jobs;
    FbStatus status;
    FbError err;
} Searches;

enum { MOST_SEARCHES = 256 };  // at a time

static void* run_searches(void* self) {
    Searches* s = self;
    s->status = fb_jobs_run(&s->jobs, &s->err);
    fb_pool_end(&s->o->pool);
    return NULL;
}

// Rank 0: the searches run here, each on a thread; their trials run on all ranks.
static FbStatus search_by_ranks(FbOptimizer* o, FbError* err) {
    FbShare share = {.work = fb_pool_make_work(o->study, o->options),
                     .ranks = o->options->ranks,
                     .count = fb_pool_count,
                     .describe = fb_pool_describe,
                     .add = fb_pool_add,
                     .self = &o->pool,
                     .watch = watch,
                     .watch_self = o};
    int n = o->study->search.starts;
    Searches s = {.o = o,
                  .jobs = {.n_jobs = n,
                           .n_threads = n < MOST_SEARCHES ? n : MOST_SEARCHES,
                           .run = fb_optimize_search,
                           .self = o}};
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_searches, &s) != 0) {
        return fb_fail(err, FB_ERR_UNAVAILABLE, NULL, "no thread can be started here");
    }
    FbStatus status = fb_share(&share, err);
    fb_pool_stop(&o->pool, status, err);
    pthread_join(thread, NULL);
    if (status != FB_OK || s.status == FB_OK) {
        return status;
    }
    if (err) {
        *err = s.err;
    }
    return s.status;
}

static FbStatus run_thread_of_pool(void* self, int job, FbError* err) {
    (void)job;
    FbOptimizer* o = self;
    return fb_pool_work(&o->pool, &o->options->stop, err);
}

// One search, whose trials run on threads, some of them ahead.
static FbStatus search_by_threads(FbOptimizer* o, FbError* err) {
    Searches s = {.o = o,
                  .jobs = {.n_jobs = 1, .n_threads = 1, .run = fb_optimize_search, .self = o}};
    FbJobs workers = {.n_jobs = o->pool.n_workers,
                      .n_threads = o->pool.n_workers,
                      .run = run_thread_of_pool,
                      .watch = watch,
                      .self = o};
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_searches, &s) != 0) {
        return fb_fail(err, FB_ERR_UNAVAILABLE, NULL, "no thread can be started here");
    }
    FbError of_worker;
    FbStatus status = fb_jobs_run(&workers, &of_worker);
    fb_pool_stop(&o->pool, status, &of_worker);
    pthread_join(thread, NULL);
    if (s.status != FB_OK && err) {
        *err = s.err;
    }
    return s.status;
}

static FbStatus search_in_pool(FbOptimizer* o, int n_workers, FbError* err) {
    FbStatus status = fb_pool_init(&o->pool, o->study, n_workers, err);
    o->has_pool = true;
    if (status == FB_OK) {
        status = o->options->ranks ? search_by_ranks(o, err) : search_by_threads(o, err);
    }
    o->out->n_ahead = o->pool.n_hits;
    fb_pool_free(&o->pool);
    return status;
}

static FbStatus search(FbOptimizer* o, FbError* err) {
    const FbStudyOptions* options = o->options;
    int n = options->n_threads > 0 ? options->n_threads : fb_jobs_count_processors();
    if (options->ranks) {
        n = options->ranks->n_ranks * (options->n_threads > 0 ? options->n_threads : 1);
    }
    if (options->ranks || (n > 1 && fb_optimize_can_look_ahead(o->study->search.algorithm))) {
        return search_in_pool(o, n, err);
    }
    FbJobs jobs = {.n_jobs = o->study->search.starts,
                   .n_threads = n,
                   .run = fb_optimize_search,
                   .watch = watch,
                   .self = o};
    return fb_jobs_run(&jobs, err);
}

static FbStatus run_here(const FbStudy* study, const FbStudyOptions* options, FbStudyOutcome* out,
                         FbError* err) {
    FB_TRY(fb_optimize_check(study, err));
    FB_TRY(fb_table_open(&out->table, study, options->path, true, options->is_retry, err));
    FbOptimizer o = {.study = study, .options = options, .out = out, .start_s = fb_clock_wall_s()};
    pthread_mutex_init(&o.lock, NULL);
    FbStatus status = search(&o, err);
    pthread_mutex_destroy(&o.lock);
    if (options->ranks) {
        fb_share_end(options->ranks);  // they need not wait for the table
        out->has_ended_ranks = true;
    }
    FbError other;
    FbStatus written = fb_table_finish(&out->table, status < 0 ? &other : err);
    count(study, out);
    out->wall_s = fb_clock_wall_s() - o.start_s;
    return status < 0 ? status : written < 0 ? written : status;
}

FbStatus fb_optimize_run(const FbStudy* study, const FbStudyOptions* options, FbStudyOutcome* out,
                         FbError* err) {
    *out = (FbStudyOutcome){.reason = ""};
    if (options->ranks && options->ranks->rank > 0) {
        FbWork work = fb_pool_make_work(study, options);
        return fb_share_work(&work, options->ranks, err);
    }
    FbStatus status = run_here(study, options, out, err);
    if (options->ranks && !out->has_ended_ranks) {
        fb_share_end(options->ranks);
    }
    return status;
}
