// The public side of studies: what a study consists of, and sweeps and searches with their trials
// in one object.
#include <stdlib.h>
#include <string.h>

#include "study/optimize.h"
#include "study/search.h"

struct FbStudyRun {
    FbStudyOutcome outcome;
    char* path;  // that the table refers to
};

void fb_study_get_info(const FbStudy* s, FbStudyInfo* info) {
    bool has_grid = true;
    for (int i = 0; i < s->n_parameters; i++) {
        has_grid = has_grid && (s->parameters[i].n > 0 || s->samples.n > 0);
    }
    *info = (FbStudyInfo){.file = s->file,
                          .name = s->name,
                          .title = s->title,
                          .model_path = s->model_path,
                          .sha256 = s->sha256,
                          .n_parameters = s->n_parameters,
                          .n_measures = s->n_measures,
                          .n_constraints = s->n_constraints,
                          .objective = s->objective,
                          .is_maximum = s->is_maximum,
                          .algorithm = fb_study_algorithm_names[s->search.algorithm],
                          .n_starts = s->search.starts,
                          .n_points = has_grid ? fb_study_count_points(s) : 0};
}

const char* fb_study_get_parameter_name(const FbStudy* s, int index) {
    return index >= 0 && index < s->n_parameters ? s->parameters[index].name : NULL;
}

const char* fb_study_get_measure_name(const FbStudy* s, int index) {
    return index >= 0 && index < s->n_measures ? s->measures[index].name : NULL;
}

const char* fb_study_get_measure_unit(const FbStudy* s, int index) {
    return index >= 0 && index < s->n_measures ? s->measures[index].unit : NULL;
}

FbStatus fb_study_command(const FbStudy* s, const double* parameters, char** out, FbError* err) {
    FbText text;
    fb_text_init(&text);
    fb_study_write_command(s, parameters, &text);
    *out = fb_text_steal(&text);
    return *out ? FB_OK : fb_fail_memory(err);
}

FbStatus fb_study_check_sweep(const FbStudy* s, FbError* err) {
    return fb_sweep_check(s, err);
}

FbStatus fb_study_check_optimize(const FbStudy* s, FbError* err) {
    return fb_optimize_check(s, err);
}

bool fb_study_can_optimize(void) {
    return fb_search_is_available();
}

FbStudyOptions fb_study_options_default(const char* path) {
    return (FbStudyOptions){.path = path, .n_parts = 1};
}

static bool never(void* self) {
    (void)self;
    return false;
}

typedef FbStatus (*Runner)(const FbStudy*, const FbStudyOptions*, FbStudyOutcome*, FbError*);

static FbStatus check_options(const FbStudyOptions* o, FbError* err) {
    if (!o->path || o->n_parts < 1 || o->part < 0 || o->part >= o->n_parts) {
        return fb_fail(err, FB_ERR_ARGUMENT, NULL,
                       "part %d of %d of a study is invalid; it must be from 0 to n_parts - 1, and "
                       "the table needs a path",
                       o->part, o->n_parts);
    }
    return FB_OK;
}

static FbStatus run_study(const FbStudy* study, const FbStudyOptions* options, Runner runner,
                          FbStudyRun** out, FbError* err) {
    *out = NULL;
    FB_TRY(check_options(options, err));
    FbStudyRun* run = calloc(1, sizeof *run);
    char* path = malloc(strlen(options->path) + 1);
    if (!run || !path) {
        free(run);
        free(path);
        return fb_fail_memory(err);
    }
    run->path = strcpy(path, options->path);
    FbStudyOptions own = *options;
    own.path = run->path;
    own.stop.is_wanted = options->stop.is_wanted ? options->stop.is_wanted : never;
    FbStatus status = runner(study, &own, &run->outcome, err);
    FbTrialTable* table = &run->outcome.table;
    if (table->is_open) {  // other processes may have it now
        fb_csv_writer_close(&table->writer, NULL);
        table->is_open = false;
    }
    *out = run;
    return status;
}

FbStatus fb_study_sweep(const FbStudy* study, const FbStudyOptions* options, FbStudyRun** out,
                        FbError* err) {
    return run_study(study, options, fb_sweep_run, out, err);
}

FbStatus fb_study_optimize(const FbStudy* study, const FbStudyOptions* options, FbStudyRun** out,
                           FbError* err) {
    return run_study(study, options, fb_optimize_run, out, err);
}

void fb_study_run_destroy(FbStudyRun* run) {
    if (run) {
        fb_table_close(&run->outcome.table);
        free(run->path);
        free(run);
    }
}

void fb_study_run_get_info(const FbStudyRun* run, FbStudyRunInfo* info) {
    const FbStudyOutcome* o = &run->outcome;
    *info = (FbStudyRunInfo){.path = run->path,
                             .n_points = o->n_points,
                             .n_computed = o->n_computed,
                             .n_kept = o->n_kept,
                             .n_failed = o->n_failed,
                             .n_infeasible = o->n_infeasible,
                             .n_others = o->n_others,
                             .reason = o->reason ? o->reason : "",
                             .wall_s = o->wall_s};
    for (int i = 0; i < o->table.n; i++) {
        info->steps += o->table.trials[i]->steps;
    }
}

const FbTrialTable* fb_study_run_get_table(const FbStudyRun* run) {
    return &run->outcome.table;
}

int fb_study_run_get_trial_count(const FbStudyRun* run) {
    return run->outcome.table.n;
}

const FbTrial* fb_study_run_get_trial(const FbStudyRun* run, int index) {
    const FbTrialTable* table = &run->outcome.table;
    return index >= 0 && index < table->n ? table->trials[index] : NULL;
}

const FbTrial* fb_study_run_get_best(const FbStudyRun* run) {
    return run->outcome.best;
}
