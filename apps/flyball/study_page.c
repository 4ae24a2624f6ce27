// The report of a study as one HTML file: head, best point, statistics and charts.
#include "study_page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input_file.h"
#include "load.h"
#include "study/sensitivity.h"
#include "study/sweep.h"
#include "study_charts.h"
#include "terminal.h"
#include "view/page.h"

enum { CELL = 48 };  // room of a number in a table

static void write_number(double value, char out[CELL]) {
    if (isfinite(value)) {
        snprintf(out, CELL, "%.5g", value);
    } else {
        snprintf(out, CELL, "\xe2\x80\x93");
    }
}

static void add_head(FbText* text, const FbStudy* s, const FbStudyRun* run) {
    FbStudyRunInfo info;
    char line[512], path[200], failed[48] = "", infeasible[48] = "";
    fb_study_run_get_info(run, &info);
    snprintf(path, sizeof path, "%s", s->model_path);
    fb_path_simplify(path);
    if (info.n_failed > 0) {
        snprintf(failed, sizeof failed, ", %d of them failed", info.n_failed);
    }
    if (info.n_infeasible > 0) {
        snprintf(infeasible, sizeof infeasible, ", %d violate%s a constraint", info.n_infeasible,
                 info.n_infeasible == 1 ? "s" : "");
    }
    snprintf(line, sizeof line, "Study %.80s, model %s \xc2\xb7 %d points%s%s \xc2\xb7 Flyball %s",
             s->name, path, info.n_points, failed, infeasible, fb_version());
    fb_page_begin(text, s->title ? s->title : s->name, line);
}

static void add_best(FbText* text, const FbStudy* s, const FbStudyRun* run) {
    static const char* const titles[] = {"name", "value"};
    const FbTrial* best = fb_study_run_get_best(run);
    if (best == NULL) {
        return;
    }
    fb_page_heading(text, "Best point");
    fb_page_table_begin(text, titles, 2);
    for (int i = 0; i < s->n_parameters + s->n_measures; i++) {
        char name[256], value[CELL];
        const char* cells[] = {name, value};
        label_column(s, i, name, sizeof name);
        snprintf(value, sizeof value, "%.12g", best->values[i]);
        fb_page_table_row(text, cells, 2);
    }
    fb_page_table_end(text);
}

static void add_moments(FbText* text, const FbStudy* s, const FbSensitivity* all) {
    static const char* const titles[] = {"measure", "points", "mean", "deviation",
                                         "5 %",     "median", "95 %", "R\xc2\xb2"};
    fb_page_heading(text, "Distribution of the measures");
    fb_page_table_begin(text, titles, 8);
    for (int i = 0; i < s->n_measures; i++) {
        const FbSensitivity* a = &all[i];
        const double numbers[] = {a->n,      a->mean, a->deviation, a->low,
                                  a->median, a->high, a->r_squared};
        char name[256], values[7][CELL];
        const char* cells[8] = {name};
        label_column(s, s->n_parameters + i, name, sizeof name);
        for (int k = 0; k < 7; k++) {
            write_number(numbers[k], values[k]);
            cells[k + 1] = values[k];
        }
        fb_page_table_row(text, cells, 8);
    }
    fb_page_table_end(text);
    fb_page_note(text,
                 "R\xc2\xb2 is the share of the variance that a linear regression on "
                 "the parameters explains.");
}

// What is shown of measure and parameter: a coefficient or an index.
typedef void (*WriteCell)(const FbSensitivity* of, int parameter, char out[CELL]);

static void write_coefficient(const FbSensitivity* of, int parameter, char out[CELL]) {
    write_number(of->coefficients[parameter], out);
}

static void write_index(const FbIndex* index, char out[CELL]) {
    if (isfinite(index->value)) {
        snprintf(out, CELL, "%.3f \xc2\xb1 %.3f", index->value, index->width);
    } else {
        snprintf(out, CELL, "\xe2\x80\x93");
    }
}

static void write_first(const FbSensitivity* of, int parameter, char out[CELL]) {
    write_index(&of->first[parameter], out);
}

static void write_total(const FbSensitivity* of, int parameter, char out[CELL]) {
    write_index(&of->total[parameter], out);
}

static void add_sensitivities(FbText* text, const FbStudy* s, const FbSensitivity* all,
                              const char* heading, const char* note, WriteCell write) {
    size_t n = (size_t)s->n_parameters;
    const char** cells = calloc(n + 1, sizeof *cells);
    char(*values)[CELL] = calloc(n + 1, sizeof *values);
    if (cells == NULL || values == NULL) {
        text->has_failed = true;
    } else {
        fb_page_heading(text, heading);
        cells[0] = "measure";
        for (size_t k = 0; k < n; k++) {
            cells[k + 1] = s->parameters[k].name;
        }
        fb_page_table_begin(text, cells, (int)n + 1);
        for (int i = 0; i < s->n_measures; i++) {
            cells[0] = s->measures[i].name;
            for (size_t k = 0; k < n; k++) {
                write(&all[i], (int)k, values[k]);
                cells[k + 1] = values[k];
            }
            fb_page_table_row(text, cells, (int)n + 1);
        }
        fb_page_table_end(text);
        fb_page_note(text, note);
    }
    free(cells);
    free(values);
}

static void add_statistics(FbText* text, const FbStudy* s, const FbSensitivity* all) {
    if (all == NULL) {
        return;
    }
    add_moments(text, s, all);
    add_sensitivities(text, s, all, "Standardized regression coefficients",
                      "The change of a measure, in its standard deviations, when the "
                      "parameter changes by one of its own; valid only if R\xc2\xb2 is near 1.",
                      write_coefficient);
    if (s->n_measures > 0 && all[0].first != NULL) {
        add_sensitivities(text, s, all, "Sobol' indices of first order",
                          "The share of the variance that the parameter explains "
                          "by itself, with its 95 % interval.",
                          write_first);
        add_sensitivities(text, s, all, "Total Sobol' indices",
                          "The share of the variance that involves the parameter, "
                          "alone or together with others.",
                          write_total);
    }
}

static FbStatus make_page(const Options* options, const FbStudy* s, const FbStudyRun* run,
                          FbArena* arena, FbError* err) {
    FbSensitivity* all = NULL;
    FbText text;
    fb_text_init(&text);
    bool is_sweep = strcmp(options->command->name, "sweep") == 0;
    FbStatus status =
        is_sweep ? fb_sensitivity_calc(s, fb_study_run_get_table(run), arena, &all, err) : FB_OK;
    if (status == FB_OK) {
        add_head(&text, s, run);
        add_best(&text, s, run);
        add_statistics(&text, s, all);
        status = add_study_charts(&text, is_sweep, s, run, arena, err);
    }
    if (status == FB_OK) {
        status = fb_page_write(&text, options->report, err);
    }
    fb_text_free(&text);
    return status;
}

int write_study_page(const Options* options, const FbStudy* study, const FbStudyRun* run) {
    FbArena* arena = fb_arena_create();
    FbError err;
    FbStatus status =
        arena != NULL ? make_page(options, study, run, arena, &err) : fb_fail_memory(&err);
    fb_arena_destroy(arena);
    if (status < 0) {
        print_error(&err);
        return exit_code_of(status);
    }
    if (!options->is_quiet) {
        print_note("report: %s", options->report);
    }
    return EXIT_OK;
}
