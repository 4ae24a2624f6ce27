// Reads a study, runs it with progress on stderr, and reports how it ended.
#include "study_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "load.h"
#include "mpi_ranks.h"
#include "record/json_pair.h"
#include "study/share.h"
#include "study_page.h"
#include "study_report.h"
#include "study_slurm.h"
#include "terminal.h"

typedef struct Watcher {
    ProgressBar bar;
    const char* objective;
} Watcher;

static bool is_stop_wanted(void* self) {
    (void)self;
    return is_interrupted();
}

// "12 of 100 points, 1 failed, 3.2 s; 23 s left; best zeta = 0.0754"
static void describe_progress(const char* objective, const FbStudyProgress* p, char* out,
                              size_t size) {
    char total[32] = "", left[48] = "", best[96] = "";
    int n_now = p->n_done - p->n_kept;
    if (p->n_total > 0) {
        snprintf(total, sizeof total, " of %d", p->n_total);
    }
    if (p->n_total > p->n_done && n_now > 0) {
        snprintf(left, sizeof left, "; %.0f s left", p->wall_s * (p->n_total - p->n_done) / n_now);
    }
    if (!isnan(p->best)) {
        snprintf(best, sizeof best, "; best %.40s = %.7g", objective, p->best);
    }
    snprintf(out, size, "%d%s %s, %d failed, %.1f s%s%s", p->n_done, total,
             p->n_total > 0 ? "points" : "trials", p->n_failed, p->wall_s, left, best);
}

static void show(void* self, const FbStudyProgress* p) {
    Watcher* w = self;
    char text[256];
    if (!should_show_progress(&w->bar, p->wall_s)) {
        return;
    }
    describe_progress(w->objective, p, text, sizeof text);
    show_progress_text(&w->bar, p->wall_s, text);
}

// Prints what the reader found; returns the exit code of its first error.
static int report_reading(const Options* options, const FbDiagnostics* diagnostics,
                          FbStatus status) {
    int code = exit_code_of(status);
    for (int i = 0; i < fb_diagnostics_count(diagnostics); i++) {
        const FbDiagnostic* d = fb_diagnostics_get(diagnostics, i);
        if (d->severity == FB_SEVERE || !options->is_quiet) {
            print_diagnostic(d);
        }
    }
    if (code != EXIT_OK && options->is_json) {
        Document document;
        begin_document(&document);
        fb_json_begin_object(&document.json);
        fb_json_pair_text(&document.json, "study", options->operands[0]);
        fb_json_key(&document.json, "errors");
        fb_json_begin_array(&document.json);
        for (int i = 0; i < fb_diagnostics_count(diagnostics); i++) {
            const FbDiagnostic* d = fb_diagnostics_get(diagnostics, i);
            if (d->severity == FB_SEVERE) {
                write_problem(&document.json, &d->place, d->text);
            }
        }
        fb_json_end_array(&document.json);
        fb_json_end_object(&document.json);
        print_document(&document);
    }
    return code;
}

// Of several ranks that read the same files only rank 0 reports what is wrong with them; what only
// another one has found, rank 0 learns from it.
static int end_reading(const Options* options, const FbRanks* ranks,
                       const FbDiagnostics* diagnostics, FbStatus status) {
    if (ranks == NULL || ranks->rank == 0) {
        if (status < 0 && ranks != NULL) {
            fb_share_end(ranks);
        }
        return report_reading(options, diagnostics, status);
    }
    for (int i = 0; status < 0 && i < fb_diagnostics_count(diagnostics); i++) {
        const FbDiagnostic* d = fb_diagnostics_get(diagnostics, i);
        if (d->severity == FB_SEVERE) {
            char text[FB_ERROR_TEXT + 256];
            fb_diagnostic_format(d, text, sizeof text);
            fb_share_fail(ranks, status, text);
            break;
        }
    }
    return exit_code_of(status);
}

