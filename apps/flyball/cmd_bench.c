// `flyball bench`: runs the benchmark problems, measures their errors, and compares them with the
// limits.
#include "base/arena.h"
#include "base/new_file.h"
#include "base/text.h"
#include "bench_cases.h"
#include "bench_pages.h"
#include "bench_report.h"
#include "bench_run.h"
#include "folder.h"
#include "load.h"
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

static int run_case(const Options* options, CaseOutcome* c) {
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
    c->exit_code = EXIT_COMPUTATION;
    if (c->run != NULL) {
        fb_bench_run_get_outcome(c->run, &c->outcome);
        c->exit_code = report_messages(options, &c->outcome, diagnostics);
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
        code = combine_codes(code, run_case(options, outcome));
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
                   options->output != NULL ? ".part" : "");
    }
    FbError err;
    bool is_complete = n_done == n_cases && code != EXIT_INTERRUPTED;
    if (write_table(options, outcomes, n_done, is_complete, &err) < 0) {
        print_error(&err);
        return EXIT_FILE;
    }
    return write_pages(options, outcomes, n_done, code);
}

static int run_and_report(const Options* options, const BenchCases* cases) {
    CaseOutcome* outcomes = FB_TAKE(cases->arena, CaseOutcome, cases->n_cases);
    if (outcomes == NULL) {
        print_note("out of memory");
        return EXIT_COMPUTATION;
    }
    for (int i = 0; i < cases->n_cases; i++) {
        outcomes[i] = (CaseOutcome){.bench_case = cases->cases[i]};
        fb_bench_case_get_info(cases->cases[i], &outcomes[i].info);
    }
    int n_done;
    int code = run_cases(options, cases, outcomes, &n_done);
    code = report(options, outcomes, n_done, cases->n_cases, code);
    for (int i = 0; i < cases->n_cases; i++) {
        fb_bench_run_destroy(outcomes[i].run);
    }
    return code;
}

int cmd_bench(const Options* options) {
    if (options->examples.n > 0 && options->report == NULL) {
        return usage_error(options, "--example requires --report");
    }
    FbError err;
    if (options->report != NULL && make_folder(options->report, &err) < 0) {
        print_error(&err);
        return exit_code_of(err.status);
    }
    BenchCases cases;
    int code = find_bench_cases(options, &cases);
    if (code == EXIT_OK && options->is_list) {
        print_case_list(options, &cases);
    } else if (code == EXIT_OK) {
        code = run_and_report(options, &cases);
    }
    free_bench_cases(&cases);
    return code;
}
