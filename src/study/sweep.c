// A sweep: points that the table does not have are run on threads and written as they finish.
#include "study/sweep.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "study/jobs.h"
#include "study/share.h"
#include "study/table_read.h"
#include "study/trial_bytes.h"

typedef struct Sweep {
    const FbStudy* study;
    const FbStudyOptions* options;
    FbStudyOutcome* out;
    int* todo;  // points
    int n_todo;
    double start_s;
    pthread_mutex_t lock;  // of the table and the counts
} Sweep;

FbStatus fb_sweep_check(const FbStudy* study, FbError* err) {
    for (int i = 0; i < study->n_parameters; i++) {
        const FbStudyParameter* p = &study->parameters[i];
        if (study->samples.n > 0) {
            break;
        }
        if (p->is_distribution) {
            return fb_fail(err, FB_ERR_MODEL, &p->place,
                           "'%s' has a distribution, so the study needs 'samples': {method: "
                           "..., n: ...}",
                           p->name);
        }
        if (p->n == 0) {
            return fb_fail(err, FB_ERR_MODEL, &p->place,
                           "a sweep needs 'n' for '%s': the number of its values", p->name);
        }
    }
    if (fb_study_count_points(study) < 0) {
        return fb_fail(err, FB_ERR_RANGE, &study->parameters[0].place,
                       "the grid has more than %d points", FB_STUDY_MAX_POINTS);
    }
    return FB_OK;
}

static FbStatus run_point(void* self, int job, FbError* err) {
    Sweep* s = self;
    double* parameters = calloc((size_t)s->study->n_parameters + 1, sizeof *parameters);
    if (!parameters) {
        return fb_fail_memory(err);
    }
    fb_study_get_point(s->study, s->todo[job], parameters);
    pthread_mutex_lock(&s->lock);
    FbTrial* t = fb_table_create_trial(&s->out->table, parameters);
    pthread_mutex_unlock(&s->lock);
    free(parameters);
    if (!t) {
        return fb_fail_memory(err);
    }
    t->point = s->todo[job];
    FbStatus status = fb_trial_run(s->study, &s->options->stop, t, err);
    if (status != FB_OK) {
        return status;
    }
    t->wall_s = s->options->is_untimed ? 0.0 : t->wall_s;
    pthread_mutex_lock(&s->lock);
    status = fb_table_add(&s->out->table, t, err);
    s->out->n_computed++;
    pthread_mutex_unlock(&s->lock);
    return status;
}

// The rows of parts that ran elsewhere.
static FbStatus join_parts(const FbStudyOptions* options, FbTrialTable* table, FbError* err) {
    for (int i = 0; i < options->n_joined; i++) {
        size_t size;
        FB_TRY(fb_table_read(table, options->joined[i], options->is_retry, &size, err));
    }
    return FB_OK;
}

// Points of this part: those that the table has get their number, the others are to be done.
static FbStatus find_todo(Sweep* s, FbError* err) {
    FbStudyOutcome* out = s->out;
    int n = (int)fb_study_count_points(s->study);
    double* parameters = calloc((size_t)s->study->n_parameters + 1, sizeof *parameters);
    s->todo = calloc((size_t)n + 1, sizeof *s->todo);
    if (!parameters || !s->todo) {
        free(parameters);
        return fb_fail_memory(err);
    }
    for (int i = 0; i < out->table.n; i++) {
        out->table.trials[i]->point = -1;
    }
    for (int i = 0; i < n; i++) {
        fb_study_get_point(s->study, i, parameters);
        FbTrial* t = fb_table_find(&out->table, parameters);
        bool is_mine = i % s->options->n_parts == s->options->part;
        out->n_points += is_mine;
        out->n_kept += is_mine && t;
        if (t) {
            t->point = t->point < 0 ? i : t->point;  // of equal samples the first
        } else if (is_mine) {
            s->todo[s->n_todo++] = i;
        }
    }
    free(parameters);
    return FB_OK;
}

// Counts and the best of what is in the table.
static void count(const FbStudy* study, FbStudyOutcome* out) {
    out->n_failed = out->n_infeasible = out->n_others = 0;
    out->best = NULL;
    for (int i = 0; i < out->table.n; i++) {
        const FbTrial* t = out->table.trials[i];
        if (t->point < 0) {
            out->n_others++;
            continue;
        }
        out->n_failed += t->status == FB_TRIAL_FAILED;
        out->n_infeasible += t->status == FB_TRIAL_INFEASIBLE;
        if (study->objective_expr && fb_trial_is_better(study, t, out->best)) {
            out->best = t;
        }
    }
}