static int read_study(const Options* options, const StudyCommand* command, const FbRanks* ranks,
                      FbStudy** out) {
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    *out = NULL;
    if (diagnostics == NULL) {
        print_note("out of memory");
        return EXIT_COMPUTATION;
    }
    FbStatus status = fb_study_read(options->operands[0], options->overrides, options->n_overrides,
                                    out, diagnostics);
    FbError err;
    if (status == FB_OK && (status = command->check(*out, &err)) < 0) {
        fb_diagnose_error(diagnostics, &err);
    }
    int code = end_reading(options, ranks, diagnostics, status);
    fb_diagnostics_destroy(diagnostics);
    return code;
}

// NAME.csv, NAME.trials.csv, NAME.part-2-of-8.csv in the current folder. -o names the table of a
// part itself, but where a scheduler starts all parts with one command line, that of the whole.
static char* make_path(const Options* options, const char* name, const StudyCommand* command) {
    const StudyPart* p = &command->part;
    FbText path;
    fb_text_init(&path);
    if (options->output != NULL) {
        fb_text_add(&path, options->output);
    } else {
        fb_text_addf(&path, "%s%s", name, command->ending);
    }
    if (!path.has_failed && (p->is_of_array || (p->n_parts > 1 && options->output == NULL))) {
        char* part = make_part_path(path.data, p->part, p->n_parts);
        fb_text_free(&path);
        return part;
    }
    return fb_text_steal(&path);
}

// Points that a joined table lacks.
static int tell_missing(const Options* options, const FbStudyRunInfo* info) {
    int n = info->n_points - info->n_kept;
    if (options->join == 0 || n == 0) {
        return EXIT_OK;
    }
    print_note(
        "%d of %d points are missing in %s; run their parts again and join, or run the "
        "sweep without --join to compute them here",
        n, info->n_points, info->path);
    return EXIT_COMPUTATION;
}

// A row that was measured has a message only where modes could not be followed with certainty.
static void note_uncertain(const Options* options, const FbStudyRun* run,
                           const FbStudyRunInfo* info) {
    int n = 0;
    for (int i = 0; i < fb_study_run_get_trial_count(run); i++) {
        const FbTrial* t = fb_study_run_get_trial(run, i);
        n += t->status == FB_TRIAL_OK && t->message[0] != '\0';
    }
    if (n > 0 && !options->is_quiet) {
        print_note("%d of %d rows have a note on uncertain modes", n, info->n_points);
    }
}

// The message after a run, by exit code.
static int tell_end(const Options* options, const FbStudyRun* run, const FbStudyRunInfo* info,
                    FbStatus status, const FbError* err) {
    if (status == FB_STOPPED) {
        print_note(
            "interrupted; the %d runs so far are kept in %s; run the same command again to resume",
            fb_study_run_get_trial_count(run), info->path);
        return EXIT_INTERRUPTED;
    }
    if (status < 0) {
        print_error(err);
        return exit_code_of(status);
    }
    if (info->n_points > 0 && info->n_failed == info->n_points) {
        print_note("every run failed; the first: %s", fb_study_run_get_trial(run, 0)->message);
        return EXIT_COMPUTATION;
    }
    if (info->n_failed > 0 && !options->is_quiet) {
        print_note("%d of %d runs failed; the table says why", info->n_failed, info->n_points);
    }
    note_uncertain(options, run, info);
    if (info->n_others > 0 && !options->is_quiet) {
        print_note("%d rows of other points are kept at the end of the table", info->n_others);
    }
    return tell_missing(options, info);
}

static int finish(const Options* options, const FbStudy* study, const FbStudyRun* run,
                  const FbRanks* ranks, FbStatus status, const FbError* err) {
    FbStudyRunInfo info = {0};
    if (run != NULL) {
        fb_study_run_get_info(run, &info);
    }
    const char* failure = status == FB_STOPPED ? "interrupted" : status < 0 ? err->text : NULL;
    if (options->is_json) {
        print_outcome_json(options, study, run, ranks, failure);
    } else if (info.wall_s > 0.0) {  // it has begun
        print_outcome(options, study, run);
        fflush(stdout);
    }
    int code = tell_end(options, run, &info, status, err);
    bool is_search = strcmp(options->command->name, "optimize") == 0;
    if (code == EXIT_OK && is_search && fb_study_run_get_best(run) == NULL) {
        print_note("no trial meets all constraints");
        return EXIT_COMPUTATION;
    }
    return code;
}

