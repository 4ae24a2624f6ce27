// What a sweep or a search found, for people and as JSON.
#include "study_report.h"

#include <math.h>
#include <string.h>

#include "record/json_pair.h"
#include "terminal.h"

static bool is_search(const Options* options) {
    return strcmp(options->command->name, "optimize") == 0;
}

static void print_values(const char* const* names, const char* const* units, const double* values,
                         int n) {
    for (int i = 0; i < n; i++) {
        printf("  %-24s %22.15g %s\n", names[i], values[i], units[i]);
    }
}

static void print_best(const FbStudy* s, const FbTrial* t) {
    const char *names[256], *units[256];
    int n = 0;
    for (int i = 0; i < s->n_parameters && n < 256; i++, n++) {
        names[n] = s->parameters[i].name;
        units[n] = "";
    }
    for (int i = 0; i < s->n_measures && n < 256; i++, n++) {
        names[n] = s->measures[i].name;
        units[n] = s->measures[i].unit;
    }
    printf("\nbest point: %s = %.12g\n", s->objective, t->objective);
    print_values(names, units, t->values, n);
    FbText command;
    fb_text_init(&command);
    fb_study_write_command(s, t->values, &command);
    printf("\n%s\n", command.has_failed ? "" : command.data);
    fb_text_free(&command);
}

static long count_steps(const FbStudyOutcome* o) {
    long n = 0;
    for (int i = 0; i < o->table.n; i++) {
        n += o->table.trials[i]->steps;
    }
    return n;
}

void print_outcome(const Options* options, const FbStudy* s, const FbStudyOutcome* o) {
    bool has_search = is_search(options);
    char name[256], path[1024];
    fb_escape(s->name, name, sizeof name);
    fb_escape(s->model_path, path, sizeof path);
    printf("study        %s, model %s\n", name, path);
    printf("%s %d: computed %d, kept %d\n", has_search ? "trials      " : "points      ",
           o->n_points, o->n_computed, o->n_kept);
    if (o->n_failed > 0 || o->n_infeasible > 0) {
        printf(
            "             failed %d, against a constraint %d (they count as infeasible; see the "
            "table)\n",
            o->n_failed, o->n_infeasible);
    }
    if (has_search) {
        printf("search       %s, %d start%s; %s\n", fb_study_algorithm_names[s->search.algorithm],
               s->search.starts, s->search.starts == 1 ? "" : "s", o->reason);
    }
    printf("steps        %ld in all, wall time %.4g s\n", count_steps(o), o->wall_s);
    char table[1024];
    fb_escape(o->table.path, table, sizeof table);
    printf("table        %s\n", table);
    if (o->best != NULL) {
        print_best(s, o->best);
    }
}

static void write_best(FbJson* json, const FbStudy* s, const FbTrial* t) {
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
    for (int i = 0; i < s->n_parameters; i++) {
        fb_json_pair_number(json, s->parameters[i].name, t->values[i]);
    }
    fb_json_end_object(json);
    fb_json_key(json, "measures");
    fb_json_begin_object(json);
    for (int i = 0; i < s->n_measures; i++) {
        fb_json_pair_number(json, s->measures[i].name, t->values[s->n_parameters + i]);
    }
    fb_json_end_object(json);
    FbText command;
    fb_text_init(&command);
    fb_study_write_command(s, t->values, &command);
    fb_json_pair_text(json, "command", command.has_failed ? NULL : command.data);
    fb_text_free(&command);
    fb_json_end_object(json);
}

int print_outcome_json(const Options* options, const FbStudy* s, const FbStudyOutcome* o,
                       const char* failure) {
    Document document;
    begin_document(&document);
    FbJson* json = &document.json;
    fb_json_begin_object(json);
    fb_json_pair_text(json, "study", s->file);
    fb_json_pair_text(json, "study_sha256", s->sha256);
    fb_json_pair_text(json, "model", s->model_path);
    fb_json_pair_text(json, "version", fb_version());
    fb_json_pair_text(json, "csv", o->table.path);
    fb_json_pair_integer(json, "points", o->n_points);
    fb_json_pair_integer(json, "computed", o->n_computed);
    fb_json_pair_integer(json, "kept", o->n_kept);
    fb_json_pair_integer(json, "failed", o->n_failed);
    fb_json_pair_integer(json, "infeasible", o->n_infeasible);
    fb_json_pair_number(json, "wall_s", o->wall_s);
    if (is_search(options)) {
        fb_json_pair_text(json, "algorithm", fb_study_algorithm_names[s->search.algorithm]);
        fb_json_pair_integer(json, "starts", s->search.starts);
        fb_json_pair_text(json, "reason", o->reason);
    }
    fb_json_pair_text(json, "objective", s->objective);
    write_best(json, s, o->best);
    fb_json_pair_text(json, "failure", failure);
    fb_json_end_object(json);
    return print_document(&document);
}
