// `flyball bench`: runs the benchmark problems, measures their errors, and compares them with the
// limits.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/new_file.h"
#include "base/text.h"
#include "bench_cases.h"
#include "bench_pages.h"
#include "bench_ranks.h"
#include "bench_report.h"
#include "bench_run.h"
#include "bench_saved.h"
#include "folder.h"
#include "load.h"
#include "mpi_ranks.h"
#include "study/share.h"
#include "terminal.h"

// The progress of each simulation of a case in turn.
static bool show_case_progress(void* self, const FbProgress* progress) {
    ProgressBar* bar = self;
    if (progress->wall_s < bar->last_wall_s) {  // of the next simulation
        bar->last_wall_s = 0.0;
    }
    return show_progress(bar, progress);
}

static bool is_stop_wanted(void* self) {
    (void)self;
    return is_interrupted();
}

// Prints what the run had to say; returns its exit code.
static int report_messages(const Options* options, const FbBenchOutcome* o,
                           FbDiagnostics* diagnostics) {
    Options plain = {.is_quiet = options->is_quiet};  // the JSON document is that of all cases
    LoadedModel said = {.path = o->failed_model, .diagnostics = diagnostics};
    int code = exit_code_of(o->status);
    if (o->failed_model != NULL) {
        code = report_errors(&plain, &said, o->status);
    } else {
        report_diagnostics(&plain, &said, 0);
    }
    if (is_interrupted()) {
        return EXIT_INTERRUPTED;
    }
    return code == EXIT_OK && !o->is_within ? EXIT_LIMIT : code;
}

// What the run of a case says; returns its exit code.
static int take_outcome(const Options* options, CaseOutcome* c, FbDiagnostics* diagnostics) {
    fb_bench_run_get_outcome(c->run, &c->outcome);
    if (options->is_untimed) {
        c->is_untimed = true;
        c->outcome.stats.cpu_s = c->outcome.stats.wall_s = c->outcome.load_s = 0.0;
    }
    c->exit_code = report_messages(options, &c->outcome, diagnostics);
    return c->exit_code;
}

static void take_saved(const Options* options, CaseOutcome* c, FbDiagnostics* diagnostics) {
    take_outcome(options, c, diagnostics);
}

// Saves a case that is done, for --resume.
static FbStatus save(const Options* options, const BenchCases* cases, const CaseOutcome* outcomes,
                     const CaseOutcome* c, const FbDiagnostics* diagnostics, FbError* err) {
    return c->outcome.status == FB_STOPPED
               ? FB_OK
               : save_case(options, cases, (int)(c - outcomes), c->run, diagnostics, err);
}

static int run_case(const Options* options, const BenchCases* cases, const CaseOutcome* outcomes,
                    CaseOutcome* c) {
    c->exit_code = EXIT_COMPUTATION;
    FbDiagnostics* diagnostics = fb_diagnostics_create();
    if (diagnostics == NULL) {
        print_note("out of memory");
        return EXIT_COMPUTATION;
    }
    ProgressBar bar;
    init_progress(&bar, c->info.name, options->is_quiet);
    FbBenchOptions bench = make_bench_options(options);
    bench.progress = show_case_progress;
    bench.progress_self = &bar;
    bench.stop.is_wanted = is_stop_wanted;
    fb_bench_case_run(c->bench_case, &bench, &c->run, diagnostics);
    end_progress(&bar);
    if (c->run != NULL) {
        FbError err;
        take_outcome(options, c, diagnostics);
        if (save(options, cases, outcomes, c, diagnostics, &err) < 0) {
            print_error(&err);
            c->exit_code = EXIT_FILE;
        }
    } else {
        print_note("out of memory");
    }
    fb_diagnostics_destroy(diagnostics);
    return c->exit_code;
}

// A failed computation takes precedence over an exceeded limit; the first failure decides.
static int combine_codes(int so_far, int code) {
    bool is_failure = so_far != EXIT_OK && so_far != EXIT_LIMIT;
    return is_failure || code == EXIT_OK ? so_far : code;
}