// A rank that ends with another code than 0 makes mpirun end the others, so that only one that rank
// 0 cannot hear does so; rank 0 reports what others told it.
static int end_worker(FbStatus status, const FbError* err) {
    if (status != FB_ERR_IO) {
        return EXIT_OK;
    }
    print_error(err);
    return exit_code_of(status);
}

// The tables of the parts that are joined.
typedef struct Parts {
    char** paths;
    int n;
} Parts;

static void free_parts(Parts* parts) {
    for (int i = 0; i < parts->n; i++) {
        free(parts->paths[i]);
    }
    free(parts->paths);
}

// Those that exist: a part that never began has none, and its points are reported as missing.
static bool find_parts(const Options* options, const char* table, Parts* out) {
    out->paths = calloc((size_t)options->join + 1, sizeof *out->paths);
    for (int i = 0; out->paths != NULL && i < options->join; i++) {
        char* path = make_part_path(table, i, options->join);
        if (path == NULL) {
            return false;
        }
        if (access(path, F_OK) == 0) {
            out->paths[out->n++] = path;
        } else {
            if (!options->is_quiet) {
                print_note("part %d has no table %s", i + 1, path);
            }
            free(path);
        }
    }
    return out->paths != NULL;
}

static int run_read(const Options* options, const FbStudy* study, const StudyCommand* command,
                    FbRanks* ranks) {
    FbStudyInfo info;
    fb_study_get_info(study, &info);
    char* path = make_path(options, info.name, command);
    Parts parts = {0};
    if (path == NULL || !find_parts(options, path, &parts)) {
        print_note("out of memory");
        free_parts(&parts);
        free(path);
        return EXIT_COMPUTATION;
    }
    if (command->part.is_of_array && !options->is_quiet) {
        print_note("task of a Slurm array: --part %d/%d, table %s", command->part.part + 1,
                   command->part.n_parts, path);
    }
    Watcher watcher = {.objective = info.objective};
    init_progress(&watcher.bar, info.name, options->is_quiet);
    FbStudyOptions how = fb_study_options_default(path);
    how.n_threads = options->jobs;
    how.is_retry = options->is_retry;
    how.part = command->part.part;
    how.n_parts = command->part.n_parts;
    how.joined = (const char* const*)parts.paths;
    how.n_joined = parts.n;
    how.is_join_only = options->join > 0;
    how.is_untimed = options->is_untimed;
    how.ranks = ranks;
    how.stop = (FbStop){is_stop_wanted, NULL};
    how.progress = show;
    how.progress_self = &watcher;
    FbStudyRun* run = NULL;
    FbError err;
    FbStatus status = command->run(study, &how, &run, &err);
    end_progress(&watcher.bar);
    bool is_worker = ranks != NULL && ranks->rank > 0;
    int code =
        is_worker ? end_worker(status, &err) : finish(options, study, run, ranks, status, &err);
    if (code == EXIT_OK && options->report != NULL && !is_worker) {
        code = write_study_page(options, study, run);
    }
    fb_study_run_destroy(run);
    free_parts(&parts);
    free(path);
    return code;
}

static int run_ranks(const Options* options, FbRanks* ranks, const void* self) {
    const StudyCommand* command = self;
    FbStudy* study;
    int code = read_study(options, command, ranks, &study);
    if (code == EXIT_OK) {
        code = options->is_slurm ? write_slurm(options, study)
                                 : run_read(options, study, command, ranks);
    } else if (ranks != NULL && ranks->rank > 0) {
        code = EXIT_OK;  // rank 0 has learned of it
    }
    fb_study_destroy(study);
    return code;
}

int run_study(const Options* options, const StudyCommand* command) {
    return options->is_mpi ? run_ranked(options, run_ranks, command)
                           : run_ranks(options, NULL, command);
}
