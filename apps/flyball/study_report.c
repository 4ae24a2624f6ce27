// The results of a sweep or a search, as text and as JSON.
#include "study_report.h"

#include <math.h>
#include <string.h>

#include "record/json_pair.h"
#include "study/sensitivity.h"
#include "study/sweep.h"
#include "terminal.h"

static bool is_search(const Options* options) {
    return strcmp(options->command->name, "optimize") == 0;
}

static void print_best(const FbStudy* s, const FbStudyInfo* info, const FbTrial* t) {
    printf("\nbest point: %s = %.12g\n", info->objective, t->objective);
    for (int i = 0; i < info->n_parameters; i++) {
        printf("  %-24s %22.15g \n", fb_study_get_parameter_name(s, i), t->values[i]);
    }
    for (int i = 0; i < info->n_measures; i++) {
        printf("  %-24s %22.15g %s\n", fb_study_get_measure_name(s, i),
               t->values[info->n_parameters + i], fb_study_get_measure_unit(s, i));
    }
    char* command = NULL;
    fb_study_command(s, t->values, &command, NULL);
    printf("\n%s\n", command != NULL ? command : "");
    fb_free(command);
}

static void print_index(const char* name, const FbIndex* first, const FbIndex* total) {
    printf("    %-24s first %8.4f +- %.4f, total %8.4f +- %.4f\n", name, first->value, first->width,
           total->value, total->width);
}

// Of each measure its distribution, and what it depends on.
static void print_statistics(const FbStudy* s, const FbSensitivity* all) {
    printf("\ndistribution of the measures\n");
    for (int i = 0; i < s->n_measures; i++) {
        const FbSensitivity* a = &all[i];
        printf("  %-24s mean %.6g, deviation %.4g, 5 %% to 95 %%: %.6g to %.6g %s\n",
               s->measures[i].name, a->mean, a->deviation, a->low, a->high, s->measures[i].unit);
        for (int k = 0; k < s->n_parameters && !isnan(a->r_squared); k++) {
            printf("    %-24s regression coefficient %8.4f%s", s->parameters[k].name,
                   a->coefficients[k], k == 0 ? "" : "\n");
            if (k == 0) {
                printf(" (R2 = %.4f)\n", a->r_squared);
            }
        }
        for (int k = 0; k < s->n_parameters && a->n_blocks > 1; k++) {
            print_index(s->parameters[k].name, &a->first[k], &a->total[k]);
        }
    }
}

static void write_index(FbJson* json, const char* key, const FbIndex* index) {
    fb_json_key(json, key);
    fb_json_begin_object(json);
    fb_json_pair_number(json, "value", index->value);
    fb_json_pair_number(json, "width", index->width);
    fb_json_end_object(json);
}

static void write_dependence(FbJson* json, const FbStudy* s, const FbSensitivity* a) {
    fb_json_key(json, "parameters");
    fb_json_begin_object(json);
    for (int k = 0; k < s->n_parameters; k++) {
        fb_json_key(json, s->parameters[k].name);
        fb_json_begin_object(json);
        fb_json_pair_number(json, "regression", a->coefficients[k]);
        if (a->first != NULL) {
            write_index(json, "first", &a->first[k]);
            write_index(json, "total", &a->total[k]);
        }
        fb_json_end_object(json);
    }
    fb_json_end_object(json);
}

static void write_statistics(FbJson* json, const FbStudy* s, const FbSensitivity* all) {
    fb_json_key(json, "statistics");
    fb_json_begin_object(json);
    for (int i = 0; all != NULL && i < s->n_measures; i++) {
        const FbSensitivity* a = &all[i];
        fb_json_key(json, s->measures[i].name);
        fb_json_begin_object(json);
        fb_json_pair_integer(json, "n", a->n);
        fb_json_pair_number(json, "mean", a->mean);
        fb_json_pair_number(json, "deviation", a->deviation);
        fb_json_pair_number(json, "q05", a->low);
        fb_json_pair_number(json, "q50", a->median);
        fb_json_pair_number(json, "q95", a->high);
        fb_json_pair_number(json, "r_squared", a->r_squared);
        write_dependence(json, s, a);
        fb_json_end_object(json);
    }
    fb_json_end_object(json);
}

// What samples say; NULL: there are none, or memory ran out. The arena owns it.
static FbSensitivity* calc_statistics(const Options* options, const FbStudy* s,
                                      const FbStudyRun* run, FbArena* arena) {
    FbSensitivity* all = NULL;
    FbError err;
    if (run != NULL && arena != NULL && !is_search(options) &&
        fb_sensitivity_calc(s, fb_study_run_get_table(run), arena, &all, &err) < 0) {
        print_error(&err);
    }
    return all;
}