// The table so far, as FILE.part: it takes its name when all cases are done.
static FbStatus write_table(const Options* options, const CaseOutcome* outcomes, int n_done,
                            bool is_complete, FbError* err) {
    if (options->output == NULL) {
        return FB_OK;
    }
    FbText part;
    fb_text_init(&part);
    fb_text_addf(&part, "%s.part", options->output);
    FbStatus status =
        part.has_failed ? fb_fail_memory(err) : write_bench_csv(part.data, outcomes, n_done, err);
    if (status >= 0 && is_complete) {
        status = fb_new_file_rename(part.data, options->output, err);
        if (status >= 0) {
            forget_saved_cases(options);
        }
    }
    fb_text_free(&part);
    return status;
}

static int run_cases(const Options* options, const BenchCases* cases, CaseOutcome* outcomes,
                     int* n_done) {
    bool is_table = !options->is_json;
    int code = EXIT_OK;
    if (is_table) {
        print_table_header();
    }
    for (*n_done = 0; *n_done < cases->n_cases && !is_interrupted();) {
        CaseOutcome* outcome = &outcomes[*n_done];
        if (outcome->run == NULL) {
            run_case(options, cases, outcomes, outcome);
        }
        code = combine_codes(code, outcome->exit_code);
        if (outcome->run == NULL) {
            return code;
        }
        ++*n_done;
        if (is_table) {
            print_table_row(outcome);
        }
        FbError err;
        if (write_table(options, outcomes, *n_done, false, &err) < 0) {
            print_error(&err);
            return EXIT_FILE;
        }
    }
    return is_interrupted() ? EXIT_INTERRUPTED : code;
}

// Puts the cases that are done first, in their order; returns their number.
static int sort_done(CaseOutcome* outcomes, int n_cases) {
    int n = 0;
    for (int i = 0; i < n_cases; i++) {
        if (outcomes[i].run != NULL) {
            CaseOutcome done = outcomes[i];
            outcomes[i] = outcomes[n];
            outcomes[n++] = done;
        }
    }
    return n;
}

// What arrives from ranks.
typedef struct Arrivals {
    const Options* options;
    const BenchCases* cases;
    const CaseOutcome* outcomes;
    int n_printed;  // cases before the first that has not arrived
} Arrivals;

// Rows are printed in the order of the cases.
static void print_arrived(Arrivals* a) {
    while (a->n_printed < a->cases->n_cases && a->outcomes[a->n_printed].run != NULL) {
        const CaseOutcome* next = &a->outcomes[a->n_printed++];
        if (!a->options->is_json) {
            print_table_row(next);
        }
    }
}

static int take_arrival(void* self, CaseOutcome* c, FbDiagnostics* diagnostics) {
    Arrivals* a = self;
    take_outcome(a->options, c, diagnostics);
    FbError err;
    FbStatus status = save(a->options, a->cases, a->outcomes, c, diagnostics, &err);
    print_arrived(a);
    CaseOutcome* sorted = malloc(sizeof *sorted * (size_t)(a->cases->n_cases + 1));
    status = status < 0 || sorted != NULL ? status : fb_fail_memory(&err);
    if (status == FB_OK) {
        memcpy(sorted, a->outcomes, sizeof *sorted * (size_t)a->cases->n_cases);
        int n = sort_done(sorted, a->cases->n_cases);
        status = write_table(a->options, sorted, n, false, &err);
    }
    free(sorted);
    if (status < 0) {
        print_error(&err);
    }
    return status < 0 ? EXIT_FILE : EXIT_OK;
}

static int share_all(const Options* options, const BenchCases* cases, CaseOutcome* outcomes,
                     FbRanks* ranks, int* n_done) {
    Arrivals arrivals = {.options = options, .cases = cases, .outcomes = outcomes};
    RankedCases ranked = {.options = options,
                          .cases = cases,
                          .ranks = ranks,
                          .outcomes = outcomes,
                          .take = take_arrival,
                          .self = &arrivals};
    if (!options->is_json) {
        print_table_header();
    }
    print_arrived(&arrivals);  // of an interrupted command
    FbError err;
    FbStatus status = share_cases(&ranked, &err);
    *n_done = sort_done(outcomes, cases->n_cases);
    if (status < 0) {
        print_error(&err);
        return exit_code_of(status);
    }
    int code = EXIT_OK;
    for (int i = 0; i < *n_done; i++) {
        code = combine_codes(code, outcomes[i].exit_code);
    }
    return status == FB_STOPPED ? EXIT_INTERRUPTED : code;
}