static void watch(void* self) {
    Sweep* s = self;
    if (!s->options->progress) {
        return;
    }
    pthread_mutex_lock(&s->lock);
    count(s->study, s->out);
    FbStudyProgress p = {.n_done = s->out->n_kept + s->out->n_computed,
                         .n_total = s->out->n_points,
                         .n_kept = s->out->n_kept,
                         .n_failed = s->out->n_failed,
                         .best = s->out->best ? s->out->best->objective : NAN,
                         .wall_s = fb_clock_wall_s() - s->start_s};
    pthread_mutex_unlock(&s->lock);
    s->options->progress(s->options->progress_self, &p);
}

static int count_jobs(void* self, bool* is_all) {
    Sweep* s = self;
    *is_all = true;
    return s->options->is_join_only ? 0 : s->n_todo;
}

static bool describe_job(void* self, int job, char* out) {
    memcpy(out, &((Sweep*)self)->todo[job], sizeof(int));
    return true;
}

// A result of some rank becomes a row.
static FbStatus add_result(void* self, int job, const char* result, size_t size, FbError* err) {
    Sweep* s = self;
    FbTrial* t = fb_trial_create(s->study, s->out->table.arena);
    if (!t) {
        return fb_fail_memory(err);
    }
    if (!fb_trial_unpack(s->study, result, size, t) || t->point != s->todo[job]) {
        return fb_fail(err, FB_ERR_IO, NULL, "a rank sent bytes that are not a trial");
    }
    t->wall_s = s->options->is_untimed ? 0.0 : t->wall_s;
    s->out->n_computed++;
    return fb_table_add(&s->out->table, t, err);
}

// A point on any rank.
static FbStatus run_job(void* self, const char* job, const FbStop* stop, FbText* result,
                        FbError* err) {
    const FbStudy* study = self;
    FbArena* arena = fb_arena_create();
    FbTrial* t = arena ? fb_trial_create(study, arena) : NULL;
    FbStatus status = t ? FB_OK : fb_fail_memory(err);
    if (t) {
        memcpy(&t->point, job, sizeof t->point);
        fb_study_get_point(study, t->point, t->values);
        status = fb_trial_run(study, stop, t, err);
    }
    if (status == FB_OK) {
        fb_trial_pack(study, t, result);
    }
    fb_arena_destroy(arena);
    return status;
}

static FbWork make_work(const FbStudy* study, const FbStudyOptions* options) {
    return (FbWork){.file = study->file,
                    .sha256 = study->sha256,
                    .job_size = sizeof(int),
                    .has_store = true,
                    .n_threads = options->n_threads,
                    .stop = options->stop,
                    .run = run_job,
                    .self = (void*)study};
}

static FbStatus run_points(Sweep* s, FbError* err) {
    bool is_all;
    if (s->options->ranks) {
        FbShare d = {.work = make_work(s->study, s->options),
                     .ranks = s->options->ranks,
                     .count = count_jobs,
                     .describe = describe_job,
                     .add = add_result,
                     .self = s,
                     .watch = watch,
                     .watch_self = s};
        FbStatus status = fb_share(&d, err);
        fb_share_end(d.ranks);  // they need not wait for the table
        s->out->has_ended_ranks = true;
        return status;
    }
    FbJobs jobs = {.n_jobs = count_jobs(s, &is_all),
                   .n_threads = s->options->n_threads,
                   .run = run_point,
                   .watch = watch,
                   .self = s};
    return fb_jobs_run(&jobs, err);
}

static FbStatus run_here(const FbStudy* study, const FbStudyOptions* options, FbStudyOutcome* out,
                         FbError* err) {
    FB_TRY(fb_sweep_check(study, err));
    FB_TRY(fb_table_open(&out->table, study, options->path, false, options->is_retry, err));
    Sweep s = {.study = study, .options = options, .out = out, .start_s = fb_clock_wall_s()};
    FbStatus status = join_parts(options, &out->table, err);
    status = status == FB_OK ? find_todo(&s, err) : status;
    if (status == FB_OK) {
        pthread_mutex_init(&s.lock, NULL);
        status = run_points(&s, err);
        pthread_mutex_destroy(&s.lock);
        FbError other;
        FbStatus written = fb_table_finish(&out->table, status < 0 ? &other : err);
        status = status < 0 ? status : written < 0 ? written : status;
    }
    count(study, out);
    out->wall_s = fb_clock_wall_s() - s.start_s;
    free(s.todo);
    return status;
}

FbStatus fb_sweep_run(const FbStudy* study, const FbStudyOptions* options, FbStudyOutcome* out,
                      FbError* err) {
    *out = (FbStudyOutcome){0};
    if (options->ranks && options->ranks->rank > 0) {
        FbWork work = make_work(study, options);
        return fb_share_work(&work, options->ranks, err);
    }
    FbStatus status = run_here(study, options, out, err);
    if (options->ranks && !out->has_ended_ranks) {
        fb_share_end(options->ranks);
    }
    return status;
}