void print_outcome(const Options* options, const FbStudy* s, const FbStudyRun* run) {
    bool has_search = is_search(options);
    FbStudyInfo study;
    FbStudyRunInfo o;
    fb_study_get_info(s, &study);
    fb_study_run_get_info(run, &o);
    char name[256], path[1024], table[1024];
    fb_escape(study.name, name, sizeof name);
    fb_escape(study.model_path, path, sizeof path);
    fb_escape(o.path, table, sizeof table);
    printf("study        %s, model %s\n", name, path);
    printf("%s %d: computed %d, kept %d\n", has_search ? "trials      " : "points      ",
           o.n_points, o.n_computed, o.n_kept);
    if (o.n_failed > 0 || o.n_infeasible > 0) {
        printf(
            "             failed %d, constraint violated %d (both count as infeasible; see the "
            "table)\n",
            o.n_failed, o.n_infeasible);
    }
    if (has_search) {
        printf("search       %s, %d start%s; %s\n", study.algorithm, study.n_starts,
               study.n_starts == 1 ? "" : "s", o.reason);
    }
    printf("steps        %ld in all, wall time %.4g s\n", o.steps, o.wall_s);
    printf("table        %s\n", table);
    if (fb_study_run_get_best(run) != NULL) {
        print_best(s, &study, fb_study_run_get_best(run));
    }
    FbArena* arena = fb_arena_create();
    const FbSensitivity* all = calc_statistics(options, s, run, arena);
    if (all != NULL) {
        print_statistics(s, all);
    }
    fb_arena_destroy(arena);
}

static void write_best(FbJson* json, const FbStudy* s, const FbStudyInfo* info, const FbTrial* t) {
    fb_json_key(json, "best");
    if (t == NULL) {
        fb_json_null(json);
        return;
    }
    fb_json_begin_object(json);
    fb_json_pair_integer(json, "point", t->point + 1);
    fb_json_pair_number(json, "objective", t->objective);
    fb_json_key(json, "parameters");
    fb_json_begin_object(json);
    for (int i = 0; i < info->n_parameters; i++) {
        fb_json_pair_number(json, fb_study_get_parameter_name(s, i), t->values[i]);
    }
    fb_json_end_object(json);
    fb_json_key(json, "measures");
    fb_json_begin_object(json);
    for (int i = 0; i < info->n_measures; i++) {
        fb_json_pair_number(json, fb_study_get_measure_name(s, i),
                            t->values[info->n_parameters + i]);
    }
    fb_json_end_object(json);
    char* command = NULL;
    fb_study_command(s, t->values, &command, NULL);
    fb_json_pair_text(json, "command", command);
    fb_free(command);
    fb_json_end_object(json);
}

// How many points each rank has computed.
static void write_ranks(FbJson* json, const FbRanks* ranks) {
    fb_json_key(json, "computed_by_rank");
    fb_json_begin_array(json);
    for (int r = 0; r < ranks->n_ranks; r++) {
        fb_json_integer(json, ranks->n_computed[r]);
    }
    fb_json_end_array(json);
}

int print_outcome_json(const Options* options, const FbStudy* s, const FbStudyRun* run,
                       const FbRanks* ranks, const char* failure) {
    FbStudyInfo study;
    FbStudyRunInfo o = {.reason = ""};
    fb_study_get_info(s, &study);
    if (run != NULL) {
        fb_study_run_get_info(run, &o);
    }
    Document document;
    begin_document(&document);
    FbJson* json = &document.json;
    fb_json_begin_object(json);
    fb_json_pair_text(json, "study", study.file);
    fb_json_pair_text(json, "study_sha256", study.sha256);
    fb_json_pair_text(json, "model", study.model_path);
    fb_json_pair_text(json, "version", fb_version());
    fb_json_pair_text(json, "csv", o.path);
    fb_json_pair_integer(json, "points", o.n_points);
    fb_json_pair_integer(json, "computed", o.n_computed);
    fb_json_pair_integer(json, "kept", o.n_kept);
    if (ranks != NULL && ranks->n_computed != NULL) {
        write_ranks(json, ranks);
    }
    fb_json_pair_integer(json, "failed", o.n_failed);
    fb_json_pair_integer(json, "infeasible", o.n_infeasible);
    fb_json_pair_number(json, "wall_s", o.wall_s);
    if (is_search(options)) {
        fb_json_pair_text(json, "algorithm", study.algorithm);
        fb_json_pair_integer(json, "starts", study.n_starts);
        fb_json_pair_text(json, "reason", o.reason);
    }
    fb_json_pair_text(json, "objective", study.objective);
    write_best(json, s, &study, run != NULL ? fb_study_run_get_best(run) : NULL);
    FbArena* arena = fb_arena_create();
    const FbSensitivity* all = calc_statistics(options, s, run, arena);
    if (all != NULL) {
        write_statistics(json, s, all);
    }
    fb_arena_destroy(arena);
    fb_json_pair_text(json, "failure", failure);
    fb_json_end_object(json);
    return print_document(&document);
}
