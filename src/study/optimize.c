// The best point of a study: searches from one or several starts, each on a thread.
#include "study/optimize.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "study/distribution.h"
#include "study/jobs.h"
#include "study/search.h"

// Methods without constraints see the objective plus this many times its first size for each
// relative violation (eq. 11.10).
static const double penalty = 100.0;

typedef struct Optimizer {
    const FbStudy* study;
    const FbStudyOptions* options;
    FbStudyOutcome* out;
    double start_s;
    pthread_mutex_t lock;  // of the table and the counts
} Optimizer;

// One search.
typedef struct Run {
    Optimizer* o;
    int start, point;
    bool has_value;  // some trial could be measured
    double worst;    // of the values so far, for trials that fail
    double best;     // of the values so far
    double size;     // of the first value, for penalties
    double* scales;  // [n_constraints] 0: not known yet
    double* excess;  // [n_constraints] of the last trial, relative
    double* work;
    double* parameters;
    FbStatus status;
    FbError* err;
    char first_failure[FB_TRIAL_MESSAGE];
} Run;

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

// The trial at these parameters: from the table, or run now. NULL: stopped or failed for good.
static FbTrial* get_trial(Run* r) {
    Optimizer* o = r->o;
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
    r->status = fb_trial_run(o->study, &o->options->stop, t, r->err);
    if (r->status != FB_OK) {
        return NULL;
    }
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
    if (!r->first_failure[0]) {
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

static bool evaluate(void* self, const double* x, double* value, double* constraints) {
    Run* r = self;
    const FbStudy* s = r->o->study;
    int n = fb_study_takes_constraints(s->search.algorithm) ? s->n_constraints : 0;
    *value = 0.0;
    fb_optimize_from_unit(s, x, r->parameters);
    FbTrial* t = get_trial(r);
    if (!t) {
        return false;
    }
    r->point++;
    if (t->status == FB_TRIAL_FAILED) {
        set_failed(r, t, value);
    } else {
        set_measured(r, t, value);
    }
    memcpy(constraints, r->excess, sizeof(double) * (size_t)n);
    return true;
}

static FbStatus search(Run* r, double* x, FbError* err) {
    const FbStudy* s = r->o->study;
    FbSearch problem = {
        .settings = s->search,
        .n = s->n_parameters,
        .n_constraints = fb_study_takes_constraints(s->search.algorithm) ? s->n_constraints : 0,
        .evaluate = evaluate,
        .self = r};
    const char* reason;
    fb_optimize_get_start(s, r->start, x);
    FbStatus status = fb_search_run(&problem, x, &reason, err);
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

static FbStatus run_start(void* self, int job, FbError* err) {
    Optimizer* o = self;
    const FbStudy* s = o->study;
    Run r = {.o = o,
             .start = job,
             .err = err,
             .scales = calloc((size_t)s->n_constraints + 1, sizeof(double)),
             .excess = calloc((size_t)s->n_constraints + 1, sizeof(double)),
             .work = calloc(s->work_size + 1, sizeof(double)),
             .parameters = calloc((size_t)s->n_parameters + 1, sizeof(double))};
    double* x = calloc((size_t)s->n_parameters + 1, sizeof *x);
    FbStatus status = r.scales && r.excess && r.work && r.parameters && x ? search(&r, x, err)
                                                                          : fb_fail_memory(err);
    free(r.scales);
    free(r.excess);
    free(r.work);
    free(r.parameters);
    free(x);
    return status;
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
    Optimizer* o = self;
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

FbStatus fb_optimize_run(const FbStudy* study, const FbStudyOptions* options, FbStudyOutcome* out,
                         FbError* err) {
    *out = (FbStudyOutcome){.reason = ""};
    FB_TRY(fb_optimize_check(study, err));
    FB_TRY(fb_table_open(&out->table, study, options->path, true, options->is_retry, err));
    Optimizer o = {.study = study, .options = options, .out = out, .start_s = fb_clock_wall_s()};
    FbJobs jobs = {.n_jobs = study->search.starts,
                   .n_threads = options->n_threads,
                   .run = run_start,
                   .watch = watch,
                   .self = &o};
    pthread_mutex_init(&o.lock, NULL);
    FbStatus status = fb_jobs_run(&jobs, err);
    pthread_mutex_destroy(&o.lock);
    FbError other;
    FbStatus written = fb_table_finish(&out->table, status < 0 ? &other : err);
    count(study, out);
    out->wall_s = fb_clock_wall_s() - o.start_s;
    return status < 0 ? status : written < 0 ? written : status;
}