// The reports of --report; an exceeded limit is reported even if they could not be written.
static int write_pages(const Options* options, const CaseOutcome* outcomes, int n_done, int code) {
    if (options->report == NULL || code == EXIT_INTERRUPTED) {
        return code;
    }
    return combine_codes(code, write_bench_pages(options, outcomes, n_done));
}

static int report(const Options* options, const CaseOutcome* outcomes, int n_done, int n_cases,
                  int code) {
    if (options->is_json) {
        print_bench_document(outcomes, n_done);
    } else {
        print_table_end(outcomes, n_done);
    }
    if (code == EXIT_INTERRUPTED) {
        print_note("interrupted; %d of %d cases were run%s%s%s", n_done, n_cases,
                   options->output != NULL ? "; their table is " : "",
                   options->output != NULL ? options->output : "",
                   options->output != NULL ? ".part, and --resume runs the others" : "");
    }
    FbError err;
    bool is_complete = n_done == n_cases && code != EXIT_INTERRUPTED;
    if (write_table(options, outcomes, n_done, is_complete, &err) < 0) {
        print_error(&err);
        return EXIT_FILE;
    }
    return write_pages(options, outcomes, n_done, code);
}

static int run_and_report(const Options* options, const BenchCases* cases, FbRanks* ranks) {
    CaseOutcome* outcomes = FB_TAKE(cases->arena, CaseOutcome, cases->n_cases);
    if (outcomes == NULL) {
        print_note("out of memory");
        return EXIT_COMPUTATION;
    }
    for (int i = 0; i < cases->n_cases; i++) {
        outcomes[i] = (CaseOutcome){.bench_case = cases->cases[i]};
        fb_bench_case_get_info(cases->cases[i], &outcomes[i].info);
    }
    int n_done = 0, code;
    FbError err;
    FbStatus status = read_saved_cases(options, cases, outcomes, take_saved, &err);
    if (status == FB_OK) {
        code = ranks != NULL ? share_all(options, cases, outcomes, ranks, &n_done)
                             : run_cases(options, cases, outcomes, &n_done);
        code = report(options, outcomes, n_done, cases->n_cases, code);
    } else {
        print_error(&err);
        code = exit_code_of(status);
        if (ranks != NULL) {
            fb_share_end(ranks);
        }
    }
    for (int i = 0; i < cases->n_cases; i++) {
        fb_bench_run_destroy(outcomes[i].run);
    }
    return code;
}

// A rank other than 0 says nothing: rank 0 has read the same files, and reports what is wrong.
static int work_for_rank_0(const Options* options, FbRanks* ranks) {
    BenchCases cases;
    int stderr_before = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDERR_FILENO);
    int code = find_bench_cases(options, &cases);
    dup2(stderr_before, STDERR_FILENO);
    close(stderr_before);
    close(nowhere);
    if (code == EXIT_OK) {
        code = work_on_cases(options, &cases, ranks);
    } else {
        fb_share_fail(ranks, FB_ERR_IO, "the cases cannot be read here");
        code = EXIT_OK;
    }
    free_bench_cases(&cases);
    return code;
}

static int run_bench(const Options* options, FbRanks* ranks, const void* self) {
    (void)self;
    if (ranks != NULL && ranks->rank > 0) {
        return work_for_rank_0(options, ranks);
    }
    BenchCases cases;
    int code = find_bench_cases(options, &cases);
    if (code == EXIT_OK) {
        code = run_and_report(options, &cases, ranks);
    } else if (ranks != NULL) {
        fb_share_end(ranks);
    }
    free_bench_cases(&cases);
    return code;
}

static int list_cases(const Options* options) {
    BenchCases cases;
    int code = find_bench_cases(options, &cases);
    if (code == EXIT_OK) {
        code = print_case_list(options, &cases);
    }
    free_bench_cases(&cases);
    return code;
}

int cmd_bench(const Options* options) {
    if (options->examples.n > 0 && options->report == NULL) {
        return usage_error(options, "--example requires --report");
    }
    if (options->is_resume && options->output == NULL) {
        return usage_error(options, "--resume requires -o, the file of the interrupted command");
    }
    FbError err;
    if (options->report != NULL && make_folder(options->report, &err) < 0) {
        print_error(&err);
        return exit_code_of(err.status);
    }
    if (options->is_list) {
        return list_cases(options);
    }
    return options->is_mpi ? run_ranked(options, run_bench, NULL) : run_bench(options, NULL, NULL);
}
